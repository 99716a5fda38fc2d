"""P20: a Parquet set larger than the memory that a process is allowed, as a stream; and what a second worker gains."""

from __future__ import annotations

import contextlib
import logging
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from distributed import Client, LocalCluster, wait
from sklearn.linear_model import SGDClassifier

from discriminant import LeastSquares, LogisticDiscriminant, Perceptron, distributed, io

from . import _vowpal
from ._audit import augmented, require
from ._case import Audit, Contest, Outcome, Peer, Reading, case, faster, within
from ._child import PEAK, child
from ._peers import left_out, peer

FEATURES = 40
FULL, QUICK = 40, 2  # row groups
GROUP = 100_000  # rows of each
ROOM = "288MB"  # for the blocks: a row group at once
ALLOWED = 384 * 2**20  # bytes that the child may have beyond what it holds before the fit
READING = 0.7  # of the speed at which pyarrow alone reads

# Under a limit on its data segment, which counts all memory of its own, mapped or not.
CAPPED = (
    PEAK
    + """
import resource, warnings
import numpy as np
from discriminant import LeastSquares, io
warnings.simplefilter("ignore")
small = np.random.default_rng(0).standard_normal((200, 3))
LeastSquares().fit_stream(io.stream(lambda: [(small, np.arange(200) % 2)]))
stream = io.stream({pattern!r}, memory={room!r})
next(iter(stream))
held = 1024 * int(next(line for line in open("/proc/self/status") if line.startswith("VmData")).split()[1])
resource.setrlimit(resource.RLIMIT_DATA, (held + {allowed}, resource.RLIM_INFINITY))
model = []
used = above(lambda: model.append(LeastSquares().fit_stream(stream)))
assert model[0].report_.to_dict()["n_samples"] == {rows}
print(used / 2**20)
"""
)


def make(folder: Path, groups: int) -> int:
    """Write overlapping classes to two Parquet files; the number of rows."""
    rng = np.random.default_rng(0)
    w = rng.standard_normal(FEATURES)
    for k in range(2):
        with pq.ParquetWriter(folder / f"part-{k}.parquet", _rows(rng, w, 1).schema) as writer:
            for _ in range(groups // 2):
                writer.write_table(_rows(rng, w, GROUP), row_group_size=GROUP)
    return groups // 2 * 2 * GROUP


def _rows(rng: np.random.Generator, w: Any, n: int) -> Any:
    X = rng.standard_normal((n, FEATURES))
    y = (X @ w + rng.standard_normal(n) > 0).astype(np.int64)
    return pa.table({**{f"x{j}": X[:, j] for j in range(FEATURES)}, "target": y})


def read(folder: Path) -> int:
    """What pyarrow alone does: every number, decoded batch by batch."""
    rows = 0
    for path in sorted(folder.glob("*.parquet")):
        with pq.ParquetFile(path) as file:
            rows += sum(batch.num_rows for batch in file.iter_batches(batch_size=GROUP))
    return rows


def by_sgd(folder: Path) -> Any:
    """One pass of scikit-learn's perceptron, batch by batch."""
    model = SGDClassifier(loss="perceptron", penalty=None, learning_rate="constant", eta0=1.0, shuffle=False)
    for path in sorted(folder.glob("*.parquet")):
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=GROUP):
                y = batch.column(FEATURES).to_numpy()
                X = np.ascontiguousarray(batch.drop_columns(["target"]).to_tensor(row_major=True).to_numpy())
                model.partial_fit(X, y, classes=[0, 1])
    return model


def one_pass(stream: io.Stream, margin: float = 0.0) -> Perceptron:
    with warnings.catch_warnings(action="ignore"):
        return Perceptron(max_iter=1, margin=margin).fit_stream(stream)


def as_many_rows(ours: LeastSquares, theirs: int) -> str:
    rows = ours.report_.to_dict()["n_samples"]
    return require(rows == theirs, f"both went over {rows:,} rows")


def same_plane(ours: Perceptron, theirs: Any) -> str:
    """Both made the same corrections: scikit-learn's first step is ours, from zero."""
    a, b = ours.weights_, augmented(theirs)
    cosine = float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
    return require(cosine > 0.98, f"cosine of the weights {cosine:.4f}")


def with_margin(folder: Path, stream: io.Stream, shape: str) -> Iterator[Outcome]:
    """One epoch with a margin of 1 beside Vowpal Wabbit, with and without making its input."""
    if _vowpal.Workspace is None:
        yield left_out("vowpalwabbit")
        return
    cached = f"-d {_vowpal.write(folder, FEATURES, GROUP)} --cache_file {folder / 'rows.cache'}"  # is read where it is
    _vowpal.epoch(FEATURES, cached)
    yield Contest(
        f"one epoch of the perceptron with margin 1, {shape}",
        lambda: one_pass(stream, margin=1.0),
        [
            Peer(
                "Vowpal Wabbit, its text made of the Parquet files",
                lambda: _vowpal.epoch(FEATURES, f"-d {_vowpal.write(folder, FEATURES, GROUP)}"),
                faster(3),
                same_plane,
            ),
            Peer(
                "Vowpal Wabbit on its binary cache, made before",
                lambda: _vowpal.epoch(FEATURES, cached),
                faster(1),
                same_plane,
            ),
        ],
    )


