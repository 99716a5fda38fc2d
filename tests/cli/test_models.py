"""``fit``, ``predict``, ``explain`` and ``export``: models between processes, through pipes, in every format."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from discriminant import Perceptron, PiecewiseLinearMachine, SupportVectorMachine, datasets, io

from .conftest import COMMAND, LABELS, Outcome, X, command, environment, shell

FIT = {
    "format", "version", "method", "class", "parameters", "target", "features", "classes", "rows", "errors",
    "train_error", "majority", "majority_error", "standardized", "mean_squared_error", "status", "finished", "report",
    "model", "interrupted", "test",
}  # fmt: skip


@pytest.fixture(scope="module")
def model(tables: Path) -> Path:
    """A model of the customers, written by another process."""
    path = tables / "model.json"
    found = command("fit", tables / "customers.csv", "--target", "churned", "-m", "perceptron", "-o", path, "--json")
    assert found.code == 0
    assert str(path) in found.err
    facts = found.json
    assert set(facts) == FIT
    assert facts["class"] == "Perceptron"
    assert facts["features"] == ["x0", "x1", "color=blue", "color=green", "color=red"]
    assert facts["classes"] == ["no", "yes"]
    assert (facts["rows"], facts["train_error"], facts["status"]) == (8, 0.0, "SEPARATED")
    return path


def test_prediction_is_that_of_the_library(model: Path, tables: Path) -> None:
    found = command("predict", model, tables / "customers.csv", "--json", "--scores")
    assert (found.code, found.err) == (0, "")
    recipe = io.load_with_recipe(model)[1]
    assert recipe is not None
    matrix = recipe.apply(io.read(tables / "customers.csv"))
    again = Perceptron(random_state=0).fit(matrix, LABELS)
    assert found.json["predictions"] == LABELS.tolist()
    assert found.json["scores"]["yes"] == again.decision_function(matrix).tolist()  # bit for bit


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow", "feather", "jsonl", "npz"])
def test_output_format_follows_the_name(
    inside: Callable[..., Outcome], model: Path, tables: Path, tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"scored.{ending}"
    found = inside("predict", model, tables / "customers.csv", "-o", path)
    assert (found.code, found.out) == (0, "")
    assert str(path) in found.err
    frame = io.read(path)
    assert frame.columns == ["x0", "x1", "color", "churned", "prediction"]
    assert frame["prediction"].to_list() == LABELS.tolist()
    assert np.array_equal(frame.select("x0", "x1").to_numpy(), X)


def test_target_is_ignored_and_standard_input_is_csv(model: Path, tables: Path) -> None:
    changed = pl.read_csv(tables / "customers.csv").with_columns(churned=pl.lit("maybe"))
    found = command("predict", model, "-", stdin=changed.write_csv())
    assert (found.code, found.err) == (0, "")
    frame = pl.read_csv(found.out.encode())
    assert frame["prediction"].to_list() == LABELS.tolist()
    assert set(frame["churned"]) == {"maybe"}


def test_target_may_be_absent(inside: Callable[..., Outcome], model: Path, tables: Path, tmp_path: Path) -> None:
    pl.read_csv(tables / "customers.csv").drop("churned").write_csv(tmp_path / "new.csv")
    assert inside("predict", model, tmp_path / "new.csv", "--json").json["predictions"] == LABELS.tolist()


@pytest.mark.ci
def test_one_pipe_from_data_to_predictions(tables: Path) -> None:
    line = (
        "discriminant fit customers.csv -t churned -m svm -o - --quiet | tee piped.json"
        " | discriminant predict - customers.csv --column guess"
    )
    found = shell(line, tables)
    assert (found.code, found.err) == (0, "")
    assert pl.read_csv(found.out.encode())["guess"].to_list() == LABELS.tolist()
    assert isinstance(io.load(tables / "piped.json"), SupportVectorMachine)


def test_report_goes_to_stderr_beside_a_model_on_stdout(inside: Callable[..., Outcome]) -> None:
    found = inside("fit", "or-function", "-m", "perceptron", "-o", "-")
    assert json.loads(found.out)["procedure"] == "Perceptron"
    assert "corrections" in found.err


def test_sparse_tables(inside: Callable[..., Outcome], tables: Path, tmp_path: Path) -> None:
    inside("fit", tables / "table.libsvm", "-m", "svm", "-o", tmp_path / "m.json")
    found = inside("predict", tmp_path / "m.json", tables / "table.svm")
    assert found.out == "target,prediction\n" + "0,0\n" * 4 + "1,1\n" * 4


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("ho-kashyap", "HoKashyap"),
        ("svm", "SupportVectorMachine"),
        ("logistic", "LogisticDiscriminant"),
        ("mlp", "MultilayerPerceptron"),
        ("fisher", "FisherDiscriminant"),
        ("min-over", "MinOver"),
        ("perceptron-pocket", "Perceptron"),
        ("Support_Vector_Machine", "SupportVectorMachine"),
        ("ridge-regressor", "RidgeRegressor"),
    ],
)
def test_methods_by_name(inside: Callable[..., Outcome], tmp_path: Path, method: str, kind: str) -> None:
    path = tmp_path / "model.json"
    found = inside("fit", "table-1-2", "--method", method, "-o", path, "--json")
    assert (found.code, found.json["class"]) == (0, kind)
    assert type(io.load(path)).__name__ == kind
    assert (found.json["classes"] is None) == (kind == "RidgeRegressor")
    assert (found.json["mean_squared_error"] is None) == (kind != "RidgeRegressor")
    told = inside("explain", path, "--json")
    assert (told.code, told.json["class"]) == (0, kind)
    assert (told.json["discriminants"] is None) == (kind == "MultilayerPerceptron")


def test_settings_are_parameters(inside: Callable[..., Outcome]) -> None:
    settings = ["C=inf", "kernel=gaussian", "probability=false", "tol=1e-4"]
    line = [word for setting in settings for word in ("--set", setting)]
    given = inside("fit", "table-1-2", "-m", "svm", *line, "--json").json["parameters"]
    assert {name: given[name] for name in ("C", "kernel", "probability", "tol")} == {
        "C": "inf", "kernel": "gaussian", "probability": False, "tol": 1e-4,
    }  # fmt: skip
    hidden = inside("fit", "xor", "-m", "mlp", "--set", "hidden=(3,)", "--set", "max_iter=5", "--seed", "7", "--json")
    assert hidden.json["parameters"]["hidden"] == [3]
    assert hidden.json["parameters"]["random_state"] == 7


def test_a_fit_that_does_not_finish_warns(inside: Callable[..., Outcome]) -> None:
    found = inside("fit", "xor", "-m", "perceptron")
    assert found.code == 0
    cycles = "Perceptron: cycles: the same weights came back, so that the corrections repeat for ever"
    assert found.err == f"Warning: {cycles}.\n"  # the report says the rest
    assert found.out.startswith(f"{cycles}\n")
    assert "remedy" in found.out
    assert "2 of 4 rows (50.00%)" in found.out
    assert inside("fit", "xor", "--quiet").err == ""


def test_weights_count(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    rows = [("0", 0, 1), ("1", 0, 1), ("1", 1, 5), ("2", 1, 1), ("3", 1, 0)]
    path = tmp_path / "weights.csv"
    path.write_text("x,target,w\n" + "".join(f"{x},{y},{w}\n" for x, y, w in rows))
    table = [np.array([[float(x)] for x, *_ in rows]), np.array([y for _, y, _ in rows]), [w for *_, w in rows]]
    from discriminant import LeastSquares

    expected = LeastSquares().fit(table[0], table[1], sample_weight=table[2])
    inside("fit", path, "--weights", "w", "-m", "least-squares", "-o", tmp_path / "m.json")
    fitted = io.load(tmp_path / "m.json")
    assert np.array_equal(fitted.coef_, expected.coef_)
    assert fitted.n_features_in_ == 1


def test_missing_values_and_new_levels(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    path, new = tmp_path / "gaps.csv", tmp_path / "new.csv"
    path.write_text("a,color,label\n1,red,x\n,red,x\n3,blue,y\n5,,y\n")
    new.write_text("a,color\n2,red\n,green\n")
    dropped = inside("fit", path, "-t", "label", "--missing", "drop", "-o", tmp_path / "d.json", "--json")
    assert dropped.json["rows"] == 2
    filled = inside("fit", path, "-t", "label", "--missing", "median", "-o", tmp_path / "m.json", "--json")
    assert filled.json["rows"] == 4
    scored = inside("predict", tmp_path / "m.json", new, "--unseen", "ignore", "--json")
    assert (scored.code, len(scored.json["predictions"])) == (0, 2)
    kept = inside("predict", tmp_path / "d.json", new, "--missing", "drop", "--json")
    assert (kept.code, len(kept.json["predictions"])) == (0, 1)


def test_explanation_in_words(inside: Callable[..., Outcome], model: Path) -> None:
    found = inside("explain", model, "--top", "2")
    assert found.code == 0
    assert "a row is taken for yes where g(x) is zero or more, for no where it is less" in found.out
    assert "\n  g(x) = " in found.out
    assert "… and 3 more" in found.out
    assert "separated: every training pattern lies strictly on its own side" in found.out
    facts = inside("explain", model, "--json").json
    weights = facts["discriminants"][0]["weights"]
    sizes = [abs(weights[row["feature"]]) for row in facts["ranking"]]
    assert sizes == sorted(sizes, reverse=True)
    assert all((row["speaks_for"] == "yes") == (weights[row["feature"]] > 0) for row in facts["ranking"] if row["size"])


def test_explanation_of_many_classes(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    inside("fit", "iris", "-m", "svm", "--standardize", "-o", path)
    found = inside("explain", path)
    assert "g(x), versicolor against setosa = " in found.out
    assert "Each feature is standardized first" in found.out
    inside("fit", "iris", "-m", "fisher", "-o", path)
    assert "g(x), virginica = " in inside("explain", path).out


def test_explanation_has_the_coefficients_of_many_classes(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    inside("fit", "iris", "-m", "logistic", "--set", "penalty=firth", "-o", path)
    found = inside("explain", path)
    assert "versicolor: intercept" in found.out
    assert "Each class is held against setosa." in found.out
    rows = inside("explain", path, "--json").json["coefficients"]
    assert [row["coefficient"].partition(":")[0] for row in rows] == ["versicolor"] * 5 + ["virginica"] * 5
    inside("fit", "iris", "-m", "logistic", "--set", "penalty=none", "-o", path)
    assert "the estimate is infinite; take --set penalty=firth" in inside("explain", path).out


def test_onnx(model: Path, tables: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    path = tables / "model.onnx"
    found = command("export", model, path, "--json")
    assert (found.code, found.json["output"]) == (0, str(path))
    session = onnxruntime.InferenceSession(str(path))
    assert session.get_outputs()


@pytest.mark.ci
@pytest.mark.parametrize(
    ("verb", "output", "told"),
    [
        ("fit", "model.json", "The model learned so far is in model.json."),
        ("plot", "picture.png", "Ctrl-C came before the end of the fit: nothing is drawn."),
    ],
)
def test_interrupt_of_a_long_fit(verb: str, output: str, told: str, tmp_path: Path) -> None:
    """Ctrl-C in the middle of a fit that would take very long: a model is written, a picture is not drawn."""
    X, y = datasets.overlap(20_000, 5, random_state=0)
    frame = pl.DataFrame({f"x{j}": X[:, j] for j in range(5)}).with_columns(target=pl.Series(y))
    frame.write_parquet(tmp_path / "overlap.parquet")
    line = [COMMAND, verb, "overlap.parquet", "-m", "perceptron", "--set", "max_iter=100000000", "-o", output, "--json"]
    process = subprocess.Popen(
        line, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert process.stderr is not None
    assert process.stderr.readline().startswith("Fitting Perceptron to 20,000 rows")
    time.sleep(1)  # it says so before it begins: Ctrl-C between the two would find no fit
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told in err
    assert "Traceback" not in err
    facts = json.loads(out)
    assert (facts["interrupted"], facts["status"]) == (True, "STOPPED")
    if verb == "fit":
        assert io.load(tmp_path / output).predict(X).shape == y.shape
    assert (tmp_path / output).exists() == (verb == "fit")


def wait_until_idle(pid: int) -> None:
    """Until a process has worked, and then not for half a second: it waits for what it is to read."""
    stat, used, still = Path(f"/proc/{pid}/stat"), 0, 0
    while still < 5:
        time.sleep(0.1)
        now = sum(map(int, stat.read_text().rpartition(")")[2].split()[11:13]))
        still = still + 1 if now == used > 10 else 0
        used = now


def test_interrupt_before_the_fit(tmp_path: Path) -> None:
    """Ctrl-C while the command waits for its data: one word, the code of an interrupt, no file."""
    process = subprocess.Popen(
        [COMMAND, "fit", "-", "-o", "model.json"], cwd=tmp_path, env=environment(), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    wait_until_idle(process.pid)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "Interrupted.\n")
    assert not list(tmp_path.iterdir())


def test_of_many_classes_the_first_discriminants_are_told(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    x = np.arange(60) % 15
    pl.DataFrame({"x": x + np.arange(60) / 100, "y": [f"class {k}" for k in x]}).write_csv(tmp_path / "many.csv")
    inside("fit", tmp_path / "many.csv", "-o", tmp_path / "m.json")
    out = inside("explain", tmp_path / "m.json").out
    assert (out.count("g(x), class"), "… and 3 more, which --json has" in out) == (12, True)
    assert len(inside("explain", tmp_path / "m.json", "--json").json["discriminants"]) == 15


def test_text_has_no_table_of_coefficients_but_a_formula_has(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"x": rng.normal(size=90), "kind": ["a", "b", "c"] * 30, "y": rng.integers(2, size=90)})
    frame.write_csv(tmp_path / "kinds.csv")
    inside("fit", tmp_path / "kinds.csv", "-s", "penalty=none", "-o", tmp_path / "m.json")
    assert "`discriminant fit --formula` leaves out a level" in inside("explain", tmp_path / "m.json").out
    assert "kind[T.b]" in inside("fit", tmp_path / "kinds.csv", "--formula", "y ~ x + kind").out


def test_levels_and_copied_columns_stay_as_they_are_written(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    """A postal code of digits alone is still the level that it was, and 007 is not 7 behind the prediction."""
    (tmp_path / "old.csv").write_text("code,size,label\n01234,1,0\nA1,2,1\nB2,3,1\n")
    (tmp_path / "new.csv").write_text("id,code,size,label\n007,01234,1,NA\n008,01234,2,x\n")
    inside("fit", tmp_path / "old.csv", "-t", "label", "-m", "least-squares", "-o", tmp_path / "model.json")
    found = inside("predict", tmp_path / "model.json", tmp_path / "new.csv")
    assert (found.code, found.err) == (0, "")
    assert [line.split(",")[:3] for line in found.out.splitlines()[1:]] == [
        ["007", "01234", "1"],
        ["008", "01234", "2"],
    ]
    assert inside("predict", tmp_path / "model.json", tmp_path / "new.csv", "-o", tmp_path / "new.parquet").code == 0
    assert pl.read_parquet(tmp_path / "new.parquet")["id"].to_list() == [7, 8]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_predictions_of_a_table_in_portions(
    inside: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    from discriminant.io import _chunks, tables

    X = np.random.default_rng(0).normal(size=(500, 2))
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "label": (X[:, 0] > X[:, 1]).astype(int)})
    frame.write_csv(tmp_path / "a.csv")
    model, data, scored = tmp_path / "model.json", tmp_path / "a.csv", tmp_path / f"scored.{ending}"
    inside("fit", data, "-t", "label", "-m", "fisher", "-o", model)
    whole = inside("predict", model, data, "--scores", "--json").json
    monkeypatch.setattr(_chunks, "CHUNK", 2000)
    monkeypatch.setattr(tables, "CHUNK", 2000)
    parts = inside("predict", model, data, "--scores", "--json", "-o", scored)
    assert parts.json == whole
    assert "500 rows" in parts.err
    written = io.read(scored)
    assert written["prediction"].to_list() == whole["predictions"]
    assert written["prediction:1"].to_list() == whole["scores"]["1"]
    assert written.columns == ["a", "b", "label", "prediction", "prediction:1"]
    with data.open("a") as file:
        file.write("1,,0\n")
    found = inside("predict", model, data, "-o", scored)
    remedy = "fill it in, or leave such rows out (--missing drop)"
    assert (found.code, found.err) == (2, f"Error: column 'b' lacks a value in row 501; {remedy}.\n")
    assert io.read(scored).equals(written)


def test_pipes_in_place_of_files(tables: Path) -> None:
    """``<(command)`` is a file that can be read only once."""
    model = command("fit", tables / "table.csv", "-m", "fisher", "-o", "-", "--quiet").out
    pipes = [os.pipe() for _ in range(2)]
    for (_, end), text in zip(pipes, (model, (tables / "table.csv").read_text()), strict=True):
        with open(end, "w") as writer:
            writer.write(text)
    found = command("predict", "--format", "csv", "--json", *(f"/dev/fd/{begin}" for begin, _ in pipes))
    for begin, _ in pipes:
        os.close(begin)
    assert (found.code, found.err) == (0, "")
    assert found.json["predictions"] == [0, 0, 0, 0, 1, 1, 1, 1]


PLANTED = {  # by strategy: the weights of three features (one a column), and the class that each speaks for
    "two-category": ([[2.0, -3.0, 0.0]], ["b", "a", None]),
    # Only differences count: all weights of the first feature are negative, all of the third are equal.
    "one-vs-rest": ([[-1.0, 0.0, 5.0], [-2.0, 1.0, 5.0], [-3.0, -4.0, 5.0]], ["a", "b", None]),
    "kesler": ([[-9.0, 3.0, 5.0], [-9.0, 4.0, 5.0], [-8.0, 0.0, 5.0]], ["c", "b", None]),
    # Pairs b against a, c against a, c against b: the first feature loses c both of its pairs, whatever their size; the
    # second makes b win both; the third makes each class win once, b by the most.
    "one-vs-one": ([[-1.0, 2.0, 7.0], [-1.0, 9.0, -5.0], [-50.0, -1.0, -1.0]], ["a", "b", "b"]),
    # Two for each class; the stronger one counts.
    "subclasses": ([[1.0, 2.0, 3.0], [2.0, -9.0, 3.0], [1.5, -3.0, 3.0], [-7.0, 2.5, 3.0]], ["a", "b", None]),
}


@pytest.mark.parametrize("strategy", PLANTED)
def test_a_feature_speaks_for_the_class_to_which_it_takes_a_row(
    inside: Callable[..., Outcome], tmp_path: Path, strategy: str
) -> None:
    """What ``explain`` says is what the model does with a row of one huge feature; what never counts ranks last."""
    weights, expected = PLANTED[strategy]
    classes = np.array(["a", "b", "c"][: 2 if strategy in ("two-category", "subclasses") else 3])
    model: Any = Perceptron(multiclass=strategy if classes.size > 2 else "kesler")
    if strategy == "subclasses":
        model = PiecewiseLinearMachine(n_subclasses=2, random_state=0)
    model.fit(np.eye(3)[: classes.size], classes)
    model._set_weights(np.column_stack([np.zeros(len(weights)), weights]))
    io.save(model, tmp_path / "m.json")
    ranking = inside("explain", tmp_path / "m.json", "--json").json["ranking"]
    favored = {row["feature"]: row["speaks_for"] for row in ranking}
    assert [favored[f"x{j}"] for j in range(3)] == expected
    assert all(model.predict([row])[0] == favored[f"x{j}"] for j, row in enumerate(np.eye(3) * 1e9) if expected[j])
    idle = [f"x{j}" for j in range(3) if expected[j] is None]
    assert [row["feature"] for row in ranking if row["size"] == 0] == idle
    assert ("no class alone" in inside("explain", tmp_path / "m.json").out) == bool(idle)


def test_a_feature_of_a_regression_raises_or_lowers(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("up,down,price\n0,0,1\n1,0,3\n0,1,-4\n1,1,-2\n")
    inside("fit", tmp_path / "a.csv", "-t", "price", "-m", "least-squares-regressor", "-o", tmp_path / "m.json")
    told = inside("explain", tmp_path / "m.json").out
    assert re.search(r"1 +down +5 +a lower price\n2 +up +2 +a higher price", told)
