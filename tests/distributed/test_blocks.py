"""Rounds on a cluster: sums in a fixed order, what travels, and what happens when a worker or the scheduler is lost."""

import pickle
import threading
import time
import warnings
from functools import partial
from pathlib import Path

import dask.array as da
import numpy as np
import pytest
from clusters import kill_worker, local_client, separate_scheduler
from distributed import Client
from portions import rest_in_ci

from discriminant import (
    HoKashyap,
    LeastSquares,
    LogisticDiscriminant,
    NotConvergedWarning,
    Perceptron,
    RecursiveLeastSquares,
    SupportVectorMachine,
    WidrowHoff,
    distributed,
)
from discriminant.distributed.blocks import DaskBlocks
from discriminant.distributed.chunks import chunks_of

ROOT = Path(__file__).parents[2]


def gram(block, weights):
    """A part of a sum: products of the columns, and the rows with their places."""
    return block.X.T @ block.X, block.n_rows, [(block.first, block.n_rows)], weights.sum()


def steps(block, state, weights):
    """A step of something that a block keeps: it counts the rounds."""
    state = (0 if state is None else state) + 1
    return state, (state, float((block.X @ weights).sum()))


def sent_to_workers(dask_worker):
    """Messages of this worker to another one, and their bytes on the wire."""
    log = [entry for entry in dask_worker.transfer_outgoing_log if entry["who"]]
    return len(log), sum(entry["compressed"] for entry in log)


@pytest.fixture
def breakable():
    with local_client() as client:
        yield client


def data(rng, n=400, d=4):
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] + 0.7 * rng.normal(size=n) > 0).astype(int)


def test_sums_are_the_same_to_the_last_bit_and_know_their_rows(client, rng):
    X, y = data(rng)
    blocks = DaskBlocks(client, chunks_of(da.from_array(X, chunks=(30, -1)), y))
    first, again = (blocks.total(gram, np.ones(4)) for _ in range(2))
    assert np.array_equal(first[0], again[0])
    np.testing.assert_allclose(first[0], X.T @ X)
    assert first[1:] == (400, [(30 * k, min(30, 400 - 30 * k)) for k in range(14)], 4.0 * 14)
    assert [place for place, _ in blocks.gather(gram, np.ones(4))[3][2]] == [90]


def test_what_blocks_keep_stays_with_them(client, rng):
    X, y = data(rng)
    evolution = DaskBlocks(client, chunks_of(da.from_array(X, chunks=(100, -1)), y)).evolving(steps)
    found = [evolution.total(np.ones(4))[0] for _ in range(3)]
    assert found == [4, 8, 12]


in_ci = partial(pytest.param, marks=pytest.mark.ci)


