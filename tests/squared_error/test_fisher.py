"""Fisher's discriminant: definition, oracle, projection, portions, shrinkage."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import linalg, sparse
from sklearn.covariance import ledoit_wolf
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from discriminant import FisherDiscriminant, datasets
from discriminant._engine.driver import Watch
from discriminant.squared_error.class_statistics import _shrunk


def pooled_scatter(X: Any, y: Any) -> Any:
    return sum((X[y == k] - X[y == k].mean(axis=0)).T @ (X[y == k] - X[y == k].mean(axis=0)) for k in np.unique(y))


@pytest.fixture
def two(rng: np.random.Generator) -> tuple[Any, Any]:
    y = (np.arange(120) < 80).astype(int)
    return rng.normal(size=(120, 4)) @ rng.normal(size=(4, 4)) + y[:, None] * [1.0, 0.5, -1, 0], y


def test_definition_and_thresholds(two: Any) -> None:
    X, y = two
    m1, m2 = X[y == 1].mean(axis=0), X[y == 0].mean(axis=0)
    w = np.linalg.solve(pooled_scatter(X, y), m1 - m2)
    model = FisherDiscriminant(threshold="mean").fit(X, y)
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-10)
    assert model.decision_function(X.mean(axis=0)[None])[0] == pytest.approx(0, abs=1e-12)
    midway = FisherDiscriminant(threshold="midpoint").fit(X, y)
    assert midway.decision_function(((m1 + m2) / 2)[None])[0] == pytest.approx(0, abs=1e-12)


def test_equal_within_is_the_sum_of_covariances(two: Any) -> None:
    X, y = two
    S = sum(np.cov(X[y == k].T, bias=True) for k in (0, 1))
    w = np.linalg.solve(S, X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))
    np.testing.assert_allclose(FisherDiscriminant(within="equal").fit(X, y).coef_[0], w, rtol=1e-9)


def test_no_direction_separates_the_means_better(two: Any, rng: np.random.Generator) -> None:
    """F = (distance of projected means)^2 / scatter, at its maximum."""
    X, y = two
    S, difference = pooled_scatter(X, y), X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)

    def ratio(w: Any) -> float:
        return float((w @ difference) ** 2 / (w @ S @ w))

    best = ratio(FisherDiscriminant().fit(X, y).coef_[0])
    assert all(ratio(w) <= best * (1 + 1e-12) for w in rng.normal(size=(200, 4)))


@pytest.mark.parametrize("shrinkage", [None, 0.3, "auto"])
def test_direction_of_scikit_learn(shrinkage: Any, two: Any) -> None:
    X, y = two
    theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage).fit(X, y).coef_[0]
    ours = FisherDiscriminant(shrinkage=shrinkage).fit(X, y).coef_[0]
    np.testing.assert_allclose(ours / np.linalg.norm(ours), theirs / np.linalg.norm(theirs), atol=1e-10)


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_projection_and_decisions_of_many_classes(name: str) -> None:
    X, y = datasets.load(name)
    model = FisherDiscriminant().fit(X, y)
    S, between = pooled_scatter(X, y), X.shape[0] * np.cov(X.T, bias=True) - pooled_scatter(X, y)
    values = linalg.eigh(between, S, eigvals_only=True)[::-1][:2]
    np.testing.assert_allclose(model.explained_variance_ratio_, values / values.sum(), rtol=1e-8)
    Z = model.transform(X)
    np.testing.assert_allclose(pooled_scatter(Z, y) / len(X), np.eye(2), atol=1e-8)
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-8)
    np.testing.assert_allclose(np.abs(Z), np.abs(LinearDiscriminantAnalysis().fit(X, y).transform(X)), atol=1e-6)
    equal = LinearDiscriminantAnalysis(priors=np.ones(3) / 3).fit(X, y)
    np.testing.assert_array_equal(FisherDiscriminant(threshold="midpoint").fit(X, y).predict(X), equal.predict(X))


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_of_scikit_learn(solver: str, classes: int, two: Any) -> None:
    """Classes of different size, with the shares of the classes and with priors of one's own."""
    X, y = two if classes == 2 else (part[30:] for part in datasets.iris())
    own = np.array([0.7, 0.2, 0.1]) if classes == 3 else np.array([0.7, 0.3])
    for priors in (None, own) if solver == "svd" else (None,):  # the others weigh the covariances by the priors too
        model = FisherDiscriminant(priors=priors).fit(X, y)
        theirs = LinearDiscriminantAnalysis(solver=solver, priors=priors).fit(X, y)
        np.testing.assert_allclose(model.priors_, theirs.priors_)
        np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("shrinkage", [0.3, "auto"])
def test_shrunk_probabilities_of_scikit_learn(shrinkage: Any, two: Any) -> None:
    X, y = two
    theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage).fit(X, y)
    ours = FisherDiscriminant(shrinkage=shrinkage).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-8)


