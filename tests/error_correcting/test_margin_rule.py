"""What MinOver and the Adatron share: bounds that meet, classes that overlap, kernels, storage, bad input."""

import numpy as np
import pytest
from correction_cases import quietly, table
from hypothesis import given
from hypothesis import strategies as st
from margin_cases import EXACT, RULES, two_clouds
from scipy import sparse
from sklearn.model_selection import cross_val_score

from discriminant import Adatron, MinOver, NotConvergedWarning, Status, datasets, io, mercer, separability
from discriminant.error_correcting.adatron import Adapt
from discriminant.error_correcting.hulls import Best, Found, Hulls, answer
from discriminant.error_correcting.margin_rule import Limits, _updates
from discriminant.error_correcting.minover import Learn


class Monitor:
    """A callback that notes the updates it is told of."""

    def __init__(self):
        self.seen = []

    def setup(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        if context.task_name == "epoch":
            self.seen.append(fitted_estimator.n_iter_)

    def teardown(self, estimator, context):
        pass


# Bounds and history


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_the_exact_margin_lies_between_the_bounds(seed, d):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(14, d)), rng.normal(size=d)
    g = X @ w
    y = (g > np.median(g)).astype(int)
    exact = float(separability(X, y).margin)
    for model in (MinOver(), Adatron(), MinOver(step="fixed", max_iter=200)):
        quietly(model, X, y)
        assert model.margin_ <= exact * (1 + 1e-9)
        assert model.margin_ <= 0 or exact <= model.margin_ * (1 + model.gap_) * (1 + 1e-9)
        assert model.status_ in (Status.CONVERGED, Status.BUDGET)


@pytest.mark.parametrize(("kind", "options"), RULES)
def test_the_margin_rises(kind, options):
    X, y = table(1, 2)
    model = kind(record="weights", **options).fit(X, y)
    margin = model.history_["criterion"]
    best = np.maximum.accumulate(margin)
    assert margin[0] < 0 < margin[-1]
    assert best[-1] > 0.999 * float(separability(X, y).margin)
    assert np.unique(best).size > 10
    assert margin[-1] == pytest.approx(model.margin_, rel=1e-12)
    assert model.history_["errors"][-1] == 0
    assert (model.history_["errors"] > 0).tolist() == (margin <= 0).tolist()
    path = model.history_["weights"]
    np.testing.assert_array_equal(path[0], 0)
    np.testing.assert_array_equal(path[-1], model.weights_)
    if len(margin) <= 10_000:
        assert len(path) == len(margin) + 1
        z = np.where(y == 1, 1, -1)
        replayed = [(z * (X @ a[1:] + a[0])).min() / np.linalg.norm(a[1:]) for a in path[1:]]
        np.testing.assert_allclose(replayed, margin, rtol=1e-9, atol=1e-9)


def test_the_pairs_are_told_and_come_back_from_a_file():
    X, y = table(1, 2)
    model = Adatron(record="weights").fit(X, y)
    pairs = model.history_["patterns"]
    total = (model.history_["step"][:, None] * (X[pairs[:, 0]] - X[pairs[:, 1]])).sum(axis=0)
    np.testing.assert_allclose(total / np.linalg.norm(total), model.coef_[0] * model.margin_, rtol=1e-9)
    np.testing.assert_array_equal(io.loads(io.dumps(model)).history_["patterns"], pairs)
    assert "patterns" not in Adatron().fit(X, y).history_


def test_the_path_of_a_kernel(rng):
    X, y = two_clouds(rng, d=2)
    model = MinOver(mercer.Gaussian(2.0), record="weights").fit(X, y)
    path = model.history_["weights"]
    assert path.shape == (model.n_iter_ + 1, 41)
    np.testing.assert_array_equal(path[-1], np.r_[model.intercept_, model.dual_coef_[0]])
    np.testing.assert_array_equal(np.abs(model.dual_coef_[0]), model.alpha_)


