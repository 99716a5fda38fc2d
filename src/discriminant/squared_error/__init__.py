"""Minimum squared error: Duda, Hart, Stork, *Pattern Classification*, §5.8-§5.9.

- ``least_squares`` (§5.8.1), ``fisher`` (§5.8.2) on ``class_statistics``, ``ridge``, all by ``solver``;
  ``widrow_hoff`` (§5.8.4), ``widrow_hoff_regressor`` with ``widrow_hoff_parameters`` on ``aimed_patterns``;
  ``recursive_least_squares`` (§5.8.5), ``ho_kashyap`` (§5.9) on ``patterns``, the matrix Y and its pseudoinverse;
  ``ho_kashyap_course``: what its rules share; ``on_blocks``, ``streamed_aims``, ``recursion_on_blocks``,
  ``ho_kashyap_on_blocks``: of rows that come in blocks.

Imports ``base`` and the rooms below it, no other chapter.  Tests: ``tests/squared_error``.
"""
