"""``compare``: every procedure on the same data, in one table.

- ``run``: the question and its answer; ``tasks``: one fit; ``table``: what is printed; ``methods``: the procedures by
  name, which the command line knows too and reads without importing any of them.

Imports the chapters and the rooms below them.  Tests: ``tests/comparison``.
"""

from typing import TYPE_CHECKING

from .._guards.lazy import lazy

__all__ = ["ALIASES", "INTERRUPTED", "METHODS", "Comparison", "Procedure", "Row", "compare"]
__getattr__, __dir__ = lazy(
    __name__,
    {"methods": ("ALIASES", "METHODS", "Procedure"), "run": ("Comparison", "compare"), "tasks": ("INTERRUPTED", "Row")},
)

if TYPE_CHECKING:
    from .methods import ALIASES, METHODS, Procedure
    from .run import Comparison, compare
    from .tasks import INTERRUPTED, Row
