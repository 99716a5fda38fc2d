"""Weights of classes become weights of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

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
