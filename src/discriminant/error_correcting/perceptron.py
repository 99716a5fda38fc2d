"""The perceptron: fixed and variable increments, single-sample and batch, with margin, averaged, with slack.

Problem: find a = (w₀, w) with aᵗyᵢ > b for all normalized patterns yᵢ.  The criterion is
J_p(a) = Σ (b − aᵗy) over the patterns with aᵗy ≤ b, and its gradient gives the rule

    a(k+1) = a(k) + η(k) yᵏ     where a(k)ᵗyᵏ ≤ b                     (single-sample, Eqs. 20 and 27)
    a(k+1) = a(k) + η(k) Σ y    over all y with a(k)ᵗy ≤ b            (batch, Eqs. 18 and 31)

Theorem 5.1: on linearly separable patterns the single-sample rule ends after finitely many corrections (bounded in
``discriminant.bounds.perceptron``); with b > 0 or a variable increment when η(k) meets Eqs. 28-30.  On other
patterns it never ends, but its weights stay bounded, and on integers they come back (§5.7).  An empirical rule to stop
then looks at the length ‖a‖, which fluctuates near a limit.

With c classes the same rule runs on Kesler's patterns: a_i += η y, a_j −= η y for the strongest rival j (Eq. 115).

Symbols: A the weight vectors, one row a discriminant; b the margin; η the step; ``bias`` the increment of w₀: 1, or
R² in the form of Cristianini and Shawe-Taylor.

Sources: Duda, Hart, Stork, *Pattern Classification*, §5.5 and §5.7, Algorithms 3-6; Cristianini,
Shawe-Taylor, *An Introduction to Support Vector Machines*, Table 2.1 and Remarks 2.8-2.9.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Rule, Watch
from .._engine.problem import Problem
from .._engine.rows import compiled, finite
from .._guards.parameters import FLAG, ORDER, RECORD, Choice, Number, Or, refused
from ..base.class_weights import WeightedClassesClassifier
from ..base.classifier import ORDER_OF_VISITS
from ..base.inherited_docs import estimator
from ..bounds import radius
from ..perceptron_bounds import spread
from ..schedules import Schedule, get
from ..solution import Epoch, Findings, Solution, Status
from .corrections import MARGIN, CorrectionPlan, ErrorCorrectingRule, all_errors, check_schedule, theorem_bound
from .pocket import PocketRule
from .visits import Array, Order, PassTotals, Visits, correct, visit


class Variants(NamedTuple):
    """What only some perceptrons keep; an empty array stands for what is not asked for.

    The plain perceptron has None in its place, which the compiler leaves out: to ask at every visit whether an array is
    empty would cost 5 % of a pass over short rows.
    """

    slack: Any  # Δ²
    extra: Array  # the part of each margin that is due to the slack coordinates
    total: NDArray[np.float64]  # of the corrections, each times the number of visits before it: for the average
    visits: NDArray[np.int64]  # one entry: those made so far


# The rule, for a pattern with aᵗy ≤ b: a += η y, or with c classes a_i += η y and a_j −= η y (Eqs. 20, 27 and 115).
learn = correct  # no function of its own, which would lengthen the first fit by 6 %


@compiled
def _epoch(visits: Visits, A: Array, to: Array, b: Any, bias: Any, variants: Variants | None) -> Any:
    """Visit the patterns, correct at each violator of A: single-sample where ``to`` is A, batch where it is a sum."""
    X, labels, weight, order, etas, criterion = visits
    corrections, errors, lowest = 0, 0, np.inf
    for t in range(order.size):
        i = order[t]
        label = labels[i]
        if label < 0:
            continue
        if corrections == etas.size:
            return t, corrections, errors, criterion, lowest, True
        margin, rival = visit(X, i, label, A)
        if not finite(margin):
            return t, corrections, errors, criterion, lowest, False
        errors += margin <= 0
        if variants is not None and variants.extra.size:
            margin += variants.extra[i]
        lowest = margin if margin < lowest else lowest
        if margin <= b:
            eta = etas[corrections] * weight[i] if weight.size else etas[corrections]
            learn(X, i, label, rival, eta, bias, to)
            if variants is not None:
                if variants.extra.size:
                    variants.extra[i] += eta * variants.slack
                if variants.total.size:
                    learn(X, i, label, rival, eta * variants.visits[0], bias, variants.total)
            criterion += b - margin
            corrections += 1
        if variants is not None:
            variants.visits[0] += 1
    return order.size, corrections, errors, criterion, lowest, True


@dataclass(frozen=True, kw_only=True)
class PerceptronPlan(CorrectionPlan):
    """How a perceptron is to run.

    ``slack`` is the length Δ of the slack coordinates, ``average`` asks for the mean, ``patience`` are the passes that
    the length of a is waited for.
    """

    slack: float = 0.0
    average: bool = False
    patience: int | None = None


@dataclass(frozen=True, kw_only=True)
class PerceptronFindings(Findings):
    """First and last weights, the increment of w₀, and the smallest margin of the last pass."""

    start: Array
    last: Array
    bias: float
    gamma: float
    online: bool


class PerceptronRule(ErrorCorrectingRule):
    """What the single-sample and the batch rule share: the pass, and the way they end."""

    def __init__(self, A: Array, problem: Problem, plan: PerceptronPlan) -> None:
        super().__init__(A, plan)
        self.start, self.gamma = A.copy(), np.inf
        self.repeats = self.repeats and not plan.slack
        self.earlier(self.A)
        self.patience = None if plan.online else plan.patience
        self.longest, self.waited = 0.0, 0  # ‖a‖ at the end of a pass, and the passes since it was so long
        self.variants: Variants | None = None
        if plan.slack or plan.average:
            extra = np.zeros(problem.n_rows if plan.slack else 0, A.dtype)
            total = np.zeros(self.A.shape if plan.average else (0,) * self.A.ndim)
            self.variants = Variants(A.dtype.type(plan.slack**2), extra, total, np.zeros(1, np.int64))

    @property
    def findings(self) -> PerceptronFindings:
        return PerceptronFindings(
            notes=self.notes, inseparable=self.inseparable, start=self.start, bias=float(self.bias), gamma=self.gamma,
            last=np.atleast_2d(self.A).copy(), online=self.online,
        )  # fmt: skip

    def visit_all(self, problem: Problem, order: Order, etas: Array, to: Array) -> PassTotals:
        visits = self.visits(problem, order, etas)
        return self.along(visits, lambda some: _epoch(some, self.A, to, self.b, self.bias, self.variants))

    def _ended(self, problem: Problem, totals: PassTotals) -> Status | None:
        """The status when the corrections have ceased or are bound to go on for ever."""
        self.gamma = totals.lowest
        if not totals.corrections:
            return Status.CONVERGED if totals.errors else Status.SEPARATED
        if (earlier := self.earlier(self.A)) is None:
            return Status.STOPPED if self.patience is not None and self._fluctuates(self.patience) else None
        self._prove(problem, f"The weights after this pass are those that began pass {earlier}")
        return Status.CYCLES

    def _fluctuates(self, patience: int) -> bool:
        """Whether a has not become longer for so many passes: an empirical rule, which proves nothing (§5.7)."""
        length = float(np.linalg.norm(self.A))
        self.waited = 0 if length > self.longest else self.waited + 1
        self.longest = max(self.longest, length)
        if self.waited < patience:
            return False
        self.notes = [
            f"The weights have not been longer than {self.longest:.6g} for {patience} passes: their length fluctuates, "
            "as it does where classes overlap. That is no proof, and these weights are those of a chance moment."
        ]
        return True

    def _additions(self, problem: Problem) -> int:
        """How many patterns have been added to the weights, at the most."""
        return self.k

    def _prove(self, problem: Problem, finding: str) -> None:
        """Say whether the finding is a proof: it is when all the arithmetic was exact."""
        exact = problem.exact(self.start, self._additions(problem), self.eta(), float(self.bias))
        self.inseparable = exact
        what = "exact arithmetic: the classes are not linearly separable" if exact else "floating-point arithmetic"
        self.notes = [f"{finding}, in {what}."]


class SingleSamplePerceptron(PerceptronRule):
    """Algorithms 4 and 5: one pass over the patterns, correcting at each violator."""

    @property
    def answer(self) -> Array:
        """The weights, or their mean over all visits."""
        kept = self.variants
        if kept is None or not (kept.total.size and kept.visits[0]):
            return super().answer
        return np.atleast_2d(self.A - kept.total / kept.visits[0]).astype(self.A.dtype)

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        totals = self.sweep(problem, watch)
        status = self._ended(problem, totals)
        if status is Status.SEPARATED and self.variants is not None and self.variants.total.size:
            status, totals = self._judge_mean(problem, totals, watch)
        return self.summary(totals, status)

    def _judge_mean(self, problem: Problem, totals: PassTotals, watch: Watch) -> tuple[Status, PassTotals]:
        """The weights separate; their mean, which is the answer, need not."""
        mean = self.answer[0] if self.A.ndim == 1 else self.answer
        errors = all_errors(problem, np.ascontiguousarray(mean), watch)
        if not errors:
            return Status.SEPARATED, totals
        self.notes = [f"The last weights separate all patterns, their mean leaves {errors} errors: last_weights_."]
        return Status.CONVERGED, totals._replace(errors=errors)


class BatchPerceptron(PerceptronRule):
    """Algorithms 3 and 6: one step along the sum of all violators."""

    def _additions(self, problem: Problem) -> int:
        return (self.k + 1) * problem.n_rows

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One step, or none when nothing violates the margin."""
        found, total = self.gather(problem, watch)
        if found.corrections and not total.any():
            self._prove(problem, "The violators add up to zero, so that the weights cannot move")
            return self.summary(found._replace(corrections=0), Status.CYCLES)
        if found.corrections:
            self.move(total)
        found = found._replace(corrections=min(found.corrections, 1))
        return self.summary(found, self._ended(problem, found))


