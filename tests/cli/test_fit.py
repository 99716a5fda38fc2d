"""``fit`` without a method, with rows held out, and with what its numbers are to be held against."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from portions import rest_in_ci

from discriminant import LogisticDiscriminant, datasets, io
from discriminant.cli.fit import _training_rows

from .conftest import Outcome

Inside = Callable[..., Outcome]


@pytest.fixture
def uneven(tmp_path: Path) -> Path:
    """Two overlapping classes; one feature is a thousand times as wide as the other."""
    rng = np.random.default_rng(3)
    y = np.arange(90) % 3 > 0
    X = rng.normal(size=(90, 2)) + y[:, None]
    frame = pl.DataFrame({"wide": X[:, 0] * 1000, "narrow": X[:, 1], "label": np.where(y, "yes", "no")})
    frame.write_csv(tmp_path / "uneven.csv")
    return tmp_path / "uneven.csv"


def test_the_default_serves(inside: Inside, uneven: Path, tmp_path: Path) -> None:
    found = inside("fit", uneven, "-t", "label", "-o", tmp_path / "m.json")
    assert "--method logistic with --standardize, because none was named" in found.out
    assert "always naming yes would get 30 wrong (33.33%)" in found.out
    model, recipe = io.load_with_recipe(tmp_path / "m.json")
    assert isinstance(model, LogisticDiscriminant)
    assert recipe.standardize
    facts = inside("fit", uneven, "-t", "label", "--json").json
    assert (facts["method"], facts["standardized"], facts["majority"]) == ("logistic", True, "yes")
    assert facts["train_error"] < facts["majority_error"] == pytest.approx(1 / 3)
    assert not inside("fit", uneven, "-t", "label", "--no-standardize", "--json").json["standardized"]


def test_a_sparse_table_is_not_standardized(inside: Inside, tables: Path) -> None:
    found = inside("fit", tables / "table.libsvm")
    assert (found.code, "--method logistic, because" in found.out) == (0, True)


def test_a_hint_where_features_differ_a_hundredfold(inside: Inside, uneven: Path) -> None:
    told = inside("fit", uneven, "-t", "label", "-m", "fisher").out
    assert "wide spreads 1,061 times" in told
    assert "as widely as narrow: --standardize" in told
    assert "hint" not in inside("fit", uneven, "-t", "label", "-m", "fisher", "--standardize").out
    assert "hint" not in inside("fit", "iris", "-m", "fisher").out


def test_rows_are_held_out_class_by_class(inside: Inside, uneven: Path, tmp_path: Path) -> None:
    line = ["fit", uneven, "-t", "label", "--test", "0.2", "-o", tmp_path / "m.json"]
    facts = inside(*line, "--json").json
    assert facts["rows"] == 72
    test = facts["test"]
    assert [each["rows"] for each in test["by_class"]] == [6, 12]
    assert inside(*line, "--seed", "1", "--json").json["test"] != test
    assert inside(*line, "--json").json == facts
    y = pl.read_csv(uneven)["label"].to_numpy()
    kept = _training_rows(y, 0.2, 0)
    model, recipe = io.load_with_recipe(tmp_path / "m.json")
    given = pl.read_csv(uneven).select("wide", "narrow").to_numpy()
    assert recipe.means == pytest.approx(given[kept].mean(axis=0))
    assert (model.predict(recipe.apply(pl.read_csv(uneven)))[~kept] != y[~kept]).sum() == test["errors"]
    assert "held out: " in inside(*line).out


def test_another_file_is_the_test(inside: Inside, uneven: Path, tmp_path: Path) -> None:
    frame = pl.read_csv(uneven)
    frame[:60].write_csv(tmp_path / "old.csv")
    frame[60:].write_csv(tmp_path / "new.csv.gz", compression="gzip")
    line = ["fit", tmp_path / "old.csv", "-t", "label", "--test", tmp_path / "new.csv.gz", "-o", tmp_path / "m.json"]
    test = inside(*line, "--json").json["test"]
    again = inside("score", tmp_path / "m.json", tmp_path / "new.csv.gz", "--json").json
    assert test["rows"] == 30
    assert {name: again[name] for name in test} == test


@pytest.mark.parametrize(
    ("share", "words"), [("1.5", "between 0 and 1"), ("0.001", "nothing would be held out"), ("none.csv", "no file")]
)
def test_what_is_no_test(inside: Inside, uneven: Path, share: str, words: str) -> None:
    found = inside("fit", uneven, "-t", "label", "--test", share)
    assert (found.code, words in found.err) == (2, True)


@pytest.mark.ci
@pytest.mark.parametrize("decimal", rest_in_ci([",", "."]))
def test_many_numbers_ask_for_a_regression(inside: Inside, tmp_path: Path, decimal: str) -> None:
    rows = [f"{i % 5};{20 + i / 2:g}".replace(".", decimal) for i in range(60)]
    (tmp_path / "a.csv").write_text("x;age\n" + "\n".join(rows) + "\n")
    found = inside("fit", tmp_path / "a.csv", "-t", "age")
    assert found.code == 2
    assert "60 different numbers from 20 to 49.5" in found.err
    assert "--method least-squares-regressor" in found.err
    warned = inside("fit", tmp_path / "a.csv", "-t", "age", "-m", "fisher")
    assert (warned.code, "Warning: --target age: it holds 60 different numbers" in warned.err) == (0, True)
    for command, classes in (["check"], ["--family", "classes"]), (["compare"], ["--methods", "fisher", "--cv", "0"]):
        refused = inside(*command, tmp_path / "a.csv", "-t", "age")
        assert refused.code == 2
        assert refused.err.split(";")[0] == found.err.split(";")[0]
        assert classes[0] in refused.err
        assert inside(*command, tmp_path / "a.csv", "-t", "age", *classes).code in (0, 3, 4)
    meant = inside("fit", tmp_path / "a.csv", "-t", "age", "-m", "least-squares-regressor", "--test", "0.25", "--json")
    assert (meant.code, meant.json["rows"], meant.json["test"]["rows"]) == (0, 45, 15)


def test_names_that_look_like_python_stay_as_they_are(inside: Inside, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,label\n1,max_iter\n2,max_iter\n3,max_iter\n4,report_\n")
    assert "always naming max_iter would" in inside("fit", tmp_path / "a.csv", "-t", "label").out


def test_few_numbers_are_classes(inside: Inside) -> None:
    assert inside("fit", "iris", "-m", "fisher").err == ""


def test_the_table_of_a_regression(inside: Inside, uneven: Path, tmp_path: Path) -> None:
    inside("fit", uneven, "-t", "label", "-m", "logistic", "-s", "penalty=none", "-o", tmp_path / "m.json")
    told = inside("explain", tmp_path / "m.json").out
    model = io.load(tmp_path / "m.json")
    assert "std error        z        p     2.5 %    97.5 %" in told
    assert f"narrow   {model.coef_[0, 1]:10.4f}" in told
    rows = inside("explain", tmp_path / "m.json", "--json").json["coefficients"]
    assert [row["coefficient"] for row in rows] == ["intercept", "wide", "narrow"]
    assert [row["estimate"] for row in rows] == model.summary().coef.tolist()
    assert [[row["low"], row["high"]] for row in rows] == model.summary().interval.tolist()
    inside("fit", uneven, "-t", "label", "-o", tmp_path / "m.json")
    assert inside("explain", tmp_path / "m.json", "--json").json["coefficients"] is None
    assert (
        "there are no standard errors: they belong to maximum likelihood; fit with --set penalty=none"
        in inside("explain", tmp_path / "m.json").out
    )


@pytest.mark.parametrize(
    ("data", "method"),
    [("xor", "perceptron"), ("xor", "balanced-winnow"), ("iris", "ho-kashyap"), ("iris", "min-over")],
)
def test_no_python_in_the_terminal(inside: Inside, data: str, method: str) -> None:
    found = inside("fit", data, "-m", method)
    for words in ("=True", "=None", "report_", "evidence_", "coef_", "(X, y)"):
        assert words not in found.out + found.err


def test_the_command_line_says_settings(inside: Inside) -> None:
    told = inside("fit", "xor", "-m", "perceptron").out
    assert "--set pocket=true keeps the weights with the fewest errors" in told


def test_a_model_of_held_out_rows_is_like_any_other(inside: Inside, tmp_path: Path) -> None:
    inside("fit", "iris", "--test", "0.5", "-o", tmp_path / "m.json")
    assert json.loads((tmp_path / "m.json").read_text())["procedure"] == "LogisticDiscriminant"
    assert io.load(tmp_path / "m.json").n_features_in_ == datasets.iris().X.shape[1]


@pytest.mark.parametrize(
    ("strategy", "words"),
    [("one-vs-rest", "for versicolor against the rest"), ("one-vs-one", "for versicolor against virginica")],
)
def test_problems_of_many_classes_go_by_their_names(inside: Inside, strategy: str, words: str) -> None:
    out = inside("fit", "iris", "-m", "min-over", "--set", f"multiclass={strategy}").out
    assert f"{words}, the smallest of 3" in out
    assert f"{words.removeprefix('for ')}: Evidence" in out
    assert "roblem 1" not in out


def test_a_regression_by_a_formula(inside: Inside, tmp_path: Path) -> None:
    patients = datasets.endometrial()
    columns = dict(zip(patients.feature_names, patients.X.T, strict=True))
    pl.DataFrame({**columns, "HG": patients.y}).write_csv(tmp_path / "a.csv")
    told = inside("fit", tmp_path / "a.csv", "--formula", "HG ~ NV + PI + EH")
    assert told.code == 0
    assert "Coefficients: NV +inf, PI finite, EH finite" in told.out
    assert "NV              inf                9.36   0.0022    1.2841       inf" in told.out
    firth = inside("fit", tmp_path / "a.csv", "--formula", "HG ~ NV + PI + EH", "-s", "penalty=firth", "--json").json
    wanted = LogisticDiscriminant(penalty="firth").fit(*patients).summary(intervals="profile", tests="lr")
    assert firth["coefficients"]["coefficient"] == ["intercept", "NV", "PI", "EH"]
    assert firth["coefficients"]["low"] == pytest.approx(wanted.interval[:, 0].tolist())
    assert firth["aic"] == pytest.approx(wanted.aic)
    cells = pl.read_csv(tmp_path / "a.csv").group_by("NV").agg(high=pl.col("HG").sum(), n=pl.len()).sort("NV")
    cells.write_csv(tmp_path / "cells.csv")
    grouped = inside("fit", tmp_path / "cells.csv", "--formula", "cbind(high, n - high) ~ NV", "--json").json
    single = inside("fit", tmp_path / "a.csv", "--formula", "HG ~ NV", "--json").json
    assert grouped["deviance"] == pytest.approx(single["deviance"])
    assert grouped["coefficients"]["low"][1] == pytest.approx(single["coefficients"]["low"][1])
    ridge = inside("fit", tmp_path / "a.csv", "--formula", "HG ~ NV", "-s", "penalty=l2")
    assert (ridge.code, "there are no likelihood ratios" in ridge.err) == (0, True)
    for option in (["-o", "m.json"], ["--test", "0.2"], ["-m", "fisher"], ["--standardize"], ["--weights", "PI"]):
        refused = inside("fit", tmp_path / "a.csv", "--formula", "HG ~ NV", *option)
        assert (refused.code, "with a formula `fit` reports a logistic regression" in refused.err) == (2, True)


@pytest.mark.parametrize("command", ["check", "fit"])
@pytest.mark.parametrize(
    ("formula", "words", "fails"),
    [
        ("y ~ agee", "names 'agee', which is no column of the data; did you mean 'age'?", True),
        ("y ~ age + stage", "the level stage[T.III] has one row, which a penalty alone keeps from infinity", False),
        ("y ~ age + twice", "twice can be computed from the columns before; leave out what says the same twice", False),
        ("one ~ age", "the response one is 1 in every row; give rows of another value too.", True),
        ("cbind(won, n - won) ~ age", "no row has any trials; give counts above zero.", True),
        ("y ~ age + offset(time)", "names 'time', which is no column of the data", True),
        ("y ~ age + offset(twice)", "the offset takes no part in the verdict, which is the same whatever it is", False),
    ],
)
def test_what_is_wrong_with_a_formula_is_told_in_one_sentence(
    inside: Inside, tmp_path: Path, command: str, formula: str, words: str, fails: bool
) -> None:
    age = np.array([1.0, 2, 3, 4, 2.5, 1.5])
    table = {"y": [0, 1, 1, 0, 1, 0], "age": age, "twice": 2 * age, "stage": ["I", "II", "II", "I", "III", "I"]}
    pl.DataFrame(table).with_columns(one=1, won=0, n=0).write_csv(tmp_path / "a.csv")
    told = inside(command, tmp_path / "a.csv", "--formula", formula)
    assert (told.code == 2) == fails
    found = [line for line in (told.out + told.err).splitlines() if words in line]
    assert len(found) == 1
    assert ".." not in found[0]


def test_an_offset_in_a_formula(inside: Inside, tmp_path: Path, rng: np.random.Generator) -> None:
    X = rng.normal(size=(80, 2))
    y = (rng.random(80) < 1 / (1 + np.exp(-X.sum(axis=1)))).astype(int)
    pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y}).write_csv(tmp_path / "a.csv")
    told = inside("fit", tmp_path / "a.csv", "--formula", "y ~ a + offset(b)", "--json").json
    wanted = LogisticDiscriminant(penalty=None).fit(X[:, :1], y, offset=X[:, 1])
    table = wanted.summary(intervals="profile", tests="lr")
    assert told["deviance"] == pytest.approx(wanted.deviance_)
    assert told["coefficients"]["estimate"] == pytest.approx(table.coef.tolist())
