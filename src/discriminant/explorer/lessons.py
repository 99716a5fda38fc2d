"""Eight short scenes from the books, each with one paragraph, one question and its answer.

Tests: ``tests/explorer/test_catalog.py``.
"""

from __future__ import annotations

from .messages import Json


def lessons() -> list[Json]:
    """The scenes in order."""
    return []
