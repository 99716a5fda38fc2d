"""Margins and planes: between two bounds, against known walls and support vector machines, and below floats."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from portions import rest_in_ci
from sklearn.svm import SVC
from verdict_cases import check, separates

from discriminant import Separability, datasets, separability
from discriminant.separation import search as _faces


@pytest.mark.parametrize("intercept", [True, False])
def test_margins_between_two_walls(intercept: bool, rng: np.random.Generator) -> None:
    """The walls 3x + 4y = ±5m stand at ±m from zero; points lie on them and behind."""
    for _ in range(20):
        m, n = int(rng.integers(1, 100)), int(rng.integers(2, 30))
        along, behind = rng.integers(-50, 50, (2, 2 * n))
        along[[0, n]], behind[[0, n]] = 0, 0
        along[[1, n + 1]] = 7
        z = np.repeat([-1, 1], n)
        away = z * (m + np.abs(behind))
        X = np.c_[3 * away - 4 * along, 4 * away + 3 * along] / 5
        margin = check_margin(separability(X, z, intercept=intercept), X, z)
        assert Fraction(margin.lower) <= m <= Fraction(margin.upper)
        assert float(margin) == margin.lower


def check_margin(s: Separability, X: Any, y: Any) -> Any:
    assert s.verdict == "complete"
    assert 0 < s.margin.lower <= s.margin.upper <= s.margin.lower * (1 + 1e-9)
    assert separates(s, X, y)
    return s.margin


def test_the_margin_of_problem_29() -> None:
    X, y = datasets.margin_six()
    margin = check_margin(separability(X, y), X, y)
    assert Fraction(margin.lower) ** 2 <= Fraction(1, 8) <= Fraction(margin.upper) ** 2


def test_margins_are_about_those_of_a_support_vector_machine(rng: np.random.Generator) -> None:
    for trial in range(15):
        d = 2 + trial % 4
        X = rng.normal(size=(60, d))
        y = (X @ np.ones(d) > 0.3).astype(int)
        X += np.where(y, 0.1, -0.1)[:, None]
        margin = check_margin(separability(X, y), X, y)
        model = SVC(C=1e9, kernel="linear", tol=1e-10).fit(X, y)
        assert margin.lower == pytest.approx(1 / np.linalg.norm(model.coef_), rel=1e-4)


def test_margins_of_rows_that_floats_cannot_tell_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that only whole numbers place join the working set as others do, which here begins with few."""
    monkeypatch.setattr(_faces, "FEW", 4)
    monkeypatch.setattr(_faces, "WIDE", 1)
    for seed in (0, 6, 13, 16, 25, 28):
        rng = np.random.default_rng(seed)
        X = rng.integers(-3, 4, (30, 3))
        y = (X @ rng.integers(-2, 3, 3) > 0.5).astype(int)
        expected = check_margin(separability(X, y), X, y)
        found = separability(X + np.array([1e9, 1e2, 1e14]), y).margin
        assert found.upper <= found.lower * (1 + 1e-9)
        assert found.lower <= expected.upper
        assert expected.lower <= found.upper


def test_planes_of_quasi_separated_data_are_weak() -> None:
    X, y = np.array([[0.0, 0], [1, 0], [0, 0], [2, 1]]), np.array([0, 1, 1, 1])
    s = check(X, y)
    assert s.verdict == "quasi"
    g = (X @ s.hyperplane.w + s.hyperplane.w0) * np.where(y, 1, -1)
    assert np.all(g >= 0)
    assert np.all(g[s.separated_rows] > 0)
    assert float(s.margin) == 0


def test_margins_below_what_floats_resolve() -> None:
    """The hulls are 1e-13 apart in numbers of size 1, between points of which three lie almost on a line."""
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.5, 0.5 + 1e-13], [0.25, 0.25 + 1e-13]])
    s = check(X, [0, 0, 1, 1])
    assert s.verdict == "complete"
    assert separates(s, X, [0, 0, 1, 1])


def test_a_margin_belongs_to_two_classes() -> None:
    with pytest.raises(ValueError, match="ask a member of pairwise or total"):
        separability(*datasets.iris()).margin  # noqa: B018


def test_a_margin_below_floats_is_said() -> None:
    """Points on x1 + x2 = 0.8 are separable as binary fractions, by so little that no sum of floats shows it."""
    X, y = np.array([[0.1, 0.7], [0.3, 0.5], [0.2, 0.6], [0.4, 0.4]]), [0, 0, 1, 1]
    s = separability(X, y, reading="float")
    assert s.verdict == "complete"
    assert s.certificate.verify(X, y)
    assert any("too small for float64" in note for note in s.notes)
    assert "too small for float64" in str(s)
    assert separability(X, y).verdict == "overlap"


@pytest.mark.parametrize("trials", rest_in_ci([60, 150]))
def test_planes_that_separate_in_floats_or_say_that_they_do_not(trials: int, rng: np.random.Generator) -> None:
    """Near ties: margins of an ulp, beside 1 and beside a billion, and numbers that underflow."""
    said = silent = 0
    for turn in range(trials):
        n, d, n_classes = rng.integers(3, 9), rng.integers(1, 4), rng.integers(2, 4)
        steps = rng.integers(0, 3, (n, d))
        X = [1 + steps * 2.0**-52, 1e9 + steps * 2.0**-23, np.nextafter(steps / 10, 1 - 2 * rng.integers(0, 2, (n, d)))]
        y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
        s = separability(X[turn % 3], y, intercept=bool(turn % 2), reading="float")
        if s.verdict != "complete":
            continue
        noted = any("too small for float64" in note for note in s.notes)
        plane: Any = s.hyperplane
        if n_classes == 2:
            right = np.array_equal(plane.side(X[turn % 3]), 2 * y - 1)
        else:
            right = np.array_equal(plane.predict(X[turn % 3]), y) and not plane.undecided(X[turn % 3]).any()
        assert right != noted
        assert not noted or said or "too small for float64" in str(s)
        said, silent = said + noted, silent + right
    assert said > trials // 50
    assert silent > trials // 8
