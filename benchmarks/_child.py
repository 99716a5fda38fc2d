"""Numbers that only a fresh process can give."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# Defines above(work): by how many bytes the peak of the process exceeds what it holds now (Linux only; the peak that
# getrusage tells begins with the parent's).
PEAK = """
import ctypes, re
from pathlib import Path

def peak():
    return 1024 * int(re.search("VmHWM:[^0-9]*([0-9]+)", Path("/proc/self/status").read_text())[1])

def above(work):
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    before = peak()
    work()
    return peak() - before
"""


def numbers(code: str, cache: str | Path | None = None) -> list[float]:
    """The numbers that ``code`` prints in a new Python, with its own directory for compiled code if one is given."""
    env = os.environ | ({"NUMBA_CACHE_DIR": str(cache)} if cache else {})
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=env, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"a child process failed:\n{code}\n{done.stderr}")
    return [float(word) for word in done.stdout.split()]


def child(code: str, cache: str | Path | None = None) -> float:
    """The one number that ``code`` prints in a new Python."""
    (number,) = numbers(code, cache)
    return number
