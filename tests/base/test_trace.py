"""trace: the corrections of a fit are those that the rule makes by hand, and print as the books' tables."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from discriminant import (
    HoKashyap,
    KernelPerceptron,
    LeastSquares,
    MinOver,
    MultilayerPerceptron,
    Perceptron,
    Relaxation,
    WidrowHoff,
    augment,
    datasets,
    io,
    normalize,
)


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
    found = Perceptron(record="weights").fit(X, y).trace()
    hand = by_hand(normalize(augment(X), y))
    assert [row for row, *_ in hand] == found.pattern
    np.testing.assert_allclose([side for _, side, _ in hand], found.side, atol=1e-12)
    np.testing.assert_allclose([a for *_, a in hand], found.weights, atol=1e-12)
    assert found.k.tolist() == list(range(1, len(hand) + 1))


def test_labels_may_be_words() -> None:
    X, y = datasets.or_function()
    words = np.array(["no", "yes"])[y]
    found = Perceptron(record="weights").fit(X, words).trace()
    assert found.pattern == Perceptron(record="weights").fit(X, y).trace().pattern


def test_relaxation_moves_onto_the_margin() -> None:
    X, y = datasets.table(1, 2)
    found = Relaxation(eta=1.0, record="weights").fit(X, y).trace(X, y)
    rows, after = np.array([row for row in found.y if row is not None]), found.weights
    assert len(rows) == len(after)
    np.testing.assert_allclose((rows * after).sum(axis=1), 1.0)


def test_a_batch_names_no_pattern() -> None:
    X, y = datasets.table(1, 2)
    found = Perceptron(batch=True, record="weights").fit(X, y).trace()
    assert set(found.pattern) == {None}
    assert len(found.k) == 23
    assert "batch" in str(found)
    assert "several" not in str(found)


@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
def test_what_a_long_record_leaves_out_is_no_batch() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    found = Perceptron(max_iter=3000, record="weights").fit(X, X[:, 0] + rng.normal(size=50) > 0).trace()
    assert found.k[1] - found.k[0] > 1
    assert set(found.pattern) == {None}
    assert "several" in str(found)
    assert "batch" not in str(found)


def test_a_long_table_is_cut_in_its_midst() -> None:
    X, y = datasets.slides_eight()
    found = Perceptron(start=[1, 1, 1], record="weights").fit(X, y).trace()
    lines = str(found).splitlines()
    assert len(found.k) == 180
    assert len(lines) == 63
    assert lines[-1].endswith("(-37, 4, 6)")
    assert found.to_html().count("<tr>") == 63


def test_table_8_3() -> None:
    """Boolean OR as *Machine Learning: Theory and Practice* prints it: pattern misclassified and weights after it."""
    found = Perceptron(record="weights").fit(*datasets.or_function()).trace()
    printed = ["0", "1", "2", "0", "0", "1", "0", "2", "0"]
    weights = [(-1, 0, 0), (0, 0, 1), (1, 1, 1), (0, 1, 1), (-1, 1, 1), (0, 1, 2), (-1, 1, 2), (0, 2, 2), (-1, 2, 2)]
    assert [row[1] for row in found.rows()] == printed
    assert [row[4] for row in found.rows()] == [str(a) for a in weights]


def test_the_data_of_the_fit_are_known_where_they_are_small() -> None:
    X, y = datasets.table(1, 2)
    model = Perceptron(record="weights").fit(X.tolist(), y.tolist())
    given = model.trace(X, y)
    assert str(model.trace()) == str(given) == str(model.trace(sparse.csr_array(X), y))
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), io.loads(io.dumps(model))):
        assert str(other.trace(X, y)) == str(given)
        with pytest.raises(ValueError, match="X=None must be the patterns of the fit, which this model has not"):
            other.trace()
    model.partial_fit(X, y)
    with pytest.raises(ValueError, match="X=None must be the patterns"):
        model.trace()
    large = np.random.default_rng(0).normal(size=(70_000, 2))
    model = Perceptron(record="weights").fit(large, large[:, 0] > 0)
    assert model._training(model.classes_) is None


def test_rows_of_weight_zero_are_never_named() -> None:
    X, y = datasets.or_function()
    X, y = np.vstack([X, X]), np.concatenate([1 - y, y])
    found = Perceptron(record="weights").fit(X, y, np.repeat([0.0, 1.0], 4)).trace()
    assert min(found.pattern) == 4
    assert len(found.k) == 9


def test_pairs_of_rows_are_named() -> None:
    X, y = datasets.table(1, 2)
    model = MinOver(record="weights").fit(X, y)
    found = model.trace()
    assert found.pattern == [tuple(pair) for pair in model.history_["patterns"].tolist()]
    assert ", ".join(map(str, found.pattern[0])) in str(found)


@pytest.mark.parametrize("model", [Perceptron(), WidrowHoff(max_iter=3), HoKashyap(max_iter=3)], ids=str)
def test_a_fit_without_a_record_is_refused(model: Any) -> None:
    X, y = datasets.or_function()
    with warnings.catch_warnings(action="ignore"):
        model.fit(X, y)
    with pytest.raises(ValueError, match="record=None must be 'weights' for a trace"):
        model.trace()


def test_what_corrects_no_plane_has_none() -> None:
    X, y = datasets.xor()
    assert not hasattr(LeastSquares(), "trace")
    assert not hasattr(MultilayerPerceptron(record="weights"), "trace")
    curved = KernelPerceptron("gaussian", record="weights").fit(X, y)
    machine = Perceptron(record="weights").fit(np.eye(3), np.arange(3))
    for model in (curved, machine):
        with pytest.raises(ValueError, match="must be a plane between two classes"):
            model.trace()


def test_bad_data() -> None:
    X, y = datasets.or_function()
    model = Perceptron(record="weights").fit(X, y)
    with pytest.raises(ValueError, match="y=None must be given with the other"):
        model.trace(X)
    for table, labels in ((X, y[:2]), (X[:, :1], y), (X * np.nan, y), ([], []), (X, y[:, None])):
        with pytest.raises(ValueError, match=r"must be finite and of shape .* for this y; give the patterns"):
            model.trace(table, labels)
    for table, labels in ((X + 5, y), (X, list("abcd"))):
        with pytest.raises(ValueError, match="must be the patterns of the fit, with their labels y"):
            model.trace(table, labels)
    with pytest.raises(NotFittedError):
        Perceptron(record="weights").trace()
