"""What a solver asks of the kernel rows of its problem, wherever they come from.

``StoredRows`` keeps the latest rows of any kernel, those of a matrix at hand included; ``StreamedRows`` makes those of
a Gaussian kernel anew each time.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Watch

Indices = NDArray[np.int64]
Vector = NDArray[np.float64]
Gram = NDArray[Any]  # K of a block of rows
Block = tuple[Indices, Gram]


class KernelSource(Protocol):
    """Rows K(x_s, .) over the n patterns of one problem, which are numbered from 0 to n - 1 whatever else there is.

    - Sums are float64, and have the same bits whatever the number of threads; the rows themselves may be float32.
    - Where a ``watch`` is given, Ctrl-C raises ``Interrupted`` and leaves the f that is being added to unfinished.
    - ``gram`` gives the next block of rows and its K: the places ``kept`` of the last block, whose K is ``known``, and
      ``new`` rows.
    - ``add`` adds Σ_s weight_s K_st to f_t for all t; at the places ``known``, f may have any value afterwards.
      ``add_exact`` does so with rows in float64, as they are made, whatever they are kept in.
    - ``narrow`` gives the rows of some patterns, cut to these, and may take over the memory of what is kept now.
    """

    dtype: np.dtype[Any]  # of the rows
    capacity: int  # the largest number of rows of a block
    keeps_rows: bool  # whether a row that was made once costs less the next time

    @property
    def made(self) -> int: ...  # rows, counted each time

    def missing(self, indices: Indices) -> int: ...  # rows that are not kept, though they might be

    def gram(self, block: Indices, kept: Indices, new: Indices, known: Gram, watch: Watch | None = None) -> Block: ...

    def add(
        self, f: Vector, indices: Indices, weights: Vector, known: Indices | None = None, watch: Watch | None = None
    ) -> None: ...

    def add_exact(self, f: Vector, indices: Indices, weights: Vector, watch: Watch) -> None: ...

    def block(self, rows: Indices, columns: Indices) -> Vector: ...  # a part of K, in float64

    def whole(self) -> Vector | None: ...  # K to the last digit; None where it has no room

    def doubt(self, alpha: Vector) -> float: ...  # about what float32 may have made of Σ α_s K_st

    def wide(self) -> KernelSource: ...  # the same rows in float64

    def narrow(self, indices: Indices) -> KernelSource: ...
