"""What every test shares: one seed, repeatable hypothesis runs, a place for machine code."""

import gc
import os
import signal
from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1]

os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".cache" / "numba"))  # as the Makefile does

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=30)
settings.load_profile("ci")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a run in the background inherits an ignored Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Find the tests; what that loads, a million objects, stays, and no collection of garbage looks through it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture
def rng() -> np.random.Generator:
    """The one seed."""
    return np.random.default_rng(0)
