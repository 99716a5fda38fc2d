"""The regression that is left where estimates are infinite: which rows and which columns of X it has.

In the limit the separated rows are fitted perfectly and tell nothing of the rest, so that the others have a regression
of their own. On these rows some columns depend on earlier ones, exactly: those along which the estimate went to
infinity, and any that did so before. They are found as R and Stata find them, the intercept first, and are left out.

References
----------
S. Correia, P. Guimarães and T. Zylkin, *Verifying the existence of maximum likelihood estimates for generalized linear
models* (2019), Propositions 1 and 2; C. J. Geyer, "Likelihood inference in exponential families and directions of
recession", Electronic Journal of Statistics 3 (2009).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .aliases import aliases
from .system import System

if TYPE_CHECKING:
    from .answer import Separability


class LimitingDesign(NamedTuple):
    """The rows and columns of X that a fit has a finite and unique estimate on: ``X[rows][:, columns]``."""

    rows: NDArray[np.bool_]
    columns: NDArray[np.bool_]


def limiting_design(s: Separability) -> LimitingDesign:
    """The rows of the boundary, and the columns that do not depend on earlier ones there."""
    if s.family == "cumulative" or len(s.groups) > 2:
        raise ValueError(
            "limiting_design belongs to two classes or to counts: with more, a row is separated from some rivals and "
            "not from others."
        )
    asked, system = s.question, s._system
    rows, columns = np.zeros(system.n, bool), np.zeros(system.d, bool)
    rows[s.boundary_rows] = True
    if rows.any():
        part = System(system.X[rows], system.own[rows], len(s.groups), asked.intercept, asked.reading)
        with s._asking("the collinear columns") as meter:
            kept = np.array(aliases(part, meter).kept, np.int64) - system.intercept
        columns[kept[kept >= 0]] = True
    return LimitingDesign(rows, columns)
