"""Formulas: columns, names, reference levels, new rows, and every mistake in one sentence."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from logistic_cases import quiet
from numpy.testing import assert_allclose, assert_array_equal
from patsy import dmatrix
from scipy import sparse

from discriminant import LogisticDiscriminant, datasets, design, separability

STAGES = ["I", "II", "III"]


@pytest.fixture
def frame() -> pd.DataFrame:
    patients = datasets.endometrial()
    table = pd.DataFrame(patients.X, columns=list(patients.feature_names))
    stages = [STAGES[k % 3] for k in range(79)]
    return table.assign(HG=patients.y, stage=stages, grade=np.where(patients.y == 1, "low", "high"))


@pytest.mark.parametrize(
    "terms", ["NV + PI", "NV + C(stage)", "NV * stage", "PI:stage + EH", "np.log(PI + 1) + I(EH**2)", "center(PI)"]
)
def test_columns_are_those_of_patsy(frame: pd.DataFrame, terms: str) -> None:
    made = design(f"HG ~ {terms}", frame)
    theirs = dmatrix(terms, frame, return_type="dataframe").drop(columns="Intercept")
    assert sorted(made.feature_names) == sorted(theirs.columns)
    assert_allclose(made.X[list(theirs.columns)], theirs, rtol=1e-12)
    assert list(made.X.columns) == made.feature_names
    assert_array_equal(made.y, frame["HG"])
    assert_array_equal(made.rows, np.arange(79))
    factor = {"NV + C(stage)": "C(stage)", "NV * stage": "stage"}.get(terms)
    assert made.references == ({} if factor is None else {factor: "I"})


def test_every_kind_of_frame_gives_the_same(frame: pd.DataFrame) -> None:
    wanted = design("grade ~ NV + stage", frame)
    for other in (pl.from_pandas(frame), frame.to_dict("list"), frame.set_index("PI")):
        made = design("grade ~ NV + stage", other)
        assert_array_equal(made.X, wanted.X)
        assert_array_equal(made.y, wanted.y)
    ordered = frame.assign(stage=pd.Categorical(frame["stage"], categories=STAGES[::-1]))
    assert design("grade ~ stage", ordered).references == {"stage": "III"}
    assert design("HG ~ C(stage, contr.treatment('II'))", frame).feature_names[0].endswith("[T.I]")
    assert design("HG ~ C(stage, contr.sum)", frame).references == {}
    assert_array_equal(design("I(PI > 20) ~ NV", frame).y, frame["PI"] > 20)


def test_the_verdict_speaks_of_columns_and_levels(frame: pd.DataFrame) -> None:
    found = separability("HG ~ NV + PI + stage", data=frame)
    made = design("HG ~ NV + PI + stage", frame)
    assert found.verdict == "quasi"
    assert found.coefficients()["NV"] == "+inf"
    assert list(found.coefficients()) == ["intercept", "NV", "PI", "stage[T.II]", "stage[T.III]"]
    assert found.certificate.verify(*made)
    assert separability("HG ~ 0 + NV + PI", data=frame, intercept=False).certificate.n_features == 2
    lonely = frame.assign(stage=["IV", *frame["stage"][1:]])
    assert separability("HG ~ PI + stage", data=lonely).coefficients()["stage[T.IV]"] == "-inf"


def test_a_model_of_a_formula_names_its_coefficients_and_takes_new_rows(frame: pd.DataFrame) -> None:
    made = design("HG ~ PI + EH + stage", frame)
    model = LogisticDiscriminant(penalty="firth").fit(*made)
    assert model.summary().names == ["intercept", "PI", "EH", "stage[T.II]", "stage[T.III]"]
    assert model.likelihood_ratio("stage") == model.likelihood_ratio([2, 3])
    new = frame.iloc[[5, 1]].drop(columns="HG")
    assert_array_equal(made.apply(new), made.X.iloc[[5, 1]])
    assert_array_equal(made.apply(pl.from_pandas(new)), made.X.iloc[[5, 1]])
    assert_array_equal(model.predict(made.apply(new)), model.predict(made.X)[[5, 1]])
    with pytest.raises(ValueError, match="have the level 'IV', which those of the formula had not; drop such rows"):
        made.apply(new.assign(stage="IV"))
    with pytest.raises(ValueError, match="names 'stage', which is no column"):
        made.apply(new.drop(columns="stage"))


def test_a_factor_of_many_levels_is_sparse() -> None:
    rng = np.random.default_rng(0)
    table = {"y": rng.integers(2, size=2000), "x": rng.normal(size=2000), "shop": rng.integers(300, size=2000)}
    table["shop"] = np.array([f"s{k}" for k in table["shop"]])
    made = design("y ~ x + shop", table)
    assert sparse.issparse(made.X)
    dense = design("y ~ x", table)
    assert_allclose(made.X[:, [0]].toarray(), dense.X)
    for j in (1, 100):
        level = made.feature_names[j].removeprefix("shop[T.").removesuffix("]")
        assert_array_equal(made.X[:, [j]].toarray().ravel(), table["shop"] == level)
    assert_array_equal(made.reference_rows("shop"), table["shop"] == made.references["shop"])
    assert_array_equal(made.apply(table).toarray(), made.X.toarray())
    assert "stage" not in separability("y ~ x + shop", data=table).coefficients()


def test_missing_values_are_refused_or_dropped(frame: pd.DataFrame) -> None:
    gaps = frame.assign(PI=[np.nan, *frame["PI"][1:]], stage=[*frame["stage"][:-1], None])
    with pytest.raises(ValueError, match=r"misses a value that the formula needs, first in row 0; give missing='drop'"):
        design("HG ~ center(PI)", gaps)
    assert design("HG ~ EH", gaps).rows.size == 79
    made = design("HG ~ center(PI) + stage", gaps, missing="drop")
    assert_array_equal(made.rows, np.arange(1, 78))
    assert_array_equal(made.y, frame["HG"][1:78])
    with pytest.raises(ValueError, match="missing='median' must be one of"):
        design("HG ~ PI", gaps, missing="median")


def test_what_to_know_of_the_columns(frame: pd.DataFrame) -> None:
    lonely = frame.assign(stage=["IV", *frame["stage"][1:]])
    assert design("HG ~ stage", lonely).notes == [
        "the level stage[T.IV] has one row, which a penalty alone keeps from infinity; merge it with another."
    ]
    first = frame.assign(stage=["0", *frame["stage"][1:]])
    assert "the level stage[0] has one row" in design("HG ~ stage", first).notes[0]
    twice = design("HG ~ NV + I(2 * NV) + PI + I(NV + PI) + EH", frame)
    assert len(twice.notes) == 1
    assert twice.notes[0].startswith("I(2 * NV), I(NV + PI) can be computed from the columns before")
    assert design("HG ~ NV + PI + EH + stage", frame).notes == []


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("HG ~ NVV", "names 'NVV', which is no column of the data; did you mean 'NV'?"),
        ("HG ~ volume", "which is no column of the data; there are NV, PI, EH, HG"),
        ("HG ~ NV +", "cannot be read: Operator"),
        ("NV + PI", "must be one with one response; write it as 'y ~ a + b'."),
        ("~ NV", "must be one with one response"),
        ("HG ~ 1", "must be one with columns beside the intercept"),
        ("HG ~ 0 + NV", "must be one with an intercept; leave out 0 and -1."),
        ("one ~ NV", "the response one is 1 in every row; give rows of another value too."),
        ("HG ~ center(volume)", "cannot be computed"),
        ("HG ~ __import__('os').getcwd()", "cannot be"),
        (3, "formula=3 must be a text such as 'y ~ a + b'"),
    ],
)
def test_mistakes_are_told_in_one_sentence(frame: pd.DataFrame, formula: Any, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)) as error:
        design(formula, frame.assign(one=1))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("data", [None, [1, 2], "table.csv", {"HG": [0, 1], "NV": [1]}])
def test_data_that_are_no_frame_are_refused(data: Any) -> None:
    with pytest.raises(ValueError, match="a data frame"):
        design("HG ~ NV", data)


def test_an_intercept_is_said_twice(frame: pd.DataFrame) -> None:
    assert design("HG ~ 0 + NV", frame, intercept=False).feature_names == ["NV"]
    with pytest.raises(ValueError, match="must be one without an intercept; write 0"):
        separability("HG ~ NV", data=frame, intercept=False)


GAMES = {"place": ["a", "a", "b", "c"], "rain": [0, 1, 0, 0], "won": [3, 1, 7, 0], "lost": [5, 2, 0, 0]}


def test_counts_are_rows_of_either_outcome() -> None:
    made = design("cbind(won, lost) ~ rain + place", GAMES)
    assert_array_equal(made.rows, [0, 0, 1, 1, 2])
    assert_array_equal(made.y, [1, 0, 1, 0, 1])
    assert_array_equal(made.weights, [3, 5, 1, 2, 7])
    assert made.feature_names == ["rain", "place[T.b]"]
    assert made.notes == ["1 rows have no trials, and take no part."]
    trials = {**GAMES, "trials": np.add(GAMES["won"], GAMES["lost"])}
    other = design("cbind(won, trials - won) ~ rain + place", trials)
    assert_array_equal(other.X, made.X)
    assert_array_equal(other.weights, made.weights)


def test_the_verdict_looks_through_counts() -> None:
    """A cell with both outcomes overlaps; one without losses is separated."""
    found = separability("cbind(won, lost) ~ rain + place", data=GAMES)
    assert found.coefficients() == {"intercept": "finite", "rain": "finite", "place[T.b]": "+inf"}
    both = GAMES | {"lost": [5, 2, 1, 0]}
    assert separability("cbind(won, lost) ~ rain + place", data=both).verdict == "overlap"


@pytest.mark.parametrize("penalty", [None, "firth"])
def test_a_regression_of_counts_is_that_of_single_rows(penalty: str | None) -> None:
    made = design("cbind(won, lost) ~ rain + place", GAMES)
    times = made.weights.astype(int)
    grouped, single = (LogisticDiscriminant(penalty=penalty) for _ in range(2))
    rows = np.repeat(np.arange(made.y.size), times)
    quiet(grouped, *made, sample_weight=made.weights)
    quiet(single, made.X.iloc[rows], made.y[rows])
    ours, theirs = (model.summary(intervals="profile", tests="lr") for model in (grouped, single))
    assert_allclose(ours.interval, theirs.interval, rtol=1e-6)
    assert_allclose(ours.deviance, theirs.deviance, rtol=1e-9)


@pytest.mark.parametrize(
    ("response", "words"),
    [
        ("cbind(wonn, lost)", "names 'wonn', which is no column of the data; did you mean 'won'?"),
        ("cbind(won, rain - won)", "rain - won is -3 in a row; give whole numbers >= 0."),
        ("cbind(won, half)", "half is 0.5 in a row; give whole numbers >= 0."),
        ("cbind(none, none)", "no row has any trials"),
        ("cbind(won, none)", "in every row"),
    ],
)
def test_counts_that_are_none(response: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        design(f"{response} ~ rain", {**GAMES, "half": [0.5] * 4, "none": [0] * 4})


OFFSETS = {"g": [0, 1, 1, 0, 1, 0], "a": [1.0, 2, 3, 4, 2, 3], "e": [1.0, 2, 3, 4, 5, 6]}


@pytest.mark.parametrize(
    ("terms", "wanted"),
    [
        ("a + offset(e)", OFFSETS["e"]),
        ("offset(np.log(e)) + a", np.log(OFFSETS["e"])),
        ("offset(e) + a + offset(a)", np.add(OFFSETS["e"], OFFSETS["a"])),
    ],
)
def test_an_offset_is_no_column(terms: str, wanted: Any) -> None:
    made = design(f"g ~ {terms}", OFFSETS)
    assert made.feature_names == ["a"]
    np.testing.assert_allclose(made.offset, wanted)
    assert made.notes == ["the offset takes no part in the verdict, which is the same whatever it is."]
    assert design("g ~ a", OFFSETS).offset is None
    assert separability(f"g ~ {terms}", data=OFFSETS).verdict == separability("g ~ a", data=OFFSETS).verdict


def test_an_offset_of_counts_has_a_value_for_each_row() -> None:
    counts = OFFSETS | {"won": [1, 0, 2, 3, 1, 1], "lost": [1, 2, 0, 1, 1, 1]}
    made = design("cbind(won, lost) ~ a + offset(e)", counts)
    np.testing.assert_array_equal(made.offset, np.array(OFFSETS["e"])[made.rows])


def test_a_bad_offset_is_told() -> None:
    with pytest.raises(ValueError, match="names 'time', which is no column of the data"):
        design("g ~ a + offset(time)", OFFSETS)
    with pytest.raises(ValueError, match=r"offset\( is not closed"):
        design("g ~ a + offset(e", OFFSETS)
    with pytest.raises(ValueError, match="one with columns beside the intercept"):
        design("g ~ offset(e)", OFFSETS)


@pytest.mark.parametrize("penalty", [None, "firth"])
@pytest.mark.parametrize("separated", [False, True])
def test_grouped_data_are_their_rows_one_by_one(rng: np.random.Generator, penalty: Any, separated: bool) -> None:
    """The verdict, the fit, its table and the limiting model; cells without trials take no part."""
    cells = pd.DataFrame({"dose": np.tile([0.0, 1, 2, 3], 3), "place": np.repeat(["a", "b", "c"], 4)})
    cells["trials"] = rng.integers(0, 9, size=12)
    cells["won"] = rng.binomial(cells.trials, 0.2 + 0.2 * cells.dose)
    cells.loc[cells.place == "c", "won"] = cells.trials if separated else cells.trials // 2
    single = cells.loc[np.repeat(np.arange(12), cells.trials)].assign(
        y=np.concatenate([np.arange(t) < w for t, w in zip(cells.trials, cells.won, strict=True)]).astype(int)
    )
    formula = "cbind(won, trials - won) ~ dose + place"
    grouped, expanded = design(formula, cells), design("y ~ dose + place", single)
    verdicts = separability(formula, data=cells), separability("y ~ dose + place", data=single)
    assert len({found.verdict for found in verdicts}) == 1
    assert (verdicts[0].verdict == "quasi") == separated
    assert verdicts[0].coefficients() == verdicts[1].coefficients()
    ours = quiet(LogisticDiscriminant(penalty=penalty), *grouped, sample_weight=grouped.weights)
    wanted = quiet(LogisticDiscriminant(penalty=penalty), *expanded)
    one, other = (model.summary(intervals="profile", tests="lr") for model in (ours, wanted))
    for name in ("coef", "std_error", "interval", "statistic", "deviance"):
        assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-6, err_msg=name)
    if separated and penalty is None:
        ends = (np.unique(model.limiting_model().probabilities.round(6), axis=0) for model in (ours, wanted))
        assert_allclose(*ends, atol=1e-5)