@pytest.mark.parametrize(
    ("model", "name", "rounds"),
    [
        (LeastSquares(), "least squares, Fisher, ridge", 1),
        (RecursiveLeastSquares(), "recursive least squares", 1),
        (Perceptron(batch=True, max_iter=6), "batch rules", 6),
        (HoKashyap(max_iter=5), "Ho-Kashyap: steps", 5 + 3),
        in_ci(WidrowHoff(batch=True, schedule=1e-6, tol=0, max_iter=20), "batch rules", 20),
        in_ci(LogisticDiscriminant(), "Newton: logistic, squared slack", None),
        in_ci(Perceptron(max_iter=20), "parameter mixing", None),
        in_ci(SupportVectorMachine(loss="squared_hinge"), "L-BFGS: squared slack", None),
        in_ci(SupportVectorMachine(C=1e-3, tol=0.05), "CoCoA⁺: hinge", None),
    ],
    ids=str,
)
def test_bytes_between_workers_are_those_on_paper(client, rng, monkeypatch, model, name, rounds):
    """Of a whole fit: what else travels, counts of rows and the like, is less than 3 % and 2 KB a message."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    scale = pytest.importorskip("scale")
    d, made = 180 if isinstance(model, RecursiveLeastSquares) else 400, []  # a triangle of so many rows as columns
    X = rng.normal(size=(1600, d))
    y = (X[:, 0] + rng.normal(size=1600) > 0).astype(int)
    if name.startswith("L-BFGS"):
        monkeypatch.setattr("discriminant.svm.estimator.WIDE", d)
    monkeypatch.setattr(DaskBlocks, "_message", counted(DaskBlocks._message, made))
    before = client.run(sent_to_workers)
    with warnings.catch_warnings(action="ignore", category=NotConvergedWarning):
        distributed.fit(model, da.from_array(X, chunks=(200, -1)), y)
    after = client.run(sent_to_workers)
    messages, bytes_sent = (sum(after[key][k] - before[key][k] for key in after) for k in (0, 1))
    procedures = {each.name: each for each in scale.PROCEDURES}
    rounds = sum(size > 8 * d for size in made) if rounds is None else rounds  # those that send weights
    paper = rounds * scale.bytes_of_round(procedures[name], d, homes := ["one"] * 4 + ["other"] * 4)
    if name == "Ho-Kashyap: steps":  # of which two more find a(1), and each step is looked at
        paper += scale.bytes_of_round(procedures["Ho-Kashyap: before the first step"], d, homes)
    assert paper <= bytes_sent <= 1.03 * paper + 2048 * messages


def counted(send, made):
    """The method that sends a message, which also writes down how long each is."""

    def counting(self, args):
        made.append(len(pickle.dumps(args)))
        return send(self, args)

    return counting


DEATHS = [("kept", 0), ("sums", 0), *(("margins", k) for k in range(5))]
DEATHS += [(kind, k) for kind in ("sums", "kept") for k in range(1, 20)]


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
@pytest.mark.parametrize("case", DEATHS, ids=str)
def test_a_worker_that_dies_changes_nothing(breakable, case):
    kind, moment = case
    rng = np.random.default_rng(moment)
    X, y = data(rng)
    lazy = da.from_array(X, chunks=(60, -1))
    kept = {"kept": SupportVectorMachine(C=0.05, tol=1e-3), "margins": HoKashyap(tol=1e-3)}
    model = kept.get(kind, LogisticDiscriminant())
    begin = time.monotonic()
    expected = distributed.fit(type(model)(**model.get_params()), lazy, y, client=breakable)
    killer = threading.Timer(rng.uniform(0, time.monotonic() - begin), kill_worker, (breakable, moment % 2))
    killer.start()
    try:
        found = distributed.fit(model, lazy, y, client=breakable)
    finally:
        killer.join()
    np.testing.assert_allclose(found.weights_, expected.weights_, rtol=1e-9, atol=1e-12)


def test_data_that_are_lost_with_a_worker_are_named(breakable, rng):
    X, y = data(rng)
    held = breakable.scatter([X[k : k + 100] for k in range(0, 400, 100)])
    lazy = da.concatenate([da.from_delayed(part, (100, 4), float) for part in held])
    blocks = DaskBlocks(breakable, chunks_of(lazy, y))
    killed = kill_worker(breakable)
    del held
    while killed in breakable.nthreads():  # nobody is told that it died
        time.sleep(0.05)
    with pytest.raises(ConnectionError, match=r"chunk \(\d, 0\) was lost with its worker, and .* scatter copies"):
        blocks.total(gram, np.ones(4))


def test_a_scheduler_that_goes_away_ends_the_fit_in_seconds(tmp_path, rng):
    X, y = data(rng)
    with separate_scheduler(tmp_path) as (scheduler, address), Client(address, timeout=10) as client:
        client.wait_for_workers(1)
        blocks = DaskBlocks(client, chunks_of(da.from_array(X, chunks=(100, -1)), y))
        scheduler.kill()
        begin = time.monotonic()
        with pytest.raises(ConnectionError, match=r"the scheduler at tcp://.* does not answer"):
            blocks.total(gram, np.ones(4))
        assert time.monotonic() - begin < 15


@pytest.mark.parametrize("model", rest_in_ci([LogisticDiscriminant(), SupportVectorMachine(C=0.05)]), ids=str)
def test_a_checkpoint_goes_on_where_the_scheduler_was_lost(client, rng, tmp_path, monkeypatch, model):
    X, y = data(rng)
    lazy, given = da.from_array(X, chunks=(100, -1)), {"client": client, "checkpoint": tmp_path / "fit.json"}
    made = []
    monkeypatch.setattr(DaskBlocks, "_message", counted(DaskBlocks._message, made))
    expected = distributed.fit(type(model)(**model.get_params()), lazy, y, client=client)
    whole = len(made)

    def failing(self, begin, known=DaskBlocks._round):
        if self.journal is not None and len(self.journal.rounds) == 4:
            raise ConnectionError("the scheduler does not answer")
        return known(self, begin)

    with monkeypatch.context() as patched:
        patched.setattr(DaskBlocks, "_round", failing)
        with pytest.raises(ConnectionError):
            distributed.fit(model, lazy, y, every=0, **given)
    assert not hasattr(model, "coef_")
    with pytest.raises(ValueError, match="it is of another model, other parameters or other data"):
        distributed.fit(model, lazy + 1, y, **given)
    made.clear()
    found = distributed.fit(model, lazy, y, **given)
    np.testing.assert_allclose(found.weights_, expected.weights_, rtol=1e-12)
    assert len(made) == whole - 4 + 1  # of which one is for the name of the data
    assert not (tmp_path / "fit.json").exists()