@pytest.mark.parametrize("kind", EXACT)
def test_the_conditions_of_kuhn_and_tucker(kind, rng):
    X, y = two_clouds(rng)
    model, z = kind(tol=1e-9).fit(X, y), np.where(y == 1, 1, -1)
    g = z * model.decision_function(X)
    assert g.min() == pytest.approx(1, rel=1e-12)
    np.testing.assert_allclose(model.alpha_ * (g - 1), 0, atol=1e-6)
    np.testing.assert_allclose(model.alpha_ @ z, 0, atol=1e-12)
    np.testing.assert_allclose(model.alpha_ * z @ X, model.coef_[0], rtol=1e-9, atol=1e-12)
    assert 1 / np.linalg.norm(model.coef_) == pytest.approx(model.margin_, rel=1e-9)
    assert model.support_.tolist() == np.flatnonzero(model.alpha_).tolist()


# Classes that overlap


def test_overlapping_classes_warn_and_end():
    for X, y in (datasets.xor(), table(1, 3), datasets.inseparable_six()):
        with pytest.warns(NotConvergedWarning, match="a richer kernel"):
            model = MinOver().fit(X, y)
        assert model.status_ is Status.NOT_SEPARABLE
        assert model.margin_ <= 0
        assert model.gap_ == np.inf
        assert "the means of the classes with the weights evidence_" in str(model.report_)
        z = np.where(np.asarray(y) == 1, 1, -1)
        np.testing.assert_allclose(model.evidence_ * z @ np.asarray(X, float), 0, atol=1e-7)
        np.testing.assert_allclose(model.evidence_[z == 1].sum(), 1)
        assert model.history_["errors"].min() == (z * model.decision_function(X) <= 0).sum()
        for other in (MinOver(step="fixed", max_iter=3000), Adatron(max_iter=3000)):
            with pytest.warns(NotConvergedWarning, match="no linear discriminant|budget"):
                other.fit(X, y)
            assert not other.status_.finished
            assert other.history_["errors"].min() == (z * other.decision_function(X) <= 0).sum()
            assert np.all(np.isfinite(other.weights_))


def test_each_problem_has_its_evidence():
    X, y = table(1, 2, 3)  # 1 and 3 overlap
    model = quietly(MinOver(multiclass="one-vs-one"), X, y)
    assert model.status_ is Status.NOT_SEPARABLE
    assert "Problem 1 (row 1 of coef_): Evidence" in str(model.report_)
    np.testing.assert_array_equal(model.evidence_.any(axis=1), [False, True, False])
    assert np.isfinite(model.gap_).tolist() == [True, False, True]


@pytest.mark.parametrize(("kind", "options"), RULES)
def test_a_point_of_both_classes(kind, options):
    model = quietly(kind(**options), [[1.0, 2.0], [1.0, 2.0]], [0, 1])
    assert model.status_ is Status.NOT_SEPARABLE
    assert "Evidence" in str(model.report_)
    assert model.n_iter_ == 1
    assert np.all(np.isfinite(model.decision_function([[0.0, 1.0]])))


def test_rounding_ends_a_run():
    X, y = table(1, 2)
    model = quietly(MinOver(tol=1e-300), X, y)
    assert model.status_ in (Status.CONVERGED, Status.BUDGET)
    assert model.gap_ < 1e-12


# Kernels


