"""A process of ``warm_up``: it reads what to fit, a line at a time, and answers with nothing or what went wrong.

Tests: ``tests/warming/test_run.py``.
"""

from __future__ import annotations

import signal
import sys

from .fits import run


def main() -> None:
    """Do what standard input asks for."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it at once, also in the midst of the compiler
    answer, sys.stdout = sys.stdout, sys.stderr  # a fit may print
    for line in sys.stdin:
        name, form, size = line.split()
        try:
            run(name, form, size)
        except Exception as error:
            print(f"{name} ({form}): {type(error).__name__}: {error}".replace("\n", " "), file=answer, flush=True)
        else:
            print(file=answer, flush=True)
