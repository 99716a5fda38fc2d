"""Support vector machines of two classes with the linear kernel: exact hard margins, soft ones as the size demands.

The problems and their duals stand above ``SupportVectorMachine``.  Hard margins are those of ``separation.margin``,
small soft ones are solved by the dual (``blocks``), which an interior method begins where columns are few, and the
others by the primal (``primal``).  Patterns far from the size of one are divided by their size first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._engine.driver import Interrupted, Watch
from .._engine.problem import DENSE, Problem
from .._engine.threads import one_blas_thread
from .._kernel_matrix.rows import SMALL, KernelRows, StoredRows
from .._kernel_matrix.source import Vector
from ..exceptions import NotSeparableError
from ..separation.margin import maximal_margin
from ..separation.search import settle
from ..separation.system import System
from ..separation.verdict import separability
from ..solution import Status
from .blocks import smo
from .interior import ColumnProducts, interior
from .primal import Primal, largest_entry, minimize, shifted
from .problems import NEARLY, ROUNDING, Machine, Settings, TwoClasses, relative_gap

ROUNDS = 10  # of the dual: one or two do, unless slack costs so much that the primal keeps more digits
NARROW = 2  # rows for each column from which an interior method on the columns is quicker than pairs of rows
FAR = 1000  # size of patterns, or one over it, from which they are divided by it


def plane(
    settings: Settings, whole: tuple[Problem, NDArray[Any]], two: TwoClasses, past: Machine | None, watch: Watch
) -> Machine:
    """Solve for two classes of a problem with its classes, from what was found for another C."""
    problem, classes = whole
    rows, z, C = two
    X = problem.source if rows.size == problem.n_rows else problem.source[rows]
    if settings.hard:
        return _hard(X, z, classes[problem.labels[rows]], settings.free, watch)
    if settings.free and (s := _size(X)) != 1:
        found = _soft(settings, X / X.dtype.type(s), z, C * s**2, watch, None if past is None else _scaled(past, s))
        return _scaled(found, 1 / s)
    return _soft(settings, X, z, C, watch, past)


def _size(X: Any) -> float:
    """A power of two near the size of patterns that are far from the size of one, else one.

    Patterns x/s with costs C s² have the weights s w: the same problem, in which sums of products keep their digits.
    """
    some = X if sparse.issparse(X) else X[:: max(1, X.shape[0] // SMALL)].astype(np.float64)
    largest = largest_entry(some)
    return 1.0 if largest == 0 or 1 / FAR < largest < FAR else 2.0 ** round(np.log2(largest))


def _scaled(found: Machine, s: float) -> Machine:
    """The machine for patterns divided by s and costs times s²."""
    a, square, criterion = np.r_[found.a[0], s * found.a[1:]], s**2 * found.square, s**2 * found.criterion
    return found._replace(alpha=s**2 * found.alpha, a=a, square=square, criterion=criterion)


def _soft(settings: Settings, X: Any, z: Vector, C: Vector, watch: Watch, past: Machine | None) -> Machine:
    """Choose between the dual and the primal; the latter also where the former has lost too many digits."""
    if len(z) > SMALL or settings.squared or not settings.free:
        return _by_primal(settings, X, z, C, watch, None if past is None else past.a)
    found = _by_dual(X, z, C, watch, None if past is None else past.alpha)
    if found.gap > ROUNDING and found.status is not Status.STOPPED:
        other = _by_primal(settings, X, z, C, watch, found.a)
        found = other._replace(gaps=[*found.gaps, *other.gaps]) if other.gap < found.gap else found
    return found


def _hard(X: Any, z: Vector, y: NDArray[Any], free: bool, watch: Watch) -> Machine:
    """The hard margin in whole numbers; refused with the proof where there is none."""
    own = (z > 0).astype(np.int32)
    given = X
    if not free:
        X = (sparse.hstack if sparse.issparse(X) else np.hstack)([np.ones((X.shape[0], 1), X.dtype), X])
        X = X.tocsr() if sparse.issparse(X) else X
    system = System(X, own, 2, free, "decimal")
    known = np.zeros(given.shape[1] + 1)
    try:
        with watch.at_once():  # exact numbers are long at work without a look at the watch
            outcome = settle(system, tick=lambda text, share: watch.check())
            if outcome.verdict != "complete" or outcome.direction is None:
                labels = y if np.unique(y).size == 2 else own  # those that the caller knows, of two classes
                proof = separability(given, labels).certificate
                raise NotSeparableError(
                    f"C=inf asks for a plane without errors, and there is none: {outcome.verdict}, proved by "
                    f"{len(proof.support)} rows (certificate); take a finite C.",
                    proof,
                )
            known = system.augmented(outcome.direction)[0][not free :]
            found, margin, weights = maximal_margin(
                system, outcome.direction, outcome.working, lambda *_: watch.check()
            )
    except Interrupted:  # the plane that was known, as long as its margin asks, or none
        least = float((z * (given @ known[1:] + known[0])).min())
        a = known / least if least > 0 else np.zeros(known.size)
        square = float(a[1:] @ a[1:])
        return Machine(np.zeros(len(z)), a, square, square / 2, 1.0, 1.0, 0, Status.STOPPED)
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
            "the rounding of floats; take a finite C, or leave out columns that depend on others.",
            separability(given, own).certificate,
        )
    square = float(a[1:] @ a[1:])
    gap = 1 - (margin.lower / margin.upper) ** 2
    return Machine(alpha, a, square, square / 2, gap, gap, 0, Status.SEPARATED)


def _by_dual(X: Any, z: Vector, C: Vector, watch: Watch, start: Vector | None) -> Machine:
    X, center = centered(X)
    with one_blas_thread():  # the same sums whatever the number of threads
        K = X @ X.T
        K = K.toarray() if sparse.issparse(K) else K
        near = not sparse.issparse(X) and NARROW * X.shape[1] <= len(z) and C.min() > 0
        start = _near(X, z, C, watch) if near else start
        source, diagonal = StoredRows(KernelRows.of_matrix(K)), np.diag(K).copy()
        dual = smo(source, diagonal, z, C, tol=NEARLY, start=start, near=near, watch=watch, most=ROUNDS)
    a = np.r_[dual.bias, X.T @ (dual.alpha * z)]
    value, least = _worth(X, z, C, a)
    if relative_gap(value, dual.objective) > ROUNDING and least > 0:
        longer = a * ((1 + 1e-14) / least)  # a high cost makes much of margins that rounding left below 1
        if (other := _worth(X, z, C, longer)[0]) < value:
            a, value = longer, other
    quality = value, relative_gap(value, dual.objective), dual.violation, dual.iterations
    return Machine(dual.alpha, shifted(a, -center), float(a[1:] @ a[1:]), *quality, dual.status, (), dual.gaps)


def _near(X: Vector, z: Vector, C: Vector, watch: Watch) -> Vector | None:
    """The α from which a few of Newton's steps lead to the last digits; None when Ctrl-C comes."""
    try:
        return interior(ColumnProducts(X, z), z, C, np.ones(len(z)), 0.0, watch)
    except Interrupted:
        return None


