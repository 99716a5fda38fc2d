"""MinOver and the Adatron: learn the worst pattern of each class until the margin is the largest there is.

Problem: the plane w'x + w0 = 0 with the largest margin, that is the largest min z (w'x + w0) / |w|, where z = +1 or -1
for the class and w0 takes no part in the norm.  Its normal joins the nearest points of the convex hulls of the classes,
and the margin is half their distance.  With w = sum of alpha_i z_i x_i, alpha >= 0 and sum of alpha_i z_i = 0, let x+
and x- be the patterns with the smallest z w'x of either class, and w0 midway between them.  An update adds
delta (x_i - x_j) to w:

    MinOver, fixed    alpha+ and alpha- rise by 1:    w += x+ - x-
    MinOver, line     the worst pattern of one class takes over what the best remembered one, r, has to give:
                      w += delta (x+ - xr)  or  delta (xr - x-),   delta = min(alpha_r, w'(xr - x) / |xr - x|^2)
    Adatron           alpha+ and alpha- change by  delta = eta (2 - w'(x+ - x-)) / |x+ - x-|^2,  0 < eta < 2;  the same
                      for the two best remembered patterns when these exceed z g(x) = 1 by more; no alpha falls below 0

Theorem: the weighted means of the classes, with weights alpha / sum of alpha, lie in the hulls, so that

    margin of the plane  <=  largest margin  <=  half the distance of the weighted means = |w| / (2 sum of alpha+),

and on separable classes both sides meet.  The fixed rule is the step 1/t of Frank and Wolfe toward the nearest points:
the bounds close like 1/t (Krauth and Mezard prove the limit).  The line rule shortens |w| in a fixed polytope, most in
the class with the larger violation: it is the method of Mitchell, Demyanov and Malozemov, which converges linearly.
The Adatron ascends on sum of alpha - |w|^2 / 2 by at least (2/eta - 1) |delta (x_i - x_j)|^2 / 2 a step; the sum is
bounded on separable classes, so that the steps go to zero; and where neither the two worst nor the two best remembered
patterns call for one, every alpha meets the conditions of Kuhn and Tucker.  Pairs keep sum of alpha z = 0, by which w0
is free.  On other classes the lower bound is never positive.

Symbols: those of ``_hulls``: p and q are the worst patterns of the positive and the negative class, r and s the best
remembered ones, f the products w'x, v is w or what stands for it when there is a kernel.

Sources: Krauth, Mezard, *Learning algorithms with optimal stability in neural networks*, J. Phys. A 20, 1987; Anlauf,
Biehl, *The AdaTron: an adaptive perceptron algorithm*, Europhys. Lett. 10, 1989; Friess, Cristianini, Campbell, *The
kernel-adatron algorithm*, ICML 1998; Mitchell, Demyanov, Malozemov, *Finding the point of a polyhedron closest to the
origin*, SIAM J. Control 12, 1974; Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, §2.1.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import mercer
from .._engine.callbacks import Listener
from .._engine.driver import CHUNK, Rule, Watch
from .._engine.path import Path, record
from .._engine.problem import Problem
from .._engine.rows import Rows, compiled, finite, serve
from .._guards.held import WEIGHTS, optional
from .._guards.parameters import choice, number
from .._kernel_matrix.makers import LEAST, RowMaker, checked_diagonal
from .._kernel_matrix.rows import KernelRows
from ..base.classifier import IterativeClassifier
from ..multiclass import n_problems
from ..solution import Epoch, Findings, Solution, Status, numbered
from .hulls import Array, Best, Found, Places, bounds_of, difference, keep, look, look_once, write

BATCH = 4096  # updates of one compiled call, at the most
BLOCK = 64 * 2**20  # bytes of kernel values that a prediction computes at a time

ERRORS = "The plane leaves errors: there is no margin to be a part of, and gap_ is infinite."

# why a compiled call came back
MORE, MET, TOUCHING, STUCK, MISSING, INFINITE = range(6)


class Learn(NamedTuple):
    """MinOver as it was printed: the two worst patterns are learned, nothing is forgotten."""

    step: float


class Exchange(NamedTuple):
    """MinOver with a line search: what one pattern of a class gains, another one loses; ``share`` of the best step."""

    share: float


class Adapt(NamedTuple):
    """The Adatron with its rate eta."""

    eta: float


class Move(NamedTuple):
    """An update w += delta (x_i - x_j), where delta lies between ``least`` and ``most``, so that alpha >= 0."""

    i: int
    j: int
    least: float
    most: float


def _learn_pair(rule: Any, found: Any, f: Any, alpha: Any) -> Any:
    return Move(found.p, found.q, rule.step, rule.step)


def _exchange_pair(rule: Any, found: Any, f: Any, alpha: Any) -> Any:
    if found.r < 0:  # nothing is remembered yet: begin with a pattern of each class
        return Move(found.p, found.q, 1.0, 1.0)
    if f[found.r] - f[found.p] >= f[found.q] - f[found.s]:
        return Move(found.p, found.r, 0.0, alpha[found.r])
    return Move(found.s, found.q, 0.0, alpha[found.s])


def _adapt_pair(rule: Any, found: Any, f: Any, alpha: Any) -> Any:
    if found.r < 0 or 2 - (f[found.p] - f[found.q]) >= f[found.r] - f[found.s] - 2:
        return Move(found.p, found.q, 0.0, np.inf)
    return Move(found.r, found.s, -min(alpha[found.r], alpha[found.s]), 0.0)


def _learn_delta(rule: Any, slope: Any, square: Any) -> Any:
    return rule.step


def _exchange_delta(rule: Any, slope: Any, square: Any) -> Any:
    return -rule.share * slope / square


def _adapt_delta(rule: Any, slope: Any, square: Any) -> Any:
    return rule.eta * (2 - slope) / square


PAIRS = {Learn: _learn_pair, Exchange: _exchange_pair, Adapt: _adapt_pair}
DELTAS = {Learn: _learn_delta, Exchange: _exchange_delta, Adapt: _adapt_delta}


def pair(rule: Any, found: Found, f: Array, alpha: Array) -> Move:
    """Which two patterns the rule looks at next."""
    return PAIRS[type(rule)](rule, found, f, alpha)  # type: ignore[no-any-return]


def delta(rule: Any, slope: Any, square: Any) -> Any:
    """How far the rule would go along x_i - x_j, where slope = w'(x_i - x_j) and square = |x_i - x_j|^2."""
    return DELTAS[type(rule)](rule, slope, square)


