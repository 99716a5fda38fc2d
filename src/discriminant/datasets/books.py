"""The data of *Pattern Classification*, chapter 5: its table, its examples, its problems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._guards.parameters import refused
from .._guards.validation import all_finite
from ._dataset import PATTERN_CLASSIFICATION, Dataset, loader, overlap_proof, separated, two_categories, unnamed

__all__ = [
    "table",
    "pseudoinverse_example",
    "xor_signed",
    "hessian_example",
    "inseparable_six",
    "margin_six",
    "symmetric_six",
]

# Columns: x₁ and x₂ of ω₁, of ω₂, of ω₃, of ω₄.
_TABLE = """
 0.1  1.1   7.1  4.2  -3.0 -2.9  -2.0 -8.4
 6.8  7.1  -1.4 -4.3   0.5  8.7  -8.9  0.2
-3.5 -4.1   4.5  0.0   2.9  2.1  -4.2 -7.7
 2.0  2.7   6.3  1.6  -0.1  5.2  -8.5 -3.2
 4.1  2.8   4.2  1.9  -4.0  2.2  -6.7 -4.0
 3.1  5.0   1.4 -3.2  -1.3  3.7  -0.5 -9.2
-0.8 -1.3   2.4 -4.0  -3.4  6.2  -5.3 -6.7
 0.9  1.2   2.5 -6.1  -4.1  3.4  -8.7 -6.4
 5.0  6.4   8.4  3.7  -5.1  1.6  -7.1 -9.7
 3.9  4.0   4.1 -2.2   1.9  5.1  -8.0 -6.3
