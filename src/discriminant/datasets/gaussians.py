"""Two Gaussian classes, whose posterior probability is known.  Tests: ``tests/datasets/test_generators.py``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._guards.parameters import refused
from .._guards.validation import all_finite
from ._dataset import PATTERN_CLASSIFICATION, Dataset, loader, unnamed
from .generators import ROWS, generator

__all__ = ["GaussianPosterior", "gaussian_pair"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class GaussianPosterior:
    """The probability of ω₁ under two Gaussians, as a function of x.

    Parameters
    ----------
    means : ndarray of shape (2, d)
        The means of ω₁ and of ω₂.
    covariances : ndarray of shape (2, d, d)
        Their covariances.
    prior : float
        The prior probability of ω₁.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.8.3.

    Examples
    --------
    >>> import numpy as np
    >>> from discriminant.datasets import GaussianPosterior
    >>> posterior = GaussianPosterior(np.array([[1.0], [-1.0]]), np.ones((2, 1, 1)), prior=0.5)
    >>> posterior([[0.0], [1.0]])
    array([0.5       , 0.88079708])
    """

    means: FloatArray
    covariances: FloatArray
    prior: float

    def log_odds(self, X: ArrayLike) -> FloatArray:
        """Give ln P(ω₁|x) − ln P(ω₂|x), the Bayes discriminant.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The points.

        Returns
        -------
        ndarray of shape (n,)
            The logarithm of the odds of ω₁.
        """
        odds = math.log(self.prior) - math.log1p(-self.prior)
        densities = []
        for mean, covariance in zip(self.means, self.covariances, strict=True):
            moved = np.asarray(X, dtype=np.float64) - mean
            squares = np.sum(moved * np.linalg.solve(covariance, moved.T).T, axis=-1)
            densities.append(-(squares + np.linalg.slogdet(covariance)[1]) / 2)
        result: FloatArray = densities[0] - densities[1] + odds
        return result

    def __call__(self, X: ArrayLike) -> FloatArray:
        """Give P(ω₁|x) for each row."""
        return (1 + np.tanh(self.log_odds(X) / 2)) / 2  # the logistic function, safe at any size


@loader(PATTERN_CLASSIFICATION, "§5.8.3 (generated)", "§5.8.3")
def gaussian_pair(
    n: int = 200,
    means: ArrayLike = ((1.0, 1.0), (-1.0, -1.0)),
    covariances: ArrayLike | None = None,
    prior: float = 0.5,
    random_state: Any = None,
) -> Dataset:
    """Generate two Gaussian classes with a known posterior.

    Parameters
    ----------
    n : int, default=200
        The number of rows; the label of each is drawn by the prior.
    means : array-like of shape (2, d), default=((1, 1), (-1, -1))
        The means of ω₁ and of ω₂.
    covariances : array-like of shape (d, d) or (2, d, d), optional
        One covariance for both classes, or one for each; the identity by default.
    prior : float, default=0.5
        The probability of ω₁.
    random_state : int, numpy Generator or None, default=None
        The seed.

    Returns
    -------
    Dataset
        Answers: ``posterior``, a function of X that gives P(ω₁|x) and has ``log_odds``; with equal covariances also
        ``bayes``, the (w₀, w) of the linear Bayes discriminant, and ``bayes_error``.

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.gaussian_pair(random_state=0)
    >>> dataset.bayes, round(dataset.bayes_error, 6)
    (array([0., 2., 2.]), 0.07865)
    >>> dataset.posterior([[0, 0]])
    array([0.5])
    """
    n = ROWS("n", n)
    m, S = _gaussians(means, covariances)
    if not 0 < prior < 1:
        raise refused("prior", prior, "a number > 0 and < 1", "give the probability of the first class")
    rng = generator(random_state)
    y = (rng.uniform(size=n) < prior).astype(np.int64)
    y[rng.choice(n, 2, replace=False)] = [1, 0]  # both classes are always there
    roots = np.linalg.cholesky(S)
    X = m[1 - y] + np.einsum("nij,nj->ni", roots[1 - y], rng.standard_normal((n, m.shape[1])))
    answers: dict[str, Any] = {"posterior": GaussianPosterior(m, S, float(prior))}
    if np.array_equal(S[0], S[1]):
        answers.update(_linear_bayes(m, S[0], prior))
    return unnamed(X, y, f"Two Gaussians in {m.shape[1]} dimensions", **answers)


def _gaussians(means: ArrayLike, covariances: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
    m = np.array(means, dtype=np.float64)
    if m.ndim != 2 or m.shape[0] != 2 or m.shape[1] == 0 or not all_finite(m):
        raise refused("means", means, "two finite points", "give shape (2, d)")
    d = m.shape[1]
    S = np.array(np.eye(d) if covariances is None else covariances, dtype=np.float64)
    if S.shape not in ((d, d), (2, d, d)) or not np.allclose(S, np.swapaxes(S, -1, -2)):
        raise ValueError(
            f"covariances of shape {S.shape} must be a symmetric {d, d} matrix; give one, or one for each class"
        )
    if not (np.linalg.eigvalsh(S) > 0).all():
        raise ValueError("covariances must be positive definite; add a multiple of the identity")
    return m, np.broadcast_to(S, (2, d, d)).copy()


def _linear_bayes(means: FloatArray, covariance: FloatArray, prior: float) -> dict[str, Any]:
    w = np.linalg.solve(covariance, means[0] - means[1])
    odds = math.log(prior) - math.log1p(-prior)
    w0 = odds - float(w @ (means[0] + means[1])) / 2
    distance = math.sqrt(float(w @ (means[0] - means[1])))  # Mahalanobis
    if distance == 0:
        error = min(prior, 1 - prior)
    else:
        error = prior * _tail(distance / 2 + odds / distance) + (1 - prior) * _tail(distance / 2 - odds / distance)
    return {"bayes": np.array([w0, *w]), "bayes_error": error}


def _tail(x: float) -> float:
    """Give the probability that a standard normal variable exceeds x."""
    return math.erfc(x / math.sqrt(2)) / 2
