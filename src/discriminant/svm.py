"""The support vector machine: the plane of the largest margin, hard, soft, or in the feature space of a kernel.

Hard margin (C = inf): min |w|²/2 with z_i (w'x_i + w₀) >= 1. Soft margin, where slack t_i = max(0, 1 - z_i g(x_i)):

    min  |w|²/2 + C sum of t_i          ("hinge"; dual: max sum of alpha - |sum of alpha z x|²/2, 0 <= alpha <= C)
    min  |w|²/2 + C sum of t_i²         ("squared_hinge"; dual: the same less sum of alpha²/(4C), 0 <= alpha)

and sum of alpha z = 0, because w₀ is free (the books' |a|² would count it; ``intercept="augmented"`` does that). Then
w = sum of alpha_i z_i x_i over the support vectors, the rows with alpha > 0; and with K(x, x') in place of x'x the same
dual finds the plane in the feature space of a kernel.

How it is solved: the hard margin of the linear kernel in whole numbers (``_margin.py``), with the certificate of
``separability`` where no plane separates; linear soft margins by Newton's method in the primal (``_hinge.py``);
kernels, and small linear problems, by sequential minimal optimization in blocks (``_smo.py``); hard margins with
kernels as the nearest points of two hulls (``_nearest.py``).

Sources: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.11, Eqs. 104-110, Problems 29-31; *Machine Learning:
Theory and Practice*, ch. 8, §8.4; Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.utils.validation import check_is_fitted

from . import mercer
from ._driver import Watch
from ._later import Elsewhere, Later
from ._problem import Problem
from ._svm_planes import Machine, Settings, plane, signs
from ._svm_surfaces import Surfaces
from .base import LinearClassifier, available_when, choice, number
from .multiclass import pairs
from .solution import Epoch, Solution, Status

HUGE = 1e30  # C|x|² beyond which rounding hides the length of w
PORTION = 64 * 2**20  # bytes of kernel values that a prediction holds at a time


class SupportVectorMachine(LinearClassifier):
    """Support vector machine: the separating plane of the largest margin, hard or soft, with kernels.

    Parameters
    ----------
    C : float, default=1.0
        What a unit of slack costs; ``inf`` is the hard margin, which raises ``NotSeparableError`` with the proof where
        no plane separates.
    kernel : str, Kernel or callable, default="linear"
        One of "linear", "polynomial", "gaussian", "sigmoid", "precomputed", a kernel of ``mercer``, or K(X, Z).
    loss : {"hinge", "squared_hinge"}, default="hinge"
        What slack costs.
    intercept : {"free", "augmented"}, default="free"
        Whether w₀ takes no part in the norm, or is one more weight of a minimum |a|; the latter for the linear kernel.
    tol : float, default=1e-3
        Relative duality gap (linear) or violation of the Kuhn-Tucker conditions (kernels) that is let pass. Problems of
        up to 1,000 rows are finished to 1e-9.
    multiclass : {"one-vs-one", "one-vs-rest"}, default="one-vs-one"
        How many classes are reduced to two.
    cache_size : float, default=200
        Megabytes for kernel rows.
    probability : bool, default=False
        Whether ``predict_proba`` is wanted: a sigmoid of the scores, fitted by cross-validation, which takes six more
        fits.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (1, d) and (1,), or one row a problem
        w and w₀; ``coef_`` with the linear kernel only.
    alpha_ : array of shape (n,) or (n, number of problems)
        Multipliers.
    support_, support_vectors_, n_support_ : arrays
        Rows with a positive multiplier in some problem, by class and then by index; the patterns; how many a class.
    dual_coef_ : array of shape (1, s), or (c - 1, s)
        alpha z of the support vectors; for one against one the problems of each support vector's class, in the order of
        the other classes, as scikit-learn has it (the later class of a pair is the positive one here).
    margin_, width_ : float or array
        1/|w| and 2/|w|, one for each problem.
    gap_ : float
        Relative duality gap, the largest of the problems.
    sigmoids_ : array of shape (1, 2) or (c, 2)
        With ``probability=True``, (a, b) of 1 / (1 + exp(a g + b)) for the positive class, or for each class.
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

    _criterion = "|w|^2/2 + C sum of slack, or of squared slack"

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str | mercer.Kernel | Callable[[Any, Any], Any] = "linear",
        loss: str = "hinge",
        intercept: str = "free",
        tol: float = 1e-3,
        multiclass: str = "one-vs-one",
        cache_size: float = 200,
        probability: bool = False,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.loss = loss
        self.intercept = intercept
        self.tol = tol
        self.multiclass = multiclass
        self.cache_size = cache_size
        self.probability = probability

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(mercer.get(self.kernel), mercer.Precomputed)
        return tags

    def _check_parameters(self) -> None:
        super()._check_parameters()
        mercer.get(self.kernel)
        choice("loss", self.loss, ("hinge", "squared_hinge"))
        choice("intercept", self.intercept, ("free", "augmented"))
        number("tol", self.tol, "give a tolerance > 0, such as 1e-3", 0)
        number("cache_size", self.cache_size, "give the megabytes that kernel rows may take", 0)
        if not (isinstance(self.C, float | np.floating) and np.inf == self.C):
            number("C", self.C, "give a price of slack > 0, or inf for the hard margin", 0)
        choice("probability", self.probability, (True, False))
        if self.intercept == "augmented" and not self._is_plane():
            raise ValueError("intercept='augmented' belongs to the linear kernel: take intercept='free'.")

    def _is_plane(self) -> bool:
        return isinstance(mercer.get(self.kernel), mercer.Linear)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from patterns X with labels y.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
            Patterns; the kernel matrix for ``kernel="precomputed"``.
        y : array of shape (n,)
            Labels of two or more classes; of two, the one that sorts last is the positive class.
        sample_weight : array of shape (n,), default=None
            What multiplies C in each row; a row of weight zero counts as absent.

        Returns
        -------
        self
            The fitted classifier.
        """
        super().fit(X, y, sample_weight)
        if self.probability:
            plain = clone(self).set_params(probability=False)
            (found,) = CalibratedClassifierCV(plain, ensemble=False).fit(X, y, sample_weight).calibrated_classifiers_
            self.sigmoids_ = np.array([[sigmoid.a_, sigmoid.b_] for sigmoid in found.calibrators])
        return self

    @available_when(lambda model: model.probability)
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Probabilities of the classes, by a sigmoid of the scores (``probability=True`` only).

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
            Patterns.

        Returns
        -------
        array of shape (n, c)
            Rows of sum one.
        """
        check_is_fitted(self)
        g = self.decision_function(X)
        a, b = self.sigmoids_.T
        P = expit(-(a * (g[:, None] if g.ndim == 1 else g) + b))
        if P.shape[1] == 1:
            return np.hstack([1 - P, P])
        total = P.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(P, total, out=np.full_like(P, 1 / P.shape[1]), where=total > 0))

    def _solutions(self, problem: Problem, watch: Watch, X: Any, y: Any, sample_weight: Any) -> list[Solution]:
        problem.check_finite()
        problem = problem.canonical()
        if not np.isinf(self.C):
            radius = problem.squared_radius() ** 0.5  # refuses numbers whose products overflow
            if self._is_plane() and self.C * radius**2 > HUGE:
                raise ValueError(
                    f"C={self.C:g} is beyond what floats can tell from infinity for patterns of length {radius:.1g}: "
                    f"divide the features by {radius:.1g}, or standardize them."
                )
        parts = self._problems(problem)
        if any(not np.ptp(part.labels[part.part]) for part in parts):
            raise ValueError(
                "sample_weight is zero for every row of a class: a margin lies between two classes; give each of them "
                "a row of positive weight."
            )
        before: list[Machine | None] = self.__dict__.pop("_before", None) or [None] * len(parts)
        free = self.intercept == "free"
        settings = Settings(self.C, self.loss == "squared_hinge", free, self.tol, self.cache_size * 2**20)
        if self._is_plane():
            whole = problem, self.classes_
            found = [plane(settings, whole, part, past, watch) for part, past in zip(parts, before, strict=True)]
        else:
            surfaces = Surfaces(settings, mercer.get(self.kernel), problem.source, watch)
            found = [surfaces.machine(part, past) for part, past in zip(parts, before, strict=True)]
        return [self._solution(machine, problem) for machine in found]

    def _solution(self, found: Machine, problem: Problem) -> Solution:
        weights = found.a if self._is_plane() else np.r_[found.a, found.alpha]
        length = np.sqrt(found.square)
        return Solution(
            weights[None].astype(problem.dtype),
            found.status,
            [Epoch(0, found.criterion, np.nan, 0)] if found.status is Status.STOPPED else [],
            facts={
                "machine": found,
                "details": {
                    "criterion value": found.criterion,
                    "duality gap": found.gap,
                    "KKT violation": found.violation,
                    "margin": 1 / length if length > 0 else np.inf,
                    "support vectors": int(np.count_nonzero(found.alpha)),
                    "rounds": found.rounds,
                },
                "notes": found.notes,
            },
        )

    # --- what is published

    def _publish(self, solutions: list[Solution], problem: Problem, X: Any) -> None:
        self._machines = machines = [solution.facts["machine"] for solution in solutions]
        A = np.array([machine.alpha for machine in machines])
        self._strengths = A * np.array([signs(part.labels) for part in self._problems(problem)])
        labels = problem.labels
        used = np.flatnonzero(A.any(axis=0))
        self.support_ = used[np.argsort(labels[used], kind="stable")]
        self.n_support_ = np.bincount(labels[self.support_], minlength=self.classes_.size)
        large = self._is_plane() and problem.entries * problem.dtype.itemsize > Later.SMALL
        self._vectors = Elsewhere(X) if large and not isinstance(X, list | tuple) else problem.source[self.support_]
        self.alpha_ = A[0] if len(A) == 1 else np.ascontiguousarray(A.T)
        self.dual_coef_ = self._arranged(labels).astype(problem.dtype)
        lengths = np.sqrt([machine.square for machine in machines])
        with np.errstate(divide="ignore"):
            margins = 1 / lengths
        self.margin_ = float(margins[0]) if len(A) == 1 else margins
        self.width_ = 2 * self.margin_
        self.gap_ = float(max(machine.gap for machine in machines))
        super()._publish(solutions, problem, X)

    @property
    def support_vectors_(self) -> Any:
        """The rows with a positive multiplier; of a plane through large data they are not kept, but taken from X."""
        if not isinstance(self._vectors, Elsewhere):
            return self._vectors
        if (X := self._vectors()) is None:
            raise AttributeError("the X of the fit is no longer in memory, and a plane does not keep it: X[support_].")
        return X[self.support_]

    def _arranged(self, labels: NDArray[np.int32]) -> NDArray[np.float64]:
        """The strengths alpha z of the support vectors as scikit-learn shapes them."""
        strengths = self._strengths[:, self.support_]
        if self.multiclass_ != "one-vs-one":
            return np.asarray(strengths)
        c, own = self.classes_.size, labels[self.support_]
        table = np.zeros((c - 1, self.support_.size))
        for p, (i, j) in enumerate(pairs(c)):
            table[j - 1, own == i] = strengths[p, own == i]
            table[i, own == j] = strengths[p, own == j]
        return table

    def _set_weights(self, A: NDArray[Any]) -> None:
        if self._is_plane():
            super()._set_weights(A)
        else:
            self.intercept_ = A[:, 0].copy()

    def _scores(self, X: Any) -> NDArray[Any]:
        if self._is_plane():
            return super()._scores(X)
        check_is_fitted(self)
        X = self._taken(X, reset=False)
        strengths = self._strengths[:, self.support_].T
        kernel = mercer.get(self.kernel)
        if isinstance(kernel, mercer.Precomputed):
            return np.asarray(X[:, self.support_] @ strengths + self.intercept_)
        scores = np.empty((X.shape[0], strengths.shape[1]))
        size = max(1, PORTION // (8 * max(1, self.support_.size)))
        for start in range(0, X.shape[0], size):
            K = kernel(X[start : start + size], self.support_vectors_)
            scores[start : start + size] = K @ strengths + self.intercept_
        return scores.astype(X.dtype)

    def _warn(self, watch: Watch, stacklevel: int = 4) -> None:
        super()._warn(watch, stacklevel + 2)  # this method and the fit above stand in between

    def _remedy(self) -> str:
        return "a larger tol, standardized features, or a smaller C."
