"""What was planted is found again."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from known_answers import dot, patterns, two_class, verdict
from scipy import sparse

from discriminant import datasets

GENERATORS = ["redundant", "planted_margin", "overlap", "gaussian_pair", "seven"]


class TestGenerators:
    @pytest.mark.parametrize("name", GENERATORS)
    def test_seeds(self, name):
        def draw(random_state):
            return datasets.load(name, n=40, random_state=random_state)

        for X, y in (draw(7), draw(np.random.default_rng(7))):
            np.testing.assert_array_equal(X, draw(7).X)
            np.testing.assert_array_equal(y, draw(7).y)
        assert not np.array_equal(draw(7).X, draw(8).X)
        assert not np.array_equal(draw(None).X, draw(None).X)
        assert draw(np.random.RandomState(7)).X.shape[0] == 40
        with pytest.raises(ValueError, match="random_state='seed'"):
            draw("seed")

    def test_redundant(self):
        dataset = datasets.redundant(random_state=0)
        X, y = dataset
        assert X.shape == (2000, 100)
        assert y.sum() == 1000
        assert ((X[y == 1, :10] >= 1) & (X[y == 1, :10] <= 2)).all()
        assert ((X[y == 0, :10] <= -1) & (X[y == 0, :10] >= -2)).all()
        assert np.abs(X[:, 10:]).max() <= 2
        assert X[:, 10:].min() < -1.99
        assert X[:, 10:].max() > 1.99
        distances = two_class(X, y == 1) @ dataset.solution / np.linalg.norm(dataset.solution[1:])
        assert distances.min() >= dataset.margin

    @pytest.mark.parametrize("d", [1, 2, 7, 60])
    @pytest.mark.parametrize("margin", [1e-3, 0.1, 0.9])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("as_csr", [False, True])
    def test_planted_margin(self, d, margin, dtype, as_csr):
        dataset = datasets.planted_margin(101, d, margin=margin, random_state=d, sparse=as_csr, dtype=dtype)
        assert dataset.X.dtype == dtype
        assert sparse.issparse(dataset.X) == as_csr
        if as_csr:
            assert dataset.X.format == "csr"
            assert dataset.X.has_canonical_format
            assert dataset.X.indices.dtype == dataset.X.indptr.dtype == np.int32
        X = (dataset.X.toarray() if as_csr else dataset.X).astype(np.float64)
        w0, w = dataset.solution[0], dataset.solution[1:]
        assert np.linalg.norm(w) == pytest.approx(1)
        assert np.linalg.norm(X, axis=1).max() <= 1
        assert ((2 * dataset.y - 1) * (X @ w + w0)).min() >= margin
        assert set(dataset.y[dataset.facing]) == {0, 1}
        gap = np.linalg.norm(X[dataset.facing[0]] - X[dataset.facing[1]])
        assert gap / 2 == pytest.approx(margin, rel=1e-5 if dtype == np.float64 else 1e-2)

    def test_sparse_rows_are_short(self):
        X, _ = datasets.planted_margin(50, 10_000, random_state=0, sparse=True)
        assert X.nnz == 50 * 20
        assert X.indices.max() > 9000

    @pytest.mark.parametrize("d", [1, 2, 3, 8])
    @pytest.mark.parametrize("flip", [0.0, 0.3])
    def test_overlap(self, d, flip):
        dataset = datasets.overlap(60, d, flip=flip, random_state=d)
        assert verdict(two_class(dataset.X, dataset.y == 1)) == dataset.verdict == "overlap"
        Y = patterns(dataset)
        weights = [Fraction(v).limit_denominator(100) for v in dataset.multipliers]
        for column in zip(*[Y[i] for i in dataset.support], strict=True):
            assert dot(weights, column) == 0
        for side in (dataset.y[dataset.support] == label for label in (0, 1)):
            assert sum(itertools.compress(weights, side)) == 1
            hull = dataset.multipliers[side] @ dataset.X[dataset.support[side]]
            np.testing.assert_allclose(hull, dataset.point, atol=1e-14)
        others = np.setdiff1d(np.arange(60), dataset.support)
        wrong = (dataset.X[others] @ dataset.plane[1:] + dataset.plane[0] > 0) != dataset.y[others]
        assert wrong.mean() == pytest.approx(flip, abs=0.2)

    def test_gaussian_pair_equal_covariances(self):
        S = np.array([[2.0, 0.5], [0.5, 1.0]])
        dataset = datasets.gaussian_pair(20_000, [[1, 0], [-1, 1]], covariances=S, prior=0.3, random_state=0)
        X, y = dataset
        g = X @ dataset.bayes[1:] + dataset.bayes[0]
        np.testing.assert_allclose(dataset.posterior.log_odds(X), g, atol=1e-12)
        np.testing.assert_allclose(dataset.posterior(X), 1 / (1 + np.exp(-g)), atol=1e-12)
        assert ((g > 0) != y).mean() == pytest.approx(dataset.bayes_error, abs=0.01)
        assert np.minimum(dataset.posterior(X), 1 - dataset.posterior(X)).mean() == pytest.approx(
            dataset.bayes_error, abs=0.005
        )
        assert y.mean() == pytest.approx(0.3, abs=0.01)
        np.testing.assert_allclose(np.cov(X[y == 0].T), S, atol=0.1)

    def test_gaussian_pair_unequal_covariances(self):
        covariances = [np.eye(2), [[4.0, 1.0], [1.0, 2.0]]]
        dataset = datasets.gaussian_pair(20_000, covariances=covariances, random_state=0)
        assert "bayes" not in dataset.answers
        p = dataset.posterior(dataset.X)
        for low, high in itertools.pairwise(np.linspace(0, 1, 6)):
            inside = (p >= low) & (p < high)
            assert dataset.y[inside].mean() == pytest.approx(p[inside].mean(), abs=0.03)

    def test_gaussian_pair_with_one_mean(self):
        assert datasets.gaussian_pair(means=[[0], [0]], prior=0.3).bayes_error == 0.3

    @pytest.mark.parametrize(
        ("name", "kwargs", "words"),
        [
            ("redundant", {"n": 1}, "n=1 must be a whole number >= 2"),
            ("redundant", {"d": 5}, "informative=10 must be at most d=5"),
            ("redundant", {"d": 2.5}, "d=2.5 must be a whole number"),
            ("planted_margin", {"margin": 0}, "margin=0"),
            ("planted_margin", {"margin": 0.95}, "margin=0.95"),
            ("planted_margin", {"dtype": np.int64}, "dtype='int64'"),
            ("overlap", {"n": 4, "d": 2}, "n=4 must be a whole number >= 5"),
            ("overlap", {"flip": 0.6}, "flip=0.6"),
            ("gaussian_pair", {"prior": 1}, "prior=1"),
            ("gaussian_pair", {"means": [1, 2]}, "means="),
            ("gaussian_pair", {"covariances": np.eye(3)}, r"covariances of shape \(3, 3\) must be"),
            ("gaussian_pair", {"covariances": -np.eye(2)}, "positive definite"),
        ],
    )
    def test_bad_input(self, name, kwargs, words):
        with pytest.raises(ValueError, match=words):
            datasets.load(name, **kwargs)
