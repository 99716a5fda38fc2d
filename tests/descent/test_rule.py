"""What Algorithms 1 and 2 share: every criterion, weights, the stop, many classes, storage, scales, bad input."""

import numpy as np
import pytest
from descent_cases import DESCENDABLE, SMOOTH, clouds, lstsq, normalized, quietly, table
from scipy import sparse

from discriminant import GradientDescent, NewtonDescent, Status, criteria
from discriminant._engine.driver import Plan, Watch, drive
from discriminant._engine.problem import make_problem
from discriminant.criteria import Criterion
from discriminant.descent.gradient import GradientRule
from discriminant.descent.newton import NewtonDescentRule
from discriminant.descent.rule import DescentPlan
from discriminant.schedules import Harmonic


@pytest.mark.parametrize(
    ("kind", "criterion"),
    [*((GradientDescent, name) for name in DESCENDABLE), *((NewtonDescent, name) for name in SMOOTH)],
)
def test_a_weight_of_two_is_two_rows(kind, criterion):
    X, y = table(1, 3)
    weight = np.arange(len(X)) % 3  # 0, 1 and 2
    common = {"criterion": criterion, "start": [0.1, 0.1, 0.1], "max_iter": 3}  # later rounding decides on the kinks
    if kind is GradientDescent:
        common["schedule"] = Harmonic(0.01)
    weighted = quietly(kind(**common), X, y, weight)
    repeated = quietly(kind(**common), np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(weighted.history_["criterion"], repeated.history_["criterion"], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", [GradientDescent, NewtonDescent])
def test_weights_in_which_the_criterion_vanishes_are_refused(kind):
    X, y = table(1, 3)
    with pytest.raises(ValueError, match=r"sample_weight reaches no more than 1e-310.*; multiply"):
        kind(criterion="logistic").fit(X, y, np.full(len(X), 1e-310))


@pytest.mark.parametrize("as_stored", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("kind", [GradientDescent, NewtonDescent])
def test_features_whose_squares_vanish_are_refused(kind, as_stored):
    X, y = table(1, 3)
    X[:, 1] *= 1e-300
    with pytest.raises(ValueError, match=r"X underflows: feature 1 .*; divide the features by their size"):
        kind(criterion="mse").fit(as_stored(X), y)


def test_a_criterion_of_ones_own():
    class Cubic(Criterion):
        name, symbol, equation, source = "cubic", "J_3", "sum of |b - a'y|^3 over the violators", "this test"
        has_hessian = False

        def _loss(self, m):
            return np.maximum(self.b - m, 0) ** 3

        def _slope(self, m):
            return -3 * np.maximum(self.b - m, 0) ** 2

    model = quietly(GradientDescent(criterion=Cubic, schedule=1e-4, max_iter=200), *table(1, 2))
    assert model.history_["criterion"][-1] < model.history_["criterion"][0] / 2
    assert "|b - a'y|^3" in str(model.report_)
    with pytest.raises(ValueError, match="criterion='cubic' must be one with a Hessian"):
        NewtonDescent(criterion=Cubic).fit(*table(1, 2))


def test_at_the_minimum_it_stops_at_once():
    X, y = table(1, 3)
    best = lstsq(X, y)
    for kind in (GradientDescent, NewtonDescent):
        model = kind(start=best).fit(X, y)
        assert (model.status_, model.n_iter_) == (Status.CONVERGED, 1)
        np.testing.assert_allclose(model.weights_, best, rtol=1e-9)


def test_float32_converges_as_far_as_it_can():
    X, y = table(1, 3)
    for model in (GradientDescent(max_iter=5000), NewtonDescent()):
        model.fit(X.astype(np.float32), y)
        assert model.status_ is Status.CONVERGED
        assert model.weights_.dtype == np.float32
        np.testing.assert_allclose(model.weights_, lstsq(X, y), rtol=1e-3)


@pytest.mark.parametrize("kind", [GradientDescent, NewtonDescent])
def test_a_zero_gradient_at_the_start_is_told(kind):
    """Exclusive or: a = 0 is the minimum of J_s, with every pattern on the plane."""
    model = kind().fit([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1])
    assert (model.status_, model.n_corrections_) == (Status.CONVERGED, 0)
    assert "The gradient is zero at the start, which is the minimum." in str(model.report_)


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("apart", [1.0, 6.0], ids=["overlapping", "separable"])
@pytest.mark.parametrize(
    ("kind", "criterion"),
    [*((GradientDescent, name) for name in DESCENDABLE), *((NewtonDescent, name) for name in SMOOTH)],
)
def test_a_criterion_is_all_that_is_needed(kind, criterion, apart, offset):
    """No refusal, no wrong claim, and CONVERGED means the minimum: checked about the mean, where it is easy to find."""
    X, y, near = clouds(apart, offset)
    model = quietly(kind(criterion=criterion) if offset == 0 else kind(criterion=criterion, max_iter=100), X, y)
    assert np.all(np.isfinite(model.weights_))
    useless = apart == 1 and criterion in ("perceptron", "minimax")  # where classes overlap they are least at a = 0
    if not useless and (offset == 0 or kind is NewtonDescent):
        assert model.score(X, y) >= (1 if apart == 6 else 0.8)
    margin = 1.0 if criterion == "squared" else None
    J = criteria.get(criterion)(normalized(X, y), margin)
    if model.status_ is Status.SEPARATED:
        assert np.all(normalized(X, y) @ model.weights_ > 0)
    if model.status_ is Status.CONVERGED:
        a = quietly(NewtonDescent(criterion=criterion, tol=1e-12), near, y).weights_
        a = np.append(a[0] + (near - X)[0] @ a[1:], a[1:])
        assert J.value(model.weights_) <= (1 + 1e-6) * J.value(a) + 1e-12
    if kind is NewtonDescent and J.uses_margin:
        assert model.status_.finished


@pytest.mark.parametrize("kind", [GradientDescent, NewtonDescent])
def test_many_classes_are_problems_of_their_own(kind):
    X, y = table(1, 2, 3)
    rest = quietly(kind(), X, y)
    for category, row in zip(rest.classes_, rest.weights_, strict=True):
        np.testing.assert_allclose(row, quietly(kind(), X, y == category).weights_, rtol=1e-12)
    pairs = quietly(kind(multiclass="one-vs-one"), X, y)
    for (i, j), row in zip([(0, 1), (0, 2), (1, 2)], pairs.weights_, strict=True):
        rows = np.isin(y, pairs.classes_[[i, j]])
        np.testing.assert_allclose(row, quietly(kind(), X[rows], y[rows]).weights_, rtol=1e-8)
    assert set(rest.history_["problem"]) == {0, 1, 2}


@pytest.mark.parametrize("criterion", SMOOTH)
def test_storage_does_not_matter(criterion):
    X, y = table(1, 3)
    for model in (
        GradientDescent(criterion=criterion, schedule=0.001, max_iter=20),
        NewtonDescent(criterion=criterion),
    ):
        dense, csr = quietly(model, X, y).weights_, quietly(model, sparse.csr_array(X), y).weights_
        np.testing.assert_allclose(csr, dense, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
@pytest.mark.parametrize("criterion", [name for name in SMOOTH if name != "sigmoid"])  # whose curvature may vanish
def test_scales(criterion, scale):
    X, y = table(1, 3)
    for model in (GradientDescent(criterion=criterion, max_iter=10), NewtonDescent(criterion=criterion, max_iter=10)):
        quietly(model, scale * X, y)
        assert np.all(np.isfinite(model.weights_))


@pytest.mark.parametrize("kind", [GradientDescent, NewtonDescent])
def test_too_large_to_square(kind):
    X, y = table(1, 3)
    with pytest.raises(ValueError, match="divide the features by their size"):
        kind().fit(1e200 * X, y)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_data(bad):
    for model in (GradientDescent(), NewtonDescent()):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            model.fit([[1.0], [bad], [2.0]], [0, 1, 0])


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            NewtonDescent(criterion="perceptron"),
            "'perceptron' must be one with a Hessian; use GradientDescent",
        ),
        (NewtonDescent(criterion="hinge"), "criterion='hinge' must be one with a Hessian"),
        (NewtonDescent(criterion="minimax"), "criterion='minimax' must be one with a Hessian"),
        (NewtonDescent(criterion="errors"), "criterion='errors' must be one with a gradient"),
        (GradientDescent(criterion="errors"), "criterion='errors' must be one with a gradient; choose another"),
        (
            GradientDescent(criterion="perceptron", schedule="optimal"),
            "schedule='optimal' must be one without the Hessian, which criterion='perceptron' has not; use",
        ),
        (
            GradientDescent(criterion="squared", margin=0),
            "margin=0 must be positive where criterion='squared' is",
        ),
        (NewtonDescent(criterion="squared", margin=0.0), "give a margin > 0, or a start"),
        (GradientDescent(criterion="msee"), "criterion='msee' must be .*; did you mean 'mse'"),
        (GradientDescent(schedule="rls"), "schedule='rls' must be one that is not for single samples; use a number"),
        (GradientDescent(schedule=-1.0), r"schedule=-1\.0 must be"),
        (GradientDescent(tol=-1.0), r"tol=-1\.0 must be .*; give a threshold"),
        (GradientDescent(margin=[1.0, 2.0]), "b must hold 20 real numbers"),
        (GradientDescent(margin=np.nan), "b must be finite"),
        (GradientDescent(record="all"), "record='all' must be one of"),
        (GradientDescent(multiclass="kesler"), "multiclass='kesler' must be one of"),
        (GradientDescent(start=[1.0]), r"start has shape \(1,\)"),
        (NewtonDescent(max_iter=1.5), r"max_iter=1\.5 must be "),
    ],
)
def test_bad_parameters_are_named(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(*table(1, 3))


@pytest.mark.parametrize(("rule", "kind"), [(GradientRule, GradientDescent), (NewtonDescentRule, NewtonDescent)])
def test_a_rule_runs_without_an_estimator(rule, kind):
    X, y = table(1, 3)
    problem = make_problem(X, (y == y.max()).astype(np.int32), None, 2)
    plan = DescentPlan(criteria.get("mse"), Plan(record=True))
    solution = drive(rule(problem.zeros(), problem, plan), problem, 1000, Watch())
    model = kind(record="weights").fit(X, y)
    np.testing.assert_array_equal(solution.weights[0], model.weights_)
    np.testing.assert_array_equal(solution.path, model.history_["weights"])
