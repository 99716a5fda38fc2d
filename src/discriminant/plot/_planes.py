"""The plane in which a model of d features is drawn: two features, or the two principal components.

A point (u, v) of the plane is the pattern x = o + u d₁ + v d₂.  Of two features d₁ and d₂ are their axes, and o has the
medians of the others.  Principal components are those of the standardized features: with their means m, standard
deviations s and the two leading eigenvectors v₁, v₂ of their correlations, o = m and d_i = s v_i.

Tests: ``tests/plot/test_decision_regions.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._guards.parameters import refused
from ._style import LINE, literal, quietly

BLOCK = 4_000_000  # entries of the patterns that are asked for at a time
FEW = 3  # features whose medians are told one by one
COMPONENTS = "components"
MOST_FEATURES = 2_000  # whose correlations are computed, in about a second

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Plane:
    """Where a model is drawn.

    Parameters
    ----------
    origin : array of shape (d,)
        The pattern o at (0, 0).
    directions : array of shape (1 or 2, d)
        The ways d₁ and d₂ along the axes.
    back : array of shape (d, 1 or 2)
        What takes x − o to its place in the plane.
    names : tuple of str
        Labels of the axes.
    note : str
        What became of the other features; empty where there are none.
    """

    origin: Array
    directions: Array
    back: Array
    names: tuple[str, ...]
    note: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether the plane is the whole space: nothing is hidden."""
        return len(self.origin) == len(self.directions) == 2 and not self.note

    def project(self, X: Any) -> Array:
        """The place of each pattern."""
        return np.asarray(X @ self.back - self.origin @ self.back, np.float64)

    def at(self, function: Any, points: Array) -> NDArray[Any]:
        """The answers of a model at points of the plane, some rows at a time."""
        size = max(1, BLOCK // self.origin.size)
        points = points[:, : len(self.directions)]
        parts = [points[i : i + size] @ self.directions + self.origin for i in range(0, len(points), size)]
        return np.concatenate([np.asarray(quietly(function, part)) for part in parts])

    def line(self, a: Array) -> Array:
        """The discriminant (w₀, w) as one of the plane's coordinates."""
        return np.concatenate([[a[0] + a[1:] @ self.origin], self.directions @ a[1:]])

    def label(self, ax: Any, *, second: str | None = None) -> None:
        """Name the axes, and say below the first what the plane leaves out."""
        ax.set_xlabel("\n".join(filter(None, [self.names[0], self.note])))
        ax.set_ylabel(self.names[1] if second is None else second)


def plane_of(X: Any, features: Sequence[int | str] | str, names: list[str]) -> Plane:
    """The plane of one or two features, the others at their medians, or of the principal components."""
    if isinstance(features, str) and features == COMPONENTS:
        return _principal(X)
    chosen = chosen_of(features if len(names) > 1 else features[:1], names)
    origin = center_of(X)
    note = _cut(names, origin, chosen) if len(names) > len(chosen) else ""
    origin[chosen] = 0.0
    axes = np.zeros((len(names), len(chosen)))
    axes[chosen, range(len(chosen))] = 1.0
    return Plane(origin, axes.T, axes, tuple(literal(names[j]) for j in chosen), note)


def plain_plane(names: Sequence[str] = ("x₁", "x₂")) -> Plane:
    """The plane of the only two features, without data."""
    return Plane(np.zeros(2), np.eye(2), np.eye(2), tuple(names))


def chosen_of(features: Sequence[int | str], names: list[str]) -> list[int]:
    if isinstance(features, str) or len(features) not in (1, 2):
        raise refused("features", features, f"one or two columns, or {COMPONENTS!r}", "give them by index or by name")
    found = []
    for feature in features:
        if isinstance(feature, str) and feature in names:
            found.append(names.index(feature))
        elif isinstance(feature, int | np.integer) and -len(names) <= feature < len(names):
            found.append(int(feature) % len(names))
        else:
            few = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
            raise refused("features", features, f"among the {len(names)} columns", f"{feature!r} is none of {few}")
    if len(set(found)) < len(found):
        raise refused("features", features, "two different columns", "name each once")
    return found


def center_of(X: Any) -> Array:
    """The median of each feature; of a sparse column that is zero where most of it is."""
    if not hasattr(X, "indptr"):
        return np.asarray(np.median(X, axis=0), np.float64)
    center = np.zeros(X.shape[1])
    for j in np.flatnonzero(2 * np.bincount(X.indices, minlength=center.size) >= X.shape[0]):
        center[j] = np.median(X[:, [j]].toarray())
    return center


def _cut(names: list[str], center: Array, chosen: list[int]) -> str:
    others = [j for j in range(len(names)) if j not in chosen]
    told = " and ".join(f"{literal(names[j])} = {center[j]:.4g}" for j in others[:FEW])
    if len(others) > FEW or len(told) > LINE:
        return f"cut where the other {len(others):,} features have their medians"
    return f"cut where {told} (median{'s' if len(others) > 1 else ''})"


def _principal(X: Any) -> Plane:
    n, d = X.shape
    if not 2 <= d <= MOST_FEATURES or n < 3:
        raise refused(
            "features", COMPONENTS, f"two columns of a table of {d:,} features and {n:,} rows",
            f"components need 2 to {MOST_FEATURES:,} features and 3 rows",
        )  # fmt: skip
    mean = np.asarray(X.mean(axis=0), np.float64).ravel()
    squares = X.T @ X
    covariance = np.asarray(squares.toarray() if hasattr(squares, "toarray") else squares, np.float64) / n
    covariance -= np.outer(mean, mean)
    spread = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    spread[spread <= 1e-12 * np.maximum(1.0, np.abs(mean))] = 1.0  # a constant column: rounding is no spread
    values, vectors = np.linalg.eigh(covariance / np.outer(spread, spread))
    leading = vectors[:, [-1, -2]]
    leading = leading * np.sign(leading[np.abs(leading).argmax(axis=0), [0, 1]])
    shares = np.maximum(values[[-1, -2]], 0.0) / max(values.sum(), np.finfo(np.float64).tiny)
    names = tuple(f"component {i + 1} ({share:.0%} of the variance)" for i, share in enumerate(shares))
    note = "plane of the two principal components of the standardized features"
    return Plane(mean, (leading * spread[:, None]).T, leading / spread[:, None], names, note)
