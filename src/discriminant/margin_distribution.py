"""Margins of examples and their distribution.

The functional margin of an example is z g(x), with z = ±1 for its class; the geometric margin divides it
by ‖w‖ and is the distance from the surface, negative on the wrong side. With many classes the
functional margin is g_true − g_rival for the strongest rival, and ‖w_true − w_rival‖ takes the place of ‖w‖.
Two classes are the linear machine with the discriminants 0 and g, so one computation serves both.

References
----------
Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Definitions 2.2 and 2.6,
Theorem 2.7; Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.2.2 and §5.3 (the distance by ‖a‖).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from ._guards.parameters import Choice, Number, Or
from .geometry import FloatArray, Hyperplane, LinearMachine, Points, affine, safe_norm, scaled, two_classes
from .multiclass import leads, pairs

__all__ = ["MarginDistribution", "margins"]

BY = Choice(("w", "a"))
GAMMA = Or((None,), Number("leave it out for the default", 0))


@dataclass(frozen=True, eq=False, repr=False)
class MarginDistribution:
    """The margins of a set of examples, as `margins` measures them.

    Parameters
    ----------
    functional : ndarray of shape (n,)
        Functional margin of each example, z g(x) or g_true − g_rival.
    geometric : ndarray of shape (n,)
        Geometric margin of each example.
    gamma : float
        The target margin γ of the slacks.
    slack : ndarray of shape (n,)
        Slack of each example, ξ_i = max(0, γ − its margin); ξ_i > γ means that it is on the wrong side.

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Definitions 2.2 and 2.6.

    Examples
    --------
    >>> from discriminant.geometry import Hyperplane
    >>> from discriminant.margin_distribution import margins
    >>> margins(Hyperplane([3, 4]), [[3, 4], [-3, -4], [3, -4]], [1, 0, 1])
    MarginDistribution(n=3, margin=-1.4, errors=1, gamma=25, D=32)
    """

    functional: FloatArray
    geometric: FloatArray
    gamma: float
    slack: FloatArray

    @property
    def margin(self) -> float:
        """The smallest geometric margin: the margin of the hyperplane with respect to the examples."""
        return float(self.geometric.min())

    @property
    def D(self) -> float:
        """The 2-norm of the slacks, D = √Σξ_i² (Theorem 2.7)."""
        return float(safe_norm(self.slack))

    @property
    def errors(self) -> int:
        """The number of examples whose functional margin is not positive; an undecided one is an error."""
        return int(np.count_nonzero(self.functional <= 0))

    def quantiles(self, q: ArrayLike = (0.0, 0.25, 0.5, 0.75, 1.0)) -> np.float64 | FloatArray:
        """Give quantiles of the geometric margins, by default the extremes and the quartiles."""
        return np.quantile(self.geometric, np.asarray(q, dtype=np.float64))

    def __repr__(self) -> str:
        return (
            f"MarginDistribution(n={len(self.geometric)}, margin={self.margin:.4g}, errors={self.errors}, "
            f"gamma={self.gamma:.4g}, D={self.D:.4g})"
        )

    def __str__(self) -> str:
        low, first, median, third, high = np.asarray(self.quantiles())
        return (
            f"{len(self.geometric)} examples, {self.errors} of them on the wrong side or undecided\n"
            f"geometric margin: min {low:.4g}, quartiles {first:.4g}, {median:.4g}, {third:.4g}, max {high:.4g}\n"
            f"slack from a margin of {self.gamma:.4g}: D = {self.D:.4g}"
        )


def margins(
    model: Any,
    X: Points,
    y: ArrayLike,
    gamma: float | None = None,
    *,
    normalized: bool = False,
    by: Literal["w", "a"] = "w",
) -> MarginDistribution:
    """Measure the functional and geometric margins of labeled examples.

    Parameters
    ----------
    model : Hyperplane, LinearMachine or fitted linear classifier
        A classifier has `coef_`, `intercept_` and `classes_`, as in this library and in scikit-learn.
    X : array-like or sparse matrix of shape (n, d)
        Examples.
    y : array-like of shape (n,)
        Their labels. The positive class is the one that sorts last (`classes_[1]`); for a `Hyperplane`
        the two classes are those of y.
    gamma : float, optional
        Target margin γ > 0 of the slacks, in the unit of the margins they are taken from. By default the smallest
        margin when it is positive (all slacks are then zero), else the largest, and 0 when no margin is positive.
    normalized : bool, default=False
        False takes the slacks from the functional margins, as Definition 2.6 is printed: they depend on the
        length of w. True takes them from the geometric margins: those of the plane with ‖w‖ = 1, which the
        bound of Theorem 2.7 (Freund and Schapire) asks for.
    by : {"w", "a"}, default="w"
        What a geometric margin is divided by: ‖w‖, for the distance in the space of x, or the norm of the
        augmented vector, ‖a‖ ≥ ‖w‖.

    Returns
    -------
    MarginDistribution
        With `functional`, `geometric`, `margin`, `gamma`, `slack`, `D`, `errors` and `quantiles(q)`.

    Notes
    -----
    With many classes the rival is the class of the largest other discriminant, lowest index on ties. It need
    not be the class whose boundary is nearest, so the geometric margin can exceed the distance to the surface.

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Definitions 2.2 and 2.6.

    Examples
    --------
    >>> from discriminant.geometry import Hyperplane
    >>> from discriminant.margin_distribution import margins
    >>> result = margins(Hyperplane([3, 4], -5), [[3, 4], [0, 0], [-1, 3]], [1, 0, 0], gamma=1)
    >>> result.functional
    array([20.,  5., -4.])
    >>> result.geometric
    array([ 4. ,  1. , -0.8])
    >>> result.slack, result.D, result.errors
    (array([0., 0., 5.]), 5.0, 1)
    """
    BY("by", by)
    GAMMA("gamma", gamma)
    labels = np.asarray(y)
    machine = _linear_machine(model, X, labels)
    weights, exponent = scaled(machine.weights)
    g = affine(X, weights)
    if g.ndim != 2 or len(g) == 0:
        raise ValueError("X must have one row for each of one or more examples; reshape(1, -1) a single point")
    true = _indices(labels, machine.classes, len(g))
    margin, norm = _margins_and_norms(g, true, weights if by == "a" else weights[:, 1:])
    functional, geometric = np.ldexp(margin, exponent), margin / norm
    base = geometric if normalized else functional
    smallest, largest = float(base.min()), float(base.max())
    target = float(gamma) if gamma is not None else smallest if smallest > 0 else max(largest, 0.0)
    return MarginDistribution(functional, geometric, target, np.maximum(0.0, target - base))


def _margins_and_norms(g: FloatArray, true: NDArray[np.intp], weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give g_true − g_rival of each example, and the norm of the difference of the two weight vectors."""
    lead, rival = leads(g, true)
    # One norm for each pair of classes that occurs, not one for each example.
    pairs, inverse = np.unique(true * len(weights) + rival, return_inverse=True)
    norms = np.array([safe_norm(weights[i] - weights[j]) for i, j in (divmod(pair, len(weights)) for pair in pairs)])
    if not norms.all():
        i, j = divmod(int(pairs[np.argmin(norms)]), len(weights))
        raise ValueError(f"model gives classes {i} and {j} the same weight vector, so no geometric margin; fit it anew")
    return lead, norms[inverse]


