"""Peers that are no part of the developers' tools: `pip install 'discriminant[peers]'`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

LEFT_OUT = "Left out, scikit-learn-intelex is not installed: pip install 'discriminant[peers]'."


def intel(module: str, name: str) -> Any:
    """A class of scikit-learn-intelex, which speeds up scikit-learn's; None where it is not installed."""
    try:
        return getattr(import_module(f"sklearnex.{module}"), name)
    except ImportError:
        return None
