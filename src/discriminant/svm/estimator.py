"""The support vector machine: the plane of the largest margin, hard, soft, or in the feature space of a kernel.

Hard margin (C = inf): min ‖w‖²/2 with z_i (wᵗx_i + w₀) >= 1. Soft margin, with slack t_i = max(0, 1 - z_i g(x_i)):

    min  ‖w‖²/2 + C Σ t_i           ("hinge"; dual: max Σ α - ‖Σ αzx‖²/2, 0 <= α <= C)
    min  ‖w‖²/2 + C Σ t_i²          ("squared_hinge"; dual: the same less Σ α²/(4C), 0 <= α)

and Σ αz = 0, because w₀ is free (the books' ‖a‖² would count it; ``intercept="augmented"`` does that). Then w = Σ αzx
over the support vectors, the rows with α > 0; and with K(x, x') in place of xᵗx' the same dual finds the plane in the
feature space of a kernel.

How it is solved: the hard margin of the linear kernel in whole numbers (``separation.margin``), with the certificate of
``separability`` where no plane separates; linear soft margins by Newton's method in the primal (``primal``); kernels,
and small linear problems, by sequential minimal optimization in blocks (``blocks``); hard margins with kernels as the
nearest points of two hulls (``_kernel_matrix.nearest``).

Sources: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.11, Eqs. 104-110, Problems 29-31; *Machine Learning:
Theory and Practice*, ch. 8, §8.4; Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from .. import mercer
from .._blocks.problem import Outline
from .._blocks.survey import survey_with_center
from .._engine.callbacks import Listener
from .._engine.driver import Watch, interrupt_raises
from .._engine.problem import Problem
from .._engine.refusals import NotFiniteError
from .._engine.threads import one_blas_thread
from .._guards.held import WEIGHTS, optional
from .._guards.parameters import CACHE_SIZE, FLAG, Choice, Number, refused
from .._kernel_matrix.expansion import kernel_blocks
from .._kernel_matrix.makers import LEAST, checked_diagonal
from ..base.class_weights import check_class_weight, row_weights, weights_of_classes
from ..base.classifier import LinearClassifier
from ..base.inherited_docs import estimator
from ..base.lazy_report import BorrowedData, LazyFacts
from ..base.probabilities import ProbabilityMixin
from ..exceptions import FitInterruptedWarning, warn_user
from ..solution import Epoch, Solution, Status
from .cocoa import HingeRounds
from .many_classes import machines
from .on_blocks import SlackNewton, problems_of_two
from .primal import WIDE
from .problems import Machine, MachineFindings, ProblemsOfTwo, Settings, Strengths
from .wide_on_blocks import SlackGradients

Past = Sequence[Machine | None] | None  # the machines of another C, where there are any

HUGE = 1e30  # C‖x‖², or C K(x, x), beyond which there is no telling it from infinity
STRETCHED = 1e14  # the same where rounding begins to hide the length of w
FOLDS = 5  # of the cross-validation that probability=True asks for
NO_SIGMOIDS = "The classes are predicted, but not their probabilities, for the sigmoids are missing: fit again."
NO_MARGIN = "margin_ and width_ are infinite, for |w|² is not positive: "
NO_MARGIN_WHY = (
    "the patterns coincide in the feature space, or the kernel is no inner product.",
    "Ctrl-C came before the first step.",
)


@estimator
class SupportVectorMachine(ProbabilityMixin, LinearClassifier):
    """Support vector machine: the separating plane of the largest margin, hard or soft, with kernels.

    Parameters
    ----------
    C : float
        What a unit of slack costs; ``inf`` is the hard margin, which raises ``NotSeparableError`` with the proof where
        no plane separates.  Sample weights multiply it row by row.
    kernel : str, Kernel or callable
        One of "linear", "polynomial", "gaussian", "sigmoid", "precomputed", a kernel of ``mercer``, or K(X, Z).
    loss
        What slack costs.
    intercept
        Whether w₀ takes no part in the norm, or is one more weight of a minimum ‖a‖; the latter for the linear kernel.
    tol : float
        Relative duality gap (linear) or violation of the Kuhn-Tucker conditions (kernels) that is let pass. Problems of
        up to 1,000 rows are finished to 1e-9.
    cache_size : float
        Megabytes for kernel rows.
    class_weight : dict, "balanced" or None
        What multiplies C in each class, by label; ``"balanced"`` gives all classes the same total.
    probability
        Whether ``predict_proba`` is wanted: a sigmoid of the scores, fitted by cross-validation, which takes six more
        fits.

    Attributes
    ----------
    coef_, intercept_, weights_ : arrays of shape (1, d), (1,) and (d+1,), or one row a problem
        w, w₀ and (w₀, w); with another kernel than the linear one ``intercept_`` alone.
    alpha_ : array of shape (n,) or (n, number of problems)
        Multipliers.
    support_, support_vectors_, n_support_ : arrays
        Rows with a positive multiplier in some problem, by class and then by index; the patterns; how many a class.
    dual_coef_ : array of shape (1, s), or (c - 1, s)
        alpha z of the support vectors; for one against one the problems of each support vector's class, in the order of
        the other classes, as scikit-learn has it (the later class of a pair is the positive one here).
    margin_, width_ : float or array
        1/‖w‖ and 2/‖w‖, one for each problem, in the feature space of the kernel; infinite where w = 0, be it that
        Ctrl-C came before the first step, or the kernel is no inner product: ``report_`` then says so.
    gap_ : float
        Relative duality gap, the largest of the problems.
    history_ : dict of arrays
        ``"gap"``: the relative duality gap after each round, of the dual a block of rows that was worked off, of the
        primal a width of the rounded hinge; the last one is that of the answer.  ``"gap_problem"`` tells whose it is
        where there are several problems.
    sigmoids_ : array of shape (1, 2) or (c, 2)
        With ``probability=True``, (a, b) of 1 / (1 + exp(a g + b)) for the positive class, or for each class; missing
        where Ctrl-C came first.
    status_, report_
        Why it stopped; criterion, gap, violation of the Kuhn-Tucker conditions.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.11; *Machine Learning: Theory and Practice*, ch. 8, §8.4.

    Examples
    --------
    >>> import numpy as np
    >>> from discriminant import SupportVectorMachine, datasets
    >>> X, y = datasets.svm_three()
    >>> model = SupportVectorMachine(C=np.inf).fit(X, y)
    >>> model.coef_, model.intercept_, model.alpha_
    (array([[0.4, 0.2]]), array([-2.]), array([0.1, 0. , 0.1]))
    >>> from discriminant import mercer
    >>> model = SupportVectorMachine(C=np.inf, kernel=mercer.Polynomial(degree=2)).fit(*datasets.xor_signed())
    >>> model.alpha_.round(9), round(float(model.margin_), 9)
    (array([0.125, 0.125, 0.125, 0.125]), 1.414213562)
    """

    _held = optional(WEIGHTS) | {
        "support_": "int s",
        "n_support_": "int c",
        "dual_coef_": "float r s",
        "margin_": "anynumber | any k",
        "width_": "anynumber | any k",
        "gap_": "anynumber",
        "sigmoids_?": "float 1 2 | float c 2",
        "_strengths": "float r s",
        "_n_rows": "count",
        "_vectors?": "matrix s d",
    }

    def _after_load(self) -> None:
        """A plane through large data keeps no rows of them, and so does its file."""
        super()._after_load()
        if "_vectors" not in vars(self):
            self._vectors: Any = BorrowedData()

    _criterion = "|w|^2/2 + C sum of slack, or of squared slack"
    _page = "svm"
    _parameters = {
        "loss": Choice(("hinge", "squared_hinge")),
        "intercept": Choice(("free", "augmented")),
        "tol": Number("give a tolerance > 0, such as 1e-3", 0),
        "cache_size": CACHE_SIZE,
        "kernel": lambda name, value: mercer.get(value),
        "C": Number("give a cost of slack > 0, or inf for the hard margin", 0, infinite=True),
        "class_weight": lambda name, value: check_class_weight(value),
        "probability": FLAG,
    }

    C: float = field(default=1.0, kw_only=False)
    kernel: str | mercer.Kernel | Callable[[Any, Any], Any] = "linear"
    loss: str = "hinge"
    intercept: str = "free"
    tol: float = 1e-3
    multiclass: str = "one-vs-one"
    cache_size: float = 200
    class_weight: Any = None
    probability: bool = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(mercer.get(self.kernel), mercer.Precomputed)
        return tags

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.intercept == "augmented" and not self._is_plane():
            raise refused("intercept", "augmented", "'free' unless the kernel is linear", "take intercept='free'")

    def _is_plane(self) -> bool:
        return isinstance(mercer.get(self.kernel), mercer.Linear)

    def _fit(self, X: Any, y: Any, sample_weight: Any, **options: Any) -> list[Solution[MachineFindings]]:
        solutions = super()._fit(X, y, sample_weight, **options)
        if self.probability:
            self.__dict__.pop("sigmoids_", None)  # of an earlier fit
            if self.status_ is not Status.STOPPED:
                self._calibrate(X, y, sample_weight)
        return solutions

    def _calibrate(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Fit the sigmoids; Ctrl-C leaves a machine without them."""
        from sklearn.calibration import CalibratedClassifierCV  # a second of imports that few fits need

        _, counts = np.unique(np.asarray(y), return_counts=True)
        if counts.min() < FOLDS:
            wanted = f"False where a class has {counts.min()} rows, as sigmoids are fitted to {FOLDS} folds"
            raise refused("probability", True, wanted, f"give each class at least {FOLDS} rows")
        try:
            calibrated = CalibratedClassifierCV(Fold.like(self), cv=FOLDS, ensemble=False).fit(X, y, sample_weight)
        except KeyboardInterrupt:
            self.status_, notes = Status.STOPPED, self.report_.to_dict()["notes"]
            self.report_.add(
                {"status": self.status_.name, "reason": self.status_.sentence, "notes": [*notes, NO_SIGMOIDS]}
            )
            warn_user(FitInterruptedWarning(f"{self.report_.headline()} (Ctrl-C). {NO_SIGMOIDS}", self.report_))
        else:
            (found,) = calibrated.calibrated_classifiers_
            self.sigmoids_ = np.array([[sigmoid.a_, sigmoid.b_] for sigmoid in found.calibrators])

    def _has_probabilities(self) -> bool:
        return self.probability

    def _probabilities(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self)
        if not hasattr(self, "sigmoids_"):
            raise ValueError(f"Ctrl-C came before the end of the fit. {NO_SIGMOIDS}")
        g = self.decision_function(X)
        a, b = self.sigmoids_.T
        P = expit(-(a * (g[:, None] if g.ndim == 1 else g) + b))
        if P.shape[1] == 1:
            return np.hstack([1 - P, P])
        total = P.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(P, total, out=np.full_like(P, 1 / P.shape[1]), where=total > 0))

    def _solutions(
        self, problem: Problem, watch: Watch, listener: Listener, start: Past = None, **options: Any
    ) -> list[Solution[MachineFindings]]:
        problem.check_finite()
        problem = problem.canonical()
        if self.class_weight is not None:
            weight = row_weights(self.class_weight, self.classes_, problem.labels, problem.weight)
            problem = replace(problem, weight=weight.astype(problem.dtype))
        stretch = self._stretch(problem)
        self.multiclass_ = "two-category" if problem.n_outputs == 1 else self.multiclass
        parts = self._parts(problem)
        if any(rows.size == 0 for rows in parts.members):
            raise ValueError("sample_weight must be positive for a row of each class; give weights on both sides.")
        free = self.intercept == "free"
        settings = Settings(self.C, self.loss == "squared_hinge", free, self.tol, self.cache_size * 2**20)
        whole = problem, self.classes_
        found = machines(settings, mercer.get(self.kernel), whole, parts, start or [None] * len(parts), watch)
        return [self._solution(machine, stretch, problem.dtype) for machine in found]

    def _stretch(self, problem: Problem) -> float:
        """The largest cost times the largest ‖x‖² or K(x, x), which no rounding must hide; 0 for a hard margin."""
        square = problem.squared_radius()  # refuses numbers whose products overflow
        what, remedy = "squared lengths", f"divide the features by {square**0.5:.1g}, standardize them"
        if not self._is_plane():
            kernel, X = mercer.get(self.kernel), problem.source
            given = isinstance(kernel, mercer.Precomputed)
            square = float(np.abs(X.diagonal() if given else checked_diagonal(kernel, X)).max(initial=0))
            what, remedy = "kernel values", "standardize the features"
        elif square < LEAST and problem.values.any():
            raise ValueError(f"X underflows to {what} of {square:.1g}; divide the features by their size.")
        if np.isinf(self.C):
            return 0.0
        weight = problem.weight[problem.weight > 0] if problem.weight.size else np.ones(1)
        high, low = float(weight.max()), float(weight.min())
        too_high = not self.C * high * square <= HUGE
        if too_high or self.C * low < LEAST or 0 < self.C * low * square < LEAST:
            extreme, limit, other = (high, "infinity", "smaller") if too_high else (low, "zero", "larger")
            times = "" if extreme == 1 else f" times a weight of {extreme:.1g}"
            wanted = f"a cost that floats tell from {limit} for {what} of {square:.1g}"
            raise ValueError(f"C={self.C:g}{times} must be {wanted}; {remedy}, or give a {other} cost.")
        return self.C * high * square

    def _needs_all_rows(self) -> str | None:
        if not self._is_plane() or self.loss != "squared_hinge" or np.isinf(self.C):
            return "multipliers belong to rows; take the linear kernel with loss='squared_hinge' and a finite C"
        return None if not self.probability else "sigmoids are fitted by cross-validation; take probability=False"

    def _fit_blocks(self, blocks: Any) -> None:
        squared = self.loss == "squared_hinge"
        of_slack = SlackNewton if blocks.n_features + 1 <= WIDE else SlackGradients
        with interrupt_raises():
            found, center = survey_with_center(blocks)
        self.classes_, tally = found.classes, found.tally
        if not tally.rows.all():
            raise ValueError("sample_weight must be positive for a row of each class; give weights on both sides.")
        outline = Outline(blocks, found.n_rows, self.classes_.size, int(tally.rows.sum()))
        self.multiclass_ = "two-category" if outline.n_outputs == 1 else self.multiclass
        factors = None
        if self.class_weight is not None:
            factors = weights_of_classes(self.class_weight, self.classes_, tally.weights)
        roles = problems_of_two(self.classes_, factors, self.multiclass_)
        try:
            with one_blas_thread():
                free = self.intercept == "free"
                solver = of_slack if squared else HingeRounds  # the latter for blocks that keep their multipliers
                machines = [solver(blocks, each, float(self.C), center, free).run(self.tol) for each in roles]
        except NotFiniteError:
            raise outline.refuse() from None
        solutions = [self._solution(machine, 0.0, blocks.dtype) for machine in machines]
        self._hold(machines, outline)
        super()._publish(solutions, outline, None)
        self._tell_course(machines)
        self._warn(blocks.watch, solutions)

    def _hold(self, machines: list[Machine], outline: Outline) -> None:
        """What is published beside the planes; no row of a stream is kept, so that there are no support vectors."""
        c, d = self.classes_.size, outline.n_features
        self.support_, self._n_rows, self.n_support_ = np.empty(0, np.int64), outline.n_rows, np.zeros(c, np.int64)
        problems = c - 1 if self.multiclass_ == "one-vs-one" else len(machines)
        self._vectors = np.empty((0, d), outline.dtype)
        self._strengths = np.empty((problems, 0))
        self.dual_coef_ = self._strengths.astype(outline.dtype)
        self._tell_margins(machines)

    def _parts(self, problem: Problem) -> ProblemsOfTwo:
        return ProblemsOfTwo(problem.labels, self.classes_.size, self.multiclass_)

    def _solution(self, found: Machine, stretch: float, dtype: Any) -> Solution[MachineFindings]:
        length = found.length
        margin = {"margin": 1 / length} if length > 0 else {}
        stopped = found.status is Status.STOPPED
        details = {
            "criterion value": found.criterion,
            "duality gap": found.gap,
            "KKT violation": found.violation,
            **margin,
            "support vectors": int(np.count_nonzero(found.alpha)),
            "rounds": found.rounds,
        }
        notes = found.notes if margin else [*found.notes, NO_MARGIN + NO_MARGIN_WHY[stopped]]
        epochs = [Epoch(0, found.criterion, np.nan, 0)] if stopped else []
        findings = MachineFindings(machine=found, stretch=stretch, details=details, notes=notes)
        return Solution(found.a[None].astype(dtype), found.status, epochs, findings)

    def _publish(self, solutions: list[Solution[MachineFindings]], problem: Problem, X: Any) -> None:
        machines = [solution.findings.machine for solution in solutions]
        parts, alphas = self._parts(problem), [machine.alpha for machine in machines]
        self.support_, self._n_rows = parts.supports(alphas), problem.n_rows
        self.n_support_ = np.bincount(problem.labels[self.support_], minlength=self.classes_.size)
        large = self._is_plane() and problem.entries * problem.dtype.itemsize > LazyFacts.SMALL
        self._vectors = BorrowedData(X) if large and not isinstance(X, list | tuple) else problem.source[self.support_]
        self._strengths = parts.table(alphas, self.support_)
        self.dual_coef_ = self._strengths.astype(problem.dtype)
        self._tell_margins(machines)
        super()._publish(solutions, problem, X)
        self._tell_course(machines)

    def _iterations(self, solutions: list[Solution[MachineFindings]]) -> int:
        """Steps of the longest problem on blocks, which keep no multipliers; in memory a machine is found at once."""
        machines = [solution.findings.machine for solution in solutions]
        if any(machine.alpha.size for machine in machines):
            return super()._iterations(solutions)
        return max([1, *(machine.rounds for machine in machines)])

    def _tell_margins(self, machines: list[Machine]) -> None:
        lengths = np.array([machine.length for machine in machines])
        with np.errstate(divide="ignore"):
            margins = 1 / lengths
        self.margin_ = float(margins[0]) if len(machines) == 1 else margins
        self.width_ = 2 * self.margin_
        self.gap_ = float(max(machine.gap for machine in machines))

    def _tell_course(self, machines: list[Machine]) -> None:
        courses = [machine.course for machine in machines]
        self.history_["gap"] = np.concatenate(courses)
        if len(courses) > 1:
            self.history_["gap_problem"] = np.repeat(np.arange(len(courses)), [len(course) for course in courses])

    def _details(self, solutions: list[Solution[Any]]) -> dict[str, Any]:
        return super()._details(solutions) | {"support vectors": int(self.support_.size)}

    @property
    def support_vectors_(self) -> Any:
        """The rows with a positive multiplier; of a plane through large data they are not kept, but taken from X."""
        if not isinstance(self._vectors, BorrowedData):
            return self._vectors
        if (X := self._vectors()) is None:
            raise AttributeError("the X of the fit is no longer in memory, and a plane does not keep it: X[support_].")
        return X[self.support_]

    @property
    def alpha_(self) -> NDArray[np.float64]:
        """The multipliers of all rows, made when they are asked for: with many classes most of them are zero."""
        strengths = self._spread()
        alpha = np.zeros((self._n_rows, strengths.shape[1]))
        alpha[self.support_] = np.abs(strengths)
        return alpha[:, 0] if alpha.shape[1] == 1 else alpha

    def _spread(self) -> NDArray[np.float64]:
        """The strengths αz of the support vectors, one column a problem."""
        return Strengths(self._strengths, self.n_support_, self.multiclass_).spread()

    def _set_weights(self, A: NDArray[Any]) -> None:
        if self._is_plane():
            super()._set_weights(A)
        else:
            self.intercept_ = A[:, 0].copy()

    def _scores(self, X: Any) -> NDArray[Any]:
        if self._is_plane():
            return super()._scores(X)
        check_is_fitted(self)
        X, kernel = self._taken(X, reset=False), mercer.get(self.kernel)
        strengths = Strengths(self._strengths, self.n_support_, self.multiclass_)
        if isinstance(kernel, mercer.Precomputed):
            return np.asarray(strengths.sums(X[:, self.support_]) + self.intercept_)
        scores = np.empty((X.shape[0], self.intercept_.size))
        for part, K in kernel_blocks(kernel, X, self.support_vectors_):
            scores[part] = strengths.sums(K) + self.intercept_
        return scores.astype(X.dtype)

    def _facts(self, solutions: list[Solution[MachineFindings]], problem: Problem) -> dict[str, Any]:
        facts = super()._facts(solutions, problem)
        if facts["remedy"] is not None and solutions[0].findings.stretch > STRETCHED:
            facts["remedy"] = (
                "standardized features or a smaller C: beside a C|x|² as large as this, rounding hides the length of w."
            )
        elif facts["remedy"] is not None and max(each.findings.machine.violation for each in solutions) <= self.tol:
            facts["remedy"] = "a smaller tol: the violation is below it, and the duality gap is still large."
        return facts

    def _remedy(self) -> str:
        return "a larger tol, standardized features, or a smaller C."


class Fold(SupportVectorMachine):
    """A machine that is one of many: what Ctrl-C leaves of it is of no use, so that it raises."""

    @classmethod
    def like(cls, model: SupportVectorMachine) -> Self:
        return cls(**model.get_params(deep=False) | {"probability": False})

    def _warn(self, watch: Watch, solutions: list[Solution[Any]]) -> None:
        if watch.interrupted:
            raise KeyboardInterrupt
        super()._warn(watch, solutions)
