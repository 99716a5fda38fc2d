"""Linear programming: the book's minima, duality and KKT, an oracle, many classes, equivalences, Ctrl-C, bad input."""

from __future__ import annotations

import os
import signal
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from discriminant import (
    FitInterruptedWarning,
    LinearProgram,
    NotConvergedWarning,
    Status,
    augment,
    criteria,
    datasets,
    kesler,
    normalize,
)
from discriminant.linear_programming import linear_program

CRITERIA = ["perceptron", "minimax"]


def fit(X: Any, y: Any, sample_weight: Any = None, **parameters: Any) -> LinearProgram:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        return LinearProgram(**parameters).fit(X, y, sample_weight)


def rows_of(X: Any, y: Any) -> Any:
    return normalize(augment(np.asarray(X, float)), y) if np.unique(y).size == 2 else kesler(X, y)


def oracle(X: Any, y: Any, criterion: str, b: Any = 1.0, v: Any = 1.0) -> float:
    """The program of section 5.10, with a = a+ - a- and all unknowns nonnegative, as the book writes it."""
    Y = rows_of(X, y)
    n, p = Y.shape
    tau = np.eye(n) if criterion == "perceptron" else np.ones((n, 1))
    cost = np.r_[np.zeros(2 * p), np.broadcast_to(v, n) if criterion == "perceptron" else [1.0]]
    return float(linprog(cost, -np.hstack([Y, -Y, tau]), -np.broadcast_to(b, n)).fun)


class TestWorkedNumbers:
    def test_problem_25(self) -> None:
        model = fit(*datasets.inseparable_six())
        assert model.objective_ == pytest.approx(30 / 7, rel=1e-12)
        assert model.status_ is Status.CONVERGED

    def test_table(self) -> None:
        data = datasets.table(1, 3)
        model = fit(*data)
        assert model.objective_ == pytest.approx(data.min_perceptron_criterion, rel=1e-12)
        assert round(model.objective_, 5) == 6.11668
        separated = fit(*datasets.table(1, 2))
        assert separated.status_ is Status.SEPARATED
        assert separated.objective_ < 1e-12
        assert separated.score(*datasets.table(1, 2)) == 1

    def test_problem_26(self, rng: np.random.Generator) -> None:
        """The minimizing a of the first program minimizes the largest violation."""
        X, y = datasets.table(1, 3)
        b = rng.uniform(0.5, 3, 20)
        model = fit(X, y, criterion="minimax", b=b)
        J = criteria.get("minimax")(rows_of(X, y), b)
        assert J.value(model.weights_) == pytest.approx(model.objective_, abs=1e-12)
        assert J.value(model.weights_) == pytest.approx(oracle(X, y, "minimax", b), abs=1e-9)
        for size in (0.01, 0.1, 1):
            for a in model.weights_ + size * rng.normal(size=(200, 3)):
                assert J.value(a) >= model.objective_ - 1e-12

    def test_problem_29(self) -> None:
        """Three points of each category: either program reaches the functional margins that are asked for."""
        X, y = [[1, 1], [2, 2], [2, 0], [0, 0], [1, 0], [0, 1]], [1, 1, 1, 0, 0, 0]
        for criterion in CRITERIA:
            model = fit(X, y, criterion=criterion)
            assert model.status_ is Status.SEPARATED
            assert np.all(rows_of(X, y) @ model.weights_ >= 1 - 1e-9)


