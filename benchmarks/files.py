"""U2: a CSV file of a gigabyte, read, checked and fitted within twice the memory of its numbers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from discriminant import io

from ._audit import require
from ._case import Contest, Outcome, Peer, Reading, case, within
from ._child import PEAK, numbers

FEATURES = 40
FULL, QUICK = 2**30, 12 * 2**20  # bytes
ROWS = 100_000  # that are made at a time

# What the user waits for: the verdict and a model of the table.
WORK = """
import warnings
import numpy as np
from discriminant import Perceptron, io, separability
from discriminant.io import recipe

warnings.simplefilter("ignore")
path, shape = {path!r}, []
small = np.random.default_rng(0).standard_normal((200, 3))
Perceptron(max_iter=2).fit(small, np.arange(200) % 2)
separability(small, np.arange(200) % 2)

def work():
    X, y, _ = io.Recipe().fit(io.scan(path))
    verdict = separability(X, y, progress=False).verdict
    model = Perceptron(max_iter=3).fit(X, y)
    shape.extend([*X.shape, verdict == "overlap", model.score(X[:1000], y[:1000])])

bytes = above(work)
print(bytes, *map(float, shape))
"""


def make(path: Path, size: int) -> int:
    """Write overlapping classes to a CSV file of about ``size`` bytes; the number of rows."""
    rng, rows = np.random.default_rng(0), 0
    with open(path, "wb") as file:
        while file.tell() < size:
            n = ROWS if size > QUICK else ROWS // 10
            X = rng.standard_normal((n, FEATURES))
            columns: dict[str, Any] = {f"x{j}": X[:, j] for j in range(FEATURES)}
            y = np.where(X[:, 0] + rng.standard_normal(n) > 0, "yes", "no")
            pl.DataFrame(columns | {"target": y}).write_csv(file, include_header=rows == 0)
            rows += n
    return rows


def same_table(ours: Any, theirs: Any) -> str:
    """Both have read the same numbers and labels."""
    X, y = ours
    equal = all(np.array_equal(X[:, j], theirs[f"x{j}"].to_numpy()) for j in range(FEATURES))
    labels = bool(np.array_equal(y, theirs["target"].to_numpy().astype(y.dtype)))
    return require(equal and labels, f"{X.shape[0]:,} rows, all numbers and labels equal")


@case("U2", "files: a CSV file read, checked and fitted")
def files(quick: bool) -> Iterator[Outcome]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.csv")
        rows = make(path, QUICK if quick else FULL)
        size = path.stat().st_size
        name = f"{size / 2**20:,.0f} MB, {rows:,}×{FEATURES}"
        yield Contest(
            f"{name}: file to matrix",
            lambda: io.Recipe().fit(io.scan(path))[:2],
            [Peer("polars.read_csv, to a frame", lambda: pl.read_csv(path), within(4), same_table)],
        )
        taken, n, d, overlap, score = numbers(PEAK + WORK.format(path=str(path)))
        require((n, d, overlap) == (rows, FEATURES, 1), f"{n:,.0f}×{d:.0f}, overlap {overlap:.0f}")
        audit = f"all {rows:,} rows, verdict overlap, {score:.0%} right; 1 is X in float64 alone"
        yield Reading(
            f"{name}: read, check, fit: peak memory", taken / (8 * rows * FEATURES), "× its numbers", 2.0, audit
        )
