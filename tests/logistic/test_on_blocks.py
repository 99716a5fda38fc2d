"""Logistic regression on blocks of rows: the minimum that fit finds."""

import numpy as np
import pytest
from scipy import sparse

from discriminant import LogisticDiscriminant
from discriminant._blocks.memory import MemoryBlocks


def rows_of(rng, n=1500, d=4, c=2):
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, c)) + rng.gumbel(size=(n, c))
    return X, np.array(["a", "b", "c"])[scores.argmax(axis=1)], rng.integers(0, 3, n).astype(float)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("c", [2, 3])
@pytest.mark.parametrize("options", [{"C": 0.3}, {"penalty": None}, {"class_weight": "balanced"}], ids=str)
def test_blocks_give_the_minimum_of_fit(make, c, options, rng):
    X, y, weight = rows_of(rng, c=c)
    kept = LogisticDiscriminant(tol=0, **options).fit(make(X), y, weight)
    made = LogisticDiscriminant(**options).fit_stream(MemoryBlocks(make(X), y, weight, rows=100))
    np.testing.assert_allclose(made.weights_, kept.weights_, atol=1e-9)
    assert made.status_ is kept.status_
    assert made.n_rows_ == kept.n_rows_
    if options.get("penalty", "l2") is None:
        np.testing.assert_allclose(made.covariance_, kept.covariance_, atol=1e-9)
        assert made.deviance_ == pytest.approx(kept.deviance_)
    np.testing.assert_allclose(made.predict_proba(X), kept.predict_proba(X), atol=1e-9)


def test_one_pass_a_step(rng):
    X, y, _ = rows_of(rng)
    blocks, passes = MemoryBlocks(X, y, rows=500), []
    total = blocks.total
    blocks.total = lambda *given: passes.append(given[0].__name__) or total(*given)
    model = LogisticDiscriminant().fit_stream(blocks)
    assert len(passes) <= model.n_iter_ + 2
    assert set(passes) == {"_part_with_center", "look_part"}


def test_features_far_from_zero_and_in_single_precision(rng):
    X, y, _ = rows_of(rng)
    for far, dtype, tolerance in [(1e6, np.float64, 1e-8), (0, np.float32, 1e-6)]:
        Z = (X + far).astype(dtype)
        kept = LogisticDiscriminant(tol=0).fit(Z, y)
        made = LogisticDiscriminant().fit_stream(MemoryBlocks(Z, y, rows=100))
        assert made.coef_.dtype == dtype
        np.testing.assert_allclose(made.coef_, kept.coef_, atol=tolerance)


def test_very_many_columns_take_steps_without_a_hessian(rng):
    X = sparse.random(800, 2000, 0.01, format="csr", rng=rng)
    y = (X @ np.r_[np.ones(50), -np.ones(50), np.zeros(1900)] > 0).astype(int)
    kept = LogisticDiscriminant(tol=0).fit(X, y)
    made = LogisticDiscriminant(tol=1e-14).fit_stream(MemoryBlocks(X, y, rows=100))
    assert made.report_.to_dict()["details"]["method"] == "diagonal"
    np.testing.assert_allclose(made.weights_, kept.weights_, atol=1e-6)


def test_what_has_no_form_for_streams_says_so():
    for options in ({"loss": "squared"}, {"penalty": "firth"}, {"record": "weights"}):
        assert not hasattr(LogisticDiscriminant(**options), "fit_stream")


@pytest.mark.filterwarnings("ignore::discriminant.InfiniteEstimateWarning")
@pytest.mark.parametrize("verdict", ["complete", "quasi"])
def test_an_infinite_estimate_is_proved_as_in_memory(verdict, rng):
    X = rng.integers(-2, 3, size=(600, 3)).astype(float)
    side = X @ [1.0, 1.0, -1.0] + (0.5 if verdict == "complete" else 0)
    y = np.where(side == 0, rng.random(600) < 0.5, side > 0)
    kept = LogisticDiscriminant(penalty=None).fit(X, y)
    made = LogisticDiscriminant(penalty=None).fit_stream(MemoryBlocks(X, y, rows=100))
    assert made.recession_ is not None
    assert made.report_.to_dict()["verdict"] == kept.report_.to_dict()["verdict"]
    assert made.deviance_ == pytest.approx(kept.deviance_, abs=1e-6)
    np.testing.assert_array_equal(made.predict(X[side != 0]), y[side != 0])