"""

# The batch perceptron from a = 0 with η = 1, first category against second: where it ends, and after how many steps.
_BATCH = {
    (1, 2): ((34.0, -30.4, 34.1), 23),
    (1, 4): ((43.0, 5.4, 4.5), 34),
    (2, 3): ((-19.0, 41.4, -48.6), 16),
    (2, 4): ((49.0, 13.8, 4.8), 87),
    (3, 4): ((31.0, 5.1, 5.2), 39),
}


@loader(PATTERN_CLASSIFICATION, "Computer exercises")
def table(*categories: int) -> Dataset:
    """Load the table of the computer exercises, ten points in each of four categories.

    Parameters
    ----------
    *categories : int
        Two of 1, 2, 3, 4: the first becomes ω₁, coded 1, the second is coded 0. Three or four keep their numbers
        as labels. None means all four.

    Returns
    -------
    Dataset
        Answers for two categories: ``separable``, ``verdict``, ``fewest_errors``, ``min_perceptron_criterion`` (the
        least J_p′ for b = 1), and where they can be separated ``solution`` and ``corrections`` of the batch
        perceptron from a = 0 with η = 1. For more: ``separable`` and ``verdict`` by a linear machine, ``total`` (each
        category against the rest) and ``pairwise``.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.table(1, 2).separable, datasets.table(1, 2).corrections, datasets.table(1, 2).solution
    (True, 23, array([ 34. , -30.4,  34.1]))
    >>> datasets.table(1, 3).separable, datasets.table(1, 3).fewest_errors
    (False, 1)
    >>> datasets.table(1, 2, 4).verdict, datasets.table(1, 2, 4).total
    ('complete', 'overlap')
    """
    chosen = categories or (1, 2, 3, 4)
    if len(chosen) < 2 or len(set(chosen)) < len(chosen) or not set(chosen) <= {1, 2, 3, 4}:
        raise refused("categories", categories, "two or more different ones of 1, 2, 3, 4", "give none for all")
    points = np.array(_TABLE.split(), dtype=np.float64).reshape(10, 4, 2)
    X = np.concatenate([points[:, category - 1] for category in chosen])
    codes = (1, 0) if len(chosen) == 2 else chosen
    y = np.repeat(codes, 10)
    targets = [f"ω{category}" for _, category in sorted(zip(codes, chosen, strict=True))]
    answers = _pair_answers(*chosen) if len(chosen) == 2 else _machine_answers(set(chosen))
    description = f"Categories {', '.join(map(str, chosen))} of the table, ten points each"
    return unnamed(X, y, description, targets, **answers)


def _pair_answers(first: int, second: int) -> dict[str, Any]:
    pair, sign = ((first, second), 1.0) if first < second else ((second, first), -1.0)
    if pair == (1, 3):
        # The first point of ω₁ lies in the triangle of the first three points of ω₃.
        triangle = [116 / 283, 45 / 283, 122 / 283]
        proof = ([0, 10, 11, 12], [1, *triangle]) if sign > 0 else ([10, 0, 1, 2], [1, *triangle])
        proved = overlap_proof(*proof, point=[0.1, 1.1])
        return {**proved, "fewest_errors": 1, "min_perceptron_criterion": 6.116678596993556}
    solution, corrections = _BATCH[pair]
    answers = {**separated(*(sign * np.array(solution))), "corrections": corrections}
    if pair == (2, 4):
        answers["ho_kashyap_steps"] = 6  # a(6) separates, from b = 1 with η = 1/2
    return {**answers, "fewest_errors": 0, "min_perceptron_criterion": 0.0}


def _machine_answers(chosen: set[int]) -> dict[str, Any]:
    # ω₁ and ω₃ overlap, and with them any machine for both; the other categories are still told from these.
    blocked = {1, 3} <= chosen
    return {
        "separable": not blocked,
        "verdict": "quasi" if blocked else "complete",
        "total": "overlap",
        "pairwise": "overlap" if blocked else "complete",
    }


@loader(PATTERN_CLASSIFICATION, "Example 1")
def pseudoinverse_example() -> Dataset:
    """Load the four points that are separated by a = Y†b.

    Returns
    -------
    Dataset
        Answers: ``pseudoinverse`` Y†, ``mse`` and ``solution`` (11/3, −4/3, −2/3).

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.pseudoinverse_example().mse * 3
    array([11., -4., -2.])
    """
    a = np.array([11, -4, -2]) / 3
    inverse = np.array([[15, 13, 9, 7], [-6, -2, -6, -2], [0, -4, 0, -4]]) / 12
    return two_categories(
        [(1, 2), (2, 0)],
        [(3, 1), (2, 3)],
        "Four points whose least-squares discriminant separates",
        **separated(*a),
        mse=a,
        pseudoinverse=inverse,
    )


@loader(PATTERN_CLASSIFICATION, "Example 2")
def xor_signed() -> Dataset:
    """Load the exclusive OR with features ±1, in the book's order k = 1, 2, 3, 4.

    Returns
    -------
    Dataset
        Points (1, 1) and (−1, −1) are ω₁. Answers with the kernel (1 + xᵗz)²: ``alpha`` 1/8 each, ``margin`` √2, and
        ``discriminant``, the function x₁x₂.

    Examples
    --------
    >>> from discriminant import datasets
    >>> X, y = datasets.xor_signed()
    >>> X[:, 0] * X[:, 1], y
    (array([ 1., -1.,  1., -1.]), array([1, 0, 1, 0]))
    """
    return unnamed(
        np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]]),
        np.array([1, 0, 1, 0]),
        "Exclusive OR in features of ±1, solved by a quadratic kernel",
        **overlap_proof([0, 1, 2, 3], [0.5] * 4, [0, 0]),
        alpha=np.full(4, 1 / 8),
        margin=2**0.5,
        discriminant=_product,
    )


def _product(X: Any) -> Any:
    X = np.asarray(X)
    return X[..., 0] * X[..., 1]


@loader(PATTERN_CLASSIFICATION, "Problem 13")
def hessian_example() -> Dataset:
    """Load the six points of the problem on the Hessian of the squared error.

    Returns
    -------
    Dataset
        Answers: ``hessian`` of J_s, ``optimal_rate`` of Eq. 14 at a = 0 with b = 1.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.hessian_example().hessian
    array([[ 12.,  -2.,  12.],
           [ -2.,  70.,  72.],
           [ 12.,  72., 288.]])
    """
    return two_categories(
        [(1, 5), (2, 9), (-5, -3)],
        [(2, -3), (-1, -4), (0, 2)],
        "Six points for the Hessian and the optimal step of the squared error",
        **separated(-17, -8, 6),
        hessian=np.array([[12.0, -2.0, 12.0], [-2.0, 70.0, 72.0], [12.0, 72.0, 288.0]]),
        optimal_rate=265 / 67446,
    )


@loader(PATTERN_CLASSIFICATION, "Problem 25")
def inseparable_six() -> Dataset:
    """Load the six points whose inseparability the Ho-Kashyap rule exposes.

    Returns
    -------
    Dataset
        Answers: the proof, ``fewest_errors``, ``min_perceptron_criterion`` 30/7, and ``optimal_rate`` of Eq. 95 from
        a = 0 and b = 1.

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.inseparable_six()
    >>> dataset.separable, dataset.X[dataset.support]
    (False, array([[ 1.,  2.],
           [ 2., -4.],
           [ 2.,  4.],
           [-1., -5.]]))
    """
    return two_categories(
        [(1, 2), (2, -4), (-3, -1)],
        [(2, 4), (-1, -5), (5, 0)],
        "Six points that no line separates",
        **overlap_proof([0, 1, 3, 4], [8 / 9, 1 / 9, 19 / 27, 8 / 27], [10 / 9, 4 / 3]),
        fewest_errors=1,
        min_perceptron_criterion=30 / 7,
        optimal_rate=5 / 259,
    )


@loader(PATTERN_CLASSIFICATION, "Problem 29")
def margin_six() -> Dataset:
    """Load the six points of the problem on the maximum margin.

    Returns
    -------
    Dataset
        Answers: ``solution`` (−3, 2, 2), the canonical maximum-margin plane, ``margin`` √2/4, ``dual_value`` 4; the
        multipliers are not unique: ``alpha + t * alpha_direction`` for 0 ≤ t ≤ 2.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.margin_six().solution
    array([-3.,  2.,  2.])
    """
    return two_categories(
        [(1, 1), (2, 2), (2, 0)],
        [(0, 0), (1, 0), (0, 1)],
        "Six points with a maximum-margin plane that can be drawn by eye",
        **separated(-3, 2, 2),
        margin=2**0.5 / 4,
        alpha=np.array([2.0, 0.0, 2.0, 0.0, 4.0, 0.0]),
        alpha_direction=np.array([1.0, 0.0, -1.0, 0.0, -1.0, 1.0]),
        dual_value=4.0,
    )


@loader(PATTERN_CLASSIFICATION, "Problem 32")
def symmetric_six(third: Sequence[float] = (-0.25, -1.5)) -> Dataset:
    """Load a set that is its own mirror image: ω₂ is −ω₁, and least squares may fail to separate.

    Parameters
    ----------
    third : sequence of float, default=(-0.25, -1.5)
        The third point of ω₁, beside (1, 2) and (2, −4). With the default a line separates, and the LMS
        solution does not.

    Returns
    -------
    Dataset
        Answers: ``coefficients`` (c₁, c₂) of the third point in terms of the other two, ``separable``,
        ``mse_separates`` by the conditions on c₁ and c₂, and ``solution`` where there is one.

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.symmetric_six()
    >>> dataset.separable, dataset.mse_separates
    (True, False)
    """
    point = np.asarray(third, dtype=np.float64)
    if point.shape != (2,) or not all_finite(point):
        raise refused("third", third, "a point of the plane", "give two finite numbers")
    base = np.array([[1.0, 2.0], [2.0, -4.0]])
    c1, c2 = np.linalg.solve(base.T, point).tolist()
    fails = min(c1 + c2 + c1 * c1 + c2 * c2, 1 + c1 + c2 * c2 - c1 * c2, 1 + c2 + c1 * c1 - c1 * c2) <= 0
    answers: dict[str, Any] = {"separable": False}
    if max(c1, c2) > 0:
        # aᵗy₁ = s and aᵗy₂ = t, both positive and such that aᵗy₃ = c₁s + c₂t is too
        s = (1 - c2) / c1 if c1 > 0 > c2 else 1.0
        t = (1 - c1) / c2 if c2 > 0 > c1 else 1.0
        answers = separated(0.0, *np.linalg.solve(base, [s, t]))
    omega1 = np.vstack([base, point])
    return two_categories(
        omega1,
        -omega1,
        "Three points and their mirror images, for the failure of least squares",
        **answers,
        coefficients=np.array([c1, c2]),
        mse_separates=not fails,
    )
