"""P16: what a user waits for before the first answer."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ._case import Outcome, Reading, case
from ._child import numbers

CLOCK = """
import time
def now():
    return time.perf_counter(), time.process_time()
def tell(begin):
    print(*(b - a for a, b in zip(begin, now())))
"""

IMPORT = """
begin = now()
import discriminant
tell(begin)
"""

# scikit-learn's import comes first and is left out; numba's is ours.
FIT = """
import numpy as np
import sklearn.linear_model
X = np.random.default_rng(0).standard_normal((100, 4))
y = (X[:, 0] > 0).astype(int)
begin = now()
from discriminant import Perceptron
model = Perceptron().fit(X, y)
tell(begin)
assert model.score(X, y) == 1
"""


def reading(name: str, times: list[list[float]], limit: float, audit: str) -> Reading:
    """The median wait; beside it the processor's time, which tells a slow start from a busy machine."""
    wall, cpu = np.median(times, axis=0)
    return Reading(name, float(wall), "s", limit, f"median of {len(times)}, {cpu:.2g} s of CPU, {audit}")


@case("P16", "start, each in a new process, scikit-learn's import aside")
def start(quick: bool) -> Iterator[Outcome]:
    times = range(1 if quick else 7)
    numbers(CLOCK + IMPORT)  # byte code is written once and for all
    yield reading("import discriminant", [numbers(CLOCK + IMPORT) for _ in times], 0.05, "nothing else imported")
    first, later = [], []
    for _ in times:
        with tempfile.TemporaryDirectory() as cache:
            first.append(numbers(CLOCK + FIT, cache))
            kept = len(list(Path(cache).rglob("*.nbc")))
            later.append(numbers(CLOCK + FIT, cache))
    audit = f"no errors, compiled passes kept: {kept}"
    yield reading("import and first fit ever", first, 1.5, audit)
    yield reading("import and first fit of a later process", later, 0.6, audit)
