"""Every weight is a line, the thicker the larger; large layers are cut short."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from pictures import axes, legend
from sklearn.neural_network import MLPClassifier

from discriminant import KernelPerceptron, LeastSquares, MultilayerPerceptron, Perceptron, datasets, plot


def weights(ax: object) -> list[LineCollection]:
    return [c for c in ax.collections if isinstance(c, LineCollection)]


def test_the_network_of_example_17() -> None:
    model = MultilayerPerceptron(activation="sigmoid").with_weights([[[1, 8], [1, 8]], [[-30], [25]]])
    ax = plot.network(model, axes())
    ax.figure.draw_without_rendering()
    assert [len(c.get_segments()) for c in weights(ax)] == [4, 0, 1, 1]  # positive and negative ones of each layer
    widths = [float(w) for c in weights(ax) for w in c.get_linewidths()[: len(c.get_segments())]]
    np.testing.assert_allclose(widths, 0.3 + 3.5 * np.array([1, 8, 1, 8, 25, 30]) / 30)
    assert sorted(text.get_text() for text in ax.texts) == sorted(
        ["x1", "x2", "", "", "", "1", "8", "1", "8", "−30", "25"]
    )
    assert legend(ax) == ["weight > 0", "weight < 0"]


def test_biases_names_and_a_linear_model() -> None:
    X, y = datasets.iris()
    model = LeastSquares().fit(X, np.array(["a", "b", "c"])[y])
    ax = plot.network(model, axes(), feature_names=["p", "q", "r", "$"])
    texts = [text.get_text() for text in ax.texts]
    assert {"p", "q", "r", r"\$", "a", "b", "c"} <= set(texts)
    assert sum(len(c.get_segments()) for c in weights(ax)) == 15
    assert [text.get_text() for text in ax.get_xticklabels()] == ["4 inputs", "3 outputs"]
    assert legend(ax)[0] == "bias, y = 1"


@pytest.mark.filterwarnings("ignore")
def test_large_layers_are_cut_short_also_those_of_scikit_learn() -> None:
    X, y = datasets.digits()
    model = MLPClassifier((30,), max_iter=1, random_state=0).fit(X, y)
    ax = plot.network(model, axes())
    assert [text.get_text() for text in ax.get_xticklabels()] == ["64 inputs", "30 hidden", "10 outputs"]
    assert sum(len(c.get_segments()) for c in weights(ax)) <= 2 * 10 * 9
    assert [text.get_text() for text in ax.texts].count("⋮") == 3


def test_bad_input_gives_a_sentence() -> None:
    X, y = datasets.xor()
    with pytest.raises(ValueError, match="a kernel has no weights"):
        plot.network(KernelPerceptron("gaussian").fit(X, y))
    with pytest.raises(ValueError, match="must be 2 names; give one for each input"):
        plot.network(Perceptron().fit(*datasets.or_function()), feature_names=["a"])
