"""The perceptron in dual form: the patterns enter through a kernel only.

The weights of a perceptron that starts at zero are a sum of patterns, w = sum of alpha_i z_i x_i, where alpha_i is how
much pattern i has been added: its embedding strength.  With K(x, z) in place of the inner product,

    alpha_i <- alpha_i + eta,   b <- b + eta z_i R^2     where z_i (sum_j alpha_j z_j K(x_j, x_i) + b) <= margin

runs in the feature space of the kernel (the method of potential functions).  With c classes it is Kesler's rule:
pattern i is added to its own discriminant and subtracted from that of its strongest rival.

Theorem 2.3 (Novikoff) bounds the corrections, and so the 1-norm of alpha, by (2R/gamma)^2 (Remark 2.10).

Symbols: ``A`` = (b, alpha_1 z_1, ..., alpha_n z_n), one row a discriminant; ``F`` the discriminants of all patterns
without b; R^2 the largest K(x, x).

Sources: Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, Table 2.2, Remarks 2.10 and 2.11;
*Machine Learning: Theory and Practice*, Example 6; Duda, Hart, Stork, *Pattern Classification*, section 5.12.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from .. import mercer
from .._engine.callbacks import Listener
from .._engine.driver import CHUNK, Rule, Watch
from .._engine.path import record
from .._engine.problem import Problem
from .._engine.rows import compiled, finite, inlined
from .._guards.held import WEIGHTS, optional
from .._guards.parameters import choice, number
from .._kernel_matrix.expansion import expansion
from ..base.classifier import ORDER_OF_VISITS
from ..base.online import OnlineClassifier
from ..bounds import perceptron_from_numbers
from ..schedules import Schedule, get
from ..solution import Epoch, Findings, Solution, Status
from .visits import ErrorCorrectingRule, Returns, Sweep

BLOCK = 64 * 2**20  # bytes of kernel rows that are computed at a time
ATONCE = 3 * 10**8  # products of a kernel matrix that are taken between two looks for Ctrl-C
DOUBT = 1e3  # rounding errors of the discriminants up to which a margin may be one of them


@inlined
def dual_visit(F: NDArray[Any], A: NDArray[Any], i: int, label: int) -> Any:
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
def embed(K: NDArray[Any], r: int, i: int, step: Any, bias: Any, row: int, A: NDArray[Any], F: NDArray[Any]) -> None:
    """Add ``step`` to the embedding strength of pattern i in one discriminant; its kernel row is row r of K."""
    A[row, 1 + i] += step
    A[row, 0] += step * bias
    for j in range(K.shape[1]):
        F[row, j] += step * K[r, j]


@compiled
def _epoch(
    K: NDArray[Any],
    place: NDArray[np.uint32],
    labels: NDArray[np.int32],
    weight: NDArray[Any],
    order: NDArray[np.uint32],
    A: NDArray[Any],
    F: NDArray[Any],
    b: Any,
    etas: NDArray[Any],
    bias: Any,
    path: NDArray[Any] | None,
    cursor: NDArray[np.int64],
) -> Any:
    """Visit the patterns in the given order; ``place`` tells for the first of them which row of K is theirs.

    Returns the visits made (fewer when ``etas`` is used up or a kernel row is missing, -1 when a discriminant is not
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
        margin, rival = dual_visit(F, A, i, label)
        if not finite(margin):
            return -1, corrections, errors, criterion, low
        if margin <= b and t >= place.size:
            return t, corrections, errors, criterion, low
        errors += margin <= 0
        low = min(low, margin)
        if margin <= b:
            step = etas[corrections] * weight[i] if weight.size else etas[corrections]
            if A.shape[0] == 1:
                embed(K, place[t], i, step if label == 1 else -step, bias, 0, A, F)
            else:
                embed(K, place[t], i, step, bias, label, A, F)
                embed(K, place[t], i, -step, bias, rival, A, F)
            if path is not None:
                record(path, cursor, A)
            criterion += b - margin
            corrections += 1
    return order.size, corrections, errors, criterion, low


class Gram:
    """Kernel rows of the training patterns: all of them kept where they fit, else computed when one is called for."""

    def __init__(self, kernel: mercer.Kernel, X: Any, cache_size: float) -> None:
        self.kernel, self.X, n = kernel, X, X.shape[0]
        self.diagonal = np.asarray(kernel.diagonal(X))
        self.size = max(1, BLOCK // (n * X.dtype.itemsize))
        self.whole = n**2 * X.dtype.itemsize <= cache_size * 2**20
        self.matrix: NDArray[Any] | None = None

    def fill(self, watch: Watch) -> None:
        """Compute all rows, if they are to be kept and are not there yet; Ctrl-C is heard on the way."""
        if not self.whole or self.matrix is not None:
            return
        n, d = self.X.shape
        if n * n * d <= ATONCE:
            self.matrix = np.ascontiguousarray(self.kernel(self.X), self.X.dtype)
            return
        matrix = np.empty((n, n), self.X.dtype)
        for start in range(0, n, size := max(1, min(self.size, ATONCE // (n * d)))):
            watch.check()
            matrix[start : start + size] = self.kernel(self.X[start : start + size], self.X)
        self.matrix = matrix

    def block(self, order: NDArray[np.uint32]) -> NDArray[Any]:
        """The kernel rows of the first patterns of the order, as many as make a block."""
        return np.ascontiguousarray(self.kernel(self.X[order[: self.size]], self.X), self.X.dtype)


@dataclass(frozen=True, kw_only=True)
class DualFindings(Findings):
    """How many corrections the theorem allows, and the largest K(x, x) of all portions."""

    bound: float | None
    largest: float


class DualRule(ErrorCorrectingRule):
    """Table 2.2 at work: one pass over the patterns is one epoch.

    ``start`` is b and, after earlier portions of data, the strengths of their patterns; F what these give already.
    """

    def __init__(
        self, start: NDArray[Any], F: NDArray[Any], problem: Problem, gram: Gram, model: KernelPerceptron, online: bool
    ) -> None:
        self.past = start[:, 1:]
        A = np.hstack([start[:, :1], np.zeros_like(F)])
        super().__init__(A, model.margin, model.schedule, model)
        self.A = A  # one row a discriminant, also for two classes
        self.F, self.gram, self.online = F, gram, online
        self.largest = float(gram.diagonal[problem.part].max(initial=model._largest if online else 0))
        self.bias = A.dtype.type(1.0 if model.bias == "augmented" else self.largest)
        self.bound: float | None = None
        repeats = self.schedule.name == "constant" and model.order == "cyclic" and not online
        self.returns = Returns(self._state()) if repeats else None

    @property
    def answer(self) -> NDArray[Any]:
        """Weights b and strengths of all patterns, the earlier ones first."""
        return np.hstack([self.A[:, :1], self.past, self.A[:, 1:]])

    @property
    def findings(self) -> DualFindings:
        """The bound of the theorem, and the largest K(x, x) so far."""
        return DualFindings(notes=self.notes, bound=self.bound, largest=self.largest)

    @property
    def path(self) -> NDArray[Any] | None:
        """The recorded b and strengths of the patterns at hand."""
        return self.trail.so_far(self.A if len(self.A) > 1 else self.A[0])

    def _state(self) -> NDArray[Any]:
        """What decides the next pass: the discriminants, not the embedding strengths, which only grow."""
        return np.hstack([self.A[:, :1], self.F])

    def visit_all(self, problem: Problem, order: NDArray[np.uint32], etas: NDArray[Any]) -> Any:
        """Correct at each violator, as far as the kernel rows reach."""
        self.watch.check()
        order = order[: max(1, CHUNK // problem.n_rows)]  # a correction takes as many additions as there are patterns
        if self.gram.matrix is not None:
            return self._visit(problem, order, etas, self.gram.matrix, order)
        met = self._visit(problem, order, etas, self.F[:0], order[:0])  # no rows: up to the first violator
        if met[0]:
            return met
        block = self.gram.block(order)
        return self._visit(problem, order, etas, block, np.arange(len(block), dtype=np.uint32))

    def _visit(
        self,
        problem: Problem,
        order: NDArray[np.uint32],
        etas: NDArray[Any],
        K: NDArray[Any],
        place: NDArray[np.uint32],
    ) -> Any:
        return _epoch(
            K, place, problem.labels, problem.weight, order, self.A, self.F, self.b, etas, self.bias,
            self.trail.rows, self.trail.cursor,
        )  # fmt: skip

    def sweep(self, problem: Problem, watch: Watch) -> Sweep:
        """Visit every pattern once."""
        self.watch = watch
        self.gram.fill(watch)
        return super().sweep(problem, watch)

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One pass."""
        sweep = self.sweep(problem, watch)
        if not sweep.corrections:
            if not (self.online or sweep.errors or self._holds(problem, sweep.low)):
                return self.told(sweep, None)
            self.bound = None if self.online else self._bound(sweep.low)
            return self.told(sweep, Status.CONVERGED if sweep.errors else Status.SEPARATED)
        earlier = None if self.returns is None else self.returns.earlier(self._state())
        if earlier is None:
            return self.told(sweep, None)
        self.notes = [f"The discriminants after this pass are those that began pass {earlier}."]
        return self.told(sweep, Status.CYCLES)

    def _holds(self, problem: Problem, low: float) -> bool:
        """Whether predictions too will have no error: F, the sum of all corrections, may have gathered rounding.

        A doubtful margin is computed anew as predictions will be, and the next pass goes on with that.
        """
        b, strengths = self.A[:, 0], self.A[:, 1:]
        size = self.largest * np.abs(strengths).sum(axis=1).max() + np.abs(b).max()
        if low > DOUBT * np.finfo(self.A.dtype).eps * size:
            return True
        X = self.gram.X
        self.F = np.ascontiguousarray(expansion(self.gram.kernel, X, X, strengths, self.watch).T, self.F.dtype)
        rows = np.flatnonzero(problem.part)
        G, own = self.F[:, rows] + b[:, None], problem.labels[rows]
        if len(G) == 1:
            return bool(np.all(np.where(own == 1, G[0], -G[0]) > 0))
        at_home = G[own, np.arange(own.size)].copy()
        G[own, np.arange(own.size)] = -np.inf
        return bool(np.all(at_home > G.max(axis=0)))

    def _bound(self, gamma: float) -> float | None:
        """Theorem 5.1 in the feature space, with the constant coordinate that w0 belongs to."""
        if not (gamma > 0 and self.bias > 0 and self.largest > 0 and self.schedule.name == "constant"):
            return None
        b, strengths = self.A[:, 0], self.A[:, 1:]
        with np.errstate(over="ignore", invalid="ignore"):
            squared = float(np.sum(strengths * self.F) + np.sum(b * (b / self.bias)))
        if not 0 < squared < np.inf:  # the kernel is no inner product, or the weights are huge
            return None
        beta = math.sqrt((1 if len(self.A) == 1 else 2) * (self.largest + float(self.bias)))
        a, eta, margin = np.array([math.sqrt(squared)]), self.schedule(1), float(self.b)
        try:
            return float(perceptron_from_numbers(a, beta, gamma, eta=eta, margin=margin))
        except ValueError:  # a margin too small to divide by
            return None


def _can_grow(model: KernelPerceptron) -> bool:
    """Whether new patterns can be compared with the old ones."""
    named = isinstance(model.kernel, str) and model.kernel == "precomputed"
    return not (named or isinstance(model.kernel, mercer.Precomputed))


class KernelPerceptron(OnlineClassifier):
    """Perceptron in dual form, with any kernel.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="linear"
        ``"linear"``, ``"polynomial"``, ``"gaussian"``, ``"sigmoid"``, ``"precomputed"``, a kernel of
        ``discriminant.mercer`` or a function K(X, Z).
    bias : {"radius", "augmented"}, default="radius"
        Increment of b: R^2, the largest K(x, x), as in Table 2.2; or 1.
    margin : float, default=0.0
        The margin that a pattern must exceed.
    schedule : float, str, callable or Schedule, default=1.0
        The increment eta(k) of the k-th correction.
    order : {"cyclic", "random"}, default="cyclic"
        The rows' order, or a new permutation each pass.
    max_iter : int, default=1000
        Passes at the most.
    cache_size : float, default=1000
        Megabytes of kernel rows that may be kept; beyond that they are computed anew each pass.
    record : {None, "weights"}, default=None
        ``"weights"`` keeps the path of (b, alpha_1 z_1, ..., alpha_n z_n) in ``history_["weights"]``.
    multiclass : {"kesler", "one-vs-rest", "one-vs-one"}, default="kesler"
        What to do with more than two classes.
    random_state : int, RandomState instance or None, default=None
        Seed of the random order.

    Attributes
    ----------
    alpha_ : array of shape (n,) or (n, number of discriminants)
        Embedding strengths: how much each training row was added.  With more than two classes they carry a sign.
    dual_coef_ : array of shape (number of discriminants, n)
        The same with the sign of the class, alpha_i z_i.
    intercept_ : array
        The bias b of each discriminant.
    coef_, weights_ : arrays
        With the linear kernel: w, and (b, w).
    X_fit_ : array or CSR matrix
        The training rows, which the discriminant is made of.
    classes_ : array
        Labels, sorted; ``classes_[1]`` is the positive class of two.
    n_iter_, n_corrections_ : int
        Passes and corrections.
    history_, status_, report_
        What happened, why it stopped, and both in words.

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, Table 2.2.

    Examples
    --------
    Boolean OR with the R^2 bias, and XOR with the polynomial kernel (1 + x'z)^2:

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

    start = None

    def __init__(
        self,
        kernel: str | mercer.Kernel | Callable[[Any, Any], Any] = "linear",
        *,
        bias: str = "radius",
        margin: float = 0.0,
        schedule: float | str | Callable[[int], float] | Schedule = 1.0,
        order: str = "cyclic",
        max_iter: int = 1000,
        cache_size: float = 1000,
        record: str | None = None,
        multiclass: str = "kesler",
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.bias = bias
        self.margin = margin
        self.schedule = schedule
        self.order = order
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.record = record
        self.multiclass = multiclass
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = not _can_grow(self)
        return tags

    def _check_parameters(self) -> None:
        super()._check_parameters()
        mercer.get(self.kernel)
        number("margin", self.margin, "give a margin b >= 0", 0, closed=True)
        number("cache_size", self.cache_size, "give the megabytes that kernel rows may take", 0)
        choice("bias", self.bias, ("radius", "augmented"))
        choice("order", self.order, ("cyclic", "random"))
        choice("record", self.record, (None, "weights"))
        if (needs := get(self.schedule).needs) not in (None, "errors"):
            raise ValueError(f"schedule={self.schedule!r} needs {needs}, which an error-correcting rule has not: use "
                             "a number, '1/k', 'k', 'adaptive' or a function of k.")  # fmt: skip

    def _solutions(self, problem: Problem, watch: Watch, listener: Listener, **options: Any) -> list[Solution[Any]]:
        problem.check_finite()
        self.X_fit_ = problem.source
        self._gram = Gram(mercer.get(self.kernel), problem.source, self.cache_size)
        try:
            return super()._solutions(problem, watch, listener)
        finally:
            del self._gram

    def _starts(self, problem: Problem, n_problems: int) -> list[NDArray[Any]]:
        rows = problem.n_outputs if n_problems == 1 else 1
        return [np.zeros((rows, problem.n_rows + 1), problem.dtype) for _ in range(n_problems)]

    def _begin(self, problem: Problem, start: NDArray[Any], online: bool) -> Rule:
        F = np.zeros((len(start), problem.n_rows), problem.dtype)
        return DualRule(start[:, :1], F, problem, self._gram, self, online)

    def _set_weights(self, A: NDArray[Any]) -> None:
        self.dual_coef_, self.intercept_ = np.ascontiguousarray(A[:, 1:]), A[:, 0].copy()
        self.alpha_ = np.abs(self.dual_coef_[0]) if len(A) == 1 else self.dual_coef_.T
        kernel = mercer.get(self.kernel)
        if isinstance(kernel, mercer.Linear):
            self.coef_ = np.asarray(self.dual_coef_ @ self.X_fit_)
            W = np.hstack([self.intercept_[:, None], self.coef_])
            self.weights_ = W[0] if len(W) == 1 else W

    def _is_plane(self) -> bool:
        return isinstance(mercer.get(self.kernel), mercer.Linear)

    def _theorem(self, solution: Solution[Any], problem: Problem) -> Callable[[float], float | None] | None:
        bound = None if problem.weight.size else solution.findings.bound
        return None if bound is None else lambda R: bound

    def _scores(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self)
        X = self._taken(X, reset=False)
        return np.asarray(self._expansion(X) + self.intercept_)

    def _expansion(self, X: Any) -> NDArray[Any]:
        """The discriminants of the rows of X without b; patterns that were never added take no part."""
        if self._is_plane():
            return np.asarray(X @ self.coef_.T)
        return np.asarray(expansion(mercer.get(self.kernel), X, self.X_fit_, self.dual_coef_))

    def _streams(self) -> bool:
        return _can_grow(self)

    def _continued(self, problem: Problem, problems: list[Problem], first: bool) -> list[Rule]:
        """New rules: every portion has kernel rows of its own, which join those that the discriminant is made of."""
        return self._resume(problem, problems, first)

    def _resume(self, problem: Problem, problems: list[Problem], first: bool) -> list[Rule]:
        problem.check_finite()
        gram = Gram(mercer.get(self.kernel), problem.source, self.cache_size)
        n, rows = problem.n_rows, sum(part.n_outputs for part in problems)
        start, F = np.zeros((rows, 1), problem.dtype), np.zeros((rows, n), problem.dtype)
        if first:
            self._largest = 0.0
        else:
            start = np.hstack([self.intercept_[:, None], self.dual_coef_]).astype(problem.dtype)
            F = np.ascontiguousarray(self._expansion(problem.source).T, problem.dtype)
        rules: list[Rule] = []
        for part, past in zip(problems, self._portions, strict=True):
            own = slice(len(rules), len(rules) + part.n_outputs)
            rule = DualRule(start[own], F[own], part, gram, self, online=True)
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
