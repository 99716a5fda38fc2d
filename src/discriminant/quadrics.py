"""The character of a quadratic discriminant's surface.

g(x) = w₀ + wᵗx + xᵗWx with a symmetric, nonsingular W has the center c = −W⁻¹w/2. Moving the origin there,
u = x − c, removes the linear term: g(x) = uᵗWu − δ/4 with δ = wᵗW⁻¹w − 4w₀ = −4g(c). So g(x) = 0 is

    uᵗW̄u = 1/4,  W̄ = W/δ,

and the signs of the eigenvalues λ of W̄ name the surface. It meets its principal axis of each positive λ
at the distance 1/√(4λ) from the center.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.3, Eq. 4 and Problem 11.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ._guards.parameters import Number
from .geometry import FloatArray, finite_array, scaled

__all__ = ["Quadric", "classify_quadric"]

TOLERANCE = Number("leave it out for the default", 0, 1, closed=True)

Kind: TypeAlias = Literal["hypersphere", "hyperellipsoid", "hyperhyperboloid", "cone", "point", "empty", "singular"]


@dataclass(frozen=True, eq=False)
class Quadric:
    """What `classify_quadric` found.

    Parameters
    ----------
    kind : str
        "hypersphere", "hyperellipsoid", "hyperhyperboloid", "cone", "point", "empty" or "singular".
    W_bar : ndarray of shape (d, d) or None
        W̄ = W/(wᵗW⁻¹w − 4w₀); None for a cone, a point and a singular W, where it does not exist.
    semi_axes : ndarray of shape (m,)
        1/√(4λ) for the m positive eigenvalues λ of W̄, longest first.
    axes : ndarray of shape (m, d)
        The unit direction of each semi-axis: center ± semi_axes[i]·axes[i] are on the surface.
    center : ndarray of shape (d,) or None
        −W⁻¹w/2; None for a singular W.

    Examples
    --------
    >>> from discriminant.quadrics import classify_quadric
    >>> circle = classify_quadric([[1, 0], [0, 1]], [-2, 0], -3)
    >>> circle.kind, circle.center, circle.semi_axes
    ('hypersphere', array([1., 0.]), array([2., 2.]))
    """

    kind: Kind
    W_bar: FloatArray | None
    semi_axes: FloatArray
    axes: FloatArray
    center: FloatArray | None


def classify_quadric(W: ArrayLike, w: ArrayLike, w0: float, *, tol: float | None = None) -> Quadric:
    """Name the surface w₀ + wᵗx + xᵗWx = 0 and measure it.

    Parameters
    ----------
    W : array-like of shape (d, d)
        Second-degree weights. Only the symmetric part matters to g, and is used.
    w : array-like of shape (d,)
        First-degree weights.
    w0 : float
        Bias.
    tol : float, optional
        Relative tolerance, 10dε by default (ε = 2.2e-16, the rounding unit). With the eigenvalues λ of W, W is
        singular when min|λ| ≤ tol·max|λ|; a definite W is a multiple of I when max|λ| − min|λ| ≤ tol·max|λ|;
        and δ = wᵗW⁻¹w − 4w₀ is zero when |δ| ≤ 4tol(max|λ|‖c‖² + |w₀|): no more than the rounding error
        of −4g(c) at the center c. Features of very different scale should be rescaled first.

    Returns
    -------
    Quadric
        The kind is

        - "hypersphere": W̄ is a positive multiple of I;
        - "hyperellipsoid": W̄ is positive definite;
        - "hyperhyperboloid": W̄ has positive and negative eigenvalues;
        - "cone": W has both signs and wᵗW⁻¹w = 4w₀ (two crossing lines when d = 2);
        - "point": W is definite and wᵗW⁻¹w = 4w₀, so that only the center is on the surface;
        - "empty": W̄ is negative definite, so that g has one sign everywhere;
        - "singular": W has no inverse, and W̄ does not exist. Paraboloids, cylinders over a quadric of lower
          dimension, parallel planes, and (W = 0) a hyperplane, nothing or everything.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.3, Eq. 4 and Problem 11.

    Examples
    --------
    Problem 11(d) is a hyperhyperboloid unless w₀ = 331/16:

    >>> from discriminant.quadrics import classify_quadric
    >>> W, w = [[1, 2, 0], [2, 5, 1], [0, 1, -3]], [5, 2, -3]
    >>> classify_quadric(W, w, 0).kind, classify_quadric(W, w, 331 / 16).kind
    ('hyperhyperboloid', 'cone')

    −1 + x + 2x² vanishes at −1 and 1/2, a sphere of dimension zero:

    >>> pair = classify_quadric([[2]], [1], -1)
    >>> pair.kind, pair.center, pair.semi_axes
    ('hypersphere', array([-0.25]), array([0.75]))
    """
    W, w, w0 = finite_array(W, "W", 2), finite_array(w, "w", 1), float(finite_array(w0, "w0", 0))
    d = len(w)
    if W.shape != (d, d):
        raise ValueError(f"W has shape {W.shape} and w {w.shape}; W must be (d, d) for a w of d weights")
    tol = 10 * d * float(np.finfo(np.float64).eps) if tol is None else TOLERANCE("tol", tol)
    W, w, w0, length = _rescale(W / 2 + W.T / 2, w, w0)
    eigenvalues, vectors = np.linalg.eigh(W)
    size = np.abs(eigenvalues)
    if size.min() <= tol * size.max():
        return Quadric("singular", None, np.empty(0), np.empty((0, d)), None)

    center = -vectors @ (vectors.T @ w / eigenvalues) / 2
    delta = -(w @ center) * 2 - 4 * w0
    kind: Kind
    if abs(delta) <= 4 * tol * (size.max() * (center @ center) + abs(w0)):
        kind = "point" if _one_sign(eigenvalues) else "cone"
        return Quadric(kind, None, np.empty(0), np.empty((0, d)), np.ldexp(center, length))

    lambdas = eigenvalues / delta
    if not _one_sign(eigenvalues):
        kind = "hyperhyperboloid"
    elif lambdas[0] < 0:
        kind = "empty"
    else:
        kind = "hypersphere" if np.ptp(size) <= tol * size.max() else "hyperellipsoid"
    positive = np.flatnonzero(lambdas > 0)
    positive = positive[np.argsort(lambdas[positive])]
    semi_axes = np.ldexp(0.5 / np.sqrt(lambdas[positive]), length)
    with np.errstate(over="ignore"):  # W̄ goes as 1/length², and may pass the floats where the lengths do not
        W_bar = np.ldexp(W / delta, -2 * length)
    return Quadric(kind, W_bar, semi_axes, vectors.T[positive], np.ldexp(center, length))


def _rescale(W: FloatArray, w: FloatArray, w0: float) -> tuple[FloatArray, FloatArray, float, int]:
    """Choose units of g and of x, both powers of two, in which no weight exceeds one; the unit of x is 2^length.

    g/2ᵏ has the same surface, and x = 2^length x′ turns (W, w, w₀) into (W, w/2^length, w₀/4^length). The
    arithmetic is exact, so that squares of 1e±150 are safe and a cone stays a cone.
    """
    k, k_w, k_0 = (scaled(np.asarray(values))[1] for values in (W, w, w0))
    lengths = [k_w - k] * bool(w.any()) + [-((k - k_0) // 2)] * bool(w0)
    length = max(lengths, default=0)
    return np.ldexp(W, -k), np.ldexp(w, -k - length), float(np.ldexp(w0, -k - 2 * length)), length


def _one_sign(eigenvalues: FloatArray) -> bool:
    """Tell whether eigenvalues in ascending order, none of them zero, have one sign."""
    return bool(eigenvalues[0] > 0 or eigenvalues[-1] < 0)
