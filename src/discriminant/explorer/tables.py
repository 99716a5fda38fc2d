"""An uploaded file as columns of which a page picks the target and two features; read by the library's own reader."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .messages import LONGEST, MOST_CLASSES, MOST_POINTS, Json

MOST_COLUMNS = 200
ENDINGS = (".csv", ".tsv", ".tab", ".csv.gz")


def columns(content: bytes, name: str) -> Json:
    """The columns of a table: numbers for the axes, texts or few different numbers for the classes."""
    from ..io import read

    ending = next((each for each in ENDINGS if name.lower().endswith(each)), None)
    if ending is None:
        raise ValueError(f"{Path(name).name[:LONGEST]!r} is no CSV file; load a table in {', '.join(ENDINGS)}.")
    with TemporaryDirectory() as folder:
        path = Path(folder, f"table{ending}")
        path.write_bytes(content)
        try:
            frame = read(path)
        except ValueError as error:
            raise ValueError(str(error).replace(str(path), Path(name).name[:LONGEST])) from None
    if frame.height > MOST_POINTS:
        raise ValueError(
            f"The table has {frame.height:,} rows; at most {MOST_POINTS:,} can be shown: take a part of it."
        )
    if frame.width > MOST_COLUMNS:
        raise ValueError(
            f"The table has {frame.width:,} columns; at most {MOST_COLUMNS} can be chosen from: drop some."
        )
    return {"title": Path(name).name[:LONGEST], "rows": frame.height, "columns": [_column(each) for each in frame]}


def _column(series: Any) -> Json:
    """One column with its values; missing ones are null."""
    number = series.dtype.is_numeric()
    values = series.cast(float).to_list() if number else series.cast(str, strict=False).to_list()
    found = {value for value in values if value is not None}
    finite = [value if value is None or abs(value) < float("inf") else None for value in values] if number else values
    return {
        "name": str(series.name)[:LONGEST],
        "kind": "number" if number else "text",
        "values": finite,
        "classes": len(found) if 2 <= len(found) <= MOST_CLASSES else None,
    }
