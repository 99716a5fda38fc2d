"""The polynomial feature map: the book's example, its terms, and scikit-learn's contract."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.estimator_checks import parametrize_with_checks

from discriminant.features import PolynomialMap, n_terms
from discriminant.geometry import Hyperplane, augment


@parametrize_with_checks([PolynomialMap(), PolynomialMap(degree=3, interaction_only=True)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@given(st.integers(-(2**20), 2**20))
def test_book_example_is_positive_outside_minus_one_and_one_half(k):
    x = k / 2**18  # exact in floats, and so are x² and g
    g = Hyperplane.from_augmented([-1, 1, 2])
    expected = int(x < -1 or x > 0.5) - int(-1 < x < 0.5)
    assert g.side(PolynomialMap().fit_transform([[x]])) == [expected]


@pytest.mark.parametrize("d", [1, 2, 5, 50])
def test_quadratic_map_has_all_terms_once(d):
    phi = PolynomialMap().fit(np.zeros((1, d)))
    assert phi.n_terms_ == (d + 1) * (d + 2) // 2
    names = phi.get_feature_names_out()
    assert len(set(names)) == len(names) == phi.n_terms_ - 1


def test_terms_are_the_monomials_in_order():
    X = np.array([[2.0, 3.0], [-1.0, 5.0]])
    np.testing.assert_array_equal(PolynomialMap().fit_transform(X), [[2, 3, 4, 6, 9], [-1, 5, 1, -5, 25]])
    np.testing.assert_array_equal(PolynomialMap(interaction_only=True).fit_transform(X), [[2, 3, 6], [-1, 5, -5]])


def test_augmented_map_is_the_quadratic_discriminant(rng):
    W, w, w0 = rng.normal(size=(3, 3)), rng.normal(size=3), 0.7
    X = rng.normal(size=(20, 3))
    rows, columns = np.triu_indices(3)
    a = np.concatenate([[w0], w, np.where(rows == columns, W[rows, columns], (W + W.T)[rows, columns])])
    np.testing.assert_allclose(
        augment(PolynomialMap().fit_transform(X)) @ a, w0 + X @ w + np.einsum("ni,ij,nj->n", X, W, X), rtol=1e-12
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("degree", [1, 2, 3, 4])
@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array])
def test_sparse_equals_dense_and_keeps_precision(rng, container, degree, dtype):
    X = (rng.integers(-2, 3, size=(15, 3)) * (rng.random((15, 3)) < 0.5)).astype(dtype)
    phi = PolynomialMap(degree=degree).fit(X)
    dense, rows = phi.transform(X), phi.transform(container(X))
    assert rows.format == "csr"
    assert dense.dtype == rows.dtype == dtype
    np.testing.assert_array_equal(rows.toarray(), dense)


def test_integers_become_floats():
    assert PolynomialMap().fit_transform([[1, 2]]).dtype == np.float64


def test_names_and_data_frames():
    frame = pd.DataFrame({"u": [1.0, 2.0], "v": [3.0, 4.0]}, index=["first", "second"])
    out = PolynomialMap().set_output(transform="pandas").fit_transform(frame)
    assert list(out.columns) == ["u", "v", "u^2", "u v", "v^2"]
    assert list(out.index) == ["first", "second"]
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        PolynomialMap().fit(frame).get_feature_names_out(["v", "u"])
    assert PolynomialMap().fit([[1, 2]]).get_feature_names_out(["p", "q"])[3] == "p q"


def test_agrees_with_scikit_learn_but_for_the_constant(rng):
    X = rng.normal(size=(6, 4))
    reference = PolynomialFeatures(3).fit_transform(X)
    np.testing.assert_array_equal(augment(PolynomialMap(degree=3).fit_transform(X)), reference)


@pytest.mark.parametrize("degree", [0, -1, 1.5, "2", None, (1, 2)])
def test_degree_must_be_a_positive_integer(degree):
    with pytest.raises(ValueError, match=r"degree=.* must be a whole number >= 1; use 2"):
        PolynomialMap(degree=degree).fit([[1.0]])


def test_bad_patterns_are_refused():
    phi = PolynomialMap().fit([[1.0, 2.0]])
    with pytest.raises(ValueError, match="PolynomialMap is expecting 2 features"):
        phi.transform([[1.0]])
    with pytest.raises(ValueError, match="NaN"):
        phi.transform([[1.0, np.nan]])


def test_a_degree_beyond_the_features_adds_nothing_to_interactions():
    X = np.array([[2.0, 3.0, 5.0]])
    phi = PolynomialMap(degree=3 * 10**9, interaction_only=True).fit(X)
    assert phi.n_terms_ == 8
    np.testing.assert_array_equal(phi.transform(X), [[2, 3, 5, 6, 10, 15, 30]])


@pytest.mark.parametrize(
    ("degree", "d", "sentence"),
    [
        (3 * 10**9, 1, "degree=3000000000 must be at most 1000"),
        (7, 1000, "degree=7 makes more than 2,147,483,647 "),
    ],
)
def test_a_map_that_does_not_end_is_refused(degree, d, sentence):
    with pytest.raises(ValueError, match=sentence):
        PolynomialMap(degree=degree).fit(np.zeros((1, d)))


@pytest.mark.parametrize("interaction_only", [False, True])
@pytest.mark.parametrize("degree", [1, 2, 5])
@pytest.mark.parametrize("d", [1, 2, 7])
def test_terms_are_counted_before_they_are_made(d, degree, interaction_only):
    phi = PolynomialMap(degree, interaction_only).fit(np.zeros((1, d)))
    assert phi.n_terms_ == n_terms(d, degree, interaction_only) == phi.transform(np.zeros((1, d))).shape[1] + 1
