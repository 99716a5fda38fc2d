"""Logistic regression, with finite answers or a proof that there is none.

- ``estimator``; ``regression``: the rule; ``likelihood`` with ``passes`` and ``softmax``: criterion and gradient;
  ``newton`` and ``hessian``: the step; ``firth``, ``squared_loss``; ``infinity``: estimates at infinity; ``wald``.

Imports ``base`` and the rooms below it, no other chapter.  Tests: ``tests/logistic``.
"""

from .estimator import LogisticDiscriminant as LogisticDiscriminant
