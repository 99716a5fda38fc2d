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
        (["--method", "ho-kashyap"], "it keeps a margin for each row"),
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


def test_a_column_that_is_not_there_cannot_be_dropped(inside: Inside, parts: Path) -> None:
    found = inside("fit", f"{parts}/part-*.parquet", "-t", "kind", "--drop", "zz")
    assert (found.code, found.err.count("there is no feature 'zz'; take one of a, b, c, d")) == (2, 1)
