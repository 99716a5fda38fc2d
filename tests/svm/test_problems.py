"""Problems of two classes and the table of strengths."""

from __future__ import annotations

import pickle
import tracemalloc
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVC
from svm_cases import Rng, crowd, every_kernel, overlapping

from discriminant import (
    SupportVectorMachine,
    mercer,
)


def test_many_classes_keep_no_number_for_each_row_and_problem(rng: Rng):
    X, y = crowd(rng, 60, 6)
    model = SupportVectorMachine(kernel="gaussian").fit(X, y)
    table = len(y) * model.intercept_.size * 8
    assert len(pickle.dumps(model)) < table / 2
    tracemalloc.start()
    model.fit(X, y)
    assert tracemalloc.get_traced_memory()[1] < 2.5 * table  # labels, multipliers and weights of all rows took 5
    tracemalloc.stop()


@pytest.mark.parametrize("c", [2, 3])
@every_kernel
def test_shapes_are_those_of_svc(kernel: Any, c: int, rng: Rng):
    X, y = overlapping(rng, 60, 4, c)
    names = np.array(["b", "a", "d"])[y]
    model = SupportVectorMachine(0.7, kernel=kernel, tol=1e-6).fit(X, names)
    theirs = SVC(C=0.7, tol=1e-9, kernel=lambda A, B: np.asarray(mercer.get(kernel)(A, B))).fit(X, names)
    assert_array_equal(model.classes_, theirs.classes_)
    assert_array_equal(model.support_, theirs.support_)
    assert_array_equal(model.n_support_, theirs.n_support_)
    assert model.dual_coef_.shape == theirs.dual_coef_.shape
    sign = 1 if c == 2 else -1  # of a pair, the later class is the positive one here
    assert_allclose(model.dual_coef_, sign * theirs.dual_coef_, atol=1e-5)
    assert_array_equal(model.support_vectors_, X[model.support_])
    assert model.intercept_.shape == theirs.intercept_.shape
    assert_allclose(model.intercept_, sign * theirs.intercept_, atol=1e-5)


@every_kernel
def test_the_discriminant_can_be_rebuilt(kernel: Any, rng: Rng):
    X, y = overlapping(rng)
    new = rng.normal(size=(20, 3))
    model = SupportVectorMachine(2.0, kernel=kernel).fit(X, y)
    K = mercer.get(kernel)(new, model.support_vectors_)
    assert_allclose((K @ model.dual_coef_.T + model.intercept_)[:, 0], model.decision_function(new), atol=1e-9)
    if kernel == "linear":
        assert_allclose(model.dual_coef_ @ model.support_vectors_, model.coef_, atol=1e-9)
