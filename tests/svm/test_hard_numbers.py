"""Numbers at the ends of their range: what is refused, and what has a finite answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from portions import rest_in_ci
from svm_cases import Rng, overlapping

from discriminant import (
    NotConvergedWarning,
    SupportVectorMachine,
    mercer,
)


@pytest.mark.parametrize("kernel", ["linear", "gaussian"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("alike", [True, False])
def test_weights_beyond_floats_are_refused(kernel: str, loss: str, alike: bool, rng: Rng):
    X, y = overlapping(rng)
    weight = np.full(60, 1e200)
    weight[1:] = 1e200 if alike else 1
    with pytest.raises(ValueError, match=r"sample_weight reaches 1e\+200, .*; divide the weights by their size"):
        SupportVectorMachine(kernel=kernel, loss=loss).fit(X, y, weight)


@pytest.mark.parametrize("loss", rest_in_ci(["hinge", "squared_hinge"]))
def test_kernel_values_beyond_floats_are_refused(loss: str, rng: Rng):
    X, y = overlapping(rng)
    with pytest.raises(ValueError, match=r"for kernel values of .*; standardize the features"):
        SupportVectorMachine(kernel="polynomial", loss=loss).fit(X + 1e8, y)
    with pytest.warns(NotConvergedWarning, match="rounding hides the length of w"):
        SupportVectorMachine(kernel=mercer.Polynomial(degree=2), loss=loss).fit(X + 1e4, y)


def test_tiny_costs(rng: Rng):
    X, y = overlapping(rng, 61)
    for C in (1e-20, 1e-200):
        model = SupportVectorMachine(C, loss="squared_hinge").fit(X, y)
        assert abs(model.gap_) <= 1e-9
        assert_allclose(model.intercept_, 2 * y.mean() - 1, rtol=1e-6)  # the least squares of the labels


@pytest.mark.parametrize("scale", [1e-323, 1e-300, 1e-160, 1e300])
@pytest.mark.parametrize(
    "options", [{}, {"loss": "squared_hinge"}, {"C": np.inf}, {"intercept": "augmented"}, {"probability": True}]
)
def test_numbers_whose_squares_are_no_floats_are_refused(options: dict[str, Any], scale: float, rng: Rng):
    X, y = overlapping(rng)
    X[:, 0] += 9 * y
    with pytest.raises(ValueError, match=r"(under|over)flows.*[Dd]ivide the features"):
        SupportVectorMachine(**options).fit(scale * X, y)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("kernel", ["linear", "gaussian"])
def test_costs_that_are_hardly_floats_are_refused(kernel: str, loss: str, rng: Rng):
    X, y = overlapping(rng)
    for C, weight, other in ((1.0, 1e-310, "larger"), (1e200, 1e100, "smaller")):
        with pytest.raises(ValueError, match=f"give a {other} cost"):
            SupportVectorMachine(C, kernel=kernel, loss=loss).fit(X, y, np.full(60, weight))


def test_an_infinite_margin_has_its_reason():
    model = SupportVectorMachine(kernel="gaussian").fit([[1.0], [1.0], [1.0]], [0, 1, 1])
    assert model.margin_ == np.inf
    assert "margin_ and width_ are infinite" in str(model.report_)


def test_a_tiny_cost_has_a_finite_margin(rng: Rng):
    X, y = overlapping(rng, 61)
    model = SupportVectorMachine(1e-200).fit(X, y)
    assert np.square(model.coef_).sum() == 0  # it underflows
    assert_allclose(model.margin_ * np.linalg.norm(1e200 * model.coef_), 1e200, rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_scale(scale: float, loss: str, rng: Rng):
    X, y = overlapping(rng)
    one = SupportVectorMachine(loss=loss).fit(X, y)
    other = SupportVectorMachine(1 / scale**2, loss=loss).fit(X * scale, y)
    assert_allclose(other.coef_ * scale, one.coef_, rtol=1e-5)
    assert other.gap_ <= 1e-6
