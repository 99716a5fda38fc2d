"""Schedules η(k) of the learning rate: how long the k-th step of a descent is, k = 1, 2, …

The error-correcting rules with a variable increment reach a solution of separable data when

    η(k) ≥ 0 (28),    Σ η(k) = ∞ (29),    Σ_{k≤m} η²(k) / (Σ_{k≤m} η(k))² → 0 (30),

and stochastic approximation converges in mean square when

    Σ η(k) = ∞ (68),    Σ η²(k) < ∞ (69).

Every schedule knows which of these it meets (`conditions`). A procedure takes ``schedule=`` as a number, a name, a
callable k → η or a schedule; `get` reads all four. What a schedule must be given to go on is in `needs`: None,
"errors" (of the last pass), "norms" (of the samples visited) or "curvature" (gradient and Hessian).

Source: Duda, Hart, Stork, *Pattern Classification*, §5.4.2, §5.5.3, §5.7, §5.8.5 and Problems 15, 18, 23.

Examples
--------
>>> from discriminant import schedules
>>> schedules.get("1/k").values(first=1, count=4)
array([1.        , 0.5       , 0.33333333, 0.25      ])
"""

from __future__ import annotations

import copy
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._guards.parameters import Number, refused, unknown
from ._guards.state import Changing, Undo

__all__ = [
    "Schedule", "Constant", "Harmonic", "Linear", "Adaptive", "Optimal", "ScalarRLS", "Custom", "Conditions", "get",
]  # fmt: skip

Floats = NDArray[np.float64]

AHEAD = 8192  # steps of a variable increment that a rule computes at a time, at the most
RATE = Number("use a rate such as 1.0", 0)
FACTOR = Number("0.5 halves the rate", 0, 1)
PATIENCE = Number("it counts passes", 1, closed=True, whole=True)
ERRORS = Number("count the errors of a pass", 0, closed=True)
STEP = Number("steps are numbered from 1", 1, closed=True, whole=True)
COUNT = Number("say how many steps", 0, closed=True, whole=True)
CUSTOM_RATE = Number("schedule must return such a number for every k >= 1", 0, closed=True)


class Conditions(NamedTuple):
    """Which of the convergence conditions a schedule meets; None where that is unknown.

    Duda, Hart, Stork, *Pattern Classification*, §5.5.3 (Eqs. 28–30) and §5.8.5 (Eqs. 68, 69; 68 repeats 29).

    Examples
    --------
    >>> Constant().conditions()
    Conditions(eq28=True, eq29=True, eq30=True, eq68=True, eq69=False)
    >>> Constant().conditions().variable_increment, Constant().conditions().stochastic_approximation
    (True, False)
    """

    eq28: bool | None
    eq29: bool | None
    eq30: bool | None
    eq68: bool | None
    eq69: bool | None

    @property
    def variable_increment(self) -> bool | None:
        """Eqs. 28–30 together: the variable-increment rules end on separable data."""
        return _all(self.eq28, self.eq29, self.eq30)

    @property
    def stochastic_approximation(self) -> bool | None:
        """Eqs. 68 and 69 together: stochastic approximation converges in mean square."""
        return _all(self.eq68, self.eq69)


_EVERY = Conditions(eq28=True, eq29=True, eq30=True, eq68=True, eq69=True)
_NOT_69 = _EVERY._replace(eq69=False)
_ONLY_28 = Conditions(eq28=True, eq29=None, eq30=None, eq68=None, eq69=None)


class Schedule(Changing):
    """A learning rate η(k), k = 1, 2, …: what all schedules can do.

    A subclass gives `_rates` and `_conditions`. One with state (`stateful`) also overrides `observe` and `reset`.

    Examples
    --------
    >>> eta = Harmonic(2.0)
    >>> eta(4), eta.values(first=1, count=3)
    (0.5, array([2.        , 1.        , 0.66666667]))
    """

    name: ClassVar[str]
    needs: ClassVar[Literal["errors", "curvature", "norms"] | None] = None
    stateful: ClassVar[bool] = False
    _conditions: ClassVar[Conditions]

    def __call__(self, k: int) -> float:
        """η(k)."""
        return float(self.values(k, 1)[0])

    def values(self, first: int, count: int) -> Floats:
        """η(first), …, η(first + count − 1)."""
        first, count = STEP("k", first), COUNT("count", count)
        return np.full(count, self._rates(np.arange(first, first + count, dtype=np.float64)))

    def undo(self, known: set[int]) -> Undo:
        """What makes it forget all that it will have observed from now on."""
        before = copy.deepcopy(vars(self)) if self.stateful else {}
        return lambda: vars(self).update(before)

    def conditions(self) -> Conditions:
        """Which of the conditions (28)–(30), (68) and (69) hold."""
        return self._conditions

    def observe(self, *, errors: float | None = None, sqnorm: float | None = None) -> None:
        """Take note of the errors of a pass, or of ‖y_k‖²; a schedule passes over what it does not need."""

    def reset(self) -> None:
        """Forget what was observed."""

    def _rates(self, k: Floats) -> Floats | float:
        raise NotImplementedError


