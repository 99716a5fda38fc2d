"""What the Widrow-Hoff classifier and regressor share: parameters, the plan they make, what a rule leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, cast

from numpy.typing import NDArray

from .._engine.driver import Plan, Rule
from .._guards.held import is_number, storable
from .._guards.parameters import DRAWS, RECORD, Number, refused
from ..base.classifier import ORDER_OF_VISITS
from ..base.inherited_docs import estimator
from ..base.iterative import IterativeEstimator
from ..schedules import Schedule, get
from ..solution import Findings, Solution


@dataclass(frozen=True)
class WidrowHoffPlan(Plan):
    """How a rule is to run, the form it takes, its steps and its tolerance."""

    batch: bool = False
    dual: bool = False
    schedule: Any = None
    tol: float = 1e-4


class StepTotals(NamedTuple):
    """What a pass, or a part of it, met; ``longest`` is of its steps, ``worst`` of |e|."""

    visits: int = 0
    changes: int = 0
    errors: int = 0
    criterion: float = 0.0
    longest: float = 0.0
    worst: float = 0.0
    finite: bool = True

    def plus(self, other: StepTotals) -> StepTotals:
        return StepTotals(
            self.visits + other.visits, self.changes + other.changes, self.errors + other.errors,
            self.criterion + other.criterion, max(self.longest, other.longest), max(self.worst, other.worst),
        )  # fmt: skip


@storable
class Progress(NamedTuple):
    """What a rule must know to go on with further patterns, beside the weights."""

    k: int
    given: Any
    schedule: Schedule
    largest: float
    size: float

    @staticmethod
    def fits(held: Any, sizes: dict[str, int]) -> bool:
        """Whether this is the progress of a rule, or of several."""
        return all(
            isinstance(each, Progress)
            and type(each.k) is int
            and each.k >= 0
            and isinstance(each.schedule, Schedule)
            and is_number(each.largest)
            and is_number(each.size)
            for each in (held if isinstance(held, list) else [held])
        )


@dataclass(frozen=True, kw_only=True)
class WidrowHoffFindings(Findings):
    """How to go on, and in dual form the strength α of each pattern."""

    progress: Progress
    alpha: NDArray[Any]


@estimator
class WidrowHoffParameters(IterativeEstimator):
    """What the classifier and the regressor share: parameters, their checks, the rule, the remedy.

    Parameters
    ----------
    batch : bool
        Step along the sum over all patterns, instead of one by one (Algorithm 10, Table 2.3).
    dual : bool
        Run on the Gram matrix: the same steps, with the weights kept as Σ αᵢ yᵢ, and ``alpha_`` published.
    schedule : float, str, callable or Schedule
        The step η(k) of the k-th visit, or of the k-th batch step: a number, ``"1/k"``, a function of k; for single
        samples also ``"rls"``, for the batch rule ``"optimal"`` (twice the η of Eq. 14).  None is a constant:
        0.1 / max‖y‖² for single samples, 1 / λ_max(YᵗY) for the batch rule, with y = (1, x).
    tol : float
        It stops when the longest step of a pass is below ``tol``, relative to the length of a where that exceeds one,
        the gradient Yᵗ(Ya − b) is shorter than ``tol`` times Yᵗb, and J_s cannot fall by more than ``tol`` of itself,
        or tol² of J_s(0) where that is more; b are the targets, and a = (w₀, w).
    order
        The rows' order, a new permutation each pass, or draws with replacement, as many a pass as there are rows, each
        independent of those before: the stochastic rule of Eq. 67.

    Attributes
    ----------
    alpha_ : array of shape (n,), or (n, number of problems)
        With ``dual``: the weights are Σ αᵢ yᵢ over the patterns (1, x), which a classifier normalizes.
    """

    _expected_failed_checks = ORDER_OF_VISITS
    _exact = "LeastSquares"
    _watched: ClassVar[str | None] = "errors"  # what a schedule may look at
    _holds_several = True  # whether ``_progress`` is a list, one entry a problem
    _parameters = {
        "tol": Number("give a tolerance >= 0 for the steps and the gradient", 0, closed=True),
        "order": DRAWS,
        "record": RECORD,
    }

    batch: bool = False
    dual: bool = False
    schedule: float | str | Callable[[int], float] | Schedule | None = None
    tol: float = 1e-4
    order: str = "cyclic"
    start: Any = None
    max_iter: int = 1000
    record: str | None = None
    random_state: Any = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.dual and self.start is not None:
            raise ValueError("start must be None where dual=True, which begins with a sum of no patterns; drop one.")
        needs = None if self.schedule is None else get(self.schedule).needs
        special, known = ("optimal", "curvature") if self.batch else ("rls", "norms")
        if needs not in (None, known, self._watched):
            wanted = f"one without {needs}, which {type(self).__name__}(batch={self.batch!r}) has not"
            raise refused("schedule", self.schedule, wanted, f"give a number, '1/k', {special!r} or a function of k")

    def _form(self) -> WidrowHoffPlan:
        plan: WidrowHoffPlan = self._plan(WidrowHoffPlan, batch=bool(self.batch), dual=bool(self.dual))
        return plan

    def _resume(self, problem: Any, problems: list[Any], first: bool) -> list[Rule]:
        rules: list[Any] = super()._resume(problem, problems, first)
        if not first:
            held = self._progress if isinstance(self._progress, list) else [self._progress]
            for rule, earlier in zip(rules, held, strict=True):
                rule.go_on_from(earlier)
        return rules

    def _publish(self, solutions: list[Solution[Any]], problem: Any, X: Any) -> None:
        super()._publish(solutions, problem, X)
        progress: list[Progress] = [solution.findings.progress for solution in solutions]
        self._progress = progress if self._holds_several else progress[0]
        for rule in self._rules:
            cast(Any, rule).forget()

    def _remedy(self) -> str:
        falling = "" if self.batch else "a falling schedule such as '1/k', batch=True, or "
        return f"{falling}{self._exact} for the exact answer; a larger max_iter or tol, or standardized features."
