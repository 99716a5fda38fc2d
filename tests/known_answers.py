"""Exact arithmetic, a linear program and plain runs, by which known answers are found again."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from discriminant import datasets

BOOKS = [
    "pseudoinverse_example",
    "xor_signed",
    "hessian_example",
    "inseparable_six",
    "margin_six",
    "symmetric_six",
    "slides_eight",
    "slides_five",
    "half_space_example",
    "collinear_three",
    "perceptron_example",
    "svm_three",
    "logistic_four",
    "or_function",
    "and_function",
    "xor",
    "parity",
    "boolean",
]

PAIRS = list(itertools.permutations([1, 2, 3, 4], 2))

SMALL = [datasets.load(name) for name in BOOKS] + [datasets.table(*pair) for pair in PAIRS]

each_small = pytest.mark.parametrize("dataset", SMALL, ids=[d.name for d in SMALL])


def patterns(dataset):
    """The patterns y as fractions of the decimals that the book prints, those of class 0 negated."""
    signs = 2 * dataset.y - 1
    return [
        [int(z) * v for v in (1, *(Fraction(str(x)) for x in row))] for row, z in zip(dataset.X, signs, strict=True)
    ]


def dot(a, y):
    return sum(p * q for p, q in zip(a, y, strict=True))


def add(a, y):
    return [p + q for p, q in zip(a, y, strict=True)]


def verdict(Z):
    """Maximize Σu with z_i b ≥ u_i, 0 ≤ u ≤ 1: u is 1 on the separated rows and 0 on the others."""
    Z = sparse.csr_array(Z, dtype=float)
    n, p = Z.shape
    found = linprog(
        np.repeat([0.0, -1.0], [p, n]),
        A_ub=sparse.hstack([-Z, sparse.eye_array(n)]),
        b_ub=np.zeros(n),
        bounds=[(None, None)] * p + [(0, 1)] * n,
    )
    assert found.status == 0
    separated = found.x[p:] > 0.5
    return "complete" if separated.all() else "quasi" if separated.any() else "overlap"


def two_class(X, positive):
    return np.where(positive, 1, -1)[:, None] * np.column_stack([np.ones(len(X)), X])


def kesler(X, y):
    classes, Y = np.unique(y), np.column_stack([np.ones(len(X)), X])
    rows = []
    for label, pattern in zip(y, Y, strict=True):
        for rival in classes[classes != label]:
            rows.append(np.kron((classes == label).astype(int) - (classes == rival), pattern))
    return np.array(rows)


def batch_perceptron(Y):
    a, steps = [0] * len(Y[0]), 0
    while wrong := [y for y in Y if dot(a, y) <= 0]:
        a, steps = add(a, [sum(column) for column in zip(*wrong, strict=True)]), steps + 1
    return a, steps


def fixed_increment(Y, a):
    """Algorithm 4: (the weights after each correction, the weights at the start of each pass), ending at a repeat."""
    path, starts = [list(a)], []
    while path[-1] not in starts:
        starts.append(path[-1])
        for y in Y:
            if dot(path[-1], y) <= 0:
                path.append(add(path[-1], y))
    return path, [*starts, path[-1]]
