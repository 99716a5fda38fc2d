"""The plane that is shown has a good part of the largest margin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.svm import SVC

from discriminant import Hyperplane, separability
from discriminant.separation import widening


def text_like(rng: np.random.Generator, n: int, d: int) -> sparse.csr_matrix:
    """Thirty words a row, few of them frequent."""
    words = (d ** rng.random((n, 30))).astype(int) - 1
    return sparse.csr_matrix((np.ones(30 * n), words.ravel(), np.arange(0, 30 * n + 1, 30)), shape=(n, d))


def largest(X: Any, y: np.ndarray) -> float:
    """The largest margin there is, by a support vector machine on the Gram matrix of the centered rows."""
    x = X.toarray() if sparse.issparse(X) else np.asarray(X, np.float64)
    K = (x - x.mean(axis=0)) @ (x - x.mean(axis=0)).T
    scale = K.diagonal().max()
    model = SVC(kernel="precomputed", C=1e9, tol=1e-6).fit(K / scale, y)
    dual, chosen = model.dual_coef_[0], model.support_
    return float(np.sqrt(scale / (dual @ K[np.ix_(chosen, chosen)] / scale @ dual)))


def margin(plane: Hyperplane, X: Any, y: np.ndarray) -> float:
    """The least signed distance, of which all are positive where the plane separates."""
    return float((np.where(y == 1, 1, -1) * plane.distance(X)).min())


@pytest.mark.parametrize("form", ["float64", "float32", "int64", "fortran", "offset", "text"])
def test_planes_of_wide_data_have_a_good_part_of_the_largest_margin(form: str, rng: np.random.Generator) -> None:
    y = np.arange(50) % 2
    X: Any = text_like(rng, 50, 2_000) if form == "text" else rng.normal(size=(50, 2_000))
    if form in ("float32", "int64"):
        X = (100 * X).astype(form)
    X = np.asfortranarray(X) if form == "fortran" else X + 1000 if form == "offset" else X
    s = separability(X, y)
    plane = s.hyperplane
    assert isinstance(plane, Hyperplane)
    assert margin(plane, X, y) > 0.5 * largest(X, y)
    assert_array_equal(plane.side(X), np.where(y == 1, 1, -1))
    assert s.certificate.verify(X, y)


def test_planes_through_the_origin_stay_there(rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 1_000))
    y = np.arange(40) % 2
    plane = separability(X, y, intercept=False).hyperplane
    assert plane.w0 == 0
    mirrored = np.concatenate([X, -X])  # the origin lies halfway between the classes
    assert margin(plane, X, y) > 0.5 * largest(mirrored, np.r_[y, 1 - y])


def test_a_pair_of_several_classes(rng: np.random.Generator) -> None:
    """Rows of other classes do not matter, wherever they are."""
    X, y = rng.normal(size=(90, 1_000)), np.arange(90) % 3
    X[y == 1] *= 1e6
    plane = separability(X, y).pairwise[0, 2].hyperplane
    chosen = y != 1
    assert margin(plane, X[chosen], y[chosen] // 2) > 0.5 * largest(X[chosen], y[chosen] // 2)


def test_a_plane_that_is_wide_enough_is_left_alone() -> None:
    s = separability([[0.0], [3.0]], [0, 1])
    assert s.hyperplane == Hyperplane.from_augmented(s._strict[1])


def test_data_too_large_for_a_few_passes_keep_their_plane(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = rng.normal(size=(50, 2_000)), np.arange(50) % 2
    monkeypatch.setattr(widening, "NUMBERS", 3 * X.size)
    s = separability(X, y)
    assert s.hyperplane == Hyperplane.from_augmented(s._strict[1])
    assert margin(s.hyperplane, X, y) < 0.1 * largest(X, y)


def test_a_plane_that_rounding_could_spoil_is_not_taken(rng: np.random.Generator) -> None:
    """Distances of an ulp of X: whatever the rule finds there, the plane that separates is kept."""
    x = 1e9 + np.arange(40) * np.spacing(1e9)
    s = separability(x[:, None], (np.arange(40) >= 20).astype(int))
    assert_array_equal(s.hyperplane.side(x[:, None]), np.where(np.arange(40) >= 20, 1, -1))


def test_compiled_and_plain_turns_agree(rng: np.random.Generator) -> None:
    X, own = rng.normal(size=(20, 3)), (np.arange(20) % 3 - 1).astype(np.int32)
    results = []
    for turn in (widening._turn, getattr(widening._turn, "py_func", widening._turn)):
        data = widening.Centered(np.zeros(3), np.zeros(20), 0.0, 1.0, 1 + (X * X).sum(axis=1))
        alpha, w = np.zeros(20), np.zeros(4)
        state = turn(X, 0, 20, own, alpha, data, w, 0.0, 0.0)
        results.append(np.r_[alpha, w, state])
        assert (alpha >= 0).all()
        assert not alpha[own < 0].any()
    np.testing.assert_allclose(results[0], results[1], rtol=1e-12)
