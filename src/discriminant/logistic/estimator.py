"""Logistic regression: a linear discriminant whose sigmoid is the probability of a class.

    P(positive | x) = σ(g),   σ(g) = 1 / (1 + exp(−g)),   g = wᵗx + w₀
    P(class k | x) = exp(g_k) / Σ_j exp(g_j)                                                 for three classes or more

Log loss, the negative logarithm of the likelihood, has one minimum (``likelihood.py``, ``newton.py``); w₀ is never
penalized. Without a penalty the minimum is finite unless a plane has no row on the wrong side (``infinity.py``);
Firth's penalty makes it finite where the columns are independent (``firth.py``). Squared loss is what the source
derives, by gradient descent (``squared_loss.py``); it is not convex, and never penalized.

Sources: *Machine Learning: Theory and Practice*, ch. 8, §8.5, Example 14; Albert and Anderson, Biometrika 71 (1984);
Firth, Biometrika 80 (1993).
"""

from __future__ import annotations

from dataclasses import field, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.utils.validation import check_array

from .._blocks.blocks import Blocks
from .._blocks.problem import Outline
from .._blocks.roles import Roles
from .._blocks.survey import survey_with_center
from .._engine.callbacks import Listener, with_callbacks
from .._engine.driver import Rule, Watch, interrupt_raises
from .._engine.problem import Problem
from .._engine.threads import one_blas_thread
from .._guards.parameters import RECORD, Choice, Number, refused
from .._guards.state import all_or_nothing
from ..base.class_weights import check_class_weight, row_weights, weights_of_classes
from ..base.classifier import IterativeClassifier
from ..base.diagnosis import SENTENCES
from ..base.inherited_docs import estimator
from ..base.probabilities import ProbabilityMixin
from ..exceptions import warn_user
from ..schedules import Optimal, get
from ..solution import Solution
from ..unfinished import InfiniteEstimateWarning
from .coordinates import Frame, check_sizes
from .inference import KeptRows, ShiftedProblem, UsedRows
from .infinity import REMEDY, prove
from .newton import WIDE
from .on_blocks import LikelihoodOnBlocks, prove_on_blocks
from .regression import RegressionFindings, RegressionPlan, RegressionRule
from .squared_loss import SquaredRule
from .summary import SummaryMixin

Solutions = list[Solution[RegressionFindings]]

CRITERIA = {
    "squared": "E/2 = sum of (t - sigma(g))²/2",
    "firth": "sum of log loss - log det I / 2",
    "l2": "sum of log loss + |w|²/(2C)",
    None: "sum of log loss",
}


