"""The perceptron: fixed and variable increments, single-sample and batch, with margin, averaged, with slack.

Problem: find a = (w0, w) with a'y_i > b for all normalized patterns y_i.  The criterion is
J_p(a) = sum of (b - a'y) over the patterns with a'y <= b, and its gradient gives the rule

    a(k+1) = a(k) + eta(k) y^k        where a(k)'y^k <= b                  (single-sample, Eqs. 20 and 27)
    a(k+1) = a(k) + eta(k) sum of y   over all y with a(k)'y <= b          (batch, Eqs. 18 and 31)

Theorem 5.1: on linearly separable patterns the single-sample rule ends after finitely many corrections (bounded in
``discriminant.bounds.perceptron``); with b > 0 or a variable increment when eta(k) meets Eqs. 28-30.  On other
patterns it never ends, but its weights stay bounded, and on integers they come back (section 5.7).

With c classes the same rule runs on Kesler's patterns: a_i += eta y, a_j -= eta y for the strongest rival j (Eq. 115).

Symbols: A the weight vectors, one row a discriminant; b the margin; eta the step; ``bias`` the increment of w0: 1, or
R^2 in the form of Cristianini and Shawe-Taylor.

Sources: Duda, Hart, Stork, *Pattern Classification*, sections 5.5 and 5.7, Algorithms 3-6; Cristianini,
Shawe-Taylor, *An Introduction to Support Vector Machines*, Table 2.1 and Remarks 2.8-2.9.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Rule, Watch
from .._engine.path import record
from .._engine.problem import Problem
from .._engine.rows import Rows, compiled, finite, inlined
from .._guards.parameters import choice, number
from ..base.classifier import ORDER_OF_VISITS
from ..base.online import OnlineClassifier
from ..bounds import perceptron_from_numbers
from ..schedules import Schedule, get
from ..solution import Epoch, Findings, Solution, Status
from .pocket import PocketRule, all_errors
from .visits import ErrorCorrectingRule, Returns, Sweep, correct, visit


@inlined
def violates(margin: Any, b: Any) -> Any:
    """Tell whether a'y <= b: the pattern calls for the correction a += eta(k) y (Algorithm 5)."""
    return margin <= b


@compiled
def _epoch(
    X: Rows,
    labels: NDArray[np.int32],
    weight: NDArray[Any],
    order: NDArray[np.uint32],
    A: NDArray[Any],
    b: Any,
    etas: NDArray[Any],
    bias: Any,
    slack: Any,
    extra: NDArray[Any] | None,
    total: NDArray[np.float64] | None,
    visits: NDArray[np.int64],
    path: NDArray[Any] | None,
    cursor: NDArray[np.int64],
) -> Any:
    """Visit the patterns in the given order and correct A; ``etas`` are the steps of the coming corrections.

    What is None (``extra`` of the slack, ``total`` of the average, ``path`` of the record) is left out by the compiler.

    Returns how many were visited (fewer than there are when ``etas`` is used up, -1 when an inner product is not
    finite), the corrections, the errors, the criterion and the smallest margin.
    """
    corrections, errors, criterion, low = 0, 0, 0.0, np.inf
    for t in range(order.size):
        i = order[t]
        label = labels[i]
        if label < 0:
            continue
        if corrections == etas.size:
            return t, corrections, errors, criterion, low
        margin, rival = visit(X, i, label, A)
        if not finite(margin):
            return -1, corrections, errors, criterion, low
        errors += margin <= 0
        if extra is not None:
            margin += extra[i]
        low = min(low, margin)
        if violates(margin, b):
            eta = etas[corrections] * weight[i] if weight.size else etas[corrections]
            correct(X, i, label, rival, eta, bias, A)
            if extra is not None:
                extra[i] += eta * slack
            if total is not None:
                correct(X, i, label, rival, eta * visits[0], bias, total)
            if path is not None:
                record(path, cursor, A)
            criterion += b - margin
            corrections += 1
        if total is not None:
            visits[0] += 1
    return order.size, corrections, errors, criterion, low


