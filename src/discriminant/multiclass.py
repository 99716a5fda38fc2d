"""Many classes: Kesler's construction, one against the rest, one against one (with its votes)."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .geometry import augment, class_indices, patterns


def kesler(X: Any, y: Any) -> Any:
    """Kesler's construction: c classes in d dimensions become one class in c(d + 1) dimensions.

    The pattern y = (1, x) of class i gives c − 1 rows, one for each rival j: y in block i, −y in block j, zero
    elsewhere.  A vector (a₁, …, a_c) has a positive inner product with all of them exactly when the linear machine
    with these weights classifies every pattern correctly.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Patterns.
    y : array of shape (n,)
        Labels of two or more classes.

    Returns
    -------
    array or CSR of shape (n(c − 1), c(d + 1))
        The rows of pattern 0 first, rivals in the order of their labels.  Sparse in, sparse out.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, §5.12.1.

    Examples
    --------
    >>> from discriminant import kesler
    >>> kesler([[2.0], [3.0], [5.0]], ["a", "b", "c"]).astype(int)
    array([[ 1,  2, -1, -2,  0,  0],
           [ 1,  2,  0,  0, -1, -2],
           [-1, -3,  1,  3,  0,  0],
           [ 0,  0,  1,  3, -1, -3],
           [-1, -5,  0,  0,  1,  5],
           [ 0,  0, -1, -5,  1,  5]])
    """
    Y = augment(patterns(X, "X", ndims=(2,)))
    classes, labels = class_indices(y, "y", Y.shape[0])
    if classes.size < 2:
        raise ValueError(f"y has {classes.size} class, and Kesler's construction compares classes; give two or more.")
    c = classes.size
    rows = np.repeat(np.arange(labels.size), c - 1)
    rivals = np.array([[j for j in range(c) if j != i] for i in range(c)])[labels].ravel()
    signs = np.zeros((rows.size, c), Y.dtype)
    signs[np.arange(rows.size), labels[rows]] = 1
    signs[np.arange(rows.size), rivals] = -1
    if sparse.issparse(Y):
        blocks = sparse.hstack([Y[rows].multiply(signs[:, [j]]) for j in range(c)], format="csr")
        blocks.eliminate_zeros()  # all but two blocks of a row
        return blocks
    return (signs[:, :, None] * Y[rows, None, :]).reshape(rows.size, -1)


def leads(g: NDArray[Any], true: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Each row's lead g_true − g_rival over its strongest rival, and that rival; the lowest index on ties."""
    each = np.arange(len(g))
    others = g.copy()
    others[each, true] = -np.inf
    rival = np.argmax(others, axis=1)
    return g[each, true] - g[each, rival], rival


def pairs(c: int) -> list[tuple[int, int]]:
    """The pairs i < j of c classes, in the order of the rows of a one-vs-one ``coef_``."""
    return list(combinations(range(c), 2))


def first_of_pairs(c: int) -> list[slice]:
    """Where the pairs (i, i + 1), …, (i, c − 1) of each class i stand among the pairs."""
    starts = np.cumsum([0, *range(c - 1, -1, -1)]).tolist()
    return [slice(start, stop) for start, stop in pairwise(starts)]


def n_problems(c: int, strategy: str) -> int:
    """The number of problems that a strategy makes of c classes; a linear machine is one."""
    return {"one-vs-rest": c, "one-vs-one": c * (c - 1) // 2}.get(strategy, 1)


def relabel(labels: NDArray[np.int32], c: int, strategy: str) -> list[NDArray[np.int32]]:
    """The two-category problems of a strategy: 1 for the positive class, 0 for the other, -1 for a bystander.

    What is a bystander already (a row of weight zero) remains one.  One against the rest: class i is positive in
    problem i.  One against one: of the pair i < j, j is positive.
    """
    if strategy == "one-vs-rest":
        return [np.where(labels < 0, labels, labels == i).astype(np.int32) for i in range(c)]
    own, other, bystander = np.int32(1), np.int32(0), np.int32(-1)
    return [np.where(labels == j, own, np.where(labels == i, other, bystander)) for i, j in pairs(c)]


def votes(scores: NDArray[Any], c: int, strategy: str) -> NDArray[np.int64]:
    """Votes that each class gets from two-category scores, one column a problem.

    One against the rest: a class votes for itself where its discriminant is positive.  One against one: each pair
    votes for its winner, and a zero score (on the plane) is no vote.
    """
    if strategy == "one-vs-rest":
        return (scores > 0).astype(np.int64)
    counted = np.zeros((scores.shape[0], c), np.int64)
    for i, own in enumerate(first_of_pairs(c)):  # against all later classes at once
        counted[:, i] += np.count_nonzero(scores[:, own] < 0, axis=1)
        counted[:, i + 1 :] += scores[:, own] > 0
    return counted


def pairwise_scores(scores: NDArray[Any], c: int) -> NDArray[Any]:
    """Votes of the pairs plus a confidence below a half that orders equal votes: (n, c), argmax decides."""
    confidence = np.zeros((scores.shape[0], c), scores.dtype)
    for i, own in enumerate(first_of_pairs(c)):
        confidence[:, i] -= scores[:, own].sum(axis=1)
        confidence[:, i + 1 :] += scores[:, own]
    squashed = confidence / (3 * (np.abs(confidence) + 1))
    return np.asarray(votes(scores, c, "one-vs-one") + squashed, scores.dtype)


def ambiguous(scores: NDArray[Any], c: int, strategy: str) -> NDArray[np.bool_]:
    """Where the strategy leaves the class undefined.

    One against the rest: no class claims the point, or several do.  One against one: the most votes are shared.
    A linear machine: the largest discriminant is shared (Duda, Hart, Stork, §5.2.2 and Fig. 5.3).
    """
    if strategy == "one-vs-rest":
        return np.asarray(votes(scores, c, strategy).sum(axis=1) != 1)
    ranked = votes(scores, c, strategy) if strategy == "one-vs-one" else scores
    return np.asarray((ranked == ranked.max(axis=1, keepdims=True)).sum(axis=1) > 1)
