"""Linear programs: Duda, Hart, Stork, *Pattern Classification*, §5.10, and what they prove.

- ``linear_program`` (§5.10.2-§5.10.3), ``removals``: the fewest rows to leave out; ``inequalities``: the program of a
  problem; ``highs``: the only file that imports HiGHS.

Imports ``base`` and the rooms below it, no other chapter.  Tests: ``tests/linear_programming``.
"""
