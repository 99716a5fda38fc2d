"""The compiled passes beside plain Python."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from logistic_cases import noisy
from numpy.testing import assert_allclose
from scipy import sparse

from discriminant._engine.problem import narrow
from discriminant.logistic import softmax, squared_loss
from discriminant.logistic.passes import brief_pass, long_pass, short_pass

Rng = np.random.Generator


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_compiled_passes_equal_plain_python(rng: Rng, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noisy(rng, 20, 3)
    own, v, a = y.astype(np.int32), rng.uniform(size=20), rng.normal(size=4)
    passes = [(X, short_pass), *product((X, sparse.csr_matrix(X)), (long_pass, squared_loss._pass))]
    for rows, function in passes:
        results = []
        for run in (function, function.py_func):
            total = np.zeros(4)
            results.append((run(narrow(rows.astype(dtype)), own, v, a, 2, 20, total), total))
        assert_allclose(results[0][0], results[1][0])
        assert_allclose(results[0][1], results[1][1])
    results = []
    W, first = rng.normal(size=(4, 3)), rng.normal(size=3)
    three = rng.integers(3, size=20).astype(np.int32)
    for python in (False, True):
        with monkeypatch.context() as patch:
            for name in ("scores", "pulls", "shifted", "divided", "exponentials"):
                plain = getattr(softmax, name)
                patch.setattr(softmax, name, plain.py_func if python else plain)
            results.append(softmax.machine_pass(narrow(X.astype(dtype)), three, v, W, first, 1, 20))
    for one, other in zip(*results, strict=True):
        assert_allclose(one, other)


@pytest.mark.parametrize("weighted", [False, True])
def test_few_rows_by_numpy_as_by_compiled_passes(rng: Rng, weighted: bool) -> None:
    X, y = noisy(rng, 50, 3)
    own, v, a = y.astype(np.int32), rng.uniform(size=50 if weighted else 0), 30 * rng.normal(size=4)
    gradient = np.zeros(4)
    wanted = [*long_pass(narrow(X), own, v, a, 0, 50, gradient), gradient[None]]
    Y = np.where(own == 1, 1.0, -1.0)[:, None] * np.column_stack([np.ones(50), X])
    for one, other in zip(brief_pass(Y, v, a), wanted, strict=True):
        assert_allclose(one, other, rtol=1e-12)
    W, first, three = rng.normal(size=(4, 3)), rng.normal(size=3), rng.integers(3, size=50).astype(np.int32)
    X[:5], first[1] = 0.0, first[0]  # ties, which are errors
    wanted = softmax.machine_pass(narrow(X), three, v, W, first, 0, 50)
    for one, other in zip(softmax.brief_machine_pass(X, three, v, W[:3], first), wanted, strict=True):
        assert_allclose(one, other, rtol=1e-12)
