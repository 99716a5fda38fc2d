"""A small table of every kind of column, for the tests of tables and recipes."""

from __future__ import annotations

import polars as pl

FRAME = pl.DataFrame(
    {
        "size": [1.0, 2.5, 4.0, -3.25],
        "count": [3, 1, 4, 1],
        "color": ["red", "blue", "red", "gr\u00fcn, \"hell\""],
        "fresh": [True, False, True, True],
        "sold": ["no", "no", "yes", "yes"],
    }
)  # fmt: skip