@compiled
def _batch(
    X: Rows,
    labels: NDArray[np.int32],
    weight: NDArray[Any],
    start: int,
    stop: int,
    A: NDArray[Any],
    b: Any,
    bias: Any,
    total: NDArray[Any],
) -> Any:
    """Add the patterns with a'y <= b to ``total`` in one pass; A is left alone.

    Returns the violators (-1 when an inner product is not finite), the errors, the criterion and the smallest margin.
    """
    violators, errors, criterion, low = 0, 0, 0.0, np.inf
    for i in range(start, stop):
        label = labels[i]
        if label < 0:
            continue
        margin, rival = visit(X, i, label, A)
        if not finite(margin):
            return -1, errors, criterion, low
        errors += margin <= 0
        low = min(low, margin)
        if violates(margin, b):
            correct(X, i, label, rival, weight[i] if weight.size else A.dtype.type(1), bias, total)
            criterion += b - margin
            violators += 1
    return violators, errors, criterion, low


@dataclass(frozen=True, kw_only=True)
class PerceptronFindings(Findings):
    """First and last weights, the increment of w0, and the smallest margin of the last pass."""

    start: NDArray[Any]
    last: NDArray[Any]
    bias: float
    gamma: float
    online: bool


class PerceptronRule(ErrorCorrectingRule):
    """What the single-sample and the batch rule share: the way they end."""

    def __init__(self, A: NDArray[Any], problem: Problem, model: Perceptron, online: bool) -> None:
        super().__init__(A, model.margin, model.schedule, model)
        self.bias = A.dtype.type(model._bias_step(problem))
        self.start, self.online, self.gamma = A.copy(), online, np.inf
        repeats = self.schedule.name == "constant" and model.order == "cyclic" and model.slack == 0 and not online
        self.returns = Returns(self.A) if repeats else None

    @property
    def findings(self) -> PerceptronFindings:
        """What the theorem's bound is computed from, and the weights at the end."""
        return PerceptronFindings(
            notes=self.notes, inseparable=self.inseparable, start=self.start, bias=float(self.bias), gamma=self.gamma,
            last=np.atleast_2d(self.A).copy(), online=self.online,
        )  # fmt: skip

    def _ended(self, problem: Problem, sweep: Sweep) -> Status | None:
        """The status when the corrections have ceased or are bound to go on for ever."""
        self.gamma = sweep.low
        if not sweep.corrections:
            return Status.CONVERGED if sweep.errors else Status.SEPARATED
        if self.returns is None or (earlier := self.returns.earlier(self.A)) is None:
            return None
        self._prove(problem, f"The weights after this pass are those that began pass {earlier}")
        return Status.CYCLES

    def _additions(self, problem: Problem) -> int:
        """How many patterns have been added to the weights, at the most."""
        return self.k

    def _prove(self, problem: Problem, finding: str) -> None:
        """Say whether the finding is a proof: it is when all the arithmetic was exact."""
        exact = problem.exact(self.start, self._additions(problem), self.eta(), float(self.bias))
        self.inseparable = exact
        what = "exact arithmetic: the classes are not linearly separable" if exact else "floating-point arithmetic"
        self.notes = [f"{finding}, in {what}."]