def _linear_machine(model: Any, X: Points, labels: NDArray[Any]) -> LinearMachine:
    """Give any model as a linear machine; two classes have the discriminants 0 and g."""
    if isinstance(model, LinearMachine):
        return model
    if isinstance(model, Hyperplane):
        classes, _ = two_classes(labels, "y", n_rows=len(labels) if labels.ndim else 0)
        return LinearMachine(np.stack([np.zeros_like(model.a), model.a]), classes)
    try:
        coef, classes = model.coef_, np.asarray(model.classes_)
        coef = np.atleast_2d(coef.toarray() if sparse.issparse(coef) else coef).astype(np.float64)
        intercept = np.broadcast_to(model.intercept_, len(coef)).astype(np.float64)
    except AttributeError as error:
        raise ValueError(f"model={model!r} must be a fitted linear classifier ({error}); fit it first") from error
    weights = np.column_stack([intercept, coef])
    if len(classes) == 2 and len(weights) == 1:
        return LinearMachine(np.stack([np.zeros_like(weights[0]), weights[0]]), classes)
    if len(classes) == len(weights):
        machine = LinearMachine(weights, classes)
        if _decides_like(machine, model, X):
            return machine
    raise ValueError(f"model={model!r} must decide by one discriminant a class; use one-vs-rest or Kesler")


def _decides_like(machine: LinearMachine, model: Any, X: Points) -> bool:
    """Tell apart the pairwise weights of one-vs-one: for three classes their shape does not give them away."""
    expected = machine.discriminants(X)
    decision = np.asarray(model.decision_function(X))
    return decision.shape == expected.shape and np.allclose(
        decision, expected, rtol=0, atol=1e-3 * np.abs(expected).max()
    )


def _indices(labels: NDArray[Any], classes: NDArray[Any], n_rows: int) -> NDArray[np.intp]:
    if labels.shape != (n_rows,):
        raise ValueError(f"y has shape {labels.shape}, expected ({n_rows},); give one label for each row")
    index = {label: i for i, label in enumerate(classes.tolist())}
    try:
        return np.array([index[label] for label in labels.tolist()], dtype=np.intp)
    except KeyError as error:
        raise ValueError(
            f"y holds {error}, which is not among the classes {classes.tolist()[:5]}; give these"
        ) from error


def geometric_margins(model: Any, X: Any, y: NDArray[Any]) -> NDArray[np.float64] | None:
    """How far each row is from the boundary, negative on the wrong side; None where the boundary is no plane.

    Where each pair of classes has its own plane, the nearest plane of a row's own class counts.
    """
    if not hasattr(model, "coef_"):
        return None
    try:
        if getattr(model, "multiclass_", None) != "one-vs-one":
            return margins(model, X, y).geometric
        nearest = np.full(len(y), np.inf)
        for (i, j), a in zip(pairs(model.classes_.size), model.weights_, strict=True):
            rows = np.flatnonzero(np.isin(y, model.classes_[[i, j]]))
            own = margins(Hyperplane.from_augmented(a), X[rows], y[rows]).geometric
            nearest[rows] = np.minimum(nearest[rows], own)
        return nearest
    except ValueError:  # several planes for a class, or weights that are all zero
        return None
