"""Choosing a support vector machine: the cost of slack along a path, the leave-one-out error, what counts.

Sources: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.11, Eq. 107; *Machine Learning: Theory and Practice*,
ch. 8, §8.4; Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, §2.1.1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._engine.problem import check_weight
from .._guards.parameters import refused
from .._guards.validation import table_of
from ..solution import Status
from .estimator import Fold, SupportVectorMachine

LARGEST_DECIDES = ("one-vs-rest", "kesler", "linear-machine")  # strategies of classes with a discriminant each


def svm_path(X: Any, y: Any, Cs: Any, **parameters: Any) -> list[SupportVectorMachine]:
    """Fit a support vector machine for each of several costs of slack, each from where the last one ended.

    Parameters
    ----------
    X : array, CSR matrix or data frame of shape (n, d)
        Patterns.
    y : array of shape (n,)
        Labels.
    Cs : float or sequence of float
        The costs C; from small to large is fastest.
    **parameters : dict
        Further parameters of :class:`SupportVectorMachine`.

    Returns
    -------
    list of SupportVectorMachine
        One fitted model for each cost; Ctrl-C ends the list with the one that it stops.

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
    start = None
    for C in [Cs] if np.ndim(Cs) == 0 else Cs:
        model = SupportVectorMachine(C, **parameters)
        solutions = model._fit(X, y, None, start=start)
        start = None if np.isinf(C) else [solution.findings.machine for solution in solutions]
        models.append(model)
        if model.status_ is Status.STOPPED:
            break
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
    >>> from discriminant.svm.selection import LeaveOneOut
    >>> LeaveOneOut(0.1, 0.2).error
    0.1
    """

    error: float
    bound: float


def leave_one_out(model: SupportVectorMachine, X: Any, y: Any, sample_weight: Any = None) -> LeaveOneOut:
    """The leave-one-out error rate: only support vectors can err, so only they are left out, one by one.

    Parameters
    ----------
    model : SupportVectorMachine
        Fitted to X and y.
    X : array or CSR matrix of shape (n, d)
        The patterns of the fit.
    y : array of shape (n,)
        Their labels.
    sample_weight : array of shape (n,), default=None
        Their weights, if the fit had any; n then counts the rows of positive weight.

    Returns
    -------
    LeaveOneOut
        The error rate and the bound N_s/n; each row counts once. Ctrl-C raises ``KeyboardInterrupt``, for an error rate
        of a part of the rows would be none.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.11 (Eq. 107 concerns training on n - 1 rows).

    Examples
    --------
    >>> from discriminant import SupportVectorMachine, datasets, leave_one_out
    >>> X, y = datasets.table(1, 2)
    >>> leave_one_out(SupportVectorMachine(C=10.0).fit(X, y), X, y)
    LeaveOneOut(error=0.10, bound=0.15)
    """
    check_is_fitted(model)
    X, y = table_of(X), np.asarray(y)
    weight = check_weight(np.ones(len(y)) if sample_weight is None else sample_weight, len(y), np.dtype(np.float64))
    _check_same(model, X, y, weight)
    errors = 0
    for i in model.support_:
        others = weight.copy()
        others[i] = 0
        errors += int(Fold.like(model).fit(X, y, others).predict(X[[i]])[0] != y[i])
    n = int(np.count_nonzero(weight))
    return LeaveOneOut(errors / n, model.support_.size / n)


def _check_same(model: SupportVectorMachine, X: Any, y: NDArray[Any], weight: NDArray[Any]) -> None:
    """Refuse other data than those of the fit, as far as the model can tell: only its own support vectors may err."""
    if X.shape[:1] != (model._n_rows,) or y.shape != (model._n_rows,):
        raise ValueError(f"X.shape={X.shape} must have the {model._n_rows} rows of the fit, and y too; give its data.")
    counts = [np.count_nonzero(y[model.support_] == label) for label in model.classes_]
    if not np.array_equal(counts, model.n_support_):
        raise ValueError("y must have the labels of the fit; give the patterns and labels of the fit.")
    limited = model.loss == "hinge" and model.class_weight is None
    beyond = np.abs(model._strengths).max(axis=0) * (1 - 1e-6) > model.C * weight[model.support_]
    if np.any(weight[model.support_] == 0) or (limited and np.any(beyond)):
        raise ValueError("sample_weight must allow the multipliers of the fit; give the weights of the fit.")


def feature_ranking(model: Any) -> NDArray[np.int64]:
    """Rank the features by the size of their weights, the most important one first.

    Parameters
    ----------
    model : object
        A fitted linear model; with several discriminants the squares of the weights are added. Where the largest
        discriminant decides, only differences between the classes count: what all of them share is left out. Features
        should be of the same scale.

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
    return np.argsort(-feature_sizes(model), kind="stable").astype(np.int64)


def feature_sizes(model: Any) -> NDArray[np.float64]:
    """How much each feature can change the decision: the root of the sum of its squared weights.

    Where the largest of several discriminants decides, a weight that all of them share changes nothing: the weights
    count from their mean.
    """
    if not hasattr(model, "coef_"):
        raise refused("model", model, "one with weights of features, coef_", "fit a linear model first")
    weights = np.atleast_2d(model.coef_).astype(np.float64)
    if getattr(model, "multiclass_", None) in LARGEST_DECIDES:
        weights -= weights.mean(axis=0)
    return np.asarray(np.hypot.reduce(np.abs(weights), axis=0))  # squares of huge weights would overflow


def pattern_ranking(model: Any) -> NDArray[np.int64]:
    """Rank the training patterns by their embedding strength α, the one that was hardest to learn first.

    α counts how often a perceptron had to correct a pattern, so that it tells how much the pattern has to say. Those
    with α = 0 come last: without them the procedure would have learned the same.

    Parameters
    ----------
    model : object
        A fitted model with the strengths ``alpha_`` of its training rows: `KernelPerceptron`, `MinOver`, `Adatron`,
        `SupportVectorMachine`, or `WidrowHoff` with ``dual=True``. Of several discriminants the sizes are added.

    Returns
    -------
    array of int of shape (n,)
        Rows of X; of equal strengths, in their order.

    See Also
    --------
    discriminant.bounds.embedding_strength : How large the sum of all α can be.

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, §2.1.1, Table 2.2, Remark 2.10.

    Examples
    --------
    The OR of two variables, α = (7, 3, 3, 0): the only pattern of its class was the hardest one.

    >>> from discriminant import KernelPerceptron, datasets, pattern_ranking
    >>> pattern_ranking(KernelPerceptron().fit(*datasets.or_function())).tolist()
    [0, 1, 2, 3]
    """
    alpha = np.asarray(getattr(model, "alpha_", ()), np.float64)
    if alpha.ndim not in (1, 2) or not alpha.size:
        raise refused("model", model, "one with strengths of its patterns, alpha_", "fit KernelPerceptron() first")
    strengths = np.abs(alpha).reshape(len(alpha), -1).sum(axis=1)
    return np.argsort(-strengths, kind="stable").astype(np.int64)
