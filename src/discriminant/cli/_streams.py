"""Tables that are read in blocks, because they are several files or do not fit into memory.

Tests: ``tests/cli/test_streams.py``.
"""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import Any, NamedTuple

from ._errors import INTERRUPTED, CommandError
from ._learning import told_warnings
from ._methods import DEFAULT, REGRESSORS, find, make
from ._options import Rows, Training, WeightedRows
from ._output import echo, echo_json, report_of, say, watched
from ._tables import column_of, columns_of, labels_of, reading_of, tell_reading

PACKED = 20  # times that a file may grow when it is read
MEBI = 2**20
BLOCKS = 256 * 10**6  # bytes that blocks may take where nobody says how many; more make no pass faster
ANSWER = 3  # seconds that a scheduler has to answer


class RowsInBlocks(NamedTuple):
    """A stream, and why it is one; of rows on a cluster, the outline is a stream of the same files that reads none."""

    stream: Any
    why: str
    outline: Any
    on_cluster: bool = False

    def __enter__(self) -> RowsInBlocks:
        return self

    def __exit__(self, *raised: Any) -> None:
        """Leave the cluster, where the rows are on one."""
        if self.on_cluster:
            self.stream.client.close()

    def refuse(self, others: dict[str, Any]) -> None:
        """Refuse options that need all rows at once."""
        for name, value in others.items():
            if value:
                _refuse(name, self.why)

    def tell_left_out(self, stream: Any) -> None:
        """Say how many rows lack a value, once a pass has been over them; workers do not count them."""
        if not self.on_cluster and stream.left_out and stream.n_rows is not None:
            say(f"{stream.left_out:,} of {stream.left_out + stream.n_rows:,} rows left out, which lack a value.")

    def reading(self) -> list[str]:
        """How columns that are not plain numbers were read; nothing of files without columns."""
        return reading_of(self.outline.recipe()) if self.outline.columns is not None else []


def _refuse(name: str, why: str) -> None:
    raise CommandError(f"{name} needs all rows in memory, and DATA is read in blocks ({why}).")


def _refuse_medians(given: Rows, why: str) -> None:
    if given.missing.value == "median":
        _refuse("--missing median", why)


def streamed(
    given: Rows, memory: str | None, scheduler: str | None = None, contrasts: bool = False
) -> RowsInBlocks | None:
    """The rows in blocks, where they are several files or larger than the bound; None where they are read at once.

    With ``contrasts`` the first level of each column of text is left out.
    """
    if scheduler is not None:
        if memory is not None:
            raise CommandError("--memory: the workers of --scheduler keep all rows; leave one of the two out.")
        return on_cluster(given, scheduler, contrasts)
    several = glob.has_magic(given.data) and not os.path.exists(given.data)
    if not several and not Path(given.data).is_file():
        if memory is not None and given.data == "-":
            raise CommandError("--memory: standard input is read once, and blocks are read again and again.")
        return None
    if not several and memory is None and os.path.getsize(given.data) * PACKED < free_memory() / 2:
        return None  # without further imports
    from ..io.streams import bytes_of, stream

    bound = bytes_of(memory, "--memory") if memory is not None else int(free_memory() / 2)
    if not several and (size := size_of(given.data, given.format)) <= bound:
        return None
    # Not by the memory that is free: it is never the same, and a checkpoint goes on with blocks of the same size alone.
    room = bound if memory is not None else min(max(MEBI, bound), BLOCKS)
    limit = "--memory" if memory is not None else "half of the free memory"
    why = "several files" if several else f"{size / MEBI:,.0f} MiB are more than {limit}, {bound / MEBI:,.0f} MiB"
    _refuse_medians(given, why)
    say(f"Reading {given.data} in blocks: {why}.")
    outline = stream(given.data, memory=room, **chosen_of(given))
    return RowsInBlocks(outline.contrasts() if contrasts else outline, why, outline)


def chosen_of(given: Rows) -> dict[str, Any]:
    """The columns, and how files are written, as ``io.stream`` takes them."""
    from ..io.tables import is_text_table

    chosen: dict[str, Any] = {"target": column_of(given.target, given.header), "missing": given.missing.value}
    chosen |= {"features": columns_of(given.features, given.header)}
    chosen |= {"drop": columns_of(given.drop, given.header) or (), "format": given.format, **given.written}
    chosen |= {"labels": labels_of(given)} if is_text_table(given.data, given.format) else {}
    return chosen | {"weights": column_of(given.weights, given.header)} if isinstance(given, WeightedRows) else chosen


