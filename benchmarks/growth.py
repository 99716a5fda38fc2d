"""P17: time and memory as the data grow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from discriminant import Perceptron

from ._audit import passes
from ._case import Contest, Outcome, Peer, Reading, case, within
from ._child import PEAK, child
from ._data import overlapping

# A copy of the data must show in the measure.
MEMORY = (
    PEAK
    + """
import numpy as np
from scipy import sparse
from discriminant import Perceptron

def data(n, d):
    X = np.empty((n, d), {dtype!r})
    np.random.default_rng(0).standard_normal(out=X, dtype=X.dtype.type)
    y = (X[:, 0] > 0).astype(np.int64)
    y[::10] = 1 - y[::10]
    if {csr}:
        columns = np.tile(np.arange(d, dtype=np.int32), n)
        X = sparse.csr_matrix((X.ravel(), columns, np.arange(0, n * d + 1, d, dtype=np.int32)), shape=(n, d))
    return X, y

model = Perceptron(max_iter=5).fit(*data(100, 4))
X, y = data({n}, {d})
size = {n} * {d} * (np.dtype({dtype!r}).itemsize + 4 * {csr})
assert 0.9 * size < above(X.copy) < 1.1 * size
share = above(lambda: model.fit(X, y)) / size
assert model.n_iter_ == 5 and model.coef_.dtype == {dtype!r}
print(100 * share)
"""
)


@case("P17", "growth of the single-sample perceptron, 5 epochs")
def growth(quick: bool) -> Iterator[Outcome]:
    n, d = (20_000 if quick else 2_000_000), 100
    X, y = overlapping(n, d)
    small = n // 10
    yield Contest(
        f"time, {n:,}×{d} f64",
        lambda: Perceptron(max_iter=5).fit(X, y),
        [Peer(f"ours, {small:,} rows", lambda: Perceptron(max_iter=5).fit(X[:small], y[:small]), within(11), passes)],
    )
    if not Path("/proc/self/clear_refs").exists():
        yield "Left out, the memory above the data: only Linux tells the peak of a process from now on."
        return
    rows = 20_000 if quick else 400_000
    shapes = ((d, "float64", False), (d, "float32", False), (50, "float64", True))
    for columns, dtype, csr in shapes[: 1 if quick else None]:
        above = child(MEMORY.format(n=rows, d=columns, dtype=dtype, csr=csr))
        name = f"memory above the data, {'CSR ' if csr else ''}{rows:,}×{columns} {dtype}"
        yield Reading(name, above, "%", 10, "5 passes, dtype kept, a copy of the data reads as 100 %")
