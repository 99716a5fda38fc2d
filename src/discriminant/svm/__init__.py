"""Support vector machines: Duda, Hart, Stork, §5.11; Cristianini, Shawe-Taylor, chapters 6 and 7.

- ``estimator``, ``selection``; ``linear`` and ``kernel``: which solver a problem gets; ``primal`` (Newton), ``dual``,
  ``blocks``, ``small``, ``pair_steps``, ``interior``: the solvers; ``many_classes``, ``small_pairs``, ``parts``.

Imports ``base`` and the rooms below it, no other chapter.  Tests: ``tests/svm``.
"""

from .estimator import SupportVectorMachine as SupportVectorMachine
