"""Tables of every format become the same matrix; what cannot become one is refused by column and row."""

from __future__ import annotations

import contextlib
import io as memory
import json
import os
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from table_cases import FRAME

from discriminant import datasets, io
from discriminant.io import _chunks, tables

# --- formats


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow", "feather", "jsonl", "ndjson", "npz", "CSV"])
def test_what_is_written_is_read(ending: str, tmp_path: Path) -> None:
    io.write(FRAME, tmp_path / f"table.{ending}")
    assert io.read(tmp_path / f"table.{ending}").equals(FRAME)
    assert len(list(tmp_path.iterdir())) == 1


def test_arrays(tmp_path: Path) -> None:
    X, y = datasets.or_function()
    np.save(tmp_path / "a.npy", X)
    np.savez(tmp_path / "b.npz", X=X, y=y)
    np.save(tmp_path / "c.npy", np.array([(1.5, "a"), (2.5, "b")], dtype=[("size", "f4"), ("name", "U3")]))
    assert io.read(tmp_path / "a.npy").columns == ["x0", "x1"]
    given, labels, _ = io.Recipe().fit(io.read(tmp_path / "b.npz"))
    assert np.array_equal(given, X)
    assert np.array_equal(labels, y)
    assert io.read(tmp_path / "c.npy").to_dict(as_series=False) == {"size": [1.5, 2.5], "name": ["a", "b"]}
    io.write(io.read(tmp_path / "a.npy"), tmp_path / "d.npy")
    assert np.array_equal(np.load(tmp_path / "d.npy"), X)


def test_libsvm_is_a_sparse_matrix(tmp_path: Path) -> None:
    (tmp_path / "a.libsvm").write_text("1 1:0.5 3:2 # a remark\n-1 2:1\n-1\n1 3:-4.25\n")
    recipe = io.Recipe()
    X, y, w = recipe.fit(io.read(tmp_path / "a.libsvm"))
    assert X.toarray().tolist() == [[0.5, 0, 2], [0, 1, 0], [0, 0, 0], [0, 0, -4.25]]
    assert (y.tolist(), w, recipe.feature_names) == ([1, -1, -1, 1], None, ["x1", "x2", "x3"])
    again = io.Recipe.from_dict(json.loads(json.dumps(recipe.to_dict())))
    (tmp_path / "b.svm").write_text("0 2:7\n")
    assert again.apply(io.read(tmp_path / "b.svm")).toarray().tolist() == [[0, 7, 0]]
    assert np.array_equal(again.apply(io.read(tmp_path / "a.libsvm")[1:]).toarray(), X.toarray()[1:])
    (tmp_path / "b.svm").write_text("0 2:7 4:1\n")
    with pytest.raises(io.TableError, match="row 1 has index 4, and the model knows those from 1 to 3"):
        again.apply(io.read(tmp_path / "b.svm"))
    with pytest.raises(io.TableError, match="standardize"):
        io.Recipe(standardize=True).fit(io.read(tmp_path / "a.libsvm"))


def test_a_sparse_npz_counts_from_zero(tmp_path: Path, rng: np.random.Generator) -> None:
    X = sparse.random(30, 7, 0.3, format="csr", random_state=0)
    assert X.toarray()[:, [0, 6]].any(axis=0).all()
    np.savez(tmp_path / "a.npz", data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=np.arange(30) % 2)
    given, y, _ = io.Recipe().fit(io.read(tmp_path / "a.npz"))
    assert np.array_equal(given.toarray(), X.toarray())
    assert y.tolist() == (np.arange(30) % 2).tolist()


