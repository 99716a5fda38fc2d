"""Frames with levels, without a formula: the same as a formula of all columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from discriminant import LogisticDiscriminant, design, separability
from discriminant.formulas.frames import factors_of

Rng = np.random.Generator


@pytest.fixture
def frame(rng: Rng) -> pd.DataFrame:
    stage = rng.choice(["I", "II", "III"], 60)
    return pd.DataFrame({"age of": rng.normal(size=60), "stage": stage, "twice": rng.integers(0, 2, 60) > 0})


def made_of(frame: pd.DataFrame, kind: str) -> Any:
    if kind == "category":
        return frame.assign(stage=pd.Categorical(frame.stage, ["II", "I", "III"]))
    if kind == "polars":
        return pl.DataFrame(frame.to_dict("list"))
    return frame


@pytest.mark.parametrize("kind", ["text", "category", "polars"])
def test_a_frame_is_the_formula_of_all_its_columns(frame: pd.DataFrame, rng: Rng, kind: str) -> None:
    y = np.where((frame.stage == "III") | (rng.random(60) < 0.5), "yes", "no")
    reference = "II" if kind == "category" else "I"
    given = made_of(frame, kind)
    found = separability(given, y)
    formula = separability(
        "y ~ `age of` + stage + twice",
        data=pd.DataFrame(made_of(frame, "category" if kind == "category" else "text")).assign(y=y),
    )
    assert found.verdict == formula.verdict == "quasi"
    assert found.coefficients() == formula.coefficients()
    assert f"columns        held against: stage[{reference}]" in str(found)
    assert "stage[T.III]" in str(found)
    assert found.certificate.to_json() == formula.certificate.to_json()
    model = LogisticDiscriminant(penalty="firth").fit(*design(given, y))
    assert model.summary(tests="lr").names[2:4] == [
        f"stage[T.{level}]" for level in ("I", "II", "III") if level != reference
    ]
    assert model.likelihood_ratio("stage").df == 2


def test_the_reference_level_is_a_reason(frame: pd.DataFrame) -> None:
    y = np.where(frame.stage == "I", 1, np.arange(60) % 2)
    assert "stage[I]" in str(separability(frame, y))


def test_numbers_stay_numbers(frame: pd.DataFrame) -> None:
    y = np.arange(60) % 2
    plain = frame[["age of", "twice"]]
    assert factors_of(plain) == factors_of(plain.astype(object)) == factors_of(plain.to_numpy()) == []
    assert factors_of(sparse.csr_matrix(plain.to_numpy(float))) == []
    assert factors_of(pd.DataFrame({"a": ["1.5", "2"]})) == []
    assert factors_of(pd.DataFrame({"a": pd.Categorical([1, 2])})) == ["a"]
    assert "held against" not in str(separability(plain, y))


def test_many_levels_make_a_sparse_design(rng: Rng) -> None:
    frame = pd.DataFrame({"town": rng.integers(0, 300, 2000).astype(str)})
    frame["town"] = "t" + frame["town"]
    made = design(frame, np.arange(2000) % 2)
    assert sparse.issparse(made.X)
    assert separability(frame, np.arange(2000) % 2).verdict in ("overlap", "quasi")


def test_mistakes_are_told(frame: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match=r"y has the shape \(59,\), and X has 60 rows"):
        design(frame, np.zeros(59))
    with pytest.raises(ValueError, match="which no formula can name"):
        design(frame.rename(columns={"stage": "sta`ge"}), np.arange(60) % 2)
    with pytest.raises(ValueError, match=r"other things than numbers; encode it, as design\(X, y\) does"):
        LogisticDiscriminant().fit(frame, np.arange(60) % 2)
    with pytest.raises(ValueError, match="a text such as 'y ~ a \\+ b', or a data frame"):
        design(3, frame)
    with pytest.raises(ValueError, match="the response y is 1 in every row"):
        separability(frame, np.ones(60, int))
