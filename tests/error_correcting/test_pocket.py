"""The pocket: Gallant's algorithm in plain Python, the fewest errors, portions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from correction_cases import normalized, overlapping, quietly

from discriminant import (
    NotConvergedWarning,
    Perceptron,
    Status,
    datasets,
)


def plain_pocket(Y: Any, passes: int, seed: int) -> tuple[Any, Any, int, list[int], int]:
    """Gallant's algorithm with the ratchet in plain Python: pocket, weights, copies, errors after each pass."""
    random, n = np.random.RandomState(seed), len(Y)
    a, run, copies, corrections = np.zeros(Y.shape[1]), 0, 0, 0
    pocket, longest, fewest = a, 0, int((Y @ a <= 0).sum())
    told = []
    for _ in range(passes):
        for i in random.randint(n, size=n):
            if a @ Y[i] <= 0:
                a, run, corrections = a + Y[i], 0, corrections + 1
                continue
            run += 1
            if run > longest and (errors := int((Y @ a <= 0).sum())) < fewest:
                pocket, longest, fewest, copies = a, run, errors, copies + 1
                if not errors:
                    break
        told.append(fewest)
        if not fewest:
            break
    return pocket, a, copies, told, corrections


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("data", [datasets.slides_eight, datasets.slides_five, overlapping])
def test_the_pocket_is_gallants(data: Any, seed: int) -> None:
    X, y = data()
    model = quietly(Perceptron(pocket=True, random_state=seed, max_iter=40), X, y)
    pocket, last, copies, errors, corrections = plain_pocket(normalized(X, y), 40, seed)
    assert model.weights_.tolist() == pocket.tolist()
    assert model.last_weights_.tolist() == last.tolist()
    assert model.n_copies_ == copies > 0
    assert model.history_["errors"].tolist() == errors
    assert model.n_corrections_ == corrections
    assert (model.status_ is Status.SEPARATED) == (errors[-1] == 0)


def test_the_pocket_reaches_the_fewest_errors() -> None:
    data = datasets.table(1, 3)
    with pytest.warns(NotConvergedWarning):
        model = Perceptron(pocket=True, random_state=0).fit(*data)
    assert (normalized(*data) @ model.weights_ <= 0).sum() == data.fewest_errors == 1
    assert model.history_["errors"][-1] == 1
    assert np.all(np.diff(model.history_["errors"]) <= 0)  # the ratchet


def test_a_start_that_separates_stays_in_the_pocket() -> None:
    X, y = datasets.slides_eight()
    model = Perceptron(pocket=True, start=[-37, 4, 6], random_state=0).fit(X, y)
    assert model.weights_.tolist() == [-37, 4, 6]
    assert (model.n_corrections_, model.n_copies_, model.n_iter_) == (0, 0, 1)


def test_the_pocket_refuses_weights_that_overflow() -> None:
    X, y = overlapping()
    with pytest.raises(ValueError, match="the weights overflow float64"):
        Perceptron(pocket=True, schedule=1e307, random_state=0).fit(X, y)


def test_the_pocket_in_portions_judges_each_anew() -> None:
    model = Perceptron(pocket=True, random_state=0)
    easy, hard = datasets.or_function(), datasets.slides_eight()
    for _ in range(30):
        model.partial_fit(*easy, classes=[0, 1])
    assert model.status_ is Status.SEPARATED
    for _ in range(100):
        model.partial_fit(*hard)  # the pocket of the easy portions is no excuse to learn nothing more
    assert model.score(*hard) == 1