@estimator
class Perceptron(WeightedClassesClassifier):
    """Perceptron: correct the weights at every error until there is none.

    Minimizes J_p(a), the sum of b − aᵗy over the normalized patterns with aᵗy ≤ b.  On separable patterns it ends at
    a separating vector after a bounded number of corrections; on others it stops when ``max_iter`` passes are made, or
    earlier when the weights come back and so prove that it would never end.

    Parameters
    ----------
    batch
        Add all violators at once (Algorithms 3 and 6) instead of one by one (4 and 5).
    margin : float
        The margin b ≥ 0 that aᵗy must exceed.
    schedule : float, str, callable or Schedule
        The increment η(k) of the k-th correction: a number, ``"1/k"``, ``"k"``, ``"adaptive"``, a function of k.
    average
        Answer with the mean of the weights over all visits; the stop looks at the weights themselves,
        ``last_weights_``.
    pocket
        Visit at random with replacement and keep the best weights seen: a copy is made when a run of correct answers
        is longer than that of the pocket and the errors on all patterns are fewer.
    slack : float
        Δ > 0 gives every pattern a coordinate of its own, which makes any patterns separable; ``predict`` drops it.
    patience : int or None
        Stop when the length of a, at the end of each pass, has reached no new maximum for so many passes: on classes
        that overlap it fluctuates near a limit (§5.7).  None waits for a clean pass.  On separable classes it may stop
        too early; with ``average`` an unfortunate last moment matters less.
    bias
        Increment of w₀: η, or η R² with R the largest length of a pattern.
    record
        ``"weights"`` keeps the path of the weights in ``history_["weights"]``: every correction for up to 10,000,
        thinned beyond, at most 512 MiB.
    random_state : int, RandomState instance or None
        Seed of the random order and of the pocket's visits.

    Attributes
    ----------
    status_, report_
        Why it stopped, and what happened in words, with the bound of the theorem.
    last_weights_ : array
        With ``average`` or ``pocket``: the weights at the end of the last pass.
    n_copies_ : int
        With ``pocket``: how often the pocket changed.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, §5.5, §5.7, §5.12.2, Algorithms 3-6, Theorem 5.1, Computer
    exercise 3.  Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, Table 2.1, Remarks 2.8-2.9.

    Examples
    --------
    Boolean OR takes nine corrections (*Machine Learning: Theory and Practice*, Example 6):

    >>> from discriminant import Perceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    >>> model = Perceptron().fit(X, y)
    >>> model.weights_.tolist(), model.n_corrections_, model.status_.name
    ([-1.0, 2.0, 2.0], 9, 'SEPARATED')
    """

    _held = {"last_weights_?": "float k 1+d | float 1+d", "n_copies_?": "count"}
    _criterion = "J_p(a) = sum of b - a'y over the patterns with a'y <= b"
    _strategies = ("kesler", "one-vs-rest", "one-vs-one")
    _added_parameters = ("patience",)
    _expected_failed_checks = ORDER_OF_VISITS | {
        "check_class_weight_classifiers": "without a margin the plane stops at the edge of the class that weighs most"
    }
    _parameters = {
        **dict.fromkeys(("batch", "average", "pocket"), FLAG), "margin": MARGIN, "schedule": check_schedule,
        "slack": Number("give a slack coordinate Delta >= 0", 0, closed=True),
        "patience": Or((None,), Number("give the passes to wait for a longer vector", 1, closed=True, whole=True)),
        "bias": Choice(("augmented", "radius")), "order": ORDER, "record": RECORD,
    }  # fmt: skip

    batch: bool = False
    margin: float = 0.0
    schedule: float | str | Callable[[int], float] | Schedule = 1.0
    average: bool = False
    pocket: bool = False
    slack: float = 0.0
    patience: int | None = None
    bias: str = "augmented"
    order: str = "cyclic"
    start: Any = None
    max_iter: int = 1000
    record: str | None = None
    multiclass: str = "kesler"
    class_weight: Any = None
    random_state: Any = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        chosen = [name for name in ("batch", "average", "pocket") if getattr(self, name)]
        if self.slack > 0 and (self.batch or self.pocket):
            chosen.append("slack")
        if len(chosen) > 1:
            given = " and ".join(f"{name}={getattr(self, name)!r}" for name in chosen)
            raise ValueError(f"{given} must not be given together; choose one of them.")
        if self.pocket and self.patience is not None:
            raise refused("patience", self.patience, "None where pocket=True keeps the best weights", "drop one")

    def _begin(self, problem: Problem, start: NDArray[Any], online: bool) -> Rule:
        if self.slack > 0 and problem.n_outputs > 1:
            raise refused("slack", self.slack, "0 for one machine of many classes", "set multiclass='one-vs-rest'")
        bias = 1.0 if self.bias == "augmented" else problem.squared_radius() + self.slack**2  # + that of its coordinate
        plan = self._plan(PerceptronPlan, bias=bias, online=online)
        if self.pocket:
            return PocketRule(start, plan)
        return (BatchPerceptron if self.batch else SingleSamplePerceptron)(start, problem, plan)

    def _publish(self, solutions: list[Solution[Any]], problem: Problem, X: Any) -> None:
        super()._publish(solutions, problem, X)
        if self.average or self.pocket:
            last = np.concatenate([solution.findings.last for solution in solutions])
            self.last_weights_: NDArray[Any] = last[0] if len(last) == 1 else last
        if self.pocket:
            self.n_copies_ = sum(solution.findings.copies for solution in solutions)

    def _resumed_from(self) -> NDArray[Any]:
        return self.last_weights_ if self.average else self.weights_

    def _remedy(self) -> str:
        overlap = "pocket=True keeps the weights with the fewest errors, average=True their mean"
        if self.pocket:
            return "a larger max_iter or another random_state; a plane with fewer errors may not exist."
        if self.status_ is Status.CYCLES:
            return overlap + "."
        return f"{overlap}; if the classes are separable after all, a larger max_iter or standardized features help."

    def _theorem(self, solution: Solution[Any], problem: Problem) -> Callable[[Any], float | None] | None:
        """The bound of Theorem 5.1, in the space where w₀ belongs to a constant coordinate: 1, or R."""
        schedule = get(self.schedule)
        plain = not (self.pocket or self.average or self.slack) and not problem.weight.size
        plain = plain and not solution.findings.online  # the last portion does not tell the radius of all
        if solution.status is not Status.SEPARATED or schedule.name != "constant" or not plain:
            return None
        constant = np.sqrt(solution.findings.bias)
        scale = np.r_[1 / constant, np.ones(problem.n_features)]
        kesler = 1 if problem.n_outputs == 1 else np.sqrt(2)
        answer, gamma = solution.weights * scale, solution.findings.gamma
        numbers = {"start": solution.findings.start * scale, "margin": float(self.margin)}
        batch, eta = bool(self.batch), float(schedule(1))

        def theorem(X: Any) -> float | None:
            etas = eta, eta * spread(X, constant) if batch else eta
            return theorem_bound(answer, kesler * np.hypot(radius(X), constant), gamma, eta=etas, **numbers)

        return theorem
