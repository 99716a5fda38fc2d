"""P21: fits on a dask cluster, what a second worker gains."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, wait

from discriminant import LogisticDiscriminant, distributed

from ._audit import require
from ._case import Contest, Outcome, Peer, case, faster


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


def fit(client: Client, data: tuple[Any, Any]) -> Callable[[], Any]:
    return lambda: distributed.fit(LogisticDiscriminant(), *data, client=client)


def same(ours: Any, theirs: Any) -> str:
    apart = float(np.abs(ours.weights_ - theirs.weights_).max())
    return require(apart <= 1e-9 * float(np.abs(ours.weights_).max()), f"weights differ by {apart:.1g}")


@case("P21", "a second worker: logistic regression by Newton's method, data in the workers' memory")
def second_worker(quick: bool) -> Iterator[Outcome]:
    n, d = (4_000, 20) if quick else (100_000, 600)
    with cluster(2) as two, cluster(1) as one:
        pairs = [(client, held(client, n, d, chunks=8)) for client in (two, one)]
        ours, theirs = (fit(*pair) for pair in pairs)
        yield Contest(f"{n:,}×{d} f64, 8 chunks", ours, [Peer("the same with one worker", theirs, faster(1.6), same)])
