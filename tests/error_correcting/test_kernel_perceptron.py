"""The dual perceptron: Table 2.2 by hand, the primal form to the step, every way to name and to store a kernel."""

import warnings

import numpy as np
import pytest
from correction_cases import quietly, table
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from discriminant import (
    KernelPerceptron,
    NotConvergedWarning,
    Perceptron,
    Status,
    bounds,
    datasets,
    kesler,
    mercer,
)
from discriminant.error_correcting import gram
from discriminant.error_correcting.kernel_perceptron import _epoch
from discriminant.error_correcting.visits import PassTotals, Visits


def whole_numbers(rng, n=24, d=3, classes=2):
    """Data on which all arithmetic is exact, so that ties are ties in either form."""
    return rng.integers(-4, 5, (n, d)).astype(float), np.arange(n) % classes


def explicit(X):
    """The features of (1 + x'z)^2 in two dimensions."""
    x1, x2 = np.asarray(X, float).T
    return np.column_stack([np.ones_like(x1), np.sqrt(2) * x1, np.sqrt(2) * x2, x1**2, x2**2, np.sqrt(2) * x1 * x2])


def table_2_2(K, y, bias, passes=1000):
    """As the book prints it, for any Gram matrix."""
    z = np.where(np.asarray(y) == np.max(y), 1, -1)
    alpha, b, step = np.zeros(len(z)), 0.0, np.diagonal(K).max() if bias == "radius" else 1.0
    for _ in range(passes):
        mistakes = 0
        for i in range(len(z)):
            if z[i] * (alpha * z @ K[:, i] + b) <= 0:
                alpha[i] += 1
                b += z[i] * step
                mistakes += 1
        if not mistakes:
            break
    return alpha, b


# The books' numbers


@pytest.mark.parametrize(
    ("bias", "alpha", "weights", "corrections"),
    [("augmented", [5, 2, 2, 0], [-1, 2, 2], 9), ("radius", [7, 3, 3, 0], [-2, 3, 3], 13)],
)
def test_or(bias, alpha, weights, corrections):
    X, y = datasets.or_function()
    model = KernelPerceptron(bias=bias).fit(X, y)
    assert model.alpha_.tolist() == alpha
    assert model.weights_.tolist() == weights
    assert model.coef_.tolist() == [weights[1:]]
    assert model.intercept_.tolist() == weights[:1]
    assert model.dual_coef_.tolist() == [[-alpha[0], *alpha[1:]]]
    assert model.n_corrections_ == model.alpha_.sum() == corrections
    assert model.status_ is Status.SEPARATED


def test_the_default_is_table_2_2():
    X, y = table(1, 2)
    model = KernelPerceptron().fit(X, y)
    alpha, b = table_2_2(X @ X.T, y, "radius")
    np.testing.assert_array_equal(model.alpha_, alpha)
    np.testing.assert_allclose(model.intercept_, b)


@pytest.mark.parametrize("bias", ["radius", "augmented"])
def test_xor(bias):
    X, y = datasets.xor()
    for kernel in (mercer.Polynomial(degree=2), mercer.Gaussian(0.5)):
        model = KernelPerceptron(kernel, bias=bias).fit(X, y)
        alpha, b = table_2_2(kernel(np.asarray(X, float)), y, bias)
        np.testing.assert_array_equal(model.alpha_, alpha)
        np.testing.assert_allclose(model.intercept_, b)
        assert model.status_ is Status.SEPARATED
        assert not hasattr(model, "coef_")
        assert not hasattr(model, "weights_")
    with pytest.warns(NotConvergedWarning, match="a richer kernel"):
        linear = KernelPerceptron(bias=bias).fit(X, y)
    assert linear.status_ is Status.CYCLES
    assert "are those that began pass" in str(linear.report_)


# The primal form, to the step