class SingleSampleRule(PerceptronRule):
    """Algorithms 4 and 5: one pass over the patterns, correcting at each violator."""

    def __init__(self, A: NDArray[Any], problem: Problem, model: Perceptron, online: bool) -> None:
        super().__init__(A, problem, model, online)
        self.slack = A.dtype.type(model.slack**2)
        self.extra = np.zeros(problem.n_rows, A.dtype) if model.slack > 0 else None
        self.total = np.zeros(self.A.shape) if model.average else None  # of the corrections, times their visit's number
        self.visits = np.zeros(1, np.int64)

    @property
    def answer(self) -> NDArray[Any]:
        """The weights, or their mean over all visits."""
        if self.total is None or not self.visits[0]:
            return super().answer
        return np.atleast_2d(self.A - self.total / self.visits[0]).astype(self.A.dtype)

    def visit_all(self, problem: Problem, order: NDArray[np.uint32], etas: NDArray[Any]) -> Any:
        """Correct at each violator."""
        return _epoch(
            problem.rows, problem.labels, problem.weight, order, self.A, self.b, etas, self.bias, self.slack,
            self.extra, self.total, self.visits, self.trail.rows, self.trail.cursor,
        )  # fmt: skip

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One pass."""
        sweep = self.sweep(problem, watch)
        status = self._ended(problem, sweep)
        if status is Status.SEPARATED and self.total is not None:
            status, sweep = self._judge_mean(problem, sweep, watch)
        return self.told(sweep, status)

    def _judge_mean(self, problem: Problem, sweep: Sweep, watch: Watch) -> tuple[Status, Sweep]:
        """The weights separate; their mean, which is the answer, need not."""
        mean = self.answer[0] if self.A.ndim == 1 else self.answer
        errors = all_errors(problem, np.ascontiguousarray(mean), watch)
        if not errors:
            return Status.SEPARATED, sweep
        self.notes = [f"The last weights separate all patterns, their mean leaves {errors} errors: last_weights_."]
        return Status.CONVERGED, sweep._replace(errors=errors)


class BatchRule(PerceptronRule):
    """Algorithms 3 and 6: one step along the sum of all violators."""

    def add_all(self, problem: Problem, start: int, stop: int, total: NDArray[Any]) -> Any:
        """Sum the violators."""
        return _batch(problem.rows, problem.labels, problem.weight, start, stop, self.A, self.b, self.bias, total)

    def _additions(self, problem: Problem) -> int:
        return (self.k + 1) * problem.n_rows

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One step, or none when nothing violates the margin."""
        found, total = self.gather(problem, watch)
        if found.corrections and not np.any(total):
            self._prove(problem, "The violators add up to zero, so that the weights cannot move")
            return self.told(found._replace(corrections=0), Status.CYCLES)
        if found.corrections:
            self.move(total)
        found = found._replace(corrections=min(found.corrections, 1))
        return self.told(found, self._ended(problem, found))


