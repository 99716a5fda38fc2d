"""Ho-Kashyap procedures: look for a separating vector and its margins together, or show that there is none.

Problem: find a and b > 0 with Ya = b, by minimizing over both

    J_s(a, b) = ‖Ya − b‖²,    e = Ya − b,    e⁺ = (e + |e|) / 2                                (Eqs. 74, 80, 81)

from a positive b(1) of which no component is ever lowered, so that b cannot shrink to zero:

    b(k+1) = b(k) + 2η e⁺(k),           a(k+1) = Y⁺ b(k+1)                0 < η < 1      (Algorithm 11, Eq. 79)
    b(k+1) = b(k) + η (e(k) + |e(k)|),  a(k+1) = a(k) + η Y⁺ |e(k)|       the same vectors            (Eq. 88)
    b(k+1) = b(k) + (e(k) + |e(k)|),    a(k+1) = a(k) + η R Yᵗ|e(k)|      any a(1), no Y⁺ needed      (Eq. 90)

The first two begin with a(1) = Y⁺ b(1), without which their proof does not hold.  Eq. 90 needs R symmetric and positive
definite and 0 < η < 2 / λ_max(R^½ YᵗY R^½); the η that lowers ‖e‖² most is vᵗRv / ‖YRv‖² with v = Yᵗ|e| (Eqs. 94, 95),
and with R = (YᵗY)⁻¹ it is 1.

In all three ‖e(k)‖² never rises.  Separable patterns: e(k) falls to zero, and Ya(k) > 0 after finitely many steps
(§5.9.2, §5.9.4).  Others: e⁺(k) falls to zero while e(k) does not, and λ = |e| becomes evidence: it is not negative,
not zero, and Yᵗλ = 0, whereas a separating a would make aᵗYᵗλ positive.  No bound on the number of steps is known.
e⁺ = 0 alone proves nothing: a = 0 gives e = −b on any patterns.

The evidence holds to the tolerance when |Yᵗλ| ≤ tol |Y|ᵗλ in every component: then every a leaves some pattern with
aᵗy ≤ tol Σ |a_j y_j|, whatever the sizes of the features.

Symbols: Y the normalized augmented patterns (never built), a = (w₀, w), b the margins, e the errors, Y⁺ the
pseudoinverse, w the sample weights: with them ‖e‖² is Σ w_i e_i², Yᵗ is YᵗW, and λ = w |e|.

Source: Duda, Hart, Stork, *Pattern Classification*, §5.9, Algorithms 11 and 12, Problem 25, Computer exercise 9.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Rule, Watch
from .._engine.problem import Problem
from .._guards.parameters import RECORD, Choice, Number, Or
from ..base.classifier import IterativeClassifier
from ..base.inherited_docs import estimator
from ..base.squared_steps import FIRST, FewPatterns, Steps
from ..solution import EMPTY, Solution, Status, numbered
from .ho_kashyap_course import (
    LARGEST_MARGIN,
    NEGLIGIBLE,
    HoKashyapCourse,
    HoKashyapPlan,
    MarginsFound,
    factor_of,
    optimal_rate,
    raised,
    rate_of,
)
from .ho_kashyap_on_blocks import RoundsRule
from .patterns import Array, Patterns, positive

RATE = Or((None, "optimal"), Number("give a rate > 0, None for the default, or 'optimal'", 0))
BOUNDED_RATE = Or((None,), Number("this variant is sure to descend for 0 < eta < 1", 0, 1))


class HoKashyapRule(HoKashyapCourse):
    """Algorithm 11: the weights a, the margins b and the errors e, and when to stop."""

    def __init__(self, plan: HoKashyapPlan, start: NDArray[Any], problem: Problem) -> None:
        super().__init__(plan, start, problem.dtype)
        self.part = problem.part & (problem.weight > 0) if problem.weight.size else problem.part
        self.whole = bool(self.part.all())
        self.b = first_margins(plan.margin, problem.n_rows)
        self.e, self.evidence = np.where(self.part, -self.b, 0.0), np.zeros(problem.n_rows)
        self.few: FewPatterns | None = None

    def begin(self, problem: Problem, watch: Watch) -> None:
        self.Y = Patterns(problem, watch)
        with np.errstate(over="ignore", invalid="ignore"):
            a = self.first(self.a)
            self.g, self.e = self.look(a, self.b)
        self.a = a

    @property
    def findings(self) -> MarginsFound:
        return MarginsFound(notes=tuple(self.notes), margins=self.b, errors=self.e, evidence=self.evidence)

    def first(self, start: Array) -> Array:
        """Return Y⁺ b(1), refined once."""
        self.eta = self.first_rate()
        self.inverse, rank = self.Y.pseudoinverse()
        self.note_rank(rank, self.Y.d)
        a = self.inverse(self.b)
        return a + self.inverse(self.b - self.Y.times(a))

    def step(self) -> tuple[Array, Array]:
        """Return Y⁺ b(k+1) as a(k) + Y⁺ (b(k+1) − Ya(k)), which corrects the rounding of a(k) on the way."""
        b = raised(self.b, self.e, self.eta)
        return (self.a + self.inverse(b - self.b - self.e) if (b > self.b).any() else self.a), b

    def steps(self) -> tuple[Array, Steps]:
        """T with Y⁺ = TTᵗYᵗW, and what makes the compiled steps those of this rule."""
        return self.Y.whitened(), Steps(turning=self.eta, raising=self.eta, rate=1.0)

    def leap(self, problem: Problem, watch: Watch, limit: int) -> Array:
        """Many steps, none from a place that may separate or be evidence."""
        if self.k < FIRST or not FewPatterns.serve(problem):
            return EMPTY
        if self.few is None:
            T, steps = self.steps()
            self.compiled = steps._replace(fewest=0, level=NEGLIGIBLE, evidence=2 * (self.plan.tol + NEGLIGIBLE))
            self.few = FewPatterns(problem, np.flatnonzero(self.part), self.Y.z, self.Y.w, T)
        a, b = self.a.copy(), self.b.copy()
        table = self.few.leap(a, b, self.compiled, limit, self.recorded)
        if not len(table):
            return table
        if self.compiled.rate:
            table[:, 2] = self.eta
        self.eta = float(table[-1, 2])
        self.k += int(table[:, 3].sum())
        self.a, self.b, (self.g, self.e) = a, b, self.look(a, b)
        return table

    def look(self, a: Array, b: Array) -> tuple[Array, Array]:
        """Ya and e = Ya - b, which is zero for rows that are no part of the problem."""
        g = self.Y.times(a)
        e = g - b if self.whole else np.where(self.part, g - b, 0.0)
        self.check(max(e.max(), -e.min()), a)
        return g, e

    def measure(self) -> tuple[int, float]:
        wrong = self.g <= 0
        errors = int(np.count_nonzero(wrong if self.whole else wrong & self.part))
        return errors, float((self.Y.w * (self.e * self.e)).sum())

    def advance(self, watch: Watch) -> Array:
        a, b = self.step()
        watch.check()
        self.g, self.e = self.look(a, b)
        self.b = b
        return a

    def separates(self) -> bool:
        return bool(np.all((self.g > self.Y.noise(self.a))[self.part]))

    def proves(self) -> bool:
        highest = float(self.e.max())
        largest = max(highest, -float(self.e.min()))
        if largest == 0 or highest > NEGLIGIBLE * largest:
            return False
        size = np.abs(self.e)
        size[size <= NEGLIGIBLE * largest] = 0
        off, scale = np.abs(self.Y.back(size)), self.Y.back(size, absolute=True)
        if not self.weigh(int(np.count_nonzero(size)), off, scale, " (evidence_)"):
            return False
        self.evidence = self.Y.w * size
        return True


class ModifiedRule(HoKashyapRule):
    """Eq. 88, the right form of Algorithm 12."""

    def step(self) -> tuple[Array, Array]:
        """Return a(k) + η Y⁺ |e(k)|."""
        b = raised(self.b, self.e, self.eta)
        return (self.a + self.eta * self.inverse(np.abs(self.e)) if (b > self.b).any() else self.a), b

    def steps(self) -> tuple[Array, Steps]:
        return self.Y.whitened(), Steps(turning=1.0, raising=self.eta, rate=self.eta)


class DescentRule(HoKashyapRule):
    """Eq. 90, with a fixed rate or the optimal one."""

    def first(self, start: Array) -> Array:
        """Return the start vector, once R = TTᵗ and η are known."""
        self.T, bound = factor_of(self.Y, self.plan.R)
        self.eta, self.optimal = rate_of(self.plan.eta, bound), self.plan.eta == "optimal"
        return start

    def step(self) -> tuple[Array, Array]:
        """Return a(k) + η R Yᵗ|e(k)|."""
        v = self.Y.back(np.abs(self.e))
        s = v if self.T is None else np.asarray(self.T @ (self.T.T @ v))
        if self.optimal and s.any():
            self.eta = optimal_rate(v, s, self.Y.times(s), self.Y.w)
        return self.a + self.eta * s, raised(self.b, self.e, 1.0)

    def steps(self) -> tuple[Array, Steps]:
        T = np.eye(self.Y.d) if self.T is None else self.T
        return T, Steps(turning=1.0, raising=1.0, rate=0.0 if self.optimal else self.eta)


def first_margins(margin: Any, n: int) -> Array:
    """The margins b(1), one a row."""
    if np.ndim(margin) == 0:
        return np.full(n, float(margin))
    return positive("margin", margin, n, "give one margin b(1) > 0 (and below 1e150), or one for each", LARGEST_MARGIN)


@estimator
class HoKashyap(IterativeClassifier):
    """Ho-Kashyap procedures: separate the patterns, or give evidence that they cannot be separated.

    Minimizes J_s(a, b) = ‖Ya − b‖² over the weights a and the margins b, which start positive and never fall.  It
    stops with ``SEPARATED`` when aᵗy > 0 for every normalized pattern, and with ``NOT_SEPARABLE`` when the errors are
    evidence against any such a.

    Parameters
    ----------
    variant
        Algorithm 11; Eq. 88, which makes the same vectors; or Eq. 90, which needs no pseudoinverse.
    eta : float, "optimal" or None
        Rate: in (0, 1), and None is 1/2.  For ``"descent"`` below 2 / λ_max(R^½ YᵗY R^½), and None is half of that;
        ``"optimal"`` lowers the criterion most at each step (Eqs. 94 and 95).
    R : {"identity", "gram"} or array of shape (d+1, d+1)
        The matrix of ``"descent"``: symmetric and positive definite; ``"gram"`` is the inverse of YᵗY.
    margin : float or array of shape (n,)
        The first margins b(1), positive.
    tol : float
        The evidence λ holds when |Yᵗλ| ≤ tol |Y|ᵗλ in every component.
    start : array of shape (d+1,) or (c, d+1)
        Augmented start vector (w₀, w) of ``"descent"``; None is zero.  The other variants start from Y⁺ b(1).

    Attributes
    ----------
    margins_, errors_ : arrays of shape (n,), or one row for each two-category problem
        The margins b and the errors e = Ya − b; a row that is no part of the problem keeps b(1) and has e = 0.
    evidence_ : array like ``margins_``, or None
        The evidence λ of nonseparability; zero rows for problems without any, None when no problem has any.  There are
        none of these three after ``fit_stream``, or on a cluster, where they stay with the rows.
    n_iter_, n_corrections_ : int
        The k of the last a(k) that was looked at, and the changes of the weights.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, §5.9, Algorithms 11 and 12, Eqs. 74-96.

    Examples
    --------
    Computer exercise 9: a(6) separates the one pair of categories, the other cannot be separated.

    >>> import warnings
    >>> from discriminant import HoKashyap, NotConvergedWarning, datasets
    >>> model = HoKashyap().fit(*datasets.table(4, 2))
    >>> model.status_.name, model.n_iter_, model.weights_.round(4).tolist()
    ('SEPARATED', 6, [-0.6904, -0.1752, -0.102])
    >>> warnings.simplefilter("ignore", NotConvergedWarning)
    >>> model = HoKashyap().fit(*datasets.table(1, 3))
    >>> model.status_.name, int((model.evidence_ > 0).sum())
    ('NOT_SEPARABLE', 13)
    >>> warnings.simplefilter("default", NotConvergedWarning)
    """

    _held = {
        "margins_?": "float n | float k n",
        "errors_?": "float n | float k n",
        "evidence_?": "none | float n | float k n",
    }
    _criterion = "J_s(a, b) = |Ya - b|^2 over the weights a and the margins b, which never fall"
    _kinds = {"pseudoinverse": HoKashyapRule, "modified": ModifiedRule, "descent": DescentRule}
    _parameters = {
        "variant": Choice(tuple(_kinds)),
        "record": RECORD,
        "tol": Number("give a tolerance in [0, 1) for the evidence", 0, 1, closed=True),
    }

    variant: str = "pseudoinverse"
    eta: float | str | None = None
    R: Any = "identity"
    margin: Any = 1.0
    tol: float = 1e-9
    start: Any = None
    max_iter: int = 10_000
    record: str | None = None
    multiclass: str = "one-vs-rest"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        (RATE if self.variant == "descent" else BOUNDED_RATE)("eta", self.eta)
        if isinstance(self.R, str):
            Choice(("identity", "gram"))("R", self.R)
        if np.ndim(self.margin) == 0:
            Number("give margins b(1) > 0 (and below 1e150)", 0, LARGEST_MARGIN)("margin", self.margin)
        if self.variant == "descent":
            return
        if not isinstance(self.R, str) or self.R != "identity":
            raise ValueError(f"R must be 'identity' where variant={self.variant!r}; drop it, or take 'descent'.")
        if self.start is not None:
            raise ValueError(
                f"start must be None where variant={self.variant!r}, whose proof begins with Y^+ b(1); drop it, or "
                "give margin."
            )

    def _needs_all_rows(self) -> str | None:
        return None if np.ndim(self.margin) == 0 else "margin has a number for each row; give one for all"

    def _begin(self, problem: Any, start: NDArray[Any], online: bool) -> Rule:
        if problem.streamed:
            return RoundsRule(self._plan(HoKashyapPlan), self.variant, start[0], problem)
        return self._kinds[self.variant](self._plan(HoKashyapPlan), start[0], problem)

    def _publish(self, solutions: list[Solution[Any]], problem: Any, X: Any) -> None:
        for name in ("margins_", "errors_", "evidence_"):
            self.__dict__.pop(name, None)
        if not problem.streamed:
            found = [solution.findings for solution in solutions]
            parts = zip(*((each.margins, each.errors, each.evidence) for each in found), strict=True)
            margins, errors, evidence = (np.array(part[0] if len(found) == 1 else part) for part in parts)
            self.margins_, self.errors_, self.evidence_ = margins, errors, evidence if np.any(evidence) else None
        super()._publish(solutions, problem, X)

    def _remarks(self, solutions: list[Solution[MarginsFound]]) -> list[str]:
        return numbered(solutions)

    def _remedy(self) -> str:
        if self.status_ is Status.NOT_SEPARABLE:
            more = "multiclass='one-vs-one' asks for less; " if self.multiclass_ == "one-vs-rest" else ""
            look = "look at the patterns that carry evidence_; " if hasattr(self, "margins_") else ""
            return (
                f"{look}{more}more features may separate them; otherwise take the "
                "weights as they are, or a procedure for overlapping classes."
            )
        if self.variant == "descent":
            return (
                "variant='pseudoinverse', R='gram' or eta='optimal', which take fewer steps; standardized features; or "
                "a larger max_iter: where the gap is small many steps are needed, and no bound is known."
            )
        return (
            "an eta nearer to 1, or a larger max_iter: where the gap between the classes is small many steps are "
            "needed, and no bound on their number is known."
        )
