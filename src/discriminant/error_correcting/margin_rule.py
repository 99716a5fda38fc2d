"""Planes of the largest margin, learned from pairs of patterns: what MinOver and the Adatron share.

Problem: the plane wᵗx + w₀ = 0 with the largest margin, that is the largest min z (wᵗx + w₀) / ‖w‖, where z = +1 or −1
for the class and w₀ takes no part in the norm.  Its normal joins the nearest points of the convex hulls of the classes,
and the margin is half their distance.  With w = Σ αᵢ zᵢ xᵢ, α ≥ 0 and Σ αᵢ zᵢ = 0, let x⁺ and x⁻ be the patterns with
the smallest z wᵗx of either class, and w₀ midway between them.  An update is

    w += δ (xᵢ − xⱼ)

where the procedure says which two patterns, and how far.  Pairs keep Σ α z = 0, by which w₀ is free.

Theorem: the weighted means of the classes, with weights α / Σ α, lie in the hulls, so that

    margin of the plane  ≤  largest margin  ≤  half the distance of the weighted means = ‖w‖ / (2 Σ α⁺),

and on separable classes both sides meet.  On other classes the lower bound is never positive.

Symbols: those of ``hulls``; ``v`` is w or what stands for it when there is a kernel, ``u`` likewise xᵢ − xⱼ.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import mercer
from .._engine.callbacks import Listener
from .._engine.compiling import serve
from .._engine.driver import CHUNK, Plan, Rule, Watch
from .._engine.path import Path
from .._engine.problem import Problem
from .._engine.rows import compiled, finite
from .._guards.held import WEIGHTS, optional
from .._guards.parameters import Number
from .._guards.validation import all_finite
from .._kernel_matrix.makers import LEAST, RowMaker, checked_diagonal
from .._kernel_matrix.rows import KernelRows
from ..base.classifier import LinearClassifier, exempt
from ..base.inherited_docs import estimator
from ..solution import Epoch, Findings, Solution, Status, numbered
from .gram import KernelClassifier, KernelProblem, is_precomputed
from .hulls import Best, Found, Hulls, Places, PlaneFound, Vector, answer, bounds_of, difference, keep, look

BATCH = 4096  # updates of one compiled call, at the most
NO_UPDATES = np.empty((0, 3))  # a call that only looks

ERRORS = "The plane leaves errors: there is no margin to be a part of, and gap_ is infinite."

# why a compiled call came back
MORE, MET, TOUCHING, STUCK, MISSING, INFINITE = range(6)


class Move(NamedTuple):
    """An update w += δ (xᵢ − xⱼ), where δ lies between ``least`` and ``most``, so that α ≥ 0."""

    i: int
    j: int
    least: float
    most: float


def pair(rule: Any, found: Found, f: Vector, alpha: Vector) -> Any:
    """Which two patterns the rule, a NamedTuple with methods that are compiled, looks at next: a ``Move``."""
    return rule.pair(found, f, alpha)


def delta(rule: Any, slope: float, square: float) -> Any:
    """How far it would go along xᵢ − xⱼ, where slope = wᵗ(xᵢ − xⱼ) and square = ‖xᵢ − xⱼ‖²."""
    return rule.delta(slope, square)


serve(pair, lambda rule, *rest: rule.instance_class.pair)
serve(delta, lambda rule, *rest: rule.instance_class.delta)


class Limits(NamedTuple):
    """When to stop: gap as a fraction of the margin, and distance of the means as one of the largest distance met."""

    tol: float
    least: float


@compiled
def _updates(
    rule: Any, place: Places, hulls: Hulls, u: Vector, best: Best, limits: Limits, span: float, log: Vector
) -> Any:
    """Make as many updates as the log has rows, each followed by a look; it takes errors, margin, step, i and j.

    Returns how many were made, why no more, the last two patterns, the largest ‖xᵢ − xⱼ‖², and what was last found.
    """
    X, labels, alpha, v, f = hulls
    i, j, step, end = 0, 0, 0.0, MORE
    for k in range(log.shape[0] + 1):
        found = look(place, hulls)  # at one place: a second one would be compiled again
        if k > 0:
            margin, upper = bounds_of(found, f)
            log[k - 1, 0], log[k - 1, 1], log[k - 1, 2] = found.errors, margin, step
            log[k - 1, 3], log[k - 1, 4] = i, j
            keep(found, margin, hulls, best)
            if margin > 0 and upper - margin <= limits.tol * margin:
                end = MET
            elif f[found.plus] <= f[found.minus] and 2 * upper <= limits.least * math.sqrt(span):
                end = TOUCHING
        if end != MORE or k == log.shape[0]:
            break
        if not found.finite:
            end = INFINITE
            break
        i, j, least, most = pair(rule, found, f, alpha)
        if place is not None and (place[i] < 0 or place[j] < 0):
            end = MISSING
            break
        square = difference(X, place, i, j, u)
        if not finite(square):
            end = INFINITE
            break
        span = square if square > span else span
        step = delta(rule, f[i] - f[j], square) if square > 0 else 0.0
        step = least if step < least else most if step > most else step
        if step == 0:
            end = STUCK
            break
        alpha[i] += step if labels[i] == 1 else -step
        alpha[j] -= step if labels[j] == 1 else -step
        for t in range(v.size):
            v[t] += step * u[t]
    plus, minus, _, _, mass, square, errors, is_finite = found
    return k, end, i, j, span, (plus, minus, -1, -1, mass, square, errors, is_finite)


@dataclass(frozen=True, kw_only=True)
class MarginPlan(Plan):
    """How updates are to be made; ``watched`` where callbacks look at each of them."""

    tol: float
    max_iter: int
    watched: bool = False


@dataclass(frozen=True, kw_only=True)
class MarginFindings(Findings):
    """Multipliers, the margin that was reached, what no plane can exceed, the evidence of overlap, recorded pairs."""

    alpha: NDArray[Any]
    margin: float
    upper: float
    evidence: NDArray[Any] | None
    pairs: NDArray[np.int64]


class MarginState(NamedTuple):
    """What the updates have led to: multipliers, errors and margin of the answer, and the upper bound."""

    alpha: NDArray[Any]
    errors: int
    margin: float
    upper: float


class MarginRule:
    """MinOver or the Adatron at work: compiled calls make many updates, ``epoch`` hands them out one by one."""

    def __init__(self, rule: Any, problem: Problem, plan: MarginPlan) -> None:
        self.rule, self.problem, self.max_iter = rule, problem, int(plan.max_iter)
        self.kernel: KernelRows | None = problem.kernel_rows if isinstance(problem, KernelProblem) else None
        n, d, linear = problem.n_rows, problem.n_features, self.kernel is None
        self.alpha, self.f = np.zeros(n), np.zeros(n)
        self.v = np.zeros(d + 1 if linear else n)
        self.row = np.zeros(1 + (d if linear else n), problem.dtype)
        self.recorded = Path(self.row, plan.record, plan.shares)
        # what separates the hulls from touching ones: the rounding of w, and with a kernel that of its square
        self.limits = Limits(float(plan.tol), 1e-9 if linear else 4 * math.sqrt(np.finfo(problem.dtype).eps))
        self.u, self.span = np.zeros(self.v.size), 0.0
        self.best = Best(np.array([np.inf, -np.inf]), np.zeros(n), np.zeros(self.v.size))
        self.evidence: Vector | None = None
        work = n + (problem.entries if linear else 4 * n)
        self.limit = 1 if plan.watched else max(1, min(BATCH, CHUNK // work))
        self.log, self.given, self.k, self.size = np.zeros((0, 5)), 0, 0, 1
        self.pairs = [np.zeros((0, 2), np.int64)]
        self.status: Status | None = None
        self.notes: list[str] = []
        self._state: MarginState | None = None

    def _hulls(self, alpha: Vector, v: Vector) -> tuple[Places, Hulls]:
        """What the compiled calls take: where kernel rows are, and the hulls."""
        X, place = (self.problem.rows, None) if self.kernel is None else (self.kernel.store, self.kernel.place)
        return place, Hulls(X, self.problem.labels, alpha, v, self.f)

    @property
    def state(self) -> MarginState:
        """The answer is the present plane if it separates the classes, else the best one so far."""
        if self._state is None:
            alpha, seen = self.alpha, self._look_at(self.alpha, self.v)
            upper, errors = seen.upper, seen.errors
            if errors > self.best.rank[0] or (errors and seen.margin < self.best.rank[1]):
                alpha, seen = self.best.alpha, self._look_at(self.best.alpha, self.best.v)
            with np.errstate(over="ignore"):
                scaled = (alpha / seen.size).astype(self.problem.dtype)
                if not (all_finite(scaled) and all_finite(self.row)):
                    raise underflow()
            self._state = MarginState(scaled, seen.errors, seen.margin, upper)
        return self._state

    def _look_at(self, alpha: Vector, v: Vector) -> PlaneFound:
        place, hulls = self._hulls(alpha, v)
        found = Found(*_updates(self.rule, place, hulls, self.u, self.best, self.limits, self.span, NO_UPDATES)[-1])
        if not found.finite:
            raise self._refusal()
        return answer(found, place, hulls, self.row)

    def _refusal(self) -> ValueError:
        """The error for products that are not finite."""
        return underflow() if 0 < self.span < LEAST else self.problem.refuse()

    @property
    def answer(self) -> NDArray[Any]:
        """The plane, scaled to z g(x) ≥ 1 if it separates, else to ‖w‖ = 1."""
        assert self.state is not None
        return self.row[None].copy()

    @property
    def path(self) -> NDArray[Any] | None:
        return self.recorded.so_far(self.answer[0])

    @property
    def findings(self) -> MarginFindings:
        alpha, _, margin, upper = self.state
        details = {
            "margin": f"{margin:.6g}; no plane has more than {upper:.6g}",
            "support": f"{np.count_nonzero(alpha):,} patterns with alpha > 0",
        }
        notes = self.notes if margin > 0 else [*self.notes, ERRORS]
        return MarginFindings(
            notes=notes, details=details, alpha=alpha, margin=margin, upper=upper, evidence=self.evidence,
            pairs=np.concatenate(self.pairs),
        )  # fmt: skip

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        if self.given == len(self.log):
            self._advance(watch)
        if not len(self.log):  # nothing moved
            return Epoch(self.state.errors, self.state.margin, 0.0, 0, self.status)
        errors, margin, step = self.log[self.given, :3].tolist()
        self.given += 1
        return Epoch(int(errors), margin, step, 1, self.status if self.given == len(self.log) else None)

    def epochs(self, problem: Problem, watch: Watch) -> tuple[Vector, Status | None]:
        """All updates of the next compiled call."""
        self._advance(watch)
        self.given = len(self.log)
        if not self.given:  # nothing moved
            return np.array([[self.state.errors, self.state.margin, 0.0, 0.0]]), self.status
        return np.column_stack([self.log[:, :3], np.ones(self.given)]), self.status

    def _advance(self, watch: Watch) -> None:
        """Make the next updates: twice as many as the last time, so that the first are seen soon."""
        self.given, self._state, made, end = 0, None, 0, MORE
        log = np.zeros((min(self.size, self.limit, self.max_iter - self.k), 5))
        self.size *= 2
        while made < len(log) and end in (MORE, MISSING):
            watch.check()
            (place, hulls), part = self._hulls(self.alpha, self.v), log[made:][: self.recorded.gap]
            some, end, i, j, self.span, found = _updates(
                self.rule, place, hulls, self.u, self.best, self.limits, self.span, part
            )
            made += some
            if some and self.recorded.rows.size:
                answer(Found(*found), place, hulls, self.row)
                self.recorded.add(self.row, some)
            if end == MISSING and self.kernel is not None:
                for needed in (i, j):  # one by one, so that the products round alike whatever is kept
                    self.kernel.slots(np.array([needed]))
        self.k += made
        self.log = log[:made]
        if self.recorded.rows.size:
            self.pairs.append(self.log[:, 3:].astype(np.int64))
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
        if self.kernel is None and self.span == 0 and np.any(self.u):
            raise underflow()
        if end == STUCK:
            self.evidence = np.isin(np.arange(self.alpha.size), (i, j)).astype(np.float64)
            self.notes.append(f"Evidence: rows {i} and {j} of different classes coincide.")
        else:
            self.evidence = self.alpha / self.alpha[self.problem.labels == 1].sum()
            self.notes.append(
                f"Evidence: the means of the classes with the weights evidence_ are {2 * upper:.1e} apart, less than "
                f"{self.limits.least:.0e} of the largest distance met."
            )
        return Status.NOT_SEPARABLE


def underflow() -> ValueError:
    """The error for patterns whose squared distances floats of their kind cannot divide by."""
    return ValueError(
        "X underflows: the squared distances of its rows are zero, though the rows differ, or too small to divide by. "
        "Divide the features by their size, for instance with StandardScaler."
    )


@estimator
class MarginClassifier(KernelClassifier):
    """What MinOver and the Adatron share: kernels, the stop, the fitted attributes.

    Parameters
    ----------
    tol : float
        Stop when the margin is within this fraction of the largest one: the bound less the margin is at most
        tol x margin.
    max_iter : int
        Updates at the most.
    cache_size : float
        Megabytes of kernel rows that may be kept; the linear kernel needs none.
    record
        ``"weights"`` keeps the planes (w₀, w) of all updates in ``history_["weights"]``, scaled as the answer is; with
        a kernel (w₀, α₁ z₁, …, αₙ zₙ); and the rows i and j of each update in ``history_["patterns"]``.

    Attributes
    ----------
    coef_, intercept_, weights_ : arrays
        With the linear kernel: w, w₀ and (w₀, w), scaled so that the smallest z g(x) is 1, or ‖w‖ = 1 if the
        plane leaves errors.  With another kernel there is ``intercept_`` alone.
    alpha_ : array of shape (n,) or (n, number of problems)
        Multipliers in that scale: w = Σ αᵢ zᵢ xᵢ.
    dual_coef_, X_fit_ : arrays
        With another kernel: αᵢ zᵢ, one row a problem, and the training rows.
    support_ : array of int
        Rows with α > 0.
    margin_ : float or array
        Geometric margin, in the feature space of the kernel; not positive if the plane leaves errors.
    gap_ : float or array
        How much larger a margin could be, as a fraction of this one; infinite if the plane leaves errors, which
        ``report_`` then says.
    evidence_ : array of shape (n,), one row a problem, or None
        With ``NOT_SEPARABLE``: weights that add up to 1 in each class and make the same mean of both.
    n_iter_, n_corrections_ : int
        Updates.
    history_ : dict of arrays
        ``"criterion"`` is the margin after each update, ``"errors"``, ``"step"`` and ``"corrections"`` as elsewhere.
    status_, report_
        Why it stopped, and all of it in words.  ``CONVERGED``: to ``tol``; ``NOT_SEPARABLE``: the hulls share a point,
        but for rounding.
    """

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
    _expected_failed_checks = exempt("the plane is reached to tol, on a path that ties decide")
    _parameters = {"tol": Number("give the relative gap > 0 between margin and bound at which to stop", 0)}

    kernel: str | mercer.Kernel | Callable[[Any, Any], Any] = field(default="linear", kw_only=False)
    tol: float = 1e-3
    max_iter: int = 20_000
    cache_size: float = 1000
    record: str | None = None
    multiclass: str = "one-vs-rest"
    _pair_rule: ClassVar[Callable[..., Any]]  # which pairs the procedure moves, and how far

    def _solutions(self, problem: Problem, watch: Watch, listener: Listener, **options: Any) -> list[Solution[Any]]:
        problem.check_finite()
        if not self._is_plane():
            self.X_fit_ = X = problem.source
            kernel = mercer.get(self.kernel)
            checked_diagonal(kernel, X)  # a precomputed matrix that is not square is refused here
            rows = KernelRows(RowMaker(kernel, X), problem.n_rows, self.cache_size * 2**20, problem.dtype, workers=1)
            problem = KernelProblem(**vars(problem), kernel_rows=rows)
        return super()._solutions(problem, watch, listener)

    def _starts(self, problem: Problem, n_problems: int) -> list[NDArray[Any]]:
        size = 1 + (problem.n_features if self._is_plane() else problem.n_rows)
        return [np.zeros((1, size), problem.dtype) for _ in range(n_problems)]

    def _begin(self, problem: Problem, start: NDArray[Any], online: bool) -> Rule:
        if not (np.any(problem.labels == 0) and np.any(problem.labels == 1)):
            raise ValueError(
                "sample_weight is zero for every row of a class, and a margin lies between two; give each of them "
                "a row of positive weight."
            )
        plan = self._plan(MarginPlan, watched=hasattr(self, "_skl_callbacks"))
        return MarginRule(self._pair_rule(), problem, plan)

    def _scores(self, X: Any) -> NDArray[Any]:
        if not is_precomputed(self):
            return super()._scores(X)
        check_is_fitted(self)  # rows without strength take part too: the sums keep the bits that they always had
        return np.asarray(self._taken(X, reset=False) @ self.dual_coef_.T + self.intercept_)

    def _set_weights(self, A: NDArray[Any]) -> None:
        (LinearClassifier if self._is_plane() else KernelClassifier)._set_weights(self, A)

    def _publish(self, solutions: list[Solution[Any]], problem: Problem, X: Any) -> None:
        super()._publish(solutions, problem, X)
        found = [solution.findings for solution in solutions]
        if self.record:
            self.history_["patterns"] = np.concatenate([each.pairs for each in found])
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

    def _remedy(self) -> str:
        return (
            "a larger max_iter or tol if the margin is positive; otherwise a richer kernel, or a procedure for "
            "overlapping classes: diagnose(X, y) tells which."
        )
