"""Fits of statsmodels under diagnosis: true values against the exact cone, whatever form the response has."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from exact_oracle import separation
from numpy.testing import assert_allclose, assert_array_equal
from statsmodels.miscmodels.ordinal_model import OrderedModel

from discriminant import Diagnosis, UndecidedError, datasets, diagnose

WORDS = {0.0: "finite", 1.0: "+inf", -1.0: "-inf"}
POISSON = sm.families.Poisson()

pytestmark = pytest.mark.filterwarnings("ignore::Warning:statsmodels")  # how they stop is not what is tested


def patients() -> pd.DataFrame:
    data = datasets.endometrial()
    return pd.DataFrame(data.X, columns=data.feature_names).assign(HG=data.y)


def binomial(y: Any, exog: Any, **options: Any) -> Any:
    return sm.GLM(y, exog, family=sm.families.Binomial(), **options)  # a family remembers its trials: a new one each


def by_formula(formula: str, frame: pd.DataFrame, **options: Any) -> Any:
    return smf.glm(formula, frame, family=sm.families.Binomial(), **options)


def true_values(result: Any) -> dict[str, str]:
    found = diagnose(result)
    assert found.verify()
    return dict(zip(found.labels, found.true_values, strict=True))


ENDOMETRIAL = {"Intercept": "finite", "NV": "+inf", "PI": "finite", "EH": "finite"}


@pytest.mark.parametrize("kind", [smf.logit, smf.probit])
def test_formula_fits_of_patients(kind: Any) -> None:
    result = kind("HG ~ NV + PI + EH", patients()).fit(disp=0)
    assert true_values(result) == ENDOMETRIAL
    d = diagnose(result)
    assert (d.verdict, d.artifacts) == ("quasi", ["NV"])
    assert_allclose([each.value for each in d.fitted.printed], result.params)
    assert_allclose([each.error for each in d.fitted.printed], result.bse)
    rows, columns = d.limiting_design()
    assert_array_equal(rows, patients()["NV"] == 0)
    assert_array_equal(columns, [True, False, True, True])
    rest = type(result.model)(result.model.endog[rows], result.model.exog[rows][:, columns]).fit(disp=0)
    assert_allclose(rest.params, np.asarray(result.params)[columns], atol=1e-5)


@pytest.mark.parametrize("link", ["Logit", "Probit", "CLogLog", "LogLog", "Cauchy"])
def test_links_share_the_verdict(link: str) -> None:
    family = sm.families.Binomial(link=getattr(sm.families.links, link)())
    result = smf.glm("HG ~ NV + PI + EH", patients(), family=family).fit(maxiter=30)
    assert true_values(result) == ENDOMETRIAL


def test_the_printout() -> None:
    d = diagnose(by_formula("HG ~ NV + PI + EH", patients()).fit())
    text = str(d).splitlines()
    assert text[0] == "statsmodels GLM, logistic regression, 79 rows: quasi."
    assert text[1].split() == ["printed", "std", "error", "true", "value"]
    assert text[2].split() == ["Intercept", "4.3045", "1.6373", "finite"]
    assert text[3].split()[0::3] == ["NV", "+inf"]
    words = " ".join(text)
    for sentence in (
        "13 of 79 rows can be fitted perfectly", "all 13 rows with NV=1 are 1",
        "NV: number and standard error tell where the program stopped", "NV as +inf, with an interval that has one end",
        "Intercept, PI, EH from the limiting model", ".refit('firth')", ".verify() checks it in whole numbers",
    ):  # fmt: skip
        assert sentence in words
    assert repr(d) == str(d)
    page = d._repr_html_()
    assert page.count("<tr>") == 1 + 4 + sum(line.startswith("  ") and line[2] != " " for line in text[6:])
    known = json.loads(json.dumps(d.to_dict()))
    assert known["coefficients"][1] | {"printed": 0, "std_error": 0} == {
        "name": "NV", "printed": 0, "std_error": 0, "true_value": "+inf"
    }  # fmt: skip
    assert known["artifacts"] == ["NV"]
    assert known["separated_rows"] == np.flatnonzero(patients()["NV"]).tolist()


def test_what_to_report() -> None:
    d = diagnose(smf.logit("HG ~ NV + PI + EH", patients()).fit(disp=0))
    summary = d.refit().summary(intervals="profile", tests="lr")
    assert summary.names == ["intercept", "NV", "PI", "EH"]
    assert summary.coef[1] == np.inf
    assert_allclose(summary.interval[1], [1.2841, np.inf], atol=5e-5)
    assert_allclose(d.refit("firth").coef_, [[2.9293, -0.0348, -2.6042]], atol=5e-5)
    with pytest.raises(ValueError, match="penalty='l2' must be"):
        d.refit("l2")
    probit = diagnose(smf.probit("HG ~ NV + PI + EH", patients()).fit(disp=0))
    assert not probit.can_refit
    assert ".limiting_design() are what is left for the same fit" in str(probit)
    with pytest.raises(ValueError, match="of a logistic regression of two classes"):
        probit.refit()


def test_missing_values_and_the_names_of_rows() -> None:
    frame = patients().rename(index=lambda k: f"patient {k}")
    frame.loc[["patient 0", "patient 21"], ["PI", "EH"]] = np.nan
    d = diagnose(smf.logit("HG ~ NV + PI + EH", frame).fit(disp=0))
    assert (d.fitted.n_rows, len(d.data[1]), d.artifacts) == (77, 77, ["NV"])
    assert "20 [patient 22]" in str(d.separability)


def random_tables(seed: int, count: int) -> Any:
    rng = np.random.default_rng([7, seed])
    for _ in range(count):
        n, d = int(rng.integers(6, 16)), int(rng.integers(1, 4))
        X = rng.integers(-1, 2, (n, d)).astype(float)
        yield rng, X


def words_of(signs: Any) -> list[str]:
    return [WORDS.get(sign, "undetermined") for sign in signs]


def diagnosed(model: Any) -> Diagnosis | None:
    """The diagnosis of a fit; None where statsmodels finds no numbers."""
    try:
        with np.errstate(all="ignore"):
            return diagnose(model.fit(disp=0))
    except (np.linalg.LinAlgError, sm.tools.sm_exceptions.PerfectSeparationError):
        return None


def unique(X: Any) -> bool:
    return bool(np.linalg.matrix_rank(np.column_stack([np.ones(len(X)), X])) == 1 + X.shape[1])


@pytest.mark.parametrize("seed", range(3))
def test_two_classes_against_the_cone(seed: int) -> None:
    tried = 0
    for rng, X in random_tables(seed, 12):
        y = rng.integers(0, 2, len(X))
        if np.unique(y).size < 2 or not unique(X):
            continue
        expected = separation(X, y)
        constant = rng.choice([-2.0, 1.0])  # a constant below zero turns the sign of its coefficient
        place = int(rng.integers(0, X.shape[1] + 1))
        exog = np.insert(X, place, constant, axis=1)
        d = diagnosed(binomial(y, exog))
        if d is None:
            continue
        tried += 1
        intercept = expected.signs[0] * np.sign(constant)
        assert (d.verdict, d.true_values) == (
            expected.verdict,
            words_of(np.insert(expected.signs[1:], place, intercept)),
        )
        assert d.separability.separated_rows.tolist() == expected.B
    assert tried > 4


def test_grouped_counts_and_weights_against_rows_written_out() -> None:
    tried = 0
    for rng, X in random_tables(11, 15):
        won, lost = rng.integers(0, 3, (2, len(X)))
        won[won + lost == 0] = 1
        long = np.repeat(X, won + lost, axis=0)
        y = np.concatenate([np.repeat([1, 0], [a, b]) for a, b in zip(won, lost, strict=True)])
        if np.unique(y).size < 2 or not unique(X):
            continue
        expected, exog = separation(long, y), sm.add_constant(X, has_constant="add")
        for model in (
            binomial(np.column_stack([won, lost]), exog),
            binomial(won / (won + lost), exog, var_weights=won + lost),
            binomial(won / (won + lost), exog, freq_weights=won + lost),
        ):
            if (d := diagnosed(model)) is not None:
                tried += 1
                assert (d.verdict, d.true_values) == (expected.verdict, words_of(expected.signs))
                assert d.verify()
                kept = np.unique(np.repeat(np.arange(len(X)), won + lost)[expected.N])
                assert_array_equal(np.flatnonzero(d.limiting_design().rows), kept)
    assert tried > 9


def test_rows_of_weight_zero_take_no_part() -> None:
    frame = patients()
    plus = pd.concat([frame, frame.iloc[:1].assign(NV=1)], ignore_index=True)  # without it NV separates
    for name in ("freq_weights", "var_weights"):
        weights = {name: np.r_[np.ones(79), 0]}
        assert diagnose(by_formula("HG ~ NV + PI + EH", plus, **weights).fit()).artifacts == ["NV"]
    assert diagnose(by_formula("HG ~ NV + PI + EH", plus).fit()).artifacts == []


def test_offsets_move_the_estimate_and_not_the_verdict() -> None:
    frame, offset = patients(), np.linspace(-1, 1, 79)
    rest = by_formula("HG ~ PI + EH", frame[frame.NV == 0], offset=offset[frame.NV == 0]).fit()
    for result in (
        smf.logit("HG ~ NV + PI + EH", frame, offset=offset).fit(disp=0),
        by_formula("HG ~ NV + PI + EH", frame, offset=offset).fit(),
    ):
        d = diagnose(result)
        assert d.artifacts == ["NV"]
        again = d.refit()
        table = again.summary(intervals="profile", tests="lr")
        np.testing.assert_allclose(table.coef[[0, 2, 3]], rest.params, rtol=1e-6)
        np.testing.assert_allclose(table.deviance, rest.deviance, rtol=1e-8)


def test_counts_against_the_cone() -> None:
    tried = 0
    for rng, X in random_tables(5, 20):
        y = rng.poisson(0.5, len(X))
        if not y.any() or not unique(X):
            continue
        expected, exog = separation(X, y, family="poisson"), sm.add_constant(X, has_constant="add")
        signs = words_of([0 - sign for sign in expected.signs])  # a mean falls to zero against b
        exposure, weights = rng.uniform(1, 3, len(X)), rng.integers(1, 3, len(X))
        for model in (
            sm.Poisson(y, exog), sm.GLM(y, exog, family=POISSON, exposure=exposure),
            sm.GLM(y, exog, family=POISSON, freq_weights=weights), sm.Poisson(y, exog, offset=np.log(exposure)),
        ):  # fmt: skip
            d = diagnosed(model)
            if d is not None:
                tried += 1
                assert (d.verdict, d.true_values) == (expected.verdict, signs)
    assert tried > 9


def test_many_classes_against_the_cone() -> None:
    tried = 0
    for rng, X in random_tables(3, 25):
        y = rng.integers(0, 3, len(X))
        if np.unique(y).size < 3 or not unique(X[:, :2]):
            continue
        d = diagnosed(sm.MNLogit(y, sm.add_constant(X[:, :2], has_constant="add")))
        if d is not None:
            tried += 1
            expected = separation(X[:, :2], y)
            assert (d.verdict, d.true_values) == (expected.verdict, words_of(expected.signs))
    assert tried > 4


def test_classes_have_their_names() -> None:
    frame = pd.DataFrame({"x": [0, 0, 0, 1, 1, 1.0], "kind": list("abcabb")})
    d = diagnose(sm.MNLogit(frame["kind"], sm.add_constant(frame[["x"]])).fit(disp=0))
    assert d.labels == ["b: const", "b: x", "c: const", "c: x"]
    assert d.true_values == ["finite", "finite", "finite", "-inf"]
    assert "c: x as -inf" in str(d)


def test_classes_in_another_order_than_that_of_their_names() -> None:
    x = [0, 0, 0, 1, 1, 2.0]
    for names, given in (
        ("zab", pd.Categorical(list("zabzaz"), categories=list("zab"))),
        (("9", "10", "100"), [9, 10, 100, 9, 10, 9]),
    ):
        d = diagnose(sm.MNLogit(pd.Series(given), sm.add_constant(x)).fit(disp=0))
        assert d.labels == [f"{name}: {column}" for name in names[1:] for column in ("const", "x1")]
        assert d.true_values[3] == "-inf"
        assert f"none of the 3 rows with x1 > 0 is {names[2]}" in str(d)
        assert d.verify()


def test_nothing_is_left_of_a_complete_separation() -> None:
    x, y = [-2, -1, 1, 2.0], [0, 0, 1, 1]
    for model in (sm.Probit(y, sm.add_constant(x)), sm.Logit(y, x)):
        d = diagnose(model.fit(disp=0, maxiter=5))
        assert d.verdict == "complete"
        assert "no rows are left for a fit; for finite numbers take a penalty" in str(d)
        assert "limiting_design" not in str(d)


def test_ordered_levels_against_the_cone() -> None:
    tried = 0
    for rng, X in random_tables(2, 12):
        y = rng.integers(0, 3, len(X))
        if np.unique(y).size < 3 or not unique(X):
            continue
        model = OrderedModel(y, X, distr="logit")
        with np.errstate(all="ignore"):
            d = diagnose(model.fit(disp=0, method="bfgs"))
        tried += 1
        expected = separation(X, y, family="cumulative")
        first, _, *weights = words_of(expected.signs)
        assert d.true_values[:-1] == [*weights, first]
        moved = expected.b[1] > expected.b[0] and expected.verdict != "overlap"
        assert d.true_values[-1] == ("+inf" if moved else "finite")
    assert tried > 5


def test_collinear_designs() -> None:
    frame = patients().assign(twice=lambda table: 2 * table["PI"])
    result = by_formula("HG ~ NV + PI + EH + twice", frame).fit()
    assert true_values(result) == ENDOMETRIAL | {"PI": "not unique", "twice": "not unique"}
    assert "PI, twice: their numbers are one choice of many" in str(diagnose(result))
    assert diagnose(result).artifacts == ["NV"]
    levels = pd.DataFrame({"const": 1, "no": 1 - frame["NV"], "yes": frame["NV"], "PI": frame["PI"]})
    d = diagnose(binomial(frame["HG"], levels.astype(float)).fit())
    assert d.true_values == ["not unique", "not unique", "not unique", "finite"]
    assert d.artifacts == ["const", "no", "yes"]
    twice = diagnose(binomial(frame["HG"], np.column_stack([np.ones(79), np.ones(79), frame["PI"]])).fit())
    assert twice.true_values == ["not unique", "not unique", "finite"]
    assert twice.verdict == "overlap"


def test_designs_without_a_constant_or_with_nothing_else() -> None:
    frame = patients()
    assert diagnose(sm.Logit(frame["HG"], frame[["NV", "PI"]]).fit(disp=0)).labels == ["NV", "PI"]
    alone = diagnose(sm.Logit(frame["HG"], np.ones(79)).fit(disp=0))
    assert (alone.verdict, alone.true_values) == ("overlap", ["finite"])


def test_penalized_fits_are_finite_whatever_the_verdict() -> None:
    frame = patients()
    exog = sm.add_constant(frame[["NV", "PI", "EH"]])
    for result in (
        sm.Logit(frame["HG"], exog).fit_regularized(alpha=1.0, disp=0),
        binomial(frame["HG"], exog).fit_regularized(alpha=0.1),
    ):
        d = diagnose(result)
        assert (d.verdict, d.artifacts) == ("quasi", [])
        assert "so that its numbers are finite whatever the verdict. Without it: the estimate is infinite" in str(d)
    free = sm.Logit(frame["HG"], exog).fit_regularized(alpha=0.0, disp=0)
    assert diagnose(free).artifacts == ["NV"]


def test_a_penalty_has_to_be_on_every_column() -> None:
    frame = patients()
    exog = sm.add_constant(frame[["NV", "PI", "EH"]])
    beside = sm.Logit(frame["HG"], exog).fit_regularized(alpha=np.array([0.0, 0, 1, 1]), disp=0)
    assert beside.params["NV"] > 10  # it goes to infinity all the same
    with pytest.raises(ValueError, match=r"alpha=.* must be above 0 for every column but the constant"):
        diagnose(beside)
    but_the_constant = sm.Logit(frame["HG"], exog).fit_regularized(alpha=np.array([0.0, 1, 1, 1]), disp=0)
    assert diagnose(but_the_constant).artifacts == []
    levels = sm.MNLogit(np.arange(79) % 3, exog)
    assert diagnose(levels.fit_regularized(alpha=np.array([0.0, 1, 1, 1] * 2), disp=0)).fitted.penalty
    unknown = binomial(frame["HG"], exog).fit_regularized(alpha=0.1)
    assert "unless alpha, which statsmodels does not keep, is 0 for a column" in str(diagnose(unknown))


def test_a_fit_that_has_not_converged_on_an_overlap_says_so() -> None:
    result = by_formula("HG ~ PI + EH", patients()).fit(maxiter=1)
    assert "The program says that it has not converged" in str(diagnose(result))


def test_limits_of_time() -> None:
    rng = np.random.default_rng(0)
    result = binomial(rng.integers(0, 2, 200), rng.normal(size=(200, 5))).fit()
    with pytest.raises(UndecidedError):
        diagnose(result, max_seconds=1e-9)


def test_what_cannot_be_diagnosed() -> None:
    frame = patients()
    for model, words in (
        ("text", "model='str' must be the results of a statsmodels Logit"),
        (smf.logit("HG ~ NV", frame), "model='Logit' must be fitted; give what its fit.. returns"),
        (smf.ols("HG ~ NV", frame).fit(), "model='OLS' must be the results of"),
        (smf.glm("HG ~ NV", frame, family=sm.families.Gaussian()).fit(), "family='Gaussian with the link identity'"),
        (smf.glm("HG ~ NV", frame, family=sm.families.Poisson(sm.families.links.Sqrt())).fit(), "the link sqrt"),
        (by_formula("HG ~ NV", frame).fit_constrained("NV = 0"), "fitted without constraints"),
        (by_formula("I(0 * HG) ~ NV", frame).fit(), "the response of the fit is 0 in every row"),
    ):
        with pytest.raises(ValueError, match=words):
            diagnose(model)
    for given in ({"X": frame[["PI"]], "y": frame["HG"]}, {"sample_weight": np.ones(79)}):
        with pytest.raises(ValueError, match="keep their data; leave out X, y and sample_weight"):
            diagnose(smf.logit("HG ~ PI", frame).fit(disp=0), **given)
    bare = smf.logit("HG ~ PI", frame).fit(disp=0)
    bare.remove_data()
    with pytest.raises(ValueError, match="model='Logit' must be one whose data were not removed"):
        diagnose(bare)
    with pytest.raises(ValueError, match="limiting_design belongs to two classes"):
        diagnose(sm.MNLogit([0, 1, 2, 0], [[1.0], [1], [1], [1]]).fit(disp=0)).limiting_design()
