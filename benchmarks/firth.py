"""P21: Firth's table, with profile intervals and likelihood-ratio tests, against firthmodels; a wide factor."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from firthmodels import FirthLogisticRegression
from numpy.typing import NDArray

from discriminant import LogisticDiscriminant, separability

from ._audit import require
from ._case import Contest, Outcome, Peer, Reading, case, faster
from ._data import overlapping


class Table(NamedTuple):
    """What both report of each coefficient, the intercept first."""

    coef: NDArray[np.float64]
    interval: NDArray[np.float64]
    p: NDArray[np.float64]


def ours(X: Any, y: Any) -> Table:
    model = LogisticDiscriminant(penalty="firth").fit(X, y)
    table = model.summary(intervals="profile", tests="lr", data=(X, y))
    return Table(table.coef, table.interval, table.p)


def theirs(X: Any, y: Any, tol: float) -> Table:
    """By compiled code, with the loosest tol, of powers of ten, that the audit lets pass."""
    model = FirthLogisticRegression(backend="numba", gtol=tol, xtol=tol).fit(X, y).lrt()
    order = np.r_[X.shape[1], : X.shape[1]]  # its intercept comes last
    return Table(
        np.r_[model.intercept_, model.coef_],
        model.conf_int(method="pl", tol=tol)[order],
        np.asarray(model.lrt_pvalues_)[order],
    )


def same_table(one: Table, other: Table) -> str:
    """Estimates and ends to 1e-6, and p to 1e-4 of it or 1e-12."""
    apart = max(float(np.abs(a - b).max()) for a, b in ((one.coef, other.coef), (one.interval, other.interval)))
    equal = np.allclose(one.p, other.p, rtol=1e-4, atol=1e-12)
    return require(apart <= 1e-6 and equal, f"estimates and ends {apart:.0e} apart")


def wide_factor(n: int, levels: int) -> Reading:
    """The verdict on a formula with a factor of which one level has one class."""
    rng = np.random.default_rng(0)
    level, y = rng.integers(levels, size=n), rng.integers(2, size=n)
    y[level == 1] = 1
    town = pd.Categorical.from_codes(level, [f"town {k}" for k in range(levels)])
    began = time.process_time()
    found = separability("y ~ town", data=pd.DataFrame({"y": y, "town": town}))
    seconds, audit = time.process_time() - began, require(found.verdict == "quasi", found.verdict)
    return Reading(f"verdict, processor time, a factor of {levels:,} levels, {n:,} rows", seconds, "s", 30, audit)


@case("P21", "Firth's table with profile intervals and likelihood-ratio tests, to 1e-6")
def firth_table(quick: bool) -> Iterator[Outcome]:
    X, y = overlapping(2_000 if quick else 100_000, 20)
    yield Contest(
        f"{len(X):,}×20 f64",
        lambda: ours(X, y),
        [
            Peer(
                "firthmodels, lrt and conf_int('pl')",
                lambda: theirs(X, y, 1e-6 if quick else 1e-4),
                faster(3),
                same_table,
            )
        ],
    )
    yield wide_factor(*((5_000, 200) if quick else (1_000_000, 1000)))
