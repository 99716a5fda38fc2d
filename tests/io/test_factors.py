"""Columns of text on a stream: the matrix, the names and the models are those of the whole table in memory."""

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discriminant import LeastSquares, LogisticDiscriminant, Perceptron, io, separability
from discriminant.io.streams import known_of, whole_file

PARTS = 3


@pytest.fixture
def frame(rng):
    """Numbers, texts, flags and a categorical; "zebra" and "false" come in the last part alone."""
    n = 360
    kind = rng.choice(["ox", "ant", "émeu"], n).astype(object)
    kind[-5:] = "zebra"
    flag = np.ones(n, bool)
    flag[-50:] = rng.random(50) > 0.5
    size = rng.normal(size=n)
    y = np.where(size + (kind == "ox") - (kind == "zebra") + rng.normal(size=n) > 0, "yes", "no")
    categories = pl.Series(rng.choice(["u", "v", "w"], n), dtype=pl.Categorical)
    return pl.DataFrame({"kind": kind, "size": size, "flag": flag, "group": categories, "target": y})


def in_parts(frame, folder, ending, **how):
    step = -(-frame.height // PARTS)
    for k in range(PARTS):
        part = frame[k * step : (k + 1) * step]
        if ending == "parquet":
            part.write_parquet(folder / f"part-{k}.parquet", **how)
        else:
            io.write(part, folder / f"part-{k}.{ending}")
    return f"{folder}/part-*.{ending}"


def rows_of(stream):
    return np.vstack([block.X for block in stream])


@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv", "tsv"])
def test_the_matrix_is_that_of_the_table_in_memory(ending, frame, tmp_path):
    source = in_parts(frame, tmp_path, ending)
    kept = io.Recipe()
    X, y, _ = kept.fit(frame)
    stream = io.stream(source, memory=2**20)
    assert stream.feature_names == kept.feature_names
    assert (stream.n_features, stream.dtype) == (X.shape[1], np.float64)
    np.testing.assert_array_equal(rows_of(stream), X)
    assert np.concatenate([block.y for block in stream]).tolist() == y.tolist()
    assert stream.levels["kind"] == ["ant", "ox", "zebra", "émeu"]
    assert stream.recipe().to_dict() == kept.to_dict()
    assert stream.recipe().reading == kept.reading


def test_blocks_of_wide_factors_keep_the_bound(rng, tmp_path):
    n, levels = 40_000, 400
    names = np.array([f"level {k:03}" for k in range(levels)])
    frame = pl.DataFrame({"a": names[np.arange(n) % levels], "b": rng.normal(size=n), "y": np.arange(n) % 2})
    frame.write_parquet(tmp_path / "a.parquet")
    stream = io.stream(tmp_path / "a.parquet", memory=2**22, drop="b")
    assert stream.n_features == levels
    blocks = [(block.X.nbytes, int(block.X.sum()), block.n_rows) for block in stream]
    assert max(size for size, _, _ in blocks) <= 2**22 / 8
    assert all(ones == rows for _, ones, rows in blocks)
    assert sum(rows for _, _, rows in blocks) == n


def test_fits_and_verdicts_are_those_of_the_matrix(frame, tmp_path):
    stream = io.stream(in_parts(frame, tmp_path, "parquet"))
    X, y, _ = io.Recipe().fit(frame)
    made, kept = LeastSquares().fit_stream(stream), LeastSquares().fit(X, y)
    named = pl.DataFrame(X, schema=stream.feature_names).to_pandas()
    np.testing.assert_allclose(made.decision_function(named), kept.decision_function(X), atol=1e-8)
    assert made.feature_names_in_.tolist() == stream.feature_names
    found = separability(stream)
    assert found.verdict == separability(X, y).verdict
    assert found.certificate.verify(X, y)


def test_a_standardized_stream_is_a_standardized_table(frame, tmp_path):
    stream = io.stream(in_parts(frame, tmp_path, "csv")).standardized()
    recipe = io.Recipe(standardize=True)
    X, y, _ = recipe.fit(frame)
    np.testing.assert_allclose(rows_of(stream), X, atol=1e-12)
    made, kept = LogisticDiscriminant().fit_stream(stream), LogisticDiscriminant().fit(X, y)
    np.testing.assert_allclose(made.weights_, kept.weights_, atol=1e-6)
    io.save(made, tmp_path / "model.json", stream.recipe())
    _, again = io.load_with_recipe(tmp_path / "model.json")
    named = pl.DataFrame(again.apply(frame), schema=again.feature_names).to_pandas()
    np.testing.assert_array_equal(made.predict(named), kept.predict(X))


def test_contrasts_leave_out_what_the_others_are_held_against(frame, tmp_path):
    stream = io.stream(in_parts(frame, tmp_path, "parquet"))
    held = stream.contrasts()
    assert held.references == ["kind=ant", "flag=false", "group=u"]
    X = rows_of(stream)
    kept = [j for j, name in enumerate(stream.feature_names) if name not in held.references]
    np.testing.assert_array_equal(rows_of(held), X[:, kept])
    assert held.n_features == len(held.feature_names) == np.linalg.matrix_rank(X) - 1  # and one the intercept
    with pytest.raises(ValueError, match="ask for contrasts first"):
        stream.standardized().contrasts()
    with pytest.raises(ValueError, match="all of which are used, have a recipe"):
        held.recipe()
    plain = io.stream(in_parts(frame, tmp_path, "arrow"), features=["size"])
    assert plain.contrasts() is plain


def test_one_pass_over_the_texts_alone_finds_the_levels(frame, tmp_path, monkeypatch):
    source = in_parts(frame, tmp_path, "parquet")
    asked = []
    monkeypatch.setattr(
        "discriminant.io._sources.Columns._batches",
        lambda self, path, rows, names, real=io._sources.Columns._batches: (
            asked.append(names) or real(self, path, rows, names)
        ),
    )
    io.stream(source)
    assert asked == [["kind", "flag", "group"]] * PARTS
    asked.clear()
    levels = {"kind": ["zebra", "ox", "ant", "émeu"], "flag": [True, False], "group": list("uvw")}
    given = io.stream(source, levels=levels)
    assert asked == []
    assert given.levels == io.stream(source).levels


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_level_that_was_not_given_is_named_with_its_row(ending, frame, tmp_path):
    stream = io.stream(in_parts(frame, tmp_path, ending), levels={"kind": ["ox", "ant", "émeu"]}, memory=2**20)
    model = Perceptron(max_iter=1)
    place = "part-2.parquet, row group 0, rows 0 to 119" if ending == "parquet" else "part-2.csv, rows 0 to 119"
    words = (
        rf"{place}: column 'kind' holds 'zebra' in row 115, which is not among its levels \(ant, ox, émeu\); .*levels="
    )
    with pytest.raises(ValueError, match=words):
        model.fit_stream(stream)
    assert not hasattr(model, "weights_")


def test_levels_that_did_not_come_have_columns_of_zeros(frame, tmp_path):
    given = io.stream(in_parts(frame, tmp_path, "parquet"), levels={"kind": ["ox", "ant", "émeu", "zebra", "bee"]})
    X, names = rows_of(given), given.feature_names
    assert X[:, names.index("kind=bee")].max() == 0
    np.testing.assert_array_equal(np.delete(X, names.index("kind=bee"), axis=1), io.Recipe().fit(frame)[0])


def test_whole_numbers_may_be_levels(tmp_path):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"code": [7, 3, 7], "x": [0.5, 1, 2], "y": [0, 1, 0]}).write_parquet(path)
    stream = io.stream(path, levels={"code": [3, 7]})
    assert stream.feature_names == ["code=3", "code=7", "x"]
    assert rows_of(stream).tolist() == [[0, 1, 0.5], [1, 0, 1], [0, 1, 2]]
    np.testing.assert_array_equal(stream.recipe().apply(io.read(path)), rows_of(stream))
    with pytest.raises(ValueError, match=r"column 'x' of .* holds fractions, which are no levels"):
        io.stream(path, levels={"x": [1, 2]})


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ({"kind": "ox"}, r"levels\['kind'\]='ox' must be a list of levels"),
        ({"kind": []}, r"levels\['kind'\]=\[\] must be a list"),
        (["kind"], r"levels=\['kind'\] must be a dict"),
        ({"kin": ["ox"]}, "has no column 'kin'; it has kind, size"),
    ],
)
def test_other_levels_are_refused(levels, words, frame, tmp_path):
    with pytest.raises(ValueError, match=words):
        io.stream(in_parts(frame, tmp_path, "parquet"), levels=levels)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_missing_text_is_refused_as_in_memory(ending, frame, tmp_path):
    holes = frame.with_columns(kind=pl.when(pl.int_range(360) == 250).then(None).otherwise("kind"))
    with pytest.raises(ValueError, match=r"column 'kind' lacks a value in row 251"):
        io.Recipe().fit(holes)
    stream = io.stream(in_parts(holes, tmp_path, ending))
    assert stream.levels["kind"] == ["ant", "ox", "zebra", "émeu"]
    with pytest.raises(ValueError, match=r"part-2.*column 'kind' lacks a value in row 10; fill it in"):
        LeastSquares().fit_stream(stream)


