"""Minimum squared error: Duda, Hart, Stork, *Pattern Classification*, §5.8-§5.9.

- ``least_squares`` (§5.8.1), ``fisher`` (§5.8.2) on ``class_statistics``, ``ridge``, ``widrow_hoff`` (§5.8.4) on
  ``aimed_patterns``, ``recursive_least_squares`` (§5.8.5), ``ho_kashyap`` (§5.9) on ``patterns``, the matrix Y and its
  pseudoinverse; ``solver``: weighted least squares.

Imports ``base`` and the rooms below it, no other chapter.  Tests: ``tests/squared_error``.
"""
