"""Widrow-Hoff: every step as the books print it, primal and dual, the normal equations, and where it must not go."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from widrow_hoff_cases import fitted, normalized

from discriminant import (
    NotConvergedWarning,
    Status,
    WidrowHoff,
    WidrowHoffRegressor,
    augment,
    datasets,
    schedules,
)
from discriminant._engine.driver import Watch
from discriminant._engine.problem import make_problem, narrow
from discriminant.squared_error.aimed_patterns import AimedProblem, Aims
from discriminant.squared_error.widrow_hoff import StepTotals, _epoch, lms_step, rule_of
from discriminant.squared_error.widrow_hoff_parameters import WidrowHoffPlan


def least_squares(X: Any, y: Any, b: Any = None, weight: Any = None) -> Any:
    root = np.sqrt(np.ones(len(y)) if weight is None else weight)
    Y = normalized(X, y) * root[:, None]
    return np.linalg.lstsq(Y, root * (np.ones(len(y)) if b is None else b), rcond=None)[0]


def by_hand(Y: Any, b: Any, eta: Callable[[int], float], passes: int, a: Any, order: Any = None) -> Any:
    """Algorithm 10, to the letter: all the vectors a(1), a(2), ..."""
    path, k = [np.array(a, float)], 0
    for _ in range(passes):
        for i in range(len(Y)) if order is None else order():
            k += 1
            path.append(path[-1] + eta(k) * (b[i] - path[-1] @ Y[i]) * Y[i])
    return np.array(path)


SINGLE = [0.05, "1/k", lambda k: 1 / (k + 5), schedules.Harmonic(0.3)]


class TestEveryStep:
    @pytest.mark.parametrize("schedule", SINGLE)
    @pytest.mark.parametrize("dual", [False, True])
    def test_single_sample(self, data: Any, schedule: Any, dual: bool) -> None:
        X, y = data
        b = np.linspace(0.5, 2, 30)
        model = fitted(WidrowHoff(schedule=schedule, dual=dual, targets=b, max_iter=4, record="weights"), X, y)
        path = by_hand(normalized(X, y), b, schedules.get(schedule), 4, np.zeros(4))
        np.testing.assert_allclose(model.history_["weights"], path, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(model.history_["step"], [schedules.get(schedule)(30 * p) for p in (1, 2, 3, 4)])

    def test_k_counts_the_visits_and_not_the_changes(self) -> None:
        """The second visit finds its target met: eta goes on all the same."""
        X, y = np.array([[0.0], [0.0], [1.0]]), np.array([1, 1, 0])
        model = fitted(WidrowHoff(schedule="1/k", max_iter=2, record="weights"), X, y)
        path = by_hand(normalized(X, y), np.ones(3), lambda k: 1 / k, 2, np.zeros(2))
        np.testing.assert_array_equal(model.history_["corrections"], [2, 3])
        np.testing.assert_allclose(model.history_["weights"], path[[0, 1, 3, 4, 5, 6]])

    @pytest.mark.parametrize("dual", [False, True])
    def test_scalar_rls_is_problem_23(self, data: Any, dual: bool) -> None:
        """eta(k+1) = eta(1) / (1 + eta(1) sum of |y_i|^2 up to k), taken for the step on y_k."""
        X, y = data
        Y = normalized(X, y)
        sums = np.cumsum(np.tile(np.sum(Y**2, axis=1), 3))
        model = fitted(WidrowHoff(schedule="rls", dual=dual, max_iter=3, record="weights"), X, y)
        path = by_hand(Y, np.ones(30), lambda k: 1 / (1 + sums[k - 1]), 3, np.zeros(4))
        np.testing.assert_allclose(model.history_["weights"], path, rtol=1e-10, atol=1e-12)
        assert model.history_["step"][-1] == pytest.approx(1 / (1 + sums[-1]))

    @pytest.mark.parametrize("dual", [False, True])
    def test_random_order(self, data: Any, dual: bool) -> None:
        X, y = data
        options: Any = {"order": "random", "random_state": 3, "schedule": 0.05, "max_iter": 3, "record": "weights"}
        draw = np.random.RandomState(3)
        path = by_hand(normalized(X, y), np.ones(30), lambda k: 0.05, 3, np.zeros(4), lambda: draw.permutation(30))
        model = fitted(WidrowHoff(dual=dual, **options), X, y)
        np.testing.assert_allclose(model.history_["weights"], path, rtol=1e-10, atol=1e-12)

    @pytest.mark.parametrize("dual", [False, True])
    def test_batch(self, data: Any, dual: bool) -> None:
        X, y = data
        Y, a = normalized(X, y), np.zeros(4)
        model = fitted(WidrowHoff(batch=True, dual=dual, max_iter=5, record="weights"), X, y)
        eta = 1 / np.linalg.eigvalsh(Y.T @ Y)[-1]
        for k in range(5):
            assert model.history_["criterion"][k] == pytest.approx(np.sum((Y @ a - 1) ** 2))
            assert model.history_["errors"][k] == np.count_nonzero(Y @ a <= 0)
            a = a - eta * Y.T @ (Y @ a - 1)
            np.testing.assert_allclose(model.history_["weights"][k + 1], a, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(model.history_["step"], eta)

    @pytest.mark.parametrize("dual", [False, True])
    def test_optimal_is_eq_14(self, dual: bool) -> None:
        """Problem 13(b): 0.00392907 for J_s, of which the batch rule takes the double."""
        X, y = datasets.hessian_example()
        model = fitted(WidrowHoff(batch=True, dual=dual, schedule="optimal", max_iter=3, record="weights"), X, y)
        assert model.history_["step"][0] == pytest.approx(2 * 0.00392907, rel=1e-6)
        Y = normalized(X, y)
        gradients = [Y.T @ (Y @ a - 1) for a in model.history_["weights"]]
        for before, after in pairwise(gradients):
            assert abs(before @ after) < 1e-9 * (before @ before)  # the line minimum: new gradient at right angles

    def test_start(self, data: Any) -> None:
        X, y = data
        a = np.array([1.0, -1.0, 2.0, 0.5])
        model = fitted(WidrowHoff(schedule=0.02, start=a, max_iter=2, record="weights"), X, y)
        path = by_hand(normalized(X, y), np.ones(30), lambda k: 0.02, 2, a)
        np.testing.assert_allclose(model.history_["weights"], path, rtol=1e-10)

    def test_history(self, data: Any) -> None:
        """Errors and criterion are those met on the way."""
        X, y = data
        Y = normalized(X, y)
        model = fitted(WidrowHoff(schedule=0.02, max_iter=3, record="weights"), X, y)
        met = np.array([a @ Y[k % 30] for k, a in enumerate(model.history_["weights"][:-1])]).reshape(3, 30)
        np.testing.assert_array_equal(model.history_["errors"], np.count_nonzero(met <= 0, axis=1))
        np.testing.assert_allclose(model.history_["criterion"], np.sum((met - 1) ** 2, axis=1))
        np.testing.assert_array_equal(model.history_["corrections"], [30, 30, 30])
        assert model.n_corrections_ == 90

    def test_regressor_is_table_2_3(self, rng: np.random.Generator) -> None:
        X, y, w, b = rng.normal(size=(9, 2)), rng.normal(size=9), np.zeros(2), 0.0
        for _ in range(4):
            for i in range(9):
                e = w @ X[i] + b - y[i]
                w, b = w - 0.07 * e * X[i], b - 0.07 * e
        for dual in (False, True):
            model = fitted(WidrowHoffRegressor(schedule=0.07, dual=dual, max_iter=4), X, y)
            np.testing.assert_allclose(np.r_[model.intercept_, model.coef_], np.r_[b, w], rtol=1e-10)


class TestCompiledPass:
    @pytest.mark.parametrize("kind", ["dense", "csr", "dual", "batch"])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_plain_python_does_the_same(self, rng: np.random.Generator, kind: str, weighted: bool) -> None:
        X = rng.normal(size=(7, 3)) * (rng.random((7, 3)) < 0.7)
        if kind == "dual":
            X = 1 + X @ X.T
        rows = narrow(sparse.csr_matrix(X) if kind == "csr" else X)
        t, weight = rng.normal(size=7), rng.random(7) if weighted else np.empty(0)
        order, etas = rng.permutation(7).astype(np.uint32), rng.random(6) / 5
        rows = narrow(X[order]) if kind == "dual" else rows
        results = []
        for function in (_epoch, _epoch.py_func):
            a = np.linspace(-1, 1, X.shape[1] + 1)
            into = np.zeros_like(a) if kind == "batch" else a
            aims = Aims(t, weight, np.ones(7))
            told = StepTotals(*function(rows, aims, order, a, into, etas, kind == "dual", 2.0))
            results.append((told, into))
        for one, other in zip(*results, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
        assert results[0][0].visits == 6  # one step for each visit, and no visit without a step
        assert results[0][0].changes > 0
        assert results[0][0].criterion > 2

    def test_rule(self) -> None:
        assert lms_step(0.5, 3.0) == 1.5

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_what_is_not_finite_stops_the_pass(self, bad: float) -> None:
        X = narrow(np.array([[1.0], [bad]]))
        order, a = np.arange(2, dtype=np.uint32), np.zeros(2)
        for function in (_epoch, _epoch.py_func):
            with np.errstate(invalid="ignore"):
                aims = Aims(np.ones(2), np.empty(0), np.ones(2))
                told = StepTotals(*function(X, aims, order, a, a, np.ones(2), False, 0.0))
            assert not told.finite


def test_a_rule_runs_alone(rng: np.random.Generator) -> None:
    """On a plan, without an estimator."""
    X, y = rng.normal(size=(9, 2)), np.arange(9) % 2
    problem = AimedProblem.at(2.0 * y - 1, make_problem(X, y.astype(np.int32), None, 2))
    rule = rule_of(WidrowHoffPlan(schedule=0.01), problem, np.zeros((1, 3)))
    told = rule.epoch(problem, Watch())
    assert (told.corrections, rule.findings.progress.k, rule.findings.alpha.size) == (9, 9, 0)
    model = WidrowHoff(schedule=0.01).partial_fit(X, y, classes=[0, 1])
    np.testing.assert_array_equal(rule.answer[0], model.weights_)


class TestDual:
    @pytest.mark.parametrize("options", [{}, {"batch": True}, {"schedule": "1/k"}, {"order": "random"}])
    @pytest.mark.parametrize("classes", [2, 3])
    def test_same_weights_as_primal(self, data: Any, options: Any, classes: int, rng: np.random.Generator) -> None:
        X, y = data[0], rng.integers(0, classes, 30)
        options = {"max_iter": 7, "random_state": 0, "record": "weights", **options}
        weight = rng.random(30) * (rng.random(30) < 0.8)
        primal, dual = (fitted(WidrowHoff(dual=d, **options), X, y, weight) for d in (False, True))
        np.testing.assert_allclose(dual.weights_, primal.weights_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(dual.history_["weights"], primal.history_["weights"], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(dual.history_["criterion"], primal.history_["criterion"], rtol=1e-9)
        assert not hasattr(primal, "alpha_")

    def test_weights_are_the_sum_of_alpha_y(self, data: Any, rng: np.random.Generator) -> None:
        X, y = data
        model = fitted(WidrowHoff(dual=True, max_iter=9), X, y)
        assert model.alpha_.shape == (30,)
        np.testing.assert_allclose(model.alpha_ @ normalized(X, y), model.weights_, rtol=1e-10)
        labels, weight = rng.integers(0, 3, 30), np.r_[0, np.ones(29)]
        for multiclass, problems in (("one-vs-rest", 3), ("one-vs-one", 3)):
            model = fitted(WidrowHoff(dual=True, multiclass=multiclass, max_iter=9), X, labels, weight)
            assert model.alpha_.shape == (30, problems)
            assert not np.any(model.alpha_[0])
        for j, (first, second) in enumerate([(0, 1), (0, 2), (1, 2)]):
            z = np.where(labels == second, 1, -1)
            assert not np.any(model.alpha_[(labels != first) & (labels != second), j])
            np.testing.assert_allclose((model.alpha_[:, j] * z) @ augment(X), model.weights_[j], rtol=1e-9, atol=1e-12)

    def test_regressor(self, rng: np.random.Generator) -> None:
        X, y = rng.normal(size=(12, 40)), rng.normal(size=12)
        model = fitted(WidrowHoffRegressor(batch=True, dual=True, tol=1e-8, max_iter=5000), X, y)
        np.testing.assert_allclose(model.alpha_ @ augment(X), model.weights_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(model.weights_, np.linalg.lstsq(augment(X), y, rcond=None)[0], atol=1e-6)
        np.testing.assert_allclose(augment(X) @ augment(X).T @ model.alpha_, y, atol=1e-6)  # n < d: the plane fits

    @pytest.mark.parametrize("order", ["cyclic", "random"])
    def test_gram_matrix_block_by_block(self, data: Any, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
        options: Any = {"dual": True, "order": order, "random_state": 0, "max_iter": 5}
        whole = fitted(WidrowHoff(**options), *data)
        monkeypatch.setattr("discriminant.squared_error.aimed_patterns.CACHE", 0)
        monkeypatch.setattr("discriminant._engine.driver.CHUNK", 100)
        monkeypatch.setattr("discriminant.squared_error.widrow_hoff.AHEAD", 2)
        np.testing.assert_allclose(fitted(WidrowHoff(**options), *data).alpha_, whole.alpha_, rtol=1e-12)


class TestConvergence:
    @pytest.mark.parametrize("schedule", [None, "optimal"])
    def test_batch_reaches_the_pseudoinverse(self, schedule: Any) -> None:
        X, y = datasets.pseudoinverse_example()
        model = WidrowHoff(batch=True, schedule=schedule, tol=1e-9, max_iter=20_000).fit(X, y)
        assert model.status_ is Status.CONVERGED
        np.testing.assert_allclose(model.weights_, [11 / 3, -4 / 3, -2 / 3], atol=1e-6)
        assert "gradient" in str(model.report_)
        X, y = dataset = datasets.slides_eight()
        model = WidrowHoff(batch=True, schedule=schedule, tol=1e-9, max_iter=20_000).fit(X, y)
        np.testing.assert_allclose(model.weights_, dataset.mse, atol=1e-6)
        assert np.count_nonzero(model.predict(X) != y) == model.history_["errors"][-1] == 1

    @pytest.mark.parametrize("weighted", [False, True])
    def test_targets_and_weights(self, data: Any, weighted: bool, rng: np.random.Generator) -> None:
        X, y = data
        b, weight = rng.random(30) + 0.5, rng.random(30) if weighted else None
        model = WidrowHoff(batch=True, targets=b, tol=1e-9, max_iter=20_000).fit(X, y, weight)
        np.testing.assert_allclose(model.weights_, least_squares(X, y, b, weight), atol=1e-6)

    def test_singular_data_give_the_shortest_solution(self, rng: np.random.Generator) -> None:
        """From a = 0 the steps stay in the row space, whatever the rank (section 5.8.4)."""
        X = rng.normal(size=(6, 20))
        X[:, 3] = X[:, 4]
        y = np.arange(6) % 2
        model = WidrowHoff(batch=True, tol=1e-10, max_iter=20_000).fit(X, y)
        np.testing.assert_allclose(model.weights_, least_squares(X, y), atol=1e-6)
        single = WidrowHoff(schedule=0.02, tol=1e-10, max_iter=20_000).fit(X, y)  # Ya = b can be met
        np.testing.assert_allclose(single.weights_, least_squares(X, y), atol=1e-6)

    @given(
        seed=st.integers(0, 10_000), n=st.integers(2, 25), d=st.integers(1, 6), tol=st.sampled_from([1e-2, 1e-4, 1e-7]),
        options=st.sampled_from([
            {"batch": True}, {"batch": True, "schedule": "optimal"}, {"batch": True, "dual": True}, {"schedule": 0.05},
            {"schedule": "1/k"}, {"schedule": "rls"}, {"dual": True},
        ]),
    )  # fmt: skip
    def test_converged_means_the_normal_equations_hold(
        self, seed: int, n: int, d: int, tol: float, options: Any
    ) -> None:
        rng = np.random.default_rng(seed)
        X, y, b = rng.normal(size=(n, d)), np.r_[0, 1, rng.integers(0, 2, n - 2)], rng.random(n) + 0.1
        X[0] = X[-1] if seed % 3 == 0 else X[0]
        model = fitted(WidrowHoff(targets=b, tol=tol, max_iter=300, **options), X, y)
        Y = normalized(X, y)
        residual = np.linalg.norm(Y.T @ (Y @ model.weights_ - b))
        if model.status_ is Status.CONVERGED:
            assert residual <= tol * np.linalg.norm(Y.T @ b) * (1 + 1e-6)
        else:
            assert model.status_ is Status.BUDGET
            assert model.n_iter_ == 300

    @pytest.mark.parametrize("offset", [0.0, 10.0, 100.0, 1000.0])
    @pytest.mark.parametrize("kind", [WidrowHoff, WidrowHoffRegressor])
    def test_converged_far_from_the_origin_is_the_minimum(self, kind: Any, offset: float, data: Any) -> None:
        """There Y'b is so long that a gradient far below it says nothing."""
        X, y = data
        model = fitted(kind(batch=True, schedule="optimal", tol=1e-3, max_iter=200), X + offset, 2 * y - 1)
        J = np.sum((np.c_[np.ones(len(X)), X + offset] @ model.weights_ - (2 * y - 1)) ** 2)
        least = np.sum((normalized(X, y) @ least_squares(X, y) - 1) ** 2)
        assert model.status_ is (Status.CONVERGED if offset == 0 else Status.BUDGET) or J / least <= 1.001

    def test_batch_descends(self, data: Any) -> None:
        """J_s never rises for eta < 2 / lambda_max."""
        Y = normalized(*data)
        limit = 2 / np.linalg.eigvalsh(Y.T @ Y)[-1]
        for eta in (0.3 * limit, 0.999 * limit):
            model = fitted(WidrowHoff(batch=True, schedule=eta, max_iter=100), *data)
            assert np.all(np.diff(model.history_["criterion"]) <= 1e-12)

    def test_falling_steps_come_closer_than_constant_ones(self, data: Any) -> None:
        """Problem 24."""
        X, y = data
        answer = least_squares(X, y)

        def distance(schedule: Any, passes: int) -> float:
            model = fitted(WidrowHoff(schedule=schedule, tol=0, max_iter=passes), X, y)
            return float(np.linalg.norm(model.weights_ - answer))

        falling, constant = schedules.Harmonic(2.0), 0.05
        assert distance(falling, 3000) == pytest.approx(distance(falling, 300) / 10, rel=0.1)
        assert distance(falling, 3000) < 1e-4
        assert distance(constant, 3000) == pytest.approx(distance(constant, 300))
        assert distance(constant, 3000) > 1e-2

    def test_regression_example(self) -> None:
        X, y = datasets.regression_example()
        model = WidrowHoffRegressor(schedule=0.1, tol=1e-10, max_iter=5000).fit(X, y)
        assert model.status_ is Status.CONVERGED
        np.testing.assert_allclose(model.weights_, [0, 1, 2], atol=1e-7)
        assert model.coef_.shape == (2,)
        assert isinstance(model.intercept_, float)

    def test_budget_says_what_to_try(self, data: Any) -> None:
        with pytest.warns(NotConvergedWarning, match=r"'1/k', batch=True, or LeastSquares for the exact") as caught:
            model = WidrowHoff(max_iter=50).fit(*data)
        assert caught[0].filename == __file__
        assert caught[0].message.report is model.report_
        assert model.status_ is Status.BUDGET
        with pytest.warns(NotConvergedWarning, match="'1/k', batch=True, or LeastSquaresRegressor") as caught:
            WidrowHoffRegressor(max_iter=50).fit(data[0], data[1])
        assert caught[0].filename == __file__


