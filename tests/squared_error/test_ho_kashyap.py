"""Ho-Kashyap: the worked numbers, the rules to the step, verdicts against linear programming, evidence."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from ho_kashyap_cases import VARIANTS, by_the_book, check_evidence, every_variant, fitted, normalized, random_problem
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from portions import rest_in_ci
from scipy import sparse
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.callback import ScoringMonitor
from sklearn.utils.estimator_checks import parametrize_with_checks

from discriminant import FitInterruptedWarning, NotConvergedWarning, Status, datasets
from discriminant._engine.driver import Watch
from discriminant._engine.problem import make_problem
from discriminant.squared_error.ho_kashyap import HoKashyap, HoKashyapPlan, HoKashyapRule, optimal_rate


def separable(X: Any, y: Any) -> bool:
    """What linear programming says: can the smallest margin of an a in the unit cube be positive?"""
    Y = normalized(X, y)
    n, d = Y.shape
    found = linprog(
        np.r_[np.zeros(d), -1.0],
        A_ub=np.column_stack([-Y, np.ones(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1, 1)] * d + [(None, 1)],
    )
    assert found.status == 0
    return bool(-found.fun > 1e-9)


# The worked numbers -------------------------------------------------------------------------------------------------


def test_categories_four_and_two_are_separated_at_a6():
    X, y = datasets.table(4, 2)
    model = HoKashyap(eta=0.5, margin=1.0, record="weights").fit(X, y)
    assert model.status_ is Status.SEPARATED
    assert (model.n_iter_, model.n_corrections_) == (6, 5)
    Y, path = normalized(X, y), model.history_["weights"]
    assert len(path) == 6
    assert [bool(np.all(Y @ a > 0)) for a in path] == [False] * 5 + [True]
    assert_allclose(path[0], np.linalg.lstsq(Y, np.ones(20), rcond=None)[0], rtol=1e-12)
    assert_array_equal(path[-1], model.weights_)
    assert model.evidence_ is None


@every_variant
def test_categories_four_and_two_are_separated(options: dict[str, Any]):
    X, y = datasets.table(4, 2)
    model = HoKashyap(**options).fit(X, y)
    assert model.status_ is Status.SEPARATED
    assert np.all(normalized(X, y) @ model.weights_ > 0)
    assert model.history_["errors"][-1] == 0
    assert np.all(model.history_["errors"][:-1] > 0)


@every_variant
def test_categories_one_and_three_are_not_separable(options: dict[str, Any]):
    X, y = datasets.table(1, 3)
    with pytest.warns(NotConvergedWarning, match="may not be linearly separable"):
        model = HoKashyap(**options).fit(X, y)
    assert model.status_ is Status.NOT_SEPARABLE
    check_evidence(model, X, y)


def test_steps_of_the_worked_cases():
    steps = {
        name: [fitted(*datasets.table(*pair), **options).n_iter_ for pair in ((4, 2), (1, 3))]
        for name, options in VARIANTS.items()
    }
    assert steps["pseudoinverse"] == steps["modified"] == [6, 118]
    assert steps["gram"] == [5, 44]
    assert steps["descent"] == [2656, 1171]
    assert steps["optimal"][0] < 500  # rounding decides the last digits of these
    assert steps["optimal"][1] < 500


def test_problem_25_is_proved_at_once():
    X, y = datasets.inseparable_six()
    model = fitted(X, y)
    assert (model.status_, model.n_iter_, model.n_corrections_) == (Status.NOT_SEPARABLE, 1, 0)
    assert np.all(model.errors_ < 0)
    assert_array_equal(model.evidence_, -model.errors_)
    check_evidence(model, X, y)


def test_problem_25_optimal_rate():
    dataset = datasets.inseparable_six()
    model = fitted(*dataset, variant="descent", eta="optimal")
    assert model.status_ is Status.NOT_SEPARABLE
    assert_allclose(model.history_["step"][0], 5 / 259, rtol=1e-14)
    assert round(float(model.history_["step"][0]), 7) == 0.0193050
    assert dataset.optimal_rate == 5 / 259


@every_variant
def test_exclusive_or_is_proved_at_once(options: dict[str, Any]):
    model = fitted(*datasets.xor(), **options)
    assert (model.status_, model.n_iter_) == (Status.NOT_SEPARABLE, 1)
    assert_allclose(model.evidence_, 1.0)


# The rules, to the step ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [*VARIANTS.values(), {"eta": 0.9}, {"variant": "modified", "eta": 0.1}, {"variant": "descent", "eta": 1e-3},
     {"variant": "descent", "R": np.diag([2.0, 1.0, 0.5])},
     {"variant": "descent", "R": np.array([[2.0, 0.5, 0], [0.5, 1.0, 0.1], [0, 0.1, 3.0]]), "eta": "optimal"}],
)  # fmt: skip
@pytest.mark.parametrize("margin", [1.0, "array"])
def test_every_step_is_the_book_s(options: dict[str, Any], margin: Any, rng: np.random.Generator):
    X, y = datasets.table(1, 3)
    b = rng.uniform(0.5, 2, size=20) if margin == "array" else np.ones(20)
    model = fitted(X, y, margin=b if margin == "array" else margin, record="weights", max_iter=30, **options)
    path = model.history_["weights"]
    book = by_the_book(normalized(X, y), b, options, len(path) - 1)
    assert len(path) > 7
    assert_allclose(path, book, rtol=1e-9, atol=1e-12)


def test_modified_makes_the_same_vectors():
    X, y = datasets.table(1, 3)
    one, other = (fitted(X, y, variant=v, record="weights") for v in ("pseudoinverse", "modified"))
    assert_allclose(one.history_["weights"], other.history_["weights"], rtol=1e-10, atol=1e-12)
    assert_allclose(one.margins_, other.margins_, rtol=1e-10)
    assert_allclose(one.history_["criterion"], other.history_["criterion"], rtol=1e-10)


def test_optimal_rate_of_the_gram_matrix_is_one():
    model = fitted(*datasets.table(3, 2), variant="descent", R="gram", eta="optimal")
    assert_allclose(model.history_["step"], 1.0, rtol=1e-12)


def test_optimal_rate_is_the_best(rng: np.random.Generator):
    Y, e = rng.normal(size=(12, 3)), rng.normal(size=12)
    R = np.diag([1.0, 2.0, 3.0])
    v = Y.T @ np.abs(e)
    eta = optimal_rate(v, R @ v, Y @ R @ v, 1.0)

    def left(rate: float) -> float:
        return float(np.sum((rate * Y @ R @ v - np.abs(e)) ** 2))  # |e(k+1)|^2, before Eq. 91

    assert left(eta) < min(left(0.999 * eta), left(1.001 * eta))


def test_start_of_the_descent():
    X, y = datasets.table(4, 2)
    model = fitted(X, y, variant="descent", start=[1.0, 2.0, 3.0], record="weights", max_iter=3)
    assert_array_equal(model.history_["weights"][0], [1, 2, 3])
    solved = HoKashyap().fit(X, y).weights_
    model = HoKashyap(variant="descent", start=solved).fit(X, y)
    assert (model.status_, model.n_iter_, model.n_corrections_) == (Status.SEPARATED, 1, 0)
    assert_array_equal(model.weights_, solved)


def test_state_is_consistent_when_the_budget_ends():
    X, y = datasets.table(1, 3)
    with pytest.warns(NotConvergedWarning, match="eta nearer to 1"):
        model = HoKashyap(max_iter=7).fit(X, y)
    assert (model.status_, model.n_iter_, model.n_corrections_) == (Status.BUDGET, 7, 7)
    Y = normalized(X, y)
    assert_allclose(model.errors_, Y @ model.weights_ - model.margins_, atol=1e-13)
    assert_allclose(Y.T @ model.errors_, 0, atol=1e-12)
    with pytest.warns(NotConvergedWarning, match="R='gram'"):
        HoKashyap(variant="descent", max_iter=7).fit(X, y)


def test_history():
    X, y = datasets.table(1, 3)
    model = fitted(X, y, max_iter=50, record="weights")
    Y, history = normalized(X, y), model.history_
    margins = history["weights"][:50] @ Y.T
    assert_array_equal(history["errors"], np.count_nonzero(margins <= 0, axis=1))
    assert_allclose(history["criterion"][0], np.sum((margins[0] - 1) ** 2))
    assert_allclose(history["step"], 0.5)
    assert_array_equal(history["corrections"], 1)


@every_variant
@given(seed=st.integers(0, 10**6))
def test_errors_never_grow_and_margins_never_fall(options: dict[str, Any], seed: int):
    rng = np.random.default_rng(seed)
    X, y = random_problem(rng)
    b = rng.uniform(0.1, 3, size=len(y))
    if options.get("R") == "gram" and np.linalg.matrix_rank(normalized(X, y)) < X.shape[1] + 1:
        return
    model = fitted(X, y, margin=b, max_iter=60, **options)
    criterion = model.history_["criterion"]
    assert np.all(np.diff(criterion) <= 1e-10 * criterion[0])
    assert np.all(model.margins_ >= b)


# Verdicts and evidence ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trials", rest_in_ci([60, 200]))
def test_verdicts_agree_with_linear_programming(trials: int, rng: np.random.Generator):
    undecided = dict.fromkeys(("pseudoinverse", "modified", "gram", "optimal"), 0)
    count = {True: 0, False: 0}
    for _ in range(trials):
        X, y = random_problem(rng)
        truth = separable(X, y)
        count[truth] += 1
        for name in undecided:
            if name == "gram" and np.linalg.matrix_rank(normalized(X, y)) < X.shape[1] + 1:
                continue
            model = fitted(X, y, **VARIANTS[name], max_iter=3000)
            assert model.status_ is not (Status.NOT_SEPARABLE if truth else Status.SEPARATED)
            undecided[name] += model.status_ is Status.BUDGET
            if model.status_ is Status.NOT_SEPARABLE:
                check_evidence(model, X, y)
    assert min(count.values()) > trials // 4
    assert undecided["pseudoinverse"] == undecided["modified"] == undecided["gram"] == 0
    assert undecided["optimal"] <= 2


def exact_evidence(Y: np.ndarray, found: np.ndarray) -> list[Fraction] | None:
    """The found weights moved by the least squares that make Y'lambda exactly zero, or None if that turns a sign."""
    rows = np.flatnonzero(found)
    P = [[Fraction(v) for v in Y[i].tolist()] for i in rows]
    weights = [Fraction(found[i]) for i in rows]
    basis: list[list[Fraction]] = []  # of the columns of P, orthogonal
    for column in zip(*P, strict=True):
        rest = list(column)
        for q in basis:
            share = sum(r * s for r, s in zip(rest, q, strict=True)) / sum(s * s for s in q)
            rest = [r - share * s for r, s in zip(rest, q, strict=True)]
        if any(rest):
            basis.append(rest)
    for q in basis:
        share = sum(r * s for r, s in zip(weights, q, strict=True)) / sum(s * s for s in q)
        weights = [r - share * s for r, s in zip(weights, q, strict=True)]
    assert all(sum(w * p[j] for w, p in zip(weights, P, strict=True)) == 0 for j in range(Y.shape[1]))
    return weights if all(w >= 0 for w in weights) and any(weights) else None


