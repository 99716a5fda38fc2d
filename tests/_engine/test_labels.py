"""Labels of any kind become whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from discriminant import (
    Perceptron,
    datasets,
)

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


def small() -> tuple[Any, Any]:
    """Twelve patterns of two classes that a plane separates with room to spare."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(12, 3))
    y = np.arange(12) % 2
    X[:, 0] += np.where(y == 1, 4, -4)
    return X, y


LABELS = [
    ("strings", np.array(["spam", "ham"])),
    ("objects", np.array(["spam", "ham"], dtype=object)),
    ("bytes", np.array([b"spam", b"ham"])),
    ("bools", np.array([True, False])),
    ("floats", np.array([1.0, -3.0])),
    ("negative", np.array([-5, -7])),
    ("small type", np.array([127, -128], dtype=np.int8)),
    ("far apart", np.array([2**62, -(2**62)])),
    ("unsigned", np.array([2**63 + 9, 2**63 + 1], dtype=np.uint64)),
    ("category", pd.Categorical(["spam", "ham"])),
]


@pytest.mark.parametrize(("name", "values"), LABELS, ids=[name for name, _ in LABELS])
def test_labels_of_any_kind(name: str, values: Any) -> None:
    X, y = small()
    labels = values[1 - y]  # values[0], which sorts last, is the positive class
    plain = Perceptron().fit(X, y)
    model = Perceptron().fit(X, labels)
    assert model.classes_.tolist() == [values[1], values[0]]
    np.testing.assert_array_equal(model.weights_, plain.weights_)
    predicted = model.predict(X)
    assert predicted.tolist() == list(labels)
    if isinstance(values, np.ndarray):
        assert predicted.dtype == values.dtype
    online = Perceptron().partial_fit(X[:5], labels[:5], classes=values)
    assert set(online.predict(X)) <= set(values)


def test_the_label_that_sorts_last_is_positive() -> None:
    X, y = small()
    model = Perceptron().fit(X, np.where(y == 1, "b", "a"))
    assert model.coef_[0, 0] > 0
    np.testing.assert_array_equal(model.decision_function(X) > 0, y == 1)
    assert Perceptron().fit(X, np.where(y == 1, "a", "b")).coef_[0, 0] < 0


def test_gaps_between_integer_labels() -> None:
    X, y = datasets.iris()
    model = Perceptron(max_iter=3).fit(X, np.array([3, 700, 41])[y])
    assert model.classes_.tolist() == [3, 41, 700]
    far = Perceptron(max_iter=3).fit(X, np.array([3, 70_000, 41])[y])
    np.testing.assert_array_equal(model.weights_, far.weights_)
