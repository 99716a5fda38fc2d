"""The examples of the pages write files and draw: each page in a folder of its own, and no figure is left."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run a page in an empty folder, and close what it has drawn."""
    monkeypatch.chdir(tmp_path)
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