def test_evidence_is_one_rounding_away_from_a_proof(rng: np.random.Generator):
    """On whole numbers, what the rule finds is moved onto Y'lambda = 0 in exact arithmetic and stays positive."""
    proved = tried = 0
    while tried < 40:
        X = rng.integers(-3, 4, size=(rng.integers(5, 12), 2)).astype(float)
        y = rng.integers(0, 2, size=len(X))
        if len(set(y)) < 2:
            continue
        model = fitted(X, y, max_iter=2000)
        if model.status_ is Status.NOT_SEPARABLE:
            tried += 1
            proved += exact_evidence(normalized(X, y), model.evidence_) is not None
    assert proved == tried


def test_no_positive_error_alone_proves_nothing():
    X, y = datasets.table(4, 2)  # separable, and a(1) = 0 has e = -b
    model = fitted(X, y, variant="descent", max_iter=1)
    assert model.status_ is Status.BUDGET
    assert model.evidence_ is None


def test_a_small_gap_is_not_mistaken_for_none():
    """Features of very different size: the gap is 1e-12 of the length of the patterns, and still there."""
    rng = np.random.default_rng(0)
    x = np.linspace(-1, 1, 20)
    X = np.column_stack([1e6 * rng.normal(size=20), 1e-6 * x])
    y = (x > 0).astype(int)
    assert HoKashyap().fit(X, y).status_ is Status.SEPARATED
    for options in ({"variant": "descent"}, {"variant": "descent", "eta": "optimal"}):
        assert fitted(X, y, max_iter=2000, **options).status_ is Status.BUDGET  # and not NOT_SEPARABLE


