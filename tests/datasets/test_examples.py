"""The worked examples, run again in exact arithmetic."""

import itertools

import numpy as np
from known_answers import add, dot, fixed_increment, patterns, two_class

from discriminant import datasets


class TestSlides:
    def test_eight_points(self):
        dataset = datasets.slides_eight()
        path, starts = fixed_increment(patterns(dataset), [1, 1, 1])
        assert path[-1] == dataset.solution.tolist()
        assert len(path) - 1 == dataset.corrections == 180
        assert len(starts) - 1 == dataset.passes == 56
        assert (two_class(dataset.X, dataset.y == 1) @ dataset.mse <= 0).sum() == dataset.mse_errors
        assert dataset.mse.round(5).tolist() == [-1.18702, 0.07461, 0.19592]

    def test_five_points(self):
        dataset = datasets.slides_five()
        path, starts = fixed_increment(patterns(dataset), [1, 1, 1])
        assert path[:4] == dataset.path.tolist()
        assert starts[-1] == dataset.cycle_state.tolist() == [26, 15, -17]
        assert starts.index(starts[-1]) < len(starts) - 2


class TestTheoryAndPractice:
    def test_perceptron_example(self):
        dataset = datasets.perceptron_example()
        assert fixed_increment(patterns(dataset), [0, 0, 0])[0] == dataset.path.tolist()
        assert dataset.corrections == 2

    def test_or(self):
        dataset = datasets.or_function()
        Y = patterns(dataset)
        path, _ = fixed_increment(Y, [0, 0, 0])
        assert path == dataset.path.tolist()
        assert len(path) - 1 == dataset.corrections == 9
        counts = [sum(add(a, y) == b for a, b in itertools.pairwise(path)) for y in Y]
        assert counts == dataset.alpha.tolist()

    def test_or_with_the_bias_update_of_the_radius(self):
        """Table 2.2 with R² = 2: the bias moves by 2."""
        dataset = datasets.or_function()
        doubled = [[2 * y[0], *y[1:]] for y in patterns(dataset)]
        a, alpha = [0, 0, 0], [0] * 4
        while wrong := [y for y in patterns(dataset) if dot(a, y) <= 0]:
            for i, y in enumerate(patterns(dataset)):
                if dot(a, y) <= 0:
                    a, alpha[i] = add(a, doubled[i]), alpha[i] + 1
        assert not wrong
        assert a == dataset.radius_solution.tolist()
        assert alpha == dataset.radius_alpha.tolist()

    def test_other_solution(self):
        dataset = datasets.collinear_three()
        assert all(dot(dataset.other_solution, y) > 0 for y in patterns(dataset))
        half = datasets.half_space_example()
        np.testing.assert_array_equal(half.X @ half.solution[1:] + half.solution[0], half.values)

    def test_logistic_four(self):
        dataset = datasets.logistic_four()
        Y, a = np.column_stack([np.ones(4), dataset.X]), np.zeros(3)
        for step in range(1, 221):
            output = 1 / (1 + np.exp(-Y @ a))
            a = a + dataset.eta * Y.T @ ((dataset.y - output) * output * (1 - output))
            if step == 1:
                np.testing.assert_allclose(a, dataset.first_step, atol=1e-15)
            if step == 9:
                np.testing.assert_allclose(a, dataset.ninth_step, atol=1e-8)
            assert ((Y @ a > 0) == dataset.y).all() == (step == dataset.first_separated)

    def test_regression_and_gradient(self):
        X, y = datasets.regression_example()
        np.testing.assert_array_equal(X @ [1, 2], y)
        dataset = datasets.gradient_example()
        gradient = 2 * (dataset.weights @ dataset.X[0] - dataset.y[0]) * dataset.X[0]
        np.testing.assert_array_equal(gradient, dataset.gradient)

    def test_xor(self):
        dataset = datasets.xor()
        X = dataset.X
        lifted = np.column_stack([np.ones(4), X, X[:, 0] * X[:, 1]])
        assert ((lifted @ dataset.lifted_solution > 0) == dataset.y).all()
        hidden, output = dataset.network
        units = 1 / (1 + np.exp(-(1 / (1 + np.exp(-X @ hidden))) @ output))
        np.testing.assert_allclose(units.ravel(), dataset.network_outputs, atol=5e-5)
