"""What a user says of a file, packed files and other encodings; a recipe remembers it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from table_cases import FRAME

from discriminant import io
from discriminant.io import _chunks, tables

TEXT = "größe;farbe;label\n1,5;rot;a\n-9;grün;b\n// later\n3,5;rot;a\n"
SAID: dict[str, Any] = {"na": ["-9"], "decimal": ",", "encoding": "latin-1", "comment": "//"}


@pytest.mark.parametrize("ending", ["csv.gz", "tsv.gz", "jsonl.gz", "CSV.GZ"])
def test_packed_files_are_written_and_read(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"table.{ending}"
    io.write(FRAME, path)
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    assert io.read(path).equals(FRAME)
    X, y, _ = io.Recipe(target="color", missing="drop").fit(io.scan(path, labels="color"))
    again, labels, _ = io.Recipe(target="color", missing="drop").fit(FRAME)
    assert np.array_equal(X, again)
    assert np.array_equal(y, labels)
    first = path.read_bytes()
    io.write(FRAME, path)
    assert path.read_bytes() == first


def test_a_packed_file_in_portions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({"x": np.arange(500), "target": np.arange(500) % 3})
    io.write(frame, tmp_path / "a.csv.gz")
    monkeypatch.setattr(_chunks, "CHUNK", 500)
    monkeypatch.setattr(tables, "CHUNK", 500)
    X, y, _ = io.Recipe().fit(io.scan(tmp_path / "a.csv.gz"))
    assert X.ravel().tolist() == list(range(500))
    assert y.tolist() == [i % 3 for i in range(500)]


def test_a_packed_file_beyond_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"0,1\n" * 100_000))
    monkeypatch.setattr(tables, "memory", lambda: 700_000)
    with pytest.raises(io.TableError, match="more than half the memory there is; unpack it"):
        io.read(tmp_path / "a.csv.gz")


def test_all_that_can_be_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(TEXT.encode("latin-1"))
    frame = io.read(tmp_path / "a.csv", **SAID)
    assert frame.to_dict(as_series=False) == {
        "größe": [1.5, None, 3.5], "farbe": ["rot", "grün", "rot"], "label": ["a", "b", "a"],
    }  # fmt: skip
    assert io.read(tmp_path / "a.csv", **SAID | {"na": "-9"}).equals(frame)


def test_a_recipe_remembers_what_was_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(TEXT.encode("latin-1"))
    recipe = io.Recipe(target="label", missing="median", file=SAID)
    X, _, _ = recipe.fit(io.scan(tmp_path / "a.csv", **SAID))
    again = io.Recipe.from_dict(json.loads(json.dumps(recipe.to_dict())))
    assert again.file == SAID
    assert np.array_equal(again.apply(io.scan(tmp_path / "a.csv", **again.file)), X)
    assert "file" not in io.Recipe().to_dict()
    assert io.Recipe(file={"header": None}).file is None


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"encoding": "latin-11"}, "encoding='latin-11'.*such as 'latin-1'"),
        ({"encoding": "hex"}, "encoding='hex'"),
        ({"decimal": ";"}, "decimal=';'"),
        ({"na": 3}, "na=3"),
        ({"comment": " "}, "comment=' '"),
        ({"header": 1}, "header=1"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")
    for call in (lambda: io.read(tmp_path / "a.csv", **given), lambda: io.Recipe(file=given)):
        with pytest.raises(io.TableError, match=sentence):
            call()


@pytest.mark.parametrize("given", [{"separator": ";"}, [1], "latin-1"])
def test_a_recipe_takes_only_what_can_be_said(given: Any) -> None:
    with pytest.raises(io.TableError, match="file="):
        io.Recipe(file=given)


@pytest.mark.parametrize("name", SAID)
def test_nothing_is_said_of_other_formats(name: str, tmp_path: Path) -> None:
    io.write(FRAME, tmp_path / "a.parquet")
    with pytest.raises(io.TableError, match=f"{name}=.* is for CSV files, and this is parquet"):
        io.scan(tmp_path / "a.parquet", **{name: SAID[name]})


def test_medians_and_scales_are_those_of_the_training_rows() -> None:
    frame = pl.DataFrame({"x": [1.0, 3.0, None, 100.0, 200.0], "target": [0, 1, 0, 1, 0]})
    recipe = io.Recipe(missing="median", standardize=True)
    X, _, _ = recipe.fit(frame, training=lambda y: np.arange(y.size) < 3)
    assert recipe.columns[0].fill == 2.0
    assert recipe.means == pytest.approx([2.0])
    assert X.ravel() == pytest.approx(np.array([-1, 1, 0, 98, 198]) * np.sqrt(1.5))


@pytest.mark.parametrize("ending", ["xlsx", "xls", "data"])
def test_a_workbook_is_told_by_what_it_holds(ending: str, tmp_path: Path) -> None:
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" if ending == "xls" else b"PK\x03\x04" + bytes(26) + b"xl/workbook.xml"
    (tmp_path / f"a.{ending}").write_bytes(head + bytes(99))
    for read in (io.read, io.scan):
        with pytest.raises(io.TableError, match=r"is an Excel workbook.*save the sheet as CSV"):
            read(tmp_path / f"a.{ending}")
