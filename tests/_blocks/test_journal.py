"""Checkpoints: a fit that was killed goes on to the result of one that was not."""

import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from scipy import sparse

from discriminant import (
    FisherDiscriminant,
    HoKashyap,
    LeastSquares,
    LogisticDiscriminant,
    Perceptron,
    RecursiveLeastSquares,
    Relaxation,
    RidgeRegressor,
    SupportVectorMachine,
    WidrowHoff,
    io,
)
from discriminant._blocks.journal import Journal, decoded, encoded
from discriminant._blocks.memory import MemoryBlocks
from discriminant._blocks.survey import ClassTally

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


class Killed(Exception):
    """Stands for a kill."""


class Mortal(MemoryBlocks):
    """Blocks that end after so many of them."""

    left = 10**9

    def __iter__(self):
        for block in super().__iter__():
            if not self.left:
                raise Killed
            self.left -= 1
            yield block


MODELS = [
    LeastSquares(),
    FisherDiscriminant(),
    RidgeRegressor(),
    LogisticDiscriminant(),
    LogisticDiscriminant(penalty=None),
    SupportVectorMachine(loss="squared_hinge"),
    Perceptron(max_iter=8),
    Perceptron(average=True, schedule="adaptive", max_iter=8),
    Relaxation(batch=True, max_iter=8),
    WidrowHoff(max_iter=8),
    WidrowHoff(batch=True, max_iter=40),
    WidrowHoff(multiclass="one-vs-one", schedule="rls", max_iter=5),
    RecursiveLeastSquares(max_iter=3),
    HoKashyap(max_iter=5),
    HoKashyap(variant="descent", eta="optimal", max_iter=5),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_killed_fit_goes_on_to_the_same_bits(model, rng, tmp_path):
    X = rng.normal(size=(300, 3))
    y = (X @ rng.normal(size=(3, 3)) + rng.gumbel(size=(300, 3))).argmax(axis=1)
    path = tmp_path / "state.json"
    whole = type(model)(**model.get_params()).fit_stream(Mortal(X, y, rows=30))
    kills = 0
    while kills < 100:  # each run is killed after some more blocks
        blocks = Mortal(X, y, rows=30)
        blocks.left = 47
        made = type(model)(**model.get_params())
        try:
            made.fit_stream(blocks, checkpoint=path, every=0)
        except Killed:
            kills += 1
            assert path.exists()
            assert not hasattr(made, "status_")
        else:
            break
    np.testing.assert_array_equal(made.weights_, whole.weights_)
    assert made.status_ is whole.status_
    for name in getattr(whole, "history_", {}):
        np.testing.assert_array_equal(made.history_[name], whole.history_[name])
    assert not path.exists()
    assert kills < 100


def test_the_midst_of_a_pass_is_kept(rng, tmp_path):
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    blocks = Mortal(X, y, rows=30)
    blocks.left = 7
    with pytest.raises(Killed):
        LeastSquares().fit_stream(blocks, checkpoint=tmp_path / "state", every=0)
    assert decoded(json.loads((tmp_path / "state").read_text())["partial"])[1] == 7


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_a_process_that_is_killed_goes_on(rng, tmp_path):
    X = rng.normal(size=(4000, 4))
    y = (X @ [1.0, 2, 3, 4] + rng.normal(size=4000) > 0).astype(int)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    code = """
        import os, signal, sys
        from discriminant import Perceptron, io
        folder = sys.argv[1]
        class Dying(io.Stream):
            def __iter__(self):
                if self.passes == 7:
                    os.kill(os.getpid(), signal.SIGKILL)
                return super().__iter__()
        stream = io.stream(f"{folder}/X.npy", target=f"{folder}/y.npy")
        stream.__class__ = Dying
        Perceptron(max_iter=12).fit_stream(stream, checkpoint=f"{folder}/state.json", every=0)
    """
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code), str(tmp_path)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert (tmp_path / "state.json").exists()
    stream = io.stream(f"{tmp_path}/X.npy", target=f"{tmp_path}/y.npy")
    made = Perceptron(max_iter=12).fit_stream(stream, checkpoint=tmp_path / "state.json")
    assert stream.passes == 12 - 6  # the survey and six epochs were done
    whole = Perceptron(max_iter=12).fit_stream(io.stream(tmp_path / "X.npy", target=str(tmp_path / "y.npy")))
    np.testing.assert_array_equal(made.weights_, whole.weights_)
    assert made.n_corrections_ == whole.n_corrections_


@pytest.mark.parametrize("every", [0, 60])
def test_ctrl_c_leaves_a_model_and_a_checkpoint(every, rng, tmp_path, monkeypatch):
    monkeypatch.setattr("discriminant._engine.driver._last_interrupt", -1e9)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)

    class Pressed(MemoryBlocks):
        count = 0

        def __iter__(self):
            for block in super().__iter__():
                Pressed.count += 1
                if Pressed.count == 45:
                    os.kill(os.getpid(), signal.SIGINT)
                yield block

    path = tmp_path / "state"
    with pytest.warns(UserWarning, match="Ctrl-C"):
        model = Perceptron(max_iter=30).fit_stream(Pressed(X, y, rows=30), checkpoint=path, every=every)
    assert model.status_.name == "STOPPED"
    assert model.predict(X).shape == (300,)
    went_on = Perceptron(max_iter=30).fit_stream(Pressed(X, y, rows=30), checkpoint=path)
    assert Pressed.count == 45 + (30 - 3) * 10  # the survey and three passes were done
    np.testing.assert_array_equal(went_on.weights_, Perceptron(max_iter=30).fit(X, y).weights_)