def test_standard_input_and_output(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Input:
        buffer = memory.BytesIO(b"a;b\n1;x\n2;y\n")

    monkeypatch.setattr(sys, "stdin", Input)
    frame = io.read("-")
    assert frame.to_dict(as_series=False) == {"a": [1, 2], "b": ["x", "y"]}
    io.write(frame, "-")
    assert capsys.readouterr().out == "a,b\n1,x\n2,y\n"


def test_types_and_missing_values_of_csv(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n,f,t,d,b\n1,NA,x,2024-01-31,true\n?,2.5,,2024-02-01,false\n3,NaN,z,2024-03-01,\n")
    frame = io.read(tmp_path / "a.csv")
    assert [str(kind) for kind in frame.dtypes] == ["Int64", "Float64", "String", "Date", "Boolean"]
    assert frame["n"].to_list() == [1, None, 3]
    assert frame["f"].null_count() == 2


DIALECTS = {
    "commas": "a,b,t\n0.5,2,x\n-1.25,3,y\n",
    "byte order mark": "\ufeffa,b,t\n0.5,2,x\n-1.25,3,y\n",
    "two bytes end a line": "a,b,t\r\n0.5,2,x\r\n-1.25,3,y\r\n",
    "semicolons": "a;b;t\n0.5;2;x\n-1.25;3;y\n",
    "decimal commas": "a;b;t\n0,5;2;x\n-1,25;3;y\n",
    "decimal commas in quotes": 'a;b;t\r\n"0,5";"2";"x"\r\n"-1,25";"3";"y"\r\n',
    "bars": "a|b|t\n0.5|2|x\n-1.25|3|y\n",
}


@pytest.mark.parametrize("text", DIALECTS.values(), ids=DIALECTS.keys())
def test_dialects_of_csv(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(text.encode())
    assert io.read(tmp_path / "a.csv").to_dict(as_series=False) == {"a": [0.5, -1.25], "b": [2, 3], "t": ["x", "y"]}


@pytest.mark.usefixtures("small_chunks")
def test_decimal_commas_in_portions(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x;target\n" + "0,5;0\n2,25;1\n" * 100)
    X, _, _ = io.Recipe().fit(io.scan(tmp_path / "a.csv"))
    assert X.sum() == 275


def test_names_of_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('"a, in cm";"b ""net""";größe x=1\n1;2;3\n')
    assert io.read(tmp_path / "a.csv").columns == ["a, in cm", 'b "net"', "größe x=1"]
    (tmp_path / "a.csv").write_text("a,b,a\n1,2,3\n")
    with pytest.raises(io.TableError, match="two columns are called 'a'"):
        io.read(tmp_path / "a.csv")


def test_a_column_without_a_name_can_be_dropped(tmp_path: Path) -> None:
    """As pandas and R write the numbers of the rows."""
    (tmp_path / "a.csv").write_text(",column_2,x,target\n0,1,5,no\n1,1,6,yes\n")
    with pytest.warns(UserWarning, match="a column without a name is called 'column_1'"):
        frame = io.read(tmp_path / "a.csv")
    assert frame.columns == ["column_1", "column_2", "x", "target"]
    assert io.Recipe(drop=["column_1", "column_2"]).fit(frame)[0].tolist() == [[5], [6]]


def test_columns_that_stay_text(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,x\n007,1\n010,2\n")
    frame = io.read(tmp_path / "a.csv", as_text=lambda name: name == "id")
    assert frame.to_dict(as_series=False) == {"id": ["007", "010"], "x": [1, 2]}


def test_whole_numbers_that_no_float_holds(tmp_path: Path) -> None:
    """2^53 and 2^53 + 1 are one float: a proof that the classes overlap would be false."""
    (tmp_path / "a.csv").write_text("x,target\n9007199254740992,0\n9007199254740993,1\n")
    with pytest.raises(io.TableError, match="column 'x' holds 9007199254740993 in row 2, which has more digits"):
        io.Recipe().fit(io.read(tmp_path / "a.csv"))
    X, _, _ = io.Recipe().fit(pl.DataFrame({"x": [2**60, None, -(2**53)], "target": [0, 1, 1]}).drop_nulls())
    assert X.ravel().tolist() == [2.0**60, -(2.0**53)]


def test_labels_of_any_length(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,target\n1,18446744073709551615\n2,18446744073709551614\n")
    _, y, _ = io.Recipe().fit(io.read(tmp_path / "a.csv"))
    assert y.tolist() == ["18446744073709551615", "18446744073709551614"]


@pytest.mark.usefixtures("small_chunks")
def test_a_label_with_a_fraction_in_a_later_portion(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,target\n" + "1.5,1\n" * 100 + "2.5,1.5\n" * 3)
    _, y, _ = io.Recipe().fit(io.scan(tmp_path / "a.csv"))
    assert sorted(set(y.tolist())) == [1, 1.5]


def test_numbers_with_a_slip_are_not_silently_levels() -> None:
    frame = pl.DataFrame({"age": ["31", "4o", "58", "23"], "target": [0, 1, 1, 0]})
    with pytest.raises(io.TableError, match="column 'age' holds '4o' among numbers; correct it"):
        io.Recipe().fit(frame)
    many = pl.DataFrame({"age": ["oops", *map(str, range(1500))], "target": [0, 1] * 750 + [1]})
    with pytest.raises(io.TableError, match="column 'age' holds 'oops' among numbers"):
        io.Recipe().fit(many)
    few = pl.DataFrame({"children": ["0", "1", "2", "3+"] * 5, "target": [0, 1] * 10})
    with pytest.warns(UserWarning, match="column 'children' is taken for text, .* because it holds '3\\+'"):
        assert io.Recipe().fit(few)[0].shape == (20, 4)
    endless = pl.DataFrame({"age": ["1", "-Infinity"], "target": [0, 1]})
    with pytest.raises(io.TableError, match="column 'age' holds '-Infinity'; give finite numbers"):
        io.Recipe().fit(endless)


@pytest.mark.parametrize(("levels", "rows", "refused"), [(10, 10, False), (10, 20, False), (11, 20, True)])
def test_a_text_for_every_other_row_names_the_rows(levels: int, rows: int, refused: bool) -> None:
    frame = pl.DataFrame({"who": [f"P{i % levels}" for i in range(rows)], "target": [0, 1] * (rows // 2)})
    said = r"'who' holds 11 different texts in 20 rows, an identifier\? Leave it out \(drop='who'\)"
    with pytest.raises(io.TableError, match=said) if refused else contextlib.nullcontext():
        assert io.Recipe().fit(frame)[0].shape == (rows, levels)


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    """Whoever may write to /dev may say -o /dev/stdout, and must not lose it."""
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        io.write(pl.DataFrame({"a": [1, 2]}), pipe)
        assert pipe.is_fifo()
        assert os.read(reader, 100) == b"a\n1\n2\n"
    finally:
        os.close(reader)


# --- files that mean harm, or a slip


BAD_FILES: dict[str, tuple[str, bytes, str]] = {
    "latin-1": ("a.csv", "a,b\nné,2\n".encode("latin-1"), "save it as UTF-8"),
    "missing": ("none.csv", b"", "is not there"),
    "ending": ("a.xlsx", b"x", "does not tell the format; take one in .csv"),
    "empty": ("a.csv", b"", "is empty; give a table"),
    "header": ("a.csv", b"a,b\n", "holds no rows"),
    "ragged": ("a.csv", b"a,b\n1,2\n1,2,3\n", "row 2 has 3 fields, and there are 2 columns; correct it"),
    "text": ("a.parquet", b"no parquet", "cannot be read"),
    "arrow": ("a.arrow", b"no arrow at all", "cannot be read"),
    "json": ("a.jsonl", b'{"a": 1}\n{"a": \n', "cannot be read"),
    "libsvm": ("a.libsvm", b"1 2:x\n", "cannot be read"),
    "npy": ("a.npy", b"\x93NUMPY", "no array file"),
    "pickle": ("a.npy", b"\x80\x04\x95\x00", "no array file|pickle"),
    "folder": ("", b"", "does not tell|is a folder"),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_files_that_are_no_tables(kind: str, tmp_path: Path) -> None:
    name, content, sentence = BAD_FILES[kind]
    if name and kind != "missing":
        (tmp_path / name).write_bytes(content)
    for read in (io.read, io.scan):
        with pytest.raises(io.TableError, match=sentence) as caught:
            read(tmp_path / name)
        assert len(str(caught.value)) < 900


def test_pickled_objects_are_never_loaded(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(io.TableError, match="safely"):
        io.read(tmp_path / "a.npy")


@pytest.mark.parametrize(
    ("frame", "name", "sentence"),
    [
        (FRAME, "a.npy", "column 'color' is no number"),
        (FRAME, "a.libsvm", "not written as libsvm"),
        (FRAME, "nowhere/a.csv", "cannot be used|is not there"),
        (3, "a.csv", "is no table"),
    ],
)
def test_tables_that_cannot_be_written(frame: Any, name: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(io.TableError, match=sentence):
        io.write(frame, tmp_path / name)
    assert not list(tmp_path.iterdir())


def claim(shape: tuple[int, ...], kind: str = "<f8") -> bytes:
    """An npy file of a header only."""
    room = memory.BytesIO()
    np.lib.format.write_array_header_1_0(room, {"descr": kind, "fortran_order": False, "shape": shape})
    return room.getvalue()


def packed(**arrays: bytes | np.ndarray) -> bytes:
    """An npz file of arrays, or of what claims to be some."""
    room = memory.BytesIO()
    with zipfile.ZipFile(room, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            content = memory.BytesIO()
            if not isinstance(array, bytes):
                np.save(content, array)
            archive.writestr(f"{name}.npy", array if isinstance(array, bytes) else content.getvalue())
    return room.getvalue()


def empty_csr(width: int) -> bytes:
    shape = np.array([2, width])
    return packed(data=np.zeros(0), indices=np.zeros(0, np.int32), indptr=np.zeros(3, np.int32), shape=shape, y=shape)


CLAIMS: dict[str, tuple[str, bytes, str]] = {
    "more rows than bytes": ("a.npy", claim((10**12, 4)), "claims an array of shape"),
    "items of no bytes": ("a.npy", claim((2**40,), "<U0"), "claims an array of shape"),
    "columns without rows": ("a.npy", claim((0, 2**40)), "holds no rows"),
    "more rows than bytes, packed": ("a.npz", packed(X=claim((10**12,))), "claims an array of shape"),
    "columns without rows, packed": ("a.npz", packed(X=claim((0, 2**40))), "holds no rows"),
    "a side beyond all bounds": ("a.npz", empty_csr(2**31), "at most 2,147,483,647"),
    "a wide index": ("a.libsvm", b"1 1:2\n0 2147483646:1\n", "row 2 has index 2,147,483,646, .* without large gaps"),
    "an index beyond all bounds": ("a.libsvm", b"1 99999999999:2\n", "cannot be read"),
}


@pytest.mark.parametrize("kind", CLAIMS)
def test_claims_are_refused_before_anything_is_allocated(kind: str, tmp_path: Path) -> None:
    name, content, sentence = CLAIMS[kind]
    (tmp_path / name).write_bytes(content)
    tracemalloc.start()
    try:
        with pytest.raises(io.TableError, match=sentence):
            io.Recipe().fit(io.scan(tmp_path / name))
        assert tracemalloc.get_traced_memory()[1] < 2**25
    finally:
        tracemalloc.stop()


def test_columns_of_a_sparse_matrix_are_not_taken_for_its_rows(tmp_path: Path) -> None:
    X = sparse.csr_matrix([[1.0, 2.0], [0.0, 3.0]])
    sparse.save_npz(tmp_path / "a.npz", X)
    assert io.read(tmp_path / "a.npz").height == 2
    sparse.save_npz(tmp_path / "a.npz", X.tocsc())
    with pytest.raises(io.TableError, match=r"sparse matrix of format b'csc'; save X.tocsr\(\)"):
        io.read(tmp_path / "a.npz")


def test_an_empty_sparse_matrix_takes_no_room(tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(empty_csr(2**31 - 1))
    X, _, _ = io.Recipe().fit(io.scan(tmp_path / "a.npz"))
    assert X.shape == (2, 1)


def test_rows_beyond_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Constant columns of very many rows take a few bytes of a Parquet file, and aborted polars."""
    pl.DataFrame({"x": [0] * 1000, "target": [1] * 1000}).write_parquet(tmp_path / "a.parquet")
    monkeypatch.setattr("discriminant.io._formats.memory", lambda: 15_000)
    for read in (io.read, io.scan):
        with pytest.raises(io.TableError, match=r"1,000 rows and 2 columns takes .* more than the memory"):
            read(tmp_path / "a.parquet")
    with pytest.raises(io.TableError, match="2,000 rows and 1 columns"):
        io.Recipe().fit(pl.DataFrame({"x": [0] * 2000, "target": [1] * 2000}))


SLOW_TEXTS: dict[str, Callable[[int], str]] = {
    "a stray quotation mark": lambda n: 'a,b\n1,"x\n' + "3,y\n" * n,
    "a quotation mark in each line": lambda n: 'a,b\n1,"' + '"\n' * n,
    "quotation marks only": lambda n: "a,b\n" + '"' * (2 * n),
    "an open header": lambda n: 'a,"b\n' + "\n" * (2 * n),
    "blank lines": lambda n: "a,b\n1,2\n" + "\n" * (2 * n),
    "remarks": lambda n: "# a remark\n" * (n // 4) + "a,b\n1,2\n",
}


@pytest.mark.parametrize("kind", SLOW_TEXTS)
def test_twice_the_text_takes_no_four_times_as_long(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search for the end of a line once began anew at each line."""
    monkeypatch.setattr(_chunks, "CHUNK", 2**23)
    monkeypatch.setattr(tables, "CHUNK", 2**10)  # so that this much text comes in portions

    def seconds(n: int) -> float:
        (tmp_path / "a.csv").write_text(SLOW_TEXTS[kind](n))
        times = []
        for _ in range(3):
            start = time.process_time()
            with contextlib.suppress(io.TableError):
                io.Recipe(target="b").fit(io.scan(tmp_path / "a.csv"))
            times.append(time.process_time() - start)
        return min(times)

    once = max(seconds(200_000), 0.1)  # less is no measurement
    assert seconds(400_000) < 3 * once


# --- portions


def test_data_frames_of_others() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0], "target": ["a", "b"]})
    X, y, _ = io.Recipe().fit(frame)
    assert (X.tolist(), y.tolist()) == ([[1], [2]], ["a", "b"])
    X, _, _ = io.Recipe().fit(FRAME.lazy().rename({"sold": "target"}))
    assert X.shape == (4, 7)
