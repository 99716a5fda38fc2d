"""Boolean functions as data: features 0 and 1, rows in the order of the truth table.

A function whose two sets of rows can be separated is a threshold function: 14 of the 16 functions of two
variables, 104 of the 256 of three. Parity is never one (d > 1), yet d + 1 weight vectors solve it.

References
----------
*Machine Learning: Theory and Practice*, ch. 8, Tables 8.1, 8.2 and 8.6, Examples 1, 6, 11 and 17.
Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.7 and Problem 10.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._guards.parameters import refused
from ._dataset import PATTERN_CLASSIFICATION, THEORY_AND_PRACTICE, Dataset, labeled, loader, overlap_proof, separated

__all__ = ["or_function", "and_function", "xor", "parity", "boolean"]

MOST_VARIABLES = 20  # a million rows
MOST_DECIDED = 8  # the exact test of a function that has no name


@loader(THEORY_AND_PRACTICE, "Example 6", "Example 6 and Table 8.3")
def or_function() -> Dataset:
    """Load the OR of two variables.

    Returns
    -------
    Dataset
        Answers for the perceptron from a = 0 with η = 1: the ``path`` of Table 8.3, ``solution`` (−1, 2, 2) after 9
        ``corrections``, the embedding strengths ``alpha`` (5, 2, 2, 0); with the bias update of R² instead
        ``radius_solution`` (−2, 3, 3) and ``radius_alpha`` (7, 3, 3, 0).

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.or_function()
    >>> dataset.y, dataset.alpha
    (array([0, 1, 1, 1]), array([5., 2., 2., 0.]))
    """
    w0, w1, w2 = [0, -1, 0, 1, 0, -1, 0, -1, 0, -1], [0, 0, 0, 1, 1, 1, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
    return labeled(
        _vertices(2),
        [0, 1, 1, 1],
        "OR of two variables",
        **separated(-1, 2, 2),
        corrections=9,
        path=np.column_stack([w0, w1, w2]).astype(np.float64),
        alpha=np.array([5.0, 2.0, 2.0, 0.0]),
        radius_solution=np.array([-2.0, 3.0, 3.0]),
        radius_alpha=np.array([7.0, 3.0, 3.0, 0.0]),
    )


@loader(THEORY_AND_PRACTICE, "Example 1", "Example 1 and Table 8.1")
def and_function() -> Dataset:
    """Load the AND of two variables.

    Returns
    -------
    Dataset
        Answer: ``solution`` (−1.5, 1, 1).

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.and_function().solution
    array([-1.5,  1. ,  1. ])
    """
    return labeled(_vertices(2), [0, 0, 0, 1], "AND of two variables", **separated(-1.5, 1, 1))


@loader(THEORY_AND_PRACTICE, "Example 11", "Examples 11 and 17")
def xor() -> Dataset:
    """Load the exclusive OR of two variables, the simplest problem without a linear solution.

    Returns
    -------
    Dataset
        Answers: the proof; ``lifted_solution`` for the features (x₁, x₂, x₁x₂); and the network of Example 17, two
        sigmoid units and one upon them, as ``network`` (matrices in × out, no biases) with its ``network_outputs``.

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.xor()
    >>> dataset.y, dataset.separable, dataset.point
    (array([0, 1, 1, 0]), False, array([0.5, 0.5]))
    """
    return labeled(
        _vertices(2),
        [0, 1, 1, 0],
        "Exclusive OR of two variables",
        **overlap_proof([0, 1, 2, 3], [0.5] * 4, [0.5, 0.5]),
        lifted_solution=np.array([-0.5, 1.0, 1.0, -2.0]),
        network=(np.array([[1.0, 8.0], [1.0, 8.0]]), np.array([[-30.0], [25.0]])),
        network_outputs=np.array([0.07586, 0.9552, 0.9552, 0.19405]),
    )


@loader(PATTERN_CLASSIFICATION, "Problem 10", "Problems 9 and 10")
def parity(d: int = 3) -> Dataset:
    """Load the d-bit parity problem: ω₁ where the number of ones is odd.

    Parameters
    ----------
    d : int, default=3
        The number of bits, at most 20.

    Returns
    -------
    Dataset
        Answers: ``pieces``, the d + 1 augmented vectors (−s², 2s, …, 2s) of a piecewise linear machine that solves
        it, s = 0, …, d, and ``piece_classes``, the class of each; the proof for d > 1.

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.parity(3)
    >>> g = dataset.pieces[:, 0] + dataset.X @ dataset.pieces[:, 1:].T
    >>> bool((dataset.piece_classes[g.argmax(axis=1)] == dataset.y).all())
    True
    """
    X = _vertices(d, "d")
    s = np.arange(d + 1)
    # The last two bits, the others zero, are an XOR.
    center = [0.0] * (d - 2) + [0.5, 0.5]
    answers = separated(-1, 2) if d == 1 else overlap_proof([0, 1, 2, 3], [0.5] * 4, center)
    return labeled(
        X,
        X.sum(axis=1).astype(np.int64) % 2,
        f"{d}-bit parity",
        **answers,
        pieces=np.column_stack([-(s**2), *[2 * s] * d]).astype(np.float64),
        piece_classes=s % 2,
    )


@loader(
    THEORY_AND_PRACTICE,
    "§8.2",
    f"Table 8.1; {PATTERN_CLASSIFICATION},\n§5.7 (integer data make the fixed-increment rule a finite-state process)",
)
def boolean(function: str | Sequence[int] | Callable[..., Any] = "majority", n: int = 3) -> Dataset:
    """Load any Boolean function of n variables.

    Parameters
    ----------
    function : str, sequence or callable, default="majority"
        "or", "and", "nor", "nand", "xor" (odd parity), "xnor", "majority" (more ones than zeros); or the 2ⁿ
        values of a truth table from 0…0 to 1…1, the last variable changing fastest; or a function of n bits.
    n : int, default=3
        The number of variables, at most 20.

    Returns
    -------
    Dataset
        Answers: ``separable``, and ``solution`` in whole numbers if it is. A function without a name is tested up
        to n = 8 by running the perceptron in integers until it ends or repeats itself, which it must.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.boolean("majority", 3).solution
    array([-3.,  2.,  2.,  2.])
    >>> datasets.boolean([0, 1, 1, 0], 2).separable
    False
    >>> datasets.boolean(lambda p, q: p and not q, 2).y
    array([0, 0, 1, 0])
    """
    X = _vertices(n)
    if isinstance(function, str):
        label, (y, answers) = function, _named(function, X)
    else:
        label, y = getattr(function, "__name__", "truth table"), _values(function, X)
        answers = _decide(X, y) if n <= MOST_DECIDED else {}
    return labeled(X, y, f"{label} of {n} variables", **answers)


def _vertices(n: int, name: str = "n") -> NDArray[np.float64]:
    if not isinstance(n, int | np.integer) or not 1 <= n <= MOST_VARIABLES:
        raise refused(name, n, f"a whole number from 1 to {MOST_VARIABLES}", "give the number of variables")
    return (np.arange(2**n)[:, None] >> np.arange(n)[::-1] & 1).astype(np.float64)


def _named(name: str, X: NDArray[np.float64]) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """Give the values of a function that depends on the number of ones alone, and its answers."""
    n = X.shape[1]
    ones = X.sum(axis=1).astype(np.int64)
    if name in ("xor", "xnor"):
        y = (ones + (name == "xnor")) % 2
        return y, _decide(X, y) if n == 1 else {"separable": False, "verdict": "overlap"}
    least = {"or": 1, "nor": 1, "and": n, "nand": n, "majority": n // 2 + 1}  # ones that are needed
    if name not in least:
        raise refused("function", name, f"one of {', '.join(least)}, xor, xnor", "choose one, or give a truth table")
    sign = -1 if name.startswith("n") else 1
    y = (sign * (2 * ones - 2 * least[name] + 1) > 0).astype(np.int64)
    return y, separated(*(sign * np.array([1 - 2 * least[name], *[2] * n])))


def _values(function: Any, X: NDArray[np.float64]) -> NDArray[np.int64]:
    if callable(function):
        function = [bool(function(*row)) for row in X.astype(np.int64).tolist()]
    values = np.asarray(function)
    if values.shape != (len(X),) or not np.isin(values, (0, 1)).all():
        raise refused("function", function, f"{len(X)} values of 0 and 1", "or give a function of the bits, or a name")
    return values.astype(np.int64)


def _decide(X: NDArray[np.float64], y: NDArray[np.int64]) -> dict[str, Any]:
    """Run the perceptron in integers: a clean pass separates, a repeated start of a pass proves that nothing does."""
    Y = np.where(y[:, None] == 1, 1, -1) * np.column_stack([np.ones(len(X)), X]).astype(np.int64)
    a, seen, errors = np.zeros(Y.shape[1], dtype=np.int64), set(), True
    while errors and a.tobytes() not in seen:
        seen.add(a.tobytes())
        errors = False
        for row in Y:
            if a @ row <= 0:
                a, errors = a + row, True
    return {"separable": False} if errors else separated(*a)
