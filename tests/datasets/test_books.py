"""The tables and examples of Pattern Classification, run again in exact arithmetic."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_answers import PAIRS, batch_perceptron, kesler, patterns, two_class, verdict

from discriminant import datasets


class TestTable:
    def test_some_cells(self):
        X, y = datasets.table()
        assert X.shape == (40, 2)
        assert y.tolist() == [*[1] * 10, *[2] * 10, *[3] * 10, *[4] * 10]
        assert X[0].tolist() == [0.1, 1.1]
        assert X[19].tolist() == [4.1, -2.2]
        assert X[22].tolist() == [2.9, 2.1]
        assert X[39].tolist() == [-8.0, -6.3]
        # The sums of the eight columns of the book's table
        assert X.reshape(4, 10, 2).sum(axis=1).round(1).tolist() == [
            [21.6, 24.9],
            [39.5, -8.4],
            [-15.7, 35.3],
            [-59.9, -61.4],
        ]

    def test_the_first_category_is_positive(self):
        dataset = datasets.table(3, 2)
        assert dataset.y.tolist() == [*[1] * 10, *[0] * 10]
        assert dataset.target_names == ("ω2", "ω3")
        np.testing.assert_array_equal(dataset.X[:10], datasets.table().X[20:30])
        assert datasets.table(4, 1, 2).y[0] == 4

    @pytest.mark.parametrize("pair", PAIRS)
    def test_batch_perceptron(self, pair):
        dataset = datasets.table(*pair)
        if not dataset.separable:
            assert set(pair) == {1, 3}
            return
        a, steps = batch_perceptron(patterns(dataset))
        assert [float(v) for v in a] == dataset.solution.tolist()
        assert steps == dataset.corrections

    def test_the_worked_numbers(self):
        assert datasets.table(1, 2).corrections == 23
        assert datasets.table(3, 2).corrections == 16
        assert datasets.table(3, 2).solution.tolist() == [19, -41.4, 48.6]
        assert round(datasets.table(1, 3).min_perceptron_criterion, 5) == 6.11668

    def test_ho_kashyap(self):
        dataset = datasets.table(4, 2)
        Y = two_class(dataset.X, dataset.y == 1)
        inverse, b, k = np.linalg.pinv(Y), np.ones(20), 1
        while not (Y @ (a := inverse @ b) > 0).all():
            e = Y @ a - b
            b, k = b + (e + np.abs(e)) / 2, k + 1
        assert k == dataset.ho_kashyap_steps

    @pytest.mark.parametrize("chosen", [*itertools.combinations([1, 2, 3, 4], 3), (1, 2, 3, 4)])
    def test_linear_machines(self, chosen):
        dataset = datasets.table(*chosen)
        X, y = dataset
        assert verdict(kesler(X, y)) == dataset.verdict
        assert (dataset.verdict == "complete") == dataset.separable
        weakest = ("overlap", "quasi", "complete")
        assert min((verdict(two_class(X, y == i)) for i in chosen), key=weakest.index) == dataset.total
        pairs = [datasets.table(*pair).verdict for pair in itertools.combinations(chosen, 2)]
        assert min(pairs, key=weakest.index) == dataset.pairwise

    @pytest.mark.parametrize("categories", [(1,), (1, 1), (0, 1), (1, 5), ("1", "2")])
    def test_bad_categories(self, categories):
        with pytest.raises(ValueError, match="categories="):
            datasets.table(*categories)


class TestPatternClassification:
    def test_pseudoinverse(self):
        dataset = datasets.pseudoinverse_example()
        Y = two_class(dataset.X, dataset.y == 1)
        np.testing.assert_allclose(np.linalg.pinv(Y), dataset.pseudoinverse, atol=1e-14)

    def test_hessian(self):
        dataset = datasets.hessian_example()
        Y = two_class(dataset.X, dataset.y == 1)
        np.testing.assert_array_equal(2 * Y.T @ Y, dataset.hessian)
        gradient = -2 * Y.T @ np.ones(6)
        assert gradient @ gradient / (gradient @ dataset.hessian @ gradient) == pytest.approx(dataset.optimal_rate)
        assert dataset.optimal_rate == pytest.approx(0.00392907, rel=1e-5)

    def test_optimal_rate_of_eq_95(self):
        dataset = datasets.inseparable_six()
        Y = two_class(dataset.X, dataset.y == 1)
        step = Y.T @ np.abs(Y @ np.zeros(3) - 1)
        assert step @ step / ((Y @ step) @ (Y @ step)) == pytest.approx(dataset.optimal_rate)
        assert dataset.optimal_rate == pytest.approx(0.0193050, rel=1e-5)

    @pytest.mark.parametrize("t", [0.0, 0.7, 2.0])
    def test_margin_six_meets_the_kuhn_tucker_conditions(self, t):
        dataset = datasets.margin_six()
        alpha = dataset.alpha + t * dataset.alpha_direction
        self.kuhn_tucker(dataset, alpha)
        z = 2 * dataset.y - 1
        w = (alpha * z) @ dataset.X
        assert alpha.sum() - w @ w / 2 == pytest.approx(dataset.dual_value)

    def test_svm_three_meets_the_kuhn_tucker_conditions(self):
        dataset = datasets.svm_three()
        self.kuhn_tucker(dataset, dataset.alpha)

    @staticmethod
    def kuhn_tucker(dataset, alpha):
        z, w = 2 * dataset.y - 1, dataset.solution[1:]
        g = z * (dataset.X @ w + dataset.solution[0])
        assert alpha @ z == pytest.approx(0)
        assert alpha.min() >= 0
        np.testing.assert_allclose((alpha * z) @ dataset.X, w, atol=1e-15)
        assert g.min() == pytest.approx(1)
        np.testing.assert_allclose(alpha * (g - 1), 0, atol=1e-15)
        assert dataset.margin == pytest.approx(1 / np.linalg.norm(w))

    def test_xor_signed(self):
        dataset = datasets.xor_signed()
        X, z = dataset.X, 2 * dataset.y - 1
        K = (1 + X @ X.T) ** 2
        weights = dataset.alpha * z
        np.testing.assert_allclose(K @ weights, dataset.discriminant(X))
        assert 1 / math.sqrt(weights @ K @ weights) == pytest.approx(dataset.margin)

    @given(st.tuples(st.integers(-40, 40), st.integers(-40, 40)))
    def test_symmetric_six(self, c):
        """The conditions of Problem 32 against least squares itself, away from their boundaries."""
        c1, c2 = c[0] / 16, c[1] / 16
        dataset = datasets.symmetric_six((c1 + 2 * c2, 2 * c1 - 4 * c2))
        omega1 = dataset.X[:3]
        lms = np.linalg.lstsq(omega1, np.ones(3))[0]
        if np.abs(omega1 @ lms).min() > 1e-9:
            assert dataset.mse_separates == (omega1 @ lms > 0).all()
        assert dataset.separable == (max(c) > 0)
        if dataset.separable:
            assert (two_class(dataset.X, dataset.y == 1) @ dataset.solution > 0).all()
        np.testing.assert_array_equal(dataset.X[3:], -omega1)

    @pytest.mark.parametrize("third", [(1.0,), (np.nan, 1.0), ((1.0, 2.0),)])
    def test_symmetric_six_bad_point(self, third):
        with pytest.raises(ValueError, match="third="):
            datasets.symmetric_six(third)