@pytest.mark.parametrize("bias", ["augmented", "radius"])
@pytest.mark.parametrize("margin", [0.0, 2.0])
@pytest.mark.parametrize("schedule", [1.0, 0.5, "k"])
@pytest.mark.parametrize("order", ["cyclic", "random"])
def test_it_is_the_perceptron(bias, margin, schedule, order, rng):
    X, y = whole_numbers(rng)
    X[:, 0] += 3 * (2 * y - 1)
    X[0] = 2, 2, 4.9  # R^2 = 32.01 is no whole number, but the square of no root either
    common = {
        "bias": bias, "margin": margin, "schedule": schedule, "order": order, "random_state": 0, "max_iter": 15,
        "record": "weights",
    }  # fmt: skip
    dual, primal = quietly(KernelPerceptron(**common), X, y), quietly(Perceptron(**common), X, y)
    np.testing.assert_allclose(dual.weights_, primal.weights_, rtol=1e-9, atol=1e-9)
    for name in ("errors", "step", "corrections"):
        np.testing.assert_array_equal(dual.history_[name], primal.history_[name])
    np.testing.assert_allclose(dual.history_["criterion"], primal.history_["criterion"], rtol=1e-9, atol=1e-9)
    strengths = dual.history_["weights"]
    path = np.column_stack([strengths[:, 0], strengths[:, 1:] @ X])
    np.testing.assert_allclose(path, primal.history_["weights"], rtol=1e-9, atol=1e-9)
    assert dual.status_ is primal.status_


