"""Estimates at infinity: the proof, the direction, the rest of the estimate, and one warning."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from logistic_cases import gradient, infinite, noisy
from numpy.testing import assert_allclose, assert_array_equal

from discriminant import InfiniteEstimateWarning, LogisticDiscriminant, Status, datasets

Rng = np.random.Generator


@pytest.mark.parametrize("parameters", [{"penalty": None}, {"C": np.inf}])
def test_quasi_separation_is_told_and_the_rest_is_estimated(parameters: Any) -> None:
    X, y = datasets.endometrial()
    model = LogisticDiscriminant(**parameters)
    warning = infinite(model, X, y)
    for words in ("quasi", "penalty='firth'", "report_"):
        assert words in str(warning)
    assert "Rows fitted perfectly: 21, 22, 23" in str(model.report_)
    assert "x0 +inf, x1 finite, x2 finite" in str(model.report_)
    assert warning.separability.certificate.verify(X, y)
    assert_allclose(model.recession_, [0, 1, 0, 0], atol=1e-12)
    part = LogisticDiscriminant(penalty=None).fit(X[X[:, 0] == 0, 1:], y[X[:, 0] == 0])
    assert_allclose(model.weights_[[0, 2, 3]], part.weights_, rtol=1e-6)
    assert_allclose(model.predict_proba(X)[X[:, 0] == 1, 1], 1)
    assert model.status_ is Status.CONVERGED
    assert model.report_.to_dict()["verdict"].startswith("quasi")
    with pytest.raises(ValueError, match="the estimate is infinite"):
        model.summary()
    assert len(pickle.dumps(model)) < 20_000
    assert not [name for name, value in vars(model).items() if value is warning.separability or "infinite" in name]


def test_fits_of_many_data_give_one_warning(rng: Rng) -> None:
    X, y = datasets.endometrial()
    texts = set()
    for k in range(4):
        some = rng.permutation(len(y))[: 70 + k]
        texts.add(str(infinite(LogisticDiscriminant(penalty=None), X[some] * (k + 1), y[some])))
    assert len(texts) == 1


def test_complete_separation_gives_a_plane_that_separates() -> None:
    X, y = datasets.table(1, 2)
    model = LogisticDiscriminant(penalty=None)
    warning = infinite(model, X, y)
    assert warning.separability.verdict == "complete"
    assert model.status_ is Status.SEPARATED
    z = np.where(y == y.max(), 1, -1)
    assert (z * (X @ model.recession_[1:] + model.recession_[0])).min() > 0
    assert_allclose(np.linalg.norm(model.recession_[1:]), 1)
    assert model.predict_proba(X)[np.arange(len(y)), (z > 0).astype(int)].min() > 1 - 1e-12


def test_multinomial_estimates_at_infinity(rng: Rng) -> None:
    X, y = datasets.table(1, 2, 4)
    model = LogisticDiscriminant(penalty=None)
    assert infinite(model, X, y).separability.verdict == "complete"
    assert model.score(X, y) == 1
    assert model.recession_.shape == (3, 3)
    X = rng.normal(size=(120, 2))
    y = np.where(X[:, 0] > 1, 2, rng.integers(2, size=120))  # one class apart, the others mixed
    warning = infinite(model, X, y)
    assert warning.separability.verdict == "quasi"
    rest = y < 2
    pair = LogisticDiscriminant(penalty=None).fit(X[rest], y[rest])
    assert_allclose(model.predict_proba(X[rest])[:, 1], pair.predict_proba(X[rest])[:, 1], atol=1e-6)
    assert_array_equal(model.predict(X[~rest]), 2)


def test_rows_of_weight_zero_do_not_count() -> None:
    X, y = datasets.endometrial()
    X, y = np.vstack([X, [[1, 10, 1]]]), np.r_[y, 0]  # one patient more, and the classes overlap
    LogisticDiscriminant(penalty=None).fit(X, y)
    infinite(LogisticDiscriminant(penalty=None), X, y, sample_weight=np.r_[np.ones(79), 0])


def test_overlap_is_never_taken_for_separation(rng: Rng) -> None:
    """One row in a thousand stands between the classes, far on the wrong side: a slow way to a finite answer."""
    X = np.r_[rng.normal(size=500) - 4, rng.normal(size=500) + 4, 30.0][:, None]
    y = np.r_[np.zeros(500), np.ones(500), 0].astype(int)
    model = LogisticDiscriminant(penalty=None).fit(X, y)
    assert model.recession_ is None
    assert np.abs(gradient(model, X, y, np.inf)).max() < 1e-8


def test_separability_is_not_asked_on_the_normal_path(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discriminant.separation.separability", None)
    LogisticDiscriminant(penalty=None).fit(*noisy(rng, 300, 4))
    LogisticDiscriminant(penalty=None).fit(*noisy(rng, 3000, 4, 3))
    LogisticDiscriminant(penalty="firth").fit(*datasets.table(1, 2))
    LogisticDiscriminant().fit(*datasets.table(1, 2))


def test_too_large_for_a_proof_the_weights_are_proof_enough(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discriminant.logistic.infinity.PROVABLE", (10, 10))
    X, y = datasets.table(1, 2)
    model = LogisticDiscriminant(penalty=None)
    assert infinite(model, X, y).separability is None
    assert model.score(X, y) == 1


def test_as_many_classes_as_rows_need_no_long_proof(rng: Rng) -> None:
    X = rng.normal(size=(100, 5))
    with pytest.warns(InfiniteEstimateWarning):
        model = LogisticDiscriminant(np.inf).fit(X, np.arange(100))
    assert model.status_ is Status.SEPARATED
    assert model.score(X, np.arange(100)) == 1
    assert "the weights themselves" in model.report_.to_dict()["proof"]


def test_small_features_are_separated_as_well() -> None:
    for seed in range(8):
        X, y = np.random.default_rng(seed).normal(size=(20, 50)) * 1e-4, np.arange(20) % 3
        with pytest.warns(InfiniteEstimateWarning):
            model = LogisticDiscriminant(np.inf).fit(X, y)
        assert model.score(X, y) == 1
        assert model.report_.to_dict()["details"]["Newton decrement"] >= 0


def test_the_proof_of_a_frame_names_its_columns() -> None:
    frame = pd.DataFrame({"width": [0.0, 1.0, 2.0, 3.0], "height": [0.0, 1.0, 0.0, 1.0]})
    model = LogisticDiscriminant(penalty=None)
    infinite(model, frame, np.array([0, 0, 1, 1]))
    assert "width" in str(model.report_).partition("proof")[2]
    assert "x0" not in str(model.report_)
