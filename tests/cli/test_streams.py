"""``fit`` and ``check`` on tables that are read in blocks."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from discriminant import Certificate, datasets, io
from discriminant.io._sources import Columns

from .conftest import Outcome

Inside = Callable[..., Outcome]


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    X, y = datasets.iris()
    frame = pl.DataFrame(X, schema=list("abcd")).with_columns(kind=pl.Series(np.array(["s", "e", "v"])[y]))
    for k in range(3):
        frame[k::3].write_parquet(tmp_path / f"part-{k}.parquet")
    pl.concat([frame[k::3] for k in range(3)]).write_parquet(tmp_path / "whole.parquet")
    return tmp_path


def test_several_files_are_fitted_in_blocks(inside: Inside, parts: Path) -> None:
    found = inside("fit", f"{parts}/part-*.parquet", "-t", "kind", "-o", parts / "m.json")
    assert "in blocks: several files" in found.err
    assert "of 150 rows" in found.out
    kept = inside("fit", parts / "whole.parquet", "-t", "kind", "-o", parts / "k.json")
    assert "blocks" not in kept.err
    (made, recipe), (model, other) = (io.load_with_recipe(parts / name) for name in ("m.json", "k.json"))
    np.testing.assert_allclose(made.weights_, model.weights_, atol=1e-6)
    np.testing.assert_allclose(recipe.means, other.means)
    assert recipe.feature_names == other.feature_names
    predicted = inside("predict", parts / "m.json", parts / "whole.parquet")
    assert predicted.out == inside("predict", parts / "k.json", parts / "whole.parquet").out


def test_a_bound_of_memory_forces_blocks(inside: Inside, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 4)).round(3)
    pl.DataFrame(X, schema=list("abcd")).with_columns(y=pl.Series(X @ [1, 2, -1, 0] > 0)).write_csv(tmp_path / "x.csv")
    found = inside("fit", tmp_path / "x.csv", "--memory", "1MiB", "-m", "least-squares", "--json")
    assert "more than --memory, 1 MiB" in found.err
    facts = found.json
    assert (facts["streamed"], facts["rows"], facts["class"]) == (True, 40_000, "LeastSquares")
    kept = inside("fit", tmp_path / "x.csv", "--memory", "1GB", "-m", "least-squares", "--json")
    assert kept.json["errors"] == facts["errors"]
    assert "streamed" not in kept.json


def test_a_verdict_on_several_files(inside: Inside, parts: Path) -> None:
    found = inside("check", f"{parts}/part-*.parquet", "-t", "kind", "-o", parts / "proof.json")
    kept = inside("check", parts / "whole.parquet", "-t", "kind")
    assert found.code == kept.code
    assert "passes" in found.out
    frame = io.read(parts / "whole.parquet")
    proof = Certificate.from_json((parts / "proof.json").read_text().strip())
    assert proof.verify(frame.drop("kind").to_numpy(), frame["kind"].to_numpy())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--test", "0.2"], "--test needs all rows in memory"),
        (["--method", "min-over"], "it looks at all rows at once"),
        (["--missing", "median"], "--missing median needs all rows"),
        (["--memory", "much"], "--memory='much' must be bytes"),
    ],
)
def test_what_needs_all_rows_is_refused(inside: Inside, parts: Path, options: list[str], words: str) -> None:
    found = inside("fit", f"{parts}/part-*.parquet", "-t", "kind", *options)
    assert found.code == 2
    assert words in " ".join(found.err.split())


def test_a_checkpoint_is_for_blocks(inside: Inside, parts: Path) -> None:
    found = inside("fit", f"{parts}/part-*.parquet", "-t", "kind", "--checkpoint", parts / "state")
    assert found.code == 0
    assert not (parts / "state").exists()
    assert inside("fit", parts / "whole.parquet", "-t", "kind", "--checkpoint", parts / "state").code == 2


def test_a_damaged_part_is_named(inside: Inside, parts: Path) -> None:
    (parts / "part-1.parquet").write_bytes((parts / "part-1.parquet").read_bytes()[:900])
    found = inside("fit", f"{parts}/part-*.parquet", "-t", "kind")
    assert found.code == 2
    assert "part-1.parquet" in found.err


@pytest.fixture
def factors(tmp_path: Path, rng: np.random.Generator) -> Path:
    """Parts and the whole of a table with texts and flags; "zinc" comes in the last part alone."""
    n = 300
    metal = rng.choice(["iron", "lead", "tin"], n).astype(object)
    metal[-4:] = "zinc"
    size, flag = rng.normal(size=n).round(3), rng.random(n) > 0.5
    y = np.where(size + (metal == "tin") - flag + rng.normal(size=n) > 0, "yes", "no")
    frame = pl.DataFrame({"id": [f"r{k}" for k in range(n)], "metal": metal, "size": size, "flag": flag, "sold": y})
    for ending in ("csv", "parquet"):
        for k in range(3):
            io.write(frame[k * 100 : (k + 1) * 100], tmp_path / f"part-{k}.{ending}")
        io.write(frame, tmp_path / f"whole.{ending}")
    return tmp_path


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_texts_are_encoded_as_in_memory(inside: Inside, factors: Path, ending: str) -> None:
    whole = factors / f"whole.{ending}"
    asked = "-t", "sold", "--drop", "id"
    found = inside("fit", f"{factors}/part-*.{ending}", *asked, "-o", factors / "m.json")
    assert "column 'metal': text, 4 levels stand for 4 columns of zeros and ones" in " ".join(found.err.split())
    inside("fit", whole, *asked, "-o", factors / "k.json")
    (made, recipe), (model, other) = (io.load_with_recipe(factors / name) for name in ("m.json", "k.json"))
    assert recipe.columns == other.columns
    np.testing.assert_allclose(recipe.scales, other.scales)
    np.testing.assert_allclose(made.weights_, model.weights_, atol=1e-6)
    predicted = inside("predict", factors / "m.json", whole)
    assert predicted.code == 0
    assert predicted.out == inside("predict", factors / "k.json", whole).out
    scores, kept = (inside("score", factors / name, whole, "--json").json for name in ("m.json", "k.json"))
    assert scores["errors"] == kept["errors"]
    assert "metal=zinc" in inside("explain", factors / "m.json").out


def test_a_verdict_holds_levels_against_the_first(inside: Inside, factors: Path) -> None:
    asked = "-t", "sold", "--drop", "id"
    found = inside("check", f"{factors}/part-*.parquet", *asked, "-o", factors / "proof.json")
    assert found.code == inside("check", factors / "whole.parquet", *asked).code
    assert "held against: metal=iron, flag=false" in " ".join(found.out.split())
    verified = inside("verify", factors / "proof.json", factors / "whole.parquet", *asked)
    assert verified.code == 0
    assert Certificate.from_json((factors / "proof.json").read_text().strip()).n_features == 5
    through = inside("check", f"{factors}/part-*.parquet", *asked, "--no-intercept", "--json")
    assert Certificate.from_json(through.out).n_features == 7


def test_a_bound_of_memory_counts_the_columns_of_levels(inside: Inside, tmp_path: Path) -> None:
    n = 70_000
    codes = pl.Series([f"c{k % 50}" for k in range(n)])
    frame = pl.DataFrame({"code": codes, "x": np.sin(np.arange(n)), "y": np.arange(n) % 50 > 20})
    frame.write_parquet(tmp_path / "x.parquet")
    found = inside("fit", tmp_path / "x.parquet", "--memory", "1MiB", "-m", "least-squares", "--json").json
    kept = inside("fit", tmp_path / "x.parquet", "--memory", "1GB", "-m", "least-squares", "--json").json
    assert (found["features"], found["errors"]) == (kept["features"], 0)
    assert found["streamed"]
    assert "streamed" not in kept


def test_what_is_wrong_with_a_text_is_said_with_the_option(inside: Inside, factors: Path) -> None:
    found = inside("fit", f"{factors}/part-*.csv", "-t", "sold")
    assert found.code == 2
    assert "300 different texts in 300 rows, an identifier? Leave it out (--drop id)" in " ".join(found.err.split())
    found = inside("fit", f"{factors}/part-*.csv", "-t", "sold", "--drop", "id", "--na", "zinc")
    assert found.code == 2
    assert "part-2.csv, rows 0 to 99: column 'metal' lacks a value in row 96" in " ".join(found.err.split())
    asked = "-t", "sold", "--drop", "id", "--na", "zinc", "--missing", "drop"
    found = inside("fit", f"{factors}/part-*.csv", *asked, "-o", factors / "m.json")
    assert "4 of 300 rows left out, which lack a value." in found.err
    assert "of 296 rows" in found.out
    inside("fit", factors / "whole.csv", *asked, "-o", factors / "k.json")
    made, kept = (inside("predict", factors / f"{name}.json", factors / "part-0.csv") for name in "mk")
    assert made.out == kept.out
    verdict = inside("check", f"{factors}/part-*.csv", *asked)
    assert "4 of 300 rows left out" in verdict.err
    assert verdict.code == inside("check", factors / "whole.csv", *asked).code


@pytest.mark.parametrize("labels", [("True", "False"), ("007", "010"), ("1", "2")])
def test_labels_stay_as_they_are_written(inside: Inside, tmp_path: Path, labels: tuple[str, str]) -> None:
    """Also in files without names, whose columns go by their places."""
    lines = [f"{k % 7},{'uv'[k % 2]},{labels[k % 7 > 3]}\n" for k in range(40)]
    for name, part in {"part-0": lines[:20], "part-1": lines[20:], "whole": lines}.items():
        (tmp_path / f"{name}.csv").write_text("".join(part))
    asked = "--no-header", "-t", "3", "--drop", "2", "-m", "least-squares", "-o"
    assert inside("fit", f"{tmp_path}/part-*.csv", *asked, tmp_path / "m.json").code == 0
    inside("fit", tmp_path / "whole.csv", *asked, tmp_path / "k.json")
    made, kept = (inside("predict", tmp_path / f"{name}.json", tmp_path / "whole.csv").out for name in "mk")
    assert made == kept
    assert {line.rpartition(",")[2] for line in made.splitlines()[1:]} == {*labels}
    scores = inside("score", tmp_path / "m.json", tmp_path / "whole.csv", "--json")
    assert (
        scores.json["errors"] == inside("score", tmp_path / "k.json", tmp_path / "whole.csv", "--json").json["errors"]
    )


def test_ctrl_c_ends_with_the_model_learned_so_far(
    inside: Inside, parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows were never counted by a CSV file, nor the errors by the fit."""
    for k in range(3):
        pl.read_parquet(parts / f"part-{k}.parquet").write_csv(parts / f"part-{k}.csv")
    made, count = Columns.piece, iter(range(10**6))

    def pressed(self: Columns, read: Any) -> Any:
        if next(count) == 20:
            signal.raise_signal(signal.SIGINT)
        return made(self, read)

    monkeypatch.setattr(Columns, "piece", pressed)
    monkeypatch.setattr("discriminant._engine.driver._last_interrupt", -1e9)
    fit = ["fit", f"{parts}/part-*.csv", "-t", "kind", "-m", "perceptron", "--set", "max_iter=50"]
    kept = ["-o", parts / "m.json", "--checkpoint", parts / "state"]
    found = inside(*fit, *kept)
    assert found.code == 130
    assert "The model learned so far is in" in found.err
    assert "fault" not in found.err
    assert "wrong side" not in found.out
    assert io.load(parts / "m.json").status_.name == "STOPPED"
    assert inside(*fit, *kept).code == 0
    assert not (parts / "state").exists()
    whole = inside(*fit, "-o", parts / "whole.json")
    assert whole.code == 0
    np.testing.assert_array_equal(io.load(parts / "m.json").weights_, io.load(parts / "whole.json").weights_)
