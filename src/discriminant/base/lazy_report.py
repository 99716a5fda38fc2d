"""What a report adds when it is read, and only then."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from .._engine.problem import Problem
from ..bounds import cover


class LazyFacts:
    """What a report adds when it is read: the bound, the scale of the features, how much separation means.

    Data of more than ``SMALL`` bytes are held weakly, because a model must not keep a large training set in memory.
    """

    SMALL = 2**20

    def __init__(self, X: Any, problem: Problem, theorem: Callable[[Any], float | None] | None, plane: bool) -> None:
        self._theorem, self._plane = theorem, plane
        source = problem.source
        named = getattr(X, "columns", None)
        self._names = None if named is None or any(not isinstance(name, str) for name in named) else list(named)
        self._data: Callable[[], Any]
        if problem.entries * problem.dtype.itemsize <= self.SMALL:
            self._data = lambda: source
        else:
            try:
                self._data = weakref.ref(X)
            except TypeError:  # a list or the like cannot be held weakly
                self._data = lambda: None

    def __call__(self, facts: dict[str, Any]) -> dict[str, Any]:
        n, d = facts["n_samples"], facts["n_features"]
        more: dict[str, Any] = {}
        if self._plane and n < 2 * (d + 1) and facts["n_classes"] == 2 and facts["status"] == "SEPARATED":
            chance = (
                f"With {n} patterns in {d} dimensions random labels are separable with probability {cover(n, d):.2g}: "
                "separation says little about new data."
            )
            more["notes"] = [*facts["notes"], chance]
        X = self._data()
        if X is not None:
            try:
                X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
            except ValueError:  # the user has put NaN into X since the fit
                return more
            more["scale"] = scale_of(X, self._names)
            if self._theorem is not None:
                more["bound"] = self._theorem(X)
        return more


class BorrowedData:
    """Data that are not the model's: its user may have them still."""

    def __init__(self, X: Any = None) -> None:
        self._data = (lambda: None) if X is None else weakref.ref(X)

    def __call__(self) -> Any:
        """The data, or None where they are gone."""
        X = self._data()
        return None if X is None else check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])

    def __reduce__(self) -> tuple[type[BorrowedData], tuple[()]]:
        return BorrowedData, ()


def scale_of(X: Any, names: list[str] | None = None) -> str:
    """In words, the sizes of the features, by their names or their places."""
    ends = [part.toarray().ravel() if sparse.issparse(part) else part for part in (X.max(axis=0), X.min(axis=0))]
    sizes = np.maximum(ends[0], -ends[1]).astype(np.float64) + 0.0  # no copy of X, and no -0
    smallest, largest = int(sizes.argmin()), int(sizes.argmax())
    low, high = (f"feature {j}" if names is None else names[j] for j in (smallest, largest))
    text = f"sizes from {sizes[smallest]:.3g} ({low}) to {sizes[largest]:.3g} ({high})"
    return text + ("; standardize them" if sizes[largest] / 100 > max(sizes[smallest], np.finfo(float).tiny) else "")
