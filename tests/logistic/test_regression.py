"""The rule of logistic regression: starts, interrupts, and that it runs alone."""

from __future__ import annotations

import signal
from typing import Any

import numpy as np
import pytest
from logistic_cases import noisy
from numpy.testing import assert_allclose, assert_array_equal

from discriminant import FitInterruptedWarning, LogisticDiscriminant, Status
from discriminant._engine import driver
from discriminant._engine.driver import Interrupted, Watch, drive
from discriminant._engine.problem import make_problem
from discriminant.logistic.coordinates import Frame
from discriminant.logistic.firth import FirthRule
from discriminant.logistic.inference import UsedRows
from discriminant.logistic.newton import NewtonRule
from discriminant.logistic.regression import RegressionPlan, RegressionRule
from discriminant.separation import answer as separation

Rng = np.random.Generator


def test_a_good_start_needs_no_steps_and_a_bad_one_arrives(rng: Rng) -> None:
    X, y = noisy(rng, 300, 3)
    model = LogisticDiscriminant().fit(X, y)
    assert LogisticDiscriminant(start=model.weights_).fit(X, y).n_iter_ <= 2
    assert_allclose(LogisticDiscriminant(start=[50.0, -50, 50, 50]).fit(X, y).weights_, model.weights_, rtol=1e-9)
    path = LogisticDiscriminant(record="weights").fit(X, y).history_
    assert_allclose(path["weights"][-1], model.weights_)
    assert np.all(np.diff(path["criterion"]) <= 1e-9)


@pytest.mark.parametrize("where", ["separability", "start", "gradient"])
def test_an_interrupt_is_heard_where_no_step_is_made(monkeypatch: pytest.MonkeyPatch, rng: Rng, where: str) -> None:
    """In the search for a proof at infinity, in the start from a subsample, in Firth's first gradient."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(driver, "_last_interrupt", float("-inf"))
    X = rng.normal(size=(90_000 if where == "start" else 200, 3))
    y = X[:, 0] + (0 if where == "separability" else rng.normal(size=len(X))) > 0

    def press(*_: Any, **__: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        assert where != "separability", "Ctrl-C went unheard"
        raise Interrupted

    if where == "separability":
        monkeypatch.setattr(separation, "settle", press)
    else:
        rule, method = (NewtonRule, "_search") if where == "start" else (FirthRule, "_gradient")
        monkeypatch.setattr(rule, method, press)
    model = LogisticDiscriminant(penalty="firth" if where == "gradient" else None)
    try:
        with pytest.warns(FitInterruptedWarning):
            model.fit(X, y)
    finally:
        signal.signal(signal.SIGINT, previous)
    assert model.status_ is Status.STOPPED
    assert np.isfinite(model.weights_).all()
    if where == "separability":
        assert (model.predict(X) == y).all()


@pytest.mark.parametrize("C", [1.0, np.inf])
@pytest.mark.parametrize("c", [2, 3])
@pytest.mark.parametrize("far", [1e3, 1e6, 1e100, 1e300])
def test_a_start_far_away_does_not_mislead(rng: Rng, C: float, c: int, far: float) -> None:
    """So far out every probability is 0 or 1, and the Hessian nothing but the penalty."""
    X, y = noisy(rng, 200, 3, c)
    start = far * rng.normal(size=4 if c == 2 else (3, 4))
    model = LogisticDiscriminant(C, start=start).fit(X, y)
    assert model.status_ is Status.CONVERGED
    assert_allclose(model.coef_, LogisticDiscriminant(C).fit(X, y).coef_, rtol=1e-6)
    assert "began at zero" in str(model.report_)


def test_a_rule_runs_without_an_estimator(rng: Rng) -> None:
    """A frozen plan is all that it needs; nobody asks for a proof where the classes overlap."""

    def ask(watch: Watch) -> Any:
        raise AssertionError("there is nothing to prove")

    X, y = noisy(rng, 200, 3)
    problem = make_problem(X, y.astype(np.int32), None, 2)
    frame = Frame(X, problem.labels, None, 1, 0.0)
    rule = RegressionRule(frame, None, problem.dtype, RegressionPlan(False, 1e-8, True, ask, UsedRows.of(problem)))
    assert rule.path is None
    solution = drive(rule, problem, 100, Watch())
    model = LogisticDiscriminant(penalty=None, record="weights").fit(X, y)
    assert_array_equal(solution.weights[0], model.weights_)
    assert_array_equal(solution.path, model.history_["weights"])
    assert_array_equal(solution.findings.covariance, model.covariance_)
    assert solution.findings.escape is None