def test_an_outlier_does_not_hide_the_gap():
    X, y = np.array([[1.0], [1e12], [-1.0]]), np.array([1, 1, 0])
    assert fitted(X, y).status_ in (Status.SEPARATED, Status.BUDGET)


def test_patterns_on_the_plane_are_errors():
    """The same point in both classes: Ya can be zero there, never positive."""
    X, y = np.array([[0.1, 0.3], [0.1, 0.3], [2.0, 1.0], [-1.0, -2.0]]), np.array([0, 1, 1, 0])
    model = fitted(X, y)
    assert model.status_ is Status.NOT_SEPARABLE
    assert_array_equal(np.flatnonzero(model.evidence_), [0, 1])


def test_tolerance_of_the_evidence():
    X, y = datasets.table(1, 3)
    loose, tight = fitted(X, y, tol=1e-3), fitted(X, y, tol=1e-13)
    assert loose.status_ is tight.status_ is Status.NOT_SEPARABLE
    assert loose.n_iter_ <= fitted(X, y).n_iter_ < tight.n_iter_
    assert "Evidence: 13 patterns" in str(tight.report_)


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
def test_a_callback_leaves_the_notes_of_three_classes_as_they_are():
    """Each note is prefixed once with the number of its problem, whether or not callbacks listen."""
    X, y = datasets.iris()
    silent = HoKashyap(max_iter=3000).fit(X, y).report_.to_dict()["notes"]
    heard = HoKashyap(max_iter=3000).set_callbacks(ScoringMonitor(scoring="accuracy")).fit(X, y).report_.to_dict()
    assert heard["notes"] == silent
    assert [note.count("Problem 1 (row 1 of coef_): ") for note in silent] == [1]


