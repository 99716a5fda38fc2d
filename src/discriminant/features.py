"""Feature maps φ, which make a linear discriminant of y = φ(x) a nonlinear one of x.

A generalized linear discriminant is g(x) = aᵗy(x), linear in y whatever the functions y_i(x). `PolynomialMap`
has the monomials of x up to a degree. Any other φ is scikit-learn's `FunctionTransformer(phi)`; both go in
front of a procedure with `make_pipeline`. Neither has the constant term: augmentation adds y₀ = 1.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.3, Eqs. 4 to 6.
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.validation import check_is_fitted

from ._guards.held import COMMON
from ._guards.parameters import Number, refused
from ._guards.state import all_or_nothing
from ._guards.validation import taken

__all__ = ["PolynomialMap"]

DEGREE = Number("use 2 for a quadratic map", 1, closed=True, whole=True)
HIGHEST = 1000  # degree: each takes a pass over the features, and a power above it leaves the floats
MOST_LOADED = 10**6  # features and terms that a model file may claim in a few bytes
MOST = 2**31 - 1  # terms, so that their numbers fit the indices of a sparse matrix


class PolynomialMap(TransformerMixin, BaseEstimator):
    """Monomials of the features up to a degree, without the constant.

    Parameters
    ----------
    degree : int, default=2
        Highest degree of a monomial, up to 1000; 2 gives the quadratic discriminant.
    interaction_only : bool, default=False
        Whether to keep only products of distinct features.

    Attributes
    ----------
    n_terms_ : int
        The number d̂ of terms of the discriminant, counting the constant that augmentation adds:
        (d + 1)(d + 2)/2 for the complete quadratic one.
    n_features_in_ : int
        The number d of features seen in `fit`.
    feature_names_in_ : ndarray of shape (d,)
        Their names, when all of them are strings.

    Notes
    -----
    float32 stays float32, and CSR stays CSR. For another φ use scikit-learn's `FunctionTransformer(phi)`.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.3, Eq. 4 and Fig. 5.5.

    Examples
    --------
    With (1, x, x²) and a = (−1, 1, 2), g is positive exactly for x < −1 and x > 1/2:

    >>> import numpy as np
    >>> from discriminant.features import PolynomialMap
    >>> from discriminant.geometry import Hyperplane
    >>> x = np.array([[-1.5], [-1.0], [0.0], [0.5], [1.0]])
    >>> phi = PolynomialMap(degree=2).fit(x)
    >>> Hyperplane.from_augmented([-1, 1, 2]).side(phi.transform(x))
    array([ 1,  0, -1,  0,  1])
    >>> phi.n_terms_, phi.get_feature_names_out().tolist()
    (3, ['x0', 'x0^2'])
    """

    _held = COMMON | {"n_terms_": "count"}

    def __init__(self, degree: int = 2, interaction_only: bool = False) -> None:
        self.degree = degree
        self.interaction_only = interaction_only

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> PolynomialMap:
        """Learn the number of features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Patterns.
        y : ignored
            Present for scikit-learn's sake.

        Returns
        -------
        PolynomialMap
            Itself.
        """
        DEGREE("degree", self.degree)
        X = taken(self, X, reset=True)
        degree = highest_degree(X.shape[1], self.degree, self.interaction_only)
        if degree > HIGHEST:
            raise refused("degree", self.degree, f"at most {HIGHEST}", DEGREE.remedy)
        if n_terms(X.shape[1], degree, self.interaction_only) > MOST:
            raise ValueError(
                f"degree={self.degree!r} makes more than {MOST:,} terms of {X.shape[1]:,} features; lower it, or "
                "choose features"
            )
        monomials = PolynomialFeatures(degree, interaction_only=self.interaction_only, include_bias=False)
        self._monomials: Any = monomials.fit(X)
        self.n_terms_: int = int(monomials.n_output_features_) + 1
        return self

    def transform(self, X: Any) -> Any:
        """Give φ(x) for each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Patterns.

        Returns
        -------
        ndarray or CSR of shape (n, n_terms_ − 1)
            The monomials: first the features, then their products by degree.
        """
        check_is_fitted(self)
        return self._monomials.transform(taken(self, X, reset=False))

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Give the names of the monomials, such as ``x0 x1`` and ``x1^2``.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the features; by default those seen in `fit`, else x0, x1, ….

        Returns
        -------
        ndarray of str
            One name for each column of `transform`.
        """
        check_is_fitted(self)
        seen = getattr(self, "feature_names_in_", None)
        if input_features is None:
            input_features = seen
        elif seen is not None and not np.array_equal(seen, np.asarray(input_features)):
            raise ValueError(f"input_features is not equal to feature_names_in_ {seen.tolist()}; leave it out")
        names: NDArray[np.object_] = self._monomials.get_feature_names_out(input_features)
        return names

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _after_load(self) -> None:
        """Make the monomials, which follow from the number of features, if they are as many as the file says."""
        d, terms = self.n_features_in_, self.n_terms_
        if type(self.degree) is not int or max(d, terms) > MOST_LOADED:
            raise ValueError(f"a map of {d:,} features and {terms:,} terms is too large.")
        if terms != n_terms(d, highest_degree(d, self.degree, self.interaction_only), self.interaction_only):
            raise ValueError(f"a map of this degree has not {terms:,} terms.")
        self._monomials = PolynomialMap(**self.get_params()).fit(np.zeros((1, d)))._monomials


def highest_degree(d: int, degree: int, interaction_only: bool) -> int:
    """The degree of the longest monomial: distinct features run out."""
    return min(int(degree), d) if interaction_only else int(degree)


def n_terms(d: int, degree: int, interaction_only: bool) -> int:
    """The number of monomials up to a degree, the constant with them; of a large number only that it exceeds MOST."""
    if min(d, degree) > 31:  # the smallest numbers are 2³² and C(64, 32)
        return MOST + 1
    return sum(comb(d, p) for p in range(min(d, degree) + 1)) if interaction_only else comb(d + degree, degree)
