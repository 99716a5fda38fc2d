"""Relaxation with margin, single-sample and batch.

Problem: find a with aᵗyᵢ > 0 for all normalized patterns, by minimizing the criterion with margin b > 0

    J_r(a) = ½ Σ (aᵗy − b)² / ‖y‖²  over the patterns with aᵗy ≤ b                              (Eq. 33)
    a(k+1) = a(k) + η (b − a(k)ᵗy) / ‖y‖² y              for one violator y, 0 < η < 2               (Eq. 35)
    a(k+1) = a(k) + η Σ (b − a(k)ᵗy) / ‖y‖² y       over all violators                            (Eq. 34)

With η = 1 the correction moves a exactly onto the plane aᵗy = b of the violator; less is underrelaxation, more is
overrelaxation.  On separable patterns a(k) ends inside the region aᵗy ≥ b or converges to its boundary, so that
Ya > 0 after finitely many passes (§5.6.2); corrections toward the margin might go on for ever, hence the test
Ya > 0 after each pass.  The batch rule is gradient descent on J_r and needs 0 < η < 2 / λ_max(Σ yyᵗ/‖y‖²).

With c classes it runs on Kesler's patterns, whose squared length is 2‖y‖².

Symbols: A the weight vectors, b the margin, η the relaxation factor, ``norms`` the squared lengths ‖y‖².

Source: Duda, Hart, Stork, *Pattern Classification*, §5.6, Algorithms 8 and 9, Computer exercises 7 and 12.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Rule, Watch
from .._engine.linalg import largest_eigenvalue
from .._engine.problem import Problem, sqnorms
from .._engine.rows import CSR, compiled, finite, inlined
from .._guards.parameters import FLAG, ORDER, RECORD, Number
from .._guards.validation import all_finite
from ..base.class_weights import WeightedClassesClassifier
from ..base.classifier import ORDER_OF_VISITS
from ..base.inherited_docs import estimator
from ..exceptions import warn_user
from ..samples import Samples
from ..schedules import Schedule, get
from ..solution import Epoch, Status
from .corrections import MARGIN, CorrectionPlan, ErrorCorrectingRule, check_schedule, separates
from .visits import Array, Order, PassTotals, Visits, correct, visit

DIRECT = 500  # columns up to which the sum of yyᵗ/‖y‖² is made


@inlined
def relaxation_step(margin: Any, b: Any, eta: Any, sqnorm: Any) -> Any:
    """Return η (b − aᵗy) / ‖y‖², the multiple of y that is added (Eq. 35)."""
    return eta * (b - margin) / sqnorm


@compiled
def _epoch(visits: Visits, norms: Array, A: Array, to: Array, b: Any) -> Any:
    """Visit the patterns and relax each violator of A: single-sample where ``to`` is A, batch where it is a sum."""
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
        lowest = margin if margin < lowest else lowest
        if margin <= b:
            step = relaxation_step(margin, b, etas[corrections], norms[i])
            correct(X, i, label, rival, step * weight[i] if weight.size else step, A.dtype.type(1), to)
            criterion += (b - margin) ** 2 / (2 * norms[i])
            corrections += 1
    return order.size, corrections, errors, criterion, lowest, True


class RelaxationRule(ErrorCorrectingRule):
    """What both rules share: the pass, and the squared lengths of the patterns."""

    def __init__(self, A: Array, problem: Problem, plan: CorrectionPlan) -> None:
        self._measured: Problem | None = None
        if not problem.streamed:
            self.measure(problem)  # first of all, because it refuses what is not finite
        super().__init__(A, plan)
        if self.b == 0 and not np.any(A if len(A) == 1 else A - A[0]):
            raise ValueError(
                "margin=0 must be positive where start is zero or of equal vectors, for every correction is a multiple "
                "of b - a'y = 0; give a margin > 0 or another start."
            )

    def measure(self, problem: Problem) -> tuple[NDArray[Any], NDArray[Any]]:
        """‖y‖² of each pattern and its weight relative to the largest, computed once for a problem.

        A weight multiplies the factor eta, which must stay below 2: hence relative weights.
        """
        if self._measured is not problem:
            self._measured, self._lengths = problem, squared_lengths(problem)
            self._weight = problem.weight / problem.largest_weight if problem.weight.size else problem.weight
        return self._lengths, self._weight

    def visit_all(self, problem: Problem, order: Order, etas: Array, to: Array) -> PassTotals:
        norms, weight = self.measure(problem)
        visits = self.visits(problem, order, etas, weight)
        return self.along(visits, lambda some: _epoch(some, norms, self.A, to, self.b))


class SingleSampleRelaxation(RelaxationRule):
    """Algorithm 9: one pass over the patterns, relaxing each violator in turn."""

    def steps(self, count: int) -> NDArray[Any]:
        """The coming factors, refused unless all lie in (0, 2)."""
        etas = super().steps(count)
        if etas.size and not (etas.min() > 0 and etas.max() < 2):
            bad = etas[(etas <= 0) | (etas >= 2)][0]
            raise ValueError(f"eta={bad:g} must be a number > 0 and < 2; single-sample relaxation needs 0 < eta < 2.")
        return etas

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One pass, and the test Ya > 0."""
        totals = self.sweep(problem, watch)
        solved = separates(problem, self.A, watch)
        if self.online or problem.streamed:
            self._measured = None  # the next portion is another one, and a model must not keep this one
        return self.summary(totals, Status.SEPARATED if solved else None)