@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv"])
def test_rows_that_lack_a_value_are_dropped_as_in_memory(ending, frame, tmp_path):
    """A text, a flag, a number, a label; NaN lacks a value, too; a level may come in rows alone that are left out."""
    k = pl.int_range(360)
    holes = frame.with_columns(
        kind=pl.when(k.is_in([0, 200])).then(None).otherwise("kind"),
        flag=pl.when(k == 5).then(None).otherwise("flag"),
        size=pl.when(k > 354).then(None).when(k == 9).then(float("nan")).otherwise("size"),
        target=pl.when(k == 7).then(None).otherwise("target"),
    )
    kept = io.Recipe(missing="drop")
    X, y, _ = kept.fit(holes)
    stream = io.stream(in_parts(holes, tmp_path, ending), missing="drop", memory=2**20)
    np.testing.assert_array_equal(rows_of(stream), X)
    assert np.concatenate([block.y for block in stream]).tolist() == y.tolist()
    assert (stream.n_rows, stream.left_out) == (350, 10)
    assert stream.feature_names == kept.feature_names
    assert "kind=zebra" in stream.feature_names
    assert stream.recipe().to_dict() == kept.to_dict()
    given = io.stream(f"{tmp_path}/part-*.{ending}", missing="drop", levels={"kind": ["ant", "ox"]})
    row = next(j for j in range(360) if holes["kind"][j] == "émeu" and j not in (5, 7, 9))
    with pytest.raises(ValueError, match=f"part-0.*'kind' holds 'émeu' in row {row}, which"):
        rows_of(given)


