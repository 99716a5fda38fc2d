"""Threshold units: networks by hand, held against truth tables, and the refusal to learn by a slope there is not."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from discriminant import MultilayerPerceptron, MultilayerPerceptronRegressor, datasets, io, plot

# h₁ = OR and h₂ = AND of x (Table 8.1: x₁ + x₂ > 0.5 and > 1.5); y = h₁ and not h₂
XOR: Any = [[[1, 1], [1, 1]], [[1], [-1]]], [[-0.5, -1.5], [-0.5]]


def parity(d: int) -> tuple[Any, Any]:
    """d units that count: unit s fires where more than s − ½ of the features are one, and they vote in turns."""
    return (
        [np.ones((d, d)), np.array([[(-1.0) ** s] for s in range(d)])],
        [-np.arange(d) - 0.5, np.array([-0.5])],
    )


def test_the_exclusive_or_by_hand() -> None:
    X, y = datasets.xor()
    net = MultilayerPerceptron(activation="threshold").with_weights(*XOR)
    np.testing.assert_array_equal(net.predict(X), y)
    np.testing.assert_array_equal(net.predict(sparse.csr_array(X)), y)
    np.testing.assert_array_equal(net.decision_function(X), np.where(y, 0.5, -0.5))


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_parity(d: int) -> None:
    """Problem 10: no line separates it for d > 1; one layer of d thresholds does."""
    X = np.array(list(itertools.product([0, 1], repeat=d)))
    net = MultilayerPerceptron(activation="threshold").with_weights(*parity(d))
    np.testing.assert_array_equal(net.predict(X), X.sum(axis=1) % 2)


def test_a_unit_fires_above_its_threshold_and_not_on_it() -> None:
    net = MultilayerPerceptronRegressor(activation="threshold").with_weights([[[1.0]], [[1.0]]])
    assert net.predict([[-1e-300], [0.0], [1e-300]]).tolist() == [0, 0, 1]
    narrow = MultilayerPerceptronRegressor(activation="threshold").with_weights(
        [np.ones((1, 1), np.float32), np.ones((1, 1), np.float32)]
    )
    assert narrow.predict(np.ones((1, 1), np.float32)).dtype == np.float32


def test_a_staircase() -> None:
    """The sum of three thresholds is a step function."""
    net = MultilayerPerceptronRegressor(activation="threshold")
    net.with_weights([np.ones((1, 3)), np.ones((3, 1))], [np.array([0.0, -1.0, -2.0]), np.zeros(1)])
    assert net.predict([[-1], [0.5], [1.5], [9]]).tolist() == [0, 1, 2, 3]


def test_no_slope_to_learn_by() -> None:
    X, y = datasets.xor()
    net = MultilayerPerceptron(activation="threshold").with_weights(*XOR)
    fresh = MultilayerPerceptron((2,), "threshold")
    for call in (lambda: fresh.fit(X, y), lambda: net.gradient(X, y), lambda: net.partial_fit(X, y)):
        with pytest.raises(ValueError, match="activation='threshold' must be a unit with a slope"):
            call()
    with pytest.raises(ValueError, match="activation='threshold' must be 'linear'"):
        net.collapse()
    np.testing.assert_array_equal(net.predict(X), y)  # what was refused has left no trace


def test_one_layer_has_no_hidden_unit() -> None:
    X, y = datasets.or_function()
    single = MultilayerPerceptron((), "threshold", tol=1.0, random_state=0).fit(X, y)
    assert single.collapse().w.shape == (2,)
    assert np.isfinite(single.gradient(X, y)[0][0]).all()


def test_files_and_pictures(tmp_path: Any) -> None:
    X, y = datasets.xor()
    net = MultilayerPerceptron(activation="threshold").with_weights(*XOR)
    np.testing.assert_array_equal(io.loads(io.dumps(net)).predict(X), y)
    runtime = pytest.importorskip("onnxruntime")
    io.export_onnx(net, tmp_path / "xor.onnx")
    session = runtime.InferenceSession(str(tmp_path / "xor.onnx"))
    np.testing.assert_array_equal(session.run(None, {"X": X.astype(np.float64)})[0], y)
    assert [text.get_text() for text in plot.network(net).get_xticklabels()] == ["2 inputs", "2 hidden", "1 output"]