class BatchRelaxation(RelaxationRule):
    """Algorithm 8: one step along the sum of all relaxations."""

    def __init__(self, A: Array, problem: Problem, plan: CorrectionPlan, given: bool) -> None:
        super().__init__(A, problem, plan)
        self.given, self.settled = given, False

    def settle(self, problem: Problem, watch: Watch) -> None:
        """The default of the factor, half the bound; a given one that is not below the bound may not descend."""
        if not self.given:
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

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One step, or none when Ya > 0 already."""
        if not self.settled:
            self.settle(problem, watch)
        found, total = self.gather(problem, watch)
        if not found.errors:
            return self.summary(found._replace(corrections=0), Status.SEPARATED)
        self.move(total)
        return self.summary(found._replace(corrections=1), None)


def squared_lengths(problem: Problem) -> NDArray[Any]:
    """‖y‖² of the augmented patterns, twice that for Kesler's; refuses what is not finite."""
    norms = (sqnorms(problem.canonical().rows) + 1) * (1 if problem.n_outputs == 1 else 2)
    if not all_finite(norms[problem.part]):
        raise problem.refuse()
    return np.asarray(norms, problem.dtype)


def normalized_eigenvalue(problem: Problem, watch: Watch) -> float:
    """λ_max of the sum of yyᵗ/‖y‖², which bounds the factor of the batch rule."""
    d = problem.n_features + 1
    if not problem.streamed:  # blocks were looked at when they were made
        problem.check_finite()
    if d <= DIRECT:
        gram, left = problem.total(_gram_part, watch)
        if not left:
            return largest_eigenvalue(gram, d)
    return largest_eigenvalue(lambda v: problem.total(_product_part, watch, v)[0], d)


def _gram_part(problem: Problem, watch: Watch) -> tuple[NDArray[Any], int]:
    """The sum of yyᵗ/‖y‖² over some rows, or zeros where they are sparse; and whether they are left."""
    d = problem.n_features + 1
    if d >= 3 and isinstance(problem.rows, CSR):
        return np.zeros((d, d), problem.dtype), 1
    Y, scale = _scaled(problem)
    return Y.gram(scale, watch.check), 0


def _product_part(problem: Problem, watch: Watch, v: NDArray[Any]) -> tuple[NDArray[Any]]:
    """The product of the sum of yyᵗ/‖y‖² over some rows with v."""
    watch.check()
    Y, scale = _scaled(problem)
    return (Y.T @ (scale * (Y @ v)),)


def _scaled(problem: Problem) -> tuple[Samples, NDArray[Any]]:
    """The patterns, and 1/‖y‖² of those that take part."""
    Y = Samples(problem.source, np.ones(problem.n_rows))
    return Y, np.where(problem.part, 1 / Y.row_sqnorms(), 0)


@estimator
class Relaxation(WeightedClassesClassifier):
    """Relaxation with margin: move the weights toward the plane a'y = b of every violator.

    Minimizes J_r(a), half the sum of (aᵗy − b)² / ‖y‖² over the normalized patterns with aᵗy ≤ b, and stops as soon
    as every pattern lies strictly on its own side.  Sample weights multiply the factor of a pattern, relative to the
    largest weight.

    Parameters
    ----------
    batch
        Relax all violators at once (Algorithm 8) instead of one by one (9).
    margin : float
        The margin b ≥ 0.
    eta : float, str, callable or Schedule
        Relaxation factor: in (0, 2) for single samples; for the batch rule it should stay below
        2 / λ_max(Σ yyᵗ/‖y‖²), and a larger one warns.  None is 1 for single samples and half the bound for
        the batch rule.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, §5.6, Algorithms 8 and 9, Eqs. 33-40.

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
    _parameters = {"batch": FLAG, "margin": MARGIN, "order": ORDER, "record": RECORD}

    batch: bool = False
    margin: float = 1.0
    eta: float | str | Callable[[int], float] | Schedule | None = None
    order: str = "cyclic"
    start: Any = None
    max_iter: int = 1000
    record: str | None = None
    multiclass: str = "kesler"
    class_weight: Any = None
    random_state: Any = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if isinstance(self.eta, int | float | np.number):
            Number("relaxation needs 0 < eta < 2", 0, np.inf if self.batch else 2)("eta", self.eta)
        if self.eta is not None:
            check_schedule("eta", self.eta)

    def _begin(self, problem: Problem, start: Array, online: bool) -> Rule:
        eta, given = (1.0, False) if self.eta is None else (self.eta, True)
        plan = self._plan(CorrectionPlan, schedule=eta, online=online)
        return (
            BatchRelaxation(start, problem, plan, given) if self.batch else SingleSampleRelaxation(start, problem, plan)
        )

    def _remedy(self) -> str:
        return (
            "a larger max_iter; if the classes overlap, no pass will ever be clean: take the weights as they are, a "
            "falling eta such as '1/k', or a procedure for overlapping classes."
        )
