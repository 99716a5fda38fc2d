"""Recursive least squares: every step of Eqs. 71-73, the exact answer after a pass, a million steps without harm."""

from __future__ import annotations

import pickle
import re
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from discriminant import Status, augment, datasets, normalize
from discriminant._engine.problem import narrow
from discriminant.squared_error.recursive_least_squares import (
    BOUND,
    Recursion,
    RecursiveLeastSquares,
    RecursivePass,
    _epoch,
    update,
)


def by_hand(Y: Any, b: Any, delta: float, a: Any, forgetting: float = 1.0) -> tuple[Any, Any]:
    """Eqs. 71 and 73, to the letter: all the vectors a(1), a(2), ... and the last R."""
    R, path = np.eye(Y.shape[1]) / delta, [np.array(a, float)]
    for y, target in zip(Y, b, strict=True):
        R = (R - np.outer(R @ y, R @ y) / (forgetting + y @ R @ y)) / forgetting
        path.append(path[-1] + R @ y * (target - path[-1] @ y))
    return np.array(path), R


def direct(Y: Any, b: Any, delta: float = 1e-4, a: Any = 0.0, weight: Any = 1.0, forgetting: float = 1.0) -> Any:
    """The minimum of delta lambda^n |a - a(1)|^2 + sum of w lambda^(n-k) (a'y - b)^2, and the inverse of its matrix."""
    n, d = Y.shape
    W, delta = weight * forgetting ** np.arange(n - 1, -1, -1), delta * forgetting**n
    G = delta * np.eye(d) + Y.T @ (Y * np.broadcast_to(W, n)[:, None])
    return np.linalg.solve(G, Y.T @ (W * b) + delta * np.broadcast_to(a, d)), np.linalg.inv(G)


def normalized(X: Any, y: Any) -> Any:
    return normalize(augment(np.asarray(X, float)), y)


@pytest.fixture
def data(rng: np.random.Generator) -> tuple[Any, Any]:
    X = rng.normal(size=(60, 4))
    return X, (X @ [1.0, -2.0, 0.5, 0.0] + 0.5 * rng.normal(size=60) > 0.3).astype(int)