@pytest.mark.parametrize("kind", EXACT)
def test_all_ways_to_give_a_kernel(kind, rng):
    X, y = two_clouds(rng, d=3, apart=1.0)
    new, sigma = rng.normal(size=(7, 3)), 1.5

    def function(X, Z):
        return np.exp(-((X[:, None] - Z) ** 2).sum(axis=2) / sigma**2)

    models = [kind(kernel, tol=1e-10).fit(X, y) for kernel in (mercer.Gaussian(sigma), function)]
    given_matrix = kind("precomputed", tol=1e-10).fit(function(X, X), y)
    decisions = [m.decision_function(new) for m in models] + [given_matrix.decision_function(function(new, X))]
    for model, decision in zip([*models, given_matrix], decisions, strict=True):
        assert model.status_ is Status.CONVERGED
        np.testing.assert_allclose(model.alpha_, models[0].alpha_, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(decision, decisions[0], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("kind", "options"), RULES)
def test_a_linear_kernel_in_dual_form_is_the_primal_one(kind, options, rng):
    X, y = two_clouds(rng, apart=4.0)
    primal = kind(**options).fit(X, y)
    for kernel in (lambda X, Z: X @ Z.T, mercer.Polynomial(degree=1, coef0=0.0)):
        dual = kind(kernel, **options).fit(X, y)
        first = min(6, dual.n_iter_)  # later on rounding decides ties
        np.testing.assert_allclose(dual.history_["criterion"][:first], primal.history_["criterion"][:first], rtol=1e-8)
        assert dual.margin_ == pytest.approx(primal.margin_, rel=1e-3)
        np.testing.assert_allclose(dual.decision_function(X), primal.decision_function(X), rtol=0.1, atol=0.1)
    named = kind(mercer.Linear(), **options).fit(X, y)
    np.testing.assert_array_equal(named.weights_, primal.weights_)


@pytest.mark.parametrize("kind", EXACT)
def test_a_small_cache_changes_nothing(kind, rng):
    X, y = two_clouds(rng, apart=1.0)
    whole = kind("gaussian").fit(X, y)
    for rows in (2, 3, 10):
        small = kind("gaussian", cache_size=rows * 40 * 8 / 2**20).fit(X, y)
        np.testing.assert_array_equal(small.alpha_, whole.alpha_)
    with pytest.raises(ValueError, match=r"cache_size=.* must be at least .* two kernel rows of 40 patterns"):
        kind("gaussian", cache_size=1e-6).fit(X, y)


def test_a_precomputed_matrix_is_cut_both_ways():
    X, y = table(4, 2)
    for kernel in ("precomputed", mercer.Precomputed()):
        model = MinOver(kernel)
        assert model.__sklearn_tags__().input_tags.pairwise
        scores = cross_val_score(model, X @ X.T, y, cv=4)
        np.testing.assert_array_equal(scores, cross_val_score(MinOver(), X, y, cv=4))
    assert not MinOver().__sklearn_tags__().input_tags.pairwise
    with pytest.raises(ValueError, match=r"a precomputed Gram matrix is square"):
        MinOver("precomputed").fit(X, y)


@pytest.mark.parametrize("kind", EXACT)
def test_a_kernel_that_is_no_inner_product_ends(kind, rng):
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    for kernel in (mercer.Sigmoid(), lambda X, Z: -np.exp(-((X[:, None] - Z) ** 2).sum(axis=2))):
        model = quietly(kind(kernel, max_iter=2000), X, y)
        assert np.all(np.isfinite(model.decision_function(X)))


# Compiled code, storage, symmetry


@pytest.mark.parametrize("rule", [Learn(exchanges=False), Learn(exchanges=True, share=0.9), Adapt(0.9)])
@pytest.mark.parametrize("storage", ["dense", "kernel"])
def test_the_compiled_pass_is_plain_python(rule, storage, rng):
    X, y = two_clouds(rng, n=12, d=3, apart=1.0)
    labels, place = y.astype(np.int32), None
    if storage == "kernel":
        X, place = X @ X.T, np.arange(12)
    X.flags.writeable = storage == "kernel"  # as in a fit, whose machine code is there
    size, ends = X.shape[1] + (storage == "dense"), []
    for call in (_updates, _updates.py_func):
        alpha, v, f, u = np.zeros(12), np.zeros(size), np.zeros(12), np.zeros(size)
        log, row = np.zeros((8, 5)), np.zeros(1 + X.shape[1])
        best = Best(np.array([np.inf, -np.inf]), np.zeros(12), np.zeros(size))
        hulls = Hulls(X, labels, alpha, v, f)
        *out, found = call(rule, place, hulls, u, best, Limits(1e-9, 1e-9), 0.0, log)
        ends.append((out, found, alpha, v, *best, log, answer(Found(*found), place, hulls, row), row))
    for compiled, plain in zip(*ends, strict=True):
        np.testing.assert_allclose(compiled, plain, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("kind", "options"), RULES)
@pytest.mark.parametrize("kernel", ["linear", mercer.Gaussian(3.0)])
def test_storage_does_not_matter(kind, options, kernel):
    X, y = table(1, 2)
    options = {"tol": 1e-9, **options, "max_iter": 2000}
    dense = quietly(kind(kernel, **options), X, y)
    repeated = sparse.csr_array(
        (np.repeat(X.ravel() / 2, 2), np.tile([0, 0, 1, 1], len(X)), np.arange(0, 4 * len(X) + 1, 4)), shape=X.shape
    )
    for stored in (sparse.csr_array(X), sparse.csr_matrix(X), repeated, np.asfortranarray(X), X.tolist()):
        model = quietly(kind(kernel, **options), stored, y)
        np.testing.assert_allclose(model.alpha_, dense.alpha_, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(model.decision_function(stored), dense.decision_function(X), rtol=1e-4, atol=1e-4)
        assert model.status_ is dense.status_


@pytest.mark.parametrize("kind", EXACT)
@pytest.mark.parametrize("kernel", ["linear", "gaussian"])
def test_single_precision_stays(kind, kernel):
    X, y = table(4, 2)
    model, wide = kind(kernel, record="weights").fit(X.astype(np.float32), y), kind(kernel).fit(X, y)
    for values in (model.alpha_, model.intercept_, model.decision_function(X.astype(np.float32))):
        assert values.dtype == np.float32
    assert model.history_["weights"].dtype == np.float32
    assert model.margin_ == pytest.approx(wide.margin_, rel=2e-3)


@pytest.mark.parametrize(("kind", "options"), RULES)
def test_swapped_labels_negate(kind, options, rng):
    X, y = two_clouds(rng, d=3)
    model, swapped = quietly(kind(**options), X, y), quietly(kind(**options), X, 1 - y)
    np.testing.assert_allclose(swapped.weights_, -model.weights_, rtol=1e-9)
    np.testing.assert_allclose(swapped.alpha_, model.alpha_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", EXACT)
def test_columns_and_scales(kind, rng):
    X, y = two_clouds(rng, d=3)
    model = kind().fit(X, y)
    np.testing.assert_allclose(kind().fit(X[:, [2, 0, 1]], y).coef_, model.coef_[:, [2, 0, 1]], rtol=1e-9)
    for scale in (2.0**400, 2.0**-400):
        scaled = kind().fit(scale * X, y)
        assert scaled.margin_ == pytest.approx(scale * model.margin_, rel=1e-9)
    constant = kind().fit(np.column_stack([X, np.full(40, 7.0)]), y)
    assert constant.margin_ == pytest.approx(model.margin_, rel=1e-2)
    one = kind().fit([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1])
    np.testing.assert_allclose(one.weights_, [-2.5 / 1.5, 1 / 1.5], rtol=1e-9)


# Weights, classes, callbacks, bad input


@pytest.mark.parametrize("kind", EXACT)
def test_weights_leave_out_or_change_nothing(kind, rng):
    X, y = two_clouds(rng)
    model = kind().fit(X, y)
    np.testing.assert_array_equal(kind().fit(X, y, rng.uniform(0.1, 9, 40)).weights_, model.weights_)
    weight = np.ones(40)
    weight[model.support_[:2]] = 0
    np.testing.assert_array_equal(kind().fit(X, y, weight).weights_, kind().fit(X[weight > 0], y[weight > 0]).weights_)
    with pytest.raises(ValueError, match="sample_weight is zero for every row of a class"):
        kind().fit(X, y, y.astype(float))


@pytest.mark.parametrize("kind", EXACT)
@pytest.mark.parametrize("kernel", ["linear", mercer.Gaussian(4.0)])
def test_many_classes(kind, kernel):
    X, y = table(1, 2, 4)
    pairs = kind(kernel, multiclass="one-vs-one").fit(X, y)
    assert pairs.score(X, y) == 1
    assert pairs.alpha_.shape == (30, 3)
    assert pairs.margin_.shape == pairs.gap_.shape == (3,)
    if kernel == "linear":
        for p, (a, b) in enumerate(((1, 2), (1, 4), (2, 4))):
            exact = float(separability(*table(a, b)).margin)
            assert 0.99 * exact <= pairs.margin_[p] <= exact * (1 + 1e-9)
        assert pairs.coef_.shape == (3, 2)
    assert "the smallest of 3" in str(pairs.report_)
    rest = quietly(kind(kernel, max_iter=500), X, y)
    assert rest.decision_function(X).shape == (30, 3)
    assert rest.support_.tolist() == np.flatnonzero(rest.alpha_.any(axis=1)).tolist()
    assert set(rest.history_["problem"]) == {0, 1, 2}


@pytest.mark.parametrize("kind", EXACT)
def test_callbacks_see_every_update(kind):
    X, y = table(4, 2)
    monitor = Monitor()
    model = kind().set_callbacks(monitor).fit(X, y)
    assert monitor.seen == [*range(1, model.n_iter_ + 1)]
    np.testing.assert_array_equal(model.weights_, kind().fit(X, y).weights_)


@pytest.mark.parametrize("kind", EXACT)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tol": 0}, "tol=0 must be "),
        ({"max_iter": 0}, "max_iter=0 must be "),
        ({"kernel": "cubic"}, "kernel='cubic' must be one of linear"),
        ({"cache_size": -1}, "cache_size=-1 must be "),
        ({"record": "all"}, "record='all' must be one of "),
        ({"multiclass": "kesler"}, "multiclass='kesler' must be one of "),
    ],
)
def test_bad_parameters(kind, options, message):
    with pytest.raises(ValueError, match=message):
        kind(**options).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("kind", EXACT)
def test_bad_data(kind):
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="X contains"):
            kind().fit([[0.0], [bad]], [0, 1])
    with pytest.raises(ValueError, match="X overflows"):
        kind().fit([[-1e200], [1e200]], [0, 1])
    with pytest.raises(ValueError, match="X underflows"):
        kind().fit([[-1e-200], [1e-200]], [0, 1])
    with pytest.raises(ValueError, match="one class"):
        kind().fit([[0.0], [1.0]], [1, 1])


