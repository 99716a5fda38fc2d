"""Exercises like those of the books with other numbers, for a class: each seed is another one, with its solution.

All of it is in whole numbers and fractions, so that an exercise can be done by hand and its solution is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import gcd, isqrt
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._guards.parameters import Number, unknown
from ._dataset import PATTERN_CLASSIFICATION, Dataset, loader, overlap_proof, separated, two_categories

__all__ = ["exercise"]

IntArray = NDArray[np.int64]
SEED = Number("give a whole number, such as that of a student", 0, closed=True, whole=True)
REACH = 5  # coordinates are at most this, for the sake of who calculates by hand
CORRECTIONS = range(4, 10)  # enough to learn from, few enough to write down
DENOMINATOR = 60  # the largest one of a least-squares answer
WIDTH = 100  # of the lines of a text


@loader(PATTERN_CLASSIFICATION, "§5.5.1, Problems 13, 25 and 29, Example 1 (generated)")
def exercise(kind: str = "perceptron", seed: int = 0) -> Dataset:
    """Make an exercise to be solved by hand, with its solution.

    Parameters
    ----------
    kind : str, default="perceptron"
        What is asked for: the corrections of a ``"perceptron"``; whether a line separates six points, with a proof
        (``"separability"``); the plane of the largest ``"margin"``; the ``"least_squares"`` weights; Hessian and best
        first step of a ``"descent"``.
    seed : int, default=0
        Which one, 0 or more: the same number gives the same exercise, another one another.

    Returns
    -------
    Dataset
        Answers: ``question`` and ``worked``, the text of the exercise and of its solution, and what is known of the
        points, such as ``solution``, ``corrections``, ``path``, ``margin``, ``hessian`` or ``optimal_rate``.

    Examples
    --------
    >>> from discriminant import datasets
    >>> task = datasets.exercise("margin", seed=4711)
    >>> print(task.question)
    ω₁: (-1, 2), (-1, -5), (3, 4)
    ω₂: (-2, 3), (-4, 1), (-5, 2)
    Find the plane with the largest margin, its margin, and the points that lie on the margin lines.
    >>> print(task.worked)
    (-1, 2) and (-2, 3) face each other, so that no margin exceeds half their distance.
    The plane midway keeps it: w = (1, -1), w₀ = 4, with g = ±1 at (-1, 2), (-2, 3), (-4, 1).
    The margin is 1/‖w‖ = √(1/2) = 0.7071.
    """
    if not isinstance(kind, str) or kind not in _KINDS:
        raise unknown("kind", kind, f"one of {', '.join(_KINDS)}", _KINDS)
    return _KINDS[kind](np.random.default_rng(SEED("seed", seed)))


def _perceptron(rng: np.random.Generator) -> Dataset:
    while True:
        first, second = _separable(rng, 2, 3)
        path, wrong = _corrections(_patterns(first, second))
        if len(wrong) in CORRECTIONS:
            break
    lines = [f"{k}: aᵗy = {side}, a = {_vector(a)}" for k, (side, a) in enumerate(zip(wrong, path[1:], strict=True), 1)]
    return _posed(
        first,
        second,
        "Put 1 before each point, and change the signs for ω₂. From a = (0, 0, 0), visit these patterns y in turn, "
        "those of ω₁ first, and add each one with aᵗy ≤ 0 to a, until a whole pass is clean. Which a is left?",
        [*lines, f"{len(wrong)} corrections; {_vector(path[-1])} separates the points."],
        **separated(*path[-1]),
        corrections=len(wrong),
        path=np.array(path, dtype=np.float64),
    )


def _separability(rng: np.random.Generator) -> Dataset:
    question = "Does a line separate ω₁ from ω₂? Prove your answer: give the line, or a point in both triangles."
    if rng.integers(2):
        first, second = _separable(rng, 3, 3)
        path, _ = _corrections(_patterns(first, second))
        a = path[-1] // gcd(*map(int, path[-1]))
        sides = f"{_vector(_augmented(first) @ a)} on ω₁ and {_vector(_augmented(second) @ a)} on ω₂"
        worked = f"Yes: with a = {_vector(a)} the values of a₀ + a₁x₁ + a₂x₂ are {sides}."
        return _posed(first, second, question, [worked], **separated(*a))
    while True:
        center, u, v = rng.integers(-2, 3, (3, 2))
        first = np.array([center + u, center - 2 * u, rng.integers(-REACH, REACH + 1, 2)])
        second = np.array([center + v, center - v, rng.integers(-REACH, REACH + 1, 2)])
        if u[0] * v[1] != u[1] * v[0] and _distinct(first, second) and np.abs(first).max() <= REACH:
            break
    worked = (
        f"No: {_vector(center)} is 2/3 of the way from {_vector(first[1])} to {_vector(first[0])}, and midway between "
        f"{_vector(second[0])} and {_vector(second[1])}. A line between the classes would have it on both of its sides."
    )
    proof = overlap_proof([0, 1, 3, 4], [2 / 3, 1 / 3, 1 / 2, 1 / 2], center)
    return _posed(first, second, question, [worked], **proof)


def _margin(rng: np.random.Generator) -> Dataset:
    while True:
        near, normal = rng.integers(-2, 3, (2, 2))
        faced = near - rng.integers(1, 3) * normal  # the nearest points face each other across the plane
        others = rng.integers(-REACH, REACH + 1, (4, 2))
        first, second = np.vstack([near, others[:2]]), np.vstack([faced, others[2:]])
        above, below = first @ normal, second @ normal
        beyond = above.min() == above[0] > below[0] == below.max()
        if normal.all() and gcd(*map(int, normal)) == 1 and beyond and _distinct(first, second):
            break
    width = int(above[0] - below[0])
    w, w0 = [Fraction(2 * int(x), width) for x in normal], Fraction(-int(above[0] + below[0]), width)
    squared = Fraction(width**2, 4 * int(normal @ normal))
    rows = np.flatnonzero(np.r_[above == above[0], below == below[0]])
    nearest = ", ".join(_vector(x) for x in np.vstack([first, second])[rows])
    return _posed(
        first,
        second,
        "Find the plane with the largest margin, its margin, and the points that lie on the margin lines.",
        [
            f"{_vector(near)} and {_vector(faced)} face each other, so that no margin exceeds half their distance.",
            f"The plane midway keeps it: w = {_vector(w)}, w₀ = {w0}, with g = ±1 at {nearest}.",
            f"The margin is 1/‖w‖ = {_root(squared)}.",
        ],
        **separated(float(w0), *map(float, w)),
        margin=float(squared) ** 0.5,
        facing=np.array([0, 3]),
    )


def _least_squares(rng: np.random.Generator) -> Dataset:
    while True:
        first, second = rng.integers(-3, 4, (2, 2, 2))
        Y = _patterns(first, second)
        a = _solved(Y.T @ Y, Y.sum(axis=0))
        if a is not None and any(a) and max(x.denominator for x in a) <= DENOMINATOR and _distinct(first, second):
            break
    values = [sum(int(y) * x for y, x in zip(row, a, strict=True)) for row in Y]
    sides = "It separates the points." if min(values) > 0 else "It does not separate the points."
    return _posed(
        first,
        second,
        "Find the weights a = Y†b of least squares for b = (1, 1, 1, 1). Do they separate the points?",
        [f"YᵗY a = Yᵗb has the solution a = {_vector(a)}.", f"Ya = {_vector(values)}. {sides}"],
        mse=np.array(a, dtype=np.float64),
        mse_separates=min(values) > 0,
    )


def _descent(rng: np.random.Generator) -> Dataset:
    while True:
        first, second = rng.integers(-REACH, REACH + 1, (2, 3, 2))
        Y = _patterns(first, second)
        gradient = -2 * Y.sum(axis=0)
        if gradient.any() and _distinct(first, second):
            break
    hessian = 2 * Y.T @ Y
    rate = Fraction(int(gradient @ gradient), int(gradient @ hessian @ gradient))
    return _posed(
        first,
        second,
        "Find the Hessian of J_s(a) = ‖Ya − b‖² for b = 1, and the best step of gradient descent from a = 0.",
        [
            f"H = 2YᵗY = {hessian.tolist()}.",
            f"At a = 0 the gradient −2Yᵗb is {_vector(gradient)}, and η = ‖∇J‖²/(∇JᵗH∇J) = {rate} = {float(rate):.6f}.",
        ],
        hessian=hessian.astype(np.float64),
        optimal_rate=float(rate),
    )


_KINDS: dict[str, Callable[[np.random.Generator], Dataset]] = {
    "perceptron": _perceptron,
    "separability": _separability,
    "margin": _margin,
    "least_squares": _least_squares,
    "descent": _descent,
}


def _posed(first: IntArray, second: IntArray, question: str, worked: Iterable[str], **answers: Any) -> Dataset:
    """The data set with its question, which names the points first, and its solution."""
    points = [f"{name}: {', '.join(_vector(x) for x in rows)}" for name, rows in (("ω₁", first), ("ω₂", second))]
    texts = {
        "question": "\n".join([*points, fill(question, WIDTH)]),
        "worked": "\n".join(fill(t, WIDTH) for t in worked),
    }
    return two_categories(first, second, question, **texts, **answers)


def _separable(rng: np.random.Generator, n1: int, n2: int) -> tuple[IntArray, IntArray]:
    """Points on both sides of a random line, none of them on it."""
    while True:
        a = rng.integers(-3, 4, 3)
        points = rng.integers(-REACH, REACH + 1, (4 * (n1 + n2), 2))
        sides = _augmented(points) @ a
        first, second = points[sides > 0][:n1], points[sides < 0][:n2]
        if len(first) == n1 and len(second) == n2 and _distinct(first, second):
            return first, second


def _corrections(Y: IntArray) -> tuple[list[IntArray], list[int]]:
    """The fixed-increment rule from 0, in whole numbers: a before each correction and in the end, and each aᵗy ≤ 0."""
    path, wrong, clean = [np.zeros(Y.shape[1], dtype=np.int64)], [], False
    while not clean:
        clean = True
        for y in Y:
            if path[-1] @ y <= 0:
                wrong.append(int(path[-1] @ y))
                path.append(path[-1] + y)
                clean = False
    return path, wrong


def _augmented(points: IntArray) -> IntArray:
    """Put a 1 in front of each."""
    return np.hstack([np.ones((len(points), 1), dtype=np.int64), points])


def _patterns(first: IntArray, second: IntArray) -> IntArray:
    return np.vstack([_augmented(first), -_augmented(second)])


def _distinct(first: IntArray, second: IntArray) -> bool:
    points = np.vstack([first, second])
    return len(np.unique(points, axis=0)) == len(points)


def _solved(matrix: IntArray, right: IntArray) -> list[Fraction] | None:
    """The solution of three equations by Cramer's rule, or None where it is not unique."""

    def determinant(columns: list[IntArray]) -> int:
        p, q, r = ([int(x) for x in column] for column in columns)
        return (
            p[0] * (q[1] * r[2] - q[2] * r[1]) - q[0] * (p[1] * r[2] - p[2] * r[1]) + r[0] * (p[1] * q[2] - p[2] * q[1])
        )

    columns = list(matrix.T)
    whole = determinant(columns)
    replaced = ([right if j == k else column for j, column in enumerate(columns)] for k in range(3))
    return [Fraction(determinant(each), whole) for each in replaced] if whole else None


def _vector(values: Iterable[Any]) -> str:
    return f"({', '.join(str(value) for value in values)})"


def _root(square: Fraction) -> str:
    """The root of a fraction, as one where it is one."""
    exact = Fraction(isqrt(square.numerator), isqrt(square.denominator))
    return str(exact) if exact**2 == square else f"√({square}) = {float(square) ** 0.5:.4f}"