def test_the_posterior_of_mass() -> None:
    """lda() of R's MASS divides the scatter by n − c, not n: its posterior of the 71st iris is 0.2532282, 0.7467718."""
    X, y = datasets.iris()
    g = FisherDiscriminant().fit(X, y).predict_log_proba(X[70:71])[0] * (150 - 3) / 150
    np.testing.assert_allclose(np.exp(g) / np.exp(g).sum(), [0, 0.2532282, 0.7467718], atol=1e-7)


@pytest.mark.parametrize("threshold", ["bayes", "mean", "midpoint"])
@pytest.mark.parametrize("within", ["pooled", "equal"])
def test_the_most_probable_class_is_predicted(threshold: str, within: str, two: Any) -> None:
    for X, y in (two, datasets.iris()):
        model = FisherDiscriminant(threshold=threshold, within=within).fit(X, y)
        P = model.predict_proba(X)
        np.testing.assert_allclose(P.sum(axis=1), 1)
        np.testing.assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))
        np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), P, atol=1e-15)


def test_equal_priors_lie_midway(two: Any) -> None:
    X, y = two
    midway = FisherDiscriminant(threshold="midpoint").fit(X, y)
    np.testing.assert_allclose(FisherDiscriminant(priors=[0.5, 0.5]).fit(X, y).weights_, midway.weights_, rtol=1e-12)


def test_nearest_mean_in_the_metric_of_the_scatter() -> None:
    X, y = datasets.iris()
    model = FisherDiscriminant().fit(X, y)
    inverse = np.linalg.inv(pooled_scatter(X, y))
    distances = np.array([[(x - m) @ inverse @ (x - m) for m in model.means_] for x in X])
    np.testing.assert_array_equal(model.predict(X), distances.argmin(axis=1))


def test_portions_add_up(two: Any, rng: np.random.Generator) -> None:
    for (X, y), parameters in ((two, {}), (two, {"within": "equal"}), (datasets.iris(), {"shrinkage": 0.1})):
        whole, parts = FisherDiscriminant(**parameters).fit(X, y), FisherDiscriminant(**parameters)
        for rows in np.array_split(rng.permutation(len(y)), 5):
            parts.partial_fit(X[rows], y[rows], classes=np.unique(y))
        np.testing.assert_allclose(parts.weights_, whole.weights_, rtol=1e-8)
        np.testing.assert_allclose(parts.transform(X), whole.transform(X), atol=1e-8)


def test_sparse_weights_and_float32(two: Any, rng: np.random.Generator) -> None:
    X, y = two
    v = rng.integers(1, 4, len(y))
    weighted = FisherDiscriminant().fit(X, y, sample_weight=v)
    repeated = FisherDiscriminant().fit(np.repeat(X, v, axis=0), np.repeat(y, v))
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, rtol=1e-9)
    np.testing.assert_allclose(
        FisherDiscriminant().fit(sparse.csr_array(X), y, v).weights_, weighted.weights_, rtol=1e-8
    )
    single = FisherDiscriminant().fit(X.astype(np.float32), y)
    assert single.transform(X.astype(np.float32)).dtype == single.coef_.dtype == np.float32


def test_names_and_output_containers() -> None:
    X, y = datasets.iris()
    model = FisherDiscriminant(n_components=1).set_output(transform="pandas").fit(X, y)
    assert model.get_feature_names_out().tolist() == ["fisherdiscriminant0"]
    assert model.transform(X).columns.tolist() == ["fisherdiscriminant0"]


def test_singular_scatter_is_said_and_shrinkage_cures_it(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(10, 30)), np.arange(10) % 2
    model = FisherDiscriminant().fit(X, y)
    assert model.rank_ < 30
    assert "rank" in str(model.report_)
    assert FisherDiscriminant(shrinkage=0.1).fit(X, y).rank_ == 30


def test_one_pattern_a_class_goes_by_the_means() -> None:
    model = FisherDiscriminant().fit([[0.0, 0.0], [2.0, 2.0]], [0, 1])
    np.testing.assert_allclose(model.coef_, [[2, 2]])
    assert model.rank_ == 0
    assert model.predict([[0.9, 0.9], [1.2, 1.0]]).tolist() == [0, 1]


