"""The perceptron in dual form: the patterns enter through a kernel only.

The weights of a perceptron that starts at zero are a sum of patterns, w = Σ αᵢ zᵢ xᵢ, where αᵢ is how
much pattern i has been added: its embedding strength.  With K(x, z) in place of the inner product,

    αᵢ ← αᵢ + η,   b ← b + η zᵢ R²     where zᵢ (Σⱼ αⱼ zⱼ K(xⱼ, xᵢ) + b) ≤ margin

runs in the feature space of the kernel (the method of potential functions).  With c classes it is Kesler's rule:
pattern i is added to its own discriminant and subtracted from that of its strongest rival.

Theorem 2.3 (Novikoff) bounds the corrections, and so the 1-norm of α, by (2R/γ)² (Remark 2.10).

Symbols: ``A`` = (b, α₁ z₁, …, αₙ zₙ), one row a discriminant; ``F`` the discriminants of all patterns
without b; R² the largest K(x, x).

Sources: Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, Table 2.2, Remarks 2.10 and 2.11;
*Machine Learning: Theory and Practice*, Example 6; Duda, Hart, Stork, *Pattern Classification*, §5.12.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from .. import mercer
from .._engine.callbacks import Listener
from .._engine.driver import CHUNK, Rule, Watch
from .._engine.problem import Problem
from .._engine.rows import compiled, finite, inlined
from .._guards.held import WEIGHTS, optional
from .._guards.parameters import ORDER, Choice
from .._kernel_matrix.expansion import expansion
from ..base.classifier import ORDER_OF_VISITS, OnlineClassifier
from ..base.inherited_docs import estimator
from ..schedules import Schedule
from ..solution import Epoch, Findings, Solution, Status
from .corrections import MARGIN, CorrectionPlan, ErrorCorrectingRule, check_schedule, theorem_bound
from .gram import Gram, KernelClassifier, KernelProblem, is_precomputed
from .visits import Array, Order, PassTotals, Visits

DOUBT = 1e3  # rounding errors of the discriminants up to which a margin may be one of them


@inlined
def dual_visit(F: Array, A: Array, i: int, label: int) -> Any:
    """Return the margin of pattern i and its strongest rival, lowest index on ties."""
    if A.shape[0] == 1:
        g = F[0, i] + A[0, 0]
        return (g if label == 1 else -g), 0
    rival = 1 if label == 0 else 0
    for j in range(A.shape[0]):
        if j != label and F[j, i] + A[j, 0] > F[rival, i] + A[rival, 0]:
            rival = j
    return F[label, i] + A[label, 0] - F[rival, i] - A[rival, 0], rival


@inlined
def embed(K: Array, r: int, i: int, step: Any, bias: Any, row: int, A: Array, F: Array) -> None:
    """Add ``step`` to the embedding strength of pattern i in one discriminant; its kernel row is row r of K."""
    A[row, 1 + i] += step
    A[row, 0] += step * bias
    for j in range(K.shape[1]):
        F[row, j] += step * K[r, j]


@compiled
def _epoch(visits: Visits, place: Order, A: Array, F: Array, b: Any, bias: Any) -> Any:
    """Visit the patterns as far as there are kernel rows; ``place`` tells for the first of them which one is theirs."""
    K: Any = visits.X
    _, labels, weight, order, etas, criterion = visits
    corrections, errors, lowest = 0, 0, np.inf
    for t in range(order.size):
        i = order[t]
        label = labels[i]
        if label < 0:
            continue
        if corrections == etas.size:
            return t, corrections, errors, criterion, lowest, True
        margin, rival = dual_visit(F, A, i, label)
        if not finite(margin):
            return t, corrections, errors, criterion, lowest, False
        if margin <= b and t >= place.size:
            return t, corrections, errors, criterion, lowest, True
        errors += margin <= 0
        lowest = margin if margin < lowest else lowest
        if margin <= b:
            step = etas[corrections] * weight[i] if weight.size else etas[corrections]
            if A.shape[0] == 1:
                embed(K, place[t], i, step if label == 1 else -step, bias, 0, A, F)
            else:
                embed(K, place[t], i, step, bias, label, A, F)
                embed(K, place[t], i, -step, bias, rival, A, F)
            criterion += b - margin
            corrections += 1
    return order.size, corrections, errors, criterion, lowest, True


@dataclass(frozen=True, kw_only=True)
class DualFindings(Findings):
    """How many corrections the theorem allows, and the largest K(x, x) of all portions."""

    bound: float | None
    largest: float


class DualRule(ErrorCorrectingRule):
    """Table 2.2 at work: one pass over the patterns is one epoch.

    ``start`` is b and, after earlier portions of data, the strengths of their patterns; F what these give already.
    """

    def __init__(self, start: Array, F: Array, gram: Gram, plan: CorrectionPlan, largest: float) -> None:
        self.past = start[:, 1:]
        A = np.hstack([start[:, :1], np.zeros_like(F)])
        super().__init__(A, plan)
        self.A = A  # one row a discriminant, also for two classes
        self.F, self.gram, self.largest = F, gram, largest
        self.bound: float | None = None
        self.earlier(self._state())

    @property
    def answer(self) -> Array:
        """Weights b and strengths of all patterns, the earlier ones first."""
        return np.hstack([self.A[:, :1], self.past, self.A[:, 1:]])

    @property
    def findings(self) -> DualFindings:
        return DualFindings(notes=self.notes, bound=self.bound, largest=self.largest)

    @property
    def path(self) -> Array | None:
        """The recorded b and strengths of the patterns at hand."""
        return self.recorded.so_far(self.A if len(self.A) > 1 else self.A[0])

    def _state(self) -> Array:
        """What decides the next pass: the discriminants, not the embedding strengths, which only grow."""
        return np.hstack([self.A[:, :1], self.F])

    def visit_all(self, problem: Problem, order: Order, etas: Array, to: Array) -> PassTotals:
        """Correct at each violator, as far as the kernel rows reach."""

        def visit(K: Array, place: Order) -> PassTotals:
            def go(some: Visits) -> Any:
                behind = order.size - some.order.size
                return _epoch(some, place[behind:], to, self.F, self.b, self.bias)

            return self.along(self.visits(problem, order, etas)._replace(X=K), go)

        order = order[: max(1, CHUNK // problem.n_rows)]  # a correction takes as many additions as there are patterns
        if self.gram.matrix is not None:
            return visit(self.gram.matrix, order)
        met = visit(self.F[:0], order[:0])  # no rows: up to the first violator
        if met.visited or not met.finite:
            return met
        block = self.gram.block(order)
        return visit(block, np.arange(len(block), dtype=np.uint32))

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        self.gram.fill(watch)
        totals = self.sweep(problem, watch)
        if not totals.corrections:
            if not (self.online or totals.errors or self._holds(problem, totals.lowest, watch)):
                return self.summary(totals, None)
            self.bound = None if self.online else self._bound(totals.lowest)
            return self.summary(totals, Status.CONVERGED if totals.errors else Status.SEPARATED)
        if (earlier := self.earlier(self._state())) is None:
            return self.summary(totals, None)
        self.notes = [f"The discriminants after this pass are those that began pass {earlier}."]
        return self.summary(totals, Status.CYCLES)

    def _holds(self, problem: Problem, lowest: float, watch: Watch) -> bool:
        """Whether predictions too will have no error: F, the sum of all corrections, may have gathered rounding.

        A doubtful margin is computed anew as predictions will be, and the next pass goes on with that.
        """
        b, strengths = self.A[:, 0], self.A[:, 1:]
        size = self.largest * np.abs(strengths).sum(axis=1).max() + np.abs(b).max()
        if lowest > DOUBT * np.finfo(self.A.dtype).eps * size:
            return True
        X = self.gram.X
        self.F = np.ascontiguousarray(expansion(self.gram.kernel, X, X, strengths, watch).T, self.F.dtype)
        rows = np.flatnonzero(problem.part)
        G, own = self.F[:, rows] + b[:, None], problem.labels[rows]
        if len(G) == 1:
            return bool(np.all(np.where(own == 1, G[0], -G[0]) > 0))
        at_home = G[own, np.arange(own.size)].copy()
        G[own, np.arange(own.size)] = -np.inf
        return bool(np.all(at_home > G.max(axis=0)))

    def _bound(self, gamma: float) -> float | None:
        """Theorem 5.1 in the feature space, with the constant coordinate that w₀ belongs to."""
        if not (gamma > 0 and self.bias > 0 and self.largest > 0 and self.schedule.name == "constant"):
            return None
        b, strengths = self.A[:, 0], self.A[:, 1:]
        with np.errstate(over="ignore", invalid="ignore"):
            squared = float(np.sum(strengths * self.F) + np.sum(b * (b / self.bias)))
        if not 0 < squared < np.inf:  # the kernel is no inner product, or the weights are huge
            return None
        beta = math.sqrt((1 if len(self.A) == 1 else 2) * (self.largest + float(self.bias)))
        return theorem_bound(np.array([math.sqrt(squared)]), beta, gamma, eta=self.schedule(1), margin=float(self.b))


@estimator
class KernelPerceptron(KernelClassifier, OnlineClassifier):
    """Perceptron in dual form, with any kernel.

    Parameters
    ----------
    bias
        Increment of b: R², the largest K(x, x), as in Table 2.2; or 1.
    margin : float
        The margin that a pattern must exceed.
    schedule : float, str, callable or Schedule
        The increment η(k) of the k-th correction.
    cache_size : float
        Megabytes of kernel rows that may be kept; beyond that they are computed anew each pass.
    record
        ``"weights"`` keeps the path of (b, α₁ z₁, …, αₙ zₙ) in ``history_["weights"]``.

    Attributes
    ----------
    alpha_ : array of shape (n,) or (n, number of discriminants)
        Embedding strengths: how much each training row was added.  With more than two classes they carry a sign.
    dual_coef_ : array of shape (number of discriminants, n)
        The same with the sign of the class, αᵢ zᵢ.
    intercept_ : array
        The bias b of each discriminant.
    coef_, weights_ : arrays
        With the linear kernel: w, and (b, w).
    X_fit_ : array or CSR matrix
        The training rows, which the discriminant is made of.

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, Table 2.2.

    Examples
    --------
    Boolean OR with the R² bias, and XOR with the polynomial kernel (1 + xᵗz)²:

    >>> from discriminant import KernelPerceptron, mercer
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> KernelPerceptron().fit(X, [0, 1, 1, 1]).alpha_.tolist()
    [7.0, 3.0, 3.0, 0.0]
    >>> KernelPerceptron(mercer.Polynomial(degree=2)).fit(X, [0, 1, 1, 0]).score(X, [0, 1, 1, 0])
    1.0
    """

    _held = optional(WEIGHTS) | {
        "X_fit_": "matrix n d",
        "dual_coef_": "float k n",
        "alpha_": "float n | float n k",
        "_largest": "number",
    }
    _criterion = "J_p = sum of b - z g(x) over the patterns with z g(x) <= b, in the feature space of the kernel"
    _strategies = ("kesler", "one-vs-rest", "one-vs-one")
    _expected_failed_checks = ORDER_OF_VISITS
    _parameters = {
        "bias": Choice(("radius", "augmented")), "margin": MARGIN, "schedule": check_schedule, "order": ORDER,
    }  # fmt: skip

    kernel: str | mercer.Kernel | Callable[[Any, Any], Any] = field(default="linear", kw_only=False)
    bias: str = "radius"
    margin: float = 0.0
    schedule: float | str | Callable[[int], float] | Schedule = 1.0
    order: str = "cyclic"
    max_iter: int = 1000
    cache_size: float = 1000
    record: str | None = None
    multiclass: str = "kesler"
    random_state: Any = None

    def _solutions(self, problem: Problem, watch: Watch, listener: Listener, **options: Any) -> list[Solution[Any]]:
        problem.check_finite()
        self.X_fit_ = problem.source
        gram = Gram(mercer.get(self.kernel), problem.source, self.cache_size)
        return super()._solutions(KernelProblem(**vars(problem), kernel_rows=gram), watch, listener)

    def _starts(self, problem: Problem, n_problems: int) -> list[Array]:
        rows = problem.n_outputs if n_problems == 1 else 1
        return [np.zeros((rows, problem.n_rows + 1), problem.dtype) for _ in range(n_problems)]

    def _begin(self, problem: Problem, start: Array, online: bool) -> Rule:
        assert isinstance(problem, KernelProblem)
        F = np.zeros((len(start), problem.n_rows), problem.dtype)
        return self._rule(start[:, :1], F, problem, problem.kernel_rows, 0.0, online)

    def _rule(self, start: Array, F: Array, problem: Problem, gram: Gram, largest: float, online: bool) -> DualRule:
        """The rule; ``largest`` is the largest K(x, x) of earlier portions."""
        largest = float(gram.diagonal[problem.part].max(initial=largest))
        bias = 1.0 if self.bias == "augmented" else largest
        return DualRule(start, F, gram, self._plan(CorrectionPlan, bias=bias, online=online), largest)

    def _set_weights(self, A: Array) -> None:
        super()._set_weights(A)
        self.alpha_ = np.abs(self.dual_coef_[0]) if len(A) == 1 else self.dual_coef_.T
        if self._is_plane():
            self.coef_ = np.asarray(self.dual_coef_ @ self.X_fit_)
            W = np.hstack([self.intercept_[:, None], self.coef_])
            self.weights_ = W[0] if len(W) == 1 else W

    def _theorem(self, solution: Solution[Any], problem: Problem) -> Callable[[Any], float | None] | None:
        bound = None if problem.weight.size else solution.findings.bound
        return None if bound is None else lambda R: bound

    def _needs_all_rows(self) -> str | None:
        return "its weights belong to rows; take Perceptron, or give portions to partial_fit"

    def _streams(self) -> bool:
        return not is_precomputed(self)

    def _continued(self, problem: Problem, problems: list[Problem], first: bool) -> list[Rule]:
        """New rules: every portion has kernel rows of its own, which join those that the discriminant is made of."""
        return self._resume(problem, problems, first)

    def _resume(self, problem: Problem, problems: list[Problem], first: bool) -> list[Rule]:
        problem.check_finite()
        kernel = mercer.get(self.kernel)
        gram, rows = Gram(kernel, problem.source, self.cache_size), sum(part.n_outputs for part in problems)
        start, F = np.zeros((rows, 1), problem.dtype), np.zeros((rows, problem.n_rows), problem.dtype)
        if not first:
            start = np.hstack([self.intercept_[:, None], self.dual_coef_]).astype(problem.dtype)
            scores = expansion(kernel, problem.source, self.X_fit_, self.dual_coef_)
            F = np.ascontiguousarray(scores.T, problem.dtype)
        rules: list[Rule] = []
        for part, past in zip(problems, self._portions, strict=True):
            own = slice(len(rules), len(rules) + part.n_outputs)
            rule = self._rule(start[own], F[own], part, gram, 0.0 if first else self._largest, online=True)
            rule.k = past.corrections
            rules.append(rule)
        return rules

    def _publish(self, solutions: list[Solution[Any]], problem: Problem, X: Any) -> None:
        """Keep the rows that the discriminant is made of: the earlier portions first."""
        rows = problem.source
        if solutions[0].weights.shape[1] > problem.n_rows + 1:
            mixed = sparse.issparse(rows) or sparse.issparse(self.X_fit_)
            rows = sparse.vstack([self.X_fit_, rows], format="csr") if mixed else np.vstack([self.X_fit_, rows])
        self.X_fit_ = rows
        self._largest = max(solution.findings.largest for solution in solutions)
        super()._publish(solutions, problem, X)

    def _remedy(self) -> str:
        return (
            "a richer kernel (a Gaussian one with a small sigma separates any distinct patterns), a larger max_iter, "
            "or a soft-margin machine if the classes overlap."
        )
