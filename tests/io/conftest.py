"""Tables in portions of a few bytes."""

from __future__ import annotations

import pytest

from discriminant.io import _chunks, tables


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Portions of 200 bytes, so that small files have many."""
    monkeypatch.setattr(_chunks, "CHUNK", 200)
    monkeypatch.setattr(tables, "CHUNK", 200)
