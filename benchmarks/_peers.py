"""Peers that are no part of the developers' tools: `pip install 'discriminant[peers]'`."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def left_out(package: str) -> str:
    """What a case says of a peer that is not here."""
    return f"Left out, {package} is not installed: pip install 'discriminant[peers]'."


LEFT_OUT = left_out("scikit-learn-intelex")


def peer(module: str, name: str) -> Any:
    """A class of such a package; None where it is not installed."""
    try:
        return getattr(import_module(module), name)
    except ImportError:
        return None


def intel(module: str, name: str) -> Any:
    """A class of scikit-learn-intelex, which speeds up scikit-learn's; None where it is not installed."""
    return peer(f"sklearnex.{module}", name)
