"""A table in portions is the table: values, types that widen, the row of an error."""

from __future__ import annotations

import io as memory
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from discriminant import io


def test_files_of_lines_in_portions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.libsvm").write_text("".join(f"{i % 2} {i + 1}:{i}.5\n" for i in range(50)))
    later = ['{"x": 1.5, "z": null}', '{"x": 2, "z": "red"}', "", '{"z": "red", "x": 2}']
    (tmp_path / "a.jsonl").write_text("\n".join(['{"x": 1}'] * 20 + later) + "\n")
    whole, labels, _ = io.Recipe().fit(io.scan(tmp_path / "a.libsvm"))
    frame = io.read(tmp_path / "a.jsonl")
    monkeypatch.setattr("discriminant.io._formats.PORTION", 37)
    X, y, _ = io.Recipe().fit(io.scan(tmp_path / "a.libsvm"))
    assert (whole != X).nnz == 0
    assert np.array_equal(y, labels)
    assert io.read(tmp_path / "a.jsonl").equals(frame)


def large(n: int, rng: np.random.Generator) -> pl.DataFrame:
    words = np.array(["plain", 'with "quotes"', "two\nlines", "comma, and ü"])
    return pl.DataFrame(
        {
            "x": rng.standard_normal(n),
            "k": rng.integers(0, 9, n),
            "word": words[rng.integers(0, 4, n)],
            "target": np.array(["no", "yes"])[rng.integers(0, 2, n)],
        }
    )


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_portions_make_the_same_matrix(ending: str, tmp_path: Path, rng: np.random.Generator) -> None:
    frame = large(300, rng)
    io.write(frame, tmp_path / f"a.{ending}")
    table = io.scan(tmp_path / f"a.{ending}")
    assert sum(1 for _ in table.portions(["x"])) > 5
    told: list[float] = []
    recipe = io.Recipe(standardize=True)
    X, y, _ = recipe.fit(table, progress=told.append)
    whole, labels, _ = io.Recipe(standardize=True).fit(frame)
    assert np.array_equal(X, whole)
    assert np.array_equal(y, labels)
    assert told == sorted(told)
    assert told[-1] == 1
    assert np.array_equal(recipe.apply(io.scan(tmp_path / f"a.{ending}")), whole)


@pytest.mark.usefixtures("small_chunks")
def test_standard_input_comes_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two of them, Ctrl-C is heard."""

    class Input:
        buffer = memory.BytesIO(b"x,target\n" + b"1.5,no\n2.5,yes\n" * 200)

    monkeypatch.setattr(sys, "stdin", Input)
    table = io.scan("-")
    assert sum(1 for _ in table.portions(["x"])) > 5
    X, y, _ = io.Recipe().fit(table)
    assert (X.sum(), y.tolist()) == (800, ["no", "yes"] * 200)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("header", [True, False])
def test_messy_portions(header: bool, tmp_path: Path) -> None:
    """Blanks, gaps and words of labels are read in each portion as in the first."""
    lines = ["1, 2.5, 007", "+2, ?, 008", "3 , -, 007", "4, 1, 008 "] * 60
    path = tmp_path / "a.csv"
    path.write_text("# a remark\n" + ("x, z, t\n" if header else "") + "\n\n".join(lines) + "\n")
    target = "t" if header else "column_3"
    recipe = io.Recipe(target=target, missing="median")
    X, y, _ = recipe.fit(io.scan(path, header=header, labels=target))
    assert X.tolist() == [[1, 2.5], [2, 1.75], [3, 1.75], [4, 1]] * 60
    assert y.tolist() == ["007", "008"] * 120
    assert recipe.reading == [f"column {recipe.inputs[1]!r}: 120 missing values, the median 1.75 in their place"]


@pytest.mark.usefixtures("small_chunks")
def test_types_may_widen_and_errors_tell_the_row_of_the_file(tmp_path: Path) -> None:
    lines = [f"{i},{i % 2}" for i in range(500)]
    lines[400] = "400.5,0"
    path = tmp_path / "a.csv"
    path.write_text("x,target\n" + "\n".join(lines))
    X, y, _ = io.Recipe().fit(io.scan(path))
    assert (X[400, 0], X[499, 0], y[401]) == (400.5, 499, 1)
    for bad, sentence in (("oops", "column 'x' holds 'oops' in row 401"), ("NA", "'x' lacks a value in row 401")):
        lines[400] = f"{bad},0"
        path.write_text("x,target\n" + "\n".join(lines) + "\n")
        with pytest.raises(io.TableError, match=sentence):
            io.Recipe().fit(io.scan(path))
    X, y, _ = io.Recipe(missing="drop").fit(io.scan(path))
    assert (len(X), X[400, 0]) == (499, 401)
    lines[400] = '"never closed,0'
    path.write_text("x,target\n" + "\n".join(lines * 5) + "\n")
    with pytest.raises(io.TableError, match=r"quotation or a line after row|cannot be read"):
        io.Recipe().fit(io.scan(path))


@pytest.mark.usefixtures("small_chunks")
def test_a_header_of_two_lines(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('"size\nin m",target\n' + "1.5,0\n2.5,1\n" * 100)
    recipe = io.Recipe()
    X, _, _ = recipe.fit(io.scan(tmp_path / "a.csv"))
    assert recipe.feature_names == ["size\nin m"]
    assert X.sum() == 400
