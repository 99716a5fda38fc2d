"""Logistic regression, with finite answers or a proof that there is none.

- ``estimator``; ``regression``: the rule, in ``coordinates`` of its own; ``likelihood``, ``passes``, ``softmax``:
  criterion, gradient and Hessian; ``newton`` and ``hessian``: the step; ``firth``; ``squared_loss`` (§8.5.2);
  ``infinity``: estimates at infinity; ``limit``, ``profile``, ``sweep``, ``ends``, ``inference``, ``multinomial``,
  ``table``, ``summary``: what is reported of them; ``on_blocks``: rows that come in blocks.

Imports ``base`` and the rooms below it, no other chapter.  Tests: ``tests/logistic``.
"""

from .estimator import LogisticDiscriminant as LogisticDiscriminant
