"""CoCoA⁺ in memory: the gap that is asked for, whatever the blocks; dense as CSR, plain as compiled."""

import numpy as np
import pytest
from scipy import sparse

from discriminant import Status, SupportVectorMachine
from discriminant.distributed.warm import LocalBlocks
from discriminant.svm import cocoa


def fitted(X, y, weight=None, rows=75, **settings):
    model = SupportVectorMachine(**settings)
    blocks = LocalBlocks(X, y, weight, rows=rows)
    model._take_names(blocks)
    model._fit_blocks(blocks)
    return model


def clouds(rng, c=2):
    y = rng.integers(0, c, 300)
    return rng.normal(size=(300, 3)) + 1.2 * rng.normal(size=(c, 3))[y], y


def value(model, X, y):
    """The criterion of a plane."""
    z, a = 2 * y - 1.0, model.weights_
    norm = a[1:] @ a[1:] + (a[0] ** 2 if model.intercept == "augmented" else 0)
    return norm / 2 + model.C * np.maximum(0, 1 - z * (X @ a[1:] + a[0])).sum()


@pytest.mark.parametrize("intercept", ["free", "augmented"])
@pytest.mark.parametrize("rows", [300, 60])
def test_the_criterion_is_within_the_gap_of_the_minimum(rng, intercept, rows):
    X, y = clouds(rng)
    X += 5
    found = fitted(X, y, rows=rows, C=0.3, intercept=intercept, tol=1e-5)
    least = value(SupportVectorMachine(C=0.3, intercept=intercept).fit(X, y), X, y)
    assert found.status_ is Status.CONVERGED
    assert found.gap_ <= 1e-5
    assert least * (1 - 1e-8) <= value(found, X, y) <= least * (1 + 1e-5)
    assert found.report_.to_dict()["details"]["rounds"] == found.history_["gap"].size


def test_csr_and_weights(rng):
    X, y = clouds(rng)
    weight = rng.integers(0, 3, 300).astype(float)
    expected = SupportVectorMachine(C=0.1, tol=1e-6).fit(X, y, weight)
    for made in (X, sparse.csr_matrix(X), X.astype(np.float32)):
        found = fitted(made, y, weight, C=0.1, tol=1e-6)
        np.testing.assert_allclose(found.weights_, expected.weights_, atol=2e-3)


@pytest.mark.parametrize("multiclass", ["one-vs-one", "one-vs-rest"])
def test_many_classes(rng, multiclass):
    X, y = clouds(rng, c=3)
    settings = {"C": 0.1, "tol": 1e-6, "multiclass": multiclass}
    np.testing.assert_allclose(
        fitted(X, y, **settings).weights_, SupportVectorMachine(**settings).fit(X, y).weights_, atol=5e-3
    )


def test_the_dual_value_is_below_the_criterion_in_every_round(rng):
    """The duality gap is a certificate: a plain machine with one row a block still has one."""
    X, y = clouds(rng)
    model = fitted(X[:40], y[:40], rows=4, C=1.0, tol=1e-3)
    assert np.all(np.diff(model.history_["gap"]) <= 0)
    assert model.history_["gap"][-1] >= 0


def test_the_compiled_pass_does_what_the_plain_one_does(rng):
    X, y = clouds(rng)
    z, C, squares = 2.0 * y - 1, np.full(300, 0.5), np.r_[(X**2).sum(axis=1), 1.0]
    order = rng.permutation(300).astype(np.uint32)
    both = [(np.zeros(300), np.zeros(4)) for _ in range(2)]
    for act, (alpha, u) in zip((cocoa._ascend, cocoa._ascend.py_func), both, strict=True):
        act(X, z, C, squares, order, alpha, u, 2.0)
    np.testing.assert_allclose(both[0][0], both[1][0], atol=1e-12)
    np.testing.assert_allclose(both[0][1], both[1][1], atol=1e-12)
    assert both[0][0].min() >= 0
    assert both[0][0].max() <= 0.5
