"""``compare``: every procedure on the same data, in one table.

- ``run``: the question and its answer; ``tasks``: one fit; ``table``: what is printed; ``methods``: the procedures by
  name, which the command line knows too.

Imports the chapters and the rooms below them.  Tests: ``tests/comparison``.
"""

from .run import Comparison as Comparison
from .run import compare as compare
