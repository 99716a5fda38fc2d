"""Recursive least squares: stochastic approximation that carries the inverse of YᵗY along.

Problem: minimize J_m(a) = E[(aᵗy − θ)²] (Eq. 64) from patterns that come one by one.  Newton's rule with the patterns
so far in place of the expectation is, for the pattern y_k with target θ_k,

    a(k+1)    = a(k) + R_{k+1} (θ_k − aᵗ(k)y_k) y_k                                       (Eq. 71)
    R_{k+1}⁻¹ = λ R_k⁻¹ + y_k y_kᵗ                            with λ = 1 in the book      (Eq. 72)
    R_{k+1}   = (R_k − R_k y_k (R_k y_k)ᵗ / (λ + y_kᵗR_k y_k)) / λ                        (Eq. 73)

from R_1 = I/δ.  What it computes: after one pass over n patterns a is exactly the minimum of

    δ λⁿ ‖a − a(1)‖² + Σ_k λⁿ⁻ᵏ (aᵗy_k − θ_k)²,

which for λ = 1 is a = (δI + YᵗY)⁻¹ (Yᵗθ + δ a(1)), whatever the order of the patterns.  It converges in mean square to
the minimum of J_m.

Eq. 73 subtracts, and in floating point R soon ceases to be positive definite.  So R = UDUᵗ is kept as a unit upper
triangular U and a positive diagonal D, which Bierman's algorithm updates by multiplications of D with positive numbers.
With λ < 1 a direction in which no pattern comes is forgotten, and R grows there like λ⁻ᵏ (windup): no entry of D may
exceed BOUND/δ, which amounts to a prior knowledge of at least δ/BOUND of every direction.

With c classes the discriminants share R: a_i aims at +θ on the patterns of class i, at −θ on the others.

Symbols: A the weight vectors, one row a discriminant; ``V`` = Uᵗ, so that its rows are contiguous; ``gain`` = R_{k+1}
y_k; ``forgetting`` the factor λ; s = λ/w + y_kᵗR_k y_k.  A pattern of weight w adds w y_k y_kᵗ to R⁻¹.

Sources: Duda, Hart, Stork, *Pattern Classification*, §5.8.5, Eqs. 64-73, Computer exercise 8; Bierman, *Factorization
Methods for Discrete Sequential Estimation*, 1977, chapter V.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._engine.callbacks import Listener
from .._engine.driver import Plan, Rule, Watch
from .._engine.path import Path
from .._engine.problem import Problem
from .._engine.rows import Rows, compiled, finite, inlined, row_axpy
from .._guards.held import is_floats, is_number
from .._guards.parameters import ORDER, RECORD, Number
from .._guards.state import Changing
from .._guards.validation import all_finite
from ..base.classifier import OnlineClassifier
from ..base.inherited_docs import estimator
from ..solution import Epoch, Findings, Solution, Status
from .aimed_patterns import margins_of

BOUND = 1e8  # how far beyond 1/δ an entry of D may grow
MEMORY = 2**29  # bytes of R, which a pass holds twice: 8,191 features
TERMS = 10  # of the series for what δ costs
NOTICEABLE = 1e-3  # part of the criterion by which δ may raise the sum of squares without a word


@inlined
def update(V: Any, D: Any, y: NDArray[Any], r: float, forgetting: float, cap: float, gain: NDArray[Any]) -> Any:
    """Replace R = VᵗDV by (R − Ry(Ry)ᵗ/s) / λ, where s = λr + yᵗRy; ``gain`` becomes Ry (Eq. 73).

    Returns s.  One sweep over the rows of V, each read and written once (Bierman's algorithm).
    """
    s = forgetting * r
    for j in range(D.size):
        f = y[j]
        for i in range(j):
            f += V[j, i] * y[i]
        v, before = D[j] * f, s
        s += f * v
        grown = D[j] * (before / s) / forgetting
        D[j] = grown if grown < cap else cap
        gain[j] = v
        if v != 0:
            p = -f / before
            for i in range(j):
                u = V[j, i]
                V[j, i] = u + gain[i] * p
                gain[i] += u * v
    return s


class Recursion(NamedTuple):
    """The weights A, one row a discriminant, the factors of R = VᵗDV, λ, and the bound on the entries of D."""

    A: NDArray[np.float64]
    V: NDArray[np.float64]
    D: NDArray[np.float64]
    forgetting: float
    cap: float


class RecursivePass(NamedTuple):
    """Visits that changed A, errors and criterion as met on the way, the least criterion, and whether s was finite."""

    changes: int
    errors: int
    criterion: float
    least: float
    finite: bool


@compiled
def _epoch(
    X: Rows, labels: NDArray[np.int32], b: NDArray[np.float64], weight: NDArray[Any], order: NDArray[np.uint32],
    recursion: Recursion, criterion: float, least: float,
) -> Any:  # fmt: skip
    """Visit the patterns in the given order and update A, V and D.

    ``least``, the minimum of the criterion over all the patterns so far, grows by e² / (1/w + yᵗR_k y) at each visit.
    ``criterion`` is that of the visits before these: its sum rounds alike however they are split.
    """
    A, V, D, forgetting, cap = recursion
    y, gain, g = np.empty(D.size), np.empty(D.size), np.empty(A.shape[0])
    changes, errors = 0, 0
    for t in range(order.size):
        i = order[t]
        for j in range(y.size):
            y[j] = 0.0
        row_axpy(X, i, 1.0, 1.0, y)
        w = np.float64(weight[i]) if weight.size else 1.0
        s = update(V, D, y, 1 / w, forgetting, cap, gain)
        if not finite(s):
            return changes, errors, criterion, least, False
        own = labels[i] if A.shape[0] > 1 else labels[i] - 1  # of two classes, the one discriminant belongs to class 1
        changed = False
        for c in range(A.shape[0]):
            g[c] = 0.0
            for j in range(y.size):
                g[c] += A[c, j] * y[j]
            e = (b[i] if c == own else -b[i]) - g[c]
            criterion += w * e * e
            least += e * e / s
            changed |= e != 0
            for j in range(y.size):
                A[c, j] += e / s * gain[j]
        least *= forgetting
        if A.shape[0] == 1:
            errors += g[0] <= 0 if own == 0 else g[0] >= 0
        else:
            wrong = False
            for c in range(A.shape[0]):
                wrong |= c != own and g[c] >= g[own]
            errors += wrong
        changes += changed
    return changes, errors, criterion, least, True


@dataclass(frozen=True)
class RecursivePlan(Plan):
    """How the recursion is to run: δ, λ, the targets, and the passes it makes."""

    delta: float = 1e-4
    forgetting: float = 1.0
    targets: Any = "ones"
    passes: int = 1


@dataclass(frozen=True, kw_only=True)
class RecursiveFindings(Findings):
    """The weights in double precision, the factors of R, and the least criterion."""

    recursion: Recursion
    least: float


class RecursiveRule(Changing):
    """The recursion at work, in double precision whatever the patterns are stored in.

    An epoch works on copies of the arrays: what a portion of data before it found is not written over.
    """

    def __init__(self, plan: RecursivePlan, A: NDArray[Any], problem: Problem) -> None:
        check_size(problem.n_features)
        d = problem.n_features + 1
        delta = float(plan.delta)
        factors = np.eye(d), np.full(d, 1 / delta)
        self._recursion = Recursion(A.astype(np.float64), *factors, float(plan.forgetting), BOUND / delta)
        self.plan, self.dtype, self.recorded = plan, problem.dtype, Path(self._recursion.A, plan.record)
        self.random, self.k, self.left, self.least = plan.random(), 0, plan.passes, 0.0

    @property
    def findings(self) -> RecursiveFindings:
        details = {"criterion value": self.least}
        return RecursiveFindings(details=details, recursion=self._recursion, least=self.least)

    def go_on_from(self, A: NDArray[Any], V: NDArray[Any], D: NDArray[Any], least: float) -> None:
        self._recursion, self.least = self._recursion._replace(A=A, V=V, D=D), least

    @property
    def answer(self) -> NDArray[Any]:
        return self._recursion.A.astype(self.dtype)

    @property
    def path(self) -> NDArray[Any] | None:
        A = self._recursion.A
        return self.recorded.so_far(A[0] if len(A) == 1 else A)

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        A, V, D = (part.copy() for part in self._recursion[:3])
        self._recursion = self._recursion._replace(A=A, V=V, D=D)
        changes, errors, criterion = 0, 0, 0.0
        for portion in problem.portions():
            found = self._visit(portion, watch)
            changes, errors = changes + found.changes, errors + found.errors
            criterion += found.criterion
        self.k += changes
        self.left -= 1
        step = float(np.sum(D[:, None] * V**2)) / D.size  # trace(R) / d: the mean step of Eq. 71
        return Epoch(errors, criterion, step, changes, Status.CONVERGED if self.left <= 0 else None)

    def _visit(self, problem: Problem, watch: Watch) -> RecursivePass:
        """Visit the patterns that are in memory."""
        A, _, D = self._recursion[:3]
        b, changes, errors, criterion = margins_of(self.plan.targets, problem.n_rows), 0, 0, 0.0
        order = self.plan.drawn(np.flatnonzero(problem.part).astype(np.uint32), self.random)
        for start, stop in watch.chunks(order.size, order.size * D.size * (D.size + len(A))):
            part, met = order[start:stop], 0.0
            while part.size:
                some, part = part[: self.recorded.gap], part[self.recorded.gap :]
                found = RecursivePass(*_epoch(
                    problem.rows, problem.labels, b, problem.weight, some, self._recursion, met, self.least,
                ))  # fmt: skip
                self.recorded.add(A, found.changes)
                self.least, met = found.least, found.criterion
                if not (found.finite and all_finite(A)):
                    raise problem.refuse()
                changes, errors = changes + found.changes, errors + found.errors
            criterion += met
        return RecursivePass(changes, errors, criterion, self.least, True)


@estimator
class RecursiveLeastSquares(OnlineClassifier):
    """Recursive least squares: one pass gives the minimum of the squared errors, and new patterns only move it on.

    After one pass the weights are a = (δI + YᵗY)⁻¹ (Yᵗb + δ a(1)), exactly and whatever the order of the patterns;
    after p passes, with δ/p in place of δ.  Sample weights count as repeated patterns.  The inverse R of δI + YᵗY is
    kept in factors (Bierman's form) and stays positive definite over any number of steps.

    Parameters
    ----------
    delta : float
        Weight δ of the start vector: R_1 = I/δ.
    forgetting : float
        Factor λ in (0, 1]: the pattern that came m steps ago counts λᵐ.  Below 1, R grows in directions in which no
        pattern comes; its factor D is held below 1e8/δ.
    targets : "ones" or array of shape (n,)
        The values b > 0 that aᵗy should take on the normalized patterns.
    order
        The rows' order, or a new permutation each pass; it makes a difference only when something is forgotten.

    Attributes
    ----------
    weights_ : array of shape (d+1,) or (c, d+1)
        Augmented weights (w₀, w).  With c > 2 classes they are a linear machine: the largest discriminant decides.
    R_ : array of shape (d+1, d+1)
        The inverse of δI + YᵗY, symmetric and positive definite, shared by all discriminants.
    history_ : dict of arrays
        ``"errors"``, ``"criterion"``, ``"corrections"`` of each pass, as met on the way; ``"step"`` is the mean
        eigenvalue of R at its end.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, §5.8.5, Eqs. 71-73, Computer exercise 8.

    Examples
    --------
    One pass over the patterns of Example 1, where least squares gives (11/3, -4/3, -2/3):

    >>> from discriminant import RecursiveLeastSquares, datasets
    >>> model = RecursiveLeastSquares(delta=1e-9).fit(*datasets.pseudoinverse_example())
    >>> model.weights_.round(4).tolist()
    [3.6667, -1.3333, -0.6667]
    """

    @staticmethod
    def _is_state(held: Any, sizes: dict[str, int]) -> bool:
        """Whether this is what a recursion of so many features and discriminants goes on from."""
        if not isinstance(held, tuple) or len(held) != 4:
            return False
        A, V, D, least = held
        p = sizes["d"] + 1
        return is_floats(A, (sizes["k"], p)) and is_floats(V, (p, p)) and is_floats(D, (p,)) and is_number(least)

    _held = {"_state": _is_state}

    _criterion = "delta |a - a(1)|^2 + sum of (a'y - b)^2 over all patterns"
    multiclass = "linear-machine"
    _strategies = ("linear-machine",)
    _parameters = {
        "delta": Number("give a weight > 0 of the start vector, such as 1e-4", 1e-300, 1e300),
        "forgetting": Number("give a factor in (0, 1], 1 to forget nothing", 0, 1 + 1e-15),
        "order": ORDER,
        "record": RECORD,
    }

    delta: float = 1e-4
    forgetting: float = 1.0
    targets: Any = "ones"
    start: Any = None
    max_iter: int = 1
    order: str = "cyclic"
    record: str | None = None
    random_state: Any = None

    def _problems(self, problem: Problem) -> list[Problem]:
        self.multiclass_ = "two-category" if problem.n_outputs == 1 else self.multiclass
        return [problem]

    def _starts(self, problem: Problem, n_problems: int) -> list[NDArray[Any]]:
        return [np.concatenate(super()._starts(problem, problem.n_outputs))]

    def _begin(self, problem: Problem, start: NDArray[Any], online: bool) -> Rule:
        return RecursiveRule(self._plan(RecursivePlan, passes=1 if online else int(self.max_iter)), start, problem)

    def _solutions(self, problem: Problem, watch: Watch, listener: Listener, **options: Any) -> list[Solution[Any]]:
        (solution,) = super()._solutions(problem, watch, listener)
        return [self._noted(solution, self._starts(problem, 1)[0])]

    def _noted(self, solution: Solution[Any], start: NDArray[Any]) -> Solution[Any]:
        """The solution, with a note where δ costs much."""
        found = solution.findings
        loss = held_back(found.recursion, start, float(self.delta)) if self.forgetting == 1 else 0.0
        if loss > NOTICEABLE * found.least:
            note = (
                f"delta = {self.delta:g} holds the weights back: the sum of squares alone could be lower by "
                f"{loss:.3g}; give a smaller delta, or standardize the features."
            )
            solution = replace(solution, findings=replace(found, notes=[note]))
        return solution

    def _resume(self, problem: Problem, problems: list[Problem], first: bool) -> list[Rule]:
        rules = super()._resume(problem, problems, first)
        if not first:
            cast(RecursiveRule, rules[0]).go_on_from(*self._state)
        return rules

    def _publish(self, solutions: list[Solution[Any]], problem: Problem, X: Any) -> None:
        super()._publish(solutions, problem, X)
        found = solutions[0].findings
        self._state = *found.recursion[:3], found.least

    def _remarks(self, solutions: list[Solution[RecursiveFindings]]) -> list[str]:
        return [self._solved(), *solutions[0].findings.notes]

    @property
    def R_(self) -> NDArray[np.float64]:
        """R = UDUᵗ, symmetric; multiplied out when it is read, which costs more than a step."""
        check_is_fitted(self)
        _, V, D, _ = self._state
        half = np.sqrt(D)[:, None] * V
        return np.asarray(half.T @ half)

    def _solved(self) -> str:
        if self.forgetting < 1:
            how = f"the pattern that came m steps ago counts {self.forgetting:g}^m, and the start likewise"
        else:
            how = "Y holds every pattern as often as it came"
        return (
            f"The weights solve (delta I + Y'Y) a = Y'b + delta a(1) with delta = {self.delta:g}, where {how}: nothing "
            "is left to iterate."
        )


def check_size(n_features: int) -> None:
    """Refuse so many features that R would not fit into memory."""
    if (size := 8 * (n_features + 1) ** 2) > MEMORY:
        raise ValueError(
            f"X has {n_features:,} features, for which R would take {size / 2**30:.1f} GiB; take WidrowHoff, which "
            "needs no matrix, or LeastSquares; or choose fewer features."
        )


def held_back(recursion: Recursion, start: NDArray[Any], delta: float) -> float:
    """By how much, at least, δ keeps the sum of squares above its minimum.

    With x = a − a(1) and M = δR it is δ xᵗM(I − M)⁻¹x, the sum of δ xᵗMᵏx over k = 1, 2, …: the first terms, and the
    rest as if their ratio, which never falls, remained what it is.
    """
    half = np.sqrt(delta * recursion.D)[:, None] * recursion.V
    x = recursion.A - start
    terms = [float(np.sum(x**2))]
    u = x
    for _ in range(TERMS):
        v = u @ half.T
        terms.append(float(np.sum(v * (x @ half.T))))
        u = v @ half
    ratio = min(terms[-1] / terms[-2], 1 - 1e-12) if terms[-2] > 0 else 0.0
    return delta * (sum(terms[1:]) + terms[-1] * ratio / (1 - ratio))
