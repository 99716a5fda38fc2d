"""The Widrow-Hoff procedure, also called LMS, delta rule or Adaline: single-sample, batch and dual.

Problem: minimize the sum of squared errors J_s(a) = ‖Ya − b‖² (Eq. 43) without inverting a matrix, by the steps

    a(k+1) = a(k) + η(k) (b_k − aᵗ(k)y^k) y^k            for one pattern           (Eq. 61, Algorithm 10)
    a(k+1) = a(k) − η(k) Yᵗ(Y a(k) − b)                  for all of them           (§5.8.4)
    α_i ← α_i + η(k) (b_i − Σ_j α_j y_jᵗy_i)             the same in dual form, a = Σ α_i y_i

The patterns need not be normalized: with z = +1, −1 for the two categories, y → zy and b → zb leave all three as they
are.  So the classifier aims at t = zb, the regressor at any t, and both run the same pass.

Where patterns are drawn at random, each independent of those before, the first of these is stochastic approximation
(Eq. 67): with Σ η(k) = ∞ and Σ η²(k) < ∞ the expected ‖a(k) − â‖² tends to zero (Eqs. 68-70).

Where it ends: with η(k) = η(1)/k the vectors converge to a solution of Yᵗ(Ya − b) = 0, whether or not YᵗY is singular
(Problem 24), but only in the limit: with η(1) = 1 the batch rule takes the slides' eight points beyond 1e129 first.  A
constant η makes the batch rule converge when η < 2/λ_max(YᵗY), where η is twice that of gradient descent on J_s.  It
keeps the single-sample rule bounded when η < 2/max‖y‖², but the corrections cease only where Ya = b can be met.  The
answer need not separate, even where a separating vector exists (Fig. 5.17, Problem 32).

Symbols: a the augmented weights, t the targets of the patterns y = (1, x), e = t − aᵗy, η the step, k the number of
the visit (single-sample) or of the step (batch).

Sources: Duda, Hart, Stork, *Pattern Classification*, §5.8.4 and §5.8.5, Algorithm 10, Problems 23, 24 and 32;
Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, §2.2, Table 2.3, Exercises 1 and 2;
Beyan, *Linear Discriminant Functions*, lecture slides, 2024/25.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import TOGETHER, Rule, Watch
from .._engine.path import Path, copy_into
from .._engine.problem import Problem
from .._engine.rows import Rows, compiled, finite, inlined, row_axpy, row_dot
from .._guards.state import Changing
from .._guards.validation import all_finite
from ..base.class_weights import WeightedClassesClassifier
from ..base.inherited_docs import estimator
from ..base.squared_steps import FAR, FEW, FIRST, LEAST, FewPatterns, Steps
from ..exceptions import warn_user
from ..samples import Samples
from ..schedules import AHEAD, Constant, Optimal, ScalarRLS, get
from ..solution import EMPTY, HISTORY, Epoch, Solution, Status
from .aimed_patterns import AimedPatterns, AimedProblem, Aims, length_of, margins_of, steepest_step
from .streamed_aims import AimedStream, StreamedPatterns, summed_steps
from .widrow_hoff_parameters import Progress, StepTotals, WidrowHoffFindings, WidrowHoffParameters, WidrowHoffPlan

HUGE = 1e100  # an error that has grown by this factor will not come back


@inlined
def lms_step(eta: Any, e: Any) -> Any:
    """Return η (t − aᵗy), the multiple of y that is added (Eq. 61)."""
    return eta * e


@inlined
def go_along(
    X: Rows, aims: Aims, order: NDArray[np.uint32], a: NDArray[Any], into: NDArray[Any], etas: NDArray[Any],
    dual: bool, criterion: float,
) -> Any:  # fmt: skip
    """Visit patterns in this order, while there are ``etas``, and add their steps to ``into``: a, or a batch's sum.

    In dual form the rows of X are those of the Gram matrix, in the order of the visits.  ``criterion`` is that of the
    visits before these: its sum rounds alike however they are split.
    """
    t, weight, lengths = aims
    visits = order.size if order.size < etas.size else etas.size
    changes, errors, longest, worst = 0, 0, 0.0, 0.0
    for v in range(visits):
        i = order[v]
        row: Any = np.uint32(v) if dual else i
        g = row_dot(X, row, a)
        if not finite(g):
            return v, changes, errors, criterion, longest, worst, False
        e = t[i] - g
        step, square = lms_step(etas[v], e), np.float64(e) * e
        if weight.size:
            step, square = step * weight[i], square * weight[i]
        errors += (g <= 0) if t[i] > 0 else (g >= 0)
        criterion += square
        worst = abs(e) if abs(e) > worst else worst
        if step != 0:
            if dual:
                into[i + 1] += step
            else:
                row_axpy(X, i, step, a.dtype.type(1), into)
            length = abs(step) * lengths[i]
            longest = length if length > longest else longest
            changes += 1
    return visits, changes, errors, criterion, longest, worst, True


@compiled
def _epoch(
    X: Rows, aims: Aims, order: NDArray[np.uint32], a: NDArray[Any], into: NDArray[Any], etas: NDArray[Any],
    dual: bool, criterion: float,
) -> Any:  # fmt: skip
    """One pass, or a part of it."""
    return go_along(X, aims, order, a, into, etas, dual, criterion)


@compiled
def _passes(
    X: Rows, aims: Aims, order: NDArray[np.uint32], a: NDArray[Any], before: NDArray[Any], etas: NDArray[Any],
    tol: float, far: float, table: NDArray[np.float64],
) -> Any:  # fmt: skip
    """Make passes, one a row of this part of a history; the first that needs a look is taken back.  Tell how many.

    ``before`` has room for the weights before a pass.
    """
    dual = tol < 0  # never; for a literal numba would compile a form of its own
    for k in range(len(table)):
        copy_into(a, before)
        _, changes, errors, criterion, longest, worst, is_finite = go_along(X, aims, order, a, a, etas, dual, 0.0)
        square = 0.0
        for j in range(a.size):
            square += np.float64(a[j]) * a[j]
        length = np.sqrt(square) if square > 1 else 1.0
        if not (is_finite and worst < far and longest > tol * length and finite(square)):
            copy_into(before, a)
            return k
        table[k, 0], table[k, 1], table[k, 2], table[k, 3] = errors, criterion, etas[0], changes
    return len(table)


class WidrowHoffRule(Changing):
    """Algorithm 10, with the weights, or in dual form (0, α): one pass over the patterns, each of which moves them."""

    unit = "visits"

    def __init__(self, plan: WidrowHoffPlan, start: NDArray[Any], problem: AimedProblem) -> None:
        self.plan, self.schedule = plan, get(1.0 if plan.schedule is None else plan.schedule)
        self.size, self.largest, self.eta = length_of(start), 0.0, np.nan  # ‖a(1)‖, max w‖y‖², last step
        self.A: NDArray[Any] = np.zeros(problem.n_rows + 1, start.dtype) if plan.dual else start[0]
        self.recorded = Path(self.A, plan.record, plan.shares)
        self.random = plan.random()
        self.k = 0
        self.details: dict[str, Any] = {}
        self._Y = Samples(problem.source, np.ones(problem.n_rows)) if plan.dual else None
        self._patterns: Any = None
        self._looked = np.inf  # length of the gradient when what J can still fall by was last computed
        self.few: FewPatterns | None = None

    def epoch(self, problem: AimedProblem, watch: Watch) -> Epoch:
        """One pass, and a look at the gradient when its steps were small."""
        patterns = self.look(problem, watch)
        met = self.go_through(patterns, watch)
        self.schedule.observe(errors=met.errors)
        solved = met.longest <= self.plan.tol * max(1.0, length_of(self.primal(self.A)))
        if solved:
            looked, total = self.summed(patterns, watch)
            solved = self.solves(patterns, self.primal(total), looked.criterion, watch)
        return Epoch(met.errors, met.criterion, self.eta, met.changes, Status.CONVERGED if solved else None)

    def leap(self, problem: AimedProblem, watch: Watch, limit: int) -> NDArray[Any]:
        """Many passes in the rows' order, with a constant step, over patterns that are few."""
        fixed = isinstance(self.schedule, Constant) and self.random is None and not self.plan.dual
        few = not problem.streamed and problem.entries + problem.n_rows + problem.n_features <= FEW
        if self.recorded.rows.size or not (few and fixed):
            return EMPTY
        patterns = self.look(problem, watch)
        order, table = patterns.present, np.empty((min(limit, TOGETHER), len(HISTORY)))
        etas = self.coming(patterns, order)
        limits = float(self.plan.tol), self.farthest(patterns)
        before = np.empty_like(self.A)
        table = table[: _passes(problem.rows, patterns.aims, order, self.A, before, etas, *limits, table)]
        if len(table):
            self.k, self.eta = self.k + len(table) * order.size, float(etas[0])
        return table

    def farthest(self, patterns: AimedPatterns) -> float:
        """An error that only a descent that runs away can reach."""
        target, longest = patterns.reach
        return HUGE * (target + self.size * longest)

    def choose_step(self, patterns: AimedPatterns, watch: Watch) -> None:
        """A tenth of 1 / max‖y‖² over all the patterns that have come."""
        if self.plan.schedule is None:
            self.schedule = Constant(0.1 / self.largest)

    def bound(self) -> float:
        """The step that must not be reached."""
        return 2 / self.largest

    def look(self, problem: AimedProblem, watch: Watch) -> AimedPatterns:
        """The patterns, measured when they are new, with a step for them."""
        if self._patterns is None or self._patterns.problem is not problem:
            if self._patterns is not None:
                self._looked = np.inf
            self._patterns = StreamedPatterns(problem, watch) if problem.streamed else AimedPatterns(problem)
            self.largest = max(self.largest, self._patterns.largest_norm)
            if self.largest > 0:
                self.choose_step(self._patterns, watch)
        return cast(AimedPatterns, self._patterns)

    def forget(self) -> None:
        """Let go of the patterns; what is needed to go on is kept."""
        self._patterns = self.few = None
        self._looked = np.inf

    def go_on_from(self, earlier: Progress) -> None:
        self.k, given, schedule, self.largest, self.size = earlier
        if given is self.plan.schedule or given == self.plan.schedule:
            self.schedule = copy(schedule)  # what was published stays as it is, should this portion fail

    @property
    def answer(self) -> NDArray[Any]:
        return np.atleast_2d(self.primal(self.A))

    @property
    def path(self) -> NDArray[Any] | None:
        rows = self.recorded.so_far(self.A)
        return rows if rows is None or not self.plan.dual else np.array([self.primal(row) for row in rows])

    @property
    def findings(self) -> WidrowHoffFindings:
        progress = Progress(self.k, self.plan.schedule, copy(self.schedule), self.largest, self.size)
        alpha = self.A[1:].copy() if self.plan.dual else np.empty(0)
        return WidrowHoffFindings(details=self.details, progress=progress, alpha=alpha)

    def primal(self, v: NDArray[Any]) -> NDArray[Any]:
        """The sum of v_i y_i, where v stands for that; v itself in primal form."""
        if self._Y is not None:
            with np.errstate(over="ignore", invalid="ignore"):
                v = np.asarray(self._Y.T @ v[1:])
        if not all_finite(v):
            raise self.diverged(np.inf)
        return v

    def coming(self, patterns: AimedPatterns, part: NDArray[np.uint32]) -> NDArray[Any]:
        """The steps of the coming visits, at most one each; the scalar RLS takes η(k+1), as Eq. 71 takes R_{k+1}."""
        if isinstance(self.schedule, ScalarRLS):
            return self.schedule.after(patterns.norms[part]).astype(self.A.dtype)
        if isinstance(self.schedule, Constant):
            return np.full(part.size, self.schedule.eta, self.A.dtype)
        return self.schedule.values(self.k + 1, min(part.size, AHEAD)).astype(self.A.dtype)

    def visit(
        self, rows: Any, aims: Aims, part: NDArray[np.uint32], into: NDArray[Any], etas: NDArray[Any]
    ) -> StepTotals:
        """Visit patterns while there are ``etas``; the compiled pass comes back whenever the path takes a row."""
        totals, count = StepTotals(), min(part.size, etas.size)
        while totals.visits < count and totals.finite:
            at = slice(totals.visits, totals.visits + (self.recorded.gap if into is self.A else count))
            own: Any = rows[at] if self.plan.dual else rows
            met = StepTotals(*_epoch(own, aims, part[at], self.A, into, etas[at], self.plan.dual, totals.criterion))
            if into is self.A:
                self.recorded.add(self.A, met.changes)
            totals = totals.plus(met)._replace(criterion=met.criterion, finite=met.finite)
        return totals

    def go_through(self, patterns: AimedPatterns, watch: Watch) -> StepTotals:
        """Make a visit for each pattern, adding the steps to the weights."""
        totals = StepTotals()
        for portion in patterns.portions():
            totals = totals.plus(self.through(portion, watch, self.A))
            self._check(totals, patterns)
        return totals

    def summed(self, patterns: AimedPatterns, watch: Watch) -> tuple[StepTotals, NDArray[Any]]:
        """The sum of steps of length one along all patterns, and what was met; the weights stay."""
        totals, total = summed_steps(patterns, watch, self.bare() if patterns.spread else self)
        self._check(totals, patterns)
        return totals, total

    def bare(self) -> Self:
        """The rule as other machines need it: what sums steps, without its past."""
        made = object.__new__(type(self))
        made.plan, made.A = replace(self.plan, schedule=None), self.A
        return made

    def _check(self, totals: StepTotals, patterns: AimedPatterns) -> None:
        if totals.worst == np.inf or totals.worst > self.farthest(patterns):
            raise self.diverged(totals.worst)

    def through(self, patterns: AimedPatterns, watch: Watch, into: NDArray[Any]) -> StepTotals:
        correcting, dual, totals = into is self.A, self.plan.dual, StepTotals()
        order = self.plan.drawn(patterns.present, self.random) if correcting else patterns.present
        ascending = order is patterns.present
        for start, stop in watch.chunks(order.size, patterns.gram_work if dual else patterns.problem.entries):
            part = order[start:stop]
            rows: Any = patterns.gram_rows(part, ascending, watch) if dual else patterns.problem.rows
            while part.size:
                etas = self.coming(patterns, part) if correcting else np.ones(part.size, self.A.dtype)
                found = self.visit(rows, patterns.aims, part, into, etas)
                if not found.finite:
                    return totals._replace(worst=np.inf)
                if correcting:
                    self.k, self.eta = self.k + found.visits, float(etas[found.visits - 1])
                    if isinstance(self.schedule, ScalarRLS):
                        self.schedule.observe(sqnorm=float(patterns.norms[part[: found.visits]].sum()))
                part, totals = part[found.visits :], totals.plus(found)
                rows = rows[found.visits :] if dual else rows
        return totals

    def solves(self, patterns: AimedPatterns, gradient: NDArray[Any], value: float, watch: Watch) -> bool:
        """Whether ‖Yᵗ(Ya − b)‖ ≤ tol ‖Yᵗb‖, and J_s, of this value, cannot fall by more than tol of itself.

        The second is what counts: far from the origin Yᵗb is so long that the first says little.  Where Ya = b can be
        met, J_s falls for ever by a part of itself: less than tol² of J_s(0) is no fall.
        """
        size, tol = length_of(gradient), self.plan.tol
        if self.plan.shares == 1:  # a report has one line for it
            self.details = {"gradient": f"{size:.3g} long, {patterns.goal:.3g} at a = 0"}
        if size > min(tol * patterns.goal, self._looked / 2):  # the next look costs as much as many steps
            return False
        self._looked = size
        fall, at_zero = patterns.fall(self.primal(self.A), gradient, watch)
        return size == 0 or bool(np.isfinite(at_zero) and fall <= tol * max(value, tol * at_zero))

    def diverged(self, worst: float) -> ValueError:
        """The error for a descent that runs away."""
        size = "beyond all numbers" if not np.isfinite(worst) else f"{worst:.3g}"
        return ValueError(
            f"schedule={self.plan.schedule!r} diverges: after {self.k:,} {self.unit} the errors b - a'y are {size}. "
            f"Take steps below {self.bound():.3g} or schedule=None, or divide the features by their size, for instance "
            "with StandardScaler."
        )


