"""A question that takes too long ends, and what it tells then is true."""

from __future__ import annotations

import itertools
import time
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from discriminant import Hyperplane, LinearMachine, UndecidedError, datasets, separability
from discriminant._engine import progress
from discriminant.separation.knowledge import Knowledge, best_plane
from discriminant.separation.verdict import pose


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that moves by one second whenever it is looked at, so that work takes seconds, not time."""
    clock = itertools.count()
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(clock)))


def stopped(ask: Any) -> UndecidedError:
    with pytest.raises(UndecidedError) as caught:
        ask()
    return caught.value


def noise(rng: np.random.Generator, n: int, d: int, c: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(size=(n, d)), rng.integers(0, c, n)


def first_with_a_plane(X: Any, y: Any) -> UndecidedError:
    """What is known when the search has seen a plane, and no more."""
    for seconds in itertools.count(1):
        asked = pose(X, y, max_seconds=seconds)
        error = stopped(partial(getattr, asked, "verdict"))
        if error.plane is not None:
            assert error.seconds == seconds
            return error
    raise AssertionError


@pytest.mark.usefixtures("ticking")
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array, np.float32])
def test_the_plane_of_two_classes_has_as_many_wrong_rows_as_it_says(rng: np.random.Generator, storage: Any) -> None:
    X = rng.normal(size=(20_000, 3))
    y = np.where(X @ [1.0, 2.0, 3.0] > 1e-4, "b", "a")  # the first guess is almost right
    X = storage(X)
    error = first_with_a_plane(X, y)
    assert isinstance(error.plane, Hyperplane)
    g = X @ error.plane.w + error.plane.w0
    assert error.n_wrong == np.count_nonzero(np.where(y == "b", g, -g) <= 0) > 0
    assert (error.pairs, error.excluded) == ({}, ())
    assert f"(so far, the best plane has {error.n_wrong} of 20,000 rows wrong); give more seconds" in str(error)


@pytest.mark.usefixtures("ticking")
def test_a_machine_of_many_classes_has_as_many_wrong_rows_as_it_says(rng: np.random.Generator) -> None:
    X = rng.normal(size=(5_000, 2))
    y = np.argmax(X @ rng.normal(size=(2, 4)), axis=1)
    error = first_with_a_plane(X, y)
    assert isinstance(error.plane, LinearMachine)
    wrong = (error.plane.predict(X) != y) | error.plane.undecided(X)
    assert error.n_wrong == np.count_nonzero(wrong) > 0
    assert error.passes > 0


def test_random_labels_of_many_classes_end_in_time(rng: np.random.Generator) -> None:
    asked = separability(*noise(rng, 20_000, 16, 26), max_seconds=0.2)
    began = time.monotonic()
    with suppress(UndecidedError):  # or the verdict comes first
        assert asked.verdict == "overlap"
    assert time.monotonic() - began < 5  # 1 on an idle machine, with all compiled


@pytest.mark.usefixtures("ticking")
def test_pairs_share_the_seconds_and_those_decided_are_right(rng: np.random.Generator) -> None:
    X, y = noise(rng, 200, 2, 6)
    X[y == 3] += 100
    asked = pose(X, y, max_seconds=20)
    error = stopped(lambda: asked.pairwise.certificates)
    assert 0 < len(error.pairs) < 15
    assert error.pairs == asked.pairwise.decided
    for (j, k), verdict in error.pairs.items():
        two = np.isin(y, [j, k])
        assert separability(X[two], y[two]).verdict == verdict
    assert error.excluded == ("complete", "quasi")  # an overlap is the weakest
    assert "15 verdicts, against each other (so far, " in str(error)
    assert asked.pairwise.verdict == "overlap"  # no other can be weaker
    asked.question.meter.max_seconds = 1
    error = stopped(lambda: asked.verdict)
    assert error.pairs == asked.pairwise.decided
    assert error.excluded == ("complete",)


def test_what_is_excluded() -> None:
    asked = separability(*datasets.iris(), max_seconds=60)
    system = asked._system

    def told() -> UndecidedError:
        asked.question.meter.max_seconds = 0.0
        asked.__dict__.pop("_outcome", None)
        return stopped(lambda: asked.verdict)

    assert told().excluded == ("complete", "overlap")  # quasi: relations, and a machine without a wrong row, are known
    system.known = Knowledge()
    assert told().excluded == ()
    system.known.related({(0, 1): 1, (1, 0): 1})
    assert told().excluded == ("complete",)


def test_counts_have_no_plane() -> None:
    asked = separability([[0.0], [1.0], [2.0]], [0, 0, 2], family="poisson")
    assert best_plane(asked._system, []) == (None, None)


def test_margin_and_signs_are_questions_of_their_own() -> None:
    X, y = datasets.iris()
    s = separability(X[:100], y[:100], max_seconds=60)
    s.question.meter.max_seconds = 0.0
    error = stopped(lambda: s.margin)
    assert error.n_wrong == 0
    assert "larger for the largest margin (so far, the best plane has 0 of 100 rows wrong)" in str(error)
    assert "larger for the signs of the coefficients" in str(stopped(lambda: s.infinite_))
    s.question.meter.max_seconds = None
    assert s.margin.lower > 0


def test_to_ask_again_begins_again() -> None:
    asked = pose(*datasets.xor(), max_seconds=60)
    asked.question.meter.max_seconds = 0.0
    stopped(lambda: asked.verdict)
    asked.question.meter.max_seconds = 60.0
    assert asked.verdict == "overlap"


@pytest.mark.parametrize("seconds", [-1, 0, "1", np.nan, True])
def test_seconds_that_are_none(seconds: Any) -> None:
    with pytest.raises(ValueError, match=r"^max_seconds=.* must be None or a number > 0; give seconds, or"):
        separability(*datasets.xor(), max_seconds=seconds)


def test_the_line_tells_which_problem(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    s = separability(*datasets.iris(), progress=True)
    capsys.readouterr()
    assert s.pairwise.certificates
    assert "problem 3 of 3: " in capsys.readouterr().err
