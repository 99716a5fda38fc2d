"""Compiled code, made once on each worker: else the tasks of the first round would all wait for it.

Tests: ``tests/distributed/test_fitting.py``.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from threading import Lock
from typing import Any

import numpy as np
from scipy import sparse

from .._blocks.blocks import Block, Part, added, applied
from .._blocks.memory import MemoryBlocks
from ..warming.fits import table
from .blocks import DaskBlocks
from .procedures import procedure

ONE_FIT = Lock()
ROUNDS = 3  # that a procedure may make which is asked for a number of them


class LocalBlocks(MemoryBlocks):
    """Blocks in memory that are passed over like those of a cluster, and can keep something from round to round."""

    in_order = False

    def __len__(self) -> int:
        return len(self._starts)

    def evolving(self, part: Part) -> LocalEvolution:
        return LocalEvolution([*self], part)


class LocalEvolution:
    """What blocks in memory keep."""

    def __init__(self, blocks: list[Block], part: Part) -> None:
        self._blocks, self._part, self._states = blocks, part, [None] * len(blocks)

    def total(self, *args: Any) -> tuple[Any, ...]:
        steps = [
            applied(self._part, block, (state, *args)) for block, state in zip(self._blocks, self._states, strict=True)
        ]
        self._states, total = [state for state, _ in steps], steps[0][1]
        for _, answer in steps[1:]:
            total = added(total, answer)
        return tuple(total)


def warmed(blocks: DaskBlocks, model: Any) -> None:
    """Fit a copy of the model to a small table of the same kind, on every worker that has a block."""
    is_sparse, is_weighted = blocks.gather(_form)[0]
    form = f"{'csr' if is_sparse else 'dense'}{8 * blocks.dtype.itemsize}"
    parameters = {name: value for name, value in model.get_params(deep=False).items() if name not in OWN}
    blocks.on_each_worker(_fitted_once, type(model), parameters, form, is_weighted)


OWN = ("start", "class_weight")  # parameters that fit the user's table alone


def _form(block: Block) -> tuple[bool, bool]:
    return sparse.issparse(block.X), bool(block.weight.size)


def _fitted_once(kind: Any, parameters: dict[str, Any], form: str, is_weighted: bool) -> None:
    """One short fit; that a setting may refuse this table is no matter."""
    limits = {"max_iter": ROUNDS} if "max_iter" in parameters else {"tol": 0.5} if "tol" in parameters else {}
    model = kind(**parameters | limits)
    X, y = table((1_500, 3, 2), form)
    blocks = LocalBlocks(X, y.astype(np.float64), np.ones(len(y)) if is_weighted else None, rows=750)
    # Workers may be threads of the user's own process, where two filters of warnings undo each other.
    with ONE_FIT, warnings.catch_warnings(), np.errstate(all="ignore"), suppress(ValueError):
        warnings.simplefilter("ignore")
        model._take_names(blocks)
        procedure(model)(blocks)
