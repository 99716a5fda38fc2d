"""Streams: every source gives the rows of its files, within a bound, and names what is wrong."""

import threading

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from discriminant import LeastSquares, NotConvergedWarning, Perceptron, io
from discriminant._engine.driver import Interrupted


@pytest.fixture
def table(rng):
    X = rng.normal(size=(500, 3))
    return X, np.where(X @ [1, -1, 0.5] > 0, "yes", "no")


def frame_of(X, y, **more):
    return pl.DataFrame({**{f"x{j}": X[:, j] for j in range(X.shape[1])}, "target": y, **more})


def rows_of(stream):
    blocks = list(stream)
    X = [block.X.toarray() if sparse.issparse(block.X) else block.X for block in blocks]
    return np.vstack(X), np.concatenate([block.y for block in blocks]), blocks


@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv"])
def test_several_files_give_all_rows_in_order(ending, table, tmp_path):
    X, y = table
    for k in range(2):
        io.write(frame_of(X[250 * k : 250 * (k + 1)], y[250 * k : 250 * (k + 1)]), tmp_path / f"part-{k}.{ending}")
    stream = io.stream(f"{tmp_path}/part-*.{ending}", memory=2**20)
    for _ in range(2):  # as often as one likes
        seen, labels, blocks = rows_of(stream)
        np.testing.assert_allclose(seen, X)
        assert labels.tolist() == y.tolist()
        assert [block.first for block in blocks] == [0, 250]
    assert stream.feature_names == ["x0", "x1", "x2"]
    assert stream.n_rows == 500
    assert repr(stream) == "<Stream of 500 rows of 3 features, within 1 MiB>"


def test_row_groups_are_cut_to_the_bound(rng, tmp_path):
    X = rng.normal(size=(30_000, 3))
    frame_of(X, np.zeros(30_000)).write_parquet(tmp_path / "a.parquet", row_group_size=25_000)
    stream = io.stream(tmp_path / "a.parquet", memory=2**20)
    seen, _, blocks = rows_of(stream)
    assert stream.rows_at_once == 4096
    sizes = [block.n_rows for block in blocks]
    assert sizes == [3572] * 6 + [3568] + [2500] * 2  # of a group all alike, but for what does not come out even
    np.testing.assert_array_equal(seen, X)
    assert blocks[1].name.endswith("a.parquet, row group 0, rows 3,572 to 7,143")


def test_columns_are_chosen_and_types_kept(table, tmp_path):
    X, y = table
    frame = frame_of(X.astype(np.float32), y, weight=np.arange(500), text=y)
    frame.write_parquet(tmp_path / "a.parquet")
    stream = io.stream(tmp_path / "a.parquet", features=["x2", "x0"], weights="weight")
    seen, _, (block,) = rows_of(stream)
    assert seen.dtype == np.float32
    np.testing.assert_array_equal(seen, X.astype(np.float32)[:, [2, 0]])
    np.testing.assert_array_equal(block.weight, np.arange(500))
    with pytest.raises(ValueError, match="no column 'x7'; it has x0, x1"):
        io.stream(tmp_path / "a.parquet", drop=["x7"])
    with pytest.raises(ValueError, match="'x0' is among features and also dropped"):
        io.stream(tmp_path / "a.parquet", features=["x0"], drop=["x0"])
    with pytest.raises(ValueError, match=r"column 'text' of .* holds no numbers; name other weights"):
        io.stream(tmp_path / "a.parquet", weights="text")
    with pytest.raises(ValueError, match="no column 'x9'; it has x0, x1"):
        io.stream(tmp_path / "a.parquet", features=["x9"])


def test_whole_numbers_flags_and_gaps(tmp_path):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"a": [1, 2], "b": [True, False], "c": [0.5, None], "y": [0, 1]}).write_parquet(path)
    stream = io.stream(path, features=["a", "b"])
    assert rows_of(stream)[0].tolist() == [[1, 0, 1], [2, 1, 0]]
    assert stream.feature_names == ["a", "b=false", "b=true"]
    with pytest.raises(ValueError, match=r"a.parquet, row group 0, rows 0 to 1: column 'c' lacks a value in row 1"):
        rows_of(io.stream(path))
    pl.DataFrame({"c": [0.5, float("nan")], "y": [0, 1]}).write_parquet(path)
    with pytest.raises(ValueError, match=r"a.parquet, row group 0, rows 0 to 1: X contains NaN, first in row 1"):
        rows_of(io.stream(path))


def test_libsvm_rows_stay_sparse(rng, tmp_path):
    X = sparse.random(300, 40, 0.1, format="csr", rng=rng)
    y = rng.integers(0, 2, 300)
    dump_svmlight_file(X, y, str(tmp_path / "a.svm"), zero_based=False)
    seen, labels, blocks = rows_of(io.stream(tmp_path / "a.svm"))
    np.testing.assert_allclose(seen, X.toarray()[:, : seen.shape[1]])
    assert labels.tolist() == y.tolist()
    assert sparse.issparse(blocks[0].X)


