"""Products of numpy against the compiled pass: the same networks, chosen by sizes alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from network_cases import THEIRS, quiet
from scipy import sparse

from discriminant import MultilayerPerceptron, MultilayerPerceptronRegressor
from discriminant.mlp import matrices, training

SOLVERS = [{"solver": "adam"}, {"solver": "sgd"}, {"solver": "sgd", "nesterov": False}]


def both(model: Any, X: Any, y: Any, monkeypatch: pytest.MonkeyPatch, **more: Any) -> list[Any]:
    """The coefficients and the history that numpy finds, and those of the compiled pass."""
    found = []
    for products in (matrices.PRODUCTS, 0):
        monkeypatch.setattr(matrices, "PRODUCTS", products)
        net = quiet(model, X, y, **more)
        found.append([*net.coefs_, *net.intercepts_, *net.history_.values()])
    return found


@pytest.mark.parametrize("options", SOLVERS, ids=lambda options: "-".join(map(str, options.values())))
@pytest.mark.parametrize("activation", list(THEIRS))
@pytest.mark.parametrize(("loss", "classes"), [("log", 2), ("log", 3), ("squared", 2), ("squared", 3)])
def test_the_same_networks_as_the_compiled_pass(
    activation: str, loss: str, classes: int, options: Any, iris: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = iris[0][iris[1] < classes], iris[1][iris[1] < classes]
    v = np.random.default_rng(0).uniform(0.5, 2, size=len(y))
    model = MultilayerPerceptron((5, 3), activation, loss=loss, max_iter=5, alpha=0.1, random_state=0, **options)
    for weights in (None, v):
        for ours, compiled in zip(*both(model, X, y, monkeypatch, sample_weight=weights), strict=True):
            np.testing.assert_allclose(ours, compiled, rtol=1e-9, atol=1e-12)
        monkeypatch.undo()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_same_regression_and_early_stopping(dtype: Any, iris: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, Y = iris[0][:, :2].astype(dtype), iris[0][:, 2:].astype(dtype)
    model = MultilayerPerceptronRegressor((6,), "tanh", max_iter=6, early_stopping=True, random_state=0)
    for table in (X, sparse.csr_matrix(X)):
        for ours, compiled in zip(*both(model, table, Y, monkeypatch), strict=True):
            np.testing.assert_allclose(ours, compiled, rtol=1e-9 if dtype == np.float64 else 1e-4, atol=1e-6)
        monkeypatch.undo()


def test_sizes_alone_decide(iris: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    for name in ("learn_by_matrices", "learn"):
        work = getattr(training, name)
        monkeypatch.setattr(training, name, lambda *rest, n=name, work=work: calls.append(n) or work(*rest))
    for hidden, batch in (((4,), "auto"), ((4,), 30), ((300,), "auto")):
        quiet(MultilayerPerceptron(hidden, batch_size=batch, max_iter=1, random_state=0), *iris)
    assert calls == ["learn_by_matrices", "learn", "learn"]