class TestNotSeparable:
    @pytest.mark.parametrize("load", [datasets.xor, datasets.inseparable_six, lambda: datasets.table(1, 3)])
    @pytest.mark.parametrize("b", [1.0, 7.0])
    def test_minimax_with_equal_margins_ends_at_zero_and_warns(self, load: Any, b: float) -> None:
        with pytest.warns(NotConvergedWarning, match="are not linearly separable.*criterion='perceptron'") as caught:
            model = LinearProgram(criterion="minimax", b=b).fit(*load())
        assert model.status_ is Status.NOT_SEPARABLE
        assert np.all(model.weights_ == 0)
        assert model.objective_ == b
        assert caught[0].message.report is model.report_
        assert "It holds to that tolerance" in str(model.report_)
        Y = rows_of(*load())
        assert np.all(model.dual_ >= 0)
        assert model.dual_.sum() == pytest.approx(1)
        np.testing.assert_allclose(Y.T @ model.dual_, 0, atol=1e-12)

    def test_minimax_has_few_multipliers(self, rng: np.random.Generator) -> None:
        """A vertex of the dual: no more patterns than weights and one, the theorem of Caratheodory."""
        X, y = rng.normal(size=(200, 4)), np.arange(200) % 2
        assert np.count_nonzero(fit(X, y, criterion="minimax").dual_) <= 6

    def test_weights_without_a_direction_warn(self) -> None:
        with pytest.warns(NotConvergedWarning, match="minimum_removals"):
            model = LinearProgram().fit(*datasets.xor())
        assert model.status_ is Status.NOT_SEPARABLE
        assert model.objective_ == 4

    def test_an_overlap_is_no_failure_of_the_sum(self) -> None:
        model = LinearProgram().fit(*datasets.table(1, 3))  # a warning would be an error here
        assert model.report_.to_dict()["inseparable"]
        assert "Evidence: 8 multipliers" in str(model.report_)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("c", [2, 3, 4])
def test_value_duality_and_kkt(criterion: str, c: int, rng: np.random.Generator) -> None:
    for _ in range(4):
        X, y, b = rng.normal(size=(40, 3)), np.arange(40) % c, rng.uniform(0.5, 2, 40)
        X[:, 0] += y
        model = fit(X, y, criterion=criterion, b=b)
        Y, each = rows_of(X, y), np.repeat(b, c - 1)
        tau = np.maximum(each - Y @ model.weights_.ravel(), 0)
        value = tau.sum() if criterion == "perceptron" else tau.max()
        assert model.objective_ == pytest.approx(value, abs=1e-9)
        assert model.objective_ == pytest.approx(oracle(X, y, criterion, each), abs=1e-7)
        own = np.arange(c) == y[:, None]
        multipliers = model.dual_ if c == 2 else model.dual_[~own]
        if c > 2:
            assert np.all(model.dual_[own] == 0)
        np.testing.assert_allclose(Y.T @ multipliers, 0, atol=1e-9)
        assert each @ multipliers == pytest.approx(model.objective_, abs=1e-9)
        slack = Y @ model.weights_.ravel() - each
        if criterion == "perceptron":  # complementary slackness
            assert np.all((multipliers >= 0) & (multipliers <= 1))
            assert np.all(np.abs(slack[(multipliers > 1e-9) & (multipliers < 1 - 1e-9)]) < 1e-8)
            assert np.all(slack[multipliers <= 1e-9] > -1e-8)
            assert np.all(slack[multipliers >= 1 - 1e-9] < 1e-8)
        else:
            np.testing.assert_allclose(slack[multipliers > 1e-9], -model.objective_, atol=1e-8)
        details = model.report_.to_dict()["details"]
        assert abs(details["duality gap"]) < 1e-9
        assert details["criterion value"] == model.objective_


@pytest.mark.parametrize("n", [400, 60])
def test_separable_data_of_any_shape_are_separated(n: int, rng: np.random.Generator) -> None:
    d = 20_000 // n
    X = rng.normal(size=(n, d))
    X[:, 0] = np.sign(X[:, 0]) * (2 + np.abs(X[:, 0]))
    y = X[:, 0] > 0
    for criterion in CRITERIA:
        model = fit(X, y, criterion=criterion)
        assert model.status_ is Status.SEPARATED
        assert model.score(X, y) == 1
        assert not model.dual_.any()


