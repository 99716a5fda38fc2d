"""The data of a verdict: how numbers are read, scales, how tables are stored, names, labels, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from portions import rest_in_ci
from scipy import sparse
from verdict_cases import check, parts, separates, tied_problem

from discriminant import datasets, separability

# Readings and scales ------------------------------------------------------------------------------------------------


def test_points_on_a_line_in_decimal_only() -> None:
    X = np.array([[0.1, 0.7], [0.3, 0.5], [0.2, 0.6], [0.4, 0.4]])  # x1 + x2 = 0.8
    y = [0, 0, 1, 1]
    assert check(X, y).verdict == "overlap"
    assert check(X, y, reading="float").verdict != "overlap"
    assert separability(X, y).certificate.reading == "decimal"
    with pytest.raises(ValueError, match="the certificate fails"):
        separability(X, y, reading="float").certificate.verify(X, 1 - np.array(y))


def test_float32_is_read_by_its_own_shortest_form() -> None:
    X = np.array([[0.1, 0.7], [0.3, 0.5], [0.2, 0.6], [0.4, 0.4]], np.float32)
    assert check(X, [0, 0, 1, 1]).verdict == "overlap"
    assert separability(X.astype(float), [0, 0, 1, 1]).verdict != "overlap"  # the numbers of X are no decimals any more


def test_long_integers_stay_exact() -> None:
    big = 2**62
    X = np.array([[big], [big + 1], [big + 2], [big + 3]], np.int64)
    assert check(X, [0, 0, 1, 1]).verdict == "complete"
    assert check(X, [0, 1, 0, 1]).verdict == "overlap"
    assert check(np.array([[big], [big + 1], [big + 1]]), [0, 0, 1]).verdict == "quasi"
    assert check(np.array([[2**64 - 1], [2**64 - 2]], np.uint64), [0, 1]).verdict == "complete"


@pytest.mark.parametrize("start", [1.0, 1e9, 123456.789, 1e-5, 1e150, 1e-150])
def test_margins_of_one_ulp(start: float) -> None:
    low, high = start, float(np.nextafter(start, np.inf))
    X = np.array([[low], [low], [high]])
    s = check(X, [0, 0, 1])
    assert s.verdict == "complete"
    assert separates(s, X, [0, 0, 1])
    half = (Fraction(repr(high)) - Fraction(repr(low))) / 2
    assert Fraction(s.margin.lower) <= half <= Fraction(s.margin.upper)
    assert check(X, [0, 1, 1]).verdict == "quasi"
    X = np.array([[low, 0], [high, 0], [low, 1], [low, -1]])  # off the segment of the others by an ulp
    assert check(X, [0, 1, 0, 0]).verdict == "complete"


def test_a_point_beside_a_line_by_one_ulp() -> None:
    """One point lies an ulp below, on or above a line through two others; the labels say above."""
    for above, verdict in ((-1, "overlap"), (0, "quasi"), (1, "complete")):
        X = np.array([[0.0, 0.0], [1.0, 3.0], [0.5, 1.5 + above * 2.0**-52], [0.0, 9.0], [1.0, 9.0], [0.5, -9.0]])
        assert check(X, [0, 0, 1, 1, 1, 0], reading="float").verdict == verdict


def test_offsets_of_a_billion(rng: np.random.Generator) -> None:
    for _ in range(30):
        X, y = tied_problem(rng)
        moved = X + 1e9
        assert parts(check(moved, y)) == parts(separability(X, y))
        check(X / 8 + 1e9, y)


@pytest.mark.parametrize("trials", rest_in_ci([6, 20]))
@pytest.mark.parametrize("powers", [(150,) * 3, (-150,) * 3, (150, 0, -150), (-300, -8, 290)])
def test_scales(trials: int, powers: tuple[int, ...], rng: np.random.Generator) -> None:
    for trial in range(trials):
        X, y = tied_problem(rng)
        scaled = np.array([[float(f"{v}e{e}") for v, e in zip(x, powers, strict=False)] for x in X])
        s = check(scaled, y, intercept=bool(trial % 2))
        assert parts(s) == parts(separability(X, y, intercept=bool(trial % 2)))
        assert_array_equal(s.infinite_, separability(X, y, intercept=bool(trial % 2)).infinite_)


@pytest.mark.parametrize("trials", rest_in_ci([10, 30]))
def test_numbers_that_underflow(trials: int, rng: np.random.Generator) -> None:
    """Products of such numbers and weights are not what floats say they are, so that only whole numbers decide."""
    for trial in range(trials):
        X, y = tied_problem(rng)
        for least in (np.float64(5e-324), np.float64(1e-310), np.float32(1e-45)):
            small = X.astype(least.dtype)
            small[len(X) // 2 :] *= least
            check(small, y, intercept=bool(trial % 2))


def test_numbers_at_the_ends_of_float64() -> None:
    for X in ([[1e308], [-1e308]], [[1e-310], [2e-310]]):
        s = separability(X, [0, 1])
        assert s.verdict == "complete"
        assert s.margin.lower <= abs(X[1][0] - X[0][0]) / 2 <= s.margin.upper or s.margin.upper == np.inf
        assert str(s).startswith("complete")


# How the data are stored --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trials", rest_in_ci([2, 6]))
def test_storage(trials: int, rng: np.random.Generator, tmp_path: Any) -> None:
    for trial in range(trials):
        X, y = tied_problem(rng, 2 + trial % 2)
        expected = separability(X, y)
        file = np.memmap(tmp_path / f"{trial}.dat", np.float64, "w+", shape=X.shape)
        file[:] = X
        stored = [
            X.astype(np.float32), X.astype(np.int8), X.tolist(), np.asfortranarray(X, np.float64), file,
            sparse.csr_array(X), sparse.csr_matrix(X.astype(np.float64)), sparse.coo_array(X), X[:, ::-1][:, ::-1],
        ]  # fmt: skip
        for Z in stored:
            s = separability(Z, y)
            assert parts(s) == parts(expected)
            assert s.certificate.verify(X, y)
            assert expected.certificate.verify(Z, y)
            assert_array_equal(s.infinite_, expected.infinite_)
    assert check(X > 0, y).verdict == separability((X > 0).astype(int), y).verdict


def test_the_callers_data_are_left_alone() -> None:
    X, y = datasets.iris()
    X.flags.writeable = y.flags.writeable = False
    matrix = sparse.csr_array(X)
    before = matrix.copy()
    str(separability(X, y))
    str(separability(matrix, y))
    assert (matrix != before).nnz == 0


def test_pandas_names_rows_and_columns() -> None:
    pd = pytest.importorskip("pandas")
    X, y = datasets.table(1, 3)
    frame = pd.DataFrame(X, columns=["height", "width"], index=[f"rock {i}" for i in range(len(X))])
    s = separability(frame, pd.Series(y, index=frame.index))
    assert s.certificate.verify(frame, pd.Series(y))
    row = s.certificate.support[0].row
    assert f"{row} [rock {row}]" in str(s)
    frame["width"] = np.arange(len(X))
    s = separability(frame, pd.Series(np.where(frame["width"] > 7, "late", "early")))
    assert "+1 width" in str(s)
    assert "early and late" in str(s)
    verdict = separability(frame, y).verdict
    frame["name"] = "a"  # a factor of one level, which has no columns
    assert separability(frame, y).verdict == verdict


def test_feature_names_are_those_that_are_given() -> None:
    X, y = datasets.iris()
    frame = pd.DataFrame(X[:100], columns=["a", "b", "c", "d"])
    given = ["sepal length", "sepal width", "petal length", "petal width"]
    for data in (X[:100], sparse.csr_array(X[:100]), frame, X[:100].tolist()):
        s = separability(data, y[:100], feature_names=tuple(given))
        assert any(f" {name} " in str(s) for name in given)
        assert s.certificate == separability(data, y[:100]).certificate
        assert s.question.names.columns == s.pairwise[0, 1].question.names.columns == given
    assert separability(frame, y[:100]).question.names.columns == ["a", "b", "c", "d"]


def test_polars() -> None:
    pl = pytest.importorskip("polars")
    X, y = datasets.iris()
    frame = pl.DataFrame(X, schema=["a", "b", "c", "d"])
    s = separability(frame[:100], pl.Series(y[:100]))
    assert s.verdict == "complete"
    assert s.certificate.verify(frame[:100], pl.Series(y[:100]))
    assert s.certificate.verify(X[:100], y[:100])
    assert any(f" {name} " in str(s) for name in "abcd")


class TestFrames:
    """A frame is read column by column, so that no number changes on its way into one array."""

    X = np.array([[0.1, 0.7], [0.3, 0.5], [0.2, 0.6], [0.4, 0.4]], np.float32)
    y = (0, 0, 1, 1)

    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
    @pytest.mark.parametrize("other", [[1, 1, 1, 1], [0.5, 0.5, 0.5, 0.5], [True, True, True, True]])
    def test_float32_beside_another_type(self, frame: Any, other: list[Any]) -> None:
        X = frame({"a": self.X[:, 0], "b": self.X[:, 1], "c": other})
        s = separability(X, self.y)
        assert s.verdict == "overlap"
        assert s.certificate.verify(X, self.y)

    def test_long_integers(self) -> None:
        X = pd.DataFrame({"a": pd.array([2**60, 2**60 + 1], dtype="Int64"), "b": [True, False]})
        s = separability(X, [0, 1])
        assert s.verdict == "complete"
        assert s.certificate.verify(X, [0, 1])
        with pytest.raises(ValueError, match="beyond 2"):
            separability(pd.DataFrame({"a": [2**53, 2**53 + 1], "b": [0.5, 0.5]}), [0, 1])
        with pytest.raises(ValueError, match="beyond 2"):
            separability([[2**70], [2**70 + 1]], [0, 1])

    def test_dates(self) -> None:
        with pytest.raises(ValueError, match="datetime64"):
            separability(pd.DataFrame({"a": pd.to_datetime(["2020-01-01", "2021-01-01"])}), [0, 1])

    def test_two_columns_of_one_name(self) -> None:
        X = pd.DataFrame([[0.0, 1.0], [1.0, 0.0]], columns=["a", "a"])
        assert separability(X, [0, 1]).verdict == "complete"


def test_repeated_entries_that_cancel() -> None:
    X = sparse.csr_array(([1.0, -1, 1, 2], [0, 0, 0, 1], [0, 2, 3, 4]), shape=(3, 2))
    s = separability(X, [0, 1, 1], intercept=False)
    assert s.verdict == "quasi"
    assert s.boundary_rows.tolist() == [0]
    assert s.certificate.verify(X, [0, 1, 1])


def test_labels_that_no_file_can_hold() -> None:
    with pytest.raises(ValueError, match="numbers or strings"):
        separability([[0.0], [1.0]], np.array([b"a", b"b"]))


def test_labels_as_a_column() -> None:
    X, y = np.array([[0.0], [1.0]]), np.array([[0], [1]])
    assert separability(X, y).certificate.verify(X, y)
    with pytest.raises(ValueError, match="y contains NaN"):
        separability(X, [0, np.nan])


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        ([[np.nan], [1.0]], [0, 1], {}, "X contains NaN, first in row 0"),
        ([[1.0], [-np.inf]], [0, 1], {}, "X contains infinity, first in row 1"),
        (sparse.csr_array([[1.0], [np.nan]]), [0, 1], {}, "X contains NaN"),
        ([[1.0], [2.0]], [1, 1], {}, "y holds one class"),
        ([["a"], ["b"]], [0, 1], {}, "no number"),
        ([[1j], [1]], [0, 1], {}, "complex128"),
        ([[1.0], [2.0]], [0, 1, 1], {}, "give one label for each row"),
        (np.empty((0, 2)), [], {}, "0 sample"),
        (np.empty((2, 0)), [0, 1], {}, "0 feature"),
        ([1.0, 2.0], [0, 1], {}, "Expected 2D array"),
        ([[1.0], [2.0]], [[0, 1], [1, 0]], {}, "1d array"),
        ([[1.0], [2.0]], [0.5, 1.25], {}, "continuous"),
        ([[1.0], [2.0]], [0, 1], {"reading": "binary"}, "reading='binary' must be one of 'decimal'"),
        (
            [[1.0], [2.0]],
            [0, 1],
            {"family": "probit"},
            "family='probit' must be one of 'classes', 'poisson', 'cumulative'; ",
        ),
        ([[1.0], [2.0]], [0, 1], {"intercept": 2}, "intercept=2 must be one of True, False; choose one"),
        (
            [[1.0], [2.0]],
            [0, 1],
            {"feature_names": ["a", "b"]},
            "must be one name for each of the 1 columns of X",
        ),
        ([[1.0], [2.0]], [0, -1], {"family": "poisson"}, "y holds what is no count"),
        ([[1.0], [2.0]], [0, np.nan], {"family": "poisson"}, "y holds what is no count"),
        ([[1.0], [2.0]], ["a", "b"], {"family": "poisson"}, "y holds what is no count"),
    ],
)
def test_what_is_refused(X: Any, y: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        separability(X, y, **options)