def test_arrays_are_mapped(table, tmp_path):
    X, y = table
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    seen, labels, _ = rows_of(io.stream(tmp_path / "X.npy", target=str(tmp_path / "y.npy")))
    np.testing.assert_array_equal(seen, X)
    assert labels.tolist() == y.tolist()
    with pytest.raises(ValueError, match="name the file of its labels"):
        io.stream(tmp_path / "X.npy")


def test_own_blocks_are_asked_for_anew(table):
    X, y = table
    stream = io.stream(lambda: ((X[k::2], y[k::2]) for k in range(2)))
    assert rows_of(stream)[0].shape == rows_of(stream)[0].shape == (500, 3)
    with pytest.raises(ValueError, match="passed over only once"):
        io.stream(iter([(X, y)]))
    with pytest.raises(ValueError, match="block 1: X has shape"):
        rows_of(io.stream([(X, y), (X[:, :2], y)].__iter__))


def test_fits_agree_with_memory(table, tmp_path):
    X, y = table
    frame_of(X, y).write_parquet(tmp_path / "a.parquet", row_group_size=120)
    stream = io.stream(tmp_path / "a.parquet")
    named = frame_of(X, y).drop("target").to_pandas()
    made, kept = Perceptron().fit_stream(stream), Perceptron().fit(named, y)
    np.testing.assert_array_equal(made.weights_, kept.weights_)
    assert made.feature_names_in_.tolist() == kept.feature_names_in_.tolist()
    np.testing.assert_allclose(LeastSquares().fit_stream(stream).weights_, LeastSquares().fit(X, y).weights_)


def test_a_damaged_row_group_is_named(table, tmp_path):
    X, y = table
    path = tmp_path / "b.parquet"
    frame_of(X, y).write_parquet(tmp_path / "a.parquet")
    frame_of(X, y).write_parquet(path, row_group_size=250, compression="zstd")
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 400] = bytes(400)
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"b.parquet, row group \d.*write it again"):
        LeastSquares().fit_stream(io.stream([tmp_path / "a.parquet", path]))
    path.write_bytes(data[:2000])
    with pytest.raises(ValueError, match=r"b.parquet' cannot be read as parquet"):
        io.stream([tmp_path / "a.parquet", path])


def test_a_file_with_other_columns_is_named(table, tmp_path):
    X, y = table
    frame_of(X, y).write_parquet(tmp_path / "a.parquet")
    frame_of(X[:, :2], y).write_parquet(tmp_path / "b.parquet")
    model = LeastSquares().fit(X, y)
    before = model.weights_
    with pytest.raises(ValueError, match=r"b.parquet, .*no column 'x2', which the first file has"):
        model.fit_stream(io.stream(f"{tmp_path}/*.parquet"))
    assert model.weights_ is before


