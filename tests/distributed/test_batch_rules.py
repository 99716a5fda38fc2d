"""Batch rules on blocks that are passed over at the same time: the steps of fit, one round each.

Most of it runs on blocks in memory with the protocol of a cluster, which cannot be passed over in their order.
"""

import numpy as np
import pytest
from portions import rest_in_ci
from scipy import sparse

from discriminant import Perceptron, Relaxation, Status, WidrowHoff
from discriminant.base.streams import fit_followed
from discriminant.distributed.procedures import procedure
from discriminant.distributed.warm import LocalBlocks

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


class Rounds(LocalBlocks):
    """Blocks that count their rounds, and refuse to be passed over by the rule itself."""

    made = 0

    def total(self, part, *args):
        self.made += 1
        return super().total(part, *args)


def on_blocks(model, X, y, weight=None, rows=97):
    made = type(model)(**model.get_params())
    fit_followed(made, blocks := Rounds(X, y, weight, rows=rows), procedure(made), None, 60.0, None)
    return made, blocks.made


def integers(rng, c, n=400):
    """Whole numbers, of which a block of rows lacks classes."""
    X = rng.integers(-5, 6, (n, 4)).astype(float)
    y = (X @ rng.integers(-3, 4, (4, c)) + rng.integers(-9, 9, (n, c)) * (rng.random((n, 1)) < 0.05)).argmax(axis=1)
    return X[order := np.argsort(y, kind="stable")], y[order]


def assert_same(made, kept, exactly):
    if exactly:
        np.testing.assert_array_equal(made.weights_, kept.weights_)
    else:
        np.testing.assert_allclose(made.weights_, kept.weights_, rtol=1e-9, atol=1e-9 * np.abs(kept.weights_).max())
    assert (made.status_, made.n_iter_, made.n_corrections_) == (kept.status_, kept.n_iter_, kept.n_corrections_)
    assert made.history_.keys() == kept.history_.keys()
    for name, column in kept.history_.items():
        np.testing.assert_allclose(made.history_[name], column, rtol=1e-9, atol=1e-9 * np.abs(column).max())
    found, expected = (model.report_.to_dict() for model in (made, kept))
    for name in ("n_samples", "errors", "notes", "remedy", "inseparable"):
        assert found[name] == expected[name]


WHOLE = [
    Perceptron(batch=True, max_iter=25),
    Perceptron(batch=True, margin=2.0, schedule=2.0, max_iter=30),
    Perceptron(batch=True, bias="radius", record="weights", max_iter=30),
    Perceptron(batch=True, multiclass="one-vs-one", max_iter=30),
]
CLOSE = [
    Perceptron(batch=True, schedule="1/k", max_iter=30),
    Perceptron(batch=True, schedule="adaptive", class_weight="balanced", max_iter=30),
    Relaxation(batch=True, max_iter=30),
    Relaxation(batch=True, eta=1e-3, margin=0.5, max_iter=30),
    Relaxation(batch=True, multiclass="one-vs-rest", eta=lambda k: 1e-3 / k, max_iter=10),
    WidrowHoff(batch=True, max_iter=25),
    WidrowHoff(batch=True, schedule=lambda k: 1e-5 / k, max_iter=20),
    WidrowHoff(batch=True, schedule="optimal", multiclass="one-vs-one", max_iter=25),
]


KINDS = [(2, False), (4, True), (2, True), (4, False)]  # classes, and whether rows have weights
CASES = [(model, *KINDS[(k + shift) % 4]) for shift in range(4) for k, model in enumerate(WHOLE + CLOSE)]
NAMES = [f"{k}-{type(case[0]).__name__}" for k, case in enumerate(CASES)]  # functions have their address in their names


@pytest.mark.parametrize("case", rest_in_ci(CASES, len(WHOLE + CLOSE)), ids=NAMES)
def test_the_steps_are_those_of_memory(case, rng):
    model, c, weighted = case
    X, y = integers(rng, c)
    weight = rng.integers(0, 3, y.size).astype(float) if weighted else None
    if weighted:
        weight[97:194] = 0  # a block without a row that takes part
    kept = type(model)(**model.get_params()).fit(X, y, weight)
    made, _ = on_blocks(model, X, y, weight)
    assert_same(made, kept, model in WHOLE)
    if model.get_params().get("record"):
        np.testing.assert_array_equal(made.history_["weights"], kept.history_["weights"])


@pytest.mark.parametrize(
    ("model", "more"),
    [
        (Perceptron(batch=True, max_iter=9), 0),
        (Relaxation(batch=True, margin=1e3, max_iter=9), 1),  # λ_max
        (Relaxation(batch=True, margin=1e3, eta=1e-9, max_iter=9), 0),
        (WidrowHoff(batch=True, tol=0, max_iter=9), 2),  # the sizes of the patterns, and λ_max
        (WidrowHoff(batch=True, tol=0, schedule=1e-9, max_iter=9), 1),
        (WidrowHoff(batch=True, tol=0, schedule="optimal", max_iter=9), 1 + 9),
    ],
    ids=str,
)
def test_a_step_is_a_round(model, more, rng):
    X, y = integers(rng, 2)
    made, rounds = on_blocks(model, X, y)
    assert made.n_iter_ == 9
    assert rounds == 1 + more + 9  # the first of them finds the classes


@pytest.mark.parametrize(
    "kind",
    rest_in_ci([(np.asarray, np.float64), (sparse.csr_matrix, np.float32), (np.asarray, np.float32)], 2),
)
def test_many_columns_need_products_alone(kind, rng):
    """From 501 columns on, and for sparse rows, λ_max is found from products with the patterns, a round each."""
    make, dtype = kind
    d = 3 if make is sparse.csr_matrix else 510
    X = make(rng.normal(size=(120, d)).astype(dtype))
    y = rng.integers(0, 2, 120)
    tol = 1e-9 if dtype == np.float64 else 1e-4
    for model in (Relaxation(batch=True, max_iter=3), WidrowHoff(batch=True, max_iter=3)):
        kept, (made, _) = type(model)(**model.get_params()).fit(X, y), on_blocks(model, X, y, rows=50)
        assert made.coef_.dtype == dtype
        np.testing.assert_allclose(made.weights_, kept.weights_, rtol=tol, atol=tol * np.abs(kept.weights_).max())


def test_a_cycle_of_whole_numbers_is_a_proof():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    (made, _), kept = on_blocks(Perceptron(batch=True), X, y, rows=3), Perceptron(batch=True).fit(X, y)
    assert made.status_ is Status.CYCLES
    assert_same(made, kept, exactly=True)
    assert made.report_.to_dict()["inseparable"]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Relaxation(batch=True), "^rows 40 to 59: X overflows"),
        (Perceptron(batch=True, bias="radius"), "^rows 40 to 59: X overflows"),
        (WidrowHoff(batch=True), "^rows 40 to 59: X overflows"),
        (WidrowHoff(batch=True, schedule=1e300), "after 1 steps the errors b - a'y are beyond all numbers"),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:schedule=1e.300 is not below")
def test_what_overflows_is_told(model, message, rng):
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    if "rows" in message:
        X[45] = 1e200
    else:
        X *= 1e10
    with pytest.raises(ValueError, match=message):
        on_blocks(model, X, y, rows=20)