class TestManyClasses:
    def test_iris_by_one_machine(self) -> None:
        X, y = datasets.iris()
        model = fit(X, y)
        assert model.coef_.shape == (3, 4)
        assert model.dual_.shape == (150, 3)
        assert model.objective_ == pytest.approx(oracle(X, y, "perceptron"), rel=1e-9)
        np.testing.assert_allclose(model.weights_.sum(axis=0), 0, atol=1e-9)
        assert model.score(X, y) > 0.97

    def test_a_machine_separates_what_no_class_does_from_the_rest(self) -> None:
        X, y = datasets.table(1, 2, 4)
        for criterion in CRITERIA:
            assert fit(X, y, criterion=criterion).status_ is Status.SEPARATED
        assert fit(X, y, criterion="minimax", multiclass="one-vs-rest").status_ is Status.NOT_SEPARABLE
        assert fit(X, y, criterion="minimax", multiclass="one-vs-one").status_ is Status.SEPARATED

    @pytest.mark.parametrize("criterion", CRITERIA)
    def test_problems_of_two_categories(self, criterion: str) -> None:
        X, y = datasets.iris()
        model = fit(X, y, criterion=criterion, multiclass="one-vs-rest")
        parts = [fit(X, (y == i).astype(int), criterion=criterion) for i in range(3)]
        np.testing.assert_allclose(model.weights_, [part.weights_ for part in parts])
        np.testing.assert_allclose(model.dual_, [part.dual_ for part in parts])
        whole = sum if criterion == "perceptron" else max
        assert model.objective_ == pytest.approx(whole(part.objective_ for part in parts))
        assert "Problem 1 (row 1 of coef_)" in str(model.report_)
        pairwise = fit(X, y, criterion=criterion, multiclass="one-vs-one")
        assert pairwise.dual_.shape == (3, 150)
        assert not pairwise.dual_[0, y == 2].any()


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("multiclass", ["kesler", "one-vs-rest", "one-vs-one"])
def test_dense_and_sparse_are_the_same(criterion: str, multiclass: str, rng: np.random.Generator) -> None:
    X, y = rng.integers(-2, 3, (60, 5)).astype(float), np.arange(60) % 3
    models = [fit(data, y, criterion=criterion, multiclass=multiclass) for data in (X, sparse.csr_array(X))]
    np.testing.assert_array_equal(models[0].weights_, models[1].weights_)
    np.testing.assert_array_equal(models[0].dual_, models[1].dual_)


