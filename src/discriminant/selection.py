"""Choosing a support vector machine: the price of slack along a path, the leave-one-out error, the features that count.

Sources: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.11, Eq. 107; *Machine Learning: Theory and Practice*,
ch. 8, §8.4.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from .svm import SupportVectorMachine


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
    >>> from discriminant.selection import LeaveOneOut
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
