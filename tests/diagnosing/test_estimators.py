"""Models of scikit-learn, glum and this package under diagnosis, with the data of their fits."""

from __future__ import annotations

from typing import Any

import glum
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, PoissonRegressor, Ridge, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, PolynomialFeatures, StandardScaler
from sklearn.svm import LinearSVC

from discriminant import LogisticDiscriminant, datasets, diagnose

FREE = {"C": np.inf, "max_iter": 10_000}
pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::Warning:glum"),
]


def patients() -> tuple[pd.DataFrame, Any]:
    data = datasets.endometrial()
    return pd.DataFrame(data.X, columns=data.feature_names), data.y


def test_logistic_regression() -> None:
    X, y = patients()
    model = LogisticRegression(**FREE).fit(X, y)
    d = diagnose(model, X, y)
    assert d.program == "scikit-learn LogisticRegression"
    assert d.labels == ["intercept", "NV", "PI", "EH"]
    assert d.true_values == ["finite", "+inf", "finite", "finite"]
    assert_allclose([each.value for each in d.fitted.printed], [*model.intercept_, *model.coef_[0]])
    assert np.isnan(d.fitted.printed[0].error)
    assert d.to_dict()["coefficients"][0]["std_error"] is None
    assert d.to_dict()["sentences"]["artifacts"].startswith("NV: the number tells where the program stopped")
    assert_array_equal(d.limiting_design().rows, X["NV"] == 0)
    assert d.refit("firth").summary().names == d.labels
    for form in (X.to_numpy(), sparse.csr_matrix(X.to_numpy())):
        assert diagnose(LogisticRegression(**FREE).fit(form, y), form, y).artifacts == ["x0"]
    without = LogisticRegression(fit_intercept=False, **FREE).fit(X, y)
    assert diagnose(without, X, y).labels == ["NV", "PI", "EH"]


def test_penalties_keep_numbers_finite() -> None:
    X, y = patients()
    for model, words in (
        (LogisticRegression(), "a penalty with C=1"),
        (SGDClassifier(loss="log_loss", random_state=0), "l2 with alpha=0.0001"),
        (LogisticDiscriminant(), "a ridge with C=1"),
        (LogisticDiscriminant(penalty="firth"), "Firth's penalty"),
        (glum.GeneralizedLinearRegressor(family="binomial", alpha=0.5, max_iter=2), "a penalty with alpha=0.5"),
    ):
        d = diagnose(model.fit(X, y), X, y)
        assert (d.verdict, d.artifacts, d.fitted.penalty) == ("quasi", [], words)
        assert f"The fit has {words}, so that its numbers are finite whatever the verdict." in str(d)
    search = LogisticRegressionCV(
        Cs=[0.5], cv=2, l1_ratios=(0.0,), use_legacy_attributes=False, scoring="neg_log_loss", max_iter=1000
    ).fit(X, y)
    assert diagnose(search, X, y).fitted.penalty == "a penalty with C=0.5"
    beside = glum.GeneralizedLinearRegressor(family="binomial", alpha=0.5, P1=[0.0, 1, 1], max_iter=2).fit(X, y)
    with pytest.raises(ValueError, match=r"P1=\[0.0, 1, 1\] must be above 0 for every column"):
        diagnose(beside, X, y)
    free = SGDClassifier(loss="log_loss", penalty=None, random_state=0).fit(X, y)
    assert diagnose(free, X, y).artifacts == ["NV"]


def test_weights_of_zero_take_no_part() -> None:
    X, y = patients()
    plus, y = pd.concat([X, X.iloc[:1].assign(NV=1)]), np.r_[y, 0]
    weights = np.r_[np.ones(79), 0]
    for model in (LogisticRegression(**FREE), glum.GeneralizedLinearRegressor(family="binomial", alpha=0, max_iter=2)):
        fitted = model.fit(plus, y, sample_weight=weights)
        assert diagnose(fitted, plus, y, sample_weight=weights).artifacts == ["NV"]
        assert diagnose(fitted, plus, y).artifacts == []
    fitted, plain = LogisticRegression(**FREE).fit(plus.to_numpy(), y, weights), plus.to_numpy()
    for table in (plain.tolist(), sparse.coo_matrix(plain), sparse.csc_matrix(plain)):
        assert diagnose(fitted, table, y, sample_weight=weights).artifacts == ["x0"]


def test_pipelines_are_looked_through() -> None:
    X, y = patients()
    for scaler in (StandardScaler(), MinMaxScaler()):
        model = make_pipeline(scaler, LogisticRegression(**FREE)).fit(X, y)
        d = diagnose(model, X, y)
        assert (d.verdict, d.artifacts) == ("quasi", ["NV"])  # rounding of the scaled columns would lose it
        assert d.true_values[0] == "not computed"
        assert "before the scaling" in str(d)
    apart = make_pipeline(StandardScaler(), LogisticRegression(**FREE)).fit(X[["PI", "EH"]], y)
    assert diagnose(apart, X[["PI", "EH"]], y).true_values == ["finite"] * 3
    powers = make_pipeline(PolynomialFeatures(2, include_bias=False), "passthrough", LogisticRegression(**FREE))
    assert diagnose(powers.fit(X, y), X, y).labels[4:6] == ["NV^2", "NV PI"]
    frame = X.assign(stage=list("abcd") * 19 + list("abc"))
    levels = make_column_transformer((OneHotEncoder(drop="first"), ["stage"]), remainder="passthrough")
    d = diagnose(make_pipeline(levels, LogisticRegression(**FREE)).fit(frame, y), frame, y)
    assert d.artifacts == ["remainder__NV"]
    grid = GridSearchCV(make_pipeline(StandardScaler(), LogisticRegression()), {"logisticregression__C": [1.0]})
    assert diagnose(grid.fit(X, y), X, y).artifacts == []