def test_repeated_entries_of_a_csr_matrix_add_up(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    twice = sparse.csr_array(
        (np.repeat(X.ravel() / 2, 2), np.tile([0, 0, 1, 1], 20), np.arange(0, 81, 4)), shape=(20, 2)
    )
    np.testing.assert_allclose(fit(twice, y).weights_, fit(X, y).weights_)
    assert twice.nnz == 80


def test_float32_stays_float32(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(80, 3)).astype(np.float32), np.arange(80) % 2
    X[:, 0] += y
    single, double = fit(X, y), fit(X.astype(float), y)
    assert single.coef_.dtype == single.intercept_.dtype == single.decision_function(X).dtype == np.float32
    np.testing.assert_allclose(single.weights_, double.weights_, rtol=1e-5)
    assert single.objective_ == pytest.approx(double.objective_, rel=1e-5)
    assert fit(*(part.astype(np.float32) for part in datasets.table(1, 2))).status_ is Status.SEPARATED


@pytest.mark.parametrize("criterion", CRITERIA)
def test_swapped_labels_negate(criterion: str, rng: np.random.Generator) -> None:
    for X, y in (datasets.table(1, 3), (rng.normal(size=(50, 3)), np.arange(50) % 2)):
        one, other = (fit(X, labels, criterion=criterion, b=2.0) for labels in (y, 1 - y))
        assert one.objective_ == pytest.approx(other.objective_, rel=1e-9)
        np.testing.assert_allclose(one.weights_, -other.weights_, atol=1e-9)


def test_permuted_features_permute(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(60, 4)), np.arange(60) % 2
    np.testing.assert_allclose(fit(X[:, [2, 0, 3, 1]], y).coef_, fit(X, y).coef_[:, [2, 0, 3, 1]], rtol=1e-8)


class TestSampleWeight:
    def test_weight_two_is_two_rows(self, rng: np.random.Generator) -> None:
        X, y, v = rng.normal(size=(60, 2)), np.arange(60) % 2, rng.integers(0, 3, 60)
        weighted, repeated = fit(X, y, v), fit(np.repeat(X, v, axis=0), np.repeat(y, v))
        assert weighted.objective_ == pytest.approx(repeated.objective_)
        np.testing.assert_allclose(weighted.weights_, repeated.weights_, atol=1e-8)
        assert np.all(weighted.dual_ <= v)

    def test_weights_scale_the_sum(self, rng: np.random.Generator) -> None:
        X, y, v = rng.normal(size=(40, 2)), np.arange(40) % 2, rng.uniform(0.1, 3, 40)
        assert fit(X, y, v).objective_ == pytest.approx(oracle(X, y, "perceptron", v=v))
        assert fit(X, y, 1e9 * v).objective_ == pytest.approx(1e9 * fit(X, y, v).objective_)

    def test_minimax_knows_zero_and_the_rest(self, rng: np.random.Generator) -> None:
        X, y = datasets.table(1, 3)
        v = np.ones(20)
        v[12] = 0  # without this row a line separates
        assert fit(X, y, v, criterion="minimax").status_ is Status.SEPARATED
        assert fit(X, y, v).status_ is Status.SEPARATED
        b = rng.uniform(1, 2, 20)
        plain, weighted = (fit(X, y, w, criterion="minimax", b=b) for w in (None, rng.uniform(0.1, 5, 20)))
        np.testing.assert_array_equal(plain.weights_, weighted.weights_)

    def test_a_class_without_weight(self) -> None:
        X, y = datasets.iris()
        model = fit(X, y, (y != 2).astype(float))
        assert model.status_ is Status.SEPARATED
        assert model.score(X[y != 2], y[y != 2]) == 1


class TestDegenerateData:
    @pytest.mark.parametrize("criterion", CRITERIA)
    @pytest.mark.parametrize(
        ("X", "y", "separable"),
        [
            ([[0.0], [1.0]], [0, 1], True),
            ([[1.0], [1.0]], [0, 1], False),
            ([[0.0], [0.0], [1.0]], [0, 0, 1], True),
            ([[0.0, 5], [1, 5], [2, 5]], [0, 1, 1], True),
            ([[0.0, 0, 0], [1, 1, 2], [2, 2, 4]], [0, 1, 0], False),
            ([[0.0, 0], [0, 0], [0, 0]], [0, 1, 1], False),
        ],
        ids=["one a class", "one point", "duplicates", "constant column", "collinear", "all zero"],
    )
    def test_small_cases(self, criterion: str, X: Any, y: Any, separable: bool) -> None:
        model = fit(X, y, criterion=criterion)
        assert (model.status_ is Status.SEPARATED) == separable
        assert model.objective_ == pytest.approx(oracle(X, y, criterion), abs=1e-9)

    @pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e150])
    @pytest.mark.parametrize("criterion", CRITERIA)
    def test_extreme_scales(self, scale: float, criterion: str) -> None:
        for X, y in (datasets.table(1, 2), datasets.table(1, 3)):
            model, plain = fit(X * scale, y, criterion=criterion), fit(X, y, criterion=criterion)
            assert model.objective_ == pytest.approx(plain.objective_, abs=1e-9)
            assert model.status_ is plain.status_

    @pytest.mark.parametrize("offset", [1e6, 1e9])
    def test_offsets(self, offset: float) -> None:
        X, y = datasets.table(1, 2)
        X = np.round(8 * X)  # whole numbers, so that the offset costs no digits
        model = fit(X + offset, y)
        assert model.status_ is Status.SEPARATED
        assert np.all(rows_of(X + offset, y) @ model.weights_ > 0.999)

    def test_columns_of_very_different_size(self, rng: np.random.Generator) -> None:
        X, y = rng.normal(size=(50, 3)), np.arange(50) % 2
        sizes = np.array([1e-100, 1, 1e100])
        np.testing.assert_allclose(fit(X * sizes, y).coef_ * sizes, fit(X, y).coef_, rtol=1e-6)

    @pytest.mark.parametrize("criterion", CRITERIA)
    @pytest.mark.parametrize("size", [1e-4, 1e-7, 1e-10])
    def test_a_small_difference_of_two_columns(self, criterion: str, size: float, rng: np.random.Generator) -> None:
        """It alone tells the classes apart, and the solver's tolerance is larger than it."""
        x, s = rng.normal(size=(2, 60))
        y = (s > 0).astype(int)
        assert fit(np.c_[x, x + size * s], y, criterion=criterion).status_ is Status.SEPARATED
        assert fit(np.c_[x, x + size * s], rng.permutation(y), criterion=criterion).status_ is not Status.SEPARATED

    def test_weights_that_float32_cannot_hold(self) -> None:
        X = np.array([[0], [1e-42], [2e-42], [3e-42]], np.float32)
        with pytest.raises(ValueError, match="weights overflow float32"):
            fit(X, [0, 0, 1, 1])


