"""Guesses at the boundary in floats: rows against explicit ones, losses against differences, guesses against the truth.

What a guess says is held against the exact oracle of the tests; small whole numbers leave floats no excuse.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from exact_oracle import augmented, boundary, rows_of
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize_scalar

from discriminant import datasets
from discriminant.separation import newton
from discriminant.separation.hinge import _length, touched_by
from discriminant.separation.newton import MOVES, STILL, BoundaryGuess, PlainRows, RivalRows, boundary_of, newton_step

Floats = NDArray[np.float64]


def quiet(text: str, share: float) -> None:
    """Nobody listens."""


def kesler(Y: Floats, own: Any, c: int) -> Floats:
    """All rows of patterns, one for each class, zero for the own class; the first block is left out."""
    signs = np.eye(c)[own][:, None, :] - np.eye(c)
    return np.asarray((signs[:, :, 1:, None] * Y[:, None, None, :]).reshape(len(Y) * c, -1))


# Rows ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("c", [3, 4, 7])
@pytest.mark.parametrize("piece", [newton.PIECE, 1])
def test_rows_of_rivals_are_those_of_kesler(
    c: int, piece: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(newton, "PIECE", piece)
    Y, own = rng.normal(size=(25, 3)), np.sort(np.r_[np.arange(c), rng.integers(c, size=25 - c)])
    own[own == 1] = 2  # a class without patterns
    rows, Z = RivalRows(Y, own, c), kesler(Y, own, c)
    assert rows.n_columns == Z.shape[1]
    assert_array_equal(rows.exists.ravel(), Z.any(axis=1))
    b, weights = rng.normal(size=rows.n_columns), np.where(rows.exists, rng.random((25, c)), 0)
    assert_allclose(rows.margins(b).ravel(), Z @ b, atol=1e-12)
    assert_allclose(rows.total(weights), weights.ravel() @ Z, atol=1e-12)
    assert_allclose(rows.squares(weights), (Z.T * weights.ravel()) @ Z, atol=1e-12)
    places = rng.permutation(len(Z))[:20]
    assert_array_equal(rows.dense(places), Z[places])


@pytest.mark.parametrize("piece", [newton.PIECE, 1])
def test_plain_rows_are_the_same_in_any_storage(
    piece: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(newton, "PIECE", piece)
    Z = rng.normal(size=(30, 6)) * (rng.random((30, 6)) < 0.4)
    b, weights = rng.normal(size=6), rng.random(30) * (rng.random(30) < 0.7)
    for rows in (PlainRows(Z), PlainRows(sparse.csr_matrix(Z))):
        assert rows.exists.all()
        assert_allclose(rows.margins(b), Z @ b, atol=1e-12)
        assert_allclose(rows.total(weights), weights @ Z, atol=1e-12)
        assert_allclose(rows.squares(weights), (Z.T * weights) @ Z, atol=1e-12)
        assert_array_equal(rows.dense(np.array([4, 0, 4])), Z[[4, 0, 4]])


# Losses -------------------------------------------------------------------------------------------------------------


class Recorded(RivalRows):
    """Rows that keep the weights, slopes and second derivatives they are asked for."""

    def __init__(self, Y: Floats, own: Any, c: int) -> None:
        super().__init__(Y, own, c)
        self.slopes: list[tuple[Floats, Floats]] = []
        self.curvatures: list[Floats] = []

    def total(self, weights: Floats) -> Floats:
        self.slopes.append((weights, super().total(weights)))
        return self.slopes[-1][1]

    def squares(self, weights: Floats) -> Floats:
        self.curvatures.append(super().squares(weights))
        return self.curvatures[-1]


def log_loss(weights: Floats, moved: Floats) -> float:
    """The loss after such changes of the margins, which weights of the loss tell."""
    return float(np.logaddexp(0, -(np.log1p(-weights) - np.log(weights) + moved)).sum())


def squared_hinge(weights: Floats, moved: Floats) -> float:
    return float(0.5 * (np.maximum(0, weights - moved)[weights > 0] ** 2).sum())


@pytest.mark.parametrize(("guess", "loss"), [(boundary_of, log_loss), (touched_by, squared_hinge)])
def test_slopes_and_curvatures_are_those_of_the_loss(guess: Any, loss: Any, rng: np.random.Generator) -> None:
    """By central differences along random directions, at every step."""
    own = np.sort(rng.integers(3, size=40))
    rows = Recorded(rng.normal(size=(40, 3)) + own[:, None] / 2, own, 3)
    guess(rows, quiet)
    assert len(rows.slopes) == len(rows.curvatures) > 2
    for (weights, slope), H in zip(rows.slopes, rows.curvatures, strict=True):
        d = rng.normal(size=rows.n_columns)
        w, z, t = weights[rows.exists], rows.margins(d)[rows.exists], 1e-4
        up, here, down = (loss(w, s * t * z) for s in (1, 0, -1))
        assert_allclose(-slope @ d, (up - down) / (2 * t), rtol=1e-4, atol=1e-5)
        assert_allclose(d @ H @ d, (up - 2 * here + down) / t**2, rtol=1e-3)


def test_a_newton_step_solves_its_equations_and_leaves_what_no_row_moves(rng: np.random.Generator) -> None:
    Z = rng.normal(size=(30, 4)) * [1e-4, 1.0, 0.0, 1e4]
    slope = Z.T @ rng.random(30)
    step = newton_step(Z.T @ Z, slope)
    assert step is not None
    assert step[2] == 0
    assert_allclose(Z.T @ (Z @ step), slope, rtol=1e-8)
    assert newton_step(np.array([[1.0, 2.0], [2.0, 1.0]]), np.ones(2)) is None


def test_the_length_of_a_step_minimizes(rng: np.random.Generator) -> None:
    for trial in range(200):
        margins, gains = rng.normal(size=(2, 30))
        gains[rng.random(30) < 0.2] = 0
        if trial % 2:
            margins = margins.round()  # rows at the end of their share
        if ((1 - margins) * gains)[margins < 1].sum() < 0:
            gains = -gains  # a step goes down

        def loss(t: float, margins: Floats = margins, gains: Floats = gains) -> float:
            return float((np.maximum(0, 1 - margins - t * gains) ** 2).sum())

        t = _length(margins, gains)
        assert t >= 0
        best = minimize_scalar(loss, bounds=(0, 100), method="bounded", options={"xatol": 1e-9})
        assert loss(t) <= min(best.fun, *(loss(s) for s in np.linspace(0, 3, 301))) + 1e-9


# Guesses against the truth ------------------------------------------------------------------------------------------


def one_hot(rng: np.random.Generator) -> tuple[Any, Any]:
    """Two factors and a number; where a level meets one class alone, its cell is empty."""
    n, c = 40, int(rng.integers(2, 4))
    levels = rng.integers(5, size=(2, n))
    X = np.column_stack([*(np.eye(5, dtype=int)[level][:, 1:] for level in levels), rng.integers(-2, 3, n)])
    y = rng.integers(c, size=n)
    y[levels[0] == 3] = 1
    y[levels[1] == 2] = 0
    return X, y


def tied(rng: np.random.Generator) -> tuple[Any, Any]:
    """Small whole numbers, labels of a linear machine, ties at random; two labels may be wrong."""
    n, d, c = int(rng.integers(8, 31)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    X = rng.integers(-2, 3, (n, d))
    y = (X @ rng.integers(-2, 3, (d, c)) + rng.integers(-1, 2, c) + 1e-3 * rng.random((n, c))).argmax(axis=1)
    y[:2] = [0, 1]
    return X, y


def problems(rng: np.random.Generator) -> Iterator[tuple[Any, Floats, list[int]]]:
    """Rows for a guess, the same in full, and the places of the true N."""
    tables = [datasets.iris(), *(make(rng) for make in [one_hot, tied, tied] for _ in range(20))]
    for X, y in tables:
        classes = np.unique(y)
        order = np.argsort(y, kind="stable")
        own, c = np.searchsorted(classes, y)[order], classes.size
        patterns = augmented(X[order])
        exact = rows_of(patterns, own.tolist(), c)
        vanish = boundary([z for _, z in exact])
        Y = np.array(patterns, float)
        Y /= np.linalg.norm(Y, axis=1)[:, None]
        rivals = [j for k in own for j in range(c) if j != k]
        if c == 2:
            Z = np.where(own == 1, 1, -1)[:, None] * Y
            yield PlainRows(Z), Z, vanish
            yield PlainRows(sparse.csr_matrix(Z)), Z, vanish
        else:
            yield RivalRows(Y, own, c), kesler(Y, own, c), [exact[k][0] * c + rivals[k] for k in vanish]


def chosen(guess: BoundaryGuess) -> list[int]:
    return np.flatnonzero(guess.boundary).tolist()


def test_the_log_loss_shows_all_of_the_boundary(rng: np.random.Generator) -> None:
    told = {"complete": 0, "quasi": 0, "overlap": 0}
    for rows, Z, vanish in problems(rng):
        guess = boundary_of(rows, quiet)
        assert guess is not None
        assert chosen(guess) == vanish
        weights = np.where(guess.boundary, guess.weights, 0).ravel()
        assert weights[vanish].min(initial=1) > 0
        assert_allclose(weights @ Z, 0, atol=10 * STILL)
        gains, rest = Z @ guess.direction, rows.exists & ~guess.boundary
        assert np.all(np.abs(gains[vanish]) <= STILL)
        assert np.all(gains[rest.ravel()] >= (MOVES if vanish else 0))
        told["complete" if not vanish else "quasi" if rest.any() else "overlap"] += 1
    assert min(told.values()) > 3


def test_the_squared_hinge_names_rows_of_the_boundary_alone(rng: np.random.Generator) -> None:
    separable = 0
    for rows, Z, vanish in problems(rng):
        guess = touched_by(rows, quiet)
        assert guess is not None
        assert bool(chosen(guess)) == bool(vanish)
        assert set(chosen(guess)) <= set(vanish)
        weights = np.where(guess.boundary, guess.weights, 0).ravel()
        assert_allclose(weights @ Z, 0, atol=1e-5)
        if not vanish:
            separable += 1
            assert (Z @ guess.direction)[rows.exists.ravel()].min() > 0
    assert separable > 3


def test_guesses_that_do_not_end_are_none(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = PlainRows(rng.normal(size=(50, 3)))
    for module, guess in (("newton", boundary_of), ("hinge", touched_by)):
        monkeypatch.setattr(f"discriminant.separation.{module}.STEPS", 1)
        assert guess(rows, quiet) is None
        monkeypatch.setattr(f"discriminant.separation.{module}.newton_step", lambda H, slope: None)
        assert guess(rows, quiet) is None
