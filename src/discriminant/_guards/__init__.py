"""What keeps trouble out: parameters, tables and labels are refused by name, and a failed fit leaves no trace.

- ``parameters``: what a parameter may be; ``validation``: what X and y may be; ``state``: all or nothing; ``held``:
  what a fitted model holds, for its file; ``lazy``: names that are imported when they are first used.

Imports nothing of this package, so that the vocabulary of the books may use it.  Tests: ``tests/_guards``.
"""
