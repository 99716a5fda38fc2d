"""Kernels: their values, their Gram matrices, storage that does not matter, and words for bad input."""

import copy
import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from discriminant import mercer

FORMULAS = {
    mercer.Linear(): lambda x, z: x @ z,
    mercer.Polynomial(): lambda x, z: (x @ z + 1) ** 3,
    mercer.Polynomial(degree=2, coef0=0.0): lambda x, z: (x @ z) ** 2,
    mercer.Gaussian(sigma=1.7): lambda x, z: np.exp(-((x - z) @ (x - z)) / 1.7**2),
    mercer.Sigmoid(a=0.3, b=-0.2): lambda x, z: np.tanh(0.3 * x @ z - 0.2),
    mercer.Custom(lambda X, Z: 2 * (X @ Z.T)): lambda x, z: 2 * x @ z,
}
each_kernel = pytest.mark.parametrize("kernel", FORMULAS, ids=lambda kernel: type(kernel).__name__)
CALLS = [np.asarray, sparse.csr_array, sparse.csr_matrix, sparse.coo_array]


def tables(rng, dtype=np.float64):
    X, Z = rng.standard_normal((7, 4)), rng.standard_normal((5, 4))
    X[rng.uniform(size=X.shape) < 0.4] = 0
    return X.astype(dtype), Z.astype(dtype)


@each_kernel
def test_values(kernel, rng):
    X, Z = tables(rng)
    expected = [[FORMULAS[kernel](x, z) for z in Z] for x in X]
    np.testing.assert_allclose(kernel(X, Z), expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel(X), kernel(X, X.copy()), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel.diagonal(X), np.diagonal(kernel(X)), rtol=1e-12)


@each_kernel
@pytest.mark.parametrize("form_x", CALLS)
@pytest.mark.parametrize("form_z", CALLS)
def test_storage_does_not_matter(kernel, form_x, form_z, rng):
    X, Z = tables(rng)
    matrix = kernel(form_x(X), form_z(Z))
    assert isinstance(matrix, np.ndarray)
    np.testing.assert_allclose(matrix, kernel(X, Z), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel.diagonal(form_x(X)), kernel.diagonal(X), rtol=1e-12)


@each_kernel
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_float32_stays(kernel, form, rng):
    X, Z = tables(rng, np.float32)
    assert kernel(form(X), form(Z)).dtype == kernel(form(X)).dtype == kernel.diagonal(form(X)).dtype == np.float32
    np.testing.assert_allclose(kernel(form(X), form(Z)), kernel(X.astype(float), Z.astype(float)), rtol=1e-4, atol=1e-5)
    assert kernel(X, Z.astype(np.float64)).dtype == np.float64
    assert kernel(np.eye(2, dtype=int)).dtype == np.float64


