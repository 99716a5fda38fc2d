"""``fit_stream``: the same model from rows that come in blocks.

A chapter that can do it writes ``_fit_blocks``, and says in ``_needs_all_rows`` which settings cannot.

Tests: ``tests/base/test_streams.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import MethodType
from typing import Any, Self

import numpy as np

from .._blocks.blocks import Blocks
from .._blocks.journal import Journal
from .._engine.driver import Watch, watching
from .._engine.progress import Tell, TerminalBar
from .._guards.parameters import Number, refused
from .._guards.state import unchanged_on_failure

EVERY = Number("give seconds between two writings of the checkpoint", 0, closed=True)


class OfferedForStreams:
    """A method that is there where the procedure, as it is set, has a form for streams; else the error says why not."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method, self.__doc__ = method, method.__doc__

    def __get__(self, model: Any, kind: Any = None) -> Any:
        if model is None:
            return self.method
        if (reason := model._needs_all_rows()) is not None:
            raise AttributeError(f"{type(model).__name__} has no fit_stream here: {reason}.")
        return MethodType(self.method, model)


def pass_by_pass(model: Any) -> str | None:
    """Why a rule that passes over the rows again and again cannot do so over a stream."""
    for name in ("dual", "slack", "pocket"):
        if getattr(model, name, False):
            return f"{name}={getattr(model, name)!r} keeps a number for each row, or draws rows; leave it out"
    if (order := getattr(model, "order", "cyclic")) != "cyclic":
        return f"order={order!r} asks for rows in any order; take order='cyclic', and shuffle the rows of the files"
    if not isinstance(getattr(model, "targets", "ones"), str):
        return "targets has a number for each row; take targets='ones'"
    return None


def _named(model: Any) -> tuple[str, dict[str, str]]:
    """The procedure and its parameters, as a checkpoint names them."""
    given = {name: value for name, value in vars(model).items() if name.strip("_") == name}
    return type(model).__name__, {name: repr(value) for name, value in sorted(given.items())}


@contextmanager
def _followed(blocks: Any, watch: Watch, tell: Tell) -> Iterator[Any]:
    """Within, passes over the blocks ask the watch, and tell how far they are."""
    before = blocks.watch, blocks.tell
    blocks.watch, blocks.tell = watch, tell
    try:
        yield blocks
    finally:
        blocks.watch, blocks.tell = before
        blocks.journal = None


@contextmanager
def _kept_at_ctrl_c(journal: Journal, watch: Watch) -> Iterator[None]:
    """Within, a fit: its checkpoint is written at Ctrl-C, however short it has run, and removed at its end."""
    try:
        yield
    except KeyboardInterrupt:
        journal.save()
        raise
    if watch.interrupted:
        journal.save()
    else:
        journal.remove()


def fit_followed(
    model: Any, stream: Any, fits: Callable[[Any], None], checkpoint: Any, every: float, progress: bool | None
) -> None:
    """Fit a model to blocks: Ctrl-C is heard, progress told, a checkpoint kept, and an error leaves it as it was."""
    model._check_parameters()
    EVERY("every", every)
    if not hasattr(stream, "total"):
        wanted = "what discriminant.io.stream gives"
        raise refused("stream", type(stream).__name__, wanted, "make one of files or blocks, or call fit")
    with (
        unchanged_on_failure(model),
        watching() as watch,
        TerminalBar(type(model).__name__, progress) as bar,
        _followed(stream, watch, bar) as blocks,
    ):
        if checkpoint is not None:
            blocks.journal = Journal(checkpoint, [*_named(model), blocks.identity()], every)
        model._take_names(blocks)
        if checkpoint is None:
            fits(blocks)
            return
        with _kept_at_ctrl_c(blocks.journal, watch):
            fits(blocks)


class StreamedEstimator:
    """Base of all estimators: those with a form for streams have ``fit_stream``."""

    n_features_in_: int
    _check_parameters: Callable[[], None]
    _fit_blocks: Callable[[Blocks], None]  # fits, under the watch of the blocks, and publishes

    def _needs_all_rows(self) -> str | None:
        """Why there is no form for streams, or None where there is one."""
        return "it looks at all rows at once; use fit"

    @OfferedForStreams
    def fit_stream(
        self, stream: Any, *, checkpoint: Any = None, every: float = 60.0, progress: bool | None = None
    ) -> Self:
        """Learn from rows that come in blocks, and need not fit into memory.

        Parameters
        ----------
        stream : blocks of rows
            What :func:`discriminant.io.stream` gives.
        checkpoint : path, default=None
            A file to write what was found so far into, from which the same call goes on after a kill, a disk that
            failed or Ctrl-C, and comes to the same result. It is removed when the fit has ended. Sums are written in
            the midst of a pass, rules that correct row by row after a pass.
        every : float, default=60.0
            Seconds between two writings of it; Ctrl-C writes it as well.
        progress : bool, default=None
            Whether to show on stderr how far the present pass is; None does so in a terminal.

        Returns
        -------
        self
            The fitted model, with the attributes that ``fit`` leaves but for those with an entry for each row.
        """
        fit_followed(self, stream, self._fit_blocks, checkpoint, every, progress)
        return self

    def _take_names(self, blocks: Blocks) -> None:
        self.n_features_in_ = blocks.n_features
        vars(self).pop("feature_names_in_", None)
        if blocks.feature_names is not None:
            self.feature_names_in_ = np.array(blocks.feature_names, object)
