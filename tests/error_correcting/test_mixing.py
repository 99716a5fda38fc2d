"""Iterative parameter mixing in memory: the mean of the blocks, its end, its bound."""

import re

import numpy as np
import pytest

from discriminant import NotConvergedWarning, Perceptron, Relaxation, Status, datasets
from discriminant.distributed.warm import LocalBlocks
from discriminant.error_correcting.mixing import fit_mixed


def mixed(model, X, y, weight=None, rows=50):
    blocks = LocalBlocks(np.asarray(X, float), np.asarray(y), weight, rows=rows)
    model._take_names(blocks)
    fit_mixed(model, blocks)
    return model


def separable(rng, c=2):
    X = rng.normal(size=(2000, 3))
    g = np.sort(X @ (W := rng.normal(size=(3, c))), axis=1)
    kept = np.flatnonzero(g[:, -1] - g[:, -2] > 0.7)[:200]
    return X[kept], (X[kept] @ W).argmax(axis=1)


def test_a_round_by_hand():
    """Two blocks of one pattern: each adds its own, and the mean is half of both."""
    model = Perceptron(max_iter=1)
    with pytest.warns(NotConvergedWarning):
        mixed(model, [[1.0, 0.0], [0.0, 2.0]], [1, 0], rows=1)
    assert model.weights_.tolist() == [0.0, 0.5, -1.0]
    assert model.n_corrections_ == 2


@pytest.mark.parametrize("kind", [Perceptron, Relaxation])
def test_one_block_is_the_plain_rule(rng, kind):
    X, y = separable(rng)
    found, expected = mixed(kind(), X, y, rows=200), kind().fit(X, y)
    np.testing.assert_array_equal(found.weights_, expected.weights_)
    assert found.n_corrections_ == expected.n_corrections_


@pytest.mark.parametrize("model", [Perceptron(), Perceptron(margin=0.5, schedule=0.5), Perceptron(bias="radius")])
def test_corrections_stay_within_the_bound(rng, model):
    X, y = separable(rng)
    mixed(model, X, y)
    assert model.status_ is Status.SEPARATED
    assert model.score(X, y) == 1
    facts = model.report_.to_dict()
    assert 0 < facts["corrections"] <= facts["bound"]
    assert "theorem allows at most" in str(model.report_)


def test_mistakes_of_the_relaxation_stay_within_the_bound(rng):
    X, y = separable(rng)
    model = mixed(Relaxation(eta=1.5), X, y)
    made, most = re.findall(r"[\d,]+", model.report_.to_dict()["details"]["mistakes"])
    assert 0 < int(made.replace(",", "")) <= int(most.replace(",", ""))


@pytest.mark.parametrize("multiclass", ["kesler", "one-vs-rest", "one-vs-one"])
def test_many_classes(rng, multiclass):
    X, y = separable(rng, 3)
    model = Perceptron(multiclass=multiclass, max_iter=300)
    if multiclass == "one-vs-rest":  # classes of a linear machine need not be separable from the rest
        with pytest.warns(NotConvergedWarning):
            mixed(model, X, y)
        assert model.coef_.shape == (3, 3)
    else:
        assert mixed(model, X, y).score(X, y) == 1


def test_weights_of_rows_and_classes(rng):
    X, y = separable(rng)
    weight = rng.integers(0, 3, 200).astype(float)
    weight[:50] = 0  # a block of bystanders
    for model in (Perceptron(class_weight="balanced"), Relaxation(class_weight={0: 2.0})):
        mixed(model, X, y, weight)
        assert model.score(X[weight > 0], y[weight > 0]) == 1
        assert model.report_.to_dict()["bound"] is None


def test_classes_that_overlap_use_up_the_budget():
    model = Perceptron(max_iter=30)
    with pytest.warns(NotConvergedWarning):
        mixed(model, *datasets.xor(), rows=2)
    assert model.status_ is Status.BUDGET
    assert model.n_iter_ == 30


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Perceptron(pocket=True), "pocket=True must be False"),
        (Perceptron(average=True), "average=True must be False"),
        (Perceptron(slack=1.0), "slack=1.0 must be 0"),
        (Relaxation(record="weights"), "record='weights' must be None"),
        (Perceptron(order="random", random_state=np.random.RandomState(0)), "must be a whole number or None"),
    ],
)
def test_what_has_no_form_for_blocks_is_refused(rng, model, message):
    with pytest.raises(ValueError, match=message):
        mixed(model, *separable(rng))
