"""Formulas: from ``"HG ~ NV + C(stage)"`` and a data frame to patterns, labels and the names of their columns.

- ``formula``: `design`, what is said of the columns, and the same for new rows; ``frames``: frames without a formula.

Imports ``_engine`` and the rooms below it, and the package formulaic when it is first used.  Tests: ``tests/formulas``.
"""
