"""Minimum squared error: Duda, Hart, Stork, *Pattern Classification*, §5.8-§5.9.

- ``least_squares`` (§5.8.1), ``fisher`` (§5.8.2), ``ridge``, ``widrow_hoff`` (§5.8.4), ``recursive_least_squares``,
  ``ho_kashyap`` (§5.9); ``solver``: weighted least squares; ``patterns``: the matrix Y and its pseudoinverse.

Imports ``base`` and the rooms below it, no other chapter.  Tests: ``tests/squared_error``.
"""
