"""The support vector machine: the plane of the largest margin, hard, soft, or in the feature space of a kernel.

Hard margin (C = inf): min |w|²/2 with z_i (w'x_i + w₀) >= 1. Soft margin, where slack t_i = max(0, 1 - z_i g(x_i)):

    min  |w|²/2 + C sum of t_i          ("hinge"; dual: max sum of alpha - |sum of alpha z x|²/2, 0 <= alpha <= C)
    min  |w|²/2 + C sum of t_i²         ("squared_hinge"; dual: the same less sum of alpha²/(4C), 0 <= alpha)

and sum of alpha z = 0, because w₀ is free (the books' |a|² would count it; ``intercept="augmented"`` does that). Then
w = sum of alpha_i z_i x_i over the support vectors, the rows with alpha > 0; and with K(x, x') in place of x'x the same
dual finds the plane in the feature space of a kernel.

How it is solved: the hard margin of the linear kernel in whole numbers (``_margin.py``), with the certificate of
``separability`` where no plane separates; linear soft margins by Newton's method in the primal (``_hinge.py``);
kernels, and small linear problems, by sequential minimal optimization in blocks (``_smo.py``).

Sources: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.11, Eqs. 104-110, Problems 29-31; *Machine Learning:
Theory and Practice*, ch. 8, §8.4; Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.utils.validation import check_is_fitted

from . import mercer
from ._driver import Watch
from ._faces import settle
from ._hinge import minimize
from ._kernel_rows import KernelRows
from ._margin import maximal_margin
from ._problem import Problem
from ._smo import Dual, smo
from ._system import System
from .base import LinearClassifier, available_when, choice, number
from .exceptions import NotSeparableError
from .multiclass import pairs
from .separation import separability
from .solution import Epoch, Solution, Status

Vector = NDArray[np.float64]

SMALL = 1000  # rows up to which a problem is finished to NEARLY whatever tol
NEARLY = 1e-10
COARSE = 1e-4  # tolerance from which kernel rows in float32 will do
ROUNDING = 1e-8  # relative duality gap that rounding may leave
HARD = 1e8  # a bound that stands for infinity with kernels, in units of 1 / mean K(x, x)
INDEFINITE = "The kernel is not positive semidefinite: a stationary point, perhaps not the best one."
DENSE = 10**7  # numbers up to which a small CSR matrix is made dense
PORTION = 64 * 2**20  # bytes of kernel values that a prediction holds at a time


class Machine(NamedTuple):
    """What was found for two classes: multipliers, (w₀, w) or w₀ alone, |w|², and how good it is."""

    alpha: Vector
    a: Vector
    square: float
    criterion: float
    gap: float
    violation: float
    rounds: int
    status: Status
    notes: list[str]


Solve = Callable[[Problem, Machine | None], Machine]  # two classes, and what was found for them before


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
        if not (isinstance(self.C, float) and np.inf == self.C):
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
            self._calibrated = CalibratedClassifierCV(plain, ensemble=False).fit(X, y, sample_weight)
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
        return np.asarray(self._calibrated.predict_proba(X))

    def _solutions(self, problem: Problem, watch: Watch, X: Any, y: Any, sample_weight: Any) -> list[Solution]:
        problem.check_finite()
        problem = problem.canonical()
        if not np.isinf(self.C):
            problem.squared_radius()  # refuses numbers whose products overflow
        solve = self._plane(problem, watch) if self._is_plane() else self._expansion(problem, watch)
        parts = self._problems(problem)
        before: list[Machine | None] = self.__dict__.pop("_before", None) or [None] * len(parts)
        return [self._solution(solve(part, past), problem) for part, past in zip(parts, before, strict=True)]

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

    def _bounds(self, part: Problem) -> Vector:
        """The price of each row's slack; 0 for a bystander."""
        weight = part.weight.astype(np.float64) if part.weight.size else np.ones(part.n_rows)
        return np.where(part.part & (weight > 0), (self.C if np.inf > self.C else 1.0) * weight, 0.0)

    # --- the linear kernel

    def _plane(self, problem: Problem, watch: Watch) -> Solve:
        X = problem.source

        def solve(part: Problem, past: Machine | None) -> Machine:
            rows = np.flatnonzero(part.part)
            chosen = X if rows.size == part.n_rows else X[rows]
            z, C = signs(part.labels[rows]), self._bounds(part)[rows]
            if np.inf == self.C:
                found = self._hard(chosen, z, problem.labels[rows])
            elif rows.size <= SMALL and self.loss == "hinge" and self.intercept == "free":
                found = self._small(chosen, z, C, watch, None if past is None else past.alpha[rows])
            else:
                found = self._primal(chosen, z, C, watch, None if past is None else past.a)
            alpha = np.zeros(part.n_rows)
            alpha[rows] = found.alpha
            return found._replace(alpha=alpha)

        return solve

    def _hard(self, X: Any, z: Vector, labels: NDArray[np.int32]) -> Machine:
        """The hard margin in whole numbers, or the proof that there is none."""
        free = self.intercept == "free"
        own = (z > 0).astype(np.int32)
        given = X
        if not free:
            X = (sparse.hstack if sparse.issparse(X) else np.hstack)([np.ones((X.shape[0], 1), X.dtype), X])
            X = X.tocsr() if sparse.issparse(X) else X
        system = System(X, own, 2, free, "decimal")
        outcome = settle(system)
        if outcome.verdict != "complete" or outcome.direction is None:
            y = self.classes_[labels] if np.unique(labels).size == 2 else own  # the labels that the caller knows
            certificate = separability(given, y).certificate
            raise NotSeparableError(
                f"C=inf asks for a plane without errors, and there is none: {outcome.verdict}, proved by "
                f"{len(certificate.support)} rows (certificate). Take a finite C.",
                certificate,
            )
        plane, margin, weights = maximal_margin(system, outcome.direction, outcome.working)
        a = system.augmented(plane)[0]
        a = a if free else a[1:]
        half = margin.upper  # half the distance of the nearest points, or the distance from zero
        alpha = np.zeros(X.shape[0])
        for (i, _), weight in weights.items():
            alpha[i] = float(weight) / (2 * half**2 if free else half**2)
        square = float(a[1:] @ a[1:])
        gap = 1 - (margin.lower / margin.upper) ** 2
        return Machine(alpha, a, square, square / 2, gap, gap, 0, Status.SEPARATED, [])

    def _small(self, X: Any, z: Vector, C: Vector, watch: Watch, start: Vector | None) -> Machine:
        """A small problem by its dual, to the last digits."""
        X, center = _centered(X)
        K = X @ X.T
        K = K.toarray() if sparse.issparse(K) else K
        dual = smo(KernelRows.of_matrix(K), np.diag(K).copy(), z, C, tol=NEARLY, start=start, watch=watch)
        w = X.T @ (dual.alpha * z)
        a = np.r_[dual.bias - w @ center, w]
        value = _hinges(z, C, X @ w + dual.bias) + 0.5 * w @ w
        gap = (value - dual.objective) / max(abs(value), 1e-300)
        return Machine(dual.alpha, a, float(w @ w), value, gap, dual.violation, dual.iterations, ended(dual), [])

    def _primal(self, X: Any, z: Vector, C: Vector, watch: Watch, start: Vector | None) -> Machine:
        """A large problem by Newton's method on the criterion."""
        tol = NEARLY if len(z) <= SMALL else self.tol
        squared, free = self.loss == "squared_hinge", self.intercept == "free"
        center = np.zeros(X.shape[1])
        if free and len(z) <= SMALL:
            X, center = _centered(X)
        start = None if start is None else np.r_[start[0] + start[1:] @ center, start[1:]]
        found = minimize(X, z, C, squared=squared, free=free, tol=tol, start=start, watch=watch)
        found = found._replace(a=np.r_[found.a[0] - found.a[1:] @ center, found.a[1:]])
        reached = found.gap <= max(self.tol, tol)
        status = Status.STOPPED if found.interrupted else Status.CONVERGED if reached else Status.BUDGET
        square = float(found.a[1:] @ found.a[1:])
        return Machine(found.alpha, found.a, square, found.criterion, found.gap, found.gap, found.steps, status, [])

    # --- kernels

    def _expansion(self, problem: Problem, watch: Watch) -> Solve:
        kernel, X = mercer.get(self.kernel), problem.source
        self.X_fit_ = X
        if isinstance(kernel, mercer.Precomputed):
            shared, diagonal = KernelRows.of_matrix(X.toarray() if sparse.issparse(X) else X), X.diagonal()
        else:
            diagonal = kernel.diagonal(X)
            make = self._rows(kernel, X)
            shared = KernelRows(make, problem.n_rows, self.cache_size * 2**20)

        def solve(part: Problem, past: Machine | None) -> Machine:
            rows = np.flatnonzero(part.part)
            start = None if past is None else past.alpha[rows]
            return self._dual(part, shared.part(rows), np.asarray(diagonal, np.float64)[rows], watch, start)

        return solve

    def _rows(self, kernel: mercer.Kernel, X: Any) -> Callable[[Any], Any]:
        """The maker of kernel rows; Gaussian ones of many patterns in float32, which is enough for a coarse tol."""
        coarse = X.shape[0] > 2 * SMALL and self.tol >= COARSE and not sparse.issparse(X)
        if coarse and isinstance(kernel, mercer.Gaussian):
            return gaussian_rows(X, kernel.sigma)
        return lambda rows: kernel(X[rows], X)

    def _dual(self, part: Problem, source: Any, diagonal: Vector, watch: Watch, start: Vector | None) -> Machine:
        """Two classes by sequential minimal optimization on kernel rows that several problems share."""
        hard, squared = bool(np.isinf(self.C)), self.loss == "squared_hinge"
        rows = np.flatnonzero(part.part)
        z, C = signs(part.labels[rows]), self._bounds(part)[rows]
        bounds = C
        if hard:
            bounds = np.full(rows.size, HARD / max(float(diagonal.mean()), 1e-300))
        elif squared:  # the same dual with 1/(2C) more on the diagonal and no bounds
            extra = 0.5 / C
            shared = source.kernel
            source = KernelRows(_thickened(shared, rows, extra), rows.size, shared.cache_bytes, np.float64, 1)
            diagonal, bounds = diagonal + extra, np.full(rows.size, np.inf)
        if hard and not diagonal.any():  # one point in the feature space
            raise self._no_surface()
        tol = NEARLY if rows.size <= SMALL else self.tol
        dual = smo(source, diagonal, z, bounds, tol=tol, start=start, watch=watch)
        if hard and dual.alpha.max() >= 0.99 * bounds[0]:
            raise self._no_surface()
        alpha = np.zeros(part.n_rows)
        alpha[rows] = dual.alpha
        square = 2 * (float(dual.alpha.sum()) - dual.objective)
        square -= float((dual.alpha**2 * 0.5 / C).sum()) if squared and not hard else 0.0
        status = ended(dual)
        status = Status.SEPARATED if hard and status is Status.CONVERGED else status
        value = dual.objective / (1 - dual.gap) if dual.gap < 1 else dual.objective
        quality = value, dual.gap, dual.violation, dual.iterations
        notes = [INDEFINITE] if dual.indefinite else []
        return Machine(alpha, np.array([dual.bias]), max(square, 0.0), *quality, status, notes)

    def _no_surface(self) -> NotSeparableError:
        return NotSeparableError(
            f"C=inf asks for a surface without errors, and with kernel={self.kernel!r} there is none (the "
            "multipliers grow without bound). Take a finite C or a richer kernel."
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
        source = problem.source
        self.support_vectors_ = source[self.support_]
        self.alpha_ = A[0] if len(A) == 1 else np.ascontiguousarray(A.T)
        self.dual_coef_ = self._arranged(labels).astype(problem.dtype)
        lengths = np.sqrt([machine.square for machine in machines])
        with np.errstate(divide="ignore"):
            margins = 1 / lengths
        self.margin_ = float(margins[0]) if len(A) == 1 else margins
        self.width_ = 2 * self.margin_
        self.gap_ = float(max(machine.gap for machine in machines))
        super()._publish(solutions, problem, X)

    def _arranged(self, labels: NDArray[np.int32]) -> Vector:
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

    def _remedy(self) -> str:
        return "a larger tol, standardized features, or a smaller C."


def svm_path(X: Any, y: Any, Cs: Any, **parameters: Any) -> list[SupportVectorMachine]:
    """Fit a support vector machine for each of several prices of slack, each from where the last one ended.

    Parameters
    ----------
    X : array, CSR matrix or data frame of shape (n, d)
        Patterns.
    y : array of shape (n,)
        Labels.
    Cs : sequence of float
        The prices C; from small to large is fastest.
    **parameters : dict
        Further parameters of :class:`SupportVectorMachine`.

    Returns
    -------
    list of SupportVectorMachine
        One fitted model for each price.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.11.

    Examples
    --------
    >>> from discriminant import datasets, svm_path
    >>> models = svm_path(*datasets.table(1, 3), [0.01, 0.1, 1.0])
    >>> [round(float(model.margin_), 2) for model in models]
    [3.83, 1.64, 1.6]
    """
    models: list[SupportVectorMachine] = []
    for C in Cs:
        model = SupportVectorMachine(C, **parameters)
        if models and np.inf > models[-1].C:
            model._before = models[-1]._machines
        models.append(model.fit(X, y))
    return models


class LeaveOneOut(NamedTuple):
    """The leave-one-out error rate of a support vector machine and its bound.

    Parameters
    ----------
    error : float
        Share of the rows on which a machine errs that was fitted to all others.
    bound : float
        Share of the support vectors, which it never exceeds.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, Eq. 107.

    Examples
    --------
    >>> from discriminant.svm import LeaveOneOut
    >>> LeaveOneOut(0.1, 0.2).error
    0.1
    """

    error: float
    bound: float


def leave_one_out(model: SupportVectorMachine, X: Any, y: Any) -> LeaveOneOut:
    """Give the leave-one-out error rate: only support vectors can err, so only they are left out, one by one.

    Parameters
    ----------
    model : SupportVectorMachine
        Fitted to X and y.
    X : array or CSR matrix of shape (n, d)
        The patterns of the fit.
    y : array of shape (n,)
        Their labels.

    Returns
    -------
    LeaveOneOut
        The error rate and the bound N_s/n.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.11 (Eq. 107 concerns training on n - 1 rows).

    Examples
    --------
    >>> from discriminant import SupportVectorMachine, datasets, leave_one_out
    >>> X, y = datasets.table(1, 2)
    >>> leave_one_out(SupportVectorMachine(C=10.0).fit(X, y), X, y)
    LeaveOneOut(error=0.0, bound=0.15)
    """
    check_is_fitted(model)
    X, y = (X.tocsr() if sparse.issparse(X) else np.asarray(X)), np.asarray(y)
    errors = 0
    for i in model.support_:
        weight = np.ones(len(y))
        weight[i] = 0
        errors += int(clone(model).fit(X, y, weight).predict(X[[i]])[0] != y[i])
    return LeaveOneOut(errors / len(y), model.support_.size / len(y))


def feature_ranking(model: Any) -> NDArray[np.int64]:
    """Rank the features by the size of their weights, the most important one first.

    Parameters
    ----------
    model : object
        A fitted linear model; with several discriminants the squares of the weights are added. Features should be of
        the same scale.

    Returns
    -------
    array of int of shape (d,)
        Columns of X.

    References
    ----------
    *Machine Learning: Theory and Practice*, ch. 8, §8.4; I. Guyon, J. Weston, S. Barnhill and V. Vapnik, "Gene
    selection for cancer classification using support vector machines", Machine Learning 46 (2002).

    Examples
    --------
    >>> from discriminant import SupportVectorMachine, datasets, feature_ranking
    >>> feature_ranking(SupportVectorMachine(C=100.0).fit(*datasets.svm_three())).tolist()
    [0, 1]
    """
    if not hasattr(model, "coef_"):
        raise ValueError(f"{model!r} has no weights of features: fit a linear model first.")
    return np.argsort(-np.square(np.atleast_2d(model.coef_)).sum(axis=0), kind="stable").astype(np.int64)


def gaussian_rows(X: NDArray[Any], sigma: float) -> Callable[[NDArray[Any]], NDArray[np.float32]]:
    """Rows of exp(-|x - x'|²/sigma²) in float32, one product a block: halves of |x|² and |x'|² ride along in it."""
    A = ((X - X.mean(axis=0)) * (np.sqrt(2) / sigma)).astype(np.float32)
    half = np.einsum("ij,ij->i", A, A)[:, None] / 2
    left = np.hstack([A, -half, np.ones_like(half)])
    right = np.ascontiguousarray(np.hstack([A, np.ones_like(half), -half]).T)

    def rows(indices: NDArray[Any]) -> NDArray[np.float32]:
        D = left[indices] @ right
        np.minimum(D, 0, out=D)  # rounding may leave a squared distance below zero
        return np.asarray(np.exp(D, out=D))

    return rows


def signs(labels: NDArray[np.int32]) -> Vector:
    """+1 for the positive class, -1 for the other."""
    return np.where(labels == 1, 1.0, -1.0)


def ended(dual: Dual) -> Status:
    """Why the search for the multipliers stopped; a gap at the rounding error is as good as a violation below tol."""
    if dual.interrupted:
        return Status.STOPPED
    return Status.CONVERGED if dual.converged or abs(dual.gap) <= ROUNDING else Status.BUDGET


def _hinges(z: Vector, C: Vector, g: Vector) -> float:
    """Sum of C max(0, 1 - z g)."""
    return float(C @ np.maximum(0, 1 - z * g))


def _centered(X: Any) -> tuple[Any, Vector]:
    """X in float64 less its mean, and the mean: far from the origin the products would swallow the distances.

    A CSR matrix too wide for a dense one is left as it is.
    """
    X = X.astype(np.float64)
    if sparse.issparse(X):
        if X.shape[0] * X.shape[1] > DENSE:
            return X, np.zeros(X.shape[1])
        X = X.toarray()
    center = X.mean(axis=0)
    return X - center, center


def _thickened(shared: KernelRows, rows: NDArray[Any], extra: Vector) -> Callable[[Any], Any]:
    """Kernel rows of some patterns, with more on the diagonal."""

    def make(indices: NDArray[Any]) -> NDArray[Any]:
        K = shared.take(rows[indices], rows).astype(np.float64)
        K[np.arange(indices.size), indices] += extra[indices]
        return K

    return make
