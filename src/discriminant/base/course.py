"""The way of the weights in order: the paths of all problems as one, thinned for a page, and what each step corrected.

Tests: ``tests/plot/test_recording.py``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import schedules
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

    def is_known(self) -> Array:
        """For each step that is kept, whether one correction led to it from the recorded weights before."""
        return np.asarray((np.diff(self.numbers, prepend=0) == 1)[self.kept])

    def changed(self) -> Array:
        """The steps, of those kept, whose weights before were left out: what their correction changed."""
        return np.flatnonzero(self.is_known() & (np.diff(self.kept, prepend=-1) > 1))


def course_of(model: Any, X: Array) -> Course | None:
    """The course of a fit; None of a direct procedure, and of a network, whose weights are no vectors of the plane."""
    history = model.history_
    if "weights" not in history or hasattr(model, "coefs_"):
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
    return Course(joined, np.array(problem), np.array(numbers), kept_of(len(joined)), _is_single(model), dual)


def _made(rows: int, total: int) -> Array:
    """How many corrections each row of a path stands for: a long one was thinned to every second, fourth, …"""
    stride = 1
    while rows and -(-total // stride) > rows:
        stride *= 2
    return np.minimum(np.arange(1, rows + 1) * stride, total)


def kept_of(n: int) -> Array:
    """Which of n steps a page gets."""
    if n <= MOST_STEPS + 1:
        return np.arange(n)
    rest = np.linspace(WHOLE + 1, n - 1, MOST_STEPS - WHOLE)
    return np.concatenate([np.arange(WHOLE + 1), np.unique(np.round(rest).astype(np.int64))])


def _is_single(model: Any) -> bool:
    """Whether it visits pattern by pattern: such rules have an order of visits."""
    return hasattr(model, "order") and not getattr(model, "batch", False)


class Correction(NamedTuple):
    """What led to a step: a(k+1) = a(k) + c yᵏ, with the book's η(k); None and -1 where many patterns did, or none.

    Where a rule moves two patterns at a time, ``pattern`` is both.
    """

    pattern: int | list[int] = -1
    eta: float | None = None
    factor: float | None = None


def corrected(model: Any, course: Course, X: Array, y: Array) -> list[Correction]:
    """For each step that is kept the pattern that was corrected to get there, η(k), and the signed multiple c of yᵏ.

    A correction adds c times the pattern (1, x), negated if it is of the other class, to a row of weights, so that its
    Δw / Δw₀ is the pattern; with ``bias="radius"``, whose Δw₀ is c R², times R². Balanced Winnow adds it to exponents.
    Rules that move pairs tell them.
    """
    kept, numbers = course.kept, course.numbers
    patterns, factors = np.full(len(kept), -1), np.full(len(kept), np.nan)
    ends = np.cumsum(model.history_["corrections"])
    known = course.is_known() & (len(model.history_["step"]) > 0)
    one = np.flatnonzero(known) if course.single else kept[:0]
    if len(one):
        find = _by_multipliers if course.dual else _by_direction
        found, factors[one] = find(model, course, kept[one], X, y)
        every = model.order == "cyclic" and ends[-1] == len(X) * len(ends)  # every visit corrects: the order tells
        patterns[one] = (numbers[kept[one]] - 1) % len(X) if every else found
        factors[one[found < 0]] = np.nan
    rows: list[Any] = patterns.tolist()
    if "patterns" in model.history_:
        pairs = model.history_["patterns"].tolist()
        rows = [pairs[k - 1] if is_known else -1 for k, is_known in zip(numbers[kept].tolist(), known, strict=True)]
    if hasattr(model, "exponents_"):  # its corrections multiply
        return [Correction(row) for row in rows]
    etas = _rates(model, course, ends)
    return [
        Correction(row, eta if is_known else None, None if math.isnan(c) else c)
        for row, eta, c, is_known in zip(rows, etas, factors.tolist(), known, strict=True)
    ]


def _rates(model: Any, course: Course, ends: Array) -> list[float]:
    """η(k) of the steps that are kept: what a schedule that changes at each correction says, else that of the pass."""
    kept, numbers, problem = course.kept, course.numbers, course.problem
    name = "schedule" if hasattr(model, "schedule") else "eta"
    chosen = getattr(model, name, None)
    if course.single and chosen is not None:
        schedule = schedules.get(chosen)
        if schedule.needs is None and not schedule.stateful:
            before = numbers[np.maximum(np.searchsorted(problem, problem) - 1, 0)]  # corrections of the problems before
            return [schedule(max(k, 1)) for k in (numbers - before)[kept].tolist()]
    steps = np.asarray(model.history_["step"], np.float64)
    passes = np.minimum(np.searchsorted(ends, numbers[kept]), max(len(ends) - 1, 0))
    return steps[passes].tolist() if len(steps) else [math.nan] * len(kept)


def _rows_of(model: Any, course: Course, kept: Array) -> tuple[Array, Array, Array]:
    """How the weights changed on the way to these steps, which row tells the pattern, and whose class it adds."""
    weights = _added_to(model, course)
    with np.errstate(all="ignore"):  # of the largest numbers that there are
        change = weights[kept] - weights[kept - 1]
    row = course.problem[kept]
    if model.multiclass_ not in ("one-vs-rest", "one-vs-one"):  # Kesler's rule: the row that rises is that of its class
        rise = change[:, :, 1:].sum(axis=2) if course.dual else change[:, :, 0]
        row = rise.argmax(axis=1)
    return change, row, _positive(model, change.shape[1])[row]


def _added_to(model: Any, course: Course) -> Array:
    """What corrections add patterns to: the weights, or the exponents s ln α of Balanced Winnow, a = 2 sinh(s ln α)."""
    return np.arcsinh(course.weights / 2) if hasattr(model, "exponents_") else course.weights


def _by_multipliers(model: Any, course: Course, kept: Array, X: Array, y: Array) -> tuple[Array, Array]:
    """The pattern whose α changed most."""
    change, row, positive = _rows_of(model, course, kept)
    found = np.abs(change[..., 1:]).max(axis=1).argmax(axis=1)
    factors = change[np.arange(len(kept)), row, found + 1]
    return found, np.where(y[found] == positive, factors, -factors)


def _by_direction(model: Any, course: Course, kept: Array, X: Array, y: Array) -> tuple[Array, Array]:
    """The pattern along which the weights moved; of equal ones that of the class which the sign of the move tells."""
    from scipy.spatial import cKDTree

    change, row, positive = _rows_of(model, course, kept)
    move, scale = change[np.arange(len(kept)), row], bias_unit(model, X)
    reach = ROUNDING * np.abs(_added_to(model, course)[kept]).max(axis=(1, 2))
    with np.errstate(all="ignore"):
        target = move[:, 1:] / move[:, :1] * scale
        room = NEAR * np.abs(X).max() + reach * scale / np.abs(move[:, 0]) * (1 + np.abs(target).max(axis=1) / scale)
        factors = move[:, 0] / scale
    fine = np.asarray(np.isfinite(target).all(axis=1))
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
    return found, np.where(y[found] == positive, factors, -factors)


def _positive(model: Any, rows: int) -> Array:
    """For each row of weights the class whose patterns it adds; those of the others it subtracts."""
    if rows == 1:
        return np.asarray(model.classes_[1:])
    if model.multiclass_ == "one-vs-one":
        return np.asarray(model.classes_[[second for _, second in pairs(len(model.classes_))]])
    return np.asarray(model.classes_[getattr(model, "subclasses_", slice(None))])


def bias_unit(model: Any, X: Array) -> float:
    """The first component of yᵏ: the increment of w₀ where the factor is one."""
    if getattr(model, "bias", "augmented") != "radius":
        return 1.0
    return float((X * X).sum(axis=1).max() + getattr(model, "slack", 0.0) ** 2)


def curve_of(model: Any, course: Course | None, name: str, numbers: list[int]) -> dict[str, Any]:
    """Criterion and errors of each pass, with the step at its end; ``numbers`` are those of the steps."""
    history = model.history_
    passes = np.arange(len(history["criterion"]))
    if len(passes) > MOST_STEPS:
        passes = np.unique(np.round(np.linspace(0, len(passes) - 1, MOST_STEPS)).astype(np.int64))
    ends = passes + 1 if course is None or not len(passes) else np.cumsum(history["corrections"])[passes]
    at = np.minimum(np.searchsorted(numbers, ends), len(numbers) - 1)
    return {
        "steps": at.tolist(),
        "criterion": np.asarray(history["criterion"], np.float64)[passes].tolist(),
        "errors": np.asarray(history.get("errors", np.zeros(0)), np.int64)[passes].tolist() if len(passes) else [],
        "name": name,
    }
