"""Few rows that prove a boundary: independent, spanning, few, and with a positive relation, by exact ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from exact_oracle import rank
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import nnls

from discriminant.separation import spanning as _spanning
from discriminant.separation.newton import LossRows, PlainRows, RivalRows
from discriminant.separation.spanning import Spanning, spanning


def quiet(text: str, share: float) -> None:
    """Nobody listens."""


def balanced(rng: np.random.Generator, n: int, d: int, r: int) -> NDArray[Any]:
    """Small whole numbers of rank r or less, and the negative of their sum: all of them are of the boundary."""
    Z = rng.integers(-3, 4, (n, r)) @ rng.integers(-1, 2, (r, d))
    return np.concatenate([Z, -Z.sum(axis=0)[None]])


def factor(rng: np.random.Generator, n: int, d: int, r: int) -> NDArray[Any]:
    """The levels of a factor, each in both classes."""
    level = np.r_[np.arange(d - 1), rng.integers(d - 1, size=n)]
    X = np.column_stack([np.ones(level.size, int), level[:, None] == np.arange(d - 1)])
    return np.concatenate([X, -X])


def check(rows: LossRows, Z: NDArray[Any], places: NDArray[np.int64], found: Spanning | None) -> None:
    """The promises of ``Spanning`` for whole numbers Z of which the rows are multiples."""
    assert found is not None
    basis, rest = found
    r = rank(Z[places].tolist())
    assert len(basis) == rank(Z[basis].tolist()) == r
    chosen = [*basis, *rest]
    assert len(set(chosen)) == len(chosen) <= 2 * r
    assert set(chosen) <= set(places.tolist())
    z = rows.dense(np.array(chosen))
    residual = nnls(z.T, -z.sum(axis=0))[1]  # weights of one and more add up to zero
    assert residual < 1e-8


@pytest.mark.parametrize("make", [balanced, factor])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_rows_that_prove_a_boundary(make: Any, storage: Any, rng: np.random.Generator) -> None:
    for _ in range(25):
        d = int(rng.integers(2, 9))
        Z = make(rng, int(rng.integers(d, 60)), d, int(rng.integers(1, d + 1)))
        Z = Z[Z.any(axis=1)]
        if not len(Z):
            continue
        rows = PlainRows(storage(Z / np.linalg.norm(Z, axis=1)[:, None]))
        check(rows, Z, np.arange(len(Z)), spanning(rows, np.arange(len(Z)), rng.random(len(Z)), quiet))


def test_only_the_rows_at_the_places_are_chosen(rng: np.random.Generator) -> None:
    boundary = balanced(rng, 30, 6, 4)
    boundary = boundary[boundary.any(axis=1)]
    Z = np.concatenate([rng.integers(-3, 4, (20, 6)), boundary])
    rows = PlainRows(Z / np.maximum(np.linalg.norm(Z, axis=1), 1)[:, None])
    places = np.arange(20, len(Z))
    check(rows, Z, places, spanning(rows, places, np.ones(places.size), quiet))


def test_rows_of_rivals(rng: np.random.Generator) -> None:
    Y, own = rng.integers(-3, 4, (60, 4)), np.sort(rng.integers(4, size=60))
    rows = RivalRows(Y.astype(float), own, 4)
    places = np.flatnonzero(rows.exists & Y.any(axis=1)[:, None])
    Z = rows.dense(np.arange(rows.exists.size)).astype(int)
    check(rows, Z, places, spanning(rows, places, rng.random(places.size), quiet))


def test_rows_with_large_weights_in_few_dimensions(rng: np.random.Generator) -> None:
    """The first rows do not span what the later ones do; those are found."""
    Z = np.concatenate([balanced(rng, 200, 10, 10) * (np.arange(10) < 2), factor(rng, 50, 10, 10)])
    Z = Z[Z.any(axis=1)]
    rows = PlainRows(Z / np.linalg.norm(Z, axis=1)[:, None])
    check(rows, Z, np.arange(len(Z)), spanning(rows, np.arange(len(Z)), -np.arange(len(Z), dtype=float), quiet))


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_rows_without_a_positive_relation(storage: Any, rng: np.random.Generator) -> None:
    Z = np.column_stack([np.ones(40), rng.normal(size=(40, 3))])  # the first entry separates
    rows = PlainRows(storage(Z / np.linalg.norm(Z, axis=1)[:, None]))
    assert spanning(rows, np.arange(40), np.ones(40), quiet) is None
    zeros = PlainRows(np.zeros((3, 4)))
    assert spanning(zeros, np.arange(3), np.ones(3), quiet) is None


def test_it_ends_after_some_rounds(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    Z = balanced(rng, 500, 20, 20)
    Z = Z / np.maximum(np.linalg.norm(Z, axis=1), 1)[:, None]
    weights = np.maximum(Z[:, 0], 0)  # rows that cannot balance each other come first
    assert spanning(PlainRows(Z), np.arange(len(Z)), weights, quiet) is not None
    monkeypatch.setattr(_spanning, "ROUNDS", 1)
    assert spanning(PlainRows(Z), np.arange(len(Z)), weights, quiet) is None
