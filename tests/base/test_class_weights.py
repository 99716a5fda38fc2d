"""Weights of classes become weights of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discriminant import Perceptron, Relaxation, WidrowHoff, datasets
from discriminant.base.class_weights import check_class_weight, row_weights

CLASSES, LABELS = np.array(["a", "b"]), np.array([0, 0, 0, 1, -1], np.int32)
NONE = np.empty(0)


def test_balanced_classes_weigh_the_same() -> None:
    v = row_weights("balanced", CLASSES, LABELS, NONE)
    np.testing.assert_allclose(v, [2 / 3, 2 / 3, 2 / 3, 2, 0])  # 0: a row that takes no part
    given = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    v = row_weights("balanced", CLASSES, LABELS, given)
    assert v[:3].sum() == pytest.approx(v[3]) == pytest.approx(5)


def test_a_dict_names_some_classes() -> None:
    np.testing.assert_array_equal(row_weights({"b": 3}, CLASSES, LABELS, NONE), [1, 1, 1, 3, 0])


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ("Balanced", "class_weight='Balanced' must be one of 'balanced', None; did you mean 'balanced'?"),
        (np.ones(2), r"class_weight=array\(\[1., 1.\]\) must be a dict, .*; give weights by label"),
    ],
)
def test_other_things_are_refused(weight: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message.rstrip("?")):
        check_class_weight(weight)


def test_what_a_dict_holds_is_looked_at() -> None:
    for good in (None, "balanced", {}):
        check_class_weight(good)
    with pytest.raises(ValueError, match=r"class_weight names 'c', which is not among the classes \['a', 'b'\]"):
        row_weights({"c": 1}, CLASSES, LABELS, NONE)
    with pytest.raises(ValueError, match="class_weight=0 must be a number > 0; give weights > 0"):
        row_weights({"a": 0}, CLASSES, LABELS, NONE)


@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
@pytest.mark.parametrize("multiclass", ["kesler", "one-vs-rest", "one-vs-one"])
@pytest.mark.parametrize("settings", [{}, {"batch": True}])
@pytest.mark.parametrize("kind", [Perceptron, Relaxation, WidrowHoff])
def test_weights_of_classes_are_weights_of_their_rows(kind: Any, settings: Any, multiclass: str) -> None:
    """One by one and in batches, for two classes and for three, before these are held against each other."""
    if kind is WidrowHoff and multiclass == "kesler":
        multiclass = "one-vs-rest"
    X, y = datasets.iris()
    for rows in (y > 0, y > -1):
        each = {"max_iter": 20, "multiclass": multiclass, **settings}
        weight = np.where(y[rows] == 2, 3.0, 1.0)
        by_class = kind(class_weight={2: 3}, **each).fit(X[rows], y[rows])
        np.testing.assert_array_equal(by_class.weights_, kind(**each).fit(X[rows], y[rows], weight).weights_)
        assert not np.array_equal(by_class.weights_, kind(**each).fit(X[rows], y[rows]).weights_)


def test_portions_weigh_classes_by_a_dict_alone() -> None:
    X, y = datasets.iris()
    model = Perceptron(class_weight={2: 3}).partial_fit(X, y, classes=[0, 1, 2])
    same = Perceptron().partial_fit(X, y, classes=[0, 1, 2], sample_weight=np.where(y == 2, 3.0, 1.0))
    np.testing.assert_array_equal(model.weights_, same.weights_)
    with pytest.raises(ValueError, match="class_weight='balanced' must be a dict for partial_fit"):
        Perceptron(class_weight="balanced").partial_fit(X, y, classes=[0, 1, 2])


@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
def test_balanced_perceptron_heeds_the_rare_class() -> None:
    """20 rare rows among 200: all classes count the same, so that more of the rare ones are found."""
    generator = np.random.default_rng(0)
    y = (np.arange(200) < 20).astype(int)
    X = generator.normal(size=(200, 2)) + 1.2 * y[:, None]
    plain, balanced = (Perceptron(average=True, class_weight=weight, max_iter=50) for weight in (None, "balanced"))
    found = [model.fit(X, y).predict(X)[y == 1].mean() for model in (plain, balanced)]
    assert found[1] > found[0] + 0.2
