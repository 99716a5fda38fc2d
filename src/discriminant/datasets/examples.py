"""The worked examples of the lecture slides and of *Machine Learning: Theory and Practice*, chapter 8.

References
----------
Beyan, *Linear Discriminant Functions*, lecture slides, 2024/25.
*Machine Learning: Theory and Practice*, ch. 8.
"""

from __future__ import annotations

import numpy as np

from ._dataset import SLIDES, THEORY_AND_PRACTICE, Dataset, labeled, overlap_proof, separated, two_categories

__all__ = [
    "slides_eight",
    "slides_five",
    "half_space_example",
    "collinear_three",
    "perceptron_example",
    "svm_three",
    "regression_example",
    "logistic_four",
    "gradient_example",
]


def slides_eight() -> Dataset:
    """Load the eight points that the perceptron separates and least squares does not.

    The slides start from a = (0.1, 0.1, 0.1) with η = 0.1 and report 175 iterations, which is how rounding
    decides ties in binary tenths; ten times both is the same run in exact arithmetic.

    Returns
    -------
    Dataset
        Answers: from ``start`` (1, 1, 1) with η = 1 in cyclic order ``solution`` (−37, 4, 6) after 180
        ``corrections`` and 56 ``passes``; ``mse`` and its one error ``mse_errors``.

    References
    ----------
    Beyan, *Linear Discriminant Functions*, lecture slides, 2024/25, "Perceptron learning" and MSE example.

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.slides_eight()
    >>> dataset.solution, dataset.corrections
    (array([-37.,   4.,   6.]), 180)
    """
    return two_categories(
        "slides_eight",
        [(1, 6), (7, 2), (8, 9), (9, 9)],
        [(2, 1), (2, 2), (2, 4), (7, 1)],
        f"{SLIDES}, example of perceptron and MSE",
        "Eight points that the perceptron separates and least squares does not",
        **separated(-37, 4, 6),
        start=np.ones(3),
        corrections=180,
        passes=56,
        mse=np.array([-5871, 369, 969]) / 4946,
        mse_errors=1,
    )


def slides_five() -> Dataset:
    """Load the five points on which the perceptron runs for ever.

    Returns
    -------
    Dataset
        Answers: the proof, and from ``start`` (1, 1, 1) with η = 1 in cyclic order the first weights ``path``
        and ``cycle_state``, the first weights to be met again at the start of a pass.

    References
    ----------
    Beyan, *Linear Discriminant Functions*, lecture slides, 2024/25, "Perceptron, nonseparable scenario".

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.slides_five()
    >>> dataset.separable, dataset.cycle_state
    (False, array([ 26.,  15., -17.]))
    """
    return two_categories(
        "slides_five",
        [(2, 1), (4, 3), (3, 5)],
        [(1, 3), (5, 6)],
        f"{SLIDES}, example of a nonseparable perceptron",
        "Five points on which the perceptron runs for ever",
        **overlap_proof([0, 1, 2, 3, 4], [1 / 12, 1 / 12, 5 / 6, 1 / 2, 1 / 2], [3, 4.5]),
        start=np.ones(3),
        path=np.array([[1.0, 1.0, 1.0], [0.0, 0.0, -2.0], [1.0, 2.0, -1.0], [0.0, 1.0, -4.0]]),
        cycle_state=np.array([26.0, 15.0, -17.0]),
        fewest_errors=1,
    )


def half_space_example() -> Dataset:
    """Load the two points on either side of −x₁ + 2x₂ + 1 = 0.

    Returns
    -------
    Dataset
        Answers: ``solution`` (1, −1, 2) and its ``values`` 2 and −1.

    References
    ----------
    *Machine Learning: Theory and Practice*, ch. 8, Example 2.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.half_space_example().values
    array([ 2., -1.])
    """
    return labeled(
        "half_space_example",
        [(1, 1), (4, 1)],
        [1, 0],
        f"{THEORY_AND_PRACTICE}, Example 2",
        "A point on either side of a given line",
        **separated(1, -1, 2),
        values=np.array([2.0, -1.0]),
    )


def collinear_three() -> Dataset:
    """Load the three points on a line that (−6, 1, 1) separates, and so does (−12, 2, 3).

    Returns
    -------
    Dataset
        Answers: ``solution`` and ``other_solution``.

    References
    ----------
    *Machine Learning: Theory and Practice*, ch. 8, Example 4.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.collinear_three().solution
    array([-6.,  1.,  1.])
    """
    return labeled(
        "collinear_three",
        [(1, 1), (2, 2), (4, 4)],
        [0, 0, 1],
        f"{THEORY_AND_PRACTICE}, Example 4",
        "Three points on a line, and two vectors that separate them",
        **separated(-6, 1, 1),
        other_solution=np.array([-12.0, 2.0, 3.0]),
    )