def test_nothing_but_rows_that_lack_a_value(tmp_path):
    pl.DataFrame({"a": ["u", None], "b": [None, 1.5], "y": [0, 1]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="nothing is left of the source: every one of its 2 rows lacks a value"):
        LeastSquares().fit_stream(io.stream(tmp_path / "a.parquet", missing="drop"))
    with pytest.raises(ValueError, match=r"missing='median' must be 'refuse' or 'drop'; .*medians need all rows"):
        io.stream(tmp_path / "a.parquet", missing="median")


def test_what_memory_refuses_is_refused_in_the_same_words(tmp_path):
    n = 2100
    numbers = np.arange(n)
    for name, values in {
        "names": [f"u{k}" for k in numbers],
        "numbers": ["?!" if k == 5 else str(k) for k in numbers],
        "prices": [f"${k}" for k in numbers % 50],
        "days": pl.Series(numbers % 50).cast(pl.Date),
        "lists": [[1, 2]] * n,
        "nothing": pl.Series([None] * n, dtype=pl.String),
    }.items():
        frame = pl.DataFrame({"bad": values, "y": numbers % 2})
        frame.write_parquet(tmp_path / f"{name}.parquet")
        with pytest.raises(io.TableError) as kept:
            io.Recipe().fit(frame)
        with pytest.raises(io.TableError) as found:
            io.stream(tmp_path / f"{name}.parquet")
        assert str(found.value) == str(kept.value)


def test_a_column_that_is_text_in_one_file(tmp_path):
    """Codes of letters and digits are levels in all files; numbers that one file writes as text stay numbers."""
    codes, ages = [["1", "A", "2"] * 4, [2, 1, 1] * 4], [[30, 41, 2] * 4, ["7", " 30", "8"] * 4]
    for k in range(2):
        frame = pl.DataFrame({"code": codes[k], "age": ages[k], "y": [0, 1, 0] * 4})
        frame.write_parquet(tmp_path / f"{k}.parquet")
    with pytest.warns(UserWarning, match="column 'code' is taken for text.*because it holds 'A'"):
        stream = io.stream(f"{tmp_path}/*.parquet")
    assert stream.feature_names == ["code=1", "code=2", "code=A", "age"]
    X = rows_of(stream)
    assert X[:3].tolist() == [[1, 0, 0, 30], [0, 0, 1, 41], [0, 1, 0, 2]]
    assert X[12:15].tolist() == [[0, 1, 0, 7], [1, 0, 0, 30], [1, 0, 0, 8]]
    alone = whole_file(str(tmp_path / "1.parquet"), known_of(stream), stream.dtype, stream.n_features)
    np.testing.assert_array_equal(alone.X, X[12:])


def test_a_column_of_a_csv_file_that_is_text_in_one_part(tmp_path):
    """It is read as from one file that holds all lines: codes as they are written, 07, and no blanks around texts."""
    header, parts = "a,code,flag,y\n", ["1, 07 ,True,0\n2,7,false,1\n", '3,"x",true,0\n4,y,TRUE,1\n5, z,False,0\n']
    for k in range(2):
        (tmp_path / f"{k}.csv").write_text(header + parts[k])
    (tmp_path / "whole.txt").write_text(header + "".join(parts))
    stream, recipe = io.stream(f"{tmp_path}/*.csv"), io.Recipe()
    X, _, _ = recipe.fit(io.read(tmp_path / "whole.txt", format="csv"))
    assert stream.feature_names == recipe.feature_names
    assert stream.levels == {"code": ["07", "7", "x", "y", "z"], "flag": ["false", "true"]}
    np.testing.assert_array_equal(rows_of(stream), X)


def test_a_column_of_numbers_that_is_empty_in_the_first_part(tmp_path):
    (tmp_path / "0.csv").write_text("a,b,y\n1,,0\n2,NA,1\n")
    (tmp_path / "1.csv").write_text("a,b,y\n1,3,0\n2,-,1\n")
    stream = io.stream(f"{tmp_path}/*.csv")
    assert stream.feature_names == ["a", "b"]
    with pytest.raises(ValueError, match=r"0.csv, rows 0 to 1: column 'b' lacks a value in row 0"):
        rows_of(stream)


def test_a_text_after_files_of_numbers_needs_its_levels(tmp_path):
    (tmp_path / "0.csv").write_text("a,b,y\n1,1,0\n2,2,1\n")
    (tmp_path / "1.csv").write_text("a,b,y\n1,3,0\n2,abc,1\n")
    with pytest.raises(ValueError, match=r"1.csv, .*column 'b' holds 'abc', and the first file only numbers.*levels="):
        rows_of(io.stream(f"{tmp_path}/*.csv"))
    stream = io.stream(f"{tmp_path}/*.csv", levels={"b": [1, 2, 3, "abc"]})
    assert rows_of(stream)[:, 1:].argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_flags_and_numbers_of_one_name_are_refused(tmp_path):
    for k, values in enumerate([[True, False], [1, 0]]):
        pl.DataFrame({"b": values, "y": [0, 1]}).write_parquet(tmp_path / f"{k}.parquet")
    with pytest.raises(
        ValueError, match=r"'b' holds true and false in .*0.parquet' and numbers in .*1.parquet'; write"
    ):
        io.stream(f"{tmp_path}/*.parquet")


def test_dictionaries_as_arrow_may_hold_them(tmp_path):
    """Entries that no row has, entries that stand twice or are missing, and numbers as entries."""
    texts = pa.DictionaryArray.from_arrays(pa.array([1, 2, 3, 1], pa.uint8()), ["unused", "a", "b", "a"])
    numbers = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 1]), pa.array([5, 7]))
    holes = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 0]), pa.array(["c", None]))
    table = pa.table({"t": texts, "n": numbers, "y": [0, 1, 0, 1], "holes": holes})
    with pa.ipc.new_file(tmp_path / "a.arrow", table.schema) as file:
        file.write_table(table)
    pq.write_table(table.drop_columns("holes"), tmp_path / "a.parquet")
    for name in ("a.arrow", "a.parquet"):
        stream = io.stream(tmp_path / name, features=["t", "n"])
        assert stream.feature_names == ["t=a", "t=b", "n"]
        assert rows_of(stream).tolist() == [[1, 0, 5], [0, 1, 7], [1, 0, 5], [1, 0, 7]]
    with pytest.raises(ValueError, match="column 'holes' lacks a value in row 1"):
        rows_of(io.stream(tmp_path / "a.arrow", features=["holes"]))


