"""One epoch of Vowpal Wabbit's perceptron, on text or on its own binary cache.

Plain steps (``--sgd``) of constant length one on the hinge loss correct where zaᵗx < 1, by zx: the perceptron with a
margin of 1. It counts in single precision. Of its formats, the text without names of features is the one that it reads
fastest; a table of comma-separated values takes it as long to read, and an example made in Python ten times as long.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ._peers import peer

Workspace = peer("vowpalwabbit", "Workspace")  # None where it is not installed
INTERCEPT = 116060  # the index of the weight of its constant; the features have 0, 1, …
RULE = "--quiet --sgd --loss_function hinge --power_t 0 -l 1 --min_prediction=-1e30 --max_prediction=1e30"


def write(folder: Path, features: int, group: int) -> Path:
    """The rows of all Parquet files of the folder as Vowpal Wabbit's text: ``-1 | :0.5 :-2.25 …``."""
    numbers = [pl.col(f"x{j}").cast(pl.Float32) for j in range(features)]
    label = pl.when(pl.col("target") > 0).then(pl.lit("1 |")).otherwise(pl.lit("-1 |"))
    line = pl.concat_str([label, *numbers], separator=" :")
    text = folder / "rows.txt"
    with text.open("wb") as out:
        for path in sorted(folder.glob("*.parquet")):
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=group):
                    table: Any = pl.from_arrow(batch)
                    table.select(line).write_csv(out, include_header=False, quote_style="never")
    return text


def epoch(features: int, source: str) -> NDArray[np.float64]:
    """The weights (w0, w) after one pass over ``source``, its options for the input."""
    learned = Workspace(f"{RULE} {source}")
    a = np.array([learned.get_weight(j) for j in (INTERCEPT, *range(features))])
    learned.finish()
    return a