@pytest.mark.parametrize("parameters", [{}, {"within": "equal"}, {"shrinkage": 0.1}, {"threshold": "midpoint"}])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("classes", [2, 3])
def test_wide_data_need_no_square_matrix(
    classes: int, kind: Any, parameters: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By products with the patterns alone: the same discriminant and directions as by the scatter matrix."""
    X, y = rng.normal(size=(24, 40)) * (rng.random((24, 40)) < 0.5), np.arange(24) % classes
    X[:, 0] += y
    weight = rng.integers(0, 3, 24) + (np.arange(24) < classes)
    small = FisherDiscriminant(**parameters).fit(X, y, weight)
    monkeypatch.setattr("discriminant.squared_error.fisher.WIDE", 30)
    wide = FisherDiscriminant(**parameters).fit(kind(X), y, weight)
    assert wide.report_.to_dict()["details"]["solver"] == "lsqr"
    for name in ("weights_", "means_", "scalings_", "explained_variance_ratio_", "rank_"):
        np.testing.assert_allclose(getattr(wide, name), getattr(small, name), rtol=1e-6, atol=1e-8, err_msg=name)
    np.testing.assert_allclose(wide.transform(X), small.transform(X), rtol=1e-6, atol=1e-8)
    with pytest.raises(ValueError, match="40 features, and the fit to fewer rows kept no scatter"):
        wide.partial_fit(X, y)


def test_the_share_of_ledoit_and_wolf(rng: np.random.Generator) -> None:
    """scikit-learn's, on features of any size and offset, a constant one among them."""
    X = rng.normal(size=(50, 6)) @ rng.normal(size=(6, 6)) * [1e-3, 1, 1e3, 1, 1, 0] + [0, 1e4, 0, -1, 5, 0.3]
    spread = X.std(axis=0)
    spread[5] = 1
    expected = spread[:, None] * ledoit_wolf((X - X.mean(axis=0)) / spread)[0] * spread
    np.testing.assert_allclose(_shrunk(X, Watch()), expected, rtol=1e-9, atol=1e-12)


def test_very_many_features() -> None:
    X = sparse.random_array((300, 50_000), density=1e-3, rng=np.random.default_rng(0), format="csr")
    y = (np.asarray(X[:, :5000].sum(axis=1)).ravel() > 2.4).astype(int)
    assert FisherDiscriminant(shrinkage=0.1).fit(X, y).score(X, y) > 0.9
    with pytest.raises(ValueError, match=r"50,000 features, for which partial_fit would keep 18\.6 GiB"):
        FisherDiscriminant().partial_fit(X, y, classes=[0, 1])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"within": "both"}, "within='both'"),
        ({"threshold": "zero"}, "threshold='zero'"),
        ({"shrinkage": 2}, "shrinkage=2"),
        ({"shrinkage": "lw"}, "shrinkage='lw'"),
        ({"n_components": 0}, "n_components=0"),
        ({"priors": "equal"}, "priors='equal' must be an array of probabilities"),
        ({"priors": [0.5, 0.4]}, "must be probabilities > 0 of sum 1"),
        ({"priors": [1.0, 0.0]}, "must be probabilities > 0 of sum 1"),
        ({"priors": [0.2, 0.3, 0.5]}, r"must be 2 probabilities, for the classes \[0, 1\]"),
        ({"priors": [0.5, 0.5], "threshold": "mean"}, "must be None with threshold='mean'"),
        ({"n_components": 2}, "at most 1 directions"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], message: str, two: Any) -> None:
    with pytest.raises(ValueError, match=message):
        FisherDiscriminant(**parameters).fit(*two)


@pytest.mark.parametrize("d", [2, 1500])
def test_features_whose_squares_vanish_are_refused(d: int) -> None:
    X = np.random.default_rng(0).normal(size=(4, d)) * 1e-310
    with pytest.raises(ValueError, match="X underflows"):
        FisherDiscriminant().fit(X, [0, 1, 0, 1])


def test_partial_fit_refuses_what_it_cannot_do(two: Any) -> None:
    X, y = two
    with pytest.raises(ValueError, match="classes=None"):
        FisherDiscriminant().partial_fit(X, y)
    with pytest.raises(ValueError, match=r"classes=\[0\] must be at least two"):
        FisherDiscriminant().partial_fit(X, np.zeros(len(X)), classes=[0])
    with pytest.raises(ValueError, match=r"classes=\[0, 2\] must be those of the first call, \[0, 1\]"):
        FisherDiscriminant().partial_fit(X, y, classes=[0, 1]).partial_fit(X, y, classes=[0, 2])
    with pytest.raises(ValueError, match="shrinkage='auto'"):
        FisherDiscriminant(shrinkage="auto").partial_fit(X, y, classes=[0, 1])


@pytest.mark.parametrize("offset", [0, 5, 50])
@pytest.mark.parametrize("shape", [(30, 40, 3), (42, 40, 3), (20, 200, 2)])
def test_few_rows_have_the_rank_that_they_have(offset: float, shape: tuple[int, int, int]) -> None:
    """Rounding about a distant origin is not taken for scatter, whose inverse would outweigh everything."""
    n, d, c = shape
    X, y = np.random.default_rng(0).normal(size=(n, d)) + offset, np.arange(n) % c
    means = np.array([X[y == k].mean(axis=0) for k in range(c)])
    inverse = np.linalg.pinv(X - means[y], rcond=1e-10)
    W = (means - X.mean(axis=0)) @ inverse @ inverse.T
    model = FisherDiscriminant().fit(X, y)
    assert model.rank_ == min(d, n - c)
    np.testing.assert_allclose(model.coef_, W if c > 2 else W[1:] - W[:1], rtol=1e-9, atol=1e-9 * np.abs(W).max())
