"""Support vector machines of two classes with the linear kernel: exact hard margins, soft ones as the size demands.

What is solved, and its dual, stands above the estimator in ``svm.py``, how it is solved in ``_margin``, ``_smo`` and
``_hinge``. Patterns far from the size of one are divided by their size first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._engine.driver import Interrupted, Watch
from .._engine.problem import Problem
from .._kernel_matrix.rows import KernelRows
from ..exceptions import NotSeparableError
from ..separation.certificate import Certificate
from ..separation.margin import maximal_margin
from ..separation.rows import System
from ..separation.search import settle
from ..separation.verdict import separability
from ..solution import Status
from .blocks import smo
from .dual import LOOSE, Dual
from .primal import Primal, minimize
from .problems import Machine, Settings, Sides

Vector = NDArray[np.float64]

SMALL = 1000  # rows up to which a problem is finished to NEARLY whatever tol
NEARLY = 1e-10
ROUNDING = 1e-8  # relative duality gap that rounding may leave
ROUNDS = 10  # of the dual: one or two do, unless the price is so high that the primal keeps more digits
FAR = 1000  # size of patterns, or one over it, from which they are divided by it
DENSE = 10**7  # numbers up to which a small CSR matrix is made dense


def plane(
    settings: Settings, whole: tuple[Problem, NDArray[Any]], sides: Sides, past: Machine | None, watch: Watch
) -> Machine:
    """Solve for the two classes of a part of the problem and its classes, from what was found for another C."""
    problem, classes = whole
    rows, z, C = sides
    X = problem.source if rows.size == problem.n_rows else problem.source[rows]
    if np.isinf(settings.C):
        return hard(X, z, problem.labels[rows], classes, settings.free, watch)
    if settings.free and (s := size(X)) != 1:
        found = soft(settings, X / X.dtype.type(s), z, C * s**2, watch, None if past is None else enlarged(past, s))
        return enlarged(found, 1 / s)
    return soft(settings, X, z, C, watch, past)


def size(X: Any) -> float:
    """Give a power of two near the size of patterns that are far from the size of one, else one.

    Patterns x/s with prices C s² have the weights s w: the same problem, in which sums of products keep their digits.
    """
    if sparse.issparse(X):
        largest = float(np.abs(X.data).max(initial=0))
    else:
        some = X[:: max(1, X.shape[0] // SMALL)].astype(np.float64)
        largest = float(np.abs(some - some.mean(axis=0)).max(initial=0))
    return 1.0 if largest == 0 or 1 / FAR < largest < FAR else 2.0 ** round(np.log2(largest))


def enlarged(found: Machine, s: float) -> Machine:
    """Give the machine for patterns divided by s and prices times s²."""
    a, square, criterion = np.r_[found.a[0], s * found.a[1:]], s**2 * found.square, s**2 * found.criterion
    return found._replace(alpha=s**2 * found.alpha, a=a, square=square, criterion=criterion)


def soft(settings: Settings, X: Any, z: Vector, C: Vector, watch: Watch, past: Machine | None) -> Machine:
    """Choose between the dual and the primal; the latter also where the former has lost too many digits."""
    if len(z) > SMALL or settings.squared or not settings.free:
        return primal(settings, X, z, C, watch, None if past is None else past.a)
    found = small(X, z, C, watch, None if past is None else past.alpha)
    if found.gap > ROUNDING and found.status is not Status.STOPPED:
        other = primal(settings, X, z, C, watch, found.a)
        found = other if other.gap < found.gap else found
    return found


def hard(X: Any, z: Vector, labels: NDArray[np.int32], classes: NDArray[Any], free: bool, watch: Watch) -> Machine:
    """Give the hard margin in whole numbers, or the proof that there is none."""
    own = (z > 0).astype(np.int32)
    given = X
    if not free:
        X = (sparse.hstack if sparse.issparse(X) else np.hstack)([np.ones((X.shape[0], 1), X.dtype), X])
        X = X.tocsr() if sparse.issparse(X) else X
    system = System(X, own, 2, free, "decimal")
    known = np.zeros(given.shape[1] + 1)
    try:
        with watch.at_once():  # exact numbers are long at work without a look at the watch
            outcome = settle(system, tick=lambda text: watch.check())
            if outcome.verdict != "complete" or outcome.direction is None:
                y = classes[labels] if np.unique(labels).size == 2 else own  # the labels that the caller knows
                raise inseparable(outcome.verdict, separability(given, y).certificate)
            known = system.augmented(outcome.direction)[0][not free :]
            found, margin, weights = maximal_margin(system, outcome.direction, outcome.working, watch.check)
    except Interrupted:
        return cut_short(given, z, known)
    a = system.augmented(found)[0]
    a = a if free else a[1:]
    half = np.float64(margin.upper)  # half the distance of the nearest points, or the distance from zero
    alpha = np.zeros(X.shape[0])
    with np.errstate(all="ignore"):
        for (i, _), weight in weights.items():
            alpha[i] = float(weight) / (2 * half**2 if free else half**2)
        rounded = a.astype(given.dtype)  # as predictions take it
        apart = np.all(z * (given @ rounded[1:] + rounded[0]) > 0) and np.isfinite(alpha.sum() + a @ a)
    if not apart:
        raise NotSeparableError(
            f"C=inf asks for a plane without errors, and there is one, but its margin of {margin.upper:.1g} is lost in "
            "the rounding of floats. Take a finite C, or leave out columns that depend on others.",
            separability(given, own).certificate,
        )
    square = float(a[1:] @ a[1:])
    gap = 1 - (margin.lower / margin.upper) ** 2
    return Machine(alpha, a, square, square / 2, gap, gap, 0, Status.SEPARATED, [])


def inseparable(verdict: str, certificate: Certificate) -> NotSeparableError:
    """Give the error where no plane separates the classes, with the proof."""
    return NotSeparableError(
        f"C=inf asks for a plane without errors, and there is none: {verdict}, proved by "
        f"{len(certificate.support)} rows (certificate). Take a finite C.",
        certificate,
    )


def cut_short(X: Any, z: Vector, a: Vector) -> Machine:
    """Give the plane that was known when Ctrl-C came: one that separates, as long as its margin asks, or none."""
    least = float((z * (X @ a[1:] + a[0])).min())
    a = a / least if least > 0 else np.zeros(a.size)
    square = float(a[1:] @ a[1:])
    return Machine(np.zeros(len(z)), a, square, square / 2, 1.0, 1.0, 0, Status.STOPPED, [])


def small(X: Any, z: Vector, C: Vector, watch: Watch, start: Vector | None) -> Machine:
    """Solve a small problem by its dual, to the last digits."""
    X, center = centered(X)
    K = X @ X.T
    K = K.toarray() if sparse.issparse(K) else K
    rows, diagonal = KernelRows.of_matrix(K), np.diag(K).copy()
    dual = smo(rows, diagonal, z, C, tol=NEARLY, start=start, watch=watch, most=ROUNDS)
    v = np.r_[dual.bias, X.T @ (dual.alpha * z)]
    value, least = worth(X, z, C, v)
    if relative_gap(value, dual.objective) > ROUNDING and least > 0:
        longer = v * ((1 + 1e-14) / least)  # a high price makes much of margins that rounding left below 1
        if (other := worth(X, z, C, longer)[0]) < value:
            v, value = longer, other
    gap, w = relative_gap(value, dual.objective), v[1:]
    a = np.r_[v[0] - w @ center, w]
    return Machine(dual.alpha, a, float(w @ w), value, gap, dual.violation, dual.iterations, ended(dual), [])


def worth(X: Any, z: Vector, C: Vector, a: Vector) -> tuple[float, float]:
    """Give the criterion of a plane (w₀, w), and its smallest margin."""
    margins = z * (X @ a[1:] + a[0])
    return float(C @ np.maximum(0, 1 - margins) + 0.5 * a[1:] @ a[1:]), float(margins.min())


def primal(settings: Settings, X: Any, z: Vector, C: Vector, watch: Watch, start: Vector | None) -> Machine:
    """Solve a large problem by Newton's method on the criterion."""
    tol = NEARLY if len(z) <= SMALL else settings.tol
    center = np.zeros(X.shape[1])
    if settings.free and len(z) <= SMALL:
        X, center = centered(X)
    start = None if start is None else np.r_[start[0] + start[1:] @ center, start[1:]]
    found = minimize(X, z, C, squared=settings.squared, free=settings.free, tol=tol, start=start, watch=watch)
    if not (settings.free or settings.squared or found.interrupted) and len(z) <= SMALL:
        found = polished(X, z, C, found)
    found = found._replace(a=np.r_[found.a[0] - found.a[1:] @ center, found.a[1:]])
    reached = found.gap <= max(settings.tol, tol)
    status = Status.STOPPED if found.interrupted else Status.CONVERGED if reached else Status.BUDGET
    square, gap = float(found.a[1:] @ found.a[1:]), relative_gap(found.criterion, found.dual)
    return Machine(found.alpha, found.a, square, found.criterion, gap, gap, found.steps, status, [])


