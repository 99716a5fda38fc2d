"""The command line: ``discriminant check | fit | predict | score | compare | explain | verify | plot | explore | ...``.

One file for each command: ``check``, ``verify``, ``fit``, ``predict``, ``score``, ``explain``, ``compare``, ``plot``,
``explore``, ``export``, ``datasets``, ``methods``, ``warm_up``; ``app`` puts them together. A command's function
reads its arguments (``_options``, ``_methods``, ``_tables``), calls the library (``_learning``, ``_applying``,
``_measures``), and returns its exit code; data go to stdout, everything else to stderr (``_output``), and every error
becomes one sentence (``_errors``). The library is imported inside the functions, so that ``--help``, ``datasets`` and
``methods`` load neither scikit-learn nor numba; others load scikit-learn without what no command uses (``_lean``).

Exit codes: 0 done (``check``: complete), 2 bad input, 3 quasi-separation, 4 overlap, 5 a proof that was refused,
6 a proof of another question, 7 undecided in the time allowed, 130 Ctrl-C.

Imports every room below it.  Tests: ``tests/cli``.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys

from ._errors import BAD_INPUT, INTERRUPTED
from ._lean import lasting

__all__ = ["main"]


def main() -> None:
    """Run the command that ``sys.argv`` holds, and exit with its code."""
    try:
        _open_streams()
        code = _run()
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # from here on Ctrl-C just ends the process
    except KeyboardInterrupt:  # before the command has begun, or a second one
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        code = INTERRUPTED
        if not {"--quiet", "-q"} & set(sys.argv):
            print("Interrupted.", file=sys.stderr)
    if code == INTERRUPTED:
        atexit._run_exitfuncs()  # other processes and their locks
        os._exit(code)  # nobody waits for half a second until all modules are taken down
    sys.exit(code)


def _run() -> int:
    try:
        with lasting():
            from .app import run
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        print("Error: the command line needs typer and rich: pip install 'discriminant[cli]'.", file=sys.stderr)
        return BAD_INPUT
    return run(sys.argv[1:])


def _open_streams() -> None:
    """Give a stream that the caller has closed (``>&-``) nowhere to go: Python leaves None in its place."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(handle, "r" if name == "stdin" else "w", encoding="utf-8"))