class TestEveryStep:
    @pytest.mark.parametrize("forgetting", [1.0, 0.9])
    def test_eqs_71_to_73(self, data: Any, forgetting: float) -> None:
        X, y = data
        b, start = np.linspace(0.5, 2, 60), np.array([1.0, -1.0, 2.0, 0.5, 0.0])
        model = RecursiveLeastSquares(delta=0.1, targets=b, start=start, forgetting=forgetting, record="weights")
        model.fit(X, y)
        path, R = by_hand(normalized(X, y), b, 0.1, start, forgetting)
        np.testing.assert_allclose(model.history_["weights"], path, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(model.R_, R, rtol=1e-9, atol=1e-12)

    def test_history_tells_what_was_met(self, data: Any) -> None:
        X, y = data
        Y = normalized(X, y)
        model = RecursiveLeastSquares(max_iter=2, record="weights").fit(X, y)
        met = np.array([a @ Y[k % 60] for k, a in enumerate(model.history_["weights"][:-1])]).reshape(2, 60)
        np.testing.assert_array_equal(model.history_["errors"], np.count_nonzero(met <= 0, axis=1))
        np.testing.assert_allclose(model.history_["criterion"], np.sum((met - 1) ** 2, axis=1))
        np.testing.assert_array_equal(model.history_["corrections"], [60, 60])
        assert model.history_["step"][-1] == pytest.approx(np.trace(model.R_) / 5)
        assert model.n_iter_ == 2

    @pytest.mark.parametrize("kind", ["dense", "csr"])
    @pytest.mark.parametrize("classes", [2, 3])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_plain_python_does_the_same(
        self, rng: np.random.Generator, kind: str, classes: int, weighted: bool
    ) -> None:
        X = rng.normal(size=(8, 3)) * (rng.random((8, 3)) < 0.7)
        rows = narrow(sparse.csr_matrix(X) if kind == "csr" else X)
        labels, order = rng.integers(0, classes, 8).astype(np.int32), rng.permutation(8).astype(np.uint32)
        weight, b, outputs = rng.random(8) if weighted else np.empty(0), rng.random(8) + 0.5, 1 if classes == 2 else 3
        results = []
        for function in (_epoch, _epoch.py_func):
            A, V, D = np.zeros((outputs, 4)), np.eye(4), np.full(4, 10.0)
            told = function(rows, labels, b, weight, order, Recursion(A, V, D, 0.95, 50.0), 2.0, 0.5)
            assert RecursivePass(*told).finite
            results.append((told, A, V, D))
        for one, other in zip(*results, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-14)

    def test_update_is_eq_73(self, rng: np.random.Generator) -> None:
        """U and D stand for R throughout, and the gain is R y."""
        U, D = np.triu(rng.normal(size=(5, 5)), 1) + np.eye(5), rng.random(5) + 0.1
        R, y, r, forgetting = U @ np.diag(D) @ U.T, rng.normal(size=5), 0.7, 0.9
        V, gain = U.T.copy(), np.empty(5)
        s = update(V, D, y, r, forgetting, np.inf, gain)
        np.testing.assert_allclose(gain, R @ y)
        assert s == pytest.approx(forgetting * r + y @ R @ y)
        np.testing.assert_allclose(V.T @ np.diag(D) @ V, (R - np.outer(gain, gain) / s) / forgetting, atol=1e-12)
        np.testing.assert_array_equal(V, np.tril(V))
        assert np.all(D > 0)


def test_what_a_portion_found_is_not_written_over(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(20, 3)), np.arange(20) % 2
    model = RecursiveLeastSquares().partial_fit(X, y, classes=[0, 1])
    kept = model._state
    copies = [np.array(part) for part in kept]
    model.partial_fit(X + 1, y)
    for part, before in zip(kept, copies, strict=True):
        np.testing.assert_array_equal(part, before)
    assert not np.array_equal(model._state[0], copies[0])


class TestExactAnswer:
    @given(
        seed=st.integers(0, 10_000), n=st.integers(2, 40), d=st.integers(1, 8), forgetting=st.sampled_from([1.0, 0.9]),
        weighted=st.booleans(), started=st.booleans(), thin=st.booleans(),
    )  # fmt: skip
    def test_one_pass_is_the_direct_solution(
        self, seed: int, n: int, d: int, forgetting: float, weighted: bool, started: bool, thin: bool
    ) -> None:
        rng = np.random.default_rng(seed)
        X, y, b = rng.normal(size=(n, d)), np.r_[0, 1, rng.integers(0, 2, n - 2)], rng.random(n) + 0.1
        weight = rng.random(n) + 0.1 if weighted else None
        start = rng.normal(size=d + 1) if started else None
        model = RecursiveLeastSquares(delta=0.01, targets=b, start=start, forgetting=forgetting)
        model.fit(sparse.csr_matrix(X) if thin else X, y, weight)
        a, R = direct(
            normalized(X, y), b, 0.01, 0 if start is None else start, 1 if weight is None else weight, forgetting
        )
        np.testing.assert_allclose(model.weights_, a, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(model.R_, R, rtol=1e-7, atol=1e-9 * np.abs(R).max())

    @pytest.mark.parametrize("forgetting", [1.0, 0.9])
    def test_the_report_knows_the_minimum(self, data: Any, forgetting: float, rng: np.random.Generator) -> None:
        """Carried along from step to step, it is the criterion at the answer; of all discriminants together."""
        X, y, start, weight = data[0], np.arange(60) % 3, rng.normal(size=(3, 5)), rng.random(60) + 0.1
        model = RecursiveLeastSquares(delta=2.0, forgetting=forgetting, start=start)
        model.fit(X[:30], y[:30], weight[:30]).partial_fit(X[30:], y[30:], sample_weight=weight[30:])
        e = augment(X) @ model.weights_.T - np.where(y[:, None] == np.arange(3), 1, -1)
        prior = 2.0 * forgetting**60 * np.sum((model.weights_ - start) ** 2)
        value = prior + np.sum((weight * forgetting ** np.arange(59, -1, -1))[:, None] * e**2)
        assert model.report_.to_dict()["details"]["criterion value"] == pytest.approx(value, rel=1e-10)

    def test_default_delta(self, data: Any) -> None:
        X, y = data
        model = RecursiveLeastSquares().fit(X, y)
        a, R = direct(normalized(X, y), np.ones(60))
        np.testing.assert_allclose(model.weights_, a, rtol=1e-9)
        np.testing.assert_allclose(model.R_, R, rtol=1e-9, atol=1e-12)
        assert model.status_ is Status.CONVERGED
        note = "(delta I + Y'Y) a = Y'b + delta a(1) with delta = 0.0001"
        assert note in str(model.report_)
        assert any(note in text for text in model.report_.to_dict()["notes"])

    def test_several_passes_count_the_patterns_as_often(self, data: Any) -> None:
        X, y = data
        model = RecursiveLeastSquares(max_iter=3, order="random", random_state=0).fit(X, y)
        np.testing.assert_allclose(model.weights_, direct(normalized(X, y), np.ones(60), weight=3.0)[0], rtol=1e-9)
        assert model.n_iter_ == 3
        assert model.n_corrections_ == 180

    def test_computer_exercise_8(self) -> None:
        """Categories 2 and 3 of the table: one pass is least squares, up to delta."""
        X, y = datasets.table(2, 3)
        model = RecursiveLeastSquares(delta=1e-10).fit(X, y)
        answer = np.linalg.lstsq(normalized(X, y), np.ones(20), rcond=None)[0]
        np.testing.assert_allclose(model.weights_, answer, rtol=1e-8)
        assert np.count_nonzero(model.predict(X) != y) == np.count_nonzero(normalized(X, y) @ answer <= 0) == 1

    def test_order_makes_no_difference(self, data: Any, rng: np.random.Generator) -> None:
        X, y = data
        shuffled = rng.permutation(60)
        one, other = RecursiveLeastSquares().fit(X, y), RecursiveLeastSquares().fit(X[shuffled], y[shuffled])
        np.testing.assert_allclose(one.weights_, other.weights_, rtol=1e-10)
        drawn = RecursiveLeastSquares(order="random", random_state=1).fit(X, y)
        np.testing.assert_allclose(one.weights_, drawn.weights_, rtol=1e-10)
        forgetful = [RecursiveLeastSquares(forgetting=0.9).fit(X[p], y[p]).weights_ for p in (slice(None), shuffled)]
        assert np.abs(forgetful[0] - forgetful[1]).max() > 0.01

    def test_weights_count_as_copies(self, data: Any, rng: np.random.Generator) -> None:
        X, y = data
        times = rng.integers(0, 4, 60)
        one = RecursiveLeastSquares().fit(X, y, times)
        other = RecursiveLeastSquares().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
        np.testing.assert_allclose(one.weights_, other.weights_, rtol=1e-10)
        np.testing.assert_allclose(one.R_, other.R_, rtol=1e-9, atol=1e-13)

    def test_label_swap_negates_and_permuted_features_permute(self, data: Any) -> None:
        X, y = data
        model = RecursiveLeastSquares().fit(X, y)
        np.testing.assert_allclose(RecursiveLeastSquares().fit(X, 1 - y).weights_, -model.weights_)
        shuffled = RecursiveLeastSquares().fit(X[:, [3, 0, 2, 1]], y)
        np.testing.assert_allclose(shuffled.coef_, model.coef_[:, [3, 0, 2, 1]], rtol=1e-9)


class TestManyClasses:
    def test_the_discriminants_share_r(self) -> None:
        X, y = datasets.iris()
        b = np.linspace(0.5, 1.5, 150)
        model = RecursiveLeastSquares(targets=b).fit(X, y)
        assert model.weights_.shape == (3, 5)
        assert model.multiclass_ == "linear-machine"
        for j in range(3):
            a, R = direct(augment(X), np.where(y == model.classes_[j], b, -b))
            np.testing.assert_allclose(model.weights_[j], a, rtol=1e-8, atol=1e-9)
            np.testing.assert_allclose(model.R_, R, rtol=1e-7, atol=1e-11)
        scores = augment(X) @ model.weights_.T
        np.testing.assert_allclose(model.decision_function(X), scores)
        np.testing.assert_array_equal(model.predict(X), model.classes_[scores.argmax(axis=1)])

    def test_errors_and_ties(self, rng: np.random.Generator) -> None:
        X, y = rng.normal(size=(40, 2)), rng.integers(0, 3, 40)
        model = RecursiveLeastSquares(record="weights").fit(X, y)
        path = model.history_["weights"]
        assert path.shape == (41, 3, 3)
        met = np.einsum("kcj,kj->kc", path[:-1], augment(X))
        own = np.take_along_axis(met, y[:, None], 1)
        assert model.history_["errors"][0] == np.count_nonzero((met >= own).sum(axis=1) > 1)
        target = np.where(y[:, None] == np.arange(3), 1, -1)
        assert model.history_["criterion"][0] == pytest.approx(np.sum((met - target) ** 2))
        tied = RecursiveLeastSquares().fit([[0.0], [0.0], [0.0]], [0, 1, 2])
        assert np.all(tied.undecided([[0.0], [5.0]]))

    def test_start_for_each_class(self, rng: np.random.Generator) -> None:
        X, y, start = rng.normal(size=(9, 2)), np.arange(9) % 3, rng.normal(size=(3, 3))
        model = RecursiveLeastSquares(delta=10.0, start=start).fit(X, y)
        for j in range(3):
            a, _ = direct(augment(X), np.where(y == j, 1.0, -1.0), 10.0, start[j])
            np.testing.assert_allclose(model.weights_[j], a, rtol=1e-9)


class TestStability:
    def test_a_million_steps(self, rng: np.random.Generator) -> None:
        X, y = rng.normal(size=(2000, 6)) * np.geomspace(1e-3, 1e3, 6), rng.integers(0, 2, 2000)
        model = RecursiveLeastSquares(max_iter=500).fit(X, y)
        assert model.n_corrections_ == 1_000_000
        Y = normalized(X, y)
        S = 1 / np.sqrt(1e-4 + 500 * np.sum(Y**2, axis=0))  # scaled, so that the direct solution has all its digits
        G = S[:, None] * (1e-4 * np.eye(7) + 500 * Y.T @ Y) * S
        np.testing.assert_allclose(model.weights_ / S, np.linalg.solve(G, 500 * (Y * S).sum(axis=0)), rtol=1e-9)
        np.testing.assert_array_equal(model.R_, model.R_.T)
        unit = model.R_ / np.sqrt(np.diag(model.R_)) / np.sqrt(np.diag(model.R_))[:, None]
        assert np.linalg.eigvalsh(unit)[0] > 0.1  # as well conditioned as the patterns are
        np.testing.assert_allclose(model.R_ / S / S[:, None], np.linalg.inv(G), atol=1e-9)

    def test_a_million_steps_with_forgetting(self, rng: np.random.Generator) -> None:
        """What came long ago is gone: the answer is that of the last steps alone."""
        X, y = rng.normal(size=(2000, 6)), rng.integers(0, 2, 2000)
        model = RecursiveLeastSquares(max_iter=500, forgetting=0.98).fit(X, y)
        a, R = direct(normalized(X, y), np.ones(2000), 0.0, forgetting=0.98)
        np.testing.assert_allclose(model.weights_, a, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(model.R_, R, rtol=1e-9, atol=1e-12)

    def test_where_eq_73_breaks_down(self, rng: np.random.Generator) -> None:
        """Two features that differ by 1e-9 of their size: the printed recursion loses its R, the factors do not."""
        x = 1e3 * rng.normal(size=(300, 1))
        X, y = np.hstack([x, x + 1e-6 * rng.normal(size=(300, 1))]), rng.integers(0, 2, 300)
        Y, delta = normalized(X, y), 1e-8
        stacked = np.vstack([np.sqrt(delta) * np.eye(3), Y])
        answer = np.linalg.lstsq(stacked, np.r_[np.zeros(3), np.ones(300)], rcond=None)[0]
        path, _ = by_hand(Y, np.ones(300), delta, np.zeros(3))
        assert np.abs(Y @ (path[-1] - answer)).max() > 0.1
        model = RecursiveLeastSquares(delta=delta).fit(X, y)
        assert np.abs(Y @ (model.weights_ - answer)).max() < 1e-6
        assert np.all(model._state[2] > 0)  # D, and so R, is positive definite

    def test_no_windup(self, rng: np.random.Generator) -> None:
        """A feature that is silent for 100,000 steps: R stays within its bound, and learns when the feature speaks."""
        X = rng.normal(size=(100_000, 2))
        X[1000:, 1] = 0
        y = (X.sum(axis=1) > 0).astype(int)
        model = RecursiveLeastSquares(forgetting=0.9).fit(X, y)
        assert np.all(np.isfinite(model.weights_))
        assert np.linalg.eigvalsh(model.R_)[0] > 0
        assert model.R_[2, 2] <= BOUND / model.delta * (1 + 1e-12)
        later = rng.normal(size=(200, 2))
        model.partial_fit(later, (later[:, 1] > later[:, 0]).astype(int))
        Y = normalized(later, (later[:, 1] > later[:, 0]).astype(int))
        np.testing.assert_allclose(model.weights_, direct(Y, np.ones(200), 0.0, forgetting=0.9)[0], rtol=1e-6)

    @pytest.mark.parametrize("scale", [1e-150, 1e150])
    def test_scales(self, data: Any, scale: float) -> None:
        X, y = data
        model = RecursiveLeastSquares().fit(X * scale, y)
        assert np.all(np.isfinite(model.weights_))
        assert np.all(model._state[2] > 0)

    def test_numbers_too_large_are_refused(self, data: Any) -> None:
        with pytest.raises(ValueError, match="X overflows"):
            RecursiveLeastSquares().fit(data[0] * 1e200, data[1])

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_not_finite(self, data: Any, bad: float) -> None:
        X = data[0].copy()
        X[3, 1] = bad
        for given_X in (X, sparse.csr_matrix(X)):
            with pytest.raises(ValueError, match=r"NaN|infinity"):
                RecursiveLeastSquares().fit(given_X, data[1])


class TestStorage:
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_dense_and_csr_agree(self, rng: np.random.Generator, dtype: Any) -> None:
        """Arithmetic is in float64 whatever comes in: float32 in, float32 out, rounded once."""
        X = (rng.normal(size=(50, 7)) * (rng.random((50, 7)) < 0.4)).astype(dtype)
        y = rng.integers(0, 3, 50)
        dense, thin = (RecursiveLeastSquares().fit(M, y) for M in (X, sparse.csr_array(X)))
        assert dense.weights_.dtype == dense.coef_.dtype == thin.weights_.dtype == dtype
        assert dense.R_.dtype == np.float64
        np.testing.assert_allclose(thin.weights_, dense.weights_, rtol=1e-9 if dtype == np.float64 else 1e-6)
        wide = RecursiveLeastSquares().fit(X.astype(np.float64), y)
        np.testing.assert_array_equal(dense.weights_, wide.weights_.astype(dtype))

    def test_x_stays_sparse(self) -> None:
        """Five entries in fifty columns: nothing the size of a dense copy is ever made."""
        n, rng = 100_000, np.random.default_rng(0)
        X = sparse.csr_array((rng.normal(size=5 * n), rng.integers(0, 50, 5 * n), np.arange(0, 5 * n + 1, 5)), (n, 50))
        X.sum_duplicates()
        y = rng.integers(0, 2, n)
        RecursiveLeastSquares().fit(X[:10], np.arange(10) % 2)
        tracemalloc.start()
        RecursiveLeastSquares().fit(X, y)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < n * 50 * 8 / 4

    def test_repeated_entries(self, data: Any) -> None:
        X, y = data
        columns, ends = np.tile(np.repeat(np.arange(4), 2), 60), np.arange(61) * 8
        doubled = sparse.csr_array((np.repeat(X.ravel() / 2, 2), columns, ends), X.shape)
        assert doubled.nnz == 2 * X.size
        model = RecursiveLeastSquares().fit(doubled, y)
        np.testing.assert_allclose(model.weights_, RecursiveLeastSquares().fit(X, y).weights_)


class TestPortions:
    @pytest.mark.parametrize("forgetting", [1.0, 0.95])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("classes", [2, 3])
    def test_portions_make_a_pass(self, data: Any, forgetting: float, dtype: Any, classes: int) -> None:
        X, y = data[0].astype(dtype), np.arange(60) % classes
        whole = RecursiveLeastSquares(forgetting=forgetting).fit(X, y)
        model = RecursiveLeastSquares(forgetting=forgetting)
        for part in (slice(0, 7), slice(7, 8), slice(8, 60)):
            model.partial_fit(X[part], y[part], classes=np.arange(classes))
            model = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(model.weights_, whole.weights_)
        np.testing.assert_array_equal(model.R_, whole.R_)
        assert model.n_iter_ == 3
        assert model.status_ is Status.CONVERGED

    def test_a_fit_goes_on(self, data: Any) -> None:
        X, y = data
        whole = RecursiveLeastSquares().fit(X, y)
        model = RecursiveLeastSquares().fit(X[:40], y[:40]).partial_fit(X[40:], y[40:])
        np.testing.assert_array_equal(model.weights_, whole.weights_)
        np.testing.assert_array_equal(model.R_, whole.R_)

    @pytest.mark.parametrize("bad", [np.nan, 1e200])
    def test_a_refused_portion_leaves_no_trace(self, data: Any, bad: float) -> None:
        X, y = data
        model = RecursiveLeastSquares().partial_fit(X[:40], y[:40], classes=[0, 1])
        spoiled = X[40:].copy()
        spoiled[5, 2] = bad
        with pytest.raises(ValueError, match=r"NaN|overflow"):
            model.partial_fit(spoiled, y[40:])
        model.partial_fit(X[40:], y[40:])
        np.testing.assert_array_equal(model.weights_, RecursiveLeastSquares().fit(X, y).weights_)

    def test_targets_of_a_portion(self, data: Any) -> None:
        X, y = data
        model = RecursiveLeastSquares(targets=np.full(60, 2.0)).partial_fit(X, y, classes=[0, 1])
        with pytest.raises(ValueError, match="each of the 10 rows"):
            model.partial_fit(X[:10], y[:10])


BAD: list[tuple[dict[str, Any], str]] = [
    ({"delta": 0}, "delta=0 must be "),
    ({"delta": -1e-4}, "delta=-0.0001 must be "),
    ({"delta": np.inf}, "delta=inf must be "),
    ({"forgetting": 0.0}, "forgetting=0.0 must be "),
    ({"forgetting": 1.01}, "forgetting=1.01 must be .*; give a factor in"),
    ({"forgetting": "none"}, "forgetting='none' must be "),
    ({"targets": "twos"}, "targets='twos' must be one of"),
    ({"targets": [1.0, 2.0]}, r"targets has shape \(2,\).*each of the 60 rows"),
    ({"targets": np.r_[np.ones(59), 0]}, "targets holds 0; give 'ones', or finite numbers > 0"),
    ({"targets": np.r_[np.ones(59), -1]}, "targets holds -1"),
    ({"start": np.zeros(3)}, r"start has shape \(3,\)"),
    ({"max_iter": 0}, "max_iter=0 must be "),
    ({"order": "backward"}, "order='backward' must be one of"),
    ({"record": "all"}, "record='all' must be one of"),
]


@pytest.mark.parametrize(("options", "message"), BAD)
def test_bad_input(data: Any, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RecursiveLeastSquares(**options).fit(*data)


def test_too_many_features_are_refused_with_the_size() -> None:
    X = sparse.csr_array(([1.0, 2.0], ([0, 1], [5, 49_999])), shape=(2, 50_000))
    with pytest.raises(ValueError, match=r"50,000 features, for which R would take 18\.6 GiB; take WidrowHoff"):
        RecursiveLeastSquares().fit(X, [0, 1])


@pytest.mark.parametrize("offset", [0.0, 1e2, 1e4])
def test_what_delta_keeps_from_the_sum_of_squares_is_told(data: Any, offset: float) -> None:
    """Far from the origin the weights must be long, and the default delta holds them back."""
    X, y = data
    model = RecursiveLeastSquares().fit(X + offset, y)
    J = np.sum((normalized(X + offset, y) @ model.weights_ - 1) ** 2)
    Y = normalized(X, y)
    above = J - np.sum((Y @ np.linalg.lstsq(Y, np.ones(60), rcond=None)[0] - 1) ** 2)
    told = re.search(
        r"holds the weights back: the sum of squares alone could be lower by (.*); give", str(model.report_)
    )
    assert (told is not None) == (above > 1e-3 * J)
    assert told is None or 0.5 * above < float(told[1]) < 1.01 * above
    assert "back" not in str(RecursiveLeastSquares(delta=1e-12).fit(X + offset, y).report_)


@pytest.mark.parametrize("X", [[[1.0], [2.0]], [[0.0, 0.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 1.0], [3.0, 3.0]]])
def test_degenerate_data(X: Any) -> None:
    y = [0, 1, 1][: len(X)]
    np.testing.assert_allclose(RecursiveLeastSquares().fit(X, y).weights_, direct(normalized(X, y), np.ones(len(X)))[0])
