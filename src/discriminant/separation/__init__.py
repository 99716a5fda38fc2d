"""Whether any plane separates the classes, with a proof that whole numbers confirm.

- ``verdict``: the question and its answer; ``certificate``: the proof, readable alone; ``rows``: the system of
  inequalities; ``search``: faces and directions; ``integers``, ``flint``, ``nonnegative``: the algebra; ``margin``: the
  widest margin; ``words``: the verdict in sentences.

Imports ``_kernel_matrix``, ``_engine`` and the vocabulary; ``certificate`` imports nothing of this package.
Source: ``certificates`` of the guide.  Tests: ``tests/separation``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .certificate import Certificate as Certificate
    from .verdict import Separability as Separability
    from .verdict import separability as separability

_HOME = {"Certificate": "certificate", "Separability": "verdict", "separability": "verdict"}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:  # lazy, so that the certificate can be read without a solver
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)
