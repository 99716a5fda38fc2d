"""Fits on a cluster, on paper: rounds, bytes and flops of each procedure, and rounds replayed for 1 to 1,000 workers.

``python tools/scale.py`` prints the tables of docs/guide/scale.rst; ``--measure`` measures the constants again, on a
cluster of two processes.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

FAN_IN = 4  # that of discriminant.distributed.blocks
NUMBER = 8  # bytes


class Procedure(NamedTuple):
    """What a round of a procedure sends to each block, gets back from it, and computes for each row, by columns d."""

    name: str
    rounds: int  # on the data of the guide
    sent: Callable[[int], float]  # numbers
    answered: Callable[[int], float]
    flops: Callable[[int], float]


PROCEDURES = [
    Procedure("least squares, Fisher, ridge", 1, lambda d: 0, lambda d: d * d + 2 * d, lambda d: 2 * d * d),
    Procedure("recursive least squares", 1, lambda d: 0, lambda d: (d + 3) ** 2, lambda d: 2 * d * d),
    Procedure("Newton: logistic, squared slack", 6, lambda d: 2 * d, lambda d: d * d + d, lambda d: 2 * d * d + 4 * d),
    Procedure("L-BFGS: logistic", 40, lambda d: 2 * d, lambda d: d, lambda d: 4 * d),
    Procedure("L-BFGS: squared slack", 40, lambda d: 2 * d, lambda d: 2 * d, lambda d: 6 * d),
    Procedure("parameter mixing", 20, lambda d: d, lambda d: d, lambda d: 4 * d),
    Procedure("batch rules", 20, lambda d: d, lambda d: d, lambda d: 6 * d),
    Procedure("Ho-Kashyap: before the first step", 1, lambda d: 0, lambda d: d * d + 2 * d, lambda d: 2 * d * d),
    Procedure("Ho-Kashyap: steps", 100, lambda d: d, lambda d: d, lambda d: 4 * d),
    Procedure("CoCoA⁺: hinge", 80, lambda d: 2 * d, lambda d: 2 * d, lambda d: 26 * d),
]


@dataclass(frozen=True)
class Constants:
    """Speeds of one worker with one thread, as ``--measure`` found them on a machine of 2 cores."""

    products: float = 6.8e10  # flops a second of products of columns
    looks: float = 4.6e9  # flops a second of passes over rows: two for each number of 8 bytes
    task: float = 1.5e-3  # seconds of the scheduler for each task
    latency: float = 3.5e-3  # seconds that a message takes, however short
    bandwidth: float = 2.2e9  # bytes a second between two workers
    times: tuple[float, ...] = (  # of 32 chunks of one size, in units of their mean, to be replayed
        0.894, 0.914, 0.928, 0.936, 0.946, 0.948, 0.949, 0.95, 0.952, 0.954, 0.957, 0.961, 0.961, 0.965, 0.966, 0.974,
        0.975, 0.976, 0.982, 0.984, 0.988, 0.988, 1.015, 1.022, 1.031, 1.061, 1.062, 1.072, 1.09, 1.091, 1.113, 1.394,
    )  # fmt: skip


def transfers(homes: list[str]) -> tuple[int, int]:
    """Messages between workers in a round: down to the workers, and up the tree, for blocks that lie on these."""
    down, up = len(set(homes)) - 1, 0
    while len(homes) > 1:
        groups = [homes[k : k + FAN_IN] for k in range(0, len(homes), FAN_IN)]
        up += sum(home != group[0] for group in groups for home in group)
        homes = homes[::FAN_IN]
    return down, up


def bytes_of_round(procedure: Procedure, d: int, homes: list[str]) -> float:
    """Bytes between workers in a round."""
    down, up = transfers(homes)
    return NUMBER * (down * procedure.sent(d) + up * procedure.answered(d))


def seconds_of_chunk(procedure: Procedure, rows: float, d: int, speed: Constants) -> float:
    squares = procedure.flops(d) >= d * d
    return rows * procedure.flops(d) / (speed.products if squares else speed.looks)


def seconds_of_round(
    procedure: Procedure, rows: float, d: int, workers: int, speed: Constants, chunks: int = 4, seed: int = 0
) -> float:
    """A round, replayed: so many chunks on each worker, each with a time of its own, then the tree of sums."""
    draw = np.random.default_rng(seed)
    mean = seconds_of_chunk(procedure, rows / (workers * chunks), d, speed)
    times = mean * draw.choice(speed.times, (workers, chunks))
    scheduler = speed.task * workers * chunks * (1 + 1 / (FAN_IN - 1))
    busy = max(float(times.sum(axis=1).max()), scheduler)
    message = NUMBER * procedure.answered(d) / speed.bandwidth
    down = (
        math.ceil(math.log2(workers)) * (speed.latency + NUMBER * procedure.sent(d) / speed.bandwidth)
        if workers > 1
        else 0
    )
    levels = math.ceil(math.log(workers, FAN_IN)) if workers > 1 else 0
    return busy + down + levels * (speed.latency + (FAN_IN - 1) * message)


def paper(rows: float = 1e12, d: int = 10_000, workers: int = 1_000, speed: Constants | None = None) -> list[list[str]]:
    """One line a procedure."""
    speed = speed or Constants()
    homes, table = [str(k) for k in range(workers)], []
    for each in PROCEDURES:
        seconds = each.rounds * seconds_of_round(each, rows, d, workers, speed)
        size, flops = bytes_of_round(each, d, homes), rows * each.flops(d)
        table.append([each.name, f"{each.rounds}", f"{size:.1e}", f"{flops:.0e}", f"{seconds / 86_400:.1f}"])
    return table


def simulation(rows: float, d: int, speed: Constants | None = None) -> list[list[str]]:
    """Seconds of a round, and the gain over one worker, for 1 to 1,000 workers."""
    speed, table = speed or Constants(), []
    for workers in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000):
        line = [f"{workers:,}"]
        for each in PROCEDURES:
            one, many = (seconds_of_round(each, rows, d, count, speed) for count in (1, workers))
            line.append(f"{many:.3g} ({one / many:.3g}×)")
        table.append(line)
    return table


def measured() -> Constants:
    """The constants of this machine."""
    import dask.array as da
    from distributed import Client, LocalCluster

    from discriminant.distributed.blocks import DaskBlocks
    from discriminant.distributed.chunks import chunks_of

    rng = np.random.default_rng(0)
    X, y = da.random.default_rng(0).normal(size=(128_000, 200), chunks=(4_000, -1)), rng.integers(0, 2, 128_000)
    with LocalCluster(2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        blocks = DaskBlocks(client, chunks_of(X, y))
        products = np.array(blocks.gather(_seconds_of_products))
        looks = np.array(blocks.gather(_seconds_of_looks))
        empty = min(_seconds(lambda: blocks.total(_nothing)) for _ in range(10))
        one, other = blocks.homes[0], blocks.homes[-1]
        short, long = (
            min(_seconds(lambda n=n: _passed_on(client, n, one, other)) for _ in range(5)) for n in (1, 10**7)
        )
    d, rows = 200, 4_000
    task = empty / (len(blocks) * (1 + 1 / (FAN_IN - 1)))
    return Constants(
        2 * d * d * rows / np.median(products), 4 * d * rows / np.median(looks), task, short / 4,
        NUMBER * 1e7 / max(long - short, 1e-9), tuple(np.sort(np.round(looks / np.mean(looks), 3)).tolist()),
    )  # fmt: skip


def _seconds(act: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """How long it takes; by the clock of the thread, whatever else the machine does."""
    begin = clock()
    act()
    return clock() - begin


def _passed_on(client: object, n: int, one: str, other: str) -> None:
    """A message made on one worker and looked at by the other."""
    made = client.submit(np.zeros, n, workers=[one], pure=False)
    client.submit(len, made, workers=[other], pure=False).result()


def _nothing(block: object) -> tuple[int]:
    return (0,)


def _seconds_of_products(block: object) -> float:
    return _seconds(lambda: block.X.T @ block.X, time.thread_time)


def _seconds_of_looks(block: object) -> float:
    w = np.ones(block.X.shape[1])
    return _seconds(lambda: (block.X @ w) @ block.X, time.thread_time)


def _printed(head: list[str], table: list[list[str]]) -> None:
    widths = [max(len(line[k]) for line in [head, *table]) for k in range(len(head))]
    for line in [head, *table]:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)))
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true", help="measure the constants on this machine first")
    speed = measured() if parser.parse_args().measure else Constants()
    for field in fields(speed):
        value = getattr(speed, field.name)
        print(f"{field.name:<10} {value if isinstance(value, tuple) else f'{value:.3g}'}")
    print()
    _printed(["procedure", "rounds", "bytes a round", "flops a round", "days"], paper(speed=speed))
    _printed(["workers", *(each.name for each in PROCEDURES)], simulation(1e9, 1_000, speed))


if __name__ == "__main__":
    main()