def perceptron_example() -> Dataset:
    """Load the three points that the perceptron learns in two corrections.

    Returns
    -------
    Dataset
        Answers: from a = 0 with η = 1 the ``path`` of the weights to ``solution`` (0, 5, 3).

    References
    ----------
    *Machine Learning: Theory and Practice*, ch. 8, Example 5.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.perceptron_example().path
    array([[ 0.,  0.,  0.],
           [-1.,  1., -1.],
           [ 0.,  5.,  3.]])
    """
    return labeled(
        "perceptron_example",
        [(-1, 1), (-2, -2), (4, 4)],
        [0, 0, 1],
        f"{THEORY_AND_PRACTICE}, Example 5",
        "Three points that the perceptron learns in two corrections",
        **separated(0, 5, 3),
        corrections=2,
        path=np.array([[0.0, 0.0, 0.0], [-1.0, 1.0, -1.0], [0.0, 5.0, 3.0]]),
    )


def svm_three() -> Dataset:
    """Load the three points with a maximum-margin plane in fifths.

    Returns
    -------
    Dataset
        Answers: ``solution`` (−2, 2/5, 1/5), the canonical plane, ``alpha`` (1/10, 0, 1/10), ``margin`` √5. The
        second point lies on its support plane and is no support vector.

    References
    ----------
    *Machine Learning: Theory and Practice*, ch. 8, Example 10.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.svm_three().alpha
    array([0.1, 0. , 0.1])
    """
    return labeled(
        "svm_three",
        [(2, 1), (1, 3), (6, 3)],
        [0, 0, 1],
        f"{THEORY_AND_PRACTICE}, Example 10",
        "Three points, two of them support vectors",
        **separated(-2, 2 / 5, 1 / 5),
        alpha=np.array([0.1, 0.0, 0.1]),
        margin=5**0.5,
    )


def regression_example() -> Dataset:
    """Load the three points of linear regression, y = x₁ + 2x₂.

    Returns
    -------
    Dataset
        Targets in place of labels. Answer: ``solution`` (0, 1, 2), which fits exactly.

    References
    ----------
    *Machine Learning: Theory and Practice*, ch. 8, Example 12.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.regression_example().solution
    array([0., 1., 2.])
    """
    return Dataset(
        np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 2.0]]),
        np.array([3.0, 5.0, 6.0]),
        "regression_example",
        f"{THEORY_AND_PRACTICE}, Example 12",
        "Three points on the plane y = x1 + 2 x2",
        answers={"solution": np.array([0.0, 1.0, 2.0])},
    )


def logistic_four() -> Dataset:
    """Load the four points of logistic regression by squared error.

    Returns
    -------
    Dataset
        Answers for gradient descent on E/2 from a = 0 with ``eta`` 0.01: ``first_step``, ``ninth_step`` (the book
        prints another one, which is off), and ``first_separated``, the step at which all four are right.

    References
    ----------
    *Machine Learning: Theory and Practice*, ch. 8, Example 14.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.logistic_four().first_step
    array([0.    , 0.0125, 0.0125])
    """
    return labeled(
        "logistic_four",
        [(1, 2), (2, 1), (6, 7), (7, 6)],
        [0, 0, 1, 1],
        f"{THEORY_AND_PRACTICE}, Example 14",
        "Four points for logistic regression by squared error",
        **separated(-8, 1, 1),
        eta=0.01,
        first_step=np.array([0.0, 0.0125, 0.0125]),
        ninth_step=np.array([-0.00753501, 0.06926961, 0.06926961]),
        first_separated=220,
    )


def gradient_example() -> Dataset:
    """Load the one pattern on which a gradient is worked out, E = (wᵗx − 1)².

    Returns
    -------
    Dataset
        Answers: at ``weights`` (0.5, 0), without a bias, the ``gradient`` (−1, −2).

    References
    ----------
    *Machine Learning: Theory and Practice*, ch. 8, Example 16.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.gradient_example().gradient
    array([-1., -2.])
    """
    return Dataset(
        np.array([[1.0, 2.0]]),
        np.array([1.0]),
        "gradient_example",
        f"{THEORY_AND_PRACTICE}, Example 16",
        "One pattern and the gradient of its squared error",
        answers={"weights": np.array([0.5, 0.0]), "gradient": np.array([-1.0, -2.0])},
    )
