"""The tables of statistics packages: their totals as published, and what is known of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from discriminant import datasets, separability

NAMES = ("hepatitis", "lizards", "alligators", "murder_rates")


@pytest.mark.parametrize("name", NAMES)
def test_verdicts_are_those_that_are_said(name: str) -> None:
    dataset = datasets.load(name)
    s = separability(dataset.X, dataset.y)
    assert s.verdict == dataset.verdict
    if "infinite" in dataset.answers:
        assert_array_equal(s.infinite_, dataset.infinite)
    assert s.certificate.verify(dataset.X, dataset.y)
    assert len(dataset.target_names) == np.unique(dataset.y).size
    assert len(dataset.feature_names) == dataset.X.shape[1]


def test_totals() -> None:
    """As the help pages of brglm2, vcdExtra and AER give them."""
    data = datasets.hepatitis()
    assert np.bincount(data.X[:, 0].astype(int)).tolist() == [2277, 2311]
    gators = datasets.alligators()
    assert np.bincount(gators.y).tolist() == [94, 61, 19, 13, 32]
    assert gators.X.sum(axis=0).tolist() == [124, 55, 48, 53, 130]
    assert len(datasets.alligators(sparse=True).y) == 69
    states = datasets.murder_rates()
    south = states.X[:, 4]
    assert [int(np.sum((states.y == k) & (south == s))) for k in (0, 1) for s in (0, 1)] == [9, 0, 20, 15]


def test_the_patients_are_those_of_the_published_estimates() -> None:
    """Bull, Mak and Greenwood (2002), Table 3, as the tests of brglm2 quote it: Firth's penalty, here written down."""
    data = datasets.hepatitis()
    cells, counts = np.unique(np.column_stack([data.X, data.y]), axis=0, return_counts=True)
    Z, y = np.column_stack([np.ones(len(cells)), cells[:, :3]]), cells[:, 3].astype(int)

    def loss(t: Any) -> float:
        g = np.column_stack([np.zeros(len(Z)), Z @ t.reshape(2, 4).T])
        g -= np.log(np.exp(g).sum(axis=1, keepdims=True))
        p = np.exp(g)[:, 1:]
        W = np.einsum("ij,jk->ijk", p, np.eye(2)) - np.einsum("ij,ik->ijk", p, p)
        information = np.einsum("i,ijk,il,im->jlkm", counts, W, Z, Z).reshape(8, 8)
        return float(-counts @ g[np.arange(len(y)), y] - np.linalg.slogdet(information)[1] / 2)

    found = minimize(loss, np.full(8, -1.0)).x.reshape(2, 4)
    assert_allclose(found[:, 1:], [[-2.43, -1.57, 1.96], [-0.36, -0.38, 0.26]], atol=5e-3)
