"""What a report adds when it is read: the bound, the scale, and no training set kept for it."""

from __future__ import annotations

import gc
import inspect
import weakref
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

import discriminant
from discriminant import (
    FisherDiscriminant,
    KernelPerceptron,
    NotConvergedWarning,
    Perceptron,
    SupportVectorMachine,
    bounds,
    datasets,
)
from discriminant.base import classifier as base

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
CLASSIFIERS = [
    value
    for name in discriminant.__all__
    if inspect.isclass(value := getattr(discriminant, name)) and issubclass(value, base.LinearClassifier)
]


def small() -> tuple[Any, Any]:
    """Twelve patterns of two classes that a plane separates with room to spare."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(12, 3))
    y = np.arange(12) % 2
    X[:, 0] += np.where(y == 1, 4, -4)
    return X, y


def test_the_bound_stands_beside_the_corrections() -> None:
    X, y = datasets.slides_eight()
    model = Perceptron(start=[1, 1, 1]).fit(X, y)
    bound = bounds.perceptron(X, y, model, start=[1, 1, 1])
    assert model.report_.to_dict()["bound"] == pytest.approx(float(bound))
    assert f"180 (the theorem allows at most {bound.corrections:,})" in str(model.report_)
    for options in ({"average": True}, {"schedule": "k"}):  # the theorem does not speak of these
        assert Perceptron(**options).fit(X, y).report_.to_dict()["bound"] is None
    assert Perceptron().fit(X, y, sample_weight=np.ones(8)).report_.to_dict()["bound"] is None


def test_few_patterns_in_many_dimensions_say_little() -> None:
    X, y = small()
    assert "separation says little" not in str(Perceptron().fit(X, y).report_)
    few = Perceptron().fit(X[:7], y[:7])  # 7 < 2 (3 + 1)
    assert f"probability {bounds.cover(7, 3):.2g}: separation says little" in str(few.report_)


def test_unequal_features_are_named() -> None:
    X, y = small()
    X[:, 2] *= 1e4
    text = str(Perceptron(max_iter=2).fit(X, y).report_)
    assert "(feature 1) to" in text
    assert "(feature 2); standardize them" in text


@pytest.mark.parametrize(
    ("kind", "method"),
    [
        (kind, method)
        for kind in CLASSIFIERS
        for method in ("fit", "partial_fit")
        if kind is not KernelPerceptron and hasattr(kind(), method)  # that one is made of its training set
    ],
)
def test_a_model_does_not_keep_a_large_training_set(kind: Any, method: str) -> None:
    model = kind(max_iter=1) if "max_iter" in kind().get_params() else kind()
    generator = np.random.default_rng(0)
    for make in (np.asarray, sparse.csr_array):
        X = make(generator.normal(size=(2_000, 80)))  # above the megabyte that is kept
        y = np.arange(2_000) % 2
        getattr(clone(model), method)(X[:10], y[:10], **({"classes": [0, 1]} if method == "partial_fit" else {}))
        fitted = clone(model)
        getattr(fitted, method)(X, y, **({"classes": [0, 1]} if method == "partial_fit" else {}))
        watched = weakref.ref(X.data if sparse.issparse(X) else X)
        del X
        gc.collect()
        assert watched() is None
        assert "scale" not in fitted.report_.to_dict()  # what needs the data is left out
        assert str(fitted.report_)


def test_small_data_outlive_the_users_variable() -> None:
    X, y = small()
    model = Perceptron().fit(X, y)
    bound = float(bounds.perceptron(X, y, model))
    del X, y
    gc.collect()
    assert model.report_.to_dict()["bound"] == pytest.approx(bound)


def test_data_that_were_spoiled_after_the_fit_do_not_spoil_the_report() -> None:
    X, y = small()
    model = Perceptron().fit(X, y)
    X[0, 0] = np.nan
    assert "features" not in str(model.report_)
    assert model.report_.to_dict()["bound"] is None


def test_what_cannot_be_held_weakly_is_not_held() -> None:
    class Slots:
        __slots__ = ("array",)

        def __init__(self, array: Any) -> None:
            self.array = array

        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return self.array

    X = np.random.default_rng(0).normal(size=(20_000, 8))
    y = (X[:, 0] > 0).astype(int)
    for large in (Slots(X), X.tolist()):
        model = Perceptron(max_iter=1).fit(large, y)
        assert "scale" not in model.report_.to_dict()
    held = Perceptron(max_iter=1).fit(X, y)
    assert "scale" in held.report_.to_dict()


def test_the_sizes_of_sparse_features() -> None:
    X, y = small()
    for matrix in (sparse.csr_array(X), sparse.csr_matrix(X)):
        dense, thin = (Perceptron(max_iter=2).fit(data, y).report_.to_dict() for data in (X, matrix))
        assert dense["scale"] == thin["scale"]
        assert dense["bound"] == pytest.approx(thin["bound"])


def test_the_report_of_many_machines_is_not_that_of_the_last() -> None:
    model = SupportVectorMachine().fit(*datasets.iris())
    details = model.report_.to_dict()["details"]
    assert details["support vectors"] == len(model.support_) == 27
    assert details["largest duality gap"] == model.gap_ >= 0
    assert details["smallest margin"] == min(model.margin_)
    assert "support vectors       27" in str(model.report_)


def test_errors_of_several_problems_are_not_set_against_the_patterns() -> None:
    X, y = datasets.iris()
    with pytest.warns(NotConvergedWarning):
        model = Perceptron(multiclass="one-vs-rest", max_iter=2).fit(X[::2], y[::2])
    assert "in the last iterations of all problems" in str(model.report_)
    assert "of 75 patterns" not in str(model.report_)


def test_columns_of_a_frame_go_by_their_names() -> None:
    X = pd.DataFrame({"length": [1.0, 2.0, 3.0, 4.0], "weight": [10.0, 30.0, 20.0, 5.0]})
    report = FisherDiscriminant().fit(X, [0, 0, 1, 1]).report_
    assert report.to_dict()["scale"] == "sizes from 4 (length) to 30 (weight)"
