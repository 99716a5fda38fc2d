"""Data and shorthands of the tests of descent."""

import warnings

import numpy as np

from discriminant import NotConvergedWarning, criteria, datasets

SMOOTH = [name for name in criteria.names() if criteria.get(name).has_hessian]
DESCENDABLE = [name for name in criteria.names() if criteria.get(name).has_gradient]


def table(*categories):
    X, y = datasets.table(*categories)
    return np.asarray(X, float), np.asarray(y)


def normalized(X, y):
    return np.where(np.asarray(y) == np.max(y), 1.0, -1.0)[:, None] * np.column_stack([np.ones(len(X)), X])


def quietly(model, *data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        return model.fit(*data)


def lstsq(X, y, b=1.0):
    Y = normalized(X, y)
    return np.linalg.lstsq(Y, np.broadcast_to(b, len(Y)), rcond=None)[0]


def clouds(apart, offset, n=40, d=3):
    """Two clouds of points, far from the origin or not, and the same points about their mean."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(n, d)), np.arange(n) % 2
    X[:, 0] += apart * (2 * y - 1)
    X -= X.mean(axis=0)
    return X + offset * np.array([1.0, -1.0, 0.0]), y, X