serve(pair, lambda rule, *rest: PAIRS[rule.instance_class])
serve(delta, lambda rule, *rest: DELTAS[rule.instance_class])


@compiled
def _updates(
    rule: Any,
    X: Rows,
    place: Places,
    labels: NDArray[np.int32],
    alpha: Array,
    v: Array,
    f: Array,
    u: Array,
    tol: float,
    least: float,
    span: Array,
    best: Best,
    log: Array,
    path: NDArray[Any] | None,
    cursor: NDArray[np.int64],
    row: NDArray[Any],
) -> Any:
    """Make as many updates as the log has rows, each followed by a look; the log takes errors, margin and step.

    ``span`` is the largest |x_i - x_j|^2 so far.  Returns the updates made, why it came back, and the two patterns
    that it was about to change.
    """
    found = look(X, place, labels, alpha, v, f)
    for k in range(log.shape[0]):
        if found.errors < 0:
            return k, INFINITE, 0, 0
        move = pair(rule, found, f, alpha)
        i, j = move.i, move.j
        if place is not None and (place[i] < 0 or place[j] < 0):
            return k, MISSING, i, j
        square = difference(X, place, i, j, u)
        if not finite(square):
            return k, INFINITE, i, j
        span[0] = max(span[0], square)
        step = delta(rule, f[i] - f[j], square) if square > 0 else 0.0
        step = min(move.most, max(move.least, step))
        if step == 0:
            return k, STUCK, i, j
        alpha[i] += step if labels[i] == 1 else -step
        alpha[j] -= step if labels[j] == 1 else -step
        for t in range(v.size):
            v[t] += step * u[t]
        found = look(X, place, labels, alpha, v, f)
        margin, upper = bounds_of(found, f)
        log[k, 0], log[k, 1], log[k, 2] = found.errors, margin, step
        keep(found, margin, alpha, v, best)
        if path is not None:
            write(found, place, labels, alpha, v, f, row)
            record(path, cursor, row)
        if margin > 0 and upper - margin <= tol * margin:
            return k + 1, MET, i, j
        if f[found.p] <= f[found.q] and 2 * upper <= least * math.sqrt(span[0]):
            return k + 1, TOUCHING, i, j
    return log.shape[0], MORE, 0, 0


