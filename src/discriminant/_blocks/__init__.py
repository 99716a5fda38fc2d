"""Data that come in blocks of rows, because they do not fit into memory or lie on other machines.

- ``blocks``: what a block is, and the protocol that procedures are written against: a small function of a block is
  evaluated on every one, and the results are added; ``passes``, ``memory``: those that come in order; ``ahead``: read
  by a thread; ``kept``: a number for each row beside them; ``journal``: checkpoints;
- ``survey``: what the first pass finds, classes and counts; ``roles``, ``problem``: which rows take part, and how.

Imports ``_engine`` and ``_guards``.  Tests: ``tests/_blocks``.
"""