class BatchRule(WidrowHoffRule):
    """The descent that adds up the steps of all patterns: a − η Yᵗ(Ya − b)."""

    unit = "steps"

    def choose_step(self, patterns: AimedPatterns, watch: Watch) -> None:
        """1 / λ_max(YᵗY), and a warning when a constant step is twice that or more."""
        if self.plan.schedule is None:
            self.schedule = Constant(1 / patterns.largest_eigenvalue(watch))
            return
        eta = self.schedule.eta if isinstance(self.schedule, Constant) else 0.0
        if eta * patterns.trace >= 2 and eta >= (bound := self.bound()):  # the trace is no less than λ_max
            text = (
                f"schedule={eta:g} is not below 2 / lambda_max(Y'Y) = {bound:.6g}: the batch rule diverges. Give a "
                "smaller step, None for half the bound, or 'optimal'."
            )
            warn_user(UserWarning(text))

    def bound(self) -> float:
        return 2 / float(self._patterns.largest_eigenvalue(None))

    def epoch(self, problem: AimedProblem, watch: Watch) -> Epoch:
        """One step, or none where the step is short and the gradient small."""
        patterns = self.look(problem, watch)
        met, total = self.summed(patterns, watch)
        gradient = self.primal(total)
        self.k += 1
        self.schedule.observe(errors=met.errors)
        if isinstance(self.schedule, Constant):
            self.eta = self.schedule.eta
        else:
            optimal = isinstance(self.schedule, Optimal)
            self.eta = steepest_step(patterns, gradient, watch) if optimal else self.schedule(self.k)
        short = self.eta * length_of(gradient) <= self.plan.tol * max(1.0, length_of(self.primal(self.A)))
        if short and self.solves(patterns, gradient, met.criterion, watch):
            return Epoch(met.errors, met.criterion, self.eta, 0, Status.CONVERGED)
        with np.errstate(over="ignore", invalid="ignore"):  # ``answer`` refuses what is not finite
            self.A += self.A.dtype.type(self.eta) * total
        self.recorded.add(self.A)
        return Epoch(met.errors, met.criterion, self.eta, 1, None)

    def leap(self, problem: AimedProblem, watch: Watch, limit: int) -> NDArray[Any]:
        """Many steps, none of them short, on the normalized patterns."""
        plan, schedule = self.plan, self.schedule
        known = not plan.dual and isinstance(schedule, Constant | Optimal) and problem.dtype == np.float64
        if self.k < FIRST or problem.streamed or not (known and FewPatterns.serve(problem)):
            return EMPTY
        patterns = self.look(problem, watch)
        t = problem.targets
        z = np.where(t > 0, 1.0, -1.0)
        if self.few is None:
            self.few = FewPatterns(problem, patterns.present, z, patterns.weight, np.eye(self.A.size))
        steps = Steps(
            rate=schedule.eta if isinstance(schedule, Constant) else 0.0,
            short=max(plan.tol, LEAST),
            far=min(FAR, self.farthest(patterns)),
        )
        table = self.few.leap(self.A, z * t, steps, limit, self.recorded)
        if len(table):
            self.k, self.eta = self.k + len(table), table[-1, 2]
        return table


