"""Whether the points on the plane are separable, proved, as a page draws it.

Tests: ``tests/explorer/test_worker.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..separation.verdict import Separability, separability
from ..separation.words import Hints, headline, lines

Json = dict[str, Any]
NEAR = 1e-6  # relative to the margin: rows this near to it lie on it
SIGNS = 0.02  # seconds that the signs of coefficients may take: a verdict follows the pointer
HINTS = Hints(
    machine="Any error-correcting procedure finds such a machine; for logistic regression a penalty, ridge or Firth.",
    overlap="A procedure for overlapping classes (least squares, the pocket), a kernel or a network.",
    margin="",
    coefficients="",
    further="",
)
NOTHING: Json = {
    "plane": None, "margin": None, "nearest": [], "support": [], "point": None, "pairs": None, "lines": [],
}  # fmt: skip


def check_classes(y: NDArray[Any], names: list[str]) -> None:
    """Refuse points of fewer than two classes, in a sentence."""
    if len(found := np.unique(y)) < 2:
        told = f"all points are of class {names[found[0]]}" if len(found) else "there are no points yet"
        remedy = "points of another class" if len(found) else "points of two classes"
        raise ValueError(f"A procedure needs points of two classes: {told}. Place {remedy}.")


def arrays_of(points: Json, one_feature: bool) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points of a page as X and y; the first feature alone where the page says so."""
    X = np.array(points["x"], np.float64).reshape(-1, 2)
    return np.ascontiguousarray(X[:, :1]) if one_feature else X, np.array(points["y"], np.int64)


def verdict_of(points: Json, one_feature: bool, seconds: float) -> Json:
    """The verdict with its proof, in rows of the points; ``UndecidedError`` if it takes longer than so many seconds."""
    X, y = arrays_of(points, one_feature)
    names, features = points["classes"], points["features"]
    try:
        check_classes(y, names)
    except ValueError as error:
        return NOTHING | {"verdict": "none", "headline": str(error)}
    labels = np.array(names)[y] if len(set(names)) == len(names) else y
    found = separability(X, labels, max_seconds=seconds, feature_names=features[: X.shape[1]], progress=False)
    told = list(lines(found, HINTS, seconds=SIGNS))
    facts = NOTHING | {
        "verdict": found.verdict,
        "headline": headline(found)[0].upper() + headline(found)[1:],
        "lines": [line.strip() for line in told[1:]],
        "support": _support(found, y),
        "point": _point(found, X.shape[1]),
    }
    if len(found.groups) == 2:
        return facts | _plane(found, X, labels, y)
    place = {str(label): k for label, k in zip(labels.tolist(), y.tolist(), strict=True)}
    pairs = [_pair(place[str(a)], place[str(b)], part, X, labels, y) for (a, b), part in found.pairwise.items()]
    mixed = next((pair for pair in pairs if pair["verdict"] == "overlap"), None)
    return facts | {"pairs": pairs} | ({name: mixed[name] for name in ("point", "support")} if mixed else {})


def _pair(a: int, b: int, found: Separability, X: NDArray[Any], labels: NDArray[Any], y: NDArray[Any]) -> Json:
    """The verdict on two of several classes, without the largest margin, which would take too long for many pairs."""
    plane = None if found.verdict == "overlap" else _signed(_weights(found.hyperplane), found, labels, y, max(a, b))
    proof = {"point": _point(found, X.shape[1]), "support": _support(found, y)}
    return {"a": a, "b": b, "verdict": found.verdict, "plane": plane, "margin": None} | proof


def _plane(found: Separability, X: NDArray[Any], labels: NDArray[Any], y: NDArray[Any]) -> Json:
    """The plane of the largest margin and the rows that touch it; of quasi-separation the rows on it."""
    if found.verdict == "overlap":
        return {}
    plane: Any = found.hyperplane
    margin = None
    if found.verdict == "complete":
        margin, plane = float(found.margin), found.margin.hyperplane or plane
    weights = _weights(plane)
    with np.errstate(all="ignore"):  # of the smallest and largest numbers that there are
        distance = np.abs(X @ weights[1:] + weights[0]) / np.hypot.reduce(weights[1:])
    near = np.flatnonzero(distance <= margin * (1 + NEAR)) if margin is not None else found.boundary_rows
    return {"plane": _signed(weights, found, labels, y, y.max()), "margin": margin, "nearest": near.tolist()}


def _weights(plane: Any) -> NDArray[Any]:
    return np.array([plane.w0, *np.ravel(plane.w)])


def _signed(
    weights: NDArray[Any], found: Separability, labels: NDArray[Any], y: NDArray[Any], second: int
) -> list[float]:
    """A plane that is positive for the second class, with a zero for the feature that does not count."""
    positive = y[np.flatnonzero(labels == found.groups[1][0])[0]]
    return [*(weights if positive == second else -weights).tolist(), 0.0][:3]


def _support(found: Separability, y: NDArray[Any]) -> list[Json]:
    rows = found.certificate.support if found.verdict != "complete" else ()
    return [
        {"row": each.row, "class": int(y[each.row]), "weight": str(each.weight), "value": float(each.weight)}
        for each in rows
    ]


def _point(found: Separability, width: int) -> list[float] | None:
    point = found.certificate.point
    return None if point is None else [*map(float, point), 0.0][:2]