def polished(X: Any, z: Vector, C: Vector, found: Primal) -> Primal:
    """Finish the hinge with w₀ in the norm: rows between the bounds lie on the margin, Y a = 1, where a = Y'alpha.

    The last width of the rounded hinge tells which rows these are; the others stay at their bounds.
    """
    X = (X.toarray() if sparse.issparse(X) else X).astype(np.float64, copy=False)
    Y = z[:, None] * np.column_stack([np.ones(len(z)), X])
    inside = (found.alpha > 0) & (found.alpha < C)
    alpha = np.where(inside, found.alpha, np.where(found.alpha > 0, C, 0.0))
    some = Y[inside]
    missing = np.linalg.lstsq(some @ some.T, 1 - some @ (alpha @ Y), rcond=1e-13)[0]
    alpha[inside] = np.clip(alpha[inside] + missing, 0, C[inside])
    a = alpha @ Y
    length = 0.5 * float(a @ a)
    criterion, dual = length + float(C @ np.maximum(0, 1 - Y @ a)), float(alpha.sum()) - length
    better = found._replace(a=a, alpha=alpha, criterion=criterion, dual=dual)
    return better if abs(better.gap) < abs(found.gap) else found


def relative_gap(value: float, dual: float) -> float:
    """Give how far the criterion is from the dual value; one that lies above it shows how much is rounding."""
    return abs(value - dual) / max(abs(value), 1e-300)


def ended(dual: Dual) -> Status:
    """Say why the search for the multipliers stopped; a gap at the rounding error is as good as a small violation."""
    if dual.interrupted:
        return Status.STOPPED
    reached = dual.converged and dual.gap <= LOOSE
    return Status.CONVERGED if reached or abs(dual.gap) <= ROUNDING else Status.BUDGET


def centered(X: Any) -> tuple[Any, Vector]:
    """Give X in float64 less its mean, and the mean: far from the origin the products would swallow the distances.

    A CSR matrix too wide for a dense one is left as it is.
    """
    X = X.astype(np.float64)
    if sparse.issparse(X):
        if X.shape[0] * X.shape[1] > DENSE:
            return X, np.zeros(X.shape[1])
        X = X.toarray()
    center = X.mean(axis=0)
    return X - center, center
