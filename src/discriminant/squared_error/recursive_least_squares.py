"""Recursive least squares: stochastic approximation that carries the inverse of Y'Y along.

Problem: minimize J_m(a) = E[(a'y - theta)^2] (Eq. 64) from patterns that come one by one.  Newton's rule with the
patterns so far in place of the expectation is, for the pattern y_k with target theta_k,

    a(k+1)     = a(k) + R_{k+1} (theta_k - a(k)'y_k) y_k                                              (Eq. 71)
    R_{k+1}^-1 = lambda R_k^-1 + y_k y_k'                              with lambda = 1 in the book     (Eq. 72)
    R_{k+1}    = (R_k - R_k y_k (R_k y_k)' / (lambda + y_k'R_k y_k)) / lambda                         (Eq. 73)

from R_1 = I/delta.  What it computes: after one pass over n patterns a is exactly the minimum of

    delta lambda^n |a - a(1)|^2 + sum over k of lambda^(n-k) (a'y_k - theta_k)^2,

which for lambda = 1 is a = (delta I + Y'Y)^-1 (Y'theta + delta a(1)), whatever the order of the patterns.  It converges
in mean square to the minimum of J_m.

Eq. 73 subtracts, and in floating point R soon ceases to be positive definite.  So R = U D U' is kept as a unit upper
triangular U and a positive diagonal D, which Bierman's algorithm updates by multiplications of D with positive numbers.
With lambda < 1 a direction in which no pattern comes is forgotten, and R grows there like lambda^-k (windup): no entry
of D may exceed BOUND/delta, which amounts to a prior knowledge of at least delta/BOUND of every direction.

With c classes the discriminants share R: a_i aims at +theta on the patterns of class i, at -theta on the others.

Symbols: A the weight vectors, one row a discriminant; ``V`` = U', so that its rows are contiguous; ``gain`` = R_{k+1}
y_k; ``forgetting`` the factor lambda; s = lambda/w + y_k'R_k y_k.  A pattern of weight w adds w y_k y_k' to R^-1.

Sources: Duda, Hart, Stork, *Pattern Classification*, section 5.8.5, Eqs. 64-73, Computer exercise 8; Bierman,
*Factorization Methods for Discrete Sequential Estimation*, 1977, chapter V.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._engine.driver import Rule, Watch
from .._engine.path import Path, record
from .._engine.problem import Problem
from .._engine.rows import Rows, compiled, finite, inlined, row_axpy
from .._guards.parameters import choice, number
from .._guards.state import Changing
from .._guards.validation import floats
from ..base.classifier import OnlineClassifier
from ..solution import Epoch, Findings, Solution, Status

BOUND = 1e8  # how far beyond 1/delta an entry of D may grow
MEMORY = 2**29  # bytes of R, which a pass holds twice: 8,191 features
TERMS = 10  # of the series for what delta costs
NOTICEABLE = 1e-3  # part of the criterion by which delta may raise the sum of squares without a word


@inlined
def update(V: Any, D: Any, y: NDArray[Any], r: float, forgetting: float, cap: float, gain: NDArray[Any]) -> Any:
    """Replace R = V'DV by (R - Ry(Ry)'/s) / lambda, where s = lambda r + y'Ry; ``gain`` becomes Ry (Eq. 73).

    Returns s.  One sweep over the rows of V, each read and written once (Bierman's algorithm).
    """
    s = forgetting * r
    for j in range(D.size):
        f = y[j]
        for i in range(j):
            f += V[j, i] * y[i]
        v, before = D[j] * f, s
        s += f * v
        D[j] = min(D[j] * (before / s) / forgetting, cap)
        gain[j] = v
        if v != 0:
            p = -f / before
            for i in range(j):
                u = V[j, i]
                V[j, i] = u + gain[i] * p
                gain[i] += u * v
    return s


@compiled
def _epoch(
    X: Rows,
    labels: NDArray[np.int32],
    b: NDArray[np.float64],
    weight: NDArray[Any],
    order: NDArray[np.uint32],
    A: NDArray[np.float64],
    V: NDArray[np.float64],
    D: NDArray[np.float64],
    forgetting: float,
    cap: float,
    y: NDArray[np.float64],
    gain: NDArray[np.float64],
    g: NDArray[np.float64],
    least: float,
    path: NDArray[Any] | None,
    cursor: NDArray[np.int64],
) -> Any:
    """Visit the patterns in the given order and update A, V and D; y, gain and g are room to work in.

    Returns the visits that changed A (-1 when an inner product is not finite), the errors, the criterion as met on the
    way, and ``least``, its minimum over all the patterns so far, which grows by e^2 / (1/w + y'R_k y) at each visit.
    """
    changes, errors, criterion = 0, 0, 0.0
    for t in range(order.size):
        i = order[t]
        for j in range(y.size):
            y[j] = 0.0
        row_axpy(X, i, 1.0, 1.0, y)
        w = np.float64(weight[i]) if weight.size else 1.0
        s = update(V, D, y, 1 / w, forgetting, cap, gain)
        if not finite(s):
            return -1, errors, criterion, least
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
        if changed:
            changes += 1
            if path is not None:
                record(path, cursor, A)
    return changes, errors, criterion, least


@dataclass(frozen=True, kw_only=True)
class RecursiveFindings(Findings):
    """The rule itself, with its factors of R."""

    rule: RecursiveRule


class RecursiveRule(Changing):
    """The weights and the factors of R, in double precision whatever the patterns are stored in."""

    def __init__(self, A: NDArray[Any], problem: Problem, model: RecursiveLeastSquares, online: bool) -> None:
        self.A: NDArray[Any] = A.astype(np.float64)
        self.trail = Path(self.A, model.record == "weights")
        self.random = check_random_state(model.random_state) if model.order == "random" else None
        self.dtype, self.forgetting, self.targets = problem.dtype, float(model.forgetting), model.targets
        d = problem.n_features + 1
        if 8 * d * d > MEMORY:
            raise ValueError(
                f"X has {problem.n_features:,} features, for which R would take {8 * d * d / 2**30:.1f} GiB: take "
                "WidrowHoff, which needs no matrix, or LeastSquares; or choose fewer features."
            )
        self.V, self.D, self.cap = np.eye(d), np.full(d, 1 / model.delta), BOUND / model.delta
        self.k, self.left = 0, 1 if online else int(model.max_iter)
        self.least = 0.0

    @property
    def findings(self) -> RecursiveFindings:
        """The sum of squares, and the factors of R."""
        return RecursiveFindings(details={"criterion value": self.least}, rule=self)

    def go_on_from(self, A: NDArray[Any], V: NDArray[Any], D: NDArray[Any], least: float) -> None:
        """Take up the state of an earlier rule."""
        self.A, self.V, self.D, self.least = A.copy(), V.copy(), D.copy(), least

    @property
    def answer(self) -> NDArray[Any]:
        """The weights, one row a discriminant."""
        return self.A.astype(self.dtype)

    @property
    def path(self) -> NDArray[Any] | None:
        """The recorded weights."""
        return self.trail.so_far(self.A[0] if len(self.A) == 1 else self.A)

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One pass."""
        b, changes, errors, criterion = margins_of(self.targets, problem.n_rows), 0, 0, 0.0
        order = np.flatnonzero(problem.part).astype(np.uint32)
        if self.random is not None:
            order = self.random.permutation(order)
        d, c = self.D.size, len(self.A)
        y, gain, g = np.empty(d), np.empty(d), np.empty(c)
        for start, stop in watch.chunks(order.size, order.size * d * (d + c)):
            changed, wrong, part, self.least = _epoch(
                problem.rows, problem.labels, b, problem.weight, order[start:stop], self.A, self.V, self.D,
                self.forgetting, self.cap, y, gain, g, self.least, self.trail.rows, self.trail.cursor,
            )  # fmt: skip
            if changed < 0 or not np.all(np.isfinite(self.A)):
                raise problem.refuse()
            changes, errors, criterion = changes + changed, errors + wrong, criterion + part
        self.k += changes
        self.left -= 1
        step = float(np.sum(self.D[:, None] * self.V**2)) / d  # trace(R) / d: the mean step of Eq. 71
        return Epoch(errors, criterion, step, changes, Status.CONVERGED if self.left <= 0 else None)


class RecursiveLeastSquares(OnlineClassifier):
    """Recursive least squares: one pass gives the minimum of the squared errors, and new patterns only move it on.

    After one pass the weights are a = (delta I + Y'Y)^-1 (Y'b + delta a(1)), exactly and whatever the order of the
    patterns; after p passes, with delta/p in place of delta.  Sample weights count as repeated patterns.  The inverse
    R of delta I + Y'Y is kept in factors (Bierman's form) and stays positive definite over any number of steps.

    Parameters
    ----------
    delta : float, default=1e-4
        Weight of the start vector: R_1 = I/delta.
    forgetting : float, default=1.0
        Factor lambda in (0, 1]: the pattern that came m steps ago counts lambda^m.  Below 1, R grows in directions in
        which no pattern comes; its factor D is held below 1e8/delta.
    targets : "ones" or array of shape (n,), default="ones"
        The values b > 0 that a'y should take on the normalized patterns.
    start : array of shape (d+1,) or (c, d+1), default=None
        Augmented start vector (w0, w); None is zero.
    max_iter : int, default=1
        Passes.
    order : {"cyclic", "random"}, default="cyclic"
        The rows' order, or a new permutation each pass; it makes a difference only when something is forgotten.
    record : {None, "weights"}, default=None
        ``"weights"`` keeps the path of the weights in ``history_["weights"]``.
    random_state : int, RandomState instance or None, default=None
        Seed of the random order.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (1, d) and (1,), or (c, d) and (c,)
        Weights w and w0.
    weights_ : array of shape (d+1,) or (c, d+1)
        Augmented weights (w0, w).  With c > 2 classes they are a linear machine: the largest discriminant decides.
    R_ : array of shape (d+1, d+1)
        The inverse of delta I + Y'Y, symmetric and positive definite, shared by all discriminants.
    classes_ : array
        Labels, sorted; ``classes_[1]`` is the positive class of two.
    n_iter_, n_corrections_ : int
        Passes and changes of the weights.
    history_ : dict of arrays
        ``"errors"``, ``"criterion"``, ``"corrections"`` of each pass, as met on the way; ``"step"`` is the mean
        eigenvalue of R at its end.
    status_, report_
        Why it stopped, and what happened in words.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, section 5.8.5, Eqs. 71-73, Computer exercise 8.

    Examples
    --------
    One pass over the patterns of Example 1, where least squares gives (11/3, -4/3, -2/3):

    >>> from discriminant import RecursiveLeastSquares, datasets
    >>> model = RecursiveLeastSquares(delta=1e-9).fit(*datasets.pseudoinverse_example())
    >>> model.weights_.round(4).tolist()
    [3.6667, -1.3333, -0.6667]
    """

    _criterion = "delta |a - a(1)|^2 + sum of (a'y - b)^2 over all patterns"
    multiclass = "linear-machine"
    _strategies = ("linear-machine",)

    def __init__(
        self,
        *,
        delta: float = 1e-4,
        forgetting: float = 1.0,
        targets: Any = "ones",
        start: Any = None,
        max_iter: int = 1,
        order: str = "cyclic",
        record: str | None = None,
        random_state: Any = None,
    ) -> None:
        self.delta = delta
        self.forgetting = forgetting
        self.targets = targets
        self.start = start
        self.max_iter = max_iter
        self.order = order
        self.record = record
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        number("delta", self.delta, "give a weight > 0 of the start vector, such as 1e-4", 1e-300, high=1e300)
        number("forgetting", self.forgetting, "give a factor in (0, 1], 1 to forget nothing", 0, high=1 + 1e-15)
        choice("order", self.order, ("cyclic", "random"))
        choice("record", self.record, (None, "weights"))

    def _problems(self, problem: Problem) -> list[Problem]:
        self.multiclass_ = "two-category" if problem.n_outputs == 1 else self.multiclass
        return [problem]

    def _starts(self, problem: Problem, n_problems: int) -> list[NDArray[Any]]:
        return [np.concatenate(super()._starts(problem, problem.n_outputs))]

    def _begin(self, problem: Problem, start: NDArray[Any], online: bool) -> Rule:
        return RecursiveRule(start, problem, self, online)

    def _solutions(self, problem: Problem, watch: Watch, X: Any, y: Any, sample_weight: Any) -> list[Solution[Any]]:
        (solution,) = super()._solutions(problem, watch, X, y, sample_weight)
        rule: RecursiveRule = solution.findings.rule
        loss = held_back(rule, self._starts(problem, 1)[0], float(self.delta)) if self.forgetting == 1 else 0.0
        if loss > NOTICEABLE * rule.least:
            notes = [
                f"delta = {self.delta:g} holds the weights back: the sum of squares alone could be lower by "
                f"{loss:.3g}; give a smaller delta, or standardize the features."
            ]
            solution = replace(solution, findings=replace(solution.findings, notes=notes))
        return [solution]

    def _resume(self, problem: Problem, problems: list[Problem], first: bool) -> list[Rule]:
        rules = super()._resume(problem, problems, first)
        if not first:
            cast(RecursiveRule, rules[0]).go_on_from(*self._state)
        return rules

    def _publish(self, solutions: list[Solution[Any]], problem: Problem, X: Any) -> None:
        rule: RecursiveRule = solutions[0].findings.rule
        super()._publish(solutions, problem, X)
        self._state = rule.A, rule.V, rule.D, rule.least

    def _remarks(self, solutions: list[Solution[RecursiveFindings]]) -> list[str]:
        return [self._solved(), *solutions[0].findings.notes]

    @property
    def R_(self) -> NDArray[np.float64]:
        """R = UDU', symmetric; multiplied out when it is read, which costs more than a step."""
        check_is_fitted(self)
        _, V, D, _ = self._state
        half = np.sqrt(D)[:, None] * V
        return np.asarray(half.T @ half)

    def _solved(self) -> str:
        """What the passes have computed."""
        if self.forgetting < 1:
            how = f"the pattern that came m steps ago counts {self.forgetting:g}^m, and the start likewise"
        else:
            how = "Y holds every pattern as often as it came"
        return (
            f"The weights solve (delta I + Y'Y) a = Y'b + delta a(1) with delta = {self.delta:g}, where {how}: nothing "
            "is left to iterate."
        )


def held_back(rule: RecursiveRule, start: NDArray[Any], delta: float) -> float:
    """By how much, at the least, delta keeps the sum of squares above its minimum.

    With x = a - a(1) and M = delta R it is delta x'M(I - M)^-1 x, the sum of delta x'M^k x over k = 1, 2, ...: the
    first terms, and the rest as if their ratio, which never falls, remained what it is.
    """
    half = np.sqrt(delta * rule.D)[:, None] * rule.V
    x = rule.A - start
    terms = [float(np.sum(x**2))]
    u = x
    for _ in range(TERMS):
        v = u @ half.T
        terms.append(float(np.sum(v * (x @ half.T))))
        u = v @ half
    ratio = min(terms[-1] / terms[-2], 1 - 1e-12) if terms[-2] > 0 else 0.0
    return delta * (sum(terms[1:]) + terms[-1] * ratio / (1 - ratio))


def margins_of(targets: Any, n: int) -> NDArray[np.float64]:
    """The margins b > 0 that ``targets`` stands for, one a pattern."""
    if isinstance(targets, str):
        choice("targets", targets, ("ones",))
        return np.ones(n)
    b = floats("targets", targets, np.float64, "give 'ones', or numbers > 0")
    if b.shape != (n,):
        raise ValueError(f"targets has shape {b.shape}: give 'ones', or one positive number for each of the {n} rows.")
    if not np.all((b > 0) & np.isfinite(b)):
        bad = b[~((b > 0) & np.isfinite(b))][0]
        raise ValueError(f"targets holds {bad:g}: give finite numbers > 0, the values of a'y on normalized patterns.")
    return b
