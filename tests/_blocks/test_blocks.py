"""Blocks in memory: what they add up to, and what they refuse by name."""

import numpy as np
import pytest
from scipy import sparse

from discriminant._blocks.blocks import Block
from discriminant._blocks.memory import MemoryBlocks
from discriminant._blocks.survey import survey


def sums(block: Block, factor: float) -> tuple[int, np.ndarray]:
    return block.n_rows, factor * np.asarray(block.X.sum(axis=0)).ravel()


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_sums_over_blocks_are_those_over_all_rows(make, rng):
    X, y = rng.normal(size=(1003, 4)), rng.integers(0, 2, 1003)
    count, total = MemoryBlocks(make(X), y, rows=100).total(sums, 2.0)
    assert count == 1003
    np.testing.assert_allclose(total, 2 * X.sum(axis=0), rtol=1e-12)


def test_gathered_results_come_in_order(rng):
    blocks = MemoryBlocks(rng.normal(size=(25, 2)), np.zeros(25), rows=10)
    assert blocks.gather(lambda block: (block.first, block.n_rows)) == [(0, 10), (10, 10), (20, 5)]


def test_a_block_that_holds_nan_is_named(rng):
    X = rng.normal(size=(25, 2))
    X[13, 1] = np.nan
    with pytest.raises(ValueError, match=r"rows 10 to 19: X contains NaN, first in row 3, column 1"):
        MemoryBlocks(X, np.zeros(25), rows=10).total(sums, 1.0)


def test_what_a_part_refuses_is_said_with_the_block(rng):
    blocks = MemoryBlocks(rng.normal(size=(25, 2)), np.r_[np.zeros(20), np.ones(5)], rows=10)
    with pytest.raises(ValueError, match=r"rows 20 to 24: y holds .*1.0.* and must be among classes"):
        blocks.gather(Block.labels, np.array([0.0, 2.0]))


def test_the_survey_finds_classes_that_a_block_may_lack():
    y = np.array(["b"] * 10 + ["a"] * 5 + ["c", "b"])
    weight = np.r_[np.full(10, 2.0), np.zeros(5), 1.0, 0.5]
    found = survey(MemoryBlocks(np.ones((17, 1)), y, weight, rows=10))
    assert found.n_rows == 17
    assert found.classes.tolist() == ["a", "b", "c"]
    assert found.tally.rows.tolist() == [0, 11, 1]
    assert found.tally.weights.tolist() == [0, 20.5, 1]


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="at least two"):
        survey(MemoryBlocks(np.ones((4, 1)), np.ones(4), rows=2))


def test_numbers_and_texts_are_not_labels_of_one_set():
    y = np.array([1, 1, "a", "a"], dtype=object)
    blocks = MemoryBlocks(np.ones((4, 1)), y, rows=2)
    with pytest.raises(ValueError, match="one kind of label"):
        survey(blocks)
