"""The examples of the pages write files and draw: each page in a folder of its own, and no figure is left."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

LONG = {"pictures.rst"}  # draws every kind of picture, each of which has its tests in tests/plot


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave to ``make ci`` the pages that take long."""
    for item in items:
        if item.path.name in LONG:
            item.add_marker(pytest.mark.ci)


@pytest.fixture(autouse=True)
def a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run a page in an empty folder, and close what it has drawn."""
    monkeypatch.chdir(tmp_path)
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
