"""``score``: the error with its interval, the confusions, and how far probabilities can be trusted."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, confusion_matrix, log_loss, roc_auc_score

from discriminant import io
from discriminant.cli._measures import wilson

from .conftest import Outcome

Inside = Callable[..., Outcome]


def noisy(n: int, classes: int) -> pl.DataFrame:
    """Rows whose class is where the largest of some numbers stands, mostly."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(n, classes))
    labels = np.array(["bird", "cat", "dog", "eel"])[(X + rng.normal(size=X.shape)).argmax(axis=1)]
    return pl.DataFrame({f"x{j}": X[:, j] for j in range(classes)}).with_columns(animal=pl.Series(labels))


@pytest.mark.parametrize("classes", [2, 4])
def test_the_numbers_are_those_of_other_libraries(inside: Inside, tmp_path: Path, classes: int) -> None:
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    frame = noisy(400, classes)
    frame[:200].write_csv(old)
    frame[200:].write_csv(new)
    inside("fit", old, "-t", "animal", "-o", tmp_path / "m.json")
    facts = inside("score", tmp_path / "m.json", new, "--json").json
    model, recipe = io.load_with_recipe(tmp_path / "m.json")
    X, y = recipe.apply(io.read(new)), frame["animal"][200:].to_numpy()
    P, said = model.predict_proba(X), model.predict(X)
    names = model.classes_.tolist()
    assert facts["classes"] == names
    assert facts["confusion"] == confusion_matrix(y, said, labels=names).tolist()
    assert (facts["errors"], facts["rows"], facts["error"]) == ((said != y).sum(), 200, np.mean(said != y))
    assert facts["log_loss"] == pytest.approx(log_loss(y, P))
    scores, more = (P[:, 1], {}) if classes == 2 else (P, {"multi_class": "ovr"})
    assert facts["auc"] == pytest.approx(roc_auc_score(y, scores, **more))
    right = P[np.arange(200), [names.index(label) for label in y]]
    if classes == 2:
        assert facts["brier"] == pytest.approx(brier_score_loss(y, P[:, 1], pos_label=names[1]))
        observed, predicted = calibration_curve(y == names[1], P[:, 1], n_bins=10)
        assert [each["observed"] for each in facts["calibration"]["bins"]] == pytest.approx(observed)
        assert [each["predicted"] for each in facts["calibration"]["bins"]] == pytest.approx(predicted)
    else:
        assert facts["brier"] == pytest.approx(np.mean((1 - right) ** 2 + (P**2).sum(axis=1) - right**2))
    by_class = {each["class"]: each for each in facts["by_class"]}
    assert by_class["cat"]["errors"] == (said[y == "cat"] != "cat").sum()
    counts = [int((y == name).sum()) for name in names]
    assert facts["majority_error"] == pytest.approx(1 - max(counts) / 200)


@pytest.mark.parametrize(
    ("errors", "rows", "ends"),
    [(81, 263, (0.2553, 0.3662)), (15, 148, (0.0624, 0.1605)), (0, 20, (0.0, 0.1611)), (1, 29, (0.0061, 0.1718))],
)
def test_the_interval_is_wilsons(errors: int, rows: int, ends: tuple[float, float]) -> None:
    """The table of R. G. Newcombe, Statistics in Medicine 17 (1998), method 3."""
    assert wilson(errors, rows) == pytest.approx(ends, abs=5e-5)


def test_it_is_told_in_words(inside: Inside, tmp_path: Path) -> None:
    noisy(300, 2).write_csv(tmp_path / "a.csv")
    inside("fit", tmp_path / "a.csv", "-t", "animal", "-o", tmp_path / "m.json")
    told = inside("score", tmp_path / "m.json", tmp_path / "a.csv")
    assert (told.code, told.err) == (0, "")
    first = "of 300 rows wrong, "
    assert all(words in told.out for words in (first, "interval", "Wilson", "Always naming", "log loss", "AUC"))
    assert "true \\ predicted  bird  cat" in told.out
    assert "probability of cat" in told.out


def test_a_model_without_probabilities_has_fewer_numbers(inside: Inside, tmp_path: Path) -> None:
    noisy(100, 2).write_csv(tmp_path / "a.csv")
    inside("fit", tmp_path / "a.csv", "-t", "animal", "-m", "svm", "-o", tmp_path / "m.json")
    facts = inside("score", tmp_path / "m.json", tmp_path / "a.csv", "--json").json
    assert facts["auc"] > 0.5
    assert facts["log_loss"] is facts["calibration"] is facts["brier"] is None
    refused = inside("predict", tmp_path / "m.json", tmp_path / "a.csv", "--probabilities")
    assert (refused.code, "--set probability=true" in refused.err) == (2, True)


def test_many_classes_are_told_by_rank(inside: Inside, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(15), 8)
    frame = pl.DataFrame({"x": y + rng.normal(size=120), "z": y**2 / 9 + rng.normal(size=120), "target": y})
    frame.write_csv(tmp_path / "a.csv")
    inside("fit", tmp_path / "a.csv", "-m", "fisher", "-o", tmp_path / "m.json")
    told = inside("score", tmp_path / "m.json", tmp_path / "a.csv").out
    assert "\\ predicted" not in told
    assert "true  taken for  rows" in told


