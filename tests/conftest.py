"""What every test shares: one seed, repeatable hypothesis runs, compiled code that matches the sources."""

import hashlib
import os
import signal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1]

os.environ.setdefault("MPLBACKEND", "Agg")
if "NUMBA_CACHE_DIR" not in os.environ:  # pytest without make: see the Makefile for why each state has its own cache
    sources = sorted((ROOT / "src" / "discriminant").rglob("*.py"), key=lambda path: path.as_posix())
    digest = hashlib.sha1(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    os.environ["NUMBA_CACHE_DIR"] = str(ROOT / ".cache" / "numba" / digest)

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("ci")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a run in the background inherits an ignored Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def rng() -> np.random.Generator:
    """The one seed."""
    return np.random.default_rng(0)