def test_ctrl_c_in_the_first_minute_of_a_sum_keeps_its_blocks(rng, tmp_path, monkeypatch):
    monkeypatch.setattr("discriminant._engine.driver._last_interrupt", -1e9)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    path, seen = tmp_path / "state", []

    def blocks():
        for first in range(0, 300, 30):
            if first == 150 and len(seen) == 2:  # the first is a look at the columns
                os.kill(os.getpid(), signal.SIGINT)
            yield X[first : first + 30], y[first : first + 30]

    def begun():
        seen.append(len(seen))
        return blocks()

    made = LeastSquares()
    with pytest.raises(KeyboardInterrupt):
        made.fit_stream(io.stream(begun), checkpoint=path)
    assert not hasattr(made, "weights_")
    _, done, _ = json.loads(path.read_text())["partial"]
    assert 0 < int(done["int"]) < 10
    made.fit_stream(io.stream(begun), checkpoint=path)
    np.testing.assert_array_equal(made.weights_, LeastSquares().fit_stream(io.stream(blocks)).weights_)
    assert not path.exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("away/state", "No such file"),
        ("folder", "is no file"),
        ("taken/state", "Not a directory"),
        (3, "checkpoint=3 "),
    ],
)
def test_a_checkpoint_that_cannot_be_written_is_refused_at_once(name, words, rng, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "taken").touch()
    stream = io.stream(lambda: [(rng.normal(size=(30, 3)), np.arange(30) % 2)])
    with pytest.raises(ValueError, match=words):
        Perceptron().fit_stream(stream, checkpoint=name if name == 3 else tmp_path / name)
    assert stream.passes == 0
    assert sorted(each.name for each in tmp_path.iterdir()) == ["folder", "taken"]


def test_a_checkpoint_of_another_fit_is_refused(rng, tmp_path):
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    path = tmp_path / "state"
    blocks = Mortal(X, y, rows=30)
    blocks.left = 7
    with pytest.raises(Killed):
        LeastSquares().fit_stream(blocks, checkpoint=path, every=0)
    for model, rows in [(FisherDiscriminant(), 30), (LeastSquares(targets="fisher"), 30), (LeastSquares(), 40)]:
        with pytest.raises(ValueError, match="of another model, other parameters or other data"):
            model.fit_stream(MemoryBlocks(X, y, rows=rows), checkpoint=path)


def test_a_path_is_not_kept(rng, tmp_path):
    X, y = rng.normal(size=(30, 3)), rng.integers(0, 2, 30)
    with pytest.raises(ValueError, match="None where record='weights'"):
        Perceptron(record="weights").fit_stream(MemoryBlocks(X, y), checkpoint=tmp_path / "state")


class Trap:
    def __reduce__(self):
        return os.system, ("exit 1",)


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{}", b"[1]", pickle.dumps(Trap()), b'{"format":"discriminant checkpoint","version":2}', b"\xff\xfe",
        b'{"format": "discriminant checkpoint", "version": 3, "checksum": "", "of":1}', b"[" * 100_000,
    ],
)  # fmt: skip
def test_what_is_no_checkpoint_is_refused(content, tmp_path):
    path = tmp_path / "state"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"checkpoint=.* must be the file of this fit"):
        Journal(path, [], 60)


def test_a_changed_checkpoint_is_refused(tmp_path):
    path = tmp_path / "state"
    Journal(path, [], 0).close("a", (1.0,))
    path.write_text(path.read_text().replace("0x1.0", "0x1.8"))
    with pytest.raises(ValueError, match="checksum"):
        Journal(path, [], 0)


def test_values_come_back_exactly(rng):
    tally = ClassTally(np.array(["a", "bc"]), np.array([1, 2]), rng.normal(size=2), np.zeros(2))
    values = (0.1, np.inf, 2**80, None, True, "x", [1, (2.5,)], {3: "y"}, rng.normal(size=(2, 3)), tally)
    again = decoded(json.loads(json.dumps(encoded(values))))
    assert again[:8] == values[:8]
    np.testing.assert_array_equal(again[8], values[8])
    np.testing.assert_array_equal(again[9].weights, tally.weights)
    assert again[9].classes.tolist() == ["a", "bc"]
    for columns in (np.asfortranarray(rng.normal(size=(3, 4))), rng.normal(size=(3, 4))):  # products of them round so
        back = decoded(encoded(columns))
        np.testing.assert_array_equal(back, columns)
        assert back.flags.f_contiguous == columns.flags.f_contiguous
    table = sparse.random(5, 4, 0.5, format="csr", rng=rng)
    np.testing.assert_array_equal(decoded(encoded(table)).toarray(), table.toarray())
    for hostile in ({"array": ["|O", [1], "C", "AAAA"]}, {"record": ["Path", []]}, {"code": "x"}, 3, {"a": 1, "b": 2}):
        with pytest.raises((TypeError, KeyError)):
            decoded(hostile)
