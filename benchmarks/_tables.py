"""The tables of P19, each examined in a process of its own that prints a line of JSON as soon as it knows a number."""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from discriminant import Separability, separability

from ._audit import require
from ._case import AuditError
from ._child import above, run
from ._data import Labels, clouds, documents, factor, overlapping, real, separable

SECONDS = 600.0  # after which a table is given up
MEMORY = 12 << 30  # bytes at which a child gets a MemoryError rather than the machine into trouble
HIGHS = ("highs", "highs-ipm")  # as scipy chooses, and interior points, which are faster on most factors
Data = tuple[Any, Labels]


class Table(NamedTuple):
    """How a table is made, small if asked to, the file it needs, and the limits of its readings in seconds."""

    make: Callable[[bool], Data]
    seconds: float
    file: str = ""
    verify: float = np.inf  # beside the rule that it takes no longer than the search
    printed: bool = False
    rivals: tuple[str, ...] = ()


def _real(name: str, *labels: int, n: int | None = None) -> Callable[[bool], Data]:
    """The first n rows of a file, of these classes if any are named."""

    def make(quick: bool) -> Data:
        found = real(name, None)
        assert found is not None
        X, y = found[0][:n], found[1][:n]
        chosen = np.flatnonzero(np.isin(y, labels)) if labels else np.arange(y.size)
        chosen = chosen[:: 1 + chosen.size // 500] if quick else chosen  # a file may have its classes in turn
        return X[chosen], y[chosen]

    return make


def _factor(levels: int, dense: bool = True) -> Callable[[bool], Data]:
    def make(quick: bool) -> Data:
        X, y = factor(500 if quick else 20_000, levels // 20 if quick else levels)
        return X.toarray() if dense else X, y

    return make


TABLES = {
    "clouds": Table(lambda quick: clouds(50 if quick else 2_000, 6, 4 if quick else 50), 2, printed=True),
    "clouds of 40 rows": Table(lambda quick: clouds(50 if quick else 800, 6, 4 if quick else 20), 2, printed=True),
    "letter": Table(_real("letter"), 15, "letter"),
    "covtype": Table(_real("covtype"), 60, "covtype"),
    "MNIST": Table(_real("mnist", n=60_000), 120, "mnist"),
    "a9a": Table(_real("a9a"), 4, "a9a", rivals=HIGHS),
    "adult": Table(_real("adult"), 4, "adult", rivals=HIGHS),
    "factor of 100": Table(_factor(100), 4, rivals=HIGHS),
    "factor of 300": Table(_factor(300), 4, rivals=HIGHS),
    "factor of 1,000": Table(_factor(1_000), 4, rivals=HIGHS),
    "factor of 1,000, CSR": Table(_factor(1_000, dense=False), 4, rivals=HIGHS),
    "separable": Table(lambda quick: separable(2_000 if quick else 20_000, 50 if quick else 500, 0.01), 8),
    "overlapping": Table(lambda quick: overlapping(2_000 if quick else 20_000, 50 if quick else 500), 8),
    "spamassassin": Table(_real("spamassassin"), 10, "spamassassin"),
    "documents": Table(lambda quick: documents(100 if quick else 5_000, 1_000 if quick else 50_000), 10),
    "MNIST 4 against 9": Table(_real("mnist", 4, 9, n=60_000), 15, "mnist", verify=10),
}


def whole_program(X: Any, y: Labels, method: str) -> NDArray[np.bool_]:
    """Max Σu with zb >= u, 0 <= u <= 1, over all rows at once: which rows have u = 1, the separated ones."""
    n, d = X.shape
    z = np.where(y == 1, 1.0, -1.0)
    columns = [-z[:, None], sparse.diags(-z) @ sparse.csr_matrix(X, dtype=np.float64), sparse.eye(n)]
    bounds = np.r_[np.tile([-np.inf, np.inf], (d + 1, 1)), np.tile([0.0, 1.0], (n, 1))]
    cost = np.r_[np.zeros(d + 1), -np.ones(n)]
    found = linprog(cost, A_ub=sparse.hstack(columns, "csc"), b_ub=np.zeros(n), bounds=bounds, method=method)
    if not found.success:
        raise RuntimeError(found.message)
    return np.asarray(found.x[d + 1 :] > 0.5)


def in_words(separated: NDArray[np.bool_]) -> str:
    """The verdict."""
    return "complete" if separated.all() else "quasi" if separated.any() else "overlap"


def examined(name: str, quick: bool) -> dict[str, Any] | None:
    """What a child could tell of a table before it ended, and why it did; None where the file is not here."""
    if (file := TABLES[name].file) and real(file) is None:
        return None
    found: dict[str, Any] = {"ended": "", "limit": SECONDS}
    if quick and name != next(iter(TABLES)):  # one child shows that children work
        return found | {key: value for part in examine(name, quick) for key, value in part.items()}
    printed, failure = run(f"from benchmarks._tables import tell; tell({name!r}, {quick})", seconds=SECONDS)
    if "AuditError" in failure:
        raise AuditError(f"{name}: {failure}")
    found["ended"] = "not ended" if failure == "time" else failure.rpartition("\n")[2]
    for line in printed.splitlines():
        found |= json.loads(line)
    return found


def tell(name: str, quick: bool) -> None:
    """Print what is found of a table, one line of JSON for each stage; the child's part."""
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    for part in examine(name, quick):
        print(json.dumps(part), flush=True)


def examine(name: str, quick: bool) -> Iterator[dict[str, Any]]:
    """What is found of a table, one stage after the other."""
    table = TABLES[name]
    X, y = table.make(True)
    _proved(X, y).certificate.verify(X, y)  # compiles
    X, y = table.make(quick)
    _warm(X)
    form, size = (X.dtype, X.nbytes) if isinstance(X, np.ndarray) else (f"CSR {X.dtype}", X.data.nbytes * 3 // 2)
    what = f"{name} ({X.shape[0]:,}×{X.shape[1]:,} {form}, {np.unique(y).size} classes)"
    yield {"what": what, "size": size / 1e6}
    s, find = _timed(lambda: _proved(X, y))
    rows = f"{s.verdict}, {s.separated_rows.size:,} rows separated"
    yield {"find": find.seconds, "cpu": find.processor, "memory": find.megabytes, "rows": rows}
    _, verify = _timed(lambda: s.certificate.verify(X, y))
    yield {"verify": verify.seconds, "memory": max(find.megabytes, verify.megabytes)}
    if table.printed:
        text, printing = _timed(lambda: str(s))
        yield {"print": printing.seconds, "lines": text.count("\n") + 1}
    for method in table.rivals:
        separated, rival = _timed(lambda method=method: whole_program(X, y, method))  # type: ignore[misc]
        theirs = np.flatnonzero(separated)
        require(np.array_equal(theirs, s.separated_rows), f"{s.separated_rows.size} and {theirs.size} rows separated")
        yield {f"{method} seconds": rival.seconds, method: find.seconds / rival.seconds}


def _warm(like: Any) -> None:
    """Import numba and load the passes, which small tables do without: verdicts on a plain table and on levels."""
    for X, y in (overlapping(3_000, 5), factor(3_000, 150)):
        table = X.astype(like.dtype)
        _proved(table, y).certificate.verify(table, y)


def _proved(X: Any, y: Labels) -> Separability:
    s = separability(X, y, progress=False)
    _ = s.certificate  # of many classes it is made when it is asked for
    return s


class Taken(NamedTuple):
    """The time by the wall and by the processor, and the memory above what was held before; nan if none can tell."""

    seconds: float
    processor: float
    megabytes: float


def _timed(work: Callable[[], Any]) -> tuple[Any, Taken]:
    result: list[Any] = []
    begin, processor = time.perf_counter(), time.process_time()
    size = above(lambda: result.append(work()))
    return result[0], Taken(time.perf_counter() - begin, time.process_time() - processor, size / 1e6)