@pytest.mark.parametrize("multiclass", ["kesler", "one-vs-rest"])
def test_ctrl_c_leaves_a_model(multiclass: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    minimize = linear_program.minimize

    def interrupted(*data: Any, **options: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        monkeypatch.setattr(linear_program, "minimize", minimize)
        return minimize(*data, **options)

    monkeypatch.setattr(linear_program, "minimize", interrupted)
    monkeypatch.setattr("discriminant._engine.driver._last_interrupt", float("-inf"))
    X, y = rng.normal(size=(500, 10)), np.arange(500) % 3
    with pytest.warns(FitInterruptedWarning, match="the fit was told to stop"):
        model = LinearProgram(multiclass=multiclass).fit(X, y)
    assert model.status_ is Status.STOPPED
    assert model.predict(X).shape == (500,)
    assert model.history_["errors"].size == 0
    assert "told to stop" in str(model.report_)


def test_time_limit(rng: np.random.Generator) -> None:
    with pytest.raises(TimeoutError, match=r"time_limit=1e-06 seconds ran out.*give more time"):
        LinearProgram(time_limit=1e-6).fit(rng.normal(size=(300, 10)), np.arange(300) % 2)
    assert fit(*datasets.table(1, 2), time_limit=60).status_ is Status.SEPARATED


def test_a_time_limit_leaves_the_model_as_it_was(rng: np.random.Generator) -> None:
    model = fit(*datasets.table(1, 3))
    before = dict(vars(model))
    with pytest.raises(TimeoutError):
        model.set_params(time_limit=1e-6).fit(rng.normal(size=(300, 10)), np.arange(300) % 3)
    assert vars(model).keys() == before.keys()
    assert all(value is before[name] for name, value in vars(model).items() if name != "time_limit")
    assert model.predict([[0.0, 0.0]]).shape == (1,)
    fresh = LinearProgram(time_limit=1e-6)
    with pytest.raises(TimeoutError):
        fresh.fit(rng.normal(size=(300, 10)), np.arange(300) % 2)
    assert vars(fresh) == vars(LinearProgram(time_limit=1e-6))


def test_a_failed_solve_leaves_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*data: Any, **options: Any) -> Any:
        raise RuntimeError("HiGHS found no optimum")

    monkeypatch.setattr(linear_program, "minimize", fails)
    model = LinearProgram()
    with pytest.raises(RuntimeError, match="no optimum"):
        model.fit(*datasets.table(1, 2))
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "hinge"}, "criterion='hinge'"),
        ({"b": 0}, "b=0 must be "),
        ({"b": np.nan}, "b=nan"),
        ({"b": np.ones(3)}, r"b must be of shape \(20,\), not \(3,\)"),
        ({"b": np.r_[np.ones(19), -2.0]}, "b=-2.0 must be "),
        ({"b": ["one"] * 20}, "no number"),
        ({"time_limit": 0}, "time_limit=0"),
        ({"multiclass": "all"}, "multiclass='all'"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], message: str, rng: np.random.Generator) -> None:
    with pytest.raises(ValueError, match=message):
        LinearProgram(**parameters).fit(rng.normal(size=(20, 2)), np.arange(20) % 2)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_bad_data(bad: float, store: Any, rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 2))
    X[7, 1] = bad
    with pytest.raises(ValueError, match=r"X contains (NaN|infinity), first in row 7, column 1"):
        LinearProgram().fit(store(X), np.arange(20) % 2)