def on_cluster(given: Rows, scheduler: str, contrasts: bool) -> RowsInBlocks:
    """The rows on the workers of a dask cluster, each file read by one of them."""
    from .._engine.extras import needed

    client = needed("distributed", "dask").Client
    from ..distributed.blocks import DaskBlocks
    from ..distributed.chunks import chunks_of_files
    from ..io.streams import known_of, paths_of, stream, whole_file

    why, chosen, paths = f"--scheduler {scheduler}", chosen_of(given), paths_of(given.data)
    _refuse_medians(given, why)
    outline = stream(given.data, **chosen)  # looks at the columns alone, and finds the levels of those of text
    shown = outline.contrasts() if contrasts else outline
    chosen |= known_of(shown)
    try:
        connected = client(scheduler, timeout=ANSWER)
    except (OSError, ValueError, TimeoutError) as error:
        raise CommandError(
            f"--scheduler {scheduler}: no scheduler of dask answers there within {ANSWER} s ({type(error).__name__}); "
            "start one with `dask scheduler`, or give another address."
        ) from None
    say(f"{len(paths):,} files are read by the workers of {scheduler}.")
    try:
        files = [os.path.abspath(path) for path in paths]
        blocks = DaskBlocks(connected, chunks_of_files(whole_file, files, chosen, shown))
    except BaseException:
        connected.close()
        raise
    return RowsInBlocks(blocks, why, outline, on_cluster=True)


def free_memory() -> float:
    """The bytes that processes can still have, or those that this one is allowed."""
    from ..io._formats import memory

    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:  # another system
        return memory()
    free = next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")), memory())
    return min(free, memory())


def size_of(path: str, format: str | None) -> int:
    """About the bytes of a table in memory."""
    from ..io.tables import format_of

    if format_of(path, format) == "parquet":
        from .._engine.extras import needed

        with needed("pyarrow.parquet", "io").ParquetFile(path) as file:
            return 8 * int(file.metadata.num_rows) * int(file.metadata.num_columns)
    return os.path.getsize(path)


def fit_in_blocks(given: Training, rows: RowsInBlocks, output: str | None, checkpoint: str | None, json: bool) -> int:
    """``fit`` on rows in blocks: the model, its errors in one more pass, and the report."""
    from ..io import Recipe
    from ..io import models as writer

    stream, procedure = rows.stream, find(given.method)
    model = make(procedure, given.settings, given.seed)
    if not rows.on_cluster and not hasattr(model, "fit_stream"):
        try:
            _ = model.fit_stream
        except AttributeError as error:
            raise CommandError(f"--method {given.method}: DATA is read in blocks ({rows.why}), and {error}") from None
    if stream.feature_names is None and output is not None:
        raise CommandError("-o: a model of LIBSVM or npy files in blocks has no columns to remember; use Python.")
    tell_reading(rows.reading())
    columns = stream.feature_names or [f"x{j}" for j in range(stream.n_features)]
    standardize = given.standardize if given.standardize is not None else given.method is None
    stream = stream.standardized() if standardize and stream.feature_names is not None else stream
    stream.feature_names = None  # the recipe has them, as in memory
    interrupted = told_warnings(lambda: _fit(model, stream, rows, checkpoint))
    rows.tell_left_out(stream)
    recipe = rows.outline.recipe() if rows.outline.columns is not None else Recipe(target=chosen_of(given)["target"])
    recipe.standardize, recipe.means, recipe.scales = stream.means is not None, stream.means, stream.scales
    if output is not None:
        writer.save(model, output, recipe) if output != "-" else echo(writer.dumps(model, recipe))
        say(f"The model {'learned so far ' if interrupted else ''}is in {output}.")
    facts = _facts(model, given, stream, columns, procedure not in REGRESSORS.values(), interrupted)
    facts |= {"target": recipe.target, "model": output, "interrupted": interrupted}
    if json:
        echo_json("fit", facts)
    else:
        told = {}
        if facts["errors"] is not None:  # after Ctrl-C nobody counts them, and the rows may not be known
            wrong = f"{facts['errors']:,} of {facts['rows']:,} rows ({facts['train_error']:.2%}) on the wrong side"
            told = {"training": f"{wrong} at the end"}
        (say if output == "-" else echo)(report_of(model, columns, recipe.standardize, **told))
    return INTERRUPTED if interrupted else 0


def _fit(model: Any, stream: Any, rows: RowsInBlocks, checkpoint: str | None) -> None:
    if not rows.on_cluster:
        model.fit_stream(stream, checkpoint=checkpoint, progress=watched())
        return
    from ..distributed.fitting import fit_blocks

    fit_blocks(model, stream, checkpoint, progress=watched())


def _facts(
    model: Any, given: Training, stream: Any, columns: list[str], classifies: bool, interrupted: bool
) -> dict[str, Any]:
    from .._blocks.survey import errors_part  # which a worker imports without this command line

    errors = sum(stream.gather(errors_part, model)) if classifies and not interrupted else None
    return {
        "method": given.method or DEFAULT,
        "class": type(model).__name__,
        "parameters": model.get_params(deep=False),
        "features": columns,
        "standardized": stream.means is not None,
        "classes": getattr(model, "classes_", None),
        "rows": stream.n_rows,
        "streamed": True,
        "errors": errors,
        "train_error": None if errors is None else errors / stream.n_rows,
        "status": model.status_.name,
        "finished": model.status_.finished,
        "report": model.report_.to_dict(),
        "test": None,
    }