@dataclass(frozen=True)
class _Programmed(Schedule):
    """A schedule that depends on k alone, with η(1) = eta."""

    eta: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "eta", RATE("eta", self.eta))


class Constant(_Programmed):
    """The fixed increment η(k) = eta.

    Meets (28)–(30), not (69): fluctuations are never suppressed. Duda, Hart, Stork, *Pattern Classification*, §5.5.

    Examples
    --------
    >>> Constant(0.5)(100)
    0.5
    """

    name = "constant"
    _conditions = _NOT_69

    def _rates(self, k: Floats) -> float:
        return self.eta


class Harmonic(_Programmed):
    """The falling schedule η(k) = eta / k.

    Meets all conditions. Duda, Hart, Stork, *Pattern Classification*, §5.5.3, §5.7 and §5.8.5.

    Examples
    --------
    >>> Harmonic()(4)
    0.25
    """

    name = "harmonic"
    _conditions = _EVERY

    def _rates(self, k: Floats) -> Floats:
        return self.eta / k


class Linear(_Programmed):
    """The increasing schedule η(k) = eta · k; "a curious fact", it too solves the separable case.

    Meets (28)–(30), not (69). Duda, Hart, Stork, *Pattern Classification*, §5.5.3.

    Examples
    --------
    >>> Linear(0.5)(4)
    2.0
    """

    name = "linear"
    _conditions = _NOT_69

    def _rates(self, k: Floats) -> Floats:
        return self.eta * k


@dataclass
class Adaptive(Schedule):
    """A rate that falls as recent performance improves, and never rises.

    Given the errors of each pass by ``observe(errors=…)``, it takes their mean over the last passes, relative to the
    first pass that had any, and lowers the rate to the power of `factor` next above that. A mean that is not 0 is at
    least 1/patience, so the rate stays above eta / (patience · first errors). Between two positive bounds it meets
    (28)–(30), as in Problem 15, and not (69). The idea is the book's, "make it a function of recent performance,
    decreasing it as performance improves", the rule is ours. Duda, Hart, Stork, *Pattern Classification*, §5.7.

    Parameters
    ----------
    eta : float
        Rate at the start.
    factor : float
        What the rate is multiplied by when the errors have fallen as much; 0 < factor < 1. Halving is exact in floats.
    patience : int
        How many of the last passes count as recent.

    Examples
    --------
    >>> eta = Adaptive(patience=1)
    >>> for errors in (40, 30, 18, 25, 9):
    ...     eta.observe(errors=errors)
    ...     print(eta(1), end=" ")
    1.0 1.0 0.5 0.5 0.25
    """

    name = "adaptive"
    needs = "errors"
    stateful = True
    _conditions = _NOT_69

    eta: float = 1.0
    factor: float = 0.5
    patience: int = 5
    _recent: deque[float] = field(init=False, repr=False, compare=False)
    _level: float = field(init=False, repr=False, compare=False)  # the errors that the present rate stands for
    _rate: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.eta = RATE("eta", self.eta)
        FACTOR("factor", self.factor)
        PATIENCE("patience", self.patience)
        self.reset()

    def observe(self, *, errors: float | None = None, sqnorm: float | None = None) -> None:
        """Take note of the errors of a pass."""
        if errors is None:
            return
        errors = ERRORS("errors", errors)
        self._recent.append(errors)
        self._level = self._level or errors
        mean = sum(self._recent) / len(self._recent)
        while 0 < mean <= self.factor * self._level:
            self._level *= self.factor
            self._rate *= self.factor

    def reset(self) -> None:
        """Forget the errors and return to eta."""
        self._recent = deque(maxlen=self.patience)
        self._level = 0.0
        self._rate = self.eta

    def _rates(self, k: Floats) -> float:
        return self._rate


@dataclass(frozen=True)
class Optimal(Schedule):
    """The length ‖∇J‖² / ∇JᵗH∇J of a gradient step, optimal where J is quadratic; no function of k.

    Even with a constant H it changes with ∇J. Duda, Hart, Stork, *Pattern Classification*, Eq. 14 and Problem 12.

    Examples
    --------
    >>> Optimal().length(gradient=[1.0, 1.0], hessian=[[2.0, 0.0], [0.0, 6.0]])
    0.25
    """

    name = "optimal"
    needs = "curvature"
    _conditions = _ONLY_28

    def length(self, gradient: ArrayLike, hessian: ArrayLike) -> float:
        """η by Eq. 14; 0 for a zero gradient, ValueError where J does not curve upward along the gradient."""
        g = np.asarray(gradient, dtype=np.float64)
        if not np.any(g):
            return 0.0
        g = g / np.max(np.abs(g))  # leaves the quotient as it is and keeps the squares in range
        curvature = float(g @ np.asarray(hessian, dtype=np.float64) @ g)
        if not 0 < curvature < math.inf:
            raise ValueError(f"hessian must give ∇JᵗH∇J > 0, got {curvature}; use a number or '1/k' as schedule")
        return float(g @ g) / curvature

    def _rates(self, k: Floats) -> float:
        raise ValueError("schedule 'optimal' is no function of k; use length(gradient, hessian), or another schedule")


