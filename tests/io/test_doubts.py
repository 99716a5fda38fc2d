"""Codes for missing values and numbers of the rows are told of, measurements are not."""

import numpy as np
import polars as pl
import pytest

from discriminant import io
from discriminant.io._doubts import doubts


def told(values: list[float] | np.ndarray) -> list[str]:
    return list(doubts({"a": 0}, np.array(values, np.float64)[:, None]))


@pytest.mark.parametrize("code", [-99, 99, -999, 9999, 99999])
def test_a_code_far_from_all_else(code: float, rng: np.random.Generator) -> None:
    values = rng.normal(20, 5, 60)
    values[[3, 30]] = code
    assert told(values) == [
        f"column 'a': {code} in 2 rows, far from all else; if it stands for a missing value, say na='{code}'"
    ]


@pytest.mark.parametrize(
    "values",
    [
        np.linspace(0, 99, 100)[::-1],  # shares up to 99
        np.r_[np.linspace(0, 900, 50)[::-1], 999.0],  # not farther from the others than these from each other
        np.r_[np.linspace(0, 9, 50)[::-1], -1000.0],  # far away, but no code
        np.r_[np.zeros(5), 999.0],  # too few to tell
    ],
)
def test_measurements(values: np.ndarray) -> None:
    assert told(values) == []


def test_a_constant() -> None:
    assert told(np.full(50, 99.0)) == ["column 'a': 99 in every row, which tells nothing; leave it out (drop='a')"]


def test_numbers_of_the_rows() -> None:
    assert told(np.arange(7, 60)) == ["column 'a': it counts the rows from 7, an identifier? Leave it out (drop='a')"]
    assert told(np.delete(np.arange(60), [3, 20, 21, 40])) == [
        "column 'a': it counts the rows from 0, an identifier? Leave it out (drop='a')"
    ]
    for plain in (
        np.arange(19),
        np.arange(60) + 0.5,
        np.arange(0, 60, 2),
        np.r_[np.arange(30), np.arange(30)],
        np.arange(60)[::-1],
    ):
        assert told(plain) == []


@pytest.mark.parametrize("standardize", [False, True])
def test_a_recipe_tells_of_them(standardize: bool) -> None:
    columns = {"id": range(40), "kind": ["a", "b"] * 20, "x": [-999, *range(44, 5, -1)], "target": [0, 1] * 20}
    recipe = io.Recipe(standardize=standardize)
    recipe.fit(pl.DataFrame(columns))
    assert [words.split(":")[0] for words in recipe.reading] == ["column 'kind'", "column 'id'", "column 'x'"]
    assert recipe.reading[1].endswith("Leave it out (drop='id')")
    assert recipe.reading[2].endswith("say na='-999'")