def rule_of(plan: WidrowHoffPlan, problem: AimedProblem, start: NDArray[Any]) -> WidrowHoffRule:
    """The rule that the plan asks for."""
    return (BatchRule if plan.batch else WidrowHoffRule)(plan, start, problem)


@estimator
class WidrowHoff(WidrowHoffParameters, WeightedClassesClassifier):
    """Widrow-Hoff procedure (LMS): descend on the sum of squared errors, pattern by pattern or all at once.

    Minimizes J_s(a), the sum of (aᵗy − b)² over the normalized patterns.  The answer approximates the Bayes
    discriminant; it need not separate, even where a separating vector exists.  A constant step moves the weights for
    ever, unless Ya = b can be met: a falling schedule or ``batch=True`` makes them converge.  Sample weights multiply
    the steps.

    Parameters
    ----------
    targets : "ones" or array of shape (n,)
        The values b > 0 that aᵗy should take.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, §5.8.4 and §5.8.5, Algorithm 10, Eqs. 61 and 67.
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, Table 2.3, Exercise 1.

    Examples
    --------
    The answer of Example 1, a = (11/3, -4/3, -2/3), without a pseudoinverse:

    >>> from discriminant import WidrowHoff, datasets
    >>> X, y = datasets.pseudoinverse_example()
    >>> model = WidrowHoff(batch=True, tol=1e-8, max_iter=10_000).fit(X, y)
    >>> model.weights_.round(5).tolist(), model.status_.name
    ([3.66667, -1.33333, -0.66667], 'CONVERGED')
    """

    _held = {"alpha_?": "float n | float n k", "_progress": Progress.fits}
    _criterion = "J_s(a) = sum of (a'y - b)^2 over all patterns"

    targets: Any = "ones"
    multiclass: str = "one-vs-rest"
    class_weight: Any = None

    def _problems(self, problem: Any) -> list[Any]:
        if problem.streamed:
            return [AimedStream(**vars(part)) for part in super()._problems(problem)]
        b = margins_of(self.targets, problem.n_rows)
        return [AimedProblem.at(np.where(part.labels == 1, b, -b), part) for part in super()._problems(problem)]

    def _begin(self, problem: Problem, start: NDArray[Any], online: bool) -> Rule:
        return rule_of(self._form(), cast(AimedProblem, problem), start)

    def _publish(self, solutions: list[Solution[Any]], problem: Problem, X: Any) -> None:
        super()._publish(solutions, problem, X)
        if self.dual:
            signs = [2 * (part.labels == 1) - 1 for part in self._problems(problem)]
            found = [solution.findings.alpha for solution in solutions]
            columns = [alpha * z.astype(problem.dtype) for alpha, z in zip(found, signs, strict=True)]
            self.alpha_ = columns[0] if len(columns) == 1 else np.stack(columns, axis=1)