class TestProblem32:
    @pytest.mark.parametrize("seed", range(5))
    def test_lms_separates_where_the_conditions_say(self, seed: int) -> None:
        """Symmetric six points: LMS fails iff one of the three conditions on c1 and c2 holds."""
        rng, seen = np.random.default_rng(seed), set()
        for third in rng.normal(scale=3, size=(8, 2)):
            X, y = dataset = datasets.symmetric_six(third)
            model = WidrowHoff(batch=True, tol=1e-9, max_iter=100_000).fit(X, y)
            separates = bool(np.all(normalized(X, y) @ model.weights_ > 0))
            assert separates == dataset.mse_separates
            assert abs(model.intercept_[0]) < 1e-9  # the plane goes through the origin
            seen.add(separates)
        assert seen == {True, False} or seed > 0

    def test_a_separable_set_that_lms_does_not_separate(self) -> None:
        X, y = dataset = datasets.symmetric_six()
        assert dataset.separable
        assert np.all(normalized(X, y) @ dataset.solution > 0)
        model = WidrowHoff(batch=True, tol=1e-9, max_iter=10_000).fit(X, y)
        assert np.any(normalized(X, y) @ model.weights_ <= 0)
        assert model.status_ is Status.CONVERGED


class TestWeightsAndClasses:
    def test_a_weight_multiplies_the_step(self, data: Any, rng: np.random.Generator) -> None:
        X, y = data
        Y, weight, a = normalized(X, y), rng.random(30), np.zeros(4)
        for i in range(30):
            a = a + 0.03 * weight[i] * (1 - a @ Y[i]) * Y[i]
        model = fitted(WidrowHoff(schedule=0.03, max_iter=1), X, y, weight)
        np.testing.assert_allclose(model.weights_, a)
        largest = np.max(weight * np.sum(Y**2, axis=1))
        assert fitted(WidrowHoff(max_iter=1), X, y, weight).history_["step"][0] == pytest.approx(0.1 / largest)

    @pytest.mark.parametrize("options", [{}, {"batch": True}, {"dual": True}, {"order": "random"}, {"schedule": "rls"}])
    def test_a_row_of_weight_zero_is_absent(self, data: Any, options: Any, rng: np.random.Generator) -> None:
        X, y = data
        weight = (rng.random(30) < 0.7).astype(float)
        X[weight == 0] *= 100
        kept = weight > 0
        one = fitted(WidrowHoff(max_iter=20, random_state=1, **options), X, y, weight)
        other = fitted(WidrowHoff(max_iter=20, random_state=1, **options), X[kept], y[kept])
        np.testing.assert_allclose(one.weights_, other.weights_, rtol=1e-10)
        np.testing.assert_allclose(one.history_["criterion"], other.history_["criterion"])

    def test_batch_counts_weights_as_copies(self, data: Any, rng: np.random.Generator) -> None:
        X, y = data
        times = rng.integers(1, 4, 30)
        one = fitted(WidrowHoff(batch=True, max_iter=50), X, y, times)
        other = fitted(WidrowHoff(batch=True, max_iter=50), np.repeat(X, times, axis=0), np.repeat(y, times))
        np.testing.assert_allclose(one.weights_, other.weights_, rtol=1e-9)

    def test_label_swap_negates_and_permuted_features_permute(self, data: Any) -> None:
        X, y = data
        model = fitted(WidrowHoff(max_iter=50), X, y)
        np.testing.assert_allclose(fitted(WidrowHoff(max_iter=50), X, 1 - y).weights_, -model.weights_)
        shuffled = fitted(WidrowHoff(max_iter=50), X[:, [2, 0, 1]], y)
        np.testing.assert_allclose(shuffled.coef_, model.coef_[:, [2, 0, 1]], rtol=1e-10)

    def test_many_classes(self) -> None:
        X, y = datasets.iris()
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        model = WidrowHoff(batch=True, max_iter=100_000).fit(X, y)
        assert model.weights_.shape == (3, 5)
        for j, label in enumerate(model.classes_):
            Y = normalized(X, (y == label).astype(int))
            residual = np.linalg.norm(Y.T @ (Y @ model.weights_[j] - 1))
            assert residual <= 1e-4 * np.linalg.norm(Y.sum(axis=0)) * (1 + 1e-9)
        pairs = fitted(WidrowHoff(multiclass="one-vs-one", max_iter=20), X, y)
        assert pairs.weights_.shape == (3, 5)
        assert pairs.decision_function(X).shape == (150, 3)

    @pytest.mark.parametrize("X", [[[1.0], [2.0]], [[0.0, 0.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 1.0], [3.0, 3.0]]])
    def test_degenerate_data(self, X: Any) -> None:
        y = [0, 1, 1][: len(X)]
        model = WidrowHoff(batch=True, tol=1e-10, max_iter=20_000).fit(X, y)
        np.testing.assert_allclose(model.weights_, least_squares(X, y), atol=1e-6)

    def test_xor_ends_at_once_with_nothing_decided(self) -> None:
        X, y = datasets.xor()
        model = WidrowHoff(batch=True).fit(2 * X - 1, y)
        assert model.n_iter_ == 1
        assert model.n_corrections_ == 0
        assert np.all(model.undecided(2 * X - 1))

    @pytest.mark.parametrize(("form", "dtype"), [(np.asarray, np.float64), (sparse.csr_matrix, np.float32)])
    def test_many_passes_in_one_call_are_those_of_one_each(self, monkeypatch: Any, form: Any, dtype: Any) -> None:
        X, y = datasets.iris()
        X = form((X - X.mean(axis=0)).astype(dtype))
        many = fitted(WidrowHoff(max_iter=200), X, y)
        assert many.n_iter_ == 200
        path = fitted(WidrowHoff(max_iter=200, record="weights"), X, y).history_["weights"][-1]
        exact = fitted(WidrowHoff(tol=1e-3), form(np.eye(3, dtype=dtype)), [0, 1, 1])  # here Ya = b can be met
        assert exact.status_ is Status.CONVERGED
        assert exact.n_iter_ > 50
        monkeypatch.setattr("discriminant.squared_error.widrow_hoff.FEW", 0)
        one = fitted(WidrowHoff(max_iter=200), X, y)
        assert many.weights_.tobytes() == one.weights_.tobytes()
        assert many.weights_[-1].tobytes() == path.tobytes()
        for name, column in one.history_.items():
            assert np.array_equal(many.history_[name], column), name
        plain = fitted(WidrowHoff(tol=1e-3), form(np.eye(3, dtype=dtype)), [0, 1, 1])
        assert (plain.n_iter_, plain.weights_.tolist()) == (exact.n_iter_, exact.weights_.tolist())
