"""Standard errors and Wald's tests: the inverse information, other programs' numbers, and where there are none."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from logistic_cases import noisy, quiet
from numpy.testing import assert_allclose
from scipy.stats import norm
from statsmodels.api import Logit

from discriminant import CoefficientTable, LogisticDiscriminant, datasets
from discriminant.geometry import augment

Rng = np.random.Generator


def test_wald_table_is_that_of_the_inverse_information(rng: Rng) -> None:
    X, y = noisy(rng, 200, 3)
    v = rng.uniform(0.5, 2, size=200)
    model = LogisticDiscriminant(penalty=None).fit(X + 100, y, v)
    Y, p = augment(X + 100), model.predict_proba(X + 100)[:, 1]
    errors = np.sqrt(np.diag(np.linalg.inv((Y.T * (v * p * (1 - p))) @ Y)))
    table = model.summary(0.9)
    assert_allclose(table.std_error, errors, rtol=1e-6)
    assert_allclose(table.p, 2 * norm.sf(np.abs(model.weights_ / errors)), rtol=1e-5)
    assert_allclose(table.interval, model.weights_[:, None] + errors[:, None] * norm.ppf([0.05, 0.95]), rtol=1e-6)
    assert str(table).splitlines()[0].split() == ["estimate", "std", "error", "z", "p", "5", "%", "95", "%"]
    assert isinstance(table, CoefficientTable)


def test_wald_table_of_a_published_regression() -> None:
    """The smaller regression of the endometrial data: the estimates for PI and EH that R's glm reports."""
    X, y = datasets.endometrial()
    table = LogisticDiscriminant(C=np.inf).fit(X[X[:, 0] == 0, 1:], y[X[:, 0] == 0]).summary()
    assert_allclose(table.coef, [4.30452, -0.04218, -2.90261], atol=1e-5)
    assert_allclose(table.std_error, [1.63730, 0.04433, 0.84555], atol=1e-5)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, "penalty=None"),
        ({"loss": "squared", "max_iter": 3}, "loss='log'"),
        ({"penalty": None, "max_iter": 1}, "did not finish"),
    ],
)
def test_no_standard_errors_without_maximum_likelihood(rng: Rng, parameters: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        quiet(LogisticDiscriminant(**parameters), *noisy(rng, 50, 2)).summary()


def test_no_standard_errors_of_collinear_columns(rng: Rng) -> None:
    X, y = noisy(rng, 50, 2)
    with pytest.raises(ValueError, match="depend on each other"):
        LogisticDiscriminant(penalty=None).fit(np.hstack([X, X]), y).summary()
    with pytest.raises(ValueError, match="level=1 must be "):
        LogisticDiscriminant(penalty="firth").fit(X, y).summary(1)


@pytest.mark.parametrize("n", [120, 4000])
def test_wald_table_is_that_of_statsmodels(rng: Rng, n: int) -> None:
    X, y = noisy(rng, n, 4)
    table = LogisticDiscriminant(penalty=None).fit(X, y).summary(0.9)
    theirs = Logit(y, augment(X)).fit(disp=0, method="newton", tol=1e-12)
    assert_allclose(table.coef, theirs.params, rtol=1e-7, atol=1e-9)
    assert_allclose(table.std_error, theirs.bse, rtol=1e-7)
    assert_allclose(table.statistic, theirs.tvalues, rtol=1e-6, atol=1e-8)
    assert_allclose(table.p, theirs.pvalues, rtol=1e-5, atol=1e-12)
    assert_allclose(table.interval, theirs.conf_int(alpha=0.1), rtol=1e-6, atol=1e-7)


def infinite_table() -> CoefficientTable:
    return quiet(LogisticDiscriminant(penalty=None), *datasets.endometrial()).summary(intervals="profile", tests="lr")


def test_the_table_as_data() -> None:
    table = infinite_table()
    columns = table.to_dict()
    heads = "coefficient estimate std_error chi2 p low high odds_ratio odds_low odds_high"
    assert list(columns) == heads.split()
    assert columns["coefficient"] == ["intercept", "x0", "x1", "x2"]
    assert columns["odds_ratio"][1] == np.inf
    assert_allclose(columns["odds_low"], np.exp(table.interval[:, 0]))
    for frame in (table.to_pandas(), table.to_polars()):
        assert list(frame.columns) == heads.split()
        assert frame["estimate"].to_list() == table.coef.tolist()
    wald = LogisticDiscriminant(penalty="firth").fit(*datasets.endometrial()).summary()
    assert "z" in wald.to_dict()


def test_the_table_as_html_and_latex() -> None:
    table = replace(infinite_table(), names=["intercept", "a_b", "<x>", "50 %"])
    text, html, latex = str(table), table.to_html(), table.to_latex()
    assert table._repr_html_() == html
    cells = [line.split()[-5:] for line in text.splitlines()[1:5]]
    rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', html)
    assert [name for name, _ in rows] == ["intercept", "a_b", "&lt;x&gt;", "50 %"]
    for (_, row), printed in zip(rows, cells, strict=True):
        assert [cell for cell in re.findall("<td>(.*?)</td>", row) if cell][-5:] == printed[-5:]
    assert "79 rows, deviance 55.3933, AIC 63.3933." in html
    lines = latex.splitlines()
    assert lines[:2] == [r"\begin{tabular}{lrrrrrr}", r"\toprule"]
    assert lines[2] == r" & estimate & std error & $\chi^2$ & $p$ & 2.5 \% & 97.5 \% \\"
    assert lines[5] == r"a\_b & $\infty$ &  & 9.36 & 0.0022 & 1.2841 & $\infty$ \\"
    assert lines[7].startswith(r"50 \% & $-$2.9026 & 0.8456")
    assert sum(line.count("&") for line in lines) == 5 * 6
    assert latex.count("{") == latex.count("}")
