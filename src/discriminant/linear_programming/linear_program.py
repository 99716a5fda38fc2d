"""The two linear programs: the smallest largest violation, and the smallest sum of violations.

Problem: find a with aᵗy_i ≥ b_i > 0 for every normalized pattern y_i, or violate these inequalities as little as
possible.  With artificial variables τ that is a linear program (§5.10):

    minimize τ           subject to  aᵗy_i + τ   ≥ b_i,  τ   ≥ 0      J_τ(a)  = max (b_i − aᵗy_i)⁺
    minimize Σ v_i τ_i   subject to  aᵗy_i + τ_i ≥ b_i,  τ_i ≥ 0      J_p′(a) = Σ v_i (b_i − aᵗy_i)⁺

The book writes a = a⁺ − a⁻ with a⁺, a⁻ ≥ 0, because the simplex algorithm wanted it so; HiGHS takes variables of any
sign.  Every multiplier vector λ ≥ 0 with Yᵗλ = 0 gives a lower bound bᵗλ; the dual program, whose largest bound is the
minimum, is what is solved (``inequalities.py``).  Both a and λ are published, and the difference J(a) − bᵗλ, computed
from them, bounds what the minimum can still be below.

When it ends: always, after finitely many steps of the simplex algorithm.  The minimum is zero exactly when the patterns
are linearly separable.  Otherwise λ is evidence: λ ≥ 0, λ ≠ 0 and Yᵗλ = 0 leave no a with Ya > 0.  That holds to the
tolerance of floating-point numbers, not as an exact proof.  With equal b on nonseparable patterns a = 0 and τ = b
minimize J_τ: the evidence is all that the first program then has to tell, while the second still has a useful answer.

Many classes: Kesler's rows, pattern i against each rival j, in one program (§5.12.1); or two-category problems.

Symbols: y the normalized augmented patterns, a = (w₀, w), b the margins, τ the violations, λ the multipliers, v the
sample weights.

Source: Duda, Hart, Stork, *Pattern Classification*, §5.10.1-§5.10.3, Eqs. 97-103, Problem 26.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._engine.callbacks import Listener
from .._engine.driver import Watch, interrupt_raises
from .._engine.problem import Problem
from .._engine.refusals import check_total, published
from .._guards.parameters import Choice, Number, Or, refused
from .._guards.validation import floats
from ..base.classifier import LinearClassifier, exempt
from ..base.inherited_docs import estimator
from ..solution import Epoch, Findings, Solution, Status, numbered
from .highs import Vector
from .inequalities import Inequalities, Optimum, inequalities, minimize

NEGLIGIBLE = 1e-9  # multipliers are evidence when Yᵗλ is zero to this part of |Y|ᵗλ, and bᵗλ larger than that of b
MARGIN = Number("give margins b > 0 (and below 1e150)", 0, 1e150)

CRITERIA = {
    "perceptron": "J_p'(a) = sum of b - a'y over the patterns with a'y <= b",
    "minimax": "J_tau(a) = the largest b - a'y over the patterns with a'y <= b",
}


@dataclass(frozen=True, kw_only=True)
class ProgramFindings(Findings):
    """Value and lower bound of one program, its multipliers in the order of the patterns, and the simplex steps."""

    value: float
    dual: float
    multipliers: Vector
    steps: int


@estimator
class LinearProgram(LinearClassifier):
    """Linear programming: the weights that violate aᵗy ≥ b least, with the multipliers that prove it.

    Parameters
    ----------
    criterion
        Minimize the sum of the violations, which also serves classes that overlap; or the largest one, which separates
        or gives evidence that nothing does.
    b : float or array of shape (n,)
        The margins, positive: one number, or one for each pattern.
    time_limit : float
        Seconds after which the fit gives up with a TimeoutError; None is no limit.
    multiclass
        What to do with more than two classes: one linear machine, or problems of two categories.

    Attributes
    ----------
    objective_ : float
        The criterion at these weights; of several problems the sum, or for ``"minimax"`` the largest.
    dual_ : array of shape (n,), (n, c) or (number of problems, n)
        The multipliers, one for each inequality: column j of a linear machine compares with class j, and a pattern has
        zero for its own class.  Where the classes are separable all are zero.
    history_, status_, report_
        What happened, why it stopped, and both in words, with the duality gap.

    Notes
    -----
    Sample weights multiply the violations of ``"perceptron"``; for ``"minimax"`` a weight of zero leaves the pattern
    out, and all others count the same.  The minimum is unique, the weights need not be.  ``status_`` is
    ``NOT_SEPARABLE``, with a warning, where ``"minimax"`` has evidence of it and where the best weights of
    ``"perceptron"`` have no direction (w = 0); otherwise the minimum of ``"perceptron"`` is ``CONVERGED``.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, §5.10.1-§5.10.3, Eqs. 97-103.

    Examples
    --------
    Problem 25: six points that no line separates; the multipliers add up to the minimum.

    >>> from discriminant import LinearProgram, datasets
    >>> model = LinearProgram().fit(*datasets.inseparable_six())
    >>> round(model.objective_, 6), round(float(model.dual_.sum()), 6)  # 30/7
    (4.285714, 4.285714)
    >>> model = LinearProgram(criterion="minimax").fit(*datasets.table(1, 2))
    >>> model.status_.name, model.objective_ < 1e-9
    ('SEPARATED', True)
    """

    _held = {"objective_": "number | float k", "dual_": "float *"}
    _strategies = ("kesler", "one-vs-rest", "one-vs-one")
    _parameters = {
        "criterion": Choice(tuple(CRITERIA)),
        "time_limit": Or((None,), Number("give seconds > 0, or None for no limit", 0)),
    }
    _expected_failed_checks = exempt("the answer is not unique: other weights are as good")

    criterion: str = "perceptron"
    b: Any = 1.0
    time_limit: float | None = None
    multiclass: str = "kesler"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if np.ndim(self.b) == 0:
            MARGIN("b", self.b)

    def _minimized(self) -> str:
        return CRITERIA[self.criterion]

    def _margins(self, n: int) -> Vector:
        b = floats("b", self.b, np.float64, "give margins b > 0")
        if b.ndim == 0:
            return np.full(n, b)
        if b.shape != (n,):
            raise ValueError(f"b must be of shape ({n},), not {b.shape}; give one number, or one for each row.")
        if not np.all(fits := (b > 0) & (b < MARGIN.high)):
            raise refused("b", float(b[~fits][0]), str(MARGIN), MARGIN.remedy)
        return b

    def _solutions(
        self, problem: Problem, watch: Watch, listener: Listener, **options: Any
    ) -> list[Solution[ProgramFindings]]:
        problem.check_finite()
        problem, b = problem.canonical(), self._margins(problem.n_rows)
        end = time.monotonic() + (np.inf if self.time_limit is None else self.time_limit)
        solutions: list[Solution[ProgramFindings]] = []
        for part in self._problems(problem):
            late = solutions and watch.interrupted
            solutions.append(self._unsolved(part, b) if late else self._solve(part, b, watch, end))
        return solutions

    def _unsolved(self, problem: Problem, b: Vector) -> Solution[ProgramFindings]:
        """A problem that Ctrl-C left no time for: a = 0, and no multipliers."""
        v = problem.weight.astype(np.float64) if problem.weight.size else np.ones(b.size)
        value = self._value(b[problem.part], v[problem.part])
        nothing = ProgramFindings(value=value, dual=0.0, multipliers=np.zeros(problem.n_rows), steps=0)
        return Solution(problem.zeros(), Status.STOPPED, [], nothing)

    def _solve(self, problem: Problem, b: Vector, watch: Watch, end: float) -> Solution[ProgramFindings]:
        """One linear program: over the rows that are part of the problem, in the solver's coordinates."""
        part = problem.part
        source = problem.source if np.all(part) else problem.source[part]
        classes = 2 if problem.n_outputs == 1 else problem.n_outputs
        with interrupt_raises(), watch.at_once():  # the blocks of many classes are joined by one long call
            rows = inequalities(source, problem.labels[part], classes, watch=watch)
        b = b[part][rows.owner]
        v = problem.weight[part].astype(np.float64)[rows.owner] if problem.weight.size else np.ones(b.size)
        check_total(v * b, "sample_weight times b")
        weight, left = v if self.criterion == "perceptron" else None, max(end - time.monotonic(), 0.0)
        optimum = minimize(rows.Z, b, weight, time_limit=left, stop=lambda: watch.interrupted)
        if optimum.status == "time limit":
            raise TimeoutError(
                f"time_limit={self.time_limit!r} seconds ran out before the linear program of {b.size:,} inequalities "
                "was solved; give more time or fewer patterns, or take Perceptron(pocket=True)."
            )
        return self._concluded(problem, rows, b, v, optimum)

    def _concluded(
        self, problem: Problem, rows: Inequalities, b: Vector, v: Vector, optimum: Optimum
    ) -> Solution[ProgramFindings]:
        """Look at the answer anew, in float64 and as it is published: the value, its bound, and what they mean."""
        stopped = not optimum.optimal
        multipliers = np.nan_to_num(optimum.multipliers)
        dual, residual = float(b @ multipliers), np.inf if stopped else rows.residual(multipliers)
        most = self._value(b, v)  # at a = 0, which the minimum cannot exceed
        inseparable = not stopped and residual <= NEGLIGIBLE and dual > NEGLIGIBLE * most
        u = np.nan_to_num(optimum.u)
        if inseparable and self.criterion == "minimax" and np.all(b == b[0]):
            u = np.zeros_like(u)  # τ = b is then the minimum, and a = 0 the vertex: the rest is rounding
        weights = published(rows.weights(u), problem.dtype)
        A = weights.astype(np.float64)
        value = self._value(np.maximum(b - rows.margins(A), 0.0), v)
        wrong = np.unique(rows.owner[~rows.satisfied(A, problem.dtype)]).size
        status = self._status(wrong, stopped, inseparable, bool(np.any(weights[:, 1:])))
        notes = [] if stopped else notes_of(multipliers, residual, inseparable, wrong, (value - dual) / most)
        table = spread(multipliers, rows, problem)
        findings = ProgramFindings(
            inseparable=inseparable, notes=notes, value=value, dual=dual, multipliers=table, steps=optimum.steps
        )
        epochs = [] if stopped else [Epoch(wrong, value, 0.0, int(np.any(weights)))]
        return Solution(weights, status, epochs, findings)

    def _value(self, tau: Vector, v: Vector) -> float:
        return float(v @ tau) if self.criterion == "perceptron" else float(tau.max())

    def _status(self, wrong: int, stopped: bool, inseparable: bool, directed: bool) -> Status:
        """The verdict; a minimum of J_p′ that has a direction is what was asked for."""
        if wrong == 0 or stopped:
            return Status.STOPPED if wrong else Status.SEPARATED
        useless = self.criterion == "minimax" or not directed
        return Status.NOT_SEPARABLE if inseparable and useless else Status.CONVERGED

    def _total(self, values: list[float]) -> float:
        return float(sum(values) if self.criterion == "perceptron" else max(values))

    def _publish(self, solutions: list[Solution[ProgramFindings]], problem: Problem, X: Any) -> None:
        found = [solution.findings for solution in solutions]
        self.objective_ = self._total([each.value for each in found])
        self.dual_ = found[0].multipliers if len(found) == 1 else np.array([each.multipliers for each in found])
        super()._publish(solutions, problem, X)

    def _details(self, solutions: list[Solution[ProgramFindings]]) -> dict[str, Any]:
        dual = self._total([solution.findings.dual for solution in solutions])
        return {
            "criterion value": self.objective_,
            "lower bound": dual,
            "duality gap": max(self.objective_ - dual, 0.0),  # below zero by rounding
            "simplex steps": sum(solution.findings.steps for solution in solutions),
        }

    def _remarks(self, solutions: list[Solution[ProgramFindings]]) -> list[str]:
        return numbered(solutions)

    def _remedy(self) -> str:
        more = "" if self.multiclass_ != "one-vs-rest" else " multiclass='one-vs-one' or 'kesler' asks for less;"
        other = " criterion='perceptron', which serves classes that overlap;" if self.criterion == "minimax" else ""
        return f"{other}{more} more features; minimum_removals names patterns that stand in the way.".lstrip()


def spread(multipliers: Vector, rows: Inequalities, problem: Problem) -> Vector:
    """The multipliers in the order of the patterns that were given; zero where there is no inequality."""
    table = np.zeros((problem.n_rows, problem.n_outputs))
    two = problem.n_outputs == 1
    table[np.flatnonzero(problem.part)[rows.owner], 0 if two else rows.rival] = multipliers
    return table.ravel() if two else table


def notes_of(multipliers: Vector, residual: float, inseparable: bool, wrong: int, gap: float) -> list[str]:
    """In words, what the multipliers prove and how far rounding has blurred it."""
    notes = []
    if inseparable:
        notes.append(
            f"Evidence: {np.count_nonzero(multipliers)} multipliers l > 0 (dual_), sum of l y = 0 to {residual:.1e} of "
            "the sum of l |y|; no a has a'y > 0 on all patterns. It holds to that tolerance; separability proves it."
        )
    elif wrong:
        notes.append("The minimum is zero to the tolerance, but rounding keeps these weights from separating strictly.")
    if gap > 1e-6:
        notes.append(f"Rounding of the weights: the criterion may be above its minimum by {gap:.1e} of that at a = 0.")
    return notes