@pytest.mark.parametrize("strategy", ["kesler", "one-vs-rest", "one-vs-one"])
@pytest.mark.parametrize("bias", ["augmented", "radius"])
def test_many_classes_as_the_perceptron(strategy, bias, rng):
    X, y = whole_numbers(rng, n=30, classes=3)
    X[0] *= 10  # in one-vs-one the longest pattern is a bystander of one problem
    common = {"bias": bias, "multiclass": strategy, "max_iter": 5}
    dual, primal = quietly(KernelPerceptron(**common), X, y), quietly(Perceptron(**common), X, y)
    np.testing.assert_allclose(dual.weights_, primal.weights_, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(dual.history_["corrections"], primal.history_["corrections"])
    np.testing.assert_allclose(dual.decision_function(X), primal.decision_function(X), rtol=1e-9, atol=1e-9)
    assert dual.alpha_.shape == (30, 3)
    if strategy == "kesler":
        np.testing.assert_array_equal(dual.alpha_.sum(axis=1), 0)  # what one discriminant gains, its rival loses


def test_sample_weights_as_the_perceptron(rng):
    X, y = whole_numbers(rng)
    X[0] *= 10
    weight = rng.integers(0, 4, 24).astype(float)
    weight[0] = 0.0  # the longest pattern is absent, also from R
    for bias in ("augmented", "radius"):
        dual = quietly(KernelPerceptron(bias=bias, max_iter=5), X, y, weight)
        primal = quietly(Perceptron(bias=bias, max_iter=5), X, y, weight)
        np.testing.assert_allclose(dual.weights_, primal.weights_, rtol=1e-9)
        assert dual.alpha_[0] == 0


def test_the_polynomial_kernel_is_the_perceptron_on_its_features(rng):
    X, y = whole_numbers(rng, d=2)
    dual = quietly(KernelPerceptron(mercer.Polynomial(degree=2), bias="augmented", margin=0.5, max_iter=20), X, y)
    primal = quietly(Perceptron(margin=0.5, max_iter=20), explicit(X), y)
    np.testing.assert_array_equal(dual.history_["corrections"], primal.history_["corrections"])
    np.testing.assert_allclose(dual.decision_function(X), primal.decision_function(explicit(X)), rtol=1e-9, atol=1e-6)


def test_keslers_rule_on_explicit_features(rng):
    """The potential functions of section 5.12.2: the perceptron on Kesler's rows, strongest rival first."""
    X, y = whole_numbers(rng, n=15, d=2, classes=3)
    X /= 4
    rows, a, corrections = kesler(explicit(X), y).reshape(15, 2, -1), np.zeros(21), []
    for _ in range(12):
        corrections.append(0)
        for pair in rows:
            strongest = pair[np.argmin((pair @ a).round(6))]  # multiples of 1/256 but for rounding
            if round(float(strongest @ a), 6) <= 0.5:
                a, corrections[-1] = a + strongest, corrections[-1] + 1
        if not corrections[-1]:
            break
    model = KernelPerceptron(mercer.Polynomial(degree=2), bias="augmented", margin=0.5, max_iter=12)
    quietly(model, X, y)
    np.testing.assert_array_equal(model.history_["corrections"], corrections)
    g = np.column_stack([np.ones(15), explicit(X)]) @ a.reshape(3, 7).T
    np.testing.assert_allclose(model.decision_function(X), g, rtol=1e-9, atol=1e-6)


# Bounds


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_the_strengths_add_up_to_less_than_novikoff_allows(seed, d):
    """Remark 2.10, with the margin of a plane that the procedure does not know."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(12, d)), rng.normal(size=d)
    w /= np.linalg.norm(w)
    b = rng.uniform(-0.5, 0.5)
    g = X @ w + b
    y, gamma, R = (g > 0).astype(int), np.abs(g).min(), bounds.radius(X)
    if 0 < y.sum() < 12 and gamma > 0.02 * R and abs(b) <= R:
        model = KernelPerceptron(max_iter=10**5).fit(X, y)
        assert model.status_ is Status.SEPARATED
        assert model.alpha_.sum() == model.n_corrections_ <= bounds.novikoff(R, gamma)
        assert model.n_corrections_ <= model.report_.to_dict()["bound"] * (1 + 1e-9)


@pytest.mark.parametrize("bias", ["augmented", "radius"])
def test_the_report_has_the_bound_of_the_feature_space(bias):
    X, y = datasets.xor()
    model = KernelPerceptron(mercer.Polynomial(degree=2), bias=bias).fit(X, y)
    K = mercer.Polynomial(degree=2)(np.asarray(X, float))
    constant = 1.0 if bias == "augmented" else K.diagonal().max()
    a = np.r_[model.intercept_ / np.sqrt(constant), (model.dual_coef_ @ explicit(X))[0]]
    phi = np.column_stack([np.full(4, np.sqrt(constant)), explicit(X)])
    gamma, beta = (np.where(np.asarray(y) == 1, 1, -1) * (phi @ a)).min(), np.linalg.norm(phi, axis=1).max()
    np.testing.assert_allclose(model.report_.to_dict()["bound"], (a @ a) * beta**2 / gamma**2, rtol=1e-9)
    assert model.n_corrections_ <= model.report_.to_dict()["bound"]


def test_a_kernel_that_is_no_inner_product_has_no_bound():
    X, y = np.array([[1.0], [2.0], [3.0]]), [0, 1, 0]
    model = quietly(KernelPerceptron(lambda X, Z: -np.exp(-((X - Z.T) ** 2)), bias="augmented", max_iter=50), X, y)
    assert model.report_.to_dict()["bound"] is None


# The compiled pass, storage


@pytest.mark.parametrize("classes", [2, 3])
def test_the_compiled_pass_is_plain_python(classes, rng):
    X, y = rng.normal(size=(20, 3)), rng.integers(0, classes, 20)
    weight, K = rng.uniform(0.5, 1, 20), mercer.Gaussian()(X)
    model = quietly(KernelPerceptron("gaussian", bias="augmented", margin=0.1, max_iter=1), X, y, weight)
    A, F = np.zeros((1 if classes == 2 else 3, 21)), np.zeros((1 if classes == 2 else 3, 20))
    order = np.arange(20, dtype=np.uint32)
    visits = Visits(K, y.astype(np.int32), weight, order, np.ones(20))
    met = PassTotals(*_epoch.py_func(visits, order, A, F, 0.1, 1.0))
    np.testing.assert_allclose(model.dual_coef_, A[:, 1:], rtol=1e-12)
    np.testing.assert_allclose(model.intercept_, A[:, 0], rtol=1e-12)
    assert met[:3] == (20, model.n_corrections_, model.history_["errors"][0])
    np.testing.assert_allclose(met.criterion, model.history_["criterion"][0], rtol=1e-12)
    np.testing.assert_allclose(F, A[:, 1:] @ K, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kernel", ["linear", mercer.Gaussian(3.0)])
@pytest.mark.parametrize("categories", [(1, 2), (1, 2, 4)])
def test_storage_does_not_matter(kernel, categories):
    X, y = table(*categories)
    reference = quietly(KernelPerceptron(kernel, max_iter=10), X, y)
    repeated = sparse.csr_array(
        (np.repeat(X.ravel() / 2, 2), np.tile([0, 0, 1, 1], len(X)), np.arange(0, 4 * len(X) + 1, 4)), shape=X.shape
    )
    for form in (sparse.csr_array(X), sparse.csr_matrix(X), repeated):
        for cache_size in (1000, 1e-6):
            model = quietly(KernelPerceptron(kernel, max_iter=10, cache_size=cache_size), form, y)
            np.testing.assert_array_equal(model.alpha_, reference.alpha_)
            np.testing.assert_allclose(model.decision_function(form), reference.decision_function(X), rtol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "gaussian", "polynomial"])
def test_float32_stays(kernel):
    X, y = table(1, 2)
    model = quietly(KernelPerceptron(kernel, max_iter=20), X.astype(np.float32), y)
    assert model.alpha_.dtype == model.dual_coef_.dtype == model.intercept_.dtype == np.float32
    assert model.decision_function(X.astype(np.float32)).dtype == np.float32
    assert model.decision_function(X).dtype == np.float64


# Portions


@pytest.mark.parametrize("kernel", ["linear", mercer.Polynomial(degree=2), mercer.Gaussian(3.0)])
@pytest.mark.parametrize("bias", ["augmented", "radius"])
@pytest.mark.parametrize(
    ("categories", "strategy"), [((1, 2), "kesler"), ((1, 2, 4), "kesler"), ((1, 2, 4), "one-vs-rest")]
)
def test_portions_are_the_first_pass(kernel, bias, categories, strategy):
    X, y = table(*categories)
    longest_first = np.argsort(-np.linalg.norm(X, axis=1), kind="stable")  # so that R is known from the beginning
    X, y = X[longest_first], y[longest_first]
    common = {"kernel": kernel, "bias": bias, "schedule": "1/k", "multiclass": strategy}
    whole, model = quietly(KernelPerceptron(max_iter=1, **common), X, y), KernelPerceptron(**common)
    for part in np.array_split(np.arange(len(X)), 4):
        model.partial_fit(X[part], y[part], classes=np.unique(y))
    np.testing.assert_allclose(model.alpha_, whole.alpha_, rtol=1e-12)
    np.testing.assert_allclose(model.intercept_, whole.intercept_, rtol=1e-12)
    np.testing.assert_array_equal(model.X_fit_, X)
    assert model.n_corrections_ == whole.n_corrections_
    assert len(model.history_["errors"]) == 4 * (3 if strategy == "one-vs-rest" else 1)


def test_portions_have_no_bound():
    """The theorem speaks of all patterns, and a clean portion knows only its own."""
    X, y = datasets.or_function()
    model = KernelPerceptron()
    for _ in range(9):
        model.partial_fit(X, y, classes=[0, 1])
    assert model.status_ is Status.SEPARATED
    assert model.n_corrections_ == 13
    assert model.report_.to_dict()["bound"] is None


@pytest.mark.parametrize("forms", [(np.asarray, sparse.csr_array), (sparse.csr_array, np.asarray)])
def test_portions_of_different_storage(forms):
    X, y = table(1, 2)
    whole, model = quietly(KernelPerceptron(max_iter=1, bias="augmented"), X, y), KernelPerceptron(bias="augmented")
    for form, part in zip(forms, (slice(0, 13), slice(13, 20)), strict=True):
        model.partial_fit(form(X[part]), y[part], classes=[0, 1])
    np.testing.assert_allclose(model.weights_, whole.weights_, rtol=1e-12)
    np.testing.assert_array_equal(model.X_fit_.toarray(), X)
    model.predict(X)


def test_it_goes_on_after_a_fit():
    X, y = table(1, 3)
    model = quietly(KernelPerceptron(max_iter=2, bias="augmented"), X, y).partial_fit(X, y)
    whole = quietly(Perceptron(max_iter=3), X, y)
    np.testing.assert_allclose(model.weights_, whole.weights_, rtol=1e-9)
    assert model.alpha_.shape == (40,)
    assert model.n_iter_ == 3


def test_a_portion_that_is_refused_leaves_the_model_as_it_was():
    X, y = table(1, 2)
    model = KernelPerceptron().partial_fit(X[:15], y[:15], classes=[0, 1])
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit([[np.nan, 1.0]], [1])
    np.testing.assert_array_equal(model.decision_function(X), before)
    model.partial_fit(X[15:], y[15:])
    assert model.alpha_.shape == (20,)


# Degenerate data and bad input


def test_data_without_length_never_move():
    with pytest.warns(NotConvergedWarning):
        model = KernelPerceptron().fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert model.status_ is Status.CYCLES
    np.testing.assert_array_equal(model.undecided(np.ones((3, 2))), True)


def test_a_gaussian_separates_any_distinct_patterns(rng):
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    model = KernelPerceptron(mercer.Gaussian(0.01)).fit(X, y)
    assert model.status_ is Status.SEPARATED
    assert model.score(X, y) == 1


def test_scales():
    X, y = table(1, 2)
    for scale in (1e-150, 1e-60, 1e60, 1e150):
        model = quietly(KernelPerceptron(max_iter=50), scale * X, y)
        assert np.all(np.isfinite(model.weights_))
    exact = quietly(KernelPerceptron(max_iter=50), 2.0**400 * X, y)  # the R^2 bias makes the rule blind to scale
    np.testing.assert_array_equal(exact.alpha_, quietly(KernelPerceptron(max_iter=50), X, y).alpha_)
    with pytest.raises(ValueError, match=r"not finite here.*too large"):
        KernelPerceptron().fit(1e200 * X, y)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"kernel": "cubic"}, "kernel='cubic' must be one of linear"),
        ({"kernel": mercer.Gaussian}, "kernel=<class .*Gaussian.*a kernel such as Gaussian"),
        ({"bias": "none"}, "bias='none' must be one of 'radius', 'augmented'"),
        ({"margin": -1}, "margin=-1 must be "),
        ({"cache_size": 0}, "cache_size=0 must be .*; give the megabytes"),
        ({"schedule": "optimal"}, "schedule='optimal' must be a schedule without curvature"),
        ({"order": "any"}, "order='any' must be one of 'cyclic', 'random'"),
        ({"kernel": lambda X, Z: X}, "make it K"),
    ],
)
def test_bad_parameters_are_named(parameters, words):
    with pytest.raises(ValueError, match=words):
        KernelPerceptron(**parameters).fit(*table(1, 2))


def test_predict_wants_the_features_of_the_fit():
    model = KernelPerceptron("gaussian").fit(*datasets.xor())
    with pytest.raises(ValueError, match="3 features"):
        model.predict(np.ones((2, 3)))


@pytest.mark.parametrize("c", [2, 3])
@pytest.mark.parametrize("scale", [1.0, 1e9, 1e150])
def test_what_is_called_separated_is_predicted_without_error(scale, c, rng):
    X, y = rng.normal(size=(60, 3)) * scale, np.arange(60) % c
    model = KernelPerceptron("gaussian").fit(X, y)
    assert model.status_ is Status.SEPARATED
    assert model.score(X, y) == 1


def test_discriminants_that_predictions_do_not_confirm_are_found_out(rng, monkeypatch):
    """F is the sum of all corrections; here the kernel rows that it is made of are wrong, as if rounding were large."""
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2

    def spoilt(gram, watch):
        gram.matrix = np.eye(40)

    monkeypatch.setattr(gram.Gram, "fill", spoilt)
    with warnings.catch_warnings(action="ignore", category=NotConvergedWarning):
        model = KernelPerceptron(mercer.Gaussian(3.0), max_iter=50).fit(X, y)
        assert model.status_ is Status.SEPARATED
        assert model.score(X, y) < 1  # what was said without a look
        monkeypatch.setattr("discriminant.error_correcting.kernel_perceptron.DOUBT", 1e16)
        model.fit(X, y)
    assert model.status_ is not Status.SEPARATED


def test_weights_near_the_largest_float_leak_no_warning(rng):
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 2
    model = KernelPerceptron("gaussian").fit(X, y, np.full(30, 1e150))
    assert model.status_ is Status.SEPARATED
    assert model.report_.to_dict()["bound"] is None