def test_many_classes_are_held_against_the_first() -> None:
    X, y = datasets.iris()
    model = LogisticRegression(**FREE).fit(X, y)
    d = diagnose(model, X, y)
    assert len(d.labels) == 10
    assert_allclose(d.fitted.printed[1].value, model.coef_[1, 0] - model.coef_[0, 0])
    assert set(d.true_values) == {"undetermined"}
    assert "each less those of 0" in str(d)
    ours = diagnose(LogisticDiscriminant().fit(X, y), X, y)
    assert (ours.program, ours.verdict) == ("discriminant LogisticDiscriminant", "quasi")


def test_counts() -> None:
    X, y = np.array([[1, 2], [1, 1], [0, 3], [0, 1], [0, 2], [0, 4.0]]), np.array([0, 0, 0, 1, 2, 3.0])
    quick = glum.GeneralizedLinearRegressor(family="poisson", alpha=0, max_iter=2)
    for model in (PoissonRegressor(alpha=0, max_iter=1000, tol=1e-9), quick):
        d = diagnose(model.fit(X, y), X, y)
        assert (d.artifacts, d.true_values[1]) == (["x0"], "-inf")
        rows, columns = d.limiting_design()
        rest = model.fit(X[rows][:, columns], y[rows])
        assert diagnose(rest, X[rows][:, columns], y[rows]).verdict == "overlap"
        assert model is quick or rest.coef_[0] == pytest.approx(0.2722, abs=1e-3)


def test_glum_with_its_own_levels_and_shares() -> None:
    X, y = patients()
    frame = X.assign(stage=pd.Categorical(list("abcd") * 19 + list("abc")))
    model = glum.GeneralizedLinearRegressor(family="binomial", alpha=0, max_iter=2).fit(frame, y.astype(float))
    d = diagnose(model, frame, y)
    assert d.artifacts == ["NV"]
    assert [word for name, word in zip(d.labels, d.true_values, strict=True) if "stage" in name] == ["not unique"] * 4
    shares, weights = np.array([0.5, 1.0, 0.0, 1.0]), np.array([2.0, 1, 3, 1])
    x = np.array([[0], [1], [0], [1.0]])
    model = glum.GeneralizedLinearRegressor(family="binomial", alpha=0, max_iter=2).fit(
        x, shares, sample_weight=weights
    )
    d = diagnose(model, x, shares, sample_weight=weights)
    assert (d.verdict, d.artifacts, len(d.data[1])) == ("quasi", ["x0"], 5)
    other = glum.GeneralizedLinearRegressor(family="gamma", alpha=0, max_iter=2).fit(x, shares + 1)
    with pytest.raises(ValueError, match="family='GammaDistribution with LogLink' must be binomial"):
        diagnose(other, x, shares + 1)


def test_what_cannot_be_diagnosed() -> None:
    X, y = patients()
    fitted = LogisticRegression(**FREE).fit(X, y)
    for given, words in (
        ((LogisticRegression(), X, y), "model='LogisticRegression' must be fitted; call its fit"),
        ((fitted,), "LogisticRegression keeps no data: give those of the fit, diagnose"),
        ((fitted, X), "keeps no data"),
        ((fitted, X[["NV"]], y), "X has shape .79, 1., and the fit has 3 columns; give the data of the fit"),
        ((fitted, X, y[:5]), "y has shape .5,., and X has 79 rows"),
        ((fitted, X, y + 1), "y holds 2, which the fit did not know"),
        ((fitted, X, np.zeros(79, int)), "the response of the fit is 0 in every row"),
        ((Ridge().fit(X, y), X, y), "model='Ridge' must be a fitted LogisticRegression"),
        ((LinearSVC().fit(X, y), X, y), "model='LinearSVC' must be"),
        ((make_pipeline(StandardScaler(), Ridge()).fit(X, y), X, y), "model='Ridge' must be"),
        ((SGDClassifier().fit(X, y), X, y), "loss='hinge' must be 'log_loss'"),
    ):
        with pytest.raises(ValueError, match=words):
            diagnose(*given)
    with pytest.raises(ValueError, match="sample_weight must have a number >= 0 for each row"):
        diagnose(fitted, X, y, sample_weight=[1, 2])
    iris = datasets.iris()
    with pytest.raises(ValueError, match="holds each class against the rest"):
        diagnose(SGDClassifier(loss="log_loss").fit(*iris), *iris)
    with pytest.raises(ValueError, match="not all of the classes"):
        diagnose(LogisticRegression(**FREE).fit(*iris), iris.X[:100], iris.y[:100])
    with pytest.raises(ValueError, match="loss='squared' must be 'log'"):
        diagnose(LogisticDiscriminant(loss="squared").fit(X, y), X, y)