def _worth(X: Any, z: Vector, C: Vector, a: Vector) -> tuple[float, float]:
    margins = z * (X @ a[1:] + a[0])
    return float(C @ np.maximum(0, 1 - margins) + 0.5 * a[1:] @ a[1:]), float(margins.min())


def _by_primal(settings: Settings, X: Any, z: Vector, C: Vector, watch: Watch, start: Vector | None) -> Machine:
    small = len(z) <= SMALL
    tol = NEARLY if small else settings.tol
    X, center = centered(X) if settings.free and small else (X, np.zeros(X.shape[1]))
    start = None if start is None else shifted(start, center)
    found = minimize(X, z, C, squared=settings.squared, free=settings.free, tol=tol, start=start, watch=watch)
    if small and not (settings.free or settings.squared or found.interrupted):
        found = _polished(X, z, C, found)
    a = shifted(found.a, -center)
    reached = found.gap <= max(settings.tol, tol)
    status = Status.STOPPED if found.interrupted else Status.CONVERGED if reached else Status.BUDGET
    gap = relative_gap(found.criterion, found.dual)
    quality = found.criterion, gap, gap, found.steps
    return Machine(found.alpha, a, float(a[1:] @ a[1:]), *quality, status, (), found.gaps)


def _polished(X: Any, z: Vector, C: Vector, found: Primal) -> Primal:
    """Finish the hinge with w₀ in the norm: rows between the bounds lie on the margin, Y a = 1, where a = Yᵗα.

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


def centered(X: Any) -> tuple[Any, Vector]:
    """X in float64 less its mean, and the mean: far from the origin the products would swallow the distances.

    A CSR matrix too wide for a dense one is left as it is.
    """
    X = X.astype(np.float64)
    if sparse.issparse(X):
        if X.shape[0] * X.shape[1] > DENSE:
            return X, np.zeros(X.shape[1])
        X = X.toarray()
    center = X.mean(axis=0)
    return X - center, center
