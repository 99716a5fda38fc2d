"""Relaxation with margin, single-sample and batch.

Problem: find a with a'y_i > 0 for all normalized patterns, by minimizing the criterion with margin b > 0

    J_r(a) = 1/2 sum of (a'y - b)^2 / |y|^2  over the patterns with a'y <= b                              (Eq. 33)
    a(k+1) = a(k) + eta (b - a(k)'y) / |y|^2 y              for one violator y, 0 < eta < 2               (Eq. 35)
    a(k+1) = a(k) + eta sum of (b - a(k)'y) / |y|^2 y       over all violators                            (Eq. 34)

With eta = 1 the correction moves a exactly onto the plane a'y = b of the violator; less is underrelaxation, more is
overrelaxation.  On separable patterns a(k) ends inside the region a'y >= b or converges to its boundary, so that
Ya > 0 after finitely many passes (section 5.6.2); corrections toward the margin might go on for ever, hence the test
Ya > 0 after each pass.  The batch rule is gradient descent on J_r and needs 0 < eta < 2 / lambda_max(sum of yy'/|y|^2).

With c classes it runs on Kesler's patterns, whose squared length is 2|y|^2.

Symbols: A the weight vectors, b the margin, eta the relaxation factor, ``norms`` the squared lengths |y|^2.

Source: Duda, Hart, Stork, *Pattern Classification*, section 5.6, Algorithms 8 and 9, Computer exercises 7 and 12.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Rule, Watch
from .._engine.linalg import largest_eigenvalue
from .._engine.path import record
from .._engine.problem import Problem, sqnorms
from .._engine.rows import CSR, Rows, compiled, finite, inlined
from .._guards.parameters import choice, number
from ..base.classifier import ORDER_OF_VISITS
from ..base.online import OnlineClassifier
from ..exceptions import warn_user
from ..samples import Samples
from ..schedules import Schedule, get
from ..solution import Epoch, Status
from .visits import ErrorCorrectingRule, correct, visit


@inlined
def relaxation_step(margin: Any, b: Any, eta: Any, sqnorm: Any) -> Any:
    """Return eta (b - a'y) / |y|^2, the multiple of y that is added (Eq. 35)."""
    return eta * (b - margin) / sqnorm


@compiled
def _epoch(
    X: Rows,
    labels: NDArray[np.int32],
    weight: NDArray[Any],
    norms: NDArray[Any],
    order: NDArray[np.uint32],
    A: NDArray[Any],
    b: Any,
    etas: NDArray[Any],
    path: NDArray[Any] | None,
    cursor: NDArray[np.int64],
) -> Any:
    """Visit the patterns in the given order and relax each violator.

    Returns the visits made (fewer when ``etas`` is used up, -1 when an inner product is not finite), the corrections,
    the errors, the criterion and the smallest margin.
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
        low = min(low, margin)
        if margin <= b:
            step = relaxation_step(margin, b, etas[corrections], norms[i])
            correct(X, i, label, rival, step * weight[i] if weight.size else step, A.dtype.type(1), A)
            if path is not None:
                record(path, cursor, A)
            criterion += (b - margin) ** 2 / (2 * norms[i])
            corrections += 1
    return order.size, corrections, errors, criterion, low


@compiled
def _batch(
    X: Rows,
    labels: NDArray[np.int32],
    weight: NDArray[Any],
    norms: NDArray[Any],
    start: int,
    stop: int,
    A: NDArray[Any],
    b: Any,
    total: NDArray[Any],
) -> Any:
    """Add the steps of all violators to ``total`` in one pass; A is left alone.

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
        if margin <= b:
            step = relaxation_step(margin, b, A.dtype.type(1), norms[i])
            correct(X, i, label, rival, step * weight[i] if weight.size else step, A.dtype.type(1), total)
            criterion += (b - margin) ** 2 / (2 * norms[i])
            violators += 1
    return violators, errors, criterion, low


@compiled
def _separates(X: Rows, labels: NDArray[np.int32], start: int, stop: int, A: NDArray[Any]) -> bool:
    """Test Ya > 0, up to the first pattern that fails."""
    for i in range(start, stop):
        if labels[i] >= 0:
            margin, _ = visit(X, i, labels[i], A)
            if not margin > 0:
                return False
    return True


class RelaxationRule(ErrorCorrectingRule):
    """What both rules share: the squared lengths of the patterns."""

    def __init__(self, A: NDArray[Any], problem: Problem, model: Relaxation, online: bool) -> None:
        self._measured: Problem | None = None
        self.measure(problem)  # first of all, because it refuses what is not finite
        super().__init__(A, model.margin, 1.0 if model.eta is None else model.eta, model)
        self.online = online
        if self.b == 0 and not np.any(A if len(A) == 1 else A - A[0]):
            raise ValueError(
                "margin=0 from start=0, or from equal vectors, never moves: every correction is a multiple of "
                "b - a'y = 0. Give a margin > 0 or another start."
            )

    def measure(self, problem: Problem) -> tuple[NDArray[Any], NDArray[Any]]:
        """|y|^2 of each pattern and its weight relative to the largest, computed once for a problem.

        A weight multiplies the factor eta, which must stay below 2: hence relative weights.
        """
        if self._measured is not problem:
            self._measured, self._lengths = problem, squared_lengths(problem)
            self._weight = problem.weight / problem.weight.max() if problem.weight.size else problem.weight
        return self._lengths, self._weight


class SingleSampleRule(RelaxationRule):
    """Algorithm 9: one pass over the patterns, relaxing each violator in turn."""

    def steps(self, count: int) -> NDArray[Any]:
        """The coming factors, refused unless all lie in (0, 2)."""
        etas = super().steps(count)
        if etas.size and not (etas.min() > 0 and etas.max() < 2):
            bad = etas[(etas <= 0) | (etas >= 2)][0]
            raise ValueError(f"eta={bad:g} must be a number > 0 and < 2; single-sample relaxation needs 0 < eta < 2.")
        return etas

    def visit_all(self, problem: Problem, order: NDArray[np.uint32], etas: NDArray[Any]) -> Any:
        """Relax each violator."""
        norms, weight = self.measure(problem)
        return _epoch(
            problem.rows, problem.labels, weight, norms, order, self.A, self.b, etas, self.trail.rows,
            self.trail.cursor,
        )  # fmt: skip

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One pass, and the test Ya > 0."""
        sweep = self.sweep(problem, watch)
        chunks = watch.chunks(problem.n_rows, problem.work)
        solved = all(_separates(problem.rows, problem.labels, start, stop, self.A) for start, stop in chunks)
        if self.online:
            self._measured = None  # the next portion is another one, and a model must not keep this one
        return self.told(sweep, Status.SEPARATED if solved else None)


class BatchRule(RelaxationRule):
    """Algorithm 8: one step along the sum of all relaxations."""

    def __init__(self, A: NDArray[Any], problem: Problem, model: Relaxation, online: bool) -> None:
        super().__init__(A, problem, model, online)
        self.given, self.settled = model.eta, False

    def settle(self, problem: Problem, watch: Watch) -> None:
        """The default of the factor, half the bound; a given one that is not below the bound may not descend."""
        if self.given is None:
            self.schedule = get(1 / normalized_eigenvalue(problem, watch))
            self.fixed = self.schedule(1)
        # the largest eigenvalue is at most the number of patterns
        elif (first := self.schedule(1)) >= 2 / problem.n_rows and first >= (
            bound := 2 / normalized_eigenvalue(problem, watch)
        ):
            text = (
                f"eta={first:g} is not below 2 / lambda_max = {bound:.6g}, up to which batch relaxation is sure to "
                "descend: it may diverge. Give a smaller eta, or None for half the bound."
            )
            warn_user(UserWarning(text))
        self.settled = True

    def add_all(self, problem: Problem, start: int, stop: int, total: NDArray[Any]) -> Any:
        """Sum the relaxations of the violators."""
        norms, weight = self.measure(problem)
        return _batch(problem.rows, problem.labels, weight, norms, start, stop, self.A, self.b, total)

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One step, or none when Ya > 0 already."""
        if not self.settled:
            self.settle(problem, watch)
        found, total = self.gather(problem, watch)
        if not found.errors:
            return self.told(found._replace(corrections=0), Status.SEPARATED)
        self.move(total)
        return self.told(found._replace(corrections=1), None)


def squared_lengths(problem: Problem) -> NDArray[Any]:
    """|y|^2 of the augmented patterns, twice that for Kesler's; refuses what is not finite."""
    norms = (sqnorms(problem.canonical().rows) + 1) * (1 if problem.n_outputs == 1 else 2)
    if not np.all(np.isfinite(norms[problem.part])):
        raise problem.refuse()
    return np.asarray(norms, problem.dtype)


def normalized_eigenvalue(problem: Problem, watch: Watch) -> float:
    """λ_max of the sum of yyᵗ/‖y‖², which bounds the factor of the batch rule."""
    problem.check_finite()
    Y, d = Samples(problem.source, np.ones(problem.n_rows)), problem.n_features + 1
    scale = np.where(problem.part, 1 / Y.row_sqnorms(), 0)
    if d < 3 or (d <= 500 and not isinstance(problem.rows, CSR)):
        return largest_eigenvalue(Y.gram(scale, watch.check), d)

    def times(v: NDArray[Any]) -> NDArray[Any]:
        watch.check()
        return Y.T @ (scale * (Y @ v))

    return largest_eigenvalue(times, d)


class Relaxation(OnlineClassifier):
    """Relaxation with margin: move the weights toward the plane a'y = b of every violator.

    Minimizes J_r(a), half the sum of (a'y - b)^2 / |y|^2 over the normalized patterns with a'y <= b, and stops as soon
    as every pattern lies strictly on its own side.  Sample weights multiply the factor of a pattern, relative to the
    largest weight.

    Parameters
    ----------
    batch : bool, default=False
        Relax all violators at once (Algorithm 8) instead of one by one (9).
    margin : float, default=1.0
        The margin b >= 0.
    eta : float, str, callable or Schedule, default=None
        Relaxation factor: in (0, 2) for single samples; for the batch rule it should stay below
        2 / lambda_max(sum of yy'/|y|^2), and a larger one warns.  None is 1 for single samples and half the bound for
        the batch rule.
    order : {"cyclic", "random"}, default="cyclic"
        The rows' order, or a new permutation each pass.
    start : array of shape (d+1,) or (c, d+1), default=None
        Augmented start vector (w0, w); None is zero.
    max_iter : int, default=1000
        Passes at the most.
    record : {None, "weights"}, default=None
        ``"weights"`` keeps the path of the weights in ``history_["weights"]``.
    multiclass : {"kesler", "one-vs-rest", "one-vs-one"}, default="kesler"
        What to do with more than two classes.
    random_state : int, RandomState instance or None, default=None
        Seed of the random order.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (1, d) and (1,), or (c, d) and (c,)
        Weights w and w0.
    weights_ : array of shape (d+1,) or (c, d+1)
        Augmented weights (w0, w).
    classes_ : array
        Labels, sorted; ``classes_[1]`` is the positive class of two.
    n_iter_, n_corrections_ : int
        Passes and changes of the weights.
    history_, status_, report_
        What happened, why it stopped, and both in words.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, section 5.6, Algorithms 8 and 9, Eqs. 33-40.

    Examples
    --------
    >>> from discriminant import Relaxation, datasets
    >>> X, y = datasets.table(3, 2)
    >>> model = Relaxation(margin=0.1).fit(X, y)
    >>> model.status_.name, model.score(X, y)
    ('SEPARATED', 1.0)
    """

    _criterion = "J_r(a) = half the sum of (a'y - b)^2 / |y|^2 over the patterns with a'y <= b"
    _strategies = ("kesler", "one-vs-rest", "one-vs-one")
    _expected_failed_checks = ORDER_OF_VISITS

    def __init__(
        self,
        *,
        batch: bool = False,
        margin: float = 1.0,
        eta: float | str | Callable[[int], float] | Schedule | None = None,
        order: str = "cyclic",
        start: Any = None,
        max_iter: int = 1000,
        record: str | None = None,
        multiclass: str = "kesler",
        random_state: Any = None,
    ) -> None:
        self.batch = batch
        self.margin = margin
        self.eta = eta
        self.order = order
        self.start = start
        self.max_iter = max_iter
        self.record = record
        self.multiclass = multiclass
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        choice("batch", self.batch, (True, False))
        number("margin", self.margin, "give a margin b >= 0", 0, closed=True)
        choice("order", self.order, ("cyclic", "random"))
        choice("record", self.record, (None, "weights"))
        if self.batch and self.order == "random":
            raise ValueError("order='random' with batch=True: a batch step looks at all patterns at once; drop one.")
        if self.eta is None:
            return
        if isinstance(self.eta, int | float | np.number):
            number("eta", self.eta, "relaxation needs 0 < eta < 2", 0, high=np.inf if self.batch else 2)
        if (needs := get(self.eta).needs) not in (None, "errors"):
            raise ValueError(f"eta={self.eta!r} needs {needs}, which relaxation has not: give a number or a function.")

    def _begin(self, problem: Problem, start: NDArray[Any], online: bool) -> Rule:
        rule = BatchRule if self.batch else SingleSampleRule
        return rule(start, problem, self, online)

    def _remedy(self) -> str:
        return (
            "a larger max_iter; if the classes overlap, no pass will ever be clean: take the weights as they are, a "
            "falling eta such as '1/k', or a procedure for overlapping classes."
        )
