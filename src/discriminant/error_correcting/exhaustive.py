"""Exhaustive search over integer weight vectors.

If any vector separates the patterns, one with rational and hence one with integer components does (Problem 16).  The
search tries the vectors a with max |aᵢ| = 1, then 2, and so on, so that it ends at a solution with the smallest
possible components.  There are (2r+1)ᵈ⁺¹ vectors up to size r: it is for small problems.

Source: Duda, Hart, Stork, *Pattern Classification*, Problem 16.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array

from .._engine.driver import watching
from .._engine.labels import encode
from .._engine.rows import compiled
from .._guards.parameters import Number
from .._guards.validation import floats, table_of
from ..geometry import augment

CHUNK = 5_000_000  # rows that one compiled call looks at: less than a tenth of a second


@compiled
def _first_solution(
    Y: NDArray[np.float64], r: int, start: int, stop: int, most: int, a: NDArray[np.float64]
) -> tuple[int, bool]:
    """Count in base 2r+1 from ``start``; leave in ``a`` the first vector of size r with Ya > 0."""
    looked = 0
    for number in range(start, stop):
        if looked >= most:
            return number, False
        rest, size, looked = number, 0, looked + 1
        for j in range(a.size - 1, -1, -1):
            digit = rest % (2 * r + 1) - r
            rest //= 2 * r + 1
            a[j] = digit
            size = max(size, abs(digit))
        if size < r:
            continue
        solved = True
        for i in range(Y.shape[0]):
            total = 0.0
            for j in range(a.size):
                total += Y[i, j] * a[j]
            looked += 1
            if total <= 0:
                solved = False
                break
        if solved:
            return number, True
    return stop, False


def integer_search(X: Any, y: Any, max_weight: int = 10) -> NDArray[np.int64] | None:
    """The smallest integer weight vector that separates two classes, found by trying them all.

    Parameters
    ----------
    X : array of shape (n, d)
        Patterns.
    y : array of shape (n,)
        Labels of two classes; the one that sorts last is positive.
    max_weight : int, default=10
        Largest absolute component that is tried.

    Returns
    -------
    array of int of shape (d+1,), or None
        Augmented weights (w₀, w) whose largest component is as small as possible; None when there are none up to
        ``max_weight``, which does not prove that the classes overlap.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, Problem 16.

    Examples
    --------
    >>> from discriminant import integer_search
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> integer_search(X, [0, 1, 1, 1]).tolist()
    [-1, 2, 2]
    >>> print(integer_search(X, [0, 1, 1, 0]))
    None
    """
    Number("give a whole number, 1 or more", 1, closed=True, whole=True)("max_weight", max_weight)
    X = table_of(X)
    if X.ndim == 2 and (digits := math.log10(2 * max_weight + 1) * (X.shape[1] + 1)) > 10:
        raise ValueError(
            f"max_weight={max_weight} in {X.shape[1]} dimensions makes about 1e{digits:.0f} vectors, too many to try; "
            "give a smaller one, or use Perceptron."
        )
    X = check_array(floats("X", X.toarray() if sparse.issparse(X) else X, np.float64, "give rows of numbers"))
    classes, labels = encode(np.asarray(y))
    if classes.size != 2 or labels.size != X.shape[0]:
        raise ValueError(f"y has {classes.size} classes and {labels.size} labels; give one of two for each row of X.")
    Y = np.ascontiguousarray(augment(X) * np.where(labels == 1, 1.0, -1.0)[:, None])
    a = np.empty(Y.shape[1])
    with watching() as watch:
        for r in range(1, max_weight + 1):
            number, total = 0, (2 * r + 1) ** a.size
            while number < total:
                if watch.interrupted:
                    raise KeyboardInterrupt
                number, solved = _first_solution(Y, r, number, total, CHUNK, a)
                if solved:
                    return a.astype(np.int64)
    return None