@dataclass
class ScalarRLS(Schedule):
    """The scalar analog of recursive least squares: 1/η(k+1) = 1/η(k) + ‖y_k‖², with η(1) = eta.

    Given the samples by ``observe(sqnorm=…)``, it is η(k) = η(1) / (1 + η(1) Σ_{i<k} ‖y_i‖²). It meets all conditions
    when the norms lie between positive bounds, as those of a finite set of augmented samples do (‖y‖² ≥ 1). The analog
    of Eq. 71 takes η(k+1), from `after`, for the step on y_k. Duda, Hart, Stork, *Pattern Classification*, Problem 23.

    Examples
    --------
    >>> eta = ScalarRLS()
    >>> eta.after([1.0, 2.0])
    array([0.5 , 0.25])
    >>> eta.observe(sqnorm=1.0)
    >>> eta(2)
    0.5
    """

    name = "rls"
    needs = "norms"
    stateful = True
    _conditions = _EVERY

    eta: float = 1.0
    _sum: float = field(init=False, repr=False, compare=False)
    _seen: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.eta = RATE("eta", self.eta)
        self.reset()

    def after(self, sqnorms: ArrayLike) -> Floats:
        """η after each of further samples with these ‖y‖², in closed form; none of them is noted."""
        total = self._sum + np.cumsum(_checked_sqnorms(sqnorms))
        return np.asarray(self.eta / (1.0 + self.eta * total))

    def observe(self, *, errors: float | None = None, sqnorm: float | None = None) -> None:
        """Take note of the ‖y_k‖² of one sample."""
        if sqnorm is not None:
            self._sum += _checked_sqnorms(sqnorm).item()
            self._seen += 1

    def reset(self) -> None:
        """Forget the samples and return to eta."""
        self._sum, self._seen = 0.0, 0

    def _rates(self, k: Floats) -> float:
        if np.any(k != self._seen + 1):  # only the next rate is known
            needed = f"schedule 'rls' needs ‖y‖² of the {k.max() - 1:.0f} samples before k = {k.max():.0f}"
            raise ValueError(f"{needed}, got {self._seen}; call observe(sqnorm=…) for each, or after(sqnorms)")
        return self.eta / (1.0 + self.eta * self._sum)


@dataclass(frozen=True, repr=False)
class Custom(Schedule):
    """The user's own η(k).

    Every value is checked, so (28) holds; the rest is unknown. Duda, Hart, Stork, *Pattern Classification*, Eq. 12.

    Parameters
    ----------
    function : callable
        Takes k = 1, 2, … to a finite number ≥ 0. It may be asked ahead of use.

    Examples
    --------
    >>> Custom(lambda k: 1 / k**2)(2)
    0.25
    """

    name = "custom"
    _conditions = _ONLY_28

    function: Callable[[int], float]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise refused("function", self.function, "callable", "give k → η(k)")

    def __repr__(self) -> str:
        return f"Custom({getattr(self.function, '__name__', repr(self.function))})"

    def _rates(self, k: Floats) -> Floats:
        return np.array([CUSTOM_RATE(f"η({i:.0f})", self.function(int(i))) for i in k], dtype=np.float64)


def get(schedule: Any) -> Schedule:
    """The schedule that a procedure's ``schedule=`` stands for, fresh: what one fit observed never reaches another.

    Parameters
    ----------
    schedule : number, str, callable or `Schedule`
        A positive number is a constant rate; names are "constant", "1/k" or "harmonic", "k" or "linear", "adaptive",
        "optimal" and "rls"; a callable takes k to η(k).

    Examples
    --------
    >>> get(0.1), get("k"), get(abs)
    (Constant(eta=0.1), Linear(eta=1.0), Custom(abs))
    """
    if isinstance(schedule, Schedule):
        fresh = copy.deepcopy(schedule) if schedule.stateful else schedule
        fresh.reset()
        return fresh
    if isinstance(schedule, str) and schedule in _NAMED:
        return _NAMED[schedule]()
    if callable(schedule):
        return Custom(schedule)
    try:
        return Constant(schedule)
    except ValueError:
        wanted = f"one of {', '.join(_NAMED)}, a number > 0 such as 1.0, a callable k → η or a Schedule"
        raise unknown("schedule", schedule, wanted, _NAMED) from None


def _all(*conditions: bool | None) -> bool | None:
    """True if all hold, False if one fails, else None."""
    return False if False in conditions else None if None in conditions else True


def _checked_sqnorms(values: ArrayLike) -> Floats:
    sqnorms = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if not np.all((sqnorms >= 0) & np.isfinite(sqnorms)):
        raise ValueError(f"sqnorm must be finite and ≥ 0, got {values!r}; give ‖y‖²")
    return sqnorms


_NAMED: dict[str, type[Schedule]] = {
    "constant": Constant, "1/k": Harmonic, "harmonic": Harmonic, "k": Linear, "linear": Linear,
    "adaptive": Adaptive, "optimal": Optimal, "rls": ScalarRLS,
}  # fmt: skip
