"""Y and its pseudoinverse under Ho-Kashyap: storage, memory, weights, symmetries, ranks, scales, many classes."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from ho_kashyap_cases import VARIANTS, by_the_book, check_evidence, every_variant, fitted, normalized
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from discriminant import Status, datasets
from discriminant._engine.driver import Watch
from discriminant._engine.problem import make_problem
from discriminant.squared_error.ho_kashyap import HoKashyap
from discriminant.squared_error.patterns import BLOCK, Patterns


@every_variant
@pytest.mark.parametrize("pair", [(1, 3), (3, 2)])
def test_dense_and_sparse_agree(options: dict[str, Any], pair: tuple[int, int]):
    X, y = datasets.table(*pair)
    dense, csr = fitted(X, y, **options), fitted(sparse.csr_array(X), y, **options)
    assert dense.status_ is csr.status_
    assert_allclose(dense.weights_, csr.weights_, rtol=1e-7)


def test_repeated_csr_entries_are_added():
    X, y = datasets.table(1, 3)
    n, d = X.shape
    once = sparse.csr_matrix(X)
    twice = sparse.csr_matrix(
        (np.repeat(once.data / 2, 2), np.repeat(once.indices, 2), 2 * once.indptr), shape=(n, d)
    )  # fmt: skip
    before = twice.data.copy()
    assert_allclose(fitted(twice, y).weights_, fitted(X, y).weights_, rtol=1e-7)
    assert_array_equal(twice.data, before)


def test_sparse_data_are_never_made_dense(rng: np.random.Generator):
    n, d = 20_000, 300
    X = sparse.random_array((n, d), density=0.005, format="csr", rng=rng)
    y = (X.sum(axis=1) > np.median(X.sum(axis=1))).astype(int)
    fitted(X, y, max_iter=2)  # compile and import first
    for options in ({}, {"variant": "descent"}):
        tracemalloc.start()
        fitted(X, y, max_iter=5, **options)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 8 * n * d / 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memory_beyond_the_data_is_small(dtype: Any, rng: np.random.Generator):
    n, d = 60_000, 50
    X = rng.normal(size=(n, d)).astype(dtype)
    y = rng.integers(0, 2, size=n)
    fitted(X[:100], y[:100], max_iter=2)
    tracemalloc.start()
    model = fitted(X, y, max_iter=30)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert model.status_ is Status.NOT_SEPARABLE
    assert peak < 0.75 * 8 * n * d


@every_variant
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_float32(options: dict[str, Any], make: Any):
    for pair, status in (((4, 2), Status.SEPARATED), ((1, 3), Status.NOT_SEPARABLE)):
        X, y = datasets.table(*pair)
        X = X.astype(np.float32)
        model, wide = fitted(make(X), y, **options), fitted(X.astype(np.float64), y, **options)
        assert model.coef_.dtype == model.intercept_.dtype == model.weights_.dtype == np.float32
        assert model.status_ is wide.status_ is status
        if "eta" not in options:  # the optimal rate makes much of little differences
            assert_allclose(model.weights_, wide.weights_, rtol=1e-6)
        if status is Status.SEPARATED:
            assert model.score(X, y) == 1


@every_variant
def test_a_weight_of_two_is_two_rows(options: dict[str, Any], rng: np.random.Generator):
    X, y = datasets.table(1, 3)
    weight = rng.integers(0, 4, size=20)
    rows = np.repeat(np.arange(20), weight)
    b = rng.uniform(0.5, 2, size=20)
    weighted = fitted(X, y, weight, margin=b, **options)
    repeated = fitted(X[rows], y[rows], margin=b[rows], **options)
    assert weighted.status_ is repeated.status_
    assert abs(weighted.n_iter_ - repeated.n_iter_) <= 5  # rounding
    assert_allclose(weighted.weights_, repeated.weights_, rtol=1e-6)
    k = min(weighted.n_iter_, repeated.n_iter_, 100)
    assert_allclose(weighted.history_["criterion"][:k], repeated.history_["criterion"][:k], rtol=1e-6)
    assert_allclose(weighted.errors_[rows], repeated.errors_, atol=1e-6)
    if weighted.status_ is Status.NOT_SEPARABLE:
        assert np.all(weighted.evidence_[weight == 0] == 0)
        check_evidence(weighted, X, y)
    assert np.all(weighted.errors_[weight == 0] == 0)
    assert np.all(weighted.margins_[weight == 0] == b[weight == 0])  # rows without weight keep their b(1)


def test_rows_without_weight_do_not_count():
    X, y = datasets.table(4, 2)
    odd = np.vstack([X, X[:1]])
    labels, weight = np.append(y, 1 - y[0]), np.append(np.ones(20), 0)
    model = HoKashyap().fit(odd, labels, weight)
    assert_allclose(model.weights_, HoKashyap().fit(X, y).weights_, rtol=1e-12)
    assert model.history_["errors"][-1] == 0


def test_label_swap_negates():
    for pair in ((4, 2), (1, 3)):
        X, y = datasets.table(*pair)
        for options in VARIANTS.values():
            one, other = fitted(X, y, **options), fitted(X, 1 - y, **options)
            assert one.status_ is other.status_
            assert_allclose(one.weights_, -other.weights_, rtol=1e-9)


def test_permuted_features_and_rows(rng: np.random.Generator):
    X, y = datasets.table(1, 3)
    order = rng.permutation(20)
    one, other = fitted(X, y), fitted(X[order][:, ::-1], y[order])
    assert_allclose(one.coef_, other.coef_[:, ::-1], rtol=1e-7)
    assert_allclose(one.evidence_[order], other.evidence_, atol=1e-7)


def test_invariance_under_scaling_of_the_features():
    X, y = datasets.table(3, 2)
    one, other = HoKashyap().fit(X, y), HoKashyap().fit(X * [1e-5, 1e7], y)
    assert one.n_iter_ == other.n_iter_
    assert_allclose(one.coef_, other.coef_ * [1e-5, 1e7], rtol=1e-9)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_rank_deficient_data_get_the_shortest_answer(make: Any, rng: np.random.Generator):
    base = rng.normal(size=(40, 3))
    X = np.column_stack([base, base[:, 0] + base[:, 1], 3 * base[:, 2], np.zeros(40), np.full(40, 7.0)])
    y = rng.integers(0, 2, size=40)
    model = fitted(make(X), y, record="weights")
    Y = normalized(X, y)
    assert np.linalg.matrix_rank(Y) == 4
    assert_allclose(model.history_["weights"][0], np.linalg.pinv(Y) @ np.ones(40), rtol=1e-9, atol=1e-12)
    assert_allclose(model.weights_, np.linalg.pinv(Y) @ model.margins_, rtol=1e-7, atol=1e-10)
    assert model.status_ is Status.NOT_SEPARABLE
    assert "singular (rank 4 of 8)" in str(model.report_)
    with pytest.raises(ValueError, match=r"R='gram'.*singular \(rank 4 of 8\).*pseudoinverse"):
        HoKashyap(variant="descent", R="gram").fit(make(X), y)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("d", [30, 1500])
def test_fewer_patterns_than_features(d: int, make: Any, rng: np.random.Generator):
    X, y = rng.normal(size=(12, d)), np.arange(12) % 2
    model = HoKashyap().fit(make(X), y)
    assert (model.status_, model.n_iter_) == (Status.SEPARATED, 1)
    assert_allclose(model.weights_, np.linalg.pinv(normalized(X, y)) @ np.ones(12), rtol=1e-8, atol=1e-12)
    weight = np.arange(12) % 3
    rows = np.flatnonzero(weight)
    other = HoKashyap().fit(make(X), y, weight)
    assert_allclose(other.weights_, HoKashyap().fit(make(X[rows]), y[rows]).weights_, rtol=1e-8, atol=1e-12)


def test_few_patterns_that_contradict_each_other(rng: np.random.Generator):
    X = np.vstack([rng.normal(size=(6, 1500))] * 2)
    y = np.repeat([0, 1], 6)
    model = fitted(X, y, sample_weight=np.arange(1, 13))
    assert (model.status_, model.n_iter_) == (Status.NOT_SEPARABLE, 1)
    check_evidence(model, X, y)


def test_rank_is_found_on_ill_conditioned_data(rng: np.random.Generator):
    """Singular values down to 1e-11 are kept, a null space is seen: squaring alone could not tell them apart."""
    U, _ = np.linalg.qr(rng.normal(size=(200, 12)))
    V, _ = np.linalg.qr(rng.normal(size=(12, 12)))
    X = U @ np.diag(np.r_[np.logspace(0, -11, 10), 0, 0]) @ V.T
    y = rng.integers(0, 2, size=200)
    problem = make_problem(X, y.astype(np.int32), None, 2)
    assert Patterns(problem, Watch()).whitened().shape == (13, 11)


def test_features_far_from_zero(rng: np.random.Generator):
    for offset in (1e4, 1e6, 1e8):
        x = offset + rng.uniform(-1, 1, size=40)
        y = (x > offset).astype(int)
        assert HoKashyap().fit(x[:, None], y).status_ is Status.SEPARATED
        y[:6] = 1 - y[:6]
        if offset < 1e8:  # there Ya is rounded to 1e-8, and no error can be told from zero to 1e-9
            assert fitted(x[:, None], y).status_ is Status.NOT_SEPARABLE


@pytest.mark.parametrize("variant", ["pseudoinverse", "modified"])
def test_many_steps_do_not_drift_off_the_least_squares_solution(variant: str, rng: np.random.Generator):
    """Exclusive or on a face of data that are separable beyond it, far from zero: thousands of steps, none decisive."""
    beyond = np.column_stack([rng.normal(size=(8, 2)), [0.01, 1, 2, 1, -1, -2, -1, -0.5]])
    X = np.vstack([[[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]], beyond]) + 1e5
    y = np.r_[0, 1, 1, 0, beyond[:, 2] > 0].astype(int)
    model = fitted(X, y, variant=variant, max_iter=3000)
    assert model.status_ is Status.BUDGET
    Y = normalized(X, y)
    assert np.all(np.abs(Y.T @ model.errors_) <= 1e-9 * (np.abs(Y).T @ np.abs(model.errors_)))


@pytest.mark.parametrize("scale", [1e-150, 1e150])
@every_variant
def test_extreme_scales_are_right(options: dict[str, Any], scale: float):
    for pair, wrong in (((4, 2), Status.NOT_SEPARABLE), ((1, 3), Status.SEPARATED)):
        X, y = datasets.table(*pair)
        model = fitted(X * scale, y, max_iter=500, **options)
        assert np.all(np.isfinite(model.weights_))
        if options.get("variant") == "descent" and "R" not in options:
            assert model.status_ is not wrong  # with R = I the features or the threshold stand still
        else:
            assert model.status_ is fitted(X, y).status_
            assert_allclose(model.coef_ * scale, fitted(X, y, **options).coef_, rtol=1e-6)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
@every_variant
def test_scales_beyond_the_squares_are_refused(options: dict[str, Any], make: Any):
    X, y = datasets.table(4, 2)
    with pytest.raises(ValueError, match="scale it up"):
        HoKashyap(**options).fit(make(X * 1e-300), y)
    with pytest.raises(ValueError, match="divide the features"):
        HoKashyap(**options).fit(make(X * 1e300), y)


def test_more_rows_than_a_block(rng: np.random.Generator):
    X = rng.normal(size=(BLOCK + 700, 4))
    y = (X @ [1.0, -2.0, 0.5, 0.0] + 0.3 > 0).astype(int)
    for make in (np.asarray, sparse.csr_array):
        for data in (X, X.astype(np.float32)):
            model = fitted(make(data), y, max_iter=20, record="weights")
            book = by_the_book(normalized(data, y), np.ones(len(y)), {}, 5)
            assert_allclose(model.history_["weights"][:6], book, rtol=1e-5 if data is not X else 1e-9)


def test_weights_too_large_for_float32():
    X, y = np.array([[1e-30], [2e-30]], np.float32), [0, 1]
    with pytest.raises(ValueError, match="float32"):
        HoKashyap(margin=1e20).fit(X, y)


def test_too_many_features_for_a_dense_matrix(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator):
    monkeypatch.setattr("discriminant.squared_error.patterns.LARGEST", 5)
    X, y = rng.normal(size=(30, 6)), rng.integers(0, 2, size=30)
    with pytest.raises(ValueError, match=r"too many for a dense Y'Y.*variant='descent'"):
        HoKashyap().fit(X, y)


def test_separated_means_that_the_published_weights_separate(rng: np.random.Generator):
    for _ in range(30):
        X = rng.normal(size=(12, 6)).astype(np.float32) + np.float32(100)
        y = rng.integers(0, 2, size=12)
        if len(set(y)) == 2 and (model := fitted(X, y, max_iter=300)).status_ is Status.SEPARATED:
            assert_array_equal(model.predict(X), y)
            assert not np.any(model.undecided(X))


@pytest.mark.parametrize("multiclass", ["one-vs-rest", "one-vs-one"])
def test_many_classes(multiclass: str):
    X, y = datasets.table(1, 2, 4)
    model = fitted(X, y, multiclass=multiclass)
    assert model.coef_.shape == (3, 2)
    assert model.margins_.shape == model.errors_.shape == (3, 30)
    pairs = [(0, 1), (0, 2), (1, 2)]
    for p in range(3):
        if multiclass == "one-vs-rest":
            part, labels = np.ones(30, bool), (y == model.classes_[p]).astype(int)
        else:
            low, high = (model.classes_[i] for i in pairs[p])
            part, labels = np.isin(y, [low, high]), (y == high).astype(int)
        single = fitted(X[part], labels[part])
        assert_allclose(model.weights_[p], single.weights_, rtol=1e-7)
        assert_allclose(model.errors_[p, part], single.errors_, atol=1e-8)
        assert np.all(model.errors_[p, ~part] == 0)
        assert np.all(model.margins_[p, ~part] == 1)
        if single.evidence_ is not None:
            assert_allclose(model.evidence_[p, part], single.evidence_, atol=1e-8)
    if multiclass == "one-vs-one":
        assert model.status_ is Status.SEPARATED
        assert model.evidence_ is None
        assert model.score(X, y) == 1
    else:
        assert model.status_ is Status.NOT_SEPARABLE
        assert "one-vs-one" in model.report_.to_dict()["remedy"]
        assert any(note.startswith("Problem ") for note in model.report_.to_dict()["notes"])


@pytest.mark.parametrize("multiclass", ["one-vs-rest", "one-vs-one"])
def test_rows_without_weight_do_not_count_among_many_classes(multiclass: str):
    X, y = datasets.table(1, 2, 4)
    odd, labels, weight = np.vstack([X, X[:5]]), np.append(y, np.roll(y, 10)[:5]), np.append(np.ones(30), np.zeros(5))
    one, other = fitted(X, y, multiclass=multiclass), fitted(odd, labels, weight, multiclass=multiclass)
    assert one.status_ is other.status_
    assert_allclose(one.weights_, other.weights_, rtol=1e-9)
    assert np.all(other.errors_[:, 30:] == 0)
    assert np.all(other.margins_[:, 30:] == 1)


def test_one_feature_and_one_pattern_a_class():
    model = HoKashyap().fit([[1.0], [3.0]], ["a", "b"])
    assert_allclose(model.weights_, [-2, 1])
    assert model.status_ is Status.SEPARATED
    assert_array_equal(model.predict([[0.0], [5.0]]), ["a", "b"])
