"""The errors for numbers that cannot be worked with say where these stand and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from discriminant._engine.refusals import check_total, published, refusal, refuse_vanishing


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (-np.inf, "infinity")])
def test_the_first_bad_entry_is_named(make: Any, value: float, word: str) -> None:
    X = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, value], [value, 1.0, 1.0]])
    assert str(refusal(make(X))).startswith(f"X contains {word}, first in row 1, column 2 (counted from 0)")


def test_numbers_that_are_too_large_are_told_from_weights_that_are() -> None:
    assert "X overflows: its entries reach 1e+200" in str(refusal(np.array([[1e200, 1.0]])))
    assert "the weights overflow float64, although the entries of X reach no more than 2" in str(refusal(np.eye(2) * 2))


def test_weights_out_of_range_are_refused() -> None:
    check_total(None)
    check_total(np.ones(3))
    refuse_vanishing(None)
    refuse_vanishing(np.array([0.0, 1e-200]))
    with pytest.raises(ValueError, match="sample_weight reaches no more than 1e-301"):
        refuse_vanishing(np.array([0.0, 1e-301]))
    for total in (1e-300, np.inf):
        with pytest.raises(ValueError, match=r"sample_weight times b adds up to .* divide it by its mean"):
            check_total(np.array([total]), "sample_weight times b")


def test_an_answer_must_fit_the_type_of_the_data() -> None:
    assert published(np.ones((1, 2)), np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="the weights overflow"):
        published(np.array([[1e39]]), np.float32)
