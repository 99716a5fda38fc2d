"""Minimum squared error: the books' numbers, Fisher's equivalence, the Bayes approximation, losses, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression

from discriminant import FisherDiscriminant, LeastSquares, LeastSquaresRegressor, Status, augment, datasets, normalize


def normalized(X: Any, y: Any) -> Any:
    return normalize(augment(np.asarray(X, float)), y)


class TestWorkedNumbers:
    def test_pseudoinverse_example(self) -> None:
        X, y = datasets.pseudoinverse_example()
        Y = normalized(X, y)
        printed = np.array([[5 / 4, 13 / 12, 3 / 4, 7 / 12], [-1 / 2, -1 / 6, -1 / 2, -1 / 6], [0, -1 / 3, 0, -1 / 3]])
        for i, row in enumerate(np.eye(4)):
            # Y+ column by column: margins 1 and 1 + e_i differ by that column
            column = LeastSquares(targets=np.ones(4) + row).fit(X, y).weights_ - LeastSquares().fit(X, y).weights_
            np.testing.assert_allclose(column, printed[:, i], atol=1e-12)
        np.testing.assert_allclose(printed @ Y, np.eye(3), atol=1e-12)
        np.testing.assert_allclose(LeastSquares().fit(X, y).weights_, [11 / 3, -4 / 3, -2 / 3], atol=1e-12)

    def test_eight_points_of_the_slides(self) -> None:
        X, y = datasets.slides_eight()
        model = LeastSquares().fit(X, y)
        np.testing.assert_allclose(model.weights_, [-1.18702, 0.07461, 0.19592], atol=5e-6)
        assert np.count_nonzero(model.predict(X) != y) == 1

    def test_regression_example(self) -> None:
        X, t = datasets.regression_example()
        model = LeastSquaresRegressor().fit(X, t)
        np.testing.assert_allclose(np.r_[model.intercept_, model.coef_], [0, 1, 2], atol=1e-12)


def test_the_limit_that_defines_the_pseudoinverse(rng: np.random.Generator) -> None:
    """Eq. 48: (Y'Y + eps I)^-1 Y'b tends to the answer, also without full rank."""
    X = rng.normal(size=(12, 3))
    X = np.c_[X, X @ [1.0, -1.0, 2.0]]
    y = np.arange(12) % 2
    Y, eps = normalized(X, y), 1e-7
    limit = np.linalg.solve(Y.T @ Y + eps * np.eye(5), Y.sum(axis=0))
    model = LeastSquares().fit(X, y)
    np.testing.assert_allclose(model.weights_, limit, atol=1e-5)
    assert model.rank_ == 4
    assert "1 directions of a open" in str(model.report_)


@pytest.mark.parametrize("share", [0.5, 0.2])
def test_fisher_targets_give_fishers_discriminant(share: float, rng: np.random.Generator) -> None:
    """Eqs. 49-54: same direction, the threshold through the mean, and the scale factor of Problem 20."""
    y = (rng.random(300) < share).astype(int)
    X = rng.normal(size=(300, 4)) @ rng.normal(size=(4, 4)) + y[:, None] * [1.0, -0.5, 0.3, 2.0] + 3
    a = LeastSquares(targets="fisher").fit(X, y).weights_
    fisher = FisherDiscriminant(threshold="mean").fit(X, y)
    direction = fisher.weights_ / np.linalg.norm(fisher.weights_[1:])
    np.testing.assert_allclose(a / np.linalg.norm(a[1:]), direction, atol=1e-10)
    assert a[0] == pytest.approx(-a[1:] @ X.mean(axis=0), rel=1e-9)
    n, (n2, n1) = 300, np.bincount(y)
    difference = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    scale = 1 / (1 + n1 * n2 / n * difference @ fisher.coef_[0])  # coef_ is S_W^-1 (m1 - m2)
    np.testing.assert_allclose(a[1:], scale * n * fisher.coef_[0], rtol=1e-9)


def test_margins_of_one_give_the_direction_but_not_the_threshold(rng: np.random.Generator) -> None:
    y = (np.arange(200) < 150).astype(int)
    X = rng.normal(size=(200, 3)) + y[:, None]
    ones, fisher = LeastSquares().fit(X, y).weights_, LeastSquares(targets="fisher").fit(X, y).weights_
    np.testing.assert_allclose(ones[1:] / np.linalg.norm(ones[1:]), fisher[1:] / np.linalg.norm(fisher[1:]), atol=1e-10)
    assert abs(ones[0] / np.linalg.norm(ones[1:]) - fisher[0] / np.linalg.norm(fisher[1:])) > 0.1


def test_bayes_approximation_improves_with_more_patterns() -> None:
    """Section 5.8.3 and Fig. 5.16: the distance to the best linear approximation of g0 falls."""
    distances = []
    for n in (100, 10_000):
        errors = []
        for seed in range(5):
            data = datasets.gaussian_pair(n=n, random_state=seed)
            grid = datasets.gaussian_pair(n=20_000, random_state=99).X
            g0 = 2 * data.posterior(grid) - 1
            best = LinearRegression().fit(grid, g0)
            g = LeastSquares().fit(data.X, data.y).decision_function(grid)
            errors.append(np.mean((g - best.predict(grid)) ** 2))
        distances.append(np.mean(errors))
    assert distances[1] < distances[0] / 20


class TestProbabilities:
    def test_of_two_classes(self, rng: np.random.Generator) -> None:
        y = (np.arange(300) < 200).astype(int)
        X = rng.normal(size=(300, 2)) + y[:, None]
        g = LeastSquares().fit(X, y).decision_function(X)
        np.testing.assert_allclose(LeastSquares().fit(X, y).predict_proba(X)[:, 1], np.clip((1 + g) / 2, 0, 1))
        fisher = LeastSquares(targets="fisher").fit(X, y)
        pi = 2 / 3
        expected = np.clip(pi * (1 - pi) * fisher.decision_function(X) + pi, 0, 1)
        np.testing.assert_allclose(fisher.predict_proba(X)[:, 1], expected)
        # both targets describe the same regression of the label on x
        np.testing.assert_allclose(LeastSquares().fit(X, y).predict_proba(X), fisher.predict_proba(X), atol=1e-9)

    def test_losses_do_not_change_the_probabilities(self, rng: np.random.Generator) -> None:
        y = rng.integers(0, 3, 400)
        X = rng.normal(size=(400, 2)) + np.eye(3)[y] @ rng.normal(size=(3, 2)) * 2
        plain = LeastSquares(targets="posterior").fit(X, y).predict_proba(X)
        losses = np.array([[0.0, 1, 4], [2, 0, 1], [1, 3, 0]])
        np.testing.assert_allclose(LeastSquares(losses=losses).fit(X, y).predict_proba(X), plain, atol=1e-8)
        two = y < 2
        lossy = LeastSquares(losses=[[0.0, 5], [1, 0]]).fit(X[two], y[two])
        np.testing.assert_allclose(
            lossy.predict_proba(X), LeastSquares().fit(X[two], y[two]).predict_proba(X), atol=1e-8
        )

    def test_rows_add_up_to_one_even_where_every_class_refuses(self) -> None:
        X, y = datasets.iris()
        P = LeastSquares(targets="posterior").fit(X, y).predict_proba(np.r_[X, [[100, -100, 100, -100.0]]])
        np.testing.assert_allclose(P.sum(axis=1), 1)
        assert np.all(P >= 0)

    def test_logarithms_are_minus_infinity_where_a_probability_is_zero(self) -> None:
        X, y = datasets.iris()
        model = LeastSquares().fit(X, y)
        logarithms = model.predict_log_proba(X)
        np.testing.assert_allclose(np.exp(logarithms), model.predict_proba(X))
        assert np.isneginf(logarithms).any()

    def test_not_with_an_array_of_margins(self) -> None:
        assert not hasattr(LeastSquares(targets=np.ones(4)), "predict_proba")
        X, y = datasets.iris()
        model = LeastSquares(losses=np.ones((3, 3))).fit(X, y)
        with pytest.raises(ValueError, match="two cost the same"):
            model.predict_proba(X)


def test_losses_move_the_plane_toward_the_cheap_error(rng: np.random.Generator) -> None:
    """Problem 21: g approximates (l21 - l11) P1 - (l12 - l22) P2, so a dear miss of class 1 widens its region."""
    y = (np.arange(1000) % 2).astype(int)
    X = rng.normal(size=(1000, 1)) + y[:, None]
    plain = LeastSquares().fit(X, y).predict(X).mean()
    assert LeastSquares(losses=[[0, 10], [1, 0]]).fit(X, y).predict(X).mean() > plain + 0.2
    assert LeastSquares(losses=[[0, 1], [10, 0]]).fit(X, y).predict(X).mean() < plain - 0.2
    zero_one = LeastSquares(losses=[[0, 1], [1, 0]]).fit(X, y)
    np.testing.assert_allclose(zero_one.weights_, LeastSquares().fit(X, y).weights_, atol=1e-10)


@pytest.mark.parametrize("scheme", ["ones", "posterior", "fisher"])
def test_many_classes_are_columns_of_one_system(scheme: str) -> None:
    X, y = datasets.iris()
    model = LeastSquares(targets=scheme).fit(X, y)
    for i in range(3):
        one = LeastSquares(targets="fisher" if scheme == "fisher" else "ones").fit(X, y == i).weights_
        if scheme == "posterior":
            one = one / 2 + np.array([0.5, 0, 0, 0, 0])
        np.testing.assert_allclose(model.weights_[i], one, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X).argmax(axis=1))


def test_targets_as_a_matrix() -> None:
    X, y = datasets.iris()
    B = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    np.testing.assert_allclose(LeastSquares(targets=B).fit(X, y).weights_, LeastSquares().fit(X, y).weights_)


@pytest.mark.parametrize("shape", [(60, 5), (12, 30)], ids=["tall", "wide"])
def test_dense_and_sparse_and_float32(shape: tuple[int, int], rng: np.random.Generator) -> None:
    X, y = rng.normal(size=shape), np.arange(shape[0]) % 2
    dense = LeastSquares().fit(X, y)
    np.testing.assert_allclose(LeastSquares().fit(sparse.csr_array(X), y).weights_, dense.weights_, atol=1e-10)
    single = LeastSquares().fit(X.astype(np.float32), y)
    assert single.coef_.dtype == single.decision_function(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.weights_, dense.weights_, atol=1e-4)


def test_weight_two_is_two_rows(rng: np.random.Generator) -> None:
    X, y, v = rng.normal(size=(40, 3)), np.arange(40) % 3, rng.integers(0, 3, 40)
    v[:3] = 1
    for scheme in ("ones", "fisher"):
        weighted = LeastSquares(targets=scheme).fit(X, y, sample_weight=v)
        repeated = LeastSquares(targets=scheme).fit(np.repeat(X, v, axis=0), np.repeat(y, v))
        np.testing.assert_allclose(weighted.weights_, repeated.weights_, atol=1e-9)


def test_report_names_the_way_and_warns_of_bad_conditioning(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(50, 3)), np.arange(50) % 2
    model = LeastSquares().fit(X, y)
    assert model.status_ is Status.CONVERGED
    details = model.report_.to_dict()["details"]
    Y = normalized(X, y)
    assert details["solver"] == model.solver_ == "cholesky"
    assert details["criterion value"] == pytest.approx(np.sum((Y @ model.weights_ - 1) ** 2))
    assert details["gradient"] < 1e-9
    nearly = np.c_[X, X[:, 0] + 1e-9 * rng.normal(size=50)]
    bad = LeastSquares().fit(nearly, y)
    assert bad.solver_ == "svd"
    assert "Ill-conditioned" in str(bad.report_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"targets": "one"}, "targets='one'"),
        ({"targets": np.ones(3)}, r"targets has shape \(3,\)"),
        ({"targets": np.r_[np.ones(19), 0.0]}, "targets holds 0 and must be positive; negate the row"),
        ({"targets": np.full(20, np.nan)}, "finite"),
        ({"losses": np.ones(3)}, r"losses has shape \(3,\)"),
        ({"losses": [[0, np.inf], [1, 0]]}, "finite losses"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], message: str, rng: np.random.Generator) -> None:
    with pytest.raises(ValueError, match=message):
        LeastSquares(**parameters).fit(rng.normal(size=(20, 2)), np.arange(20) % 2)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
@pytest.mark.parametrize("kind", [LeastSquares, LeastSquaresRegressor])
def test_extreme_scales_are_right_or_refused(kind: Any, scale: float, rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(30, 2)) * scale, np.arange(30) % 2
    try:
        model = kind().fit(X, y)
    except ValueError as error:
        assert "overflow" in str(error)  # noqa: PT017
    else:
        assert np.all(np.isfinite(model.predict(X)))


def test_regressor_agrees_with_scikit_learn(rng: np.random.Generator) -> None:
    X, t, v = rng.normal(size=(80, 5)) + 3, rng.normal(size=80), rng.uniform(0, 2, 80)
    ours, theirs = LeastSquaresRegressor().fit(X, t, v), LinearRegression().fit(X, t, v)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, rel=1e-8)
    with pytest.raises(ValueError, match="NaN"):
        LeastSquaresRegressor().fit(X, np.r_[np.nan, t[1:]])
