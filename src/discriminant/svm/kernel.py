"""Support vector machines of two classes with kernels: hard margins by nearest points, soft ones by working off pairs.

Several problems (pairs of classes, or each class against the rest) share the kernel rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from .. import mercer
from .._engine.driver import Watch
from .._guards.parameters import refused
from .._kernel_matrix.makers import GaussianRowMaker, RowMaker
from .._kernel_matrix.nearest import nearest
from .._kernel_matrix.rows import SMALL, KernelRows, StoredRows
from .._kernel_matrix.source import Indices, KernelSource, Vector
from .._kernel_matrix.streamed import FEATURES, StreamedRows
from ..exceptions import NotSeparableError
from ..solution import Status
from .blocks import smo
from .dual import LOOSE
from .problems import NEARLY, Machine, Settings, TwoClasses, dual_bounds, relative_gap

COARSE = 1e-4  # tolerance from which kernel rows in float32 will do
KEPT = 4  # one in so many fast kernel rows is kept: to make one again costs about what fresh memory costs
REACH = 100  # largest ‖x - mean‖²/σ² of patterns whose kernel float32 gives to 1e-5
INDEFINITE = "The kernel is not positive semidefinite: a stationary point, perhaps not the best one."


class KernelMachines:
    """Machines for parts of a problem, on kernel rows that they share."""

    def __init__(self, settings: Settings, kernel: mercer.Kernel, X: Any, watch: Watch) -> None:
        self.settings, self.kernel, self.watch = settings, kernel, watch
        exact = settings.hard or settings.squared  # multipliers without bounds make much of rounding
        self.streamed: StreamedRows | None = None
        if isinstance(kernel, mercer.Precomputed):
            self.rows = KernelRows.of_matrix(X.toarray() if sparse.issparse(X) else X)
            diagonal = X.diagonal()
        else:
            diagonal = kernel.diagonal(X)
            maker, n, room = self._maker(X, exact), X.shape[0], settings.cache_bytes
            if isinstance(maker, GaussianRowMaker):
                room = min(room, 4 * n * max(n // KEPT, 2048))
                if X.shape[1] <= FEATURES:
                    self.streamed = StreamedRows(maker, cache_bytes=settings.cache_bytes)
            self.rows = KernelRows(maker, n, room, np.float64 if exact else None)
        self.diagonal = np.asarray(diagonal, np.float64)

    def _maker(self, X: Any, exact: bool) -> RowMaker:
        """Gaussian rows of many patterns are made in float32, which will do for a coarse tol."""
        coarse = X.shape[0] > 2 * SMALL and self.settings.tol >= COARSE and not (exact or sparse.issparse(X))
        if coarse and isinstance(self.kernel, mercer.Gaussian):
            fast = GaussianRowMaker(self.kernel, X)
            if fast.reach < REACH:
                return fast
        return RowMaker(self.kernel, X)

    def machine(self, two: TwoClasses, past: Machine | None) -> Machine:
        return self._hard(two) if self.settings.hard else self._soft(two, None if past is None else past.alpha)

    def _hard(self, two: TwoClasses) -> Machine:
        """The surface midway between the nearest points of the two hulls, unless they touch."""
        found = nearest(self.rows.part(two.rows), self.diagonal[two.rows], two.z, self.watch)
        if not found.apart:
            raise NotSeparableError(
                f"C=inf asks for a surface without errors, and with kernel={self.kernel!r} there is none: in its "
                f"feature space weighted means of {np.count_nonzero(found.mu)} rows of the two classes meet, to "
                "rounding; take a finite C or a richer kernel."
            )
        square = 4 / found.square  # ‖w‖², as the margin is half the distance
        gap = relative_gap(found.square**2, max(found.reached, 0.0) ** 2)
        status = Status.STOPPED if found.interrupted else Status.SEPARATED
        bias = np.array([-2 * found.middle / found.square])
        return Machine(2 * found.mu / found.square, bias, square, square / 2, gap, gap, found.steps, status)

    def _soft(self, two: TwoClasses, start: Vector | None) -> Machine:
        rows, z, C = two
        squared, small = self.settings.squared, rows.size <= SMALL
        extra, bounds = dual_bounds(C, squared)
        shared = self.rows if small or self.streamed is None else self.streamed
        source: KernelSource = self._with_diagonal(rows, extra) if squared else shared.part(rows)
        tol = NEARLY if small else self.settings.tol
        with np.errstate(over="ignore", invalid="ignore"):  # where the dual has no maximum
            dual = smo(
                source, self.diagonal[rows] + extra, z, bounds, tol=tol, start=start, watch=self.watch,
                extra=extra if squared else None,
            )  # fmt: skip
        if squared and not dual.objective <= (1 + LOOSE) * C.sum():  # the criterion at w = 0
            wanted = f"'hinge' with kernel={self.kernel!r}, for which it has no minimum"
            raise refused("loss", "squared_hinge", wanted, "or take a kernel that is positive semidefinite")
        square = max(2 * (float(dual.alpha.sum()) - dual.objective) - float(dual.alpha @ (dual.alpha * extra)), 0.0)
        notes = [INDEFINITE] if dual.indefinite else []
        quality = dual.primal, dual.gap, dual.violation, dual.iterations
        return Machine(dual.alpha, np.array([dual.bias]), square, *quality, dual.status, notes, dual.gaps)

    def _with_diagonal(self, rows: Indices, extra: Vector) -> StoredRows:
        def make(indices: Indices) -> Vector:
            K = self.rows.take(rows[indices], rows).astype(np.float64)
            K[np.arange(indices.size), indices] += extra[indices]
            return K

        return StoredRows(KernelRows(make, rows.size, self.settings.cache_bytes, np.float64, 1))
