"""Verdicts on blocks of rows: those in memory, with proofs that hold for all rows."""

import numpy as np
import pytest
from scipy import sparse

from discriminant import UndecidedError, datasets, io, separability
from discriminant._blocks.memory import MemoryBlocks


def lattice(rng, n, d=3):
    """Points of a small lattice: many of them coincide, and lie on planes together."""
    return rng.integers(-2, 3, size=(n, d)).astype(float)


def problems(rng):
    X = rng.normal(size=(3000, 4))
    plane = X @ [1.0, -2.0, 0.5, 0.0]
    yield "complete", X[np.abs(plane) > 0.1], plane[np.abs(plane) > 0.1] > 0, "complete"
    yield "overlap", X, (plane + rng.normal(size=3000)) > 0, "overlap"
    one_wrong = plane > 0
    one_wrong[1717] ^= True
    yield "one row of many", X, one_wrong, "overlap"
    Z = lattice(rng, 2000)
    side = Z @ [1.0, 1.0, -1.0]
    on = (side == 0) & (rng.random(2000) < 0.5)
    yield "quasi", Z, (side > 0) | on, "quasi"
    tenths = np.round(rng.integers(0, 9, (1500, 2)) / 10, 1)  # points on x1 + x2 = 0.8 in decimals only
    total = np.round(tenths.sum(axis=1), 1)
    yield "decimal ties", tenths, np.where(total == 0.8, rng.random(1500) < 0.5, total > 0.8), "quasi"
    dependent = np.column_stack([X[:, :2], X[:, 0] + X[:, 1], np.ones(3000)])
    yield "dependent columns", dependent.round(2), rng.random(3000) < 0.5, "overlap"
    late = np.column_stack([np.r_[np.zeros(2990), np.ones(10)], rng.integers(0, 2, 3000)]).astype(float)
    yield "a column that varies late", late, np.r_[rng.integers(0, 2, 2990), np.ones(10)] > 0, "quasi"


@pytest.mark.parametrize("reading", ["decimal", "float"])
@pytest.mark.parametrize("case", range(7))
def test_the_verdict_is_that_in_memory_and_its_proof_holds(case, reading, rng):
    name, X, y, verdict = list(problems(rng))[case]
    found = separability(MemoryBlocks(X, y, rows=130), reading=reading)
    kept = separability(X, y, reading=reading)
    assert found.verdict == kept.verdict, name
    assert reading == "float" or found.verdict == verdict, name
    assert found.certificate.verify(X, y)
    assert found.n_rows == len(X)
    assert found.n_boundary == kept.boundary_rows.size, name
    assert found.n_working < len(X)
    if found.hyperplane is not None:
        assert found.hyperplane.w.shape == (X.shape[1],)


@pytest.mark.parametrize("intercept", [True, False])
def test_sparse_rows_and_planes_through_the_origin(intercept, rng):
    X = sparse.random(1200, 12, 0.2, format="csr", rng=rng)
    X.data = X.data.round(1)
    y = np.where(X @ np.arange(-5.5, 6) > 0.2, "b", "a")
    found = separability(MemoryBlocks(X, y, rows=100), intercept=intercept)
    assert found.verdict == separability(X, y, intercept=intercept).verdict
    assert found.certificate.verify(X, y)


def test_many_classes_by_one_machine_by_pairs_and_against_the_rest():
    X, y = datasets.iris()
    found, kept = separability(MemoryBlocks(X, y, rows=40)), separability(X, y)
    assert found.verdict == kept.verdict
    assert found.certificate.verify(X, y)
    assert {key: part.verdict for key, part in found.pairwise.items()} == {
        key: part.verdict for key, part in kept.pairwise.items()
    }
    assert found.total.verdict == kept.total.verdict
    for key, part in found.pairwise.items():
        assert part.certificate.verify(X, y), key


def test_a_few_rounds_and_few_rows_are_enough(rng):
    X = rng.normal(size=(20_000, 5))
    y = X @ [1, 2, 3, 4, 5.0] > 0
    blocks, passes = MemoryBlocks(X, y, rows=1000), []
    gather = blocks.gather
    blocks.gather = lambda part, *given: passes.append(part.__name__) or gather(part, *given)
    found = separability(blocks)
    assert found.verdict == "complete"
    assert passes[0] == "sample_part"
    assert passes[-1] == "proof_part"
    assert len(passes) - 2 == found.rounds <= 8
    assert found.n_working < 4000
    assert str(found).startswith("complete: a plane separates the classes False and True strictly.\n  proof   weights")


def test_a_block_that_changes_fails_the_proof(rng):
    X = rng.normal(size=(400, 2))
    y = X[:, 0] > 0
    blocks = MemoryBlocks(X, y, rows=100)
    gather = blocks.gather

    def changed(part, *given):
        if part.__name__ == "proof_part":
            X[350] = -X[350]
        return gather(part, *given)

    blocks.gather = changed
    with pytest.raises(ValueError, match="rows 300 to 399: the certificate fails"):
        separability(blocks)


def test_a_limit_of_time_tells_what_is_known(rng):
    X = rng.normal(size=(2000, 5))
    with pytest.raises(UndecidedError):
        separability(MemoryBlocks(X, rng.random(2000) < 0.5, rows=100), max_seconds=1e-9)
    with pytest.raises(UndecidedError, match="larger for the verdict"):  # a stream tells the time in its first pass
        separability(io.stream(lambda: [(X, rng.random(2000) < 0.5)]), max_seconds=1e-9)


def test_what_is_asked_of_rows_in_memory_only(rng):
    blocks = MemoryBlocks(np.ones((4, 1)), [0, 1, 2, 3])
    with pytest.raises(ValueError, match="family='poisson' must be 'classes' for a stream"):
        separability(blocks, family="poisson")