def test_a_worker_reads_one_file_as_all_are_read(frame, tmp_path):
    source = in_parts(frame.with_columns(more=pl.lit("aside")), tmp_path, "parquet")
    X = io.Recipe(drop=["more"]).fit(frame.with_columns(more=pl.lit("aside")))[0]
    outline = io.stream(source, drop=["more"])
    for shown, kept in ((outline, outline.feature_names), (outline.contrasts(), outline.contrasts().feature_names)):
        blocks = [
            whole_file(f"{tmp_path}/part-{k}.parquet", known_of(shown), shown.dtype, shown.n_features)
            for k in range(PARTS)
        ]
        places = [outline.feature_names.index(name) for name in kept]
        np.testing.assert_array_equal(np.vstack([block.X for block in blocks]), X[:, places])


def test_labels_as_they_are_written(tmp_path):
    """Typed as in memory; numbers in one block and texts in another are refused, since nobody has seen all of them."""
    for name, first, second in (("flags", "True", "False"), ("codes", "07", "10"), ("numbers", "7", "10")):
        lines = "a,y\n" + "".join(f"{k},{first if k % 2 else second}\n" for k in range(30))
        (tmp_path / f"{name}.csv").write_text(lines)
        y = io.Recipe().fit(io.scan(tmp_path / f"{name}.csv", labels="y"))[1]
        stream = io.stream(tmp_path / f"{name}.csv", labels="y")
        assert np.concatenate([block.y for block in stream]).tolist() == y.tolist()
    with pytest.raises(ValueError, match="y holds numbers as well as texts"):
        LeastSquares().fit_stream(io.stream([tmp_path / "codes.csv", tmp_path / "numbers.csv"], labels="y"))


def test_gaps_in_weights_and_lists_of_entries(tmp_path):
    frame = pl.DataFrame({"a": ["u", "v", "u", "v"], "w": [1.0, None, 2.0, 3.0], "y": [0, 1, 1, 0]})
    frame.write_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="column 'w' lacks a value in row 1"):
        rows_of(io.stream(tmp_path / "a.parquet", weights="w"))
    (block,) = io.stream(tmp_path / "a.parquet", weights="w", missing="drop")
    assert (block.X.tolist(), block.weight.tolist(), block.y.tolist()) == (
        [[1, 0], [1, 0], [0, 1]],
        [1, 2, 3],
        [0, 1, 0],
    )
    (tmp_path / "a.svm").write_text("1 1:0.5\n0 2:1\n")
    io.write(io.read(tmp_path / "a.svm"), tmp_path / "lists.parquet")
    with pytest.raises(ValueError, match=r"column 'features' of .* holds lists; write the rows as LIBSVM files"):
        io.stream(tmp_path / "lists.parquet")
