"""P12, P18, P19: separability against a linear program over all rows, its exact certificate, tables of all kinds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer

from discriminant import Separability, separability

from ._audit import require
from ._case import Audit, Contest, Outcome, Peer, Reading, case, faster
from ._child import CLEAR, PEAK, numbers
from ._data import overlapping, real, separable
from ._tables import TABLES, Table, examined, in_words, whole_program
from .real import absent

# A copy of the data must show in the peak; the share counts against X and y.
LARGE = (
    PEAK
    + """
import time
import numpy as np
from benchmarks._data import overlapping, separable
from discriminant import separability

kind = {kind}
separability(*kind(2_000, {d}, *{more}, dtype={dtype!r}), progress=False)
X, y = kind({n}, {d}, *{more}, dtype={dtype!r})
size = X.nbytes + y.nbytes
assert above(X.copy) > 0.9 * X.nbytes
found = []
share = above(lambda: found.append(separability(X, y, progress=False))) / size
(s,) = found
assert s.verdict == {verdict!r}
begin = time.perf_counter()
separability(X, y, progress=False)
seconds = time.perf_counter() - begin
begin = time.perf_counter()
X @ np.ones({d}, X.dtype)
print(100 * share, s.passes, seconds, time.perf_counter() - begin)
"""
)


def proved(X: Any, y: Any) -> Audit:
    """Both have the same verdict, and ours is proved in whole numbers."""

    def audit(ours: Separability, theirs: str) -> str:
        require(ours.verdict == theirs, f"verdicts {ours.verdict} and {theirs}")
        require(ours.passes <= 15, f"{ours.passes} passes, at most 15")
        ours.certificate.verify(X, y)
        return f"both {theirs}; certificate verified; {ours.passes} passes"

    return audit


def against_whole_program(name: str, X: Any, y: Any, method: str) -> Contest:
    """The contest with scipy on the same data."""
    return Contest(
        f"{X.shape[0]:,}×{X.shape[1]} f64, {name}",
        lambda: separability(X, y, progress=False),
        [Peer(f"scipy {method}, all rows", lambda: in_words(whole_program(X, y, method)), faster(30), proved(X, y))],
    )


@case("P12", "separability of large data")
def large(quick: bool) -> Iterator[Outcome]:
    n, d = (2_000 if quick else 100_000), 20
    # each with the method that is the faster one there: 3 s by simplex, 16 s (against 100) by interior points
    yield against_whole_program("separable, margin 0.01", *separable(n, d, 0.01), "highs-ds")
    yield against_whole_program("overlapping", *overlapping(n, d), "highs-ipm")
    if not CLEAR.exists():
        yield "Left out, the memory above the data: only Linux tells the peak of a process from now on."
        return
    for n, d, dtype in ((1_000_000, 50, "float64"), (10_000_000, 20, "float32")):
        n = 100_000 if quick else n
        for kind, more, verdict in (("separable", (0.01,), "complete"), ("overlapping", (), "overlap")):
            code = LARGE.format(n=n, d=d, dtype=dtype, kind=kind, more=more, verdict=verdict)
            share, passes, seconds, one = numbers(code)
            name = f"{n:,}×{d} {dtype}, {kind}"
            yield Reading(f"memory above the data, {name}", share, "%", 10, "a copy of the data would be 100 %")
            yield Reading(
                f"passes, {name}", passes, "passes", 15, f"{verdict}; {seconds:.2f} s, X @ w takes {one:.3f} s"
            )
        if quick:
            return


def certified(X: Any, y: Any) -> tuple[float, str]:
    """Seconds from the data to a verdict that ``verify`` has accepted."""
    begin = time.perf_counter()
    s = separability(X, y, progress=False)
    s.certificate.verify(X, y)
    return time.perf_counter() - begin, s.verdict


@case("P18", "exact certificate, made and verified")
def certificates(quick: bool) -> Iterator[Outcome]:
    X, y = load_breast_cancer(return_X_y=True)
    flipped = y.copy()
    flipped[[0, -1]] ^= 1
    for labels, name in ((y, "complete"), (flipped, "overlap")):
        seconds, verdict = best(lambda labels=labels: certified(X, labels))  # type: ignore[misc]
        yield Reading(f"breast cancer 569×30, {name}", 1000 * seconds, "ms", 100, require(verdict == name, verdict))
    found = real("mnist")
    if found is None:
        yield absent("mnist")
        return
    X, y = found
    chosen = np.flatnonzero(y[:60_000] <= 1)
    seconds, verdict = best(lambda: certified(X[chosen], y[chosen]))
    yield Reading(f"MNIST 0 against 1, {chosen.size:,}×{X.shape[1]}", seconds, "s", 10, verdict)


def best(run: Callable[[], tuple[float, str]]) -> tuple[float, str]:
    """The median of three runs, after one that compiles."""
    run()
    return sorted(run() for _ in range(3))[1]


@case("P19", "separability of tables as people have them")
def tables(quick: bool) -> Iterator[Outcome]:
    for name, table in TABLES.items():
        found = examined(name, quick)
        yield from readings(name, table, found) if found else [absent(table.file)]


def readings(name: str, table: Table, found: dict[str, Any]) -> Iterator[Reading]:
    """The numbers of one table; what was not reached in time is more than the time there was."""
    what, why = found.get("what", name), found["ended"]

    def reading(stage: str, words: str, limit: float, unit: str, audit: str) -> Reading:
        value = found.get(stage)
        return Reading(f"{words}, {what}", value or found["limit"], unit, limit, audit if value else why, value is None)

    yield reading("find", "find", table.seconds, "s", f"{found.get('rows')}; processor {found.get('cpu', 0):.3g} s")
    if "find" not in found:
        return
    yield reading("verify", "verify", min(table.verify, found["find"] + 0.1), "s", "verified")
    if not np.isnan(found["memory"]):
        yield Reading(f"memory above the data, {what}", found["memory"], "MB", 1000, f"data of {found['size']:.3g} MB")
    if table.printed:
        yield reading("print", "print", table.seconds, "s", f"{found.get('lines')} lines")
    for method in table.rivals:
        audit = f"{method} {found.get(f'{method} seconds', 0):.3g} s, same rows"
        yield reading(method, f"share of the time of scipy {method}", 1.0, "of it", audit)
