"""The stop by the length of a (§5.7): it comes when the length has reached no new maximum, and changes nothing else."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from discriminant import Perceptron, Status, datasets


def lengths(passes: int, X: Any, y: Any, **options: Any) -> list[float]:
    """‖a‖ at the end of each pass, of one fit after the other."""
    with warnings.catch_warnings(action="ignore"):
        models = [Perceptron(max_iter=k, **options).fit(X, y) for k in range(1, passes + 1)]
    return [float(np.linalg.norm(getattr(model, "last_weights_", model.weights_))) for model in models]


@pytest.mark.parametrize(
    "options", [{}, {"batch": True}, {"average": True}, {"margin": 5.0}, {"bias": "radius"}], ids=str
)
def test_it_stops_when_the_length_has_not_grown(options: Any) -> None:
    X, y = datasets.table(1, 3)
    model = Perceptron(patience=8, **options).fit(X, y)
    n = model.n_iter_
    way = lengths(n, X, y, **options)
    assert model.status_ is Status.STOPPED
    assert max(way[-8:]) <= max(way[:-8])
    assert all(max(way[k - 8 : k]) > max(way[: k - 8]) for k in range(9, n))  # and not earlier
    assert f"not been longer than {max(way):.6g} for 8 passes" in model.report_.to_dict()["notes"][0]
    with warnings.catch_warnings(action="ignore"):
        plain = Perceptron(max_iter=n, **options).fit(X, y)
    np.testing.assert_array_equal(model.weights_, plain.weights_)
    np.testing.assert_array_equal(model.history_["errors"], plain.history_["errors"])


def test_many_classes_and_sparse_rows() -> None:
    X, y = datasets.table(1, 2, 3)
    found = [Perceptron(patience=15).fit(table, y) for table in (X, sparse.csr_array(X))]
    assert {model.status_ for model in found} == {Status.STOPPED}
    np.testing.assert_array_equal(found[0].weights_, found[1].weights_)


def test_a_clean_pass_and_a_proof_come_first() -> None:
    model = Perceptron(patience=50).fit(*datasets.table(1, 2))
    assert (model.status_, model.n_iter_) == (Status.SEPARATED, 9)
    with warnings.catch_warnings(action="ignore"):
        assert Perceptron(patience=50).fit(*datasets.xor()).status_ is Status.CYCLES


def test_portions_are_not_passes() -> None:
    X, y = datasets.table(1, 3)
    model = Perceptron(patience=1)
    for _ in range(10):
        model.partial_fit(X, y, classes=[0, 1])
    assert model.status_ is not Status.STOPPED


@pytest.mark.parametrize(
    ("options", "words"),
    [({"patience": 0}, "patience=0 must be None or a whole number >= 1"), ({"patience": 1.5}, "patience=1.5 must be"),
     ({"patience": 5, "pocket": True}, "patience=5 must be None where pocket=True")],
)  # fmt: skip
def test_bad_input(options: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Perceptron(**options).fit(*datasets.or_function())