@each_kernel
def test_repeated_csr_entries_add_up(kernel):
    X = sparse.csr_array((np.array([1.0, 2.0, 1.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    dense = np.array([[3.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(kernel(X), kernel(dense), rtol=1e-14)
    np.testing.assert_allclose(kernel.diagonal(X), kernel.diagonal(dense), rtol=1e-14)
    assert X.nnz == 3


@each_kernel
def test_the_input_is_not_touched(kernel, rng):
    X, Z = tables(rng)
    before = X.copy(), Z.copy()
    kernel(X, Z), kernel(X), kernel.diagonal(X)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(Z, before[1])


@pytest.mark.parametrize("kernel", [k for k in FORMULAS if k.positive_semidefinite], ids=repr)
@given(st.integers(0, 2**32))
def test_gram_matrices_are_positive_semidefinite(kernel, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rng.integers(1, 12), rng.integers(1, 4))) * rng.choice([0.01, 1, 10])
    K = kernel(X)
    np.testing.assert_array_equal(K, K.T)
    values = np.linalg.eigvalsh(K)
    assert values[0] >= -1e-10 * max(values[-1], 1)


def test_which_are_positive_semidefinite():
    assert [mercer.get(name).positive_semidefinite for name in ("linear", "poly", "rbf", "sigmoid")] == [
        *[True] * 3,
        False,
    ]
    assert mercer.get("precomputed").positive_semidefinite is mercer.get(np.dot).positive_semidefinite is None
    K = mercer.Sigmoid(a=1.0, b=-1.0)(np.array([[0.1], [2.0]]))
    assert np.linalg.eigvalsh(K)[0] < 0


def test_xor_by_the_quadratic_kernel():
    """Pattern Classification, Example 2: α = 1/8 each, g = x₁x₂, margin √2."""
    X, z = np.array([[1, 1], [1, -1], [-1, -1], [-1, 1]]), np.array([1, -1, 1, -1])
    K = mercer.Polynomial(degree=2)(X)
    alpha = np.full(4, 1 / 8)
    np.testing.assert_allclose(K @ (alpha * z), X[:, 0] * X[:, 1], atol=1e-15)
    assert 1 / np.sqrt((alpha * z) @ K @ (alpha * z)) == pytest.approx(np.sqrt(2))


def test_the_feature_map_of_degree_two(rng):
    """Machine Learning: Theory and Practice, §8.4.3."""
    X = rng.standard_normal((6, 2))
    phi = np.column_stack([X[:, 0] ** 2, X[:, 1] ** 2, np.sqrt(2) * X[:, 0] * X[:, 1]])
    np.testing.assert_allclose(mercer.Polynomial(degree=2, coef0=0.0)(X), phi @ phi.T)


class TestGaussian:
    @pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_the_diagonal_is_one(self, form, dtype, rng):
        rows = np.repeat(1e3 + rng.standard_normal((25, 3)), 2, axis=0)  # equal rows: rounding may go below zero
        X = form(rows.astype(dtype))
        for K in (mercer.Gaussian(sigma=0.01)(X), mercer.Gaussian(sigma=0.01)(X, X)):
            np.testing.assert_array_equal(np.diagonal(K), 1)
            assert K.max() <= 1
            assert K.min() >= 0

    def test_far_from_the_origin(self, rng):
        X = rng.integers(-8, 8, (20, 3)) / 4
        np.testing.assert_allclose(mercer.Gaussian()(X + 2.0**30), mercer.Gaussian()(X), rtol=1e-12)

    def test_float32_far_from_the_origin(self):
        X = np.array([[4096.0, 0.0], [4097.0, 0.0]], dtype=np.float32)
        assert mercer.Gaussian()(X)[0, 1] == pytest.approx(np.exp(-1), rel=1e-6)

    @pytest.mark.parametrize("scale", [1e-150, 1e150])
    def test_any_scale(self, scale, rng):
        X = rng.standard_normal((5, 2))
        np.testing.assert_allclose(mercer.Gaussian(sigma=scale)(scale * X), mercer.Gaussian()(X), rtol=1e-12)

    def test_blocks_do_not_matter(self, rng, monkeypatch):
        X, Z = rng.standard_normal((30, 3)), rng.standard_normal((7, 3))
        whole = mercer.Gaussian()(X, Z), mercer.Gaussian()(X)
        monkeypatch.setattr(mercer, "BLOCK", 20)
        np.testing.assert_allclose(mercer.Gaussian()(X, Z), whole[0], rtol=1e-13)
        np.testing.assert_allclose(mercer.Gaussian()(X), whole[1], rtol=1e-13)

    def test_memory(self, rng):
        X = rng.standard_normal((300, 400))
        tracemalloc.start()
        mercer.Gaussian()(X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 4 * 8 * (300 * 400 + 300 * 300)

    def test_sigma_is_not_halved(self):
        assert mercer.Gaussian(sigma=2.0)([[0.0]], [[2.0]])[0, 0] == pytest.approx(np.exp(-1))

    @pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
    @pytest.mark.parametrize("scale", [1e8, 1e9, 1e16, 1e150])
    def test_far_apart_patterns_keep_their_near_ones(self, scale, form, rng):
        """Products of rows of size 1e9 hide any distance; training and prediction must see the same one."""
        X = rng.normal(size=(20, 3)) * scale
        X = np.vstack([X, X[:5], X[:5] + 0.5])
        wide = X.astype(np.longdouble)
        true = np.exp(-((wide[:, None] - wide) ** 2).sum(axis=2)).astype(np.float64)
        K = mercer.Gaussian()
        assert np.abs(K(form(X)) - true).max() <= 1e-9
        assert np.abs(K(form(X[3:]), form(X[:11])) - true[3:, :11]).max() <= 1e-9
        assert np.all(np.diagonal(K(form(X), form(X.copy()))) == 1)


class TestGet:
    @pytest.mark.parametrize(
        ("name", "kernel"),
        [
            ("linear", mercer.Linear()),
            ("poly", mercer.Polynomial()),
            ("polynomial", mercer.Polynomial(degree=3, coef0=1.0)),
            ("rbf", mercer.Gaussian()),
            ("gaussian", mercer.Gaussian(sigma=1.0)),
            ("sigmoid", mercer.Sigmoid()),
            ("precomputed", mercer.Precomputed()),
        ],
    )
    def test_names(self, name, kernel):
        assert mercer.get(name) == kernel

    def test_kernels_and_functions(self):
        kernel = mercer.Gaussian(sigma=3.0)
        assert mercer.get(kernel) is kernel
        assert mercer.get(np.dot) == mercer.Custom(np.dot)

    @pytest.mark.parametrize("kernel", ["cosine", 3, None, ["linear"], mercer.Gaussian])
    def test_unknown(self, kernel):
        with pytest.raises(ValueError, match=r"kernel=.* must be one of linear, "):
            mercer.get(kernel)

    def test_kernels_are_values(self):
        kernel = mercer.Polynomial(degree=2)
        assert {kernel: 1}[mercer.Polynomial(2)] == 1
        assert pickle.loads(pickle.dumps(kernel)) == copy.deepcopy(kernel) == kernel
        with pytest.raises(AttributeError):
            kernel.degree = 3


class TestPrecomputed:
    def test_it_is_the_matrix(self, rng):
        K = rng.standard_normal((4, 4))
        assert mercer.Precomputed()(K) is K
        np.testing.assert_array_equal(mercer.Precomputed()(sparse.csr_array(K)), K)
        np.testing.assert_array_equal(mercer.Precomputed().diagonal(K), np.diagonal(K))
        np.testing.assert_array_equal(mercer.Precomputed()(K[:2], K), K[:2])

    @pytest.mark.parametrize("K", [np.ones((2, 3)), np.ones(4), np.array([[np.nan]])])
    def test_bad_matrices(self, K):
        with pytest.raises(ValueError, match="X "):
            mercer.Precomputed()(K)

    def test_bad_matrices_in_predict(self):
        with pytest.raises(ValueError, match="X has 3 columns and Z has 4"):
            mercer.Precomputed()(np.ones((2, 3)), np.ones((4, 4)))
        with pytest.raises(ValueError, match="square"):
            mercer.Precomputed().diagonal(np.ones((2, 3)))


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda X, Z: X, r"gave shape \(3, 2\)"),
        (lambda X, Z: 1.0, "must give a table"),
        (lambda X, Z: [["a"] * 3] * 3, "must give a table"),
        (lambda X, Z: np.full((3, 3), np.nan), "not finite"),
    ],
)
def test_bad_functions(function, words):
    with pytest.raises(ValueError, match=words):
        mercer.Custom(function)(np.ones((3, 2)))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: mercer.Polynomial(degree=0), "degree=0"),
        (lambda: mercer.Polynomial(degree=2.5), "degree=2.5"),
        (lambda: mercer.Polynomial(coef0=-1.0), "coef0=-1.0"),
        (lambda: mercer.Polynomial(coef0=np.nan), "coef0=nan"),
        (lambda: mercer.Gaussian(sigma=0), "sigma=0"),
        (lambda: mercer.Gaussian(sigma=-2.0), "sigma=-2.0"),
        (lambda: mercer.Gaussian(sigma="wide"), "sigma='wide'"),
        (lambda: mercer.Sigmoid(a=np.inf), "a=inf"),
        (lambda: mercer.Sigmoid(b=None), "b=None"),
        (lambda: mercer.Custom("linear"), "function='linear'"),
    ],
)
def test_bad_parameters(make, words):
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize(
    ("X", "Z", "words"),
    [
        ([1.0, 2.0], None, r"X has shape \(2,\)"),
        ([[1.0, 2.0]], [1.0], r"Z has shape \(1,\)"),
        ([[1.0, 2.0]], [[1.0]], "X has 2 columns and Z has 1"),
        ([["a"]], None, "X must hold real numbers"),
        ([[1j]], None, "X must hold real numbers"),
        ([[1.0], [2.0, 3.0]], None, "X must hold real numbers"),
        ([[np.nan]], None, "not finite"),
        ([[np.inf]], None, "not finite"),
        ([[1e200]], None, "not finite"),
    ],
)
def test_bad_tables(X, Z, words):
    with pytest.raises(ValueError, match=words):
        mercer.Polynomial()(X, Z)


@each_kernel
def test_missing_values_never_pass(kernel):
    with pytest.raises(ValueError, match="not finite"):
        kernel([[1.0, np.nan], [1.0, 2.0]])


def test_empty_tables():
    for kernel in FORMULAS:
        assert kernel(np.ones((0, 2)), np.ones((3, 2))).shape == (0, 3)
