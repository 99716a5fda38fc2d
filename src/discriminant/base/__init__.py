"""From data to a fitted estimator: validate, encode, solve, publish, report; and predict.

- ``iterative``: drive, callbacks, publish once, warn; ``classifier`` (also for data in portions), ``regressor``:
  what estimators derive from; ``probabilities``; ``inherited_docs``: what they share is described once;
  ``class_weights``; ``expansion``: when a descent has converged; ``squared_steps``: many steps of one on squared errors
  in one call; ``lazy_report`` and ``diagnosis``: what a report adds when it is read, and when it is asked; ``course``:
  the way of the weights in order, ``trace``: their corrections as a table; ``streams``: fits on blocks of rows,
  ``kept_rule``: with a checkpoint.

Imports ``separation``, ``_blocks``, ``_engine`` and the vocabulary.  Tests: ``tests/base``.
"""
