"""The search by guesses at the whole boundary: forced on small problems of the oracle, quick on large tables."""

from __future__ import annotations

import itertools
import re
import time
import traceback
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from verdict_problems import faults, problem

from discriminant import LinearMachine, UndecidedError, datasets, separability
from discriminant._engine import progress
from discriminant.separation import boundary, merging, sample, search
from discriminant.separation.boundary import BoundarySearch
from discriminant.separation.hinge import touched_by
from discriminant.separation.newton import BoundaryGuess, LossRows, boundary_of
from discriminant.separation.verdict import pose


@pytest.fixture
def forced(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every problem goes through the new search, at once; what it finds is kept."""
    for name, value in {"WIDE": 1, "NARROW": 0, "WALK": 0.0}.items():
        monkeypatch.setattr(search, name, value)
    monkeypatch.setattr(merging, "NARROW", 0)
    found: list[Any] = []

    class Kept(BoundarySearch):
        def run(self) -> Any:
            found.append(super().run())
            return found[-1]

    monkeypatch.setattr(search, "BoundarySearch", Kept)
    return found


SAMPLES = {
    "log loss": {},
    "squared hinge": {"MANY": 0, "SPARSE": 0.0, "WORK": 0.0},
    "few rows at a time": {"WORK": 0.0, "FEWEST": 1},
}


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_sample_of_all_kinds_of_problems(kind: str, forced: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdict, B, N, and the proof by both ways to check it."""
    for name, value in SAMPLES[kind].items():
        monkeypatch.setattr(sample, name, value)
    seen: Counter[str] = Counter()
    for number in range(50):
        verdict, wrong = faults(problem(np.random.default_rng([15, number])))
        assert (number, wrong) == (number, [])
        seen[verdict] += 1
    assert min(seen.values()) > 3
    assert len(seen) == 3
    assert sum(outcome is not None for outcome in forced) > 0.8 * len(forced) > 25


# Guesses that fail --------------------------------------------------------------------------------------------------


def nothing(rows: LossRows, tick: Any) -> BoundaryGuess | None:
    """Floats cannot tell."""
    return None


def everything(rows: LossRows, tick: Any) -> BoundaryGuess | None:
    """All rows, whatever they are."""
    return BoundaryGuess(rows.exists, rows.exists.astype(float), np.zeros(rows.n_columns))


def backward(rows: LossRows, tick: Any) -> BoundaryGuess | None:
    """The right rows left out, all others taken, and the vector reversed."""
    right = boundary_of(rows, tick) or touched_by(rows, tick)
    assert right is not None
    return BoundaryGuess(rows.exists & ~right.boundary, rows.exists.astype(float), -right.direction)


def separated(rows: LossRows, tick: Any) -> BoundaryGuess | None:
    """No row on the boundary, and any vector."""
    return BoundaryGuess(np.zeros_like(rows.exists), np.zeros(rows.exists.shape), np.ones(rows.n_columns))


@pytest.mark.parametrize("guess", [nothing, everything, backward, separated])
def test_the_verdict_is_right_after_a_wrong_guess(
    guess: Any, forced: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("boundary_of", "touched_by"):
        monkeypatch.setattr(boundary, name, guess)
    seen = set()
    for number in range(20):
        verdict, wrong = faults(problem(np.random.default_rng([16, number])))
        assert (number, wrong) == (number, [])
        seen.add(verdict)
    assert len(seen) == 3
    assert sum(outcome is None for outcome in forced) > 5  # the old search went on


def test_the_verdict_is_right_where_no_rows_are_found_that_prove_it(
    forced: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boundary, "spanning", lambda *given: None)
    for X, y in (datasets.iris(), datasets.xor()):
        s = separability(X, y)
        assert s.certificate.verify(X, y)
        assert forced.pop() is None


# Large tables -------------------------------------------------------------------------------------------------------


def test_the_rows_of_many_classes_are_never_made(rng: np.random.Generator) -> None:
    """All of them in full would be 635 MB, those of a sample 167."""
    X, y = rng.integers(-99, 100, (20_000, 10)), rng.integers(20, size=20_000)
    tracemalloc.start()
    try:
        s = separability(X, y)
        assert s.verdict == "overlap"
        assert tracemalloc.get_traced_memory()[1] < 1e8
    finally:
        tracemalloc.stop()
    assert s.certificate.verify(X, y)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_a_factor_of_a_hundred_levels(storage: Any, rng: np.random.Generator) -> None:
    level = rng.integers(100, size=3000)
    X = np.column_stack([level[:, None] == np.arange(1, 100), rng.normal(size=(3000, 3)).round(2)]).astype(float)
    y = rng.integers(2, size=3000)
    y[level == 3], y[level == 50] = 1, 0
    X = storage(X)
    separability(X[:500], y[:500])  # compiled code is not what is measured
    began = time.perf_counter()
    s = separability(X, y)
    assert time.perf_counter() - began < 2
    assert s.verdict == "quasi"
    assert s.separated_rows.tolist() == np.flatnonzero((level == 3) | (level == 50)).tolist()
    assert s.certificate.verify(X, y)


# Limits -------------------------------------------------------------------------------------------------------------


def test_too_many_weights_of_many_classes_are_refused_in_words(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "WIDE", 10)
    monkeypatch.setattr(search, "LARGEST", 20)
    monkeypatch.setattr(merging, "NARROW", 0)
    X, y = rng.normal(size=(300, 4)), rng.integers(6, size=300)
    with pytest.raises(UndecidedError) as caught:
        separability(X, y)
    error = caught.value
    words = (
        r"^one proof for 6 classes of 4 features needs 25 weights, and must have at most [\d,]+; ask for the pairs of"
    )
    assert re.search(words, str(error))
    assert isinstance(error.plane, LinearMachine)
    assert error.n_wrong == np.count_nonzero(error.plane.predict(X) != y) > 0
    assert f"the best plane has {error.n_wrong} of 300 rows wrong" in str(error)
    assert pose(X, y).pairwise[0, 1].verdict == "overlap"  # what the words advise


@contextmanager
def tracing(names: set[str]) -> Iterator[None]:
    """Adds the functions that were under way when time was up."""
    try:
        yield
    except UndecidedError as error:
        names |= {frame.name for frame in traceback.extract_tb((error.__context__ or error).__traceback__)}
        raise


@pytest.mark.parametrize(
    ("kind", "places"),
    [("log loss", {"boundary_of", "_independent", "_balancing"}), ("squared hinge", {"touched_by", "_independent"})],
)
@pytest.mark.usefixtures("forced")
def test_a_limit_of_time_ends_it_anywhere(kind: str, places: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock moves by one second whenever it is looked at; the limit grows until the verdict is found."""
    for name, value in SAMPLES[kind].items():
        monkeypatch.setattr(sample, name, value)
    clock = itertools.count()
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(clock)))
    X, y = datasets.iris()
    X, y = X[50:], y[50:]
    asked, stopped = pose(X, y, max_seconds=1), set()
    while "_outcome" not in vars(asked):
        with suppress(UndecidedError), tracing(stopped):
            assert asked.verdict == "overlap"
        asked.question.meter.max_seconds += 1
    assert stopped >= places
