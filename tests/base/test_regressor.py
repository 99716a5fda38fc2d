"""What all regressors share: targets that are none are refused, and the report holds the facts of the fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discriminant import (
    LeastSquaresRegressor,
    MultilayerPerceptronRegressor,
    RidgeRegressor,
    WidrowHoffRegressor,
)

X = np.random.default_rng(0).normal(size=(30, 3))
Y = X @ [1.0, 2.0, 3.0] + 1.0
KINDS = [LeastSquaresRegressor, RidgeRegressor, WidrowHoffRegressor]
ITERATIVE = [WidrowHoffRegressor, MultilayerPerceptronRegressor]
pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


@pytest.mark.parametrize("kind", KINDS)
def test_the_values_are_those_of_a_plane(kind: Any) -> None:
    model = kind().fit(X.astype(np.float32), Y)
    assert model.weights_.dtype == model.coef_.dtype == np.float32
    assert model.weights_.tolist() == [model.intercept_, *model.coef_]
    np.testing.assert_allclose(model.predict(X), X @ model.coef_ + model.intercept_, rtol=1e-5)


@pytest.mark.parametrize("kind", [*KINDS, MultilayerPerceptronRegressor])
def test_targets_that_are_none_are_refused(kind: Any) -> None:
    with pytest.raises(ValueError, match="NaN"):
        kind().fit(X, np.where(np.arange(30) == 7, np.nan, Y))


@pytest.mark.parametrize("kind", ITERATIVE)
def test_a_fit_and_its_portions_are_reported_alike(kind: Any) -> None:
    fitted, portion = kind(max_iter=2).fit(X, Y), kind().partial_fit(X, Y).partial_fit(X, Y)
    for model in (fitted, portion):
        facts = model.report_.to_dict()
        assert facts["details"]["iterations"] == model.n_iter_ == 2
        assert facts["details"]["corrections"] == model.n_corrections_ == model.history_["corrections"].sum()
        assert facts["details"]["criterion value"] == model.history_["criterion"][-1]
        assert "errors" not in model.history_
        assert "raise max_iter" in facts["remedy"] or "larger max_iter" in facts["remedy"]
    assert fitted.history_.keys() == portion.history_.keys()
