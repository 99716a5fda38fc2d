"""From data to a fitted estimator: validate, encode, solve, publish, report; and predict.

- ``classifier``, ``regressor``: what the estimators derive from; ``class_weights``; ``expansion``: when a descent has
  converged; ``lazy_report`` and ``diagnosis``: what a report adds when it is read, and when it is asked.

Imports ``separation``, ``_engine`` and the vocabulary.  Tests: ``tests/base``.
"""