LABELS: dict[str, tuple[str, Any, int]] = {
    "as they were": ("x,label\n1,0\n2,0\n4,1\n5,1\n", [], 0),
    "numbers that the fit knew, and a word": ("x,label\n1,0\n2,0\n4,1\n5,none\n", ["none"], 1),
    "written otherwise": ("x,label\n1,0.0\n2,0.0\n4,1.0\n5,1.0\n", [], 0),
    "one that is new": ("x,label\n1,0\n5,7\n", ["7"], 1),
}


@pytest.mark.parametrize("case", LABELS)
def test_labels_are_compared_by_what_they_mean(inside: Inside, tmp_path: Path, case: str) -> None:
    text, unknown, errors = LABELS[case]
    (tmp_path / "old.csv").write_text("x,label\n1,0\n2,0\n4,1\n5,1\n")
    (tmp_path / "new.csv").write_text(text)
    inside("fit", tmp_path / "old.csv", "-t", "label", "-o", tmp_path / "m.json")
    facts = inside("score", tmp_path / "m.json", tmp_path / "new.csv", "--json").json
    assert (facts["errors"], facts["unknown_labels"], facts["unknown_rows"]) == (errors, unknown, len(unknown))
    assert ("does not know" in inside("score", tmp_path / "m.json", tmp_path / "new.csv").out) == bool(unknown)


def test_gaps_are_refused_or_left_out(inside: Inside, tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_text("x,label\n1,a\n2,a\n4,b\n5,b\n")
    (tmp_path / "new.csv").write_text("x,label\n1,a\n,a\n4,\n5,b\n")
    (tmp_path / "gap.csv").write_text("x,label\n1,a\n4,\n")
    inside("fit", tmp_path / "old.csv", "-t", "label", "-o", tmp_path / "m.json")
    refused = inside("score", tmp_path / "m.json", tmp_path / "new.csv")
    assert (refused.code, "lacks a value in row 2" in refused.err, "--missing drop" in refused.err) == (2, True, True)
    assert "'label' lacks a value in row 2" in inside("score", tmp_path / "m.json", tmp_path / "gap.csv").err
    found = inside("score", tmp_path / "m.json", tmp_path / "new.csv", "--missing", "drop", "--json")
    assert (found.json["rows"], found.err) == (2, "2 of 4 rows left out, which lack a value.\n")
    absent = inside("score", tmp_path / "m.json", tmp_path / "new.csv", "-t", "lable")
    assert (absent.code, "did you mean 'label'?" in absent.err) == (2, True)


def test_a_regression_is_scored_by_squares(inside: Inside, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,price\n1,1.50\n2,2.50\n3,3\n")
    inside("fit", tmp_path / "a.csv", "-t", "price", "-m", "least-squares-regressor", "-o", tmp_path / "m.json")
    facts = inside("score", tmp_path / "m.json", tmp_path / "a.csv", "--json").json
    y, said = np.array([1.5, 2.5, 3]), io.load(tmp_path / "m.json").predict([[1.0], [2.0], [3.0]])
    assert facts["mean_squared_error"] == pytest.approx(np.mean((y - said) ** 2))
    assert facts["r2"] == pytest.approx(1 - np.mean((y - said) ** 2) / y.var())
    assert "root mean squared error" in inside("score", tmp_path / "m.json", tmp_path / "a.csv").out


def test_new_files_are_read_as_the_first_one_was(inside: Inside, tmp_path: Path) -> None:
    """The model's file remembers encoding, decimal commas, signs of missing and the lack of names."""
    text = "1,5;grün;a\n2,5;rot;a\n4,5;grün;b\n5,5;rot;b\n-9;rot;b\n".encode("latin-1")
    (tmp_path / "old.csv").write_bytes(text)
    (tmp_path / "new.csv.gz").write_bytes(gzip.compress(text))
    said = ["--no-header", "--encoding", "latin-1", "--decimal", ",", "--na", "-9", "--missing", "median"]
    assert inside("fit", tmp_path / "old.csv", *said, "-t", "3", "-o", tmp_path / "m.json").code == 0
    facts = inside("score", tmp_path / "m.json", tmp_path / "new.csv.gz", "--json").json
    assert (facts["rows"], facts["target"]) == (5, "column_3")
    said = inside("predict", tmp_path / "m.json", tmp_path / "old.csv", "--probabilities", "--json").json
    assert set(said["probabilities"]) == {"a", "b"}
    assert np.add(said["probabilities"]["a"], said["probabilities"]["b"]) == pytest.approx(1)
    other = tmp_path / "other.csv"
    other.write_text("1.5,grün\n")
    assert inside("predict", tmp_path / "m.json", other, "--encoding", "utf-8", "--decimal", ".", "--json").code == 0
    frame = pl.DataFrame({"column_1": [1.5], "column_2": ["rot"]})
    frame.write_parquet(tmp_path / "new.parquet")
    assert inside("predict", tmp_path / "m.json", tmp_path / "new.parquet", "--json").json["predictions"] == ["a"]


def test_one_table_only_from_standard_input(inside: Inside) -> None:
    assert "read once" in inside("score", "-", "-").err