def test_a_rule_runs_alone():
    """On a plan, without an estimator; what it found is not written over by further steps."""
    X, y = datasets.table(4, 2)
    problem = make_problem(np.asarray(X, float), np.unique(y, return_inverse=True)[1].astype(np.int32), None, 2)
    rule = HoKashyapRule(HoKashyapPlan(eta=0.5), np.zeros(3), problem)
    rule.epoch(problem, Watch())
    found = rule.findings
    margins = found.margins.copy()
    for _ in range(4):
        rule.epoch(problem, Watch())
    assert_array_equal(found.margins, margins)
    assert_allclose(rule.answer[0], HoKashyap().fit(X, y).weights_)


def test_report_says_what_carries_the_evidence():
    model = fitted(*datasets.inseparable_six())
    text = str(model.report_)
    assert "Evidence: 6 patterns" in text
    assert "evidence_" in model.report_.to_dict()["remedy"]
    assert model.report_.to_dict()["inseparable"] is False  # evidence to a tolerance is no proof


# Equivalences and degenerate data -----------------------------------------------------------------------------------


def test_bound_of_eta_for_many_features(rng: np.random.Generator):
    X, y = rng.normal(size=(600, 520)), rng.integers(0, 2, size=600)
    Y = normalized(X, y)
    model = fitted(X, y, variant="descent", max_iter=2)
    assert_allclose(model.history_["step"], 1 / np.linalg.eigvalsh(Y.T @ Y)[-1], rtol=1e-4)


# Parameters ---------------------------------------------------------------------------------------------------------