@dataclass(frozen=True, kw_only=True)
class MarginFindings(Findings):
    """Multipliers, the margin that was reached, what no plane can exceed, and the evidence of overlap."""

    alpha: NDArray[Any]
    margin: float
    upper: float
    evidence: NDArray[Any] | None


class MarginRule:
    """MinOver or the Adatron at work: compiled calls make many updates, ``epoch`` hands them out one by one."""

    def __init__(self, rule: Any, problem: Problem, model: MarginClassifier) -> None:
        self.rule, self.problem, self.tol, self.max_iter = rule, problem, float(model.tol), int(model.max_iter)
        self.store = model._store
        n, d = problem.n_rows, problem.n_features
        self.alpha, self.f = np.zeros(n), np.zeros(n)
        self.v = np.zeros(d + 1 if self.store is None else n)
        self.row = np.zeros(1 + (d if self.store is None else n), problem.dtype)
        self.trail = Path(self.row, model.record == "weights", n_problems(model.classes_.size, model.multiclass_))
        # what separates the hulls from touching ones: the rounding of w, and with a kernel that of its square
        self.least = 1e-9 if self.store is None else 4 * math.sqrt(np.finfo(problem.dtype).eps)
        self.scratch, self.span = np.zeros(self.v.size), np.zeros(1)
        self.best = Best(np.array([np.inf, -np.inf]), np.zeros(n), np.zeros(self.v.size))
        self.evidence: Array | None = None
        work = n + (problem.entries if self.store is None else 4 * n)
        self.limit = 1 if hasattr(model, "_skl_callbacks") else max(1, min(BATCH, CHUNK // work))
        self.log, self.told, self.k, self.size = np.zeros((0, 3)), 0, 0, 1
        self.status: Status | None = None
        self.notes: list[str] = []
        self.now: Any = None

    @property
    def data(self) -> tuple[Any, Places]:
        """What the compiled calls take for X, and where its rows are."""
        return (self.problem.rows, None) if self.store is None else (self.store.store, self.store.place)

    @property
    def state(self) -> Any:
        """What the updates have led to: multipliers, errors and margin of the answer, and the upper bound.

        The answer is the present plane if it separates the classes, else the best one so far.
        """
        if self.now is None:
            alpha, v = self.alpha, self.v
            found, margin, upper, size = self._look_at(alpha, v)
            if found.errors > self.best.rank[0] or (found.errors and margin < self.best.rank[1]):
                alpha, v = self.best.alpha, self.best.v
                found, margin, _, size = self._look_at(alpha, v)
            with np.errstate(over="ignore"):
                scaled = (alpha / size).astype(self.problem.dtype)
                if not (np.isfinite(scaled).all() and np.isfinite(self.row).all()):
                    raise underflow()
            self.now = scaled, found.errors, margin, upper
        return self.now

    def _look_at(self, alpha: Array, v: Array) -> Any:
        seen = look_once(*self.data, self.problem.labels, alpha, v, self.f, self.row)
        if seen[0].errors < 0:
            raise self._refusal()
        return seen

    def _refusal(self) -> ValueError:
        """The error for products that are not finite."""
        return underflow() if 0 < self.span[0] < LEAST else self.problem.refuse()

    @property
    def answer(self) -> NDArray[Any]:
        """The plane, scaled to z g(x) >= 1 if it separates, else to |w| = 1."""
        assert self.state is not None
        return self.row[None].copy()

    @property
    def path(self) -> NDArray[Any] | None:
        """The recorded planes, scaled likewise."""
        return self.trail.so_far(self.answer[0])

    @property
    def findings(self) -> MarginFindings:
        """Multipliers, margin and upper bound."""
        alpha, _, margin, upper = self.state
        details = {
            "margin": f"{margin:.6g}; no plane has more than {upper:.6g}",
            "support": f"{np.count_nonzero(alpha):,} patterns with alpha > 0",
        }
        notes = self.notes if margin > 0 else [*self.notes, ERRORS]
        return MarginFindings(
            notes=notes, details=details, alpha=alpha, margin=margin, upper=upper, evidence=self.evidence
        )

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One update."""
        if self.told == len(self.log):
            self._advance(watch)
        if not len(self.log):  # nothing moved
            _, errors, margin, _ = self.state
            return Epoch(errors, margin, 0.0, 0, self.status)
        errors, margin, step = self.log[self.told].tolist()
        self.told += 1
        return Epoch(int(errors), margin, step, 1, self.status if self.told == len(self.log) else None)

    def _advance(self, watch: Watch) -> None:
        """Make the next updates: twice as many as the last time, so that the first are seen soon."""
        self.told, self.now, made, end = 0, None, 0, MORE
        log = np.zeros((min(self.size, self.limit, self.max_iter - self.k), 3))
        self.size *= 2
        while made < len(log) and end in (MORE, MISSING):
            watch.check()
            some, end, i, j = _updates(
                self.rule, *self.data, self.problem.labels, self.alpha, self.v, self.f, self.scratch, self.tol,
                self.least, self.span, self.best, log[made:], self.trail.rows, self.trail.cursor, self.row,
            )  # fmt: skip
            made += some
            if end == MISSING and self.store is not None:
                for needed in (i, j):  # one by one, so that the products round alike whatever is kept
                    self.store.slots(np.array([needed]))
        self.k += made
        self.log = log[:made]
        if end == INFINITE:
            raise self._refusal()
        if end != MORE:
            self.status = self._ended(end, i, j)

    def _ended(self, end: int, i: int, j: int) -> Status:
        """The status of a run that is over, with a note on its evidence."""
        _, _, margin, upper = self.state
        if end == MET:
            return Status.CONVERGED
        if end == STUCK and margin > 0:
            self.notes.append(f"Rounding allows no further update; the gap is {(upper - margin) / margin:.1e}.")
            return Status.CONVERGED
        if self.store is None and self.span[0] == 0 and np.any(self.scratch):
            raise underflow()
        if end == STUCK:
            self.evidence = np.isin(np.arange(self.alpha.size), (i, j)).astype(np.float64)
            self.notes.append(f"Evidence: rows {i} and {j} of different classes coincide.")
        else:
            self.evidence = self.alpha / self.alpha[self.problem.labels == 1].sum()
            self.notes.append(
                f"Evidence: the means of the classes with the weights evidence_ are {2 * upper:.1e} apart, less than "
                f"{self.least:.0e} of the largest distance met."
            )
        return Status.NOT_SEPARABLE


def underflow() -> ValueError:
    """The error for patterns whose squared distances floats of their kind cannot divide by."""
    return ValueError(
        "X underflows: the squared distances of its rows are zero, though the rows differ, or too small to divide by. "
        "Divide the features by their size, for instance with StandardScaler."
    )


class MarginClassifier(IterativeClassifier):
    """What MinOver and the Adatron share: kernels, the stop, the fitted attributes."""

    _held = optional(WEIGHTS) | {
        "support_": "int s",
        "alpha_": "float n | float n k",
        "margin_": "anynumber | any k",
        "gap_": "anynumber | any k",
        "evidence_": "none | float n | float k n",
        "X_fit_?": "matrix n d",
        "dual_coef_?": "float k n",
    }
    _criterion = "half the distance of weighted means of the classes, which no margin exceeds"
    _expected_failed_checks = {
        f"check_sample_weight_equivalence_on_{kind}_data": "the plane is reached to tol, on a path that ties decide"
        for kind in ("dense", "sparse")
    }

    start = None
    kernel: str | mercer.Kernel | Callable[[Any, Any], Any]
    tol: float
    cache_size: float
    record: str | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        named = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.input_tags.pairwise = named or isinstance(self.kernel, mercer.Precomputed)
        return tags

    def _check_parameters(self) -> None:
        super()._check_parameters()
        mercer.get(self.kernel)
        number("tol", self.tol, "give the relative gap > 0 between margin and bound at which to stop", 0)
        number("cache_size", self.cache_size, "give the megabytes that kernel rows may take", 0)
        choice("record", self.record, (None, "weights"))

    def _rule(self) -> Any:  # pragma: no cover
        raise NotImplementedError

    def _solutions(self, problem: Problem, watch: Watch, listener: Listener, **options: Any) -> list[Solution[Any]]:
        problem.check_finite()
        self._store: KernelRows | None = None
        if not self._is_plane():
            self.X_fit_ = problem.source
            X, kernel = problem.source, mercer.get(self.kernel)
            checked_diagonal(kernel, X)  # a precomputed matrix that is not square is refused here
            rows = RowMaker(kernel, X)
            self._store = KernelRows(rows, problem.n_rows, self.cache_size * 2**20, problem.dtype, workers=1)
        try:
            return super()._solutions(problem, watch, listener)
        finally:
            del self._store

    def _starts(self, problem: Problem, n_problems: int) -> list[NDArray[Any]]:
        size = 1 + (problem.n_features if self._store is None else problem.n_rows)
        return [np.zeros((1, size), problem.dtype) for _ in range(n_problems)]

    def _begin(self, problem: Problem, start: NDArray[Any], online: bool) -> Rule:
        if not (np.any(problem.labels == 0) and np.any(problem.labels == 1)):
            raise ValueError(
                "sample_weight is zero for every row of a class: a margin lies between two classes; give each of them "
                "a row of positive weight."
            )
        return MarginRule(self._rule(), problem, self)

    def _set_weights(self, A: NDArray[Any]) -> None:
        if self._is_plane():
            super()._set_weights(A)
        else:
            self.dual_coef_, self.intercept_ = np.ascontiguousarray(A[:, 1:]), A[:, 0].copy()

    def _publish(self, solutions: list[Solution[Any]], problem: Problem, X: Any) -> None:
        super()._publish(solutions, problem, X)
        found = [solution.findings for solution in solutions]
        margin, upper = np.array([each.margin for each in found]), np.array([each.upper for each in found])
        gap = np.full(margin.size, np.inf)
        np.divide(np.maximum(upper - margin, 0), margin, out=gap, where=margin > 0)
        alpha = np.array([each.alpha for each in found])
        self.support_ = np.flatnonzero(alpha.any(axis=0))
        one = len(found) == 1
        self.alpha_ = alpha[0] if one else alpha.T
        self.margin_ = float(margin[0]) if one else margin
        evidence = [np.zeros(problem.n_rows) if each.evidence is None else each.evidence for each in found]
        self.evidence_ = None if not np.any(evidence) else evidence[0] if one else np.array(evidence)
        self.gap_ = float(gap[0]) if one else gap

    def _details(self, solutions: list[Solution[MarginFindings]]) -> dict[str, Any]:
        if len(solutions) == 1:
            return super()._details(solutions)
        margins = [solution.findings.margin for solution in solutions]
        worst = int(np.argmin(margins))  # each has lines of its own, which would hide those of the others
        return {"margin": f"{margins[worst]:.6g} in problem {worst}, the smallest of {len(margins)}"}

    def _remarks(self, solutions: list[Solution[MarginFindings]]) -> list[str]:
        return numbered(solutions)

    def _is_plane(self) -> bool:
        return isinstance(mercer.get(self.kernel), mercer.Linear)

    def _scores(self, X: Any) -> NDArray[Any]:
        if self._is_plane():
            return super()._scores(X)
        check_is_fitted(self)
        X, kernel = self._taken(X, reset=False), mercer.get(self.kernel)
        if isinstance(kernel, mercer.Precomputed):
            return np.asarray(X @ self.dual_coef_.T + self.intercept_)
        Z, strengths = self.X_fit_[self.support_], self.dual_coef_[:, self.support_].T
        size = max(1, BLOCK // (8 * max(1, self.support_.size)))
        parts = [kernel(X[start : start + size], Z) @ strengths for start in range(0, X.shape[0], size)]
        return np.asarray(np.concatenate(parts) + self.intercept_)

    def _remedy(self) -> str:
        return (
            "a larger max_iter or tol if the margin is positive; otherwise a richer kernel, or a procedure for "
            "overlapping classes: diagnose(X, y) tells which."
        )


class MinOver(MarginClassifier):
    """MinOver: learn the worst pattern of each class, which leads to the plane of the largest margin.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="linear"
        ``"linear"``, ``"polynomial"``, ``"gaussian"``, ``"sigmoid"``, ``"precomputed"``, a kernel of
        ``discriminant.mercer`` or a function K(X, Z).
    step : {"line", "fixed"}, default="line"
        ``"fixed"`` is the rule as it was printed, which adds the worst pattern of each class and never takes one back:
        the gap falls like 1/t.  ``"line"`` takes from the best remembered pattern what it gives to the worst one of the
        class, as much as shortens w most, and converges linearly.
    tol : float, default=1e-3
        Stop when the margin is within this fraction of the largest one: the bound less the margin is at most
        tol x margin.
    max_iter : int, default=20000
        Updates at the most.
    cache_size : float, default=1000
        Megabytes of kernel rows that may be kept; the linear kernel needs none.
    record : {None, "weights"}, default=None
        ``"weights"`` keeps the planes (w0, w) of all updates in ``history_["weights"]``, scaled as the answer is; with
        a kernel (w0, alpha_1 z_1, ..., alpha_n z_n).
    multiclass : {"one-vs-rest", "one-vs-one"}, default="one-vs-rest"
        What to do with more than two classes.

    Attributes
    ----------
    coef_, intercept_, weights_ : arrays
        With the linear kernel: w, w0 and (w0, w), scaled so that the smallest z g(x) is 1, or |w| = 1 if the
        plane leaves errors.  With another kernel there is ``intercept_`` alone.
    alpha_ : array of shape (n,) or (n, number of problems)
        Multipliers in that scale: w = sum of alpha_i z_i x_i.
    dual_coef_, X_fit_ : arrays
        With another kernel: alpha_i z_i, one row a problem, and the training rows.
    support_ : array of int
        Rows with alpha > 0.
    margin_ : float or array
        Geometric margin, in the feature space of the kernel; not positive if the plane leaves errors.
    gap_ : float or array
        How much larger a margin could be, as a fraction of this one; infinite if the plane leaves errors, which
        ``report_`` then says.
    evidence_ : array of shape (n,), one row a problem, or None
        With ``NOT_SEPARABLE``: weights that add up to 1 in each class and make the same mean of both.
    classes_ : array
        Labels, sorted; ``classes_[1]`` is the positive class of two.
    n_iter_, n_corrections_ : int
        Updates.
    history_ : dict of arrays
        ``"criterion"`` is the margin after each update, ``"errors"``, ``"step"`` and ``"corrections"`` as elsewhere.
    status_, report_
        Why it stopped, and all of it in words.  ``CONVERGED``: to ``tol``; ``NOT_SEPARABLE``: the hulls share a point,
        but for rounding.

    Notes
    -----
    A plane that leaves errors is not the last one but the one with the fewest errors on the way.  A weight of zero
    leaves a row out; other sample weights change nothing, for a hard margin has no use for them.

    References
    ----------
    Krauth, Mezard, *Learning algorithms with optimal stability in neural networks*, J. Phys. A 20, 1987.  Mitchell,
    Demyanov, Malozemov, *Finding the point of a polyhedron closest to the origin*, SIAM J. Control 12, 1974.

    Examples
    --------
    *Machine Learning: Theory and Practice*, Example 10:

    >>> from discriminant import MinOver
    >>> model = MinOver().fit([[2, 1], [1, 3], [6, 3]], [0, 0, 1])
    >>> model.weights_.round(6).tolist(), model.alpha_.round(6).tolist()
    ([-2.0, 0.4, 0.2], [0.1, 0.0, 0.1])
    """

    def __init__(
        self,
        kernel: str | mercer.Kernel | Callable[[Any, Any], Any] = "linear",
        *,
        step: str = "line",
        tol: float = 1e-3,
        max_iter: int = 20_000,
        cache_size: float = 1000,
        record: str | None = None,
        multiclass: str = "one-vs-rest",
    ) -> None:
        self.kernel = kernel
        self.step = step
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.record = record
        self.multiclass = multiclass

    def _check_parameters(self) -> None:
        super()._check_parameters()
        choice("step", self.step, ("line", "fixed"))

    def _rule(self) -> Any:
        return Exchange(1.0) if self.step == "line" else Learn(1.0)


class Adatron(MarginClassifier):
    """Adatron: bring the worst patterns of the classes to z g(x) = 1, and forget what is beyond it.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="linear"
        ``"linear"``, ``"polynomial"``, ``"gaussian"``, ``"sigmoid"``, ``"precomputed"``, a kernel of
        ``discriminant.mercer`` or a function K(X, Z).
    eta : float, default=1.0
        Rate, 0 < eta < 2: 1 brings the two patterns to z g(x) = 1 on the average.
    tol : float, default=1e-3
        Stop when the margin is within this fraction of the largest one: the bound less the margin is at most
        tol x margin.
    max_iter : int, default=20000
        Updates at the most.
    cache_size : float, default=1000
        Megabytes of kernel rows that may be kept; the linear kernel needs none.
    record : {None, "weights"}, default=None
        ``"weights"`` keeps the planes (w0, w) of all updates in ``history_["weights"]``, scaled as the answer is; with
        a kernel (w0, alpha_1 z_1, ..., alpha_n z_n).
    multiclass : {"one-vs-rest", "one-vs-one"}, default="one-vs-rest"
        What to do with more than two classes.

    Attributes
    ----------
    coef_, intercept_, weights_ : arrays
        With the linear kernel: w, w0 and (w0, w), scaled so that the smallest z g(x) is 1, or |w| = 1 if the
        plane leaves errors.  With another kernel there is ``intercept_`` alone.
    alpha_ : array of shape (n,) or (n, number of problems)
        Multipliers in that scale: w = sum of alpha_i z_i x_i.
    dual_coef_, X_fit_ : arrays
        With another kernel: alpha_i z_i, one row a problem, and the training rows.
    support_ : array of int
        Rows with alpha > 0.
    margin_ : float or array
        Geometric margin, in the feature space of the kernel; not positive if the plane leaves errors.
    gap_ : float or array
        How much larger a margin could be, as a fraction of this one; infinite if the plane leaves errors, which
        ``report_`` then says.
    evidence_ : array of shape (n,), one row a problem, or None
        With ``NOT_SEPARABLE``: weights that add up to 1 in each class and make the same mean of both.
    classes_ : array
        Labels, sorted; ``classes_[1]`` is the positive class of two.
    n_iter_, n_corrections_ : int
        Updates.
    history_ : dict of arrays
        ``"criterion"`` is the margin after each update, ``"errors"``, ``"step"`` and ``"corrections"`` as elsewhere.
    status_, report_
        Why it stopped, and all of it in words.

    Notes
    -----
    The rule was printed without a threshold, alpha_i <- max(0, alpha_i + eta (1 - z_i g(x_i)) / K(x_i, x_i)).  Here it
    changes a pattern of each class at a time, which keeps the sum of alpha z at zero and so leaves w0 free.  A plane
    that leaves errors is not the last one but the one with the fewest errors on the way.  A weight of zero leaves a row
    out; other sample weights change nothing, for a hard margin has no use for them.

    References
    ----------
    Anlauf, Biehl, *The AdaTron: an adaptive perceptron algorithm*, Europhys. Lett. 10, 1989.  Friess, Cristianini,
    Campbell, *The kernel-adatron algorithm*, ICML 1998.

    Examples
    --------
    *Pattern Classification*, Example 2: the exclusive or with the kernel (1 + x'z)^2.

    >>> from discriminant import Adatron, datasets, mercer
    >>> model = Adatron(mercer.Polynomial(degree=2)).fit(*datasets.xor_signed())
    >>> model.alpha_.round(6).tolist(), round(model.margin_, 6)
    ([0.125, 0.125, 0.125, 0.125], 1.414214)
    """

    def __init__(
        self,
        kernel: str | mercer.Kernel | Callable[[Any, Any], Any] = "linear",
        *,
        eta: float = 1.0,
        tol: float = 1e-3,
        max_iter: int = 20_000,
        cache_size: float = 1000,
        record: str | None = None,
        multiclass: str = "one-vs-rest",
    ) -> None:
        self.kernel = kernel
        self.eta = eta
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.record = record
        self.multiclass = multiclass

    def _check_parameters(self) -> None:
        super()._check_parameters()
        number("eta", self.eta, "the rule converges for 0 < eta < 2", 0, high=2)

    def _rule(self) -> Any:
        return Adapt(float(self.eta))