def test_a_text_among_numbers_is_named(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,0\n2,1\n")
    (tmp_path / "b.csv").write_text("x,y\n1,0\nabc,1\n")
    with pytest.raises(ValueError, match=r"b.csv"):
        rows_of(io.stream(f"{tmp_path}/*.csv"))


@pytest.mark.parametrize(
    ("memory", "found"),
    [
        ("256MB", 256 * 10**6),
        ("2GiB", 2 * 2**30),
        (2**21, 2**21),
        (np.int64(2**21), 2**21),
        ("1.5 m", 1_500_000),
    ],
)
def test_sizes_of_memory(memory, found):
    assert io.streams.bytes_of(memory) == found


@pytest.mark.parametrize("memory", ["much", 10, None, True])
def test_other_sizes_are_refused(memory):
    with pytest.raises(ValueError, match=r"memory=.* must be"):
        io.stream(list, memory=memory)


def test_files_that_are_not_there(tmp_path):
    for source, words in [("none-*.parquet", "no file matches"), ("none.parquet", "is not there"), (3, "source=3")]:
        with pytest.raises(ValueError, match=words):
            io.stream(source)


def test_the_thread_ends_with_its_reader(table):
    X, y = table
    stream = io.stream(lambda: ((X, y) for _ in range(100)))
    before = threading.active_count()
    for _ in stream:
        break
    assert threading.active_count() == before
    stream.watch.interrupted = True
    with pytest.raises(Interrupted):
        list(stream)
    assert threading.active_count() == before


def test_progress_tells_rows_a_second_and_the_time_left(table):
    X, y = table
    stream, told = io.stream(lambda: ((X, y) for _ in range(3))), []
    stream.tell = lambda text, share: told.append((text, share))
    list(stream)
    list(stream)
    assert told[0][0].startswith("pass 1, 500 rows, ")
    assert "rows/s" in told[0][0]
    assert "s left" in told[3][0]
    assert [share for _, share in told] == pytest.approx([0, 0, 0, 1 / 3, 2 / 3, 1])


def test_given_classes_save_a_pass_and_refuse_others(table, tmp_path):
    X, y = table
    frame_of(X, y).write_parquet(tmp_path / "a.parquet", row_group_size=120)
    stream = io.stream(tmp_path / "a.parquet", classes=["yes", "no", "never"])
    made, kept = Perceptron(max_iter=3), Perceptron(max_iter=3)
    with pytest.warns(NotConvergedWarning):
        made.fit_stream(stream)
    kept.partial_fit(X, y, classes=["yes", "no", "never"]).partial_fit(X, y).partial_fit(X, y)
    assert stream.passes == made.n_iter_ == 3
    np.testing.assert_array_equal(made.weights_, kept.weights_)
    assert made.report_.to_dict()["n_samples"] == 500
    with pytest.raises(ValueError, match=r"a.parquet, row group 0, .*: y holds .*no.* must be among classes"):
        Perceptron().fit_stream(io.stream(tmp_path / "a.parquet", classes=["yes", "never"]))
    with pytest.raises(ValueError, match=r"classes=.* must be at least two"):
        io.stream(tmp_path / "a.parquet", classes=["yes"])


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"features": ["x0", "x0"]}, "column 'x0' is asked for twice"),
        ({"features": ["x0", "label"]}, "column 'label' is asked for twice"),
        ({"weights": "label"}, "column 'label' is asked for twice"),
    ],
)
def test_a_column_has_one_part(chosen, words, tmp_path):
    (tmp_path / "a.csv").write_text("x0,x1,label\n1,2,0\n2,1,1\n")
    with pytest.raises(ValueError, match=words):
        io.stream(tmp_path / "a.csv", target="label", **chosen)


def test_a_part_into_which_no_row_fell_is_none(table, tmp_path):
    X, y = table
    frame = frame_of(X, y)
    for name, part in {"a": frame[:200], "b": frame[:0], "c": frame[200:]}.items():
        part.write_csv(tmp_path / f"{name}.csv")
    np.testing.assert_array_equal(rows_of(io.stream(f"{tmp_path}/*.csv"))[0], X)
    for name, part in {"a": frame[:200], "b": frame[:0], "c": frame[200:]}.items():
        part.with_columns(pl.lit("word").alias("text")).write_csv(tmp_path / f"{name}.csv")
    assert rows_of(io.stream(f"{tmp_path}/*.csv"))[0].shape == (len(X), X.shape[1] + 1)
    (tmp_path / "b.csv").write_text("")
    with pytest.raises(ValueError, match=r"b.csv' is empty"):  # nor has it a header: who wrote it did not end
        rows_of(io.stream(f"{tmp_path}/*.csv"))


def test_a_list_of_blocks_is_a_source(table):
    X, y = table
    np.testing.assert_array_equal(rows_of(io.stream([(X[:100], y[:100]), [X[100:], y[100:]]]))[0], X)


def test_a_source_that_gives_other_rows_in_a_later_pass_is_refused(table):
    X, y = table
    counts = iter([400, 400, 500])  # a look at the columns, two passes
    stream = io.stream(lambda: [(X[:count], y[:count]) for count in [next(counts)]])
    rows_of(stream)
    with pytest.raises(ValueError, match="gave 500 rows, and 400 in the pass before; it must give the same in each"):
        rows_of(stream)


def test_what_is_no_source_is_refused_in_our_words(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,0\n2,1\n")
    with pytest.raises(TypeError, match=r"^stream\(\) got an unexpected keyword argument 'separator'"):
        io.stream(tmp_path / "a.csv", separator=";")
    with pytest.raises(ValueError, match=r"is a folder; name its files, such as '.*\*\.csv'"):
        io.stream(tmp_path)
    with pytest.raises(ValueError, match="block 0: X holds complex numbers"):
        rows_of(io.stream(lambda: [(np.full((2, 1), 1j), [0, 1])]))
    with pytest.raises(ValueError, match="block 0: y is a NoneType; give a label for each row"):
        io.stream(lambda: [(np.ones((2, 1)), None)])
    with pytest.raises(ValueError, match=r"must be paths, or blocks .*; name files, or write"):
        io.stream((np.ones((2, 1)), np.arange(2)))
    with pytest.raises(ValueError, match="classes=5 must be a sequence"):
        io.stream(tmp_path / "a.csv", classes=5)
    with pytest.raises(ValueError, match="no columns of features"):
        io.stream(lambda: [(np.empty((2, 0)), [0, 1])])
