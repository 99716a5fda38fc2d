"""What theory promises: corrections a perceptron can need, and what a separation is worth.

The bounds on the corrections of Theorem 5.1, with their proof, stand in ``perceptron_bounds``.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, Eqs. 21 to 26, §5.7, §5.12.2, Problems 14 and 15, Eq. 107.
Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Theorems 2.3 and 2.7, Remarks 2.4 and
2.10. Cover, "Geometrical and statistical properties of systems of linear inequalities", 1965.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._guards.parameters import Number
from .perceptron_bounds import (
    NONNEGATIVE,
    POSITIVE,
    BiasBounds,
    PerceptronBound,
    bias_updates,
    perceptron,
    perceptron_from_numbers,
    radius,
)

__all__ = [
    "BiasBounds", "PerceptronBound", "bias_updates", "cover", "embedding_strength", "freund_schapire", "novikoff",
    "perceptron", "perceptron_from_numbers", "radius", "support_vector",
]  # fmt: skip

COUNT = Number("give how many there are", 1, closed=True, whole=True)
EXACT_COUNTS = 2000  # up to so many points the dichotomies are counted in integers


def novikoff(R: float, gamma: float) -> float:
    """Bound the mistakes of the perceptron with the bias update of R², (2R/γ)².

    Parameters
    ----------
    R : float
        The radius max ‖x_i‖ of the patterns, as `radius` gives it.
    gamma : float
        The geometric margin γ, in the space of x, of some separating plane (w, b) with ‖w‖ = 1 and |b| ≤ R.

    Returns
    -------
    float
        The largest number of mistakes, over all passes, from w = 0 and b = 0.

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Theorem 2.3.

    Examples
    --------
    >>> from discriminant import bounds
    >>> bounds.novikoff(R=2.0, gamma=0.5)
    64.0
    """
    ratio: float = 2 * POSITIVE("R", R) / POSITIVE("gamma", gamma)
    return ratio * ratio


def freund_schapire(R: float, D: float, gamma: float) -> float:
    """Bound the mistakes of the first pass on data that need not be separable, (2(R + D)/γ)².

    Parameters
    ----------
    R : float
        The radius max ‖x_i‖ of the patterns.
    D : float
        The norm of the slacks ξ_i = max(0, γ − y_i(⟨w, x_i⟩ + b)) of a plane with ‖w‖ = 1 and |b| ≤ R.
    gamma : float
        The target margin γ.

    Returns
    -------
    float
        The largest number of mistakes in the first pass, with the bias update of R² and no pattern repeated.

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Theorem 2.7.

    Examples
    --------
    >>> from discriminant import bounds
    >>> bounds.freund_schapire(R=2.0, D=1.0, gamma=0.5)
    144.0
    """
    return novikoff(POSITIVE("R", R) + NONNEGATIVE("D", D), gamma)


def embedding_strength(R: float, gamma: float) -> float:
    """Bound ‖α‖₁, the sum of the embedding strengths of the dual perceptron.

    Each mistake adds 1 to one α_i, so this is the number of `novikoff` under another name: a measure of how
    complex the concept is in its dual form.

    Parameters
    ----------
    R : float
        The radius max ‖x_i‖; with a kernel the root of max K(x_i, x_i).
    gamma : float
        The geometric margin of some separating plane.

    Returns
    -------
    float
        The bound (2R/γ)².

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Remark 2.10.

    Examples
    --------
    >>> from discriminant import bounds
    >>> bounds.embedding_strength(R=1.0, gamma=0.25)
    64.0
    """
    return novikoff(R, gamma)


def support_vector(model: Any) -> float:
    """Bound the leave-one-out error rate of a maximum-margin classifier, N_s/n.

    Leaving out a pattern that is no support vector changes nothing, so only support vectors may then err.
    In expectation over training sets of n it bounds the error rate after training on n − 1.

    Parameters
    ----------
    model : object
        A fitted model with the multipliers ``alpha_`` of shape (n,), one for each training row.

    Returns
    -------
    float
        The fraction of training rows whose multiplier is not zero.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, Eq. 107.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from discriminant import bounds
    >>> bounds.support_vector(SimpleNamespace(alpha_=[2.0, 0.0, 2.0, 0.0]))
    0.5
    """
    alpha = np.asarray(getattr(model, "alpha_", ()))
    if alpha.ndim != 1 or alpha.size == 0:
        raise ValueError(f"model={model!r} must have one alpha_ a training row; fit a two-class SupportVectorMachine")
    return float(np.count_nonzero(alpha) / alpha.size)


def cover(n: int, d: int, *, intercept: bool = True) -> float:
    """Give the probability that n randomly labeled points in general position are linearly separable.

    It is 2^(1−n) Σ_{i<d̂} C(n−1, i) with d̂ = d + 1 weights: 1 up to n = d̂, exactly 1/2 at n = 2d̂. A
    separation of fewer than 2d̂ points therefore says little.

    Parameters
    ----------
    n : int
        The number of points.
    d : int
        The number of features.
    intercept : bool, default=True
        Whether the plane has a bias; without one d̂ = d.

    Returns
    -------
    float
        A probability; exactly rounded up to n = 2000.

    References
    ----------
    Cover, "Geometrical and statistical properties of systems of linear inequalities", 1965;
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.7.

    Examples
    --------
    Of the 16 Boolean functions of two variables all but XOR and its complement are separable.

    >>> from discriminant import bounds
    >>> 16 * bounds.cover(4, 2)
    14.0
    >>> bounds.cover(1_000_000, 499_999)
    0.5
    """
    n, weights = COUNT("n", n), COUNT("d", d) + bool(intercept)
    if weights >= n:
        return 1.0
    if n <= EXACT_COUNTS:
        term = total = 1
        for i in range(1, weights):
            term = term * (n - i) // i
            total += term
        return total / (1 << (n - 1))
    from scipy.special import betainc  # imported here: the module takes longer to load than all of this one

    return float(betainc(n - weights, weights, 0.5))  # the binomial distribution function
