"""P16, S1, S2: what a user waits for before the first answer."""

from __future__ import annotations

import compileall
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import discriminant

from ._case import Outcome, Reading, case
from ._child import environment, numbers

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


# As FIT, for any estimator: what it compiles on a hundred rows of two classes.
ESTIMATOR = """
import warnings
import numpy as np
import sklearn.linear_model
warnings.simplefilter("ignore")
X = np.random.default_rng(0).standard_normal((100, 4))
y = (X[:, 0] > 0).astype({dtype})
begin = now()
from discriminant import {name}
model = {name}().fit(X, y)
tell(begin)
assert np.isfinite(model.predict(X)).all()
"""
FIRST, LATER, PERCEPTRON = 2.0, 0.6, 1.2  # seconds of processor time that a fit may take: the first ever, a later one
COMMANDS = {  # with the seconds that they may take with an empty cache and with a warm one
    "--help": (0.3, 0.3),
    "datasets": (0.3, 0.3),
    "methods": (0.3, 0.3),
    "check iris": (3.0, 1.0),
    "fit iris": (3.0, 2.0),
    "compare iris": (25.0, 6.0),
}


def waited(name: str, wall: float, cpu: float, limit: float, audit: str) -> Reading:
    """The processor's time is judged, for it does not depend on what else the machine does."""
    return Reading(name, cpu, "s of CPU", limit, f"{wall:.3g} s by the wall, {audit}")


@case("S1", "first and second fit of every estimator, each in a new process, scikit-learn's import aside")
def fits(quick: bool) -> Iterator[Outcome]:
    make_byte_code()
    kinds = [kind for kinds in discriminant._PROCEDURES.values() for kind in kinds]
    for kind in ["LeastSquares"] if quick else kinds:
        code = CLOCK + ESTIMATOR.format(name=kind, dtype="float" if kind.endswith("Regressor") else "int")
        with tempfile.TemporaryDirectory() as cache:
            first, later = (numbers(code, cache) for _ in range(2))
            kept = len(list(Path(cache).rglob("*.nbc")))
        limit = PERCEPTRON if kind == "Perceptron" else FIRST
        yield waited(f"{kind}, first", first[0], first[1], limit, f"passes compiled: {kept}")
        yield waited(f"{kind}, second", later[0], later[1], LATER, "nothing compiled")


@case("S2", "commands, each in a new process, with an empty cache and with a warm one")
def commands(quick: bool) -> Iterator[Outcome]:
    make_byte_code()
    for line, limits in list(COMMANDS.items())[: 1 if quick else None]:
        with tempfile.TemporaryDirectory() as cache:
            for state, limit in zip(("cold", "warm"), limits, strict=True):
                wall, cpu, code = command(line, cache)
                yield waited(f"discriminant {line}, {state}", wall, cpu, limit, f"exit code {code}")


def make_byte_code() -> None:
    """As pip does when it installs a package."""
    for folder in discriminant.__path__:
        compileall.compile_dir(folder, quiet=1)


def command(line: str, cache: str) -> tuple[float, float, int]:
    """Seconds by the wall and of the processor, and the exit code, of a command and all processes that it starts."""
    arguments = [sys.executable, "-m", "discriminant", *line.split()]
    before, begin = _processor(), time.perf_counter()
    done = subprocess.run(
        arguments, env=environment(cache), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    taken = time.perf_counter() - begin, _processor() - before
    if done.returncode not in (0, 3, 4):  # check: quasi, overlap
        raise RuntimeError(f"discriminant {line} failed:\n{done.stderr}")
    return *taken, done.returncode


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
