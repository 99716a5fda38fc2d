"""The way of the weights in order: the paths of all problems as one, thinned for a page, and what each step corrected.

Tests: ``tests/plot/test_recording.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..multiclass import pairs

MOST_STEPS = 2_000  # that a page gets; of more, these, evenly spread
WHOLE = 200  # first steps that stay whole: there the weights turn fastest
NEAR = 1e-7  # of the size of the patterns: how far a correction may miss one by rounding
ROUNDING = 8 * np.finfo(np.float64).eps

Array = NDArray[Any]


@dataclass(frozen=True)
class Course:
    """The weights a(1), a(2), … of a fit, those of several problems one after the other.

    Parameters
    ----------
    weights : array of shape (K + 1, rows, width)
        All discriminants after each recorded correction; the first are those of the start.
    problem : array of int of shape (K + 1,)
        The problem whose correction led to each; of one against the rest, the row that changed.
    numbers : array of int of shape (K + 1,)
        How many corrections were made until then.
    kept : array of int
        The steps that a page gets.
    single : bool
        Whether each correction is made for one pattern.
    dual : bool
        Whether the weights are w₀ and a multiplier of each pattern.
    """

    weights: Array
    problem: Array
    numbers: Array
    kept: Array
    single: bool
    dual: bool

    def planes(self, X: Array) -> Array:
        """The weights (w₀, w) of each step."""
        if not self.dual:
            return self.weights
        return np.concatenate([self.weights[..., :1], self.weights[..., 1:] @ X], axis=2)


def course_of(model: Any, X: Array) -> Course | None:
    """The course of a fit; None of a direct procedure, and of a network, whose weights are no vectors of the plane."""
    history = model.history_
    if "weights" not in history:
        return None
    paths = np.asarray(history["weights"])
    own = np.asarray(history.get("weights_problem", np.zeros(len(paths), np.int64)))
    by_problem = np.asarray(history.get("problem", np.zeros(len(history["corrections"]), np.int64)))
    parts = [paths[own == p].reshape(np.sum(own == p), -1, paths.shape[-1]) for p in range(own.max() + 1)]
    totals = [int(np.sum(history["corrections"][by_problem == p])) for p in range(len(parts))]
    weights, problem, numbers = [np.concatenate([part[:1] for part in parts], axis=1)], [0], [0]
    for p, (part, total) in enumerate(zip(parts, totals, strict=True)):
        block = np.repeat(weights[-1][-1:], len(part) - 1, axis=0)
        block[:, slice(None) if len(parts) == 1 else slice(p, p + 1)] = part[1:]
        weights += [block] if len(block) else []
        problem += [p] * len(block)
        numbers += (sum(totals[:p]) + _made(len(block), total)).tolist()
    joined = np.concatenate(weights)
    dual = hasattr(model, "X_fit_") and joined.shape[2] == len(X) + 1
    return Course(joined, np.array(problem), np.array(numbers), _kept(len(joined)), _is_single(model), dual)


def _made(rows: int, total: int) -> Array:
    """How many corrections each row of a path stands for: a long one was thinned to every second, fourth, …"""
    stride = 1
    while rows and -(-total // stride) > rows:
        stride *= 2
    return np.minimum(np.arange(1, rows + 1) * stride, total)


def _kept(n: int) -> Array:
    if n <= MOST_STEPS + 1:
        return np.arange(n)
    rest = np.linspace(WHOLE + 1, n - 1, MOST_STEPS - WHOLE)
    return np.concatenate([np.arange(WHOLE + 1), np.unique(np.round(rest).astype(np.int64))])


def _is_single(model: Any) -> bool:
    """Whether it visits pattern by pattern: such rules have an order of visits."""
    return hasattr(model, "order") and not getattr(model, "batch", False)


def corrected(model: Any, course: Course, X: Array, y: Array) -> tuple[Array, list[float | None]]:
    """For each step that is kept the pattern that was corrected to get there, -1 where none or many, and its factor η.

    A correction adds η times the pattern (1, x) to a row of weights, so that its Δw / Δw₀ is the pattern; with
    ``bias="radius"``, whose Δw₀ is η R², times R².
    """
    kept, numbers = course.kept, course.numbers
    patterns = np.full(len(kept), -1)
    ends = np.cumsum(model.history_["corrections"])
    passes = np.minimum(np.searchsorted(ends, numbers[kept]), max(len(ends) - 1, 0))
    steps = np.asarray(model.history_["step"], np.float64)
    etas: list[float | None] = [None, *(steps[passes[1:]].tolist() if len(steps) else [None] * (len(kept) - 1))]
    one = np.flatnonzero((kept > 0) & (np.diff(numbers, prepend=0)[kept] == 1)) if course.single else kept[:0]
    if not len(one):
        return patterns, etas
    now, before = course.weights[kept[one]], course.weights[kept[one] - 1]
    found, factors = _by_multipliers(now, before) if course.dual else _by_direction(model, course, one, X, y)
    for k, row, eta in zip(one.tolist(), found.tolist(), factors.tolist(), strict=True):
        etas[k] = eta if row >= 0 else etas[k]
    every = model.order == "cyclic" and ends[-1] == len(X) * len(ends)  # every visit corrects: the order tells
    patterns[one] = (numbers[kept[one]] - 1) % len(X) if every else found
    return patterns, etas


def _by_multipliers(now: Array, before: Array) -> tuple[Array, Array]:
    """The pattern whose α changed most."""
    change = np.abs(now - before)[..., 1:].max(axis=1)
    return change.argmax(axis=1), change.max(axis=1)


def _by_direction(model: Any, course: Course, one: Array, X: Array, y: Array) -> tuple[Array, Array]:
    """The pattern along which the weights moved, looked for in the class that the sign of the move tells."""
    from scipy.spatial import cKDTree

    kept = course.kept[one]
    now, before = course.weights[kept], course.weights[kept - 1]
    change, steps = now - before, np.arange(len(kept))
    row = course.problem[kept]
    if model.multiclass_ not in ("one-vs-rest", "one-vs-one"):  # Kesler's rule: the row that rises is that of its class
        row = change[:, :, 0].argmax(axis=1)
    move, scale = change[steps, row], _bias(model, X)
    positive = _positive(model, change.shape[1])[row]
    reach = ROUNDING * np.abs(now).max(axis=(1, 2))
    with np.errstate(all="ignore"):
        target = move[:, 1:] / move[:, :1] * scale
        room = NEAR * np.abs(X).max() + reach * scale / np.abs(move[:, 0]) * (1 + np.abs(target).max(axis=1) / scale)
        factors = np.abs(move[:, 0]) / scale
    fine = np.isfinite(target).all(axis=1)
    found, nearest = np.full(len(kept), -1), np.full(len(kept), np.inf)
    rises = move[:, 0] > 0
    for label in model.classes_:
        rows = np.flatnonzero(y == label)
        distance, at = cKDTree(X[rows]).query(np.where(fine[:, None], target, 0.0))
        own = (positive == label) == rises  # patterns of the other class are negated
        distance = np.where(own, distance, distance * (1 + 1e-9) + np.finfo(np.float64).tiny)  # of equal ones, its own
        better = fine & (distance < nearest)
        found[better], nearest[better] = rows[at[better]], distance[better]
    found[~(nearest <= room)] = -1
    return found, factors


def _positive(model: Any, rows: int) -> Array:
    """For each row of weights the class whose patterns it adds; those of the others it subtracts."""
    if rows == 1:
        return np.asarray(model.classes_[1:])
    if model.multiclass_ == "one-vs-one":
        return np.asarray(model.classes_[[second for _, second in pairs(len(model.classes_))]])
    return np.asarray(model.classes_[getattr(model, "subclasses_", slice(None))])


def _bias(model: Any, X: Array) -> float:
    """The increment of w₀ where η is one."""
    if getattr(model, "bias", "augmented") != "radius":
        return 1.0
    return float((X * X).sum(axis=1).max() + getattr(model, "slack", 0.0) ** 2)


def curve_of(model: Any, course: Course | None, name: str, last: int) -> dict[str, Any]:
    """Criterion and errors of each pass, with the step at its end."""
    history = model.history_
    passes = np.arange(len(history["criterion"]))
    if len(passes) > MOST_STEPS:
        passes = np.unique(np.round(np.linspace(0, len(passes) - 1, MOST_STEPS)).astype(np.int64))
    if course is None:
        at = np.minimum(passes + 1, last)
    else:
        ends = np.cumsum(history["corrections"])[passes] if len(passes) else passes
        at = np.minimum(np.searchsorted(course.numbers[course.kept], ends), len(course.kept) - 1)
    return {
        "steps": at.tolist(),
        "criterion": np.asarray(history["criterion"], np.float64)[passes].tolist(),
        "errors": np.asarray(history.get("errors", np.zeros(0)), np.int64)[passes].tolist() if len(passes) else [],
        "name": name,
    }