@pytest.mark.parametrize("model", [MinOver(), Adatron(max_iter=200), MinOver("gaussian"), Adatron("gaussian")])
def test_an_infinite_gap_has_its_reason(model):
    X, y = [[0.0, 0], [1, 1], [0, 0], [1, 1]], [0, 0, 1, 1]
    quietly(model, X, y)
    assert model.gap_ == np.inf
    assert "gap_ is infinite" in str(model.report_)


@pytest.mark.parametrize("kernel", ["linear", "sigmoid"])
@pytest.mark.parametrize("make", [MinOver, Adatron])
def test_squares_that_floats_cannot_divide_by(make, kernel, rng):
    X, y = two_clouds(rng)
    with pytest.raises(ValueError, match="underflows"):
        make(kernel, max_iter=200).fit(1e-160 * X, y)


@pytest.mark.parametrize("make", [MinOver, Adatron])
def test_weights_beyond_float32(make):
    X = np.array([[-1e-40], [1e-40]], np.float32)
    with pytest.raises(ValueError, match="X underflows"):
        make().fit(X, [0, 1])
    np.testing.assert_allclose(make().fit(X.astype(np.float64), [0, 1]).coef_, [[1e40]], rtol=1e-4)


@pytest.mark.parametrize(("kind", "options"), RULES)
def test_who_looks_at_each_update_sees_the_same_history(kind, options):
    options, monitor = options | {"max_iter": 300}, Monitor()
    model = quietly(kind(**options), *datasets.iris())  # many updates in one call
    watched = quietly(kind(**options).set_callbacks(monitor), *datasets.iris())
    assert len(monitor.seen) == model.history_["errors"].size > 300
    for name, values in model.history_.items():
        np.testing.assert_array_equal(watched.history_[name], values)
