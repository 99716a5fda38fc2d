"""What the Ho-Kashyap procedures have in common, whether their rows are in memory or in blocks.

The mathematics stands in ``ho_kashyap``; here are its equations, the course of a run, and what is found before the
first step.

Tests: ``tests/squared_error/test_ho_kashyap.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Plan, Watch
from .._engine.path import Path
from ..solution import Epoch, Findings, Status
from .patterns import Array, RowSpace

NEGLIGIBLE = 1e-9  # an error below this part of the largest one counts as zero, where evidence is weighed
LARGEST_MARGIN = 1e150  # whose square is still a float


def raised(b: Array, e: Array, eta: float) -> Array:
    """Return b + η (e + |e|) = b + 2η e⁺: margins grow where the errors are positive (Eqs. 79, 88, 90)."""
    return b + 2 * eta * np.maximum(e, 0)


def optimal_rate(v: Array, s: Array, Ys: Array, w: Any) -> float:
    """Return vᵗs / ‖Ys‖² for the step s = Rv of v = Yᵗ|e|: the η that lowers ‖e‖² most (Eqs. 94, 95)."""
    size = float(np.abs(s).max())  # so that no square can overflow
    return float(v @ (s / size)) / size / float((w * (Ys / size) ** 2).sum())


@dataclass(frozen=True)
class HoKashyapPlan(Plan):
    """How a rule is to run: the rate η, the matrix R of Eq. 90, b(1), and the tolerance of the evidence."""

    eta: float | str | None = None
    R: Any = "identity"
    margin: Any = 1.0
    tol: float = 1e-9


@dataclass(frozen=True, kw_only=True)
class MarginsFound(Findings):
    """Margins b, errors Ya − b, and the evidence of overlap; a row outside the problem keeps b(1) and has e = 0."""

    margins: Array
    errors: Array
    evidence: Array


class HoKashyapCourse:
    """The weights a on their way: epoch k looks at a(k), and stops there or goes on to a(k+1).

    A subclass says how ``begin`` finds a(1), what is measured at a(k), and what ``advance`` does.
    """

    def __init__(self, plan: HoKashyapPlan, start: NDArray[Any], dtype: np.dtype[Any]) -> None:
        self.plan, self.dtype, self.longest = plan, dtype, float(np.finfo(dtype).max)
        self.a = start.astype(np.float64)
        self.notes: list[str] = []
        self.k, self.eta, self.begun = 0, 0.0, False
        self.recorded = Path(self.answer[0], plan.record, plan.shares)

    @property
    def answer(self) -> NDArray[Any]:
        return np.asarray(self.a.astype(self.dtype)[None])

    @property
    def path(self) -> NDArray[Any] | None:
        return self.recorded.so_far(self.answer[0])

    def epoch(self, problem: Any, watch: Watch) -> Epoch:
        """Look at a(k), and go on unless it separates or its errors are evidence."""
        if not self.begun:
            self.begin(problem, watch)
            self.begun = True
            self.recorded.rows[:1] = self.answer[0]
        errors, value = self.measure()
        if errors == 0 and self.separates():
            return Epoch(0, value, self.eta, 0, Status.SEPARATED)
        if self.proves():
            return Epoch(errors, value, self.eta, 0, Status.NOT_SEPARABLE)
        watch.check()
        with np.errstate(over="ignore", invalid="ignore"):
            a = self.advance(watch)
        moved = a is not self.a and bool((a != self.a).any())
        self.a = a
        if moved:
            self.k += 1
            if self.recorded.rows.size:
                self.recorded.add(self.answer[0])
        return Epoch(errors, value, self.eta, int(moved), None)

    def begin(self, problem: Any, watch: Watch) -> None:
        """Find a(1), which may take long, and look at it."""
        raise NotImplementedError

    def measure(self) -> tuple[int, float]:
        """The errors, and ‖e‖²."""
        raise NotImplementedError

    def separates(self) -> bool:
        """Whether Ya > 0 by more than the weights and their inner products are rounded in the type of the data."""
        raise NotImplementedError

    def proves(self) -> bool:
        """Whether λ = w|e| is evidence; only asked when no error is positive any more."""
        raise NotImplementedError

    def advance(self, watch: Watch) -> Array:
        """Raise the margins, and return a(k+1), at which it has looked."""
        raise NotImplementedError

    def check(self, size: float, a: Array) -> None:
        """Refuse errors up to this size, or weights, that are too large to go on with."""
        if not size < 1e150 or not np.abs(a).max() < self.longest:
            raise ValueError(
                f"the weights or the errors Ya - b are too large for {self.dtype}; divide the features by their size, "
                "for instance with StandardScaler, and give start and margin ordinary sizes."
            )

    def first_rate(self) -> float:
        """The rate of Algorithm 11 and Eq. 88."""
        return 0.5 if self.plan.eta is None else float(self.plan.eta)

    def note_rank(self, rank: int, d: int) -> None:
        if rank < d:
            self.notes.append(f"Y'Y is singular (rank {rank} of {d}): a is the shortest least-squares solution.")

    def weigh(self, count: int, off: Array, scale: Array, name: str = "") -> bool:
        """Whether |Yᵗλ| ≤ tol |Y|ᵗλ, the evidence of so many patterns; it is told then."""
        if not np.all(off <= self.plan.tol * scale):
            return False
        self.notes.append(
            f"Evidence: {count} patterns carry weights lambda > 0{name}, sum of lambda y = 0 "
            f"to {np.max(off / np.where(scale > 0, scale, 1)):.1e} of the sum of lambda |y|; no a has a'y > 0 on all."
        )
        return True


def rate_of(eta: Any, bound: float) -> float:
    """The rate of Eq. 90, which must be below the bound."""
    rate = bound / 2 if eta is None or eta == "optimal" else float(eta)
    if not rate < bound:
        raise ValueError(
            f"eta={rate:g} must be in 0 < eta < {bound:.6g}, where the rule descends with this R and these "
            "patterns; give a smaller eta, None for half the bound, or 'optimal'."
        )
    return rate


def factor_of(Y: RowSpace, R: Any) -> tuple[Array | None, float]:
    """T with TTᵗ = R, None for the identity, and the bound 2 / λ_max on η."""
    if not isinstance(R, str):
        L = cholesky_factor(R, Y.d)
        return L, 2 / Y.largest_eigenvalue(L)
    if R == "identity":
        return None, 2 / Y.largest_eigenvalue(None)
    T = Y.whitened()
    if T.shape[1] < Y.d:
        raise ValueError(
            f"R='gram' is the inverse of Y'Y, which is singular (rank {T.shape[1]} of {Y.d}); take "
            "variant='pseudoinverse', or drop the columns that depend on others."
        )
    return T, 2.0


def cholesky_factor(R: Any, d: int) -> Array:
    """L with LLᵗ = R, which must be symmetric and positive definite."""
    matrix = np.asarray(R, dtype=np.float64)
    if matrix.shape != (d, d):
        raise ValueError(f"R has shape {matrix.shape}; give 'identity', 'gram' or a matrix of shape {(d, d)}.")
    try:
        if np.allclose(matrix, matrix.T, rtol=1e-10, atol=1e-12 * np.abs(matrix).max()):
            return np.asarray(np.linalg.cholesky(matrix))
    except np.linalg.LinAlgError:
        pass
    raise ValueError(
        "R is not symmetric and positive definite, without which |e| need not fall; add a multiple of the identity, or "
        "take 'identity' or 'gram'."
    )
