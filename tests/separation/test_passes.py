"""Passes over the data: a small table is judged as the compiled passes judge a large one."""

from __future__ import annotations

import numpy as np
import pytest

from discriminant.separation import passes


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_a_small_table_is_judged_as_a_large_one(classes: int, rng: np.random.Generator) -> None:
    X = rng.integers(-3, 4, size=(40, 3)).astype(float)
    X.flags.writeable = False  # as in a search, whose machine code is there
    own = rng.integers(-1, max(classes, 2), size=40).astype(np.int32)
    A = rng.integers(-2, 3, size=(max(classes, 2) - 1, 4)).astype(float)
    compiled = passes.judge(X, own, A, classes == 0, 0.5, 1e-15, 1e-300)
    few = passes.judge_few(X, own, A, classes == 0, 0.5, 1e-15, 1e-300)
    part = own >= 0
    for one, other in zip(few, compiled, strict=True):
        np.testing.assert_allclose(one[part], other[part])
        assert one.dtype == other.dtype
    if classes == 2:
        for one, other in zip(few, passes.judge_pair(X, own, A[0], 0.5, 1e-15, 1e-300), strict=True):
            np.testing.assert_allclose(one[part], other[part])
    assert np.all(np.stack(few[:2])[:, ~part] == np.inf)
