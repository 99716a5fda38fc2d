"""trace: the corrections of a fit are those that the rule makes by hand, and print as the books' tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from discriminant import LeastSquares, Perceptron, Relaxation, augment, datasets, normalize, plot


def by_hand(Y: Any) -> list[tuple[int, float, list[float]]]:
    """Algorithm 4 from zero: the pattern, a'y before, and the weights after each correction."""
    a, found = np.zeros(Y.shape[1]), []
    while (Y @ a <= 0).any():
        for k, y in enumerate(Y):
            if y @ a <= 0:
                found.append((k, float(y @ a), (a + y).tolist()))
                a = a + y
    return found


@pytest.mark.parametrize("data", [datasets.or_function, datasets.perceptron_example, lambda: datasets.table(1, 2)])
def test_corrections_are_those_of_the_rule(data: Any) -> None:
    X, y = data()
    found = plot.trace(Perceptron(record="weights").fit(X, y), X, y)
    hand = by_hand(normalize(augment(X), y))
    assert [row for row, *_ in hand] == found.pattern
    np.testing.assert_allclose([side for _, side, _ in hand], found.side, atol=1e-12)
    np.testing.assert_allclose([a for *_, a in hand], found.weights, atol=1e-12)
    assert found.k.tolist() == list(range(1, len(hand) + 1))


def test_labels_may_be_words() -> None:
    X, y = datasets.or_function()
    words = np.array(["no", "yes"])[y]
    found = plot.trace(Perceptron(record="weights").fit(X, words), X, words)
    assert found.pattern == plot.trace(Perceptron(record="weights").fit(X, y), X, y).pattern


def test_relaxation_moves_onto_the_margin() -> None:
    X, y = datasets.table(1, 2)
    found = plot.trace(Relaxation(eta=1.0, record="weights").fit(X, y), X, y)
    rows, after = np.array([row for row in found.y if row is not None]), found.weights
    assert len(rows) == len(after)
    np.testing.assert_allclose((rows * after).sum(axis=1), 1.0)


def test_a_batch_names_no_pattern() -> None:
    X, y = datasets.table(1, 2)
    found = plot.trace(Perceptron(batch=True, record="weights").fit(X, y), X, y)
    assert set(found.pattern) == {None}
    assert len(found.k) == 23
    assert "batch" in str(found)


def test_a_long_table_is_cut_in_its_midst() -> None:
    X, y = datasets.slides_eight()
    found = plot.trace(Perceptron(start=[1, 1, 1], record="weights").fit(X, y), X, y)
    lines = str(found).splitlines()
    assert len(found.k) == 180
    assert len(lines) == 63
    assert lines[-1].endswith("(-37, 4, 6)")
    assert found._repr_html_().count("<tr>") == 63


@pytest.mark.parametrize("model", [Perceptron(), LeastSquares(), LogisticRegression()], ids=str)
def test_a_fit_without_a_record_is_refused(model: Any) -> None:
    X, y = datasets.or_function()
    with pytest.raises(ValueError, match="must be fitted with record='weights'"):
        plot.trace(model.fit(X, y), X, y)


def test_many_classes_are_refused() -> None:
    X, y = np.eye(3), np.arange(3)
    with pytest.raises(ValueError, match="labels of two classes"):
        plot.trace(Perceptron(record="weights").fit(X, y), X, y)
