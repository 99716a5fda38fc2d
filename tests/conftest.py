"""What every test shares: one seed, repeatable hypothesis runs, a place for machine code."""

import gc
import os
import shutil
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

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


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """A client of two workers of dask that are processes."""
    from clusters import local_client

    with local_client() as client:
        yield client


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's chromium; without it the tests of pages are skipped, and fail where CI promises that they run."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        reason = "THE PAGES ARE NOT TESTED: there is no chromium here; run tools/chromium.sh"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()