@estimator
class LogisticDiscriminant(SummaryMixin, ProbabilityMixin, IterativeClassifier):
    """Logistic regression for two classes or many, by log loss or squared loss, with a ridge, Firth's penalty or none.

    Parameters
    ----------
    C : float
        What a unit of log loss costs beside ‖w‖²/2, for ``penalty="l2"``; ``inf`` is no penalty.
    loss
        The log loss, or half the squared error of the sigmoid by gradient descent, which is never penalized; the
        probabilities of three classes or more are then their sigmoids divided by the sum.
    penalty
        A ridge on w; Firth's penalty; or none. w₀ is never penalized by ``"l2"``.
    schedule : float, str, Schedule, callable or None
        Steps η(k) of the squared loss; None is a constant with which the criterion never rises.
    tol : float
        Log loss: stop when the Newton decrement, an estimate of how far the criterion is above its minimum, falls below
        tol times the criterion; where the Hessian is cheap it goes on to rounding, and below a million numbers of X at
        least to 1e-11 of the criterion. 0 always goes on to rounding.
        Squared loss: stop when the step is at most tol times max(1, ‖a‖), and the gradient at most tol times the
        steepest one.
    start : array of shape (d+1,) or (c, d+1)
        Augmented weights (w₀, w) to begin with; None is zero, or for many rows the answer for a few of them. A start so
        far out that the Hessian says nothing there is replaced by zero, and the report says so.

    Attributes
    ----------
    covariance_ : array of shape (d+1, d+1) or ((c-1)(d+1), (c-1)(d+1)), or None
        The inverse information matrix of (w₀, w), for log loss and no ridge; of c classes, of what each has above the
        first, unless so many rows and weights make it costly. See ``summary``.
    deviance_ : float, or None
        Minus twice the log likelihood, without Firth's penalty, wherever there is a covariance or an infinite estimate.
    n_rows_ : int
        Rows of positive weight.
    recession_ : array like ``weights_``, or None
        Where the estimate is infinite, the direction in which it lies, of unit length; ``weights_`` lie far out on it.
    history_, status_, report_
        What happened, why it stopped, and both in words, with method, gradient and Newton decrement.

    References
    ----------
    *Machine Learning: Theory and Practice*, ch. 8, §8.5.

    Examples
    --------
    Example 14 of the source: the first step, and the ninth, which still puts all four patterns into class 1.

    >>> import warnings
    >>> from discriminant import LogisticDiscriminant, NotConvergedWarning
    >>> X, y = [[1, 2], [2, 1], [6, 7], [7, 6]], [0, 0, 1, 1]
    >>> with warnings.catch_warnings(action="ignore", category=NotConvergedWarning):
    ...     model = LogisticDiscriminant(loss="squared", schedule=0.01, max_iter=9, record="weights").fit(X, y)
    >>> model.history_["weights"][[1, 9]].round(5).tolist()
    [[0.0, 0.0125, 0.0125], [-0.00754, 0.06927, 0.06927]]
    >>> model.predict(X).tolist()
    [1, 1, 1, 1]
    >>> model = LogisticDiscriminant().fit(X, y)
    >>> model.predict_proba([[4, 4]]).round(4)
    array([[0.5, 0.5]])
    """

    _held = {"recession_": "none | float 1+d | float k 1+d", "covariance_": "none | float 1+d 1+d | float q q"}
    _held |= {"deviance_?": "none | number", "n_rows_?": "count"}  # files of version 0.1 have neither
    multiclass = "kesler"
    _strategies = ("kesler",)
    _page = "logistic"
    _parameters = {
        "C": Number("give a cost of log loss > 0, or inf for no penalty", 0, infinite=True),
        "loss": Choice(("log", "squared")),
        "penalty": Choice(("l2", "firth", None)),
        "class_weight": lambda name, value: check_class_weight(value),
        "tol": Number("give a tolerance >= 0, such as 1e-8, or 0 to go on to rounding", 0, closed=True),
        "record": RECORD,
    }

    C: float = field(default=1.0, kw_only=False)
    loss: str = "log"
    penalty: str | None = "l2"
    class_weight: Any = None
    schedule: Any = None
    tol: float = 1e-8
    start: Any = None
    max_iter: int = 1000
    record: str | None = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.loss == "squared":
            if self.penalty == "firth":
                raise refused("penalty", "firth", "None or 'l2' where loss='squared'", "that is never penalized")
            if self.schedule is not None and isinstance(get(self.schedule), Optimal):
                raise refused("schedule", self.schedule, "a function of k", "GradientDescent takes such a one")
        elif self.schedule is not None:
            raise refused("schedule", self.schedule, "None unless loss='squared'", "log loss finds its own steps")

    def _minimized(self) -> str:
        return CRITERIA["squared" if self.loss == "squared" else self.penalty]

    def _problems(self, problem: Problem) -> list[Problem]:
        if problem.n_outputs == 1 or self.loss == "log":
            return super()._problems(problem)
        self.multiclass_ = "one-vs-rest"
        return problem.split(self.classes_.size, self.multiclass_)

    @with_callbacks
    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> Self:
        """Learn from patterns X with labels y.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
            Patterns.
        y : array of shape (n,)
            Labels of two or more classes; of two, the one that sorts last is the positive class.
        sample_weight : array of shape (n,), default=None
            How often each row occurs; a row of weight zero counts as absent. A weight of 2 is two rows, for Firth's
            penalty, tests and intervals too.
        offset : array of shape (n,), default=None
            What is added to the score of each row, for two classes and log loss. It has no say in whether an estimate
            is infinite. Predictions are those of rows without one: add it to ``decision_function(X)`` where it belongs.

        Returns
        -------
        self
            The fitted classifier.
        """
        self._fit(X, y, sample_weight, offset=offset)
        return self

    def _solutions(
        self, problem: Problem, watch: Watch, listener: Listener, offset: Any = None, **options: Any
    ) -> Solutions:
        with one_blas_thread():  # our own threads share the work
            return super()._solutions(self._weighted(self._shifted(problem, offset)), watch, listener)

    def _rows(self, problem: Problem, offset: Any) -> UsedRows:
        return UsedRows.of(self._weighted(self._shifted(problem, offset)))

    def _shifted(self, problem: Problem, offset: Any) -> Problem:
        """With an offset, if there is one."""
        if offset is None:
            return problem
        if problem.n_outputs > 1 or self.loss == "squared":
            raise ValueError("offset must be None for three classes or more, and for loss='squared'; leave it out.")
        values = check_array(offset, ensure_2d=False, dtype=np.float64, input_name="offset")
        if values.shape != (problem.n_rows,):
            raise ValueError(f"offset has the shape {values.shape}, and must have a number for each of the "
                             f"{problem.n_rows:,} rows; give an array of shape ({problem.n_rows},).")  # fmt: skip
        return ShiftedProblem(**vars(problem), offset=values)

    def _weighted(self, problem: Problem) -> Problem:
        """With the weights of the classes, before one class is held against the rest."""
        if self.class_weight is None:
            return problem
        return replace(problem, weight=row_weights(self.class_weight, self.classes_, problem.labels, problem.weight))

    def _ridge(self) -> float:
        return float(1 / self.C) if self.loss == "log" and self.penalty == "l2" else 0.0

    def _begin(self, problem: Problem, start: NDArray[Any], online: bool) -> Rule:
        ridge = self._ridge()
        if ridge == 0:
            check_sizes(problem.source)
        rows = UsedRows.of(problem)
        if self.loss == "squared":
            return SquaredRule(start, problem, self.schedule, self.tol, self._plan())
        X, own, v, offset = rows
        if self.penalty == "firth" and (size := problem.n_outputs * (X.shape[1] + 1)) > WIDE:
            wanted = f"given at most {WIDE:,} weights, and X has {X.shape[1]:,} columns, which make {size:,}"
            raise refused("penalty", "firth", wanted, "take penalty='l2', or fewer columns")
        frame = Frame(X, own, v, problem.n_outputs, ridge, offset)
        ask = partial(prove, X, own, self.classes_, getattr(self, "feature_names_in_", None))
        plan = RegressionPlan(self.penalty == "firth", float(self.tol), self.record == "weights", ask, rows)
        return RegressionRule(frame, None if self.start is None else start.astype(np.float64), problem.dtype, plan)

    def _needs_all_rows(self) -> str | None:
        if self.loss == "squared" or self.penalty == "firth":
            return "a stream is fitted by Newton's method on the log loss; take loss='log' and penalty='l2' or None"
        return None if self.record is None else "the path of the weights is not kept; take record=None"

    def _fit_blocks(self, blocks: Blocks) -> None:
        with interrupt_raises():  # there are no weights before the classes are known
            found, center = survey_with_center(blocks)
        self.classes_, tally = found.classes, found.tally
        outline = Outline(blocks, found.n_rows, self.classes_.size, int(tally.rows.sum()))
        self.multiclass_ = "two-category" if outline.n_outputs == 1 else self.multiclass
        factors = None
        if self.class_weight is not None:
            factors = weights_of_classes(self.class_weight, self.classes_, tally.weights)
        likelihood = LikelihoodOnBlocks(blocks, Roles(self.classes_, factors), tally, self._ridge(), center)
        plan = RegressionPlan(False, float(self.tol), False, partial(prove_on_blocks, blocks), None)
        start = None if self.start is None else np.concatenate(self._starts(outline, 1)).astype(np.float64)
        with one_blas_thread():
            rule = RegressionRule(Frame.about(likelihood, center), start, blocks.dtype, plan)
            self._run_on_blocks([rule], outline)

    def _publish(self, solutions: Solutions, problem: Problem, X: Any) -> None:
        super()._publish(solutions, problem, X)
        findings = solutions[0].findings
        self.covariance_, self.recession_, self.deviance_ = findings.covariance, None, findings.deviance
        self.n_rows_, self._kept = problem.n_present, KeptRows(findings.rows)
        if findings.escape is not None:
            direction = findings.escape.direction
            self.recession_ = direction[0] if len(direction) == 1 else direction

    def _facts(self, solutions: Solutions, problem: Problem) -> dict[str, Any]:
        facts = super()._facts(solutions, problem)
        if (found := solutions[0].findings.escape) is not None:
            rows = np.flatnonzero(problem.part) if isinstance(problem, Problem) else np.empty(0, np.int64)
            note = found.note(self._names(), rows)
            facts |= found.facts() | {"notes": [*facts["notes"], note]}
        return facts

    def _warn(self, watch: Watch, solutions: Solutions) -> None:
        found = solutions[0].findings.escape
        if found is None or watch.interrupted:
            super()._warn(watch, solutions)
            return
        text = (
            "LogisticDiscriminant: without a penalty these classes have no finite estimate "
            f"({SENTENCES[found.verdict]}). Which rows and coefficients are concerned stands in report_. To try: "
            f"{REMEDY}"
        )
        warn_user(InfiniteEstimateWarning(text, self.report_, found.proof), once=True)

    def _remedy(self) -> str:
        if self.loss == "squared":
            return "a larger max_iter or step, standardized features, or loss='log', which has one minimum."
        return "standardize the features, take a smaller C, a larger tol, or raise max_iter."

    def _probabilities(self, X: Any) -> NDArray[Any]:
        g = self.decision_function(X)
        if g.ndim == 1:
            return np.column_stack([expit(-g), expit(g)])
        if self.loss == "squared":
            return np.asarray(np.exp(self._log_probabilities(X)))
        return np.asarray(softmax(g, axis=1))

    def _log_probabilities(self, X: Any) -> NDArray[Any]:
        g = self.decision_function(X)
        if g.ndim == 1:
            return np.column_stack([log_expit(-g), log_expit(g)])
        return np.asarray(log_softmax(log_expit(g) if self.loss == "squared" else g, axis=1))

    def _after_load(self) -> None:
        super()._after_load()
        self._kept = KeptRows()
