"""Support vector machines: Duda, Hart, Stork, §5.11; Cristianini, Shawe-Taylor, chapters 6 and 7.

- ``estimator``, ``selection``; ``problems``: the types that all share; ``many_classes``, ``linear`` and ``kernel``:
  which solver a problem gets; ``primal`` (Newton), ``dual``, ``blocks``, ``small``, ``pair_steps``, ``interior``;
  ``cocoa``, ``on_blocks``, ``wide_on_blocks``: of rows that come in blocks.

Imports ``base`` and the rooms below it, no other chapter.  Tests: ``tests/svm``.
"""

from .estimator import SupportVectorMachine as SupportVectorMachine
