"""Patterns of whole numbers and a plain perceptron, for the tests of the bounds."""

import itertools

import numpy as np
from hypothesis import strategies as st

OR_X, OR_Y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 1])


def normalized(X, y):
    """The patterns (1, x) as tuples of whole numbers, those of class 0 negated."""
    return [tuple(int(z) * v for v in (1, *map(int, x))) for x, z in zip(X, 2 * np.asarray(y) - 1, strict=True)]


def dot(a, y):
    return sum(p * q for p, q in zip(a, y, strict=True))


def radius_perceptron(X, z, passes=None):
    """Table 2.1 with η = 1: the mistakes of so many passes, or of all until a clean one."""
    w, b, R2, mistakes = np.zeros(X.shape[1]), 0.0, (X**2).sum(axis=1).max(), 0
    for _ in itertools.count() if passes is None else range(passes):
        before = mistakes
        for x, label in zip(X, z, strict=True):
            if label * (w @ x + b) <= 0:
                w, b, mistakes = w + label * x, b + label * R2, mistakes + 1
        if mistakes == before:
            break
    return mistakes


points = st.lists(st.tuples(st.integers(-6, 6), st.integers(-6, 6)), min_size=2, max_size=8, unique=True)
vectors = st.tuples(*[st.integers(-5, 5)] * 3)
