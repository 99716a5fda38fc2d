"""Whether any plane separates the classes, with a proof that whole numbers confirm.

- ``verdict``: the call, ``answer``: what it gives; ``parts``, ``ordered``: of many classes, of ordered levels;
  ``question``: the data; ``words``, ``apart``, ``reasons``: the sentences; ``signs``, ``aliases``: where coefficients
  go; ``pairs``: of row and rival; ``margin``, ``widening``: planes; ``remainder``: what is left of a regression;
  ``on_blocks``: of rows that come in blocks;
- ``certificate``: the proof, ``verification``: its check, ``quick_check``: the same, fast, by ``digits``;
  ``proof_file``: its JSON; ``rows``, ``cuts``: what a row z is;
- ``search``, ``faces``: how it is found, relation by relation; ``boundary``: all at once, from a ``sample``, by guesses
  (``newton``, ``hinge``) and few rows (``spanning``); ``merging``: of many classes by pairs, ``beyond``: of too many;
  ``trial``: of a vector; ``knowledge``: what is known before the end; ``system``: the rows of the data, ``passes``:
  compiled; ``integers``, ``flint``, ``lifting``, ``elimination``, ``nonnegative``: the algebra.

Imports ``_kernel_matrix``, ``_engine`` and the vocabulary; the files of the second point import nothing but each
other, the standard library and numpy's arrays.  Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, Problem 8;
``docs/guide/separable.rst``.  Tests: ``tests/separation``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .answer import Separability as Separability
    from .certificate import Certificate as Certificate
    from .verdict import separability as separability

_HOME = {"Certificate": "certificate", "Separability": "answer", "separability": "verdict"}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:  # lazy, so that the certificate can be read without a solver
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)
