"""Portions of data: one pass over each, with the rules of the portion before as long as no parameter has changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discriminant import BalancedWinnow, Perceptron, Relaxation, WidrowHoff, WidrowHoffRegressor


def portion(seed: int, n: int = 40) -> tuple[Any, Any]:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, 3))
    return X, (X[:, 0] + generator.normal(size=n) > 0).astype(int)


class Boosted(Perceptron):
    """A rule whose step hangs on an attribute that is no parameter of the constructor."""

    def _begin(self, problem: Any, start: Any, online: bool) -> Any:
        self.schedule = getattr(self, "boost", 1.0)
        try:
            return super()._begin(problem, start, online)
        finally:
            self.schedule = 1.0


def test_an_attribute_that_is_new_counts_as_a_change() -> None:
    """Before, values were compared one by one, and what the shorter list had not was left out."""
    models = [Boosted(schedule=1.0).partial_fit(*portion(0), classes=[0, 1]) for _ in range(2)]
    models[1].boost = 3.0
    steps = [model.partial_fit(*portion(1)).history_["step"][-1] for model in models]
    assert steps == [1.0, 3.0]


@pytest.mark.parametrize("kind", [Perceptron, Relaxation, BalancedWinnow, WidrowHoff, WidrowHoffRegressor])
def test_rules_go_on_until_a_parameter_changes(kind: Any) -> None:
    more = {} if kind is WidrowHoffRegressor else {"classes": [0, 1]}
    model = kind().partial_fit(*portion(0), **more)
    (rule,) = model._rules
    assert model.partial_fit(*portion(1))._rules == [rule]
    model.set_params(order="random", random_state=0)
    assert model.partial_fit(*portion(2))._rules != [rule]
    assert len(model.history_["criterion"]) == model.n_iter_ == 3
    assert model.n_corrections_ == model.history_["corrections"].sum()


@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
def test_portions_after_a_fit_go_on_from_its_weights() -> None:
    model = Perceptron(max_iter=2).fit(*portion(0))
    passes, start = model.n_iter_, model.weights_.copy()
    again = Perceptron(start=start).partial_fit(*portion(1), classes=[0, 1])
    np.testing.assert_array_equal(model.partial_fit(*portion(1)).weights_, again.weights_)
    assert model.n_iter_ == passes + 1
