"""The worked examples of the lecture slides and of *Machine Learning: Theory and Practice*, chapter 8."""

from __future__ import annotations

import numpy as np

from ._dataset import SLIDES, THEORY_AND_PRACTICE, Dataset, labeled, loader, overlap_proof, separated, two_categories

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


@loader(SLIDES, "example of perceptron and MSE", '"Perceptron learning" and MSE example')
def slides_eight() -> Dataset:
    """Load the eight points that the perceptron separates and least squares does not.

    The slides start from a = (0.1, 0.1, 0.1) with η = 0.1 and report 175 iterations, which is how rounding
    decides ties in binary tenths; ten times both is the same run in exact arithmetic.

    Returns
    -------
    Dataset
        Answers: from ``start`` (1, 1, 1) with η = 1 in cyclic order ``solution`` (−37, 4, 6) after 180
        ``corrections`` and 56 ``passes``; ``mse`` and its one error ``mse_errors``.

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.slides_eight()
    >>> dataset.solution, dataset.corrections
    (array([-37.,   4.,   6.]), 180)
    """
    return two_categories(
        [(1, 6), (7, 2), (8, 9), (9, 9)],
        [(2, 1), (2, 2), (2, 4), (7, 1)],
        "Eight points that the perceptron separates and least squares does not",
        **separated(-37, 4, 6),
        start=np.ones(3),
        corrections=180,
        passes=56,
        mse=np.array([-5871, 369, 969]) / 4946,
        mse_errors=1,
    )


@loader(SLIDES, "example of a nonseparable perceptron", '"Perceptron, nonseparable scenario"')
def slides_five() -> Dataset:
    """Load the five points on which the perceptron runs for ever.

    Returns
    -------
    Dataset
        Answers: the proof, and from ``start`` (1, 1, 1) with η = 1 in cyclic order the first weights ``path``
        and ``cycle_state``, the first weights to be met again at the start of a pass.

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.slides_five()
    >>> dataset.separable, dataset.cycle_state
    (False, array([ 26.,  15., -17.]))
    """
    return two_categories(
        [(2, 1), (4, 3), (3, 5)],
        [(1, 3), (5, 6)],
        "Five points on which the perceptron runs for ever",
        **overlap_proof([0, 1, 2, 3, 4], [1 / 12, 1 / 12, 5 / 6, 1 / 2, 1 / 2], [3, 4.5]),
        start=np.ones(3),
        path=np.array([[1.0, 1.0, 1.0], [0.0, 0.0, -2.0], [1.0, 2.0, -1.0], [0.0, 1.0, -4.0]]),
        cycle_state=np.array([26.0, 15.0, -17.0]),
        fewest_errors=1,
    )


@loader(THEORY_AND_PRACTICE, "Example 2")
def half_space_example() -> Dataset:
    """Load the two points on either side of −x₁ + 2x₂ + 1 = 0.

    Returns
    -------
    Dataset
        Answers: ``solution`` (1, −1, 2) and its ``values`` 2 and −1.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.half_space_example().values
    array([ 2., -1.])
    """
    return labeled(
        [(1, 1), (4, 1)],
        [1, 0],
        "A point on either side of a given line",
        **separated(1, -1, 2),
        values=np.array([2.0, -1.0]),
    )


@loader(THEORY_AND_PRACTICE, "Example 4")
def collinear_three() -> Dataset:
    """Load the three points on a line that (−6, 1, 1) separates, and so does (−12, 2, 3).

    Returns
    -------
    Dataset
        Answers: ``solution`` and ``other_solution``.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.collinear_three().solution
    array([-6.,  1.,  1.])
    """
    return labeled(
        [(1, 1), (2, 2), (4, 4)],
        [0, 0, 1],
        "Three points on a line, and two vectors that separate them",
        **separated(-6, 1, 1),
        other_solution=np.array([-12.0, 2.0, 3.0]),
    )


@loader(THEORY_AND_PRACTICE, "Example 5")
def perceptron_example() -> Dataset:
    """Load the three points that the perceptron learns in two corrections.

    Returns
    -------
    Dataset
        Answers: from a = 0 with η = 1 the ``path`` of the weights to ``solution`` (0, 5, 3).

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.perceptron_example().path
    array([[ 0.,  0.,  0.],
           [-1.,  1., -1.],
           [ 0.,  5.,  3.]])
    """
    return labeled(
        [(-1, 1), (-2, -2), (4, 4)],
        [0, 0, 1],
        "Three points that the perceptron learns in two corrections",
        **separated(0, 5, 3),
        corrections=2,
        path=np.array([[0.0, 0.0, 0.0], [-1.0, 1.0, -1.0], [0.0, 5.0, 3.0]]),
    )


@loader(THEORY_AND_PRACTICE, "Example 10")
def svm_three() -> Dataset:
    """Load the three points with a maximum-margin plane in fifths.

    Returns
    -------
    Dataset
        Answers: ``solution`` (−2, 2/5, 1/5), the canonical plane, ``alpha`` (1/10, 0, 1/10), ``margin`` √5. The
        second point lies on its support plane and is no support vector.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.svm_three().alpha
    array([0.1, 0. , 0.1])
    """
    return labeled(
        [(2, 1), (1, 3), (6, 3)],
        [0, 0, 1],
        "Three points, two of them support vectors",
        **separated(-2, 2 / 5, 1 / 5),
        alpha=np.array([0.1, 0.0, 0.1]),
        margin=5**0.5,
    )


@loader(THEORY_AND_PRACTICE, "Example 12")
def regression_example() -> Dataset:
    """Load the three points of linear regression, y = x₁ + 2x₂.

    Returns
    -------
    Dataset
        Targets in place of labels. Answer: ``solution`` (0, 1, 2), which fits exactly.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.regression_example().solution
    array([0., 1., 2.])
    """
    X, y = [[1.0, 1.0], [1.0, 2.0], [2.0, 2.0]], [3.0, 5.0, 6.0]
    return labeled(X, y, "Three points on the plane y = x1 + 2 x2", (), solution=np.array([0.0, 1.0, 2.0]))


@loader(THEORY_AND_PRACTICE, "Example 14")
def logistic_four() -> Dataset:
    """Load the four points of logistic regression by squared error.

    Returns
    -------
    Dataset
        Answers for gradient descent on E/2 from a = 0 with ``eta`` 0.01: ``first_step``, ``ninth_step`` (the book
        prints another one, which is off), and ``first_separated``, the step at which all four are right.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.logistic_four().first_step
    array([0.    , 0.0125, 0.0125])
    """
    return labeled(
        [(1, 2), (2, 1), (6, 7), (7, 6)],
        [0, 0, 1, 1],
        "Four points for logistic regression by squared error",
        **separated(-8, 1, 1),
        eta=0.01,
        first_step=np.array([0.0, 0.0125, 0.0125]),
        ninth_step=np.array([-0.00753501, 0.06926961, 0.06926961]),
        first_separated=220,
    )


@loader(THEORY_AND_PRACTICE, "Example 16")
def gradient_example() -> Dataset:
    """Load the one pattern on which a gradient is worked out, E = (wᵗx − 1)².

    Returns
    -------
    Dataset
        Answers: at ``weights`` (0.5, 0), without a bias, the ``gradient`` (−1, −2).

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.gradient_example().gradient
    array([-1., -2.])
    """
    w, gradient = np.array([0.5, 0.0]), np.array([-1.0, -2.0])
    description = "One pattern and the gradient of its squared error"
    return labeled([[1.0, 2.0]], [1.0], description, (), weights=w, gradient=gradient)
