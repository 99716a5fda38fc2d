"""Every known answer is found again by means of its own: exact arithmetic, a linear program, a plain run."""

import copy
import itertools
import pickle
from fractions import Fraction

import numpy as np
import pytest
from known_answers import dot, each_small, patterns, two_class, verdict
from scipy.optimize import linprog

from discriminant import datasets


class TestDataset:
    def test_it_unpacks(self):
        dataset = datasets.xor()
        X, y = dataset
        assert X is dataset.X
        assert y is dataset.y

    def test_answers_are_attributes_and_read_only(self):
        dataset = datasets.or_function()
        assert dataset.corrections == dataset.answers["corrections"] == 9
        assert "corrections" in dir(dataset)
        with pytest.raises(TypeError):
            dataset.answers["corrections"] = 8
        with pytest.raises(AttributeError):
            dataset.corrections = 8
        with pytest.raises(AttributeError, match="or_function has no 'no_such_answer'; its answers are separable"):
            _ = dataset.no_such_answer

    def test_copies(self):
        for dataset in (datasets.xor_signed(), datasets.gaussian_pair(random_state=0)):
            for other in (pickle.loads(pickle.dumps(dataset)), copy.deepcopy(dataset)):
                np.testing.assert_array_equal(other.X, dataset.X)
                assert list(other.answers) == list(dataset.answers)
                assert repr(other) == repr(dataset)

    def test_each_call_gives_its_own_arrays(self):
        datasets.table(1, 2).X[:] = 0
        datasets.table(1, 2).solution[:] = 0
        assert datasets.table(1, 2).X.any()
        assert datasets.table(1, 2).solution.any()


class TestNames:
    @pytest.mark.parametrize("name", datasets.names())
    def test_all_load(self, name):
        dataset = datasets.load(name)
        n, d = dataset.X.shape
        assert dataset.name == name
        assert dataset.X.dtype == np.float64
        assert dataset.X.flags.c_contiguous
        assert dataset.y.shape == (n,)
        assert len(dataset.feature_names) == d
        assert dataset.source
        assert dataset.description
        if "regression" not in name and "gradient" not in name:
            assert dataset.y.dtype.kind == "i"
            assert len(dataset.target_names) == len(np.unique(dataset.y))

    @pytest.mark.parametrize("name", datasets.names())
    def test_docstrings_name_a_source_above_their_examples(self, name):
        loader = getattr(datasets, name)
        assert loader.__name__ == name
        assert 0 < loader.__doc__.index("References\n") < loader.__doc__.index("Examples\n")

    def test_arguments_are_passed_on(self):
        assert datasets.load("table", 1, 3).separable is False
        assert datasets.load("parity", d=4).X.shape == (16, 4)

    def test_unknown(self):
        with pytest.raises(ValueError, match="name='irises' must be one of table"):
            datasets.load("irises")

    def test_names_are_public(self):
        assert set(datasets.names()) < set(datasets.__all__)


class TestAnswers:
    @each_small
    def test_solutions_separate_and_proofs_prove(self, dataset):
        Y = patterns(dataset)
        if dataset.separable:
            assert all(dot(map(Fraction, dataset.solution.tolist()), y) > 0 for y in Y)
        else:
            assert "solution" not in dataset.answers
            rows, weights = dataset.support, [Fraction(v).limit_denominator(1000) for v in dataset.multipliers]
            assert [sum(itertools.compress(weights, dataset.y[rows] == label)) for label in (0, 1)] == [1, 1]
            assert min(weights) > 0
            for column in zip(*[Y[i] for i in rows], strict=True):
                assert dot(weights, column) == 0
            sides = [dataset.y[rows] == label for label in (0, 1)]
            for side in sides:
                hull = dataset.multipliers[side] @ dataset.X[rows[side]]
                np.testing.assert_allclose(hull, dataset.point, rtol=1e-14, atol=1e-14)

    @each_small
    def test_verdicts(self, dataset):
        assert verdict(two_class(dataset.X, dataset.y == 1)) == dataset.verdict

    @each_small
    def test_least_squares_and_fewest_errors(self, dataset):
        Y = two_class(dataset.X, dataset.y == 1)
        if "mse" in dataset.answers:
            np.testing.assert_allclose(np.linalg.lstsq(Y, np.ones(len(Y)))[0], dataset.mse, rtol=1e-12)
        if dataset.answers.get("fewest_errors") == 1:
            assert any(verdict(np.delete(Y, i, axis=0)) == "complete" for i in range(len(Y)))
        if "min_perceptron_criterion" in dataset.answers:
            n, p = Y.shape
            found = linprog(
                np.repeat([0.0, 1.0], [p, n]),
                A_ub=-np.hstack([Y, np.eye(n)]),
                b_ub=-np.ones(n),
                bounds=[(None, None)] * p + [(0, None)] * n,
            )
            assert found.fun == pytest.approx(dataset.min_perceptron_criterion, abs=1e-9)
