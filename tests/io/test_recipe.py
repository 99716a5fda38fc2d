"""A recipe makes the same matrix of every table, and says what it cannot take."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest
from table_cases import FRAME

from discriminant import io


def test_levels_and_numbers() -> None:
    recipe = io.Recipe(target="sold")
    X, y, w = recipe.fit(FRAME)
    assert recipe.feature_names == [
        "size", "count", "color=blue", 'color=grün, "hell"', "color=red", "fresh=false", "fresh=true",
    ]  # fmt: skip
    assert X.tolist() == [
        [1, 3, 0, 0, 1, 0, 1], [2.5, 1, 1, 0, 0, 1, 0], [4, 4, 0, 0, 1, 0, 1], [-3.25, 1, 0, 1, 0, 0, 1],
    ]  # fmt: skip
    assert X.flags.c_contiguous
    assert (y.tolist(), w) == (["no", "no", "yes", "yes"], None)
    assert np.array_equal(recipe.apply(FRAME.drop("sold").select(pl.all().reverse())), X[::-1])


@pytest.mark.parametrize(
    ("labels", "wanted"),
    [
        ([1, 2, 2], np.array([1, 2, 2])),
        ([1.5, 2.0, 1.5], np.array([1.5, 2.0, 1.5])),
        ([True, False, True], np.array([True, False, True])),
        (["a", "b", "a"], np.array(["a", "b", "a"])),
        (pl.Series(["a", "b", "a"], dtype=pl.Categorical), np.array(["a", "b", "a"])),
        (
            pl.Series(["2024-01-31", "2024-02-01", "2024-01-31"]).str.to_date(),
            np.array(["2024-01-31", "2024-02-01"] * 2),
        ),
    ],
)
def test_a_target_of_any_type(labels: Any, wanted: Any) -> None:
    _, y, _ = io.Recipe(target="t").fit(pl.DataFrame({"x": [1, 2, 3], "t": labels}))
    assert y.tolist() == wanted[:3].tolist()
    assert y.dtype.kind == wanted.dtype.kind


HOLES = pl.DataFrame(
    {"a": [1.0, None, 3.0, float("nan")], "c": ["x", "y", None, "x"], "w": [1.0, 2.0, 3.0, 4.0], "target": [0, 1, 0, 1]}
)


def test_missing_values_are_refused_by_column_and_row() -> None:
    with pytest.raises(io.TableError, match=r"column 'a' lacks a value in row 2; .*missing='drop'.*'median'"):
        io.Recipe(weights="w").fit(HOLES)
    with pytest.raises(io.TableError, match="column 'c' lacks a value in row 3"):
        io.Recipe(features=["c"]).fit(HOLES)
    with pytest.raises(io.TableError, match="column 'target' lacks a value in row 1"):
        io.Recipe(missing="median").fit(HOLES.with_columns(target=pl.Series([None, 1, 0, 1])))


def test_missing_values_are_dropped_with_their_rows() -> None:
    recipe = io.Recipe(weights="w", missing="drop")
    X, y, w = recipe.fit(HOLES)
    assert (X.tolist(), y.tolist(), w) == ([[1, 1, 0]], [0], np.array([1.0]))
    with pytest.raises(io.TableError, match="column 'a' lacks a value in row 2; fill it in"):
        recipe.apply(HOLES)
    with pytest.raises(io.TableError, match="every one of its 4 rows lacks a value"):
        io.Recipe(missing="drop").fit(HOLES.with_columns(a=pl.lit(None)))


def test_medians_take_the_place_of_missing_values() -> None:
    recipe = io.Recipe(missing="median", drop=["w"])
    X, y, _ = recipe.fit(HOLES)
    assert X.tolist() == [[1, 1, 0], [2, 0, 1], [3, 1, 0], [2, 1, 0]]
    assert y.tolist() == [0, 1, 0, 1]
    assert recipe.apply(pl.DataFrame({"c": [None], "a": [None]})).tolist() == [[2, 1, 0]]
    with pytest.raises(io.TableError, match="column 'a' holds no values at all"):
        io.Recipe(missing="median").fit(HOLES.with_columns(a=pl.lit(None)))


def test_standardized_features_have_mean_zero_and_deviation_one(rng: np.random.Generator) -> None:
    raw = rng.standard_normal((5000, 5)) * [1, 1e-150, 1e150, 0, 3] + [0, 0, 0, 0.1, 1e6]
    frame = pl.DataFrame({f"x{j}": raw[:, j] for j in range(5)}).with_columns(target=pl.lit(1))
    recipe = io.Recipe(standardize=True)
    X, _, _ = recipe.fit(frame)
    assert np.abs(X.mean(axis=0)).max() < 1e-9
    assert np.allclose(X.std(axis=0), [1, 1, 1, 0, 1])
    assert np.array_equal(recipe.apply(frame), X)


def test_unseen_levels() -> None:
    new = FRAME.with_columns(color=pl.Series(["red", "pink", "blue", "red"]))
    recipe = io.Recipe(target="sold")
    recipe.fit(FRAME)
    with pytest.raises(io.TableError, match=r"'color' holds 'pink' in row 2.*it knows blue, grün.*unseen='ignore'"):
        recipe.apply(new)
    recipe.unseen = "ignore"
    assert recipe.apply(new)[:, 2:5].tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0], [0, 0, 1]]


WRONG: dict[str, Any] = {
    "there is no column 'solt': did you mean 'sold'?": lambda: io.Recipe(target="solt").fit(FRAME),
    "there is no column 'Size': did you mean 'size'?": lambda: io.Recipe(target="sold", features=["Size"]).fit(FRAME),
    "there is no column 'zzzz': the table has 'size', 'count'": lambda: io.Recipe(target="sold", drop="zzzz").fit(
        FRAME
    ),
    "there is no column 'w'": lambda: io.Recipe(target="sold", weights="w").fit(FRAME),
    "no target was given; name the column": lambda: io.Recipe().fit(FRAME),
    "also target, weights or drop": lambda: io.Recipe(target="sold", features=["sold"]).fit(FRAME),
    "no columns are left": lambda: io.Recipe(target="sold", drop=FRAME.columns[:4]).fit(FRAME),
    "missing='mean' must be one of": lambda: io.Recipe(missing="mean"),
    "unseen=True must be one of": lambda: io.Recipe(unseen=True),  # type: ignore[arg-type]
    "standardize='yes' must be one of": lambda: io.Recipe(standardize="yes"),  # type: ignore[arg-type]
    "target=3 must be the name": lambda: io.Recipe(target=3),  # type: ignore[arg-type]
    "features=3 must be a list": lambda: io.Recipe(features=3),  # type: ignore[arg-type]
    "names a column twice": lambda: io.Recipe(features=["a", "a"]),
    "holds dates or times; .*days since": lambda: io.Recipe(target="t").fit(
        pl.DataFrame({"day": pl.Series(["2024-01-31"]).str.to_date(), "t": [1]})
    ),
    "neither a number nor text": lambda: io.Recipe(target="t").fit(pl.DataFrame({"x": [[1, 2]], "t": [1]})),
    "more than 1,000 different texts": lambda: io.Recipe(target="t").fit(
        pl.DataFrame({"id": [f"c{i}" for i in range(1500)], "t": [1] * 1500})
    ),
    "column 'x' is infinite in row 2": lambda: io.Recipe(target="t").fit(
        pl.DataFrame({"x": [1.0, float("inf")], "t": [1, 2]})
    ),
    "weights column 'w' holds -1": lambda: io.Recipe(target="t", weights="w").fit(
        pl.DataFrame({"x": [1, 2], "t": [1, 2], "w": [1, -1]})
    ),
    "has learned nothing yet": lambda: io.Recipe(target="sold").apply(FRAME),
    "holds 'red' in row 1, where a number should be": lambda: swapped("size", "color"),
    "is no table": lambda: io.Recipe().fit(3),
}


def swapped(name: str, other: str) -> None:
    recipe = io.Recipe(target="sold")
    recipe.fit(FRAME)
    recipe.apply(FRAME.with_columns(pl.col(other).alias(name)))


@pytest.mark.parametrize("sentence", WRONG)
def test_what_is_wrong_is_said_in_one_sentence(sentence: str) -> None:
    with pytest.raises(io.TableError, match=sentence.replace("?", r"\?")) as caught:
        WRONG[sentence]()
    assert len(str(caught.value)) < 900


def test_long_names_make_no_long_message() -> None:
    with pytest.raises(io.TableError) as caught:
        io.Recipe(target="y" * 5000).fit(pl.DataFrame({"x" * 5000: [1]}))
    assert len(str(caught.value)) < 900


# --- a recipe as data


def test_a_recipe_comes_back() -> None:
    frame = FRAME.with_columns(size=pl.Series([1.0, None, 1 / 3, 1e-300]))
    recipe = io.Recipe(target="sold", missing="median", standardize=True, drop=["count"], unseen="ignore")
    X, _, _ = recipe.fit(frame)
    again = io.Recipe.from_dict(json.loads(json.dumps(recipe.to_dict())))
    assert again.to_dict() == recipe.to_dict()
    assert np.array_equal(again.apply(frame), X)


@pytest.mark.parametrize(
    "change",
    [
        {"extra": 1},
        {"columns": [{"name": "size", "levels": None}]},
        {"columns": [{"name": "size", "levels": ["b", "a"], "fill": "a"}]},
        {"columns": [{"name": "size", "levels": [], "fill": None}]},
        {"columns": [{"name": "size", "levels": None, "fill": "x"}]},
        {"columns": 3},
        {"means": None},
        {"means": [1.0]},
        {"scales": [0.0] * 7},
        {"scales": [float("nan")] * 7},
        {"standardize": False},
        {"missing": "refuse"},
        {"target": "size"},
        {"features": ["count"]},
        {"block": {"name": "x", "base": 1, "width": 3}},
        {"block": {"name": "x"}},
    ],
)
def test_what_is_no_recipe_is_refused(change: dict[str, Any]) -> None:
    recipe = io.Recipe(target="sold", missing="median", standardize=True)
    recipe.fit(FRAME)
    with pytest.raises(io.TableError, match=r"this is not a recipe|unknown"):
        io.Recipe.from_dict(recipe.to_dict() | change)
    with pytest.raises(io.TableError, match="this is not a recipe"):
        io.Recipe.from_dict([])  # type: ignore[arg-type]