class Perceptron(OnlineClassifier):
    """Perceptron: correct the weights at every error until there is none.

    Minimizes J_p(a), the sum of b - a'y over the normalized patterns with a'y <= b.  On separable patterns it ends at
    a separating vector after a bounded number of corrections; on others it stops when ``max_iter`` passes are made, or
    earlier when the weights come back and so prove that it would never end.

    Parameters
    ----------
    batch : bool, default=False
        Add all violators at once (Algorithms 3 and 6) instead of one by one (4 and 5).
    margin : float, default=0.0
        The margin b >= 0 that a'y must exceed.
    schedule : float, str, callable or Schedule, default=1.0
        The increment eta(k) of the k-th correction: a number, ``"1/k"``, ``"k"``, ``"adaptive"``, a function of k.
    average : bool, default=False
        Answer with the mean of the weights over all visits; the stop looks at the weights themselves,
        ``last_weights_``.
    pocket : bool, default=False
        Visit at random with replacement and keep the best weights seen: a copy is made when a run of correct answers
        is longer than that of the pocket and the errors on all patterns are fewer.
    slack : float, default=0.0
        Delta > 0 gives every pattern a coordinate of its own, which makes any patterns separable; ``predict`` drops it.
    bias : {"augmented", "radius"}, default="augmented"
        Increment of w0: eta, or eta R^2 with R the largest length of a pattern.
    order : {"cyclic", "random"}, default="cyclic"
        The rows' order, or a new permutation each pass.
    start : array of shape (d+1,) or (c, d+1), default=None
        Augmented start vector (w0, w); None is zero.
    max_iter : int, default=1000
        Passes at the most.
    record : {None, "weights"}, default=None
        ``"weights"`` keeps the path of the weights in ``history_["weights"]``: every correction for up to 10,000,
        thinned beyond, at most 512 MiB.
    multiclass : {"kesler", "one-vs-rest", "one-vs-one"}, default="kesler"
        What to do with more than two classes.
    random_state : int, RandomState instance or None, default=None
        Seed of the random order and of the pocket's visits.

    Attributes
    ----------
    coef_ : array of shape (1, d), (c, d) or one row a pair
        Weights w.
    intercept_ : array of shape (1,), (c,) or one entry a pair
        Threshold weights w0.
    weights_ : array of shape (d+1,) or (c, d+1)
        Augmented weights (w0, w).
    classes_ : array
        Labels, sorted; ``classes_[1]`` is the positive class of two.
    n_iter_ : int
        Passes made, the final clean one included.
    n_corrections_ : int
        Changes of the weights.
    history_ : dict of arrays
        ``"errors"``, ``"criterion"``, ``"step"``, ``"corrections"`` of each pass, as met on the way; ``"problem"``
        tells whose pass it is where one against the rest, or one against one, makes several problems.
    status_ : Status
        Why it stopped.
    report_ : Report
        The same in words, with the bound of the theorem.
    last_weights_ : array
        With ``average`` or ``pocket``: the weights at the end of the last pass.
    n_copies_ : int
        With ``pocket``: how often the pocket changed.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, sections 5.5, 5.7, 5.12.2, Algorithms 3-6, Theorem 5.1, Computer
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
    _expected_failed_checks = ORDER_OF_VISITS

    def __init__(
        self,
        *,
        batch: bool = False,
        margin: float = 0.0,
        schedule: float | str | Callable[[int], float] | Schedule = 1.0,
        average: bool = False,
        pocket: bool = False,
        slack: float = 0.0,
        bias: str = "augmented",
        order: str = "cyclic",
        start: Any = None,
        max_iter: int = 1000,
        record: str | None = None,
        multiclass: str = "kesler",
        random_state: Any = None,
    ) -> None:
        self.batch = batch
        self.margin = margin
        self.schedule = schedule
        self.average = average
        self.pocket = pocket
        self.slack = slack
        self.bias = bias
        self.order = order
        self.start = start
        self.max_iter = max_iter
        self.record = record
        self.multiclass = multiclass
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        number("margin", self.margin, "give a margin b >= 0", 0, closed=True)
        number("slack", self.slack, "give a slack coordinate Delta >= 0", 0, closed=True)
        for name in ("batch", "average", "pocket"):
            choice(name, getattr(self, name), (True, False))
        choice("bias", self.bias, ("augmented", "radius"))
        choice("order", self.order, ("cyclic", "random"))
        choice("record", self.record, (None, "weights"))
        if (needs := get(self.schedule).needs) not in (None, "errors"):
            raise ValueError(f"schedule={self.schedule!r} needs {needs}, which an error-correcting rule has not: use "
                             "a number, '1/k', 'k', 'adaptive' or a function of k.")  # fmt: skip
        chosen = [name for name in ("batch", "average", "pocket") if getattr(self, name)]
        if self.slack > 0 and (self.batch or self.pocket):
            chosen.append("slack")
        if len(chosen) > 1:
            raise ValueError(
                f"{' and '.join(f'{name}={getattr(self, name)!r}' for name in chosen)}: choose one of them."
            )
        if self.batch and self.order == "random":
            raise ValueError("order='random' with batch=True: a batch step looks at all patterns at once; drop one.")

    def _begin(self, problem: Problem, start: NDArray[Any], online: bool) -> Rule:
        if self.slack > 0 and problem.n_outputs > 1:
            raise ValueError(f"slack={self.slack!r} is a rule for two categories: set multiclass='one-vs-rest'.")
        kind = PocketRule if self.pocket else BatchRule if self.batch else SingleSampleRule
        return kind(start, problem, self, online)

    def _bias_step(self, problem: Problem) -> float:
        """Increment of w0 for a unit step: 1, or R^2 (+ Delta^2, the length of the slack coordinate)."""
        return 1.0 if self.bias == "augmented" else problem.squared_radius() + self.slack**2

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

    def _theorem(self, solution: Solution[Any], problem: Problem) -> Callable[[float], float | None] | None:
        """The bound of Theorem 5.1, in the space where w0 belongs to a constant coordinate: 1, or R."""
        schedule = get(self.schedule)
        plain = not (self.batch or self.pocket or self.average or self.slack) and not problem.weight.size
        plain = plain and not solution.findings.online  # the last portion does not tell the radius of all
        if solution.status is not Status.SEPARATED or schedule.name != "constant" or not plain:
            return None
        constant = np.sqrt(solution.findings.bias)
        scale = np.r_[1 / constant, np.ones(problem.n_features)]
        kesler = 1 if problem.n_outputs == 1 else np.sqrt(2)
        answer, start, gamma = solution.weights * scale, solution.findings.start * scale, solution.findings.gamma
        eta, margin = schedule(1), float(self.margin)

        def bound(R: float) -> float | None:
            beta = kesler * np.hypot(R, constant)
            try:
                return float(perceptron_from_numbers(answer, beta, gamma, start=start, eta=eta, margin=margin))
            except ValueError:  # a margin so small that its square is no number bounds nothing
                return None

        return bound
