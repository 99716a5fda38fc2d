"""Samples of patterns in floats: their rows are positive multiples of the exact ones, in columns of a known scale."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from exact_oracle import dot
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from discriminant.separation import sample
from discriminant.separation.newton import PlainRows
from discriminant.separation.sample import Sample, fitting, is_large
from discriminant.separation.system import Name, System


def made(rng: np.random.Generator, c: int, storage: Any = np.asarray, intercept: bool = True) -> System:
    """Columns of very different sizes, mostly zeros, and a pattern that is zero."""
    X = rng.integers(-9, 10, (30, 12)) * (rng.random((30, 12)) < 0.1) * 10.0 ** rng.integers(-4, 5, 12)
    X[7] = 0
    return System(storage(X), np.r_[np.arange(c), rng.integers(c, size=30 - c)], c, intercept, "decimal")


def exact(system: System, name: Name, b: list[int]) -> Fraction:
    """The product zb of a row."""
    z, multiple = system.integers(name)
    return Fraction(dot(z, b), multiple)


@pytest.mark.parametrize("c", [2, 4])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("density", [0.0, 1.0])  # below which columns are not centered
@pytest.mark.parametrize("intercept", [True, False])
def test_margins_are_those_of_whole_numbers(
    c: int, storage: Any, density: float, intercept: bool, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample, "SPARSE", density)
    system = made(rng, c, storage, intercept)
    patterns = np.sort(rng.permutation(system.n)[:20])
    patterns = np.union1d(patterns, [7])
    drawn = Sample(system, patterns)
    assert sparse.issparse(getattr(drawn.rows, "Z", None)) == (c == 2 and density == 1.0)
    part = drawn.whole()
    places = np.flatnonzero(drawn.rows.exists)
    names = part.names(places)
    assert sorted(names) == sorted(n for n in system.names(patterns) if not system.is_zero(n))
    b = rng.normal(size=drawn.rows.n_columns)
    direction = drawn.scale.direction(b)
    margins = drawn.rows.margins(b).ravel()[places]
    for margin, (name, multiple) in zip(margins, names.items(), strict=True):
        side = multiple * float(direction.unit * exact(system, name, direction.b))
        assert_allclose(margin, side, rtol=1e-9, atol=1e-12)
    lengths = np.linalg.norm(drawn.rows.dense(places), axis=1)
    assert np.all((lengths > 0.99) & (lengths < np.sqrt(2) + 0.01))


@pytest.mark.parametrize("c", [2, 4])
def test_a_slice_has_the_rows_that_do_not_vanish_in_it(c: int, rng: np.random.Generator) -> None:
    system = made(rng, c)
    drawn = Sample(system, system.patterns)
    Z = drawn.rows.dense(np.arange(drawn.rows.exists.size))
    kept = np.flatnonzero(drawn.rows.exists)
    fixed = Z[kept[:3]]
    Q = np.linalg.svd(fixed)[2][np.linalg.matrix_rank(fixed) :].T  # what these rows are orthogonal to
    part = drawn.slice(Q)
    assert isinstance(part.rows, PlainRows)
    assert not np.isin(kept[:3], part.places).any()
    assert_array_equal(part.places, kept[np.linalg.norm(Z[kept] @ Q, axis=1) > 1e-9])
    assert_allclose(part.rows.Z * part.lengths[:, None], Z[part.places] @ Q, atol=1e-12)
    assert_allclose(np.linalg.norm(part.rows.Z, axis=1), 1)
    assert list(part.names([2, 0])) == drawn.names(part.places[[2, 0]])
    whole = drawn.whole().names(part.places[[2]])
    ((name, multiple),) = part.names([2]).items()
    assert_allclose(multiple, whole[name] / part.lengths[2])


def test_a_slice_of_too_many_numbers_has_some_of_the_rows(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample, "NUMBERS", 50)
    system = made(rng, 3)
    part = Sample(system, system.patterns).slice(np.eye(26)[:, :10])
    assert part.places.size == 10
    assert np.all(np.diff(part.places) > 0)


def test_samples_are_as_large_as_a_step_of_newtons_method_allows(rng: np.random.Generator) -> None:
    def system(n: int, d: int, c: int, fill: float = 1.0) -> System:
        X = (rng.random((n, d)) < fill).astype(float)
        return System(X, rng.integers(c, size=n), c, True, "decimal")

    for given in (system(10, 100, 2), system(10, 100, 2, 0.05), system(10, 20, 10), system(10, 3, 2)):
        rivals = max(given.n_groups - 1, 1)
        rows = fitting(given) * rivals
        assert not is_large(given)
        assert 10 * given.n_columns - rivals <= rows <= max(sample.ROWS, 10 * given.n_columns)
    assert fitting(system(10, 300, 2, 0.02)) > fitting(system(10, 150, 2))  # zeros cost nothing
    wide = system(10, 300, 2)
    assert is_large(wide)
    assert fitting(wide) * wide.p <= sample.NUMBERS
    assert fitting(wide, is_mixed=True) < fitting(wide)
    assert not is_large(system(10, 300, 3))