@case("P20", "scale: a Parquet set larger than the memory, as a stream")
def scale(quick: bool) -> Iterator[Outcome]:
    """Least squares in one pass beside plain reading, one epoch beside scikit-learn's, and the memory under a cap."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = make(folder, QUICK if quick else FULL)
        pattern = f"{folder}/*.parquet"
        stream = io.stream(pattern, classes=[0, 1], memory=ROOM)
        shape = f"{rows:,}×{FEATURES} f64"
        yield Contest(
            f"least squares, {shape}",
            lambda: LeastSquares().fit_stream(stream),
            [Peer("pyarrow, reading alone", lambda: read(folder), within(1 / READING), as_many_rows)],
        )
        yield Contest(
            f"one epoch of the perceptron, {shape}",
            lambda: one_pass(stream),
            [Peer("scikit-learn SGD, partial_fit", lambda: by_sgd(folder), faster(1.0), same_plane)],
        )
        yield from with_margin(folder, stream, shape)
        if not Path("/proc/self/clear_refs").exists():
            yield "Left out, the memory under a cap: only Linux tells the peak of a process from now on."
            return
        used = child(CAPPED.format(pattern=pattern, room=ROOM, allowed=ALLOWED, rows=rows))
        whole = rows * FEATURES * 8 / 2**20
        audit = f"all rows of {whole:,.0f} MiB under RLIMIT_DATA, {ALLOWED / 2**20:,.0f} MiB more than at the start"
        yield Reading(f"peak above the start, blocks within {ROOM}", used, "MiB", ALLOWED / 2**20, audit)


@contextlib.contextmanager
def cluster(workers: int) -> Iterator[Client]:
    settings = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": logging.CRITICAL}
    with LocalCluster(n_workers=workers, processes=True, **settings) as made, Client(made) as client:
        yield client


def held(client: Client, n: int, d: int, chunks: int) -> tuple[Any, Any]:
    """Rows and labels that the workers have made themselves and keep in memory."""
    X = da.random.default_rng(0).normal(size=(n, d), chunks=(n // chunks, d))
    y = (X[:, :5].sum(axis=1) + da.random.default_rng(1).normal(size=n, chunks=n // chunks) > 0).astype(np.int64)
    X, y = client.persist([X, y])
    wait([X, y])
    return X, y


def fit_on(client: Client, data: tuple[Any, Any]) -> Callable[[], Any]:
    return lambda: distributed.fit(LogisticDiscriminant(), *data, client=client)


def same_weights(ours: Any, theirs: Any) -> str:
    apart = float(np.abs(ours.weights_ - theirs.weights_).max())
    return require(apart <= 1e-9 * float(np.abs(ours.weights_).max()), f"weights differ by {apart:.1g}")


@case("P20", "scale, a second worker: logistic regression by Newton's method, data in the workers' memory")
def second_worker(quick: bool) -> Iterator[Outcome]:
    n, d = (4_000, 20) if quick else (150_000, 600)
    with cluster(2) as two, cluster(1) as one:
        pairs = [(client, held(client, n, d, chunks=8)) for client in (two, one)]
        ours, theirs = (fit_on(*pair) for pair in pairs)
        yield Contest(
            f"{n:,}×{d} f64, 8 chunks", ours, [Peer("the same with one worker", theirs, faster(1.6), same_weights)]
        )


def log_loss(data: tuple[Any, Any], a: Any) -> float:
    """Sum of the log loss in float64, chunk by chunk."""
    X, y = data
    return float(np.logaddexp(0, np.where(y == 1, -1.0, 1.0) * (X @ a[1:] + a[0])).sum().compute())


def as_low(data: tuple[Any, Any], tol: float) -> Audit:
    """Both log losses lie within tol of the lower one."""

    def audit(ours: Any, theirs: Any) -> str:
        a, b = (log_loss(data, np.r_[model.intercept_, np.ravel(model.coef_)]) for model in (ours, theirs))
        return require(max(a, b) / min(a, b) - 1 <= tol, f"log losses {a / b - 1:+.0e} apart")

    return audit


@case("P20", "scale, a cluster: logistic regression without penalty, log loss to 1e-8, data in the workers' memory")
def cluster_peers(quick: bool) -> Iterator[Outcome]:
    """No penalty: dask-ml's newton knows none, and its others would count the intercept.

    Each solver has the loosest tol, of powers of ten, with which it reaches the minimum as nearly as the audit asks.
    """
    theirs = peer("dask_ml.linear_model", "LogisticRegression")
    if theirs is None:
        yield left_out("dask-ml")
        return
    n, d = (4_000, 20) if quick else (100_000, 50)
    with cluster(2) as client:
        X, y = data = held(client, n, d, chunks=8)
        audit = as_low(data, 1e-8)
        yield Contest(
            f"{n:,}×{d} f64, 8 chunks, two workers",
            lambda: distributed.fit(LogisticDiscriminant(C=np.inf), X, y, client=client),
            [
                Peer("dask-ml, newton", lambda: theirs(solver="newton", tol=1e-2).fit(X, y), faster(1), audit),
                Peer("dask-ml, lbfgs", lambda: theirs(solver="lbfgs", C=np.inf, tol=1e-1).fit(X, y), faster(1), audit),
            ],
        )
