"""Small problems with ties for ``separability``, and a check of all that it says of them against ``exact_oracle``."""

from __future__ import annotations

from typing import Any

import numpy as np
from exact_oracle import separation
from scipy import sparse

from discriminant import Hyperplane, Separability, separability

Problem = tuple[np.ndarray, np.ndarray]


def parts(s: Separability) -> tuple[str, list[int], list[int]]:
    return s.verdict, s.separated_rows.tolist(), s.boundary_rows.tolist()


def check(X: Any, y: Any, **options: Any) -> Separability:
    """Verdict, B, N and the certificate: all as they should be."""
    s = separability(X, y, **options)
    expected = separation(X.toarray() if sparse.issparse(X) else np.asarray(X), y, **options)
    assert parts(s) == expected[:3]
    assert s.certificate.verdict == expected.verdict
    assert s.certificate.verify(X, y) is True
    return s


def in_integers(s: Separability) -> bool:
    return bool(s.notes)


def separates(s: Separability, X: Any, y: Any) -> bool:
    """Whether w and w0 separate in float64."""
    plane = s.hyperplane
    assert isinstance(plane, Hyperplane)
    g = X @ plane.w + plane.w0
    return bool(np.all(g[np.asarray(y) == np.max(y)] > 0) and np.all(g[np.asarray(y) != np.max(y)] < 0))


def tied_problem(rng: np.random.Generator, n_classes: int = 2) -> Problem:
    """Small whole numbers: points coincide, lie on lines and in planes; columns repeat or are constant."""
    while True:
        n, d, kind = rng.integers(2, 9), rng.integers(1, 4), rng.integers(6)
        X = rng.integers(-2, 3, (n, d))
        if kind == 0:
            X[:, 0] = rng.integers(-1, 2)
        elif kind == 1:
            X[:, -1] = rng.integers(-1, 2) * X[:, 0] + rng.integers(-1, 2)
        elif kind == 2:
            X[n // 2 :] = X[: n - n // 2]
        elif kind == 3:
            X = (X > 0).astype(np.int64)
        y = rng.integers(0, n_classes, n)
        if n_classes == 2 and rng.random() < 0.5:
            y = (X @ rng.integers(-2, 3, d) + rng.integers(-1, 2) > 0).astype(np.int64)
            y[rng.integers(n)] ^= rng.random() < 0.3
        if np.unique(y).size == n_classes:
            return X, y
