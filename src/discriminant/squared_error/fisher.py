"""Fisher's linear discriminant: the direction along which the classes lie farthest apart for their spread.

    w = S_W⁻¹ (m_1 − m_2),        S_W = Σ_i Σ (x − m_i)(x − m_i)ᵗ over the patterns of each class i     (Eqs. 50-54)

It maximizes the squared distance of the projected means over the projected scatter within the classes.  With c classes
the generalized eigenvectors of S_B v = λ S_W v span a space of at most c − 1 dimensions.

The direction says nothing of the threshold.  It lies through the mean of all patterns, wᵗ(x − m) (Eq. 52), midway
between the class means, or where Gaussian classes with one covariance Σ and the priors π_i are equally probable:

    g_i(x) = m_iᵗ Σ⁻¹ x − ½ m_iᵗ Σ⁻¹ m_i + ln π_i,        Σ = S_W / n                                  (§2.6.2)

which is a linear machine, and the class whose mean is nearest in the metric of S_W where the priors are equal.

All that is needed of the data are counts, means and scatter matrices: portions can be added up.  Where there are more
features than patterns, and very many, no matrix of the features is built: with A the patterns about their class means,
S_W = AᵗA, and S_W⁺ m = A⁺ (Aᵗ)⁺ m takes two least-squares problems, which LSQR solves by products with A.

Sources: Duda, Hart, Stork, *Pattern Classification*, §5.8.2, §2.6.2; Cristianini, Shawe-Taylor, *An Introduction to
Support Vector Machines*, §2.1.2 (the sum of the class covariances: ``within="equal"``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, lsqr
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .._blocks.blocks import Blocks
from .._blocks.problem import Outline
from .._engine.callbacks import Listener
from .._engine.driver import Watch, interrupt_raises, watching
from .._engine.problem import Problem
from .._engine.refusals import check_total, published
from .._guards.parameters import Choice, Number, Or, refused
from .._guards.state import all_or_nothing
from .._guards.validation import all_finite
from ..base.classifier import LinearClassifier
from ..base.inherited_docs import estimator
from ..base.probabilities import ProbabilityMixin
from ..samples import row_sqnorms
from ..solution import Findings, Solution, Status
from .class_statistics import ClassStatistics, Matrix, check_counts, inverse_of, ledoit_wolf_within, statistics_of
from .on_blocks import class_statistics

WIDE = 1000  # features above which wide data are not given a matrix of them
LARGEST = 5000  # features of the largest scatter matrix that is built: 200 MB


@dataclass(frozen=True, kw_only=True)
class FisherFindings(Findings):
    """What the classes are like and how probable before a pattern is seen; S_W / total is their covariance.

    Then the rank of S_W, the directions as columns, and the share of S_B along each.
    """

    statistics: ClassStatistics
    priors: Matrix
    total: float
    rank: int
    directions: Matrix
    shares: Matrix


class Spread:
    """The patterns about their class means, A with AᵗA = S_W, by products alone; shrinkage adds rows of its own."""

    def __init__(self, problem: Problem, n_classes: int, equal: bool, share: float, watch: Watch) -> None:
        problem.check_finite()
        self.X, self.part, self.watch = problem.source, problem.part, watch
        check_total(problem.weight if problem.weight.size else None)
        self.labels = np.where(self.part, problem.labels, 0)
        v = self.part * (problem.weight.astype(np.float64) if problem.weight.size else 1.0)
        member = sparse.csr_array((v, (self.labels, np.arange(v.size))), shape=(n_classes, v.size))
        self.counts = np.asarray(member.sum(axis=1)).ravel()
        check_counts(self.counts)
        sums = member @ self.X
        self.means = np.asarray(sums.toarray() if sparse.issparse(sums) else sums, np.float64) / self.counts[:, None]
        u = v / self.counts[self.labels] if equal else v
        self.root, self.identity = np.sqrt(u), 0.0
        if share > 0:
            about = float(np.bincount(self.labels, u) @ np.sum(self.means**2, axis=1))
            squares = float(u @ row_sqnorms(self.X)) - about
            self.root, self.identity = np.sqrt((1 - share) * u), np.sqrt(share * max(squares, 0) / self.X.shape[1])

    def operator(self) -> LinearOperator:
        """A, with the rows of the multiple of the identity below it where there is one."""
        n, d = self.X.shape

        def forward(w: Matrix) -> Matrix:
            self.watch.check()
            w = w.ravel()
            spread = self.root * (self.X @ w - (self.means @ w)[self.labels])
            return np.append(spread, self.identity * w) if self.identity else np.asarray(spread)

        def backward(r: Matrix) -> Matrix:
            self.watch.check()
            u = self.root * r.ravel()[:n]
            w = self.X.T @ u - np.bincount(self.labels, u, len(self.means)) @ self.means
            return np.asarray(w + self.identity * r.ravel()[n:] if self.identity else w)

        return LinearOperator((n + d if self.identity else n, d), matvec=forward, rmatvec=backward, dtype=np.float64)

    def inverse_times(self, M: Matrix) -> Matrix:
        """S_W⁺ times each row of M; the rows themselves where there is no spread at all."""
        A = self.operator()
        options = {"atol": 1e-13, "btol": 1e-13, "conlim": 0}
        W = np.array([lsqr(A, lsqr(A.T, row, **options)[0], **options)[0] for row in M])
        if np.any(W):
            return W
        check_apart(M)
        return M


def check_apart(offsets: Matrix) -> None:
    """Refuse class means that differ, but by so little that their products with themselves, the plane, are lost."""
    if np.any(offsets) and np.sum(offsets**2) < np.finfo(np.float64).tiny:
        raise ValueError(
            "X underflows, and the squared distances of class means that differ are lost; divide the features by their "
            "size, for instance with StandardScaler."
        )


def check_priors(name: str, priors: Any) -> None:
    """Refuse what are no probabilities; whether there is one a class is seen when the classes are known."""
    if priors is None:
        return
    remedy = "give one a class, in the order of classes_, or None for the shares of the classes"
    try:
        pi = np.asarray(priors, np.float64)
    except (TypeError, ValueError):
        raise refused(name, priors, "an array of probabilities", remedy) from None
    if pi.ndim != 1 or not np.all(pi > 0) or abs(pi.sum() - 1) > 1e-6:
        raise refused(name, priors, "probabilities > 0 of sum 1", remedy)


@estimator
class FisherDiscriminant(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ProbabilityMixin, LinearClassifier):
    """Fisher's linear discriminant, as a classifier and as a projection.

    ``predict_proba`` takes the classes for Gaussians with one covariance, and so it is linear discriminant analysis.

    Parameters
    ----------
    within
        Spread within the classes: the scatter of all patterns about their class means, or the sum of the class
        covariances, each counting the same.
    threshold
        Where the plane lies: where the classes are equally probable, ``"bayes"``; through the mean of all patterns, as
        in Eq. 52, ``"mean"``; or midway between the class means. With one of the last two, more than two classes go to
        the nearest mean, and the probabilities are those that have this threshold.
    priors : array of shape (c,)
        Probabilities of the classes before a pattern is seen, for ``threshold="bayes"``; None is the share of each
        among the patterns.
    shrinkage : None, "auto" or float
        Mix the covariance with a multiple of the identity: a share in [0, 1], or that of Ledoit and Wolf.
    n_components : int
        Directions that ``transform`` returns, at most min(c − 1, d); None is all.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (1, d) and (1,), or (c, d) and (c,)
        Weights w and w₀; for two classes w = S_W⁻¹ (m_1 − m_2).
    means_ : array of shape (c, d)
        Class means.
    priors_ : array of shape (c,)
        Probabilities of the classes before a pattern is seen: ``priors``, or the shares of the classes.
    scalings_ : array of shape (d, number of directions)
        Directions, scaled to unit variance within the classes.
    explained_variance_ratio_ : array
        Share of the scatter between the classes along each direction.
    rank_ : int
        Rank of the scatter matrix within the classes.
    status_, report_
        Why it stopped, and the rank and the condition in words.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, §5.8.2, Eqs. 50-54; §2.6.2.

    Examples
    --------
    >>> from discriminant import FisherDiscriminant, datasets
    >>> X, y = datasets.iris()
    >>> model = FisherDiscriminant().fit(X, y)
    >>> model.transform(X).shape, round(model.score(X, y), 2)
    ((150, 2), 0.98)
    >>> model.predict_proba(X[70:71]).round(4).tolist()
    [[0.0, 0.2491, 0.7509]]
    """

    _held = {
        "means_": "float c d",
        "priors_": "float c",
        "rank_": "count",
        "scalings_": "float d q",
        "explained_variance_ratio_": "float q",
        "_n_features_out": "count",
        "_statistics": ClassStatistics.fits,
    }
    _criterion = "-(w'(m_1 - m_2))^2 / (w' S_W w), the distance of the means over the scatter within the classes"
    multiclass = "linear-machine"
    _strategies = ("linear-machine",)
    _parameters = {
        "within": Choice(("pooled", "equal")),
        "threshold": Choice(("bayes", "mean", "midpoint")),
        "priors": check_priors,
        "shrinkage": Or((None, "auto"), Number("give a share in [0, 1], 'auto' or None", 0, 1 + 1e-12, closed=True)),
        "n_components": Or((None,), Number("give one", 1, closed=True, whole=True)),
    }

    _added_parameters = ("priors",)

    within: str = "pooled"
    threshold: str = "bayes"
    priors: Any = None
    shrinkage: str | float | None = None
    n_components: int | None = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.priors is not None and self.threshold != "bayes":
            wanted = f"None with threshold={self.threshold!r}, which asks for no priors"
            raise refused("priors", self.priors, wanted, "set threshold='bayes'")

    def _solutions(self, problem: Problem, watch: Watch, listener: Listener, **options: Any) -> list[Solution[Any]]:
        n, d = problem.source.shape
        with interrupt_raises():
            if self.shrinkage == "auto" and d > LARGEST:
                wanted = f"a number or None for {d:,} features, whose scatter takes {_gib(d)} GiB"
                raise refused("shrinkage", "auto", wanted, "choose one of these")
            if self.shrinkage != "auto" and d > (WIDE if n < d else LARGEST):
                return [self._discriminated_wide(problem, watch)]
            statistics = statistics_of(problem, self.classes_.size, self.within == "equal", watch)
            check_counts(statistics.counts)
            return [self._discriminated(statistics, problem, watch)]

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add a portion of data to the statistics; the discriminant is that of all portions together.

        Returns
        -------
        self
            The discriminant.
        """
        self._check_parameters()
        if self.shrinkage == "auto":
            raise refused("shrinkage", "auto", "a number or None for partial_fit", "it looks at all patterns at once")
        first = not hasattr(self, "_statistics")
        problem = self._portion(X, y, classes, sample_weight, first)
        d = problem.n_features
        if d > LARGEST:
            raise ValueError(
                f"X has {d:,} features, for which partial_fit would keep {_gib(d)} GiB of scatter; give all rows to "
                "fit at once, or take WidrowHoff."
            )
        if not first and not len(self._statistics.scatters):
            raise ValueError(
                f"X has {d:,} features, and the fit to fewer rows kept no scatter to add to; begin with partial_fit, "
                "or give all rows to fit at once."
            )
        with watching() as watch, interrupt_raises():
            statistics = statistics_of(problem, self.classes_.size, self.within == "equal", watch)
        statistics = statistics if first else self._statistics + statistics
        self._publish([self._discriminated(statistics, problem, watch)], problem, X)
        return self

    def _needs_all_rows(self) -> str | None:
        if self.shrinkage == "auto":
            return "shrinkage='auto' looks at all patterns of a class at once; give a number or None"
        return None

    def _fit_blocks(self, blocks: Blocks) -> None:
        with interrupt_raises():
            found = class_statistics(blocks, self.within == "equal")
        self.classes_ = found.classes
        check_counts(found.statistics.counts)
        outline: Any = Outline(blocks, found.n_rows, self.classes_.size)
        self._publish([self._discriminated(found.statistics, outline, blocks.watch)], outline, None)

    def _discriminated(self, s: ClassStatistics, problem: Problem, watch: Watch) -> Solution[FisherFindings]:
        """The linear machine and the directions from the statistics."""
        S = self._within_scatter(s, problem, watch)
        with np.errstate(over="ignore", invalid="ignore"):
            inverse, rank, condition = inverse_of(S)
            plane = inverse @ (s.means[1] - s.means[0])
        if not (all_finite(inverse) and all_finite(plane)):
            raise ValueError(
                "X has a scatter within the classes that is too small to invert; scale the features, for instance "
                "with StandardScaler, and give weights of ordinary size."
            )
        offsets = s.means - s.mean
        if rank == 0:
            check_apart(offsets)
        values, vectors = np.linalg.eigh(inverse)
        root = vectors * np.sqrt(np.clip(values, 0, None))
        spread, turned = np.linalg.eigh(root.T @ s.between @ root)
        lacking = "" if rank == len(S) else f"{rank} of {len(S)}"
        found = self._found(s, root, spread, turned, rank, {"condition": condition}, lacking)
        return self._machine(problem, found, offsets @ inverse, plane)

    def _discriminated_wide(self, problem: Problem, watch: Watch) -> Solution[FisherFindings]:
        """The same by products with the patterns, where a matrix of the features would be too large."""
        share = 0.0 if self.shrinkage is None else float(self.shrinkage)
        spread = Spread(problem, self.classes_.size, self.within == "equal", share, watch)
        s = ClassStatistics(spread.counts, spread.means, np.empty((0, 0, 0)))
        offsets = s.means - s.mean
        W = spread.inverse_times(offsets[1:])
        W = np.vstack([-(s.counts[1:] @ W) / s.counts[0], W])  # the offsets, weighted, add up to zero
        half = np.sqrt(s.counts)
        values, turned = np.linalg.eigh(half[:, None] * (W @ offsets.T) * half)
        turned /= np.sqrt(np.where(values > 0, values, np.inf))
        d, most = problem.n_features, max(int(np.count_nonzero(spread.root)) - self.classes_.size, 0)
        rank = d if spread.identity else min(d, most)
        lacking = "" if spread.identity else f"{rank} of {d} at the most"
        found = self._found(s, half * W.T, values, turned, rank, {"solver": "lsqr"}, lacking)
        return self._machine(problem, found, W, W[1] - W[0])

    def _machine(self, problem: Problem, found: FisherFindings, W: Matrix, w: Matrix) -> Solution[FisherFindings]:
        """The plane of two classes with the weights w, or the linear machine with the weights W."""
        s = found.statistics
        odds = np.log(found.priors) / found.total if self.threshold == "bayes" else np.zeros(self.classes_.size)
        if self.classes_.size == 2:
            through = s.mean if self.threshold == "mean" else s.means.mean(axis=0)
            A = np.concatenate([[odds[1] - odds[0] - w @ through], w])[None]
        else:
            A = np.column_stack([odds - 0.5 * np.sum(W * (s.means - s.mean), axis=1) - W @ s.mean, W])
        return Solution(published(A, problem.dtype), Status.CONVERGED, [], found)

    def _within_scatter(self, s: ClassStatistics, problem: Problem, watch: Watch) -> Matrix:
        """S_W as the parameters ask for."""
        if self.shrinkage == "auto":
            return float(s.counts.sum()) * ledoit_wolf_within(problem, s.priors, watch)
        S = s.scatters[0] if len(s.scatters) == 1 else (s.scatters / s.counts[:, None, None]).sum(axis=0)
        if self.shrinkage is None:
            return np.asarray(S)
        share = float(self.shrinkage)
        return np.asarray((1 - share) * S + share * np.trace(S) / len(S) * np.eye(len(S)))

    def _priors_of(self, s: ClassStatistics) -> Matrix:
        if self.priors is None:
            return s.priors
        if (pi := np.asarray(self.priors, np.float64)).size != self.classes_.size:
            wanted = f"{self.classes_.size} probabilities, for the classes {self.classes_.tolist()}"
            raise refused("priors", self.priors, wanted, "give one a class")
        return np.asarray(pi / pi.sum())

    def _total_of(self, s: ClassStatistics) -> float:
        """By what S_W is divided for the covariance: the patterns, or the classes where each counts the same."""
        return float(s.counts.sum() if self.within == "pooled" or self.shrinkage == "auto" else s.counts.size)

    def _found(
        self, s: ClassStatistics, root: Matrix, spread: Matrix, turned: Matrix, rank: int, further: Any, lacking: str
    ) -> FisherFindings:
        """What is published: generalized eigenvectors of S_B v = λ S_W v, with unit variance within the classes.

        They are columns of root times turned, those along which the class means are spread most.
        """
        c, d = s.means.shape
        most = min(c - 1, d)
        kept = most if self.n_components is None else self.n_components
        if kept > most:
            raise ValueError(
                f"n_components={kept} must be smaller; {c} classes in {d} dimensions have at most {most} directions."
            )
        order = np.argsort(spread)[::-1]
        directions = root @ turned[:, order[:kept]] * np.sqrt(s.counts.sum())
        largest = np.abs(directions).argmax(axis=0)
        directions *= np.sign(directions[largest, np.arange(kept)])  # which is arbitrary: the largest component is > 0
        total = spread[order[:most]].clip(min=0).sum()
        shares = spread[order[:kept]].clip(min=0) / (total if total > 0 else 1.0)
        note = f"The scatter within the classes has rank {lacking}: its pseudoinverse was taken; shrinkage is better."
        found: dict[str, Any] = {"statistics": s, "rank": rank, "directions": directions, "shares": shares}
        found |= {"priors": self._priors_of(s), "total": self._total_of(s)}
        return FisherFindings(notes=(note,) if lacking else (), details={"rank": rank, **further}, **found)

    def _publish(self, solutions: list[Solution[Any]], problem: Problem, X: Any) -> None:
        found: FisherFindings = solutions[0].findings
        self.multiclass_ = "two-category" if self.classes_.size == 2 else self.multiclass
        super()._publish(solutions, problem, X)
        self._statistics, self.means_, self.priors_ = found.statistics, found.statistics.means, found.priors
        self._total = found.total
        self.rank_, self.scalings_, self.explained_variance_ratio_ = found.rank, found.directions, found.shares
        self._n_features_out = found.shares.size

    def _log_odds(self, X: Any) -> NDArray[Any]:
        """Logarithms of the probabilities, but for a constant of each pattern; of two classes, their difference."""
        return self.decision_function(X) * self._total

    def _probabilities(self, X: Any) -> NDArray[Any]:
        g = self._log_odds(X)
        return np.column_stack([expit(-g), expit(g)]) if g.ndim == 1 else np.asarray(softmax(g, axis=1))

    def _log_probabilities(self, X: Any) -> NDArray[Any]:
        g = self._log_odds(X)
        return np.column_stack([log_expit(-g), log_expit(g)]) if g.ndim == 1 else np.asarray(log_softmax(g, axis=1))

    def _after_load(self) -> None:
        super()._after_load()
        self._total = self._total_of(self._statistics)

    def transform(self, X: Any) -> NDArray[Any]:
        """Project onto the directions, centered at the mean of the training patterns.

        Returns
        -------
        array of shape (n, number of directions)
            Coordinates.
        """
        check_is_fitted(self)
        X = self._taken(X, reset=False)
        return np.asarray(X @ self.scalings_ - self._statistics.mean @ self.scalings_, X.dtype)


def _gib(d: int) -> str:
    return f"{8 * d * d / 2**30:.1f}"
