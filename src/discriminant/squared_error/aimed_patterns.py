"""The Widrow-Hoff procedure, also called LMS, delta rule or Adaline: its rules, single-sample, batch and dual.

Problem: minimize the sum of squared errors J_s(a) = |Ya - b|^2 (Eq. 43) without inverting a matrix, by the steps

    a(k+1) = a(k) + eta(k) (b_k - a(k)'y^k) y^k              for one pattern           (Eq. 61, Algorithm 10)
    a(k+1) = a(k) - eta(k) Y'(Y a(k) - b)                    for all of them           (section 5.8.4)
    alpha_i <- alpha_i + eta(k) (b_i - sum_j alpha_j y_j'y_i)   the same in dual form, a = sum of alpha_i y_i

The patterns need not be normalized: with z = +1, -1 for the two categories, y -> zy and b -> zb leave all three as they
are.  So the classifier aims at t = zb, the regressor at any t, and both run the same pass.

Where it ends: with eta(k) = eta(1)/k the vectors converge to a solution of Y'(Ya - b) = 0, whether or not Y'Y is
singular (Problem 24), but only in the limit: with eta(1) = 1 the batch rule takes the slides' eight points beyond 1e129
first.  A constant eta makes the batch rule converge when eta < 2/lambda_max(Y'Y), where eta is twice that of gradient
descent on J_s.  It keeps the single-sample rule bounded when eta < 2/max|y|^2, but the corrections cease only where
Ya = b can be met.  The answer need not separate, even where a separating vector exists (Fig. 5.17, Problem 32).

Symbols: a the augmented weights, t the targets of the patterns y = (1, x), e = t - a'y, eta the step, k the number of
visits (of steps for the batch rule), ``lengths`` the |y|; in dual form ``a`` is (0, alpha) and X the Gram matrix.

Sources: Duda, Hart, Stork, *Pattern Classification*, sections 5.8.4 and 5.8.5, Algorithm 10, Problems 23, 24 and 32;
Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, section 2.2, Table 2.3, Exercises 1 and 2;
Beyan, *Linear Discriminant Functions*, lecture slides, 2024/25.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.utils import check_random_state

from .._engine.driver import Watch
from .._engine.moments import moments
from .._engine.path import Path, record
from .._engine.problem import Problem, read_only, sqnorms
from .._engine.refusals import check_total
from .._engine.rows import Rows, compiled, finite, inlined, row_axpy, row_dot
from .._guards.parameters import choice, number
from .._guards.state import Changing
from ..base.classifier import ORDER_OF_VISITS
from ..base.expansion import newton_step
from ..criteria import SquaredError
from ..exceptions import warn_user
from ..samples import Samples
from ..schedules import Constant, Optimal, ScalarRLS, Schedule, get
from ..solution import Epoch, Findings, Status

HUGE = 1e100  # an error that has grown by this factor will not come back
CACHE = 2**30  # bytes of the Gram matrix that are kept; beyond that it is computed anew each pass
AHEAD = 8192  # steps of a variable schedule that are computed at a time, at the most
SMALL = 500  # features up to which the eigenvalues of Y'Y are computed outright


@inlined
def lms_step(eta: Any, e: Any) -> Any:
    """Return eta (t - a'y), the multiple of y that is added (Eq. 61)."""
    return eta * e


@compiled
def _epoch(
    X: Rows,
    t: NDArray[Any],
    weight: NDArray[Any],
    lengths: NDArray[Any],
    order: NDArray[np.uint32],
    a: NDArray[Any],
    into: NDArray[Any],
    etas: NDArray[Any],
    dual: NDArray[np.uint32] | None,
    path: NDArray[Any] | None,
    cursor: NDArray[np.int64],
) -> Any:
    """Visit the patterns in the given order and add their steps to ``into``: a itself, or the sum of a batch.

    In dual form (``dual`` is not None) the rows of X are those of the Gram matrix, in the order of the visits.

    Returns the visits made (fewer when ``etas`` is used up, -1 when an inner product is not finite), those that changed
    ``into``, the errors, the criterion, the longest step and the largest |e|.
    """
    visits = min(order.size, etas.size)
    changes, errors, criterion, longest, worst = 0, 0, 0.0, 0.0, 0.0
    for v in range(visits):
        i = order[v]
        g = row_dot(X, i, a) if dual is None else row_dot(X, v, a)
        if not finite(g):
            return -1, changes, errors, criterion, longest, worst
        e = t[i] - g
        step, square = lms_step(etas[v], e), np.float64(e) * e
        if weight.size:
            step, square = step * weight[i], square * weight[i]
        errors += (g <= 0) if t[i] > 0 else (g >= 0)
        criterion += square
        worst = max(worst, abs(e))
        if step != 0:
            if dual is None:
                row_axpy(X, i, step, a.dtype.type(1), into)
            else:
                into[i + 1] += step
            if path is not None:
                record(path, cursor, into)
            longest = max(longest, abs(step) * lengths[i])
            changes += 1
    return visits, changes, errors, criterion, longest, worst


@dataclass(frozen=True)
class AimedProblem(Problem):
    """A problem with the value t that a'y should take on each pattern."""

    targets: NDArray[Any]

    @classmethod
    def at(cls, targets: NDArray[Any], problem: Problem) -> AimedProblem:
        """The same patterns, aimed at these targets."""
        with np.errstate(over="ignore"):
            t = np.ascontiguousarray(targets, problem.dtype)
        if not np.all(np.isfinite(t)):
            raise ValueError(f"targets up to {np.abs(targets).max():.3g} overflow {problem.dtype}: give X in float64.")
        return cls(**vars(problem), targets=read_only(t))


class Met(NamedTuple):
    """What a pass met: see ``_epoch``."""

    visits: int = 0
    changes: int = 0
    errors: int = 0
    criterion: float = 0.0
    longest: float = 0.0
    worst: float = 0.0

    def plus(self, other: Met) -> Met:
        """Both parts of a pass together."""
        return Met(
            self.visits + other.visits, self.changes + other.changes, self.errors + other.errors,
            self.criterion + other.criterion, max(self.longest, other.longest), max(self.worst, other.worst),
        )  # fmt: skip


class Progress(NamedTuple):
    """What a rule must know to go on with further patterns, beside the weights."""

    k: int
    given: Any
    schedule: Schedule
    largest: float
    size: float


@dataclass(frozen=True, kw_only=True)
class RuleFindings(Findings):
    """The rule itself, which knows the strengths and how to go on."""

    rule: LeastMeanSquaresRule


class LeastMeanSquaresRule(Changing):
    """The weights, or in dual form (0, alpha), and what is known about the patterns; a subclass makes the epoch."""

    unit = "visits"

    def __init__(self, A: NDArray[Any], problem: AimedProblem, model: WidrowHoffParameters) -> None:
        self.dual, self.given, self.tol = bool(model.dual), model.schedule, float(model.tol)
        self.size, self.largest, self.eta = length_of(A), 0.0, np.nan  # |a(1)|, max w|y|^2, last step
        self.A: NDArray[Any] = np.zeros(problem.n_rows + 1, A.dtype) if self.dual else A[0]
        self.schedule = get(1.0 if self.given is None else self.given)
        self.shares = model._shares()
        self.trail = Path(self.A, model.record == "weights", self.shares)
        self.random = check_random_state(model.random_state) if model.order == "random" else None
        self.k = 0
        self.details: dict[str, Any] = {}
        self.Y: Any = Samples(problem.source, np.ones(problem.n_rows))
        self.present: Any = None
        self.lengths: Any = None
        self.weight: Any = None
        self.norms: Any = None
        self.measured: AimedProblem | None = None
        self.gram: NDArray[Any] | None = None
        self.goal: float | None = None
        self.looked = np.inf  # length of the gradient when what J can still fall by was last computed

    def measure(self, problem: AimedProblem, watch: Watch) -> None:
        """Look at the patterns once: who takes part, how long they are, how long a step may be."""
        if self.measured is problem:
            return
        self.present = np.flatnonzero(problem.part).astype(np.uint32)
        norms = np.where(problem.part, sqnorms(problem.canonical().rows) + 1, 0)
        if not np.all(np.isfinite(norms)):
            raise problem.refuse()
        self.measured, self.lengths = problem, np.sqrt(norms).astype(problem.dtype)
        self.Y = Samples(problem.source, np.ones(problem.n_rows))
        self.weight = problem.part * (problem.weight.astype(np.float64) if problem.weight.size else 1.0)
        with np.errstate(over="ignore"):
            self.norms, self.gram, self.goal, self.looked = self.weight * norms, None, None, np.inf
        if np.any(self.weight):
            check_total(self.norms)
        self.largest = max(self.largest, float(self.norms.max()))
        self.usual = float(np.abs(problem.targets).max()) + self.size * float(self.lengths.max())  # bounds |e| at a(1)
        if self.largest > 0:
            self.choose_step(problem, watch)

    def choose_step(self, problem: AimedProblem, watch: Watch) -> None:
        """The default step, or a look at the given one."""
        raise NotImplementedError

    def epoch(self, problem: AimedProblem, watch: Watch) -> Epoch:
        """One iteration."""
        raise NotImplementedError

    def forget(self) -> None:
        """Let go of the patterns; what is needed to go on is kept."""
        self.measured = self.Y = self.gram = self.present = self.lengths = self.weight = self.norms = None

    @property
    def progress(self) -> Progress:
        """The count of the visits and what the schedule has seen."""
        return Progress(self.k, self.given, self.schedule, self.largest, self.size)

    def go_on_from(self, earlier: Progress) -> None:
        """Count and step on from there."""
        self.k, given, schedule, self.largest, self.size = earlier
        if given is self.given or given == self.given:
            self.schedule = schedule

    @property
    def answer(self) -> NDArray[Any]:
        """The weights, one row."""
        return np.atleast_2d(self.primal(self.A))

    @property
    def path(self) -> NDArray[Any] | None:
        """The recorded weights."""
        rows = self.trail.so_far(self.A)
        return rows if rows is None or not self.dual else np.array([self.primal(row) for row in rows])

    @property
    def alpha(self) -> NDArray[Any]:
        """In dual form: the strength of each pattern."""
        return self.A[1:].copy()

    def primal(self, v: NDArray[Any]) -> NDArray[Any]:
        """The sum of v_i y_i, where v stands for that; v itself in primal form."""
        if self.dual:
            with np.errstate(over="ignore", invalid="ignore"):
                v = np.asarray(self.Y.T @ v[1:])
        if not np.all(np.isfinite(v)):
            raise self.diverged(np.inf)
        return v

    @property
    def findings(self) -> RuleFindings:
        """The strengths in dual form, and what is needed to go on."""
        return RuleFindings(details=self.details, rule=self)

    def rows(self, problem: AimedProblem, part: NDArray[np.uint32], watch: Watch) -> Any:
        """What the pass visits: X, or the rows 1 + x_i'x_j of the Gram matrix."""
        if not self.dual:
            return problem.rows
        X, n = problem.source, problem.n_rows
        if self.gram is None and n * n * X.dtype.itemsize <= CACHE:
            gram = np.empty((n, n), X.dtype)
            for start, stop in watch.chunks(n, n * n * (1 + problem.n_features // 16)):
                gram[start:stop] = _inner_products(X[start:stop], X)
            self.gram = gram
        if self.gram is None:
            return read_only(_inner_products(X[part], X))
        ascending = self.random is None and int(part[-1]) - int(part[0]) + 1 == part.size
        return read_only(self.gram[part[0] : part[-1] + 1] if ascending else self.gram[part])

    def coming(self, part: NDArray[np.uint32]) -> NDArray[Any]:
        """The steps of the coming visits, at most one each; the scalar RLS takes eta(k+1), as Eq. 71 takes R_{k+1}."""
        if isinstance(self.schedule, ScalarRLS):
            return self.schedule.after(self.norms[part]).astype(self.A.dtype)
        if isinstance(self.schedule, Constant):
            return np.full(part.size, self.schedule.eta, self.A.dtype)
        return self.schedule.values(self.k + 1, min(part.size, AHEAD)).astype(self.A.dtype)

    def go_through(self, problem: AimedProblem, watch: Watch, into: NDArray[Any]) -> Met:
        """Visit every pattern once, adding the steps to the weights, or steps of length one to a sum."""
        correcting, met = into is self.A, Met()
        order = self.present if self.random is None or not correcting else self.random.permutation(self.present)
        path = self.trail.rows if correcting else None
        work = order.size * problem.n_rows * (1 + problem.n_features // 16) if self.dual else problem.entries
        for start, stop in watch.chunks(order.size, work):
            part = order[start:stop]
            rows = self.rows(problem, part, watch)
            while part.size:
                etas = self.coming(part) if correcting else np.ones(part.size, self.A.dtype)
                found = Met(*_epoch(
                    rows, problem.targets, problem.weight, self.lengths, part, self.A, into, etas,
                    part if self.dual else None, path, self.trail.cursor,
                ))  # fmt: skip
                if found.visits < 0:
                    raise self.diverged(np.inf)
                if correcting:
                    self.k, self.eta = self.k + found.visits, float(etas[found.visits - 1])
                    if isinstance(self.schedule, ScalarRLS):
                        self.schedule.observe(sqnorm=float(self.norms[part[: found.visits]].sum()))
                part, met = part[found.visits :], met.plus(found)
                rows = rows[found.visits :] if self.dual else rows
        if met.worst > HUGE * self.usual:
            raise self.diverged(met.worst)
        return met

    def solves(self, problem: AimedProblem, gradient: NDArray[Any], value: float, watch: Watch) -> bool:
        """Whether |Y'(Ya - b)| <= tol |Y'b|, and J_s, of this value, cannot fall by more than tol of itself.

        The second is what counts: far from the origin Y'b is so long that the first says little.  Where Ya = b can be
        met, J_s falls for ever by a part of itself: less than tol^2 of J_s(0) is no fall.
        """
        if self.goal is None:
            self.goal = length_of(self.Y.T @ (self.weight * problem.targets))
        size = length_of(gradient)
        if self.shares == 1:  # a report has one line for it
            self.details = {"gradient": f"{size:.3g} long, {self.goal:.3g} at a = 0"}
        if size > min(self.tol * self.goal, self.looked / 2):  # the next look costs as much as many steps
            return False
        self.looked = size
        with np.errstate(over="ignore", invalid="ignore"):  # of an infinite J nothing can be told
            at_zero = float(np.sum(self.weight * np.square(problem.targets, dtype=np.float64)))
            J = SquaredError(self.Y, problem.targets, self.weight)
            margins = self.Y @ self.primal(self.A)
            fall = newton_step(J, margins, -2 * gradient.astype(np.float64), watch).fall
        return size == 0 or bool(np.isfinite(at_zero) and fall <= self.tol * max(value, self.tol * at_zero))

    def bound(self) -> float:
        """The step that must not be reached."""
        return 2 / self.largest

    def diverged(self, worst: float) -> ValueError:
        """The error for a descent that runs away."""
        size = "beyond all numbers" if not np.isfinite(worst) else f"{worst:.3g}"
        return ValueError(
            f"schedule={self.given!r} diverges: after {self.k:,} {self.unit} the errors b - a'y are {size}. "
            f"Take steps below {self.bound():.3g} or schedule=None, or divide the features by their size, for instance "
            "with StandardScaler."
        )


class SingleSampleRule(LeastMeanSquaresRule):
    """Algorithm 10: one pass over the patterns, each of which moves the weights."""

    def choose_step(self, problem: AimedProblem, watch: Watch) -> None:
        """A tenth of 1 / max|y|^2 over all the patterns that have come."""
        if self.given is None:
            self.schedule = Constant(0.1 / self.largest)

    def epoch(self, problem: AimedProblem, watch: Watch) -> Epoch:
        """One pass, and a look at the gradient when its steps were small."""
        self.measure(problem, watch)
        met = self.go_through(problem, watch, self.A)
        self.schedule.observe(errors=met.errors)
        solved = met.longest <= self.tol * max(1.0, length_of(self.primal(self.A)))
        if solved:
            total = np.zeros_like(self.A)
            value = self.go_through(problem, watch, total).criterion
            solved = self.solves(problem, self.primal(total), value, watch)
        return Epoch(met.errors, met.criterion, self.eta, met.changes, Status.CONVERGED if solved else None)


class BatchRule(LeastMeanSquaresRule):
    """One step a - eta Y'(Ya - b)."""

    unit = "steps"

    def choose_step(self, problem: AimedProblem, watch: Watch) -> None:
        """1 / lambda_max(Y'Y), and a warning when a constant step is twice that or more."""
        if self.given is None:
            self.schedule = Constant(1 / self.curvature(watch))
            return
        eta = self.schedule.eta if isinstance(self.schedule, Constant) else 0.0
        if eta * self.norms.sum() >= 2 and eta >= (bound := self.bound()):  # the trace is no less than lambda_max
            text = (
                f"schedule={eta:g} is not below 2 / lambda_max(Y'Y) = {bound:.6g}: the batch rule diverges. Give a "
                "smaller step, None for half the bound, or 'optimal'."
            )
            warn_user(UserWarning(text))

    def curvature(self, watch: Watch | None = None) -> float:
        """lambda_max(Y'Y)."""
        if not np.isfinite(largest := largest_eigenvalue(self.Y, self.weight, watch)) and self.measured is not None:
            raise self.measured.refuse()
        return largest

    def bound(self) -> float:
        """The step that must not be reached."""
        return 2 / self.curvature()

    def length(self, gradient: NDArray[Any]) -> float:
        """Eq. 14 for J_s, whose eta is half of this: |g|^2 / |Yg|^2 with g = Y'(b - Ya)."""
        if not (size := float(np.abs(gradient).max())) > 0:
            return 0.0
        unit = np.asarray(gradient / size, np.float64)
        with np.errstate(over="ignore", divide="ignore"):  # an infinite step is refused as one that diverges
            return float(unit @ unit / np.sum(self.weight * np.square(self.Y @ unit, dtype=np.float64)))

    def epoch(self, problem: AimedProblem, watch: Watch) -> Epoch:
        """One step, or none where the step is short and the gradient small."""
        self.measure(problem, watch)
        total = np.zeros_like(self.A)
        met = self.go_through(problem, watch, total)
        gradient = self.primal(total)
        self.k += 1
        self.schedule.observe(errors=met.errors)
        self.eta = self.length(gradient) if isinstance(self.schedule, Optimal) else self.schedule(self.k)
        short = self.eta * length_of(gradient) <= self.tol * max(1.0, length_of(self.primal(self.A)))
        if short and self.solves(problem, gradient, met.criterion, watch):
            return Epoch(met.errors, met.criterion, self.eta, 0, Status.CONVERGED)
        with np.errstate(over="ignore", invalid="ignore"):  # ``answer`` refuses what is not finite
            self.A += self.A.dtype.type(self.eta) * total
        self.trail.add(self.A)
        return Epoch(met.errors, met.criterion, self.eta, 1, None)


def length_of(v: NDArray[Any]) -> float:
    """Length of a vector, in double precision."""
    with np.errstate(over="ignore"):
        return float(np.linalg.norm(v.astype(np.float64, copy=False)))


def _inner_products(X: Any, Z: Any) -> NDArray[Any]:
    """1 + x'z for all rows of X and Z."""
    G = X @ Z.T
    return np.asarray((G.toarray() if sparse.issparse(G) else G) + X.dtype.type(1))


def largest_eigenvalue(Y: Samples, weight: NDArray[Any], watch: Watch | None) -> float:
    """lambda_max of the sum of w_i y_i y_i'."""
    d = Y.shape[1]
    with np.errstate(over="ignore", invalid="ignore"):
        if d <= SMALL:
            m = moments(Y.X, np.empty((len(weight), 0)), None if np.all(weight == 1) else weight, watch)
            y = np.append(1.0, m.mean)
            gram = m.total * np.outer(y, y)
            gram[1:, 1:] += m.scatter
            return float(np.linalg.eigvalsh(gram)[-1]) if np.all(np.isfinite(gram)) else np.inf
        operator = LinearOperator((d, d), matvec=lambda v: Y.T @ (weight * (Y @ v.ravel())), dtype=np.float64)
        accuracy = 1e-6 if Y.dtype == np.float64 else 1e-4
        start = np.random.default_rng(0).random(d)  # fixed, and at right angles to nothing in particular
        return float(eigsh(operator, k=1, v0=start, tol=accuracy, return_eigenvectors=False)[0])


class WidrowHoffParameters:
    """What the classifier and the regressor share: parameters, their checks, the rule, the remedy."""

    _expected_failed_checks = ORDER_OF_VISITS

    _exact = "LeastSquares"
    _watched: str | None = "errors"  # what a schedule may look at

    batch: bool
    dual: bool
    schedule: Any
    tol: float
    order: str
    start: Any
    max_iter: int
    record: str | None
    random_state: Any

    def _check_rule(self) -> None:
        if not isinstance(self.max_iter, int | np.integer) or isinstance(self.max_iter, bool) or self.max_iter < 1:
            raise ValueError(f"max_iter={self.max_iter!r} must be a whole number >= 1; give passes.")
        number("tol", self.tol, "give a tolerance >= 0 for the steps and the gradient", 0, closed=True)
        choice("order", self.order, ("cyclic", "random"))
        choice("record", self.record, (None, "weights"))
        if self.batch and self.order == "random":
            raise ValueError("order='random' with batch=True: a batch step looks at all patterns at once; drop one.")
        if self.dual and self.start is not None:
            raise ValueError("start with dual=True: the dual form starts from a = 0, a sum of no patterns; drop one.")
        needs = None if self.schedule is None else get(self.schedule).needs
        special, known = ("optimal", "curvature") if self.batch else ("rls", "norms")
        if needs not in (None, known, self._watched):
            raise ValueError(
                f"schedule={self.schedule!r} needs {needs}, which {type(self).__name__}(batch={self.batch!r}) has not: "
                f"give a number, '1/k', '{special}' or a function of k."
            )

    def _shares(self) -> int:
        """The number of paths that share the memory for them."""
        return 1

    def _rule(self, problem: AimedProblem, start: NDArray[Any]) -> LeastMeanSquaresRule:
        return (BatchRule if self.batch else SingleSampleRule)(start, problem, self)

    def _remedy(self) -> str:
        falling = "" if self.batch else "a falling schedule such as '1/k', batch=True, or "
        return f"{falling}{self._exact} for the exact answer; a larger max_iter or tol, or standardized features."


def streams(model: Any) -> bool:
    """Whether the rule can go on with new patterns: one by one, and not as a sum of those it has seen."""
    return not (model.batch or model.dual)