BAD: list[tuple[dict[str, Any], str]] = [
    ({"variant": "hk"}, "variant='hk' must be one of"),
    ({"eta": 0}, r"eta=0 must be .*0 < eta < 1"),
    ({"eta": 1.0}, r"eta=1\.0 must be .*0 < eta < 1"),
    ({"eta": 1.5, "variant": "modified"}, r"eta=1\.5 must be .*0 < eta < 1"),
    ({"eta": "optimal"}, r"eta='optimal' must be .*0 < eta < 1"),
    ({"eta": float("nan")}, "eta=nan must be "),
    ({"eta": -1.0, "variant": "descent"}, r"eta=-1\.0 must be "),
    ({"eta": "best", "variant": "descent"}, r"eta='best' must be .*'optimal'"),
    ({"eta": 0.5, "variant": "descent"}, r"eta=0\.5 must be .*0 < eta < 0\.0\d+.*'optimal'"),
    ({"eta": 2.0, "variant": "descent", "R": "gram"}, r"eta=2 must be .*0 < eta < 2,.*; give a smaller eta"),
    ({"R": "unit", "variant": "descent"}, "R='unit' must be one of"),
    ({"R": "gram"}, "R must be 'identity' where variant='.*'; drop it"),
    ({"R": np.eye(2), "variant": "descent"}, r"R has shape \(2, 2\).*\(3, 3\)"),
    ({"R": -np.eye(3), "variant": "descent"}, "R is not symmetric and positive definite"),
    ({"R": np.eye(3) + np.eye(3, k=1), "variant": "descent"}, "R is not symmetric and positive definite"),
    ({"R": np.full((3, 3), np.nan), "variant": "descent"}, "R is not symmetric and positive definite"),
    ({"R": None, "variant": "descent"}, r"R has shape \(\)"),
    ({"margin": 0}, r"margin=0 must be .*b\(1\) > 0"),
    ({"margin": -1.0}, r"margin=-1\.0 must be "),
    ({"margin": "wide"}, "margin='wide' must be "),
    ({"margin": float("inf")}, "margin=inf must be "),
    ({"margin": [1.0, 2.0]}, r"margin has shape \(2,\).*each of the 20 rows"),
    ({"margin": np.r_[np.ones(19), 0.0]}, r"margin holds 0; give one margin b\(1\) > 0"),
    ({"margin": np.r_[np.ones(19), np.nan]}, "margin holds nan"),
    ({"tol": -1e-9}, r"tol=-1e-09 must be "),
    ({"tol": 1.0}, r"tol=1\.0 must be "),
    ({"start": [0.0, 0.0, 0.0]}, "start must be None where variant="),
    ({"start": [0.0, 0.0], "variant": "descent"}, r"start has shape \(2,\)"),
    ({"start": [0.0, 0.0, 1e300], "variant": "descent"}, "ordinary sizes"),
    ({"max_iter": 0}, "max_iter=0 must be "),
    ({"record": "path"}, "record='path' must be one of"),
    ({"multiclass": "kesler"}, "multiclass='kesler' must be one of"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=[f"{i}-{message[:20]}" for i, (_, message) in enumerate(BAD)])
def test_bad_parameters(options: dict[str, Any], message: str):
    X, y = datasets.table(4, 2)
    with pytest.raises(ValueError, match=message):
        HoKashyap(**options).fit(X, y)


@every_variant
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_data(options: dict[str, Any], bad: float):
    X, y = datasets.table(4, 2)
    X = X.copy()
    X[3, 1] = bad
    for data in (X, sparse.csr_array(X)):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            HoKashyap(**options).fit(data, y)


def test_an_interrupt_leaves_a_consistent_state(monkeypatch: pytest.MonkeyPatch):
    X, y = datasets.table(1, 3)
    step, calls = HoKashyapRule.epoch, []

    def interrupted(rule: Any, problem: Any, watch: Any) -> Any:
        calls.append(0)
        watch.interrupted = len(calls) == 4  # in the middle of the fourth epoch
        return step(rule, problem, watch)

    monkeypatch.setattr(HoKashyapRule, "epoch", interrupted)
    with pytest.warns(FitInterruptedWarning):
        model = HoKashyap().fit(X, y)
    assert (model.status_, model.n_iter_, model.n_corrections_) == (Status.STOPPED, 3, 3)
    assert_allclose(model.errors_, normalized(X, y) @ model.weights_ - model.margins_, atol=1e-13)
    assert_allclose(model.weights_, by_the_book(normalized(X, y), np.ones(20), {}, 3)[-1])


def test_the_data_are_left_alone():
    X, y = datasets.table(1, 3)
    b = np.ones(20)
    kept = X.copy()
    fitted(X, y, margin=b)
    assert_array_equal(X, kept)
    assert_array_equal(b, 1)


def test_clone_and_pickle():
    X, y = datasets.table(1, 3)
    model = fitted(X, y, variant="descent", R=np.eye(3), margin=np.ones(20))
    assert_array_equal(clone(model).R, np.eye(3))
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.weights_, model.weights_)
    assert_array_equal(again.evidence_, model.evidence_)
    assert again.status_ is Status.NOT_SEPARABLE


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
@parametrize_with_checks([HoKashyap(variant="descent", max_iter=100)])
def test_scikit_learn_checks(estimator: Any, check: Any):
    check(estimator)
