"""Warnings while statsmodels fits: who hears them, when they end, and that a fit is what it was."""

from __future__ import annotations

import threading
import time
import warnings
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from statsmodels.miscmodels.ordinal_model import OrderedModel

from discriminant import InfiniteEstimateWarning, datasets, watch_separation
from discriminant.separation.signs import Signs

X, Y = datasets.endometrial()
EXOG = sm.add_constant(X)
CLASSES = (sm.Logit, sm.Probit, sm.MNLogit, sm.Poisson, sm.GLM, OrderedModel)
BEFORE = [vars(each).get("fit") for each in CLASSES]


def told(call: Any) -> list[warnings.WarningMessage]:
    """The warnings of ours that a call gives."""
    with warnings.catch_warnings(record=True, action="always") as caught:
        call()
    return [each for each in caught if each.category is InfiniteEstimateWarning]


def watched(call: Any) -> list[warnings.WarningMessage]:
    def inside() -> None:
        with watch_separation():
            call()

    return told(inside)


def test_each_kind_of_fit_is_heard() -> None:
    levels = np.array([0, 0, 0, 1, 2])
    for fit in (
        lambda: sm.Logit(Y, EXOG).fit(disp=0),
        lambda: sm.Probit(Y, EXOG).fit(disp=0),
        lambda: sm.GLM(Y, EXOG, family=sm.families.Binomial()).fit(),
        lambda: sm.MNLogit([0, 1, 2, 0, 1, 1], sm.add_constant([0, 0, 0, 1, 1, 1.0])).fit(disp=0),
        lambda: sm.Poisson([0, 0, 0, 1, 2, 3], sm.add_constant([1, 1, 0, 0, 0, 0.0])).fit(disp=0),
        lambda: OrderedModel(levels, np.array([[0], [0], [1], [1], [1.0]])).fit(disp=0, method="bfgs"),
        lambda: smf.logit("y ~ x", {"y": Y, "x": X[:, 0]}).fit(disp=0),
    ):
        (warning,) = watched(fit)
        assert warning.filename == __file__
        assert warning.message.separability.verdict == "quasi"
        assert not told(fit)  # outside there is silence
    assert [vars(each).get("fit") for each in CLASSES] == BEFORE


def test_the_words_and_the_proof() -> None:
    (warning,) = watched(lambda: sm.Logit(Y, EXOG).fit(disp=0))
    assert str(warning.message) == (
        "statsmodels Logit: the estimate is infinite: 13 of 79 rows can be fitted perfectly, and the likelihood has no "
        "maximum. Artifacts of where it stopped: x1. See discriminant.diagnose(result)."
    )
    assert warning.message.separability.certificate.verify(X, Y)


def test_a_finite_estimate_a_penalty_and_an_unknown_model_make_no_word() -> None:
    for fit in (
        lambda: sm.Logit(Y, EXOG[:, [0, 2, 3]]).fit(disp=0).summary(),
        lambda: sm.Logit(Y, EXOG).fit_regularized(alpha=1.0, disp=0),
        lambda: sm.GLM(Y, EXOG).fit(),
        lambda: sm.Logit(np.zeros(79), EXOG[:, [0, 2]]).fit(disp=0, maxiter=2),
    ):
        assert not watched(fit)


def test_a_fit_that_fails_is_explained_before_its_error() -> None:
    x = np.column_stack([np.ones(4), [0, 1, 2, 3.0], [0, 1, 2, 3.0]])

    def fails() -> None:
        with pytest.raises(np.linalg.LinAlgError):
            sm.Logit([0, 0, 1, 1], x, check_rank=False).fit(disp=0)

    (warning,) = watched(fails)
    assert "every row can be fitted perfectly" in str(warning.message)


def test_the_result_is_the_same_and_warnings_can_be_errors() -> None:
    with warnings.catch_warnings(action="ignore"):
        plain = sm.Logit(Y, EXOG).fit(disp=0)
        with watch_separation():
            seen = sm.Logit(Y, EXOG).fit(disp=0)
    np.testing.assert_array_equal(seen.params, plain.params)
    with warnings.catch_warnings(action="ignore"), watch_separation():
        warnings.simplefilter("error", InfiniteEstimateWarning)
        with pytest.raises(InfiniteEstimateWarning):
            sm.Logit(Y, EXOG).fit(disp=0)


def test_blocks_nest_and_errors_leave_nothing_behind() -> None:
    def fit() -> None:
        sm.GLM(Y, EXOG, family=sm.families.Binomial()).fit()

    def nested() -> None:
        with watch_separation():
            with watch_separation():
                fit()
            fit()

    assert len(told(nested)) == 2
    with pytest.raises(RuntimeError), watch_separation():
        raise RuntimeError
    assert [vars(each).get("fit") for each in CLASSES] == BEFORE
    with pytest.raises(ValueError, match="max_seconds=-1 must be"), watch_separation(max_seconds=-1):
        pass
    assert [vars(each).get("fit") for each in CLASSES] == BEFORE


def test_threads_outside_of_a_block_hear_nothing() -> None:
    heard: dict[str, int] = {}
    both = threading.Barrier(2, timeout=30)

    def inside() -> None:
        with watch_separation():
            both.wait()
            sm.GLM(Y, EXOG, family=sm.families.Binomial()).fit()
            both.wait()

    def outside() -> None:
        both.wait()
        sm.Probit(Y, EXOG).fit(disp=0)
        both.wait()

    with warnings.catch_warnings(record=True, action="always") as caught:
        threads = [threading.Thread(target=run) for run in (inside, outside)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for each in caught:
        if each.category is InfiniteEstimateWarning:
            kind = str(each.message).split(":")[0]
            heard[kind] = heard.get(kind, 0) + 1
    assert heard == {"statsmodels GLM": 1}
    assert [vars(each).get("fit") for each in CLASSES] == BEFORE


def test_no_limit_of_time() -> None:
    def fit() -> None:
        with watch_separation(max_seconds=None):
            sm.GLM(Y, EXOG, family=sm.families.Binomial()).fit()

    assert len(told(fit)) == 1


def test_signs_that_take_too_long_are_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def slowly(self: Any, tick: Any) -> None:
        while True:
            time.sleep(0.01)
            tick("the signs", 0.0)

    monkeypatch.setattr(Signs, "_go_on", slowly)

    def fit() -> None:
        with watch_separation(max_seconds=1):
            sm.GLM(Y, EXOG, family=sm.families.Binomial()).fit()

    (warning,) = told(fit)
    assert "Artifacts of where it stopped: not computed in this time." in str(warning.message)


def test_a_verdict_that_takes_too_long_is_left_out() -> None:
    def fit() -> None:
        with watch_separation(max_seconds=1e-9):
            sm.GLM(Y, EXOG, family=sm.families.Binomial()).fit()

    assert not told(fit)
