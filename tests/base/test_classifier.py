"""What all classifiers share: bad input, odd but good input, labels of any kind, frames, pickles, reports."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import discriminant
from discriminant import (
    BalancedWinnow,
    GradientDescent,
    KernelPerceptron,
    LogisticDiscriminant,
    NewtonDescent,
    NotConvergedWarning,
    Perceptron,
    PiecewiseLinearMachine,
    Relaxation,
    Report,
    Status,
    datasets,
)
from discriminant.base import classifier as base

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
CLASSIFIERS = [
    value
    for name in discriminant.__all__
    if inspect.isclass(value := getattr(discriminant, name)) and issubclass(value, base.LinearClassifier)
]


def small() -> tuple[Any, Any]:
    """Twelve patterns of two classes that a plane separates with room to spare."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(12, 3))
    y = np.arange(12) % 2
    X[:, 0] += np.where(y == 1, 4, -4)
    return X, y


def weighted(kind: Any) -> bool:
    return "sample_weight" in inspect.signature(kind.fit).parameters


# --- bad data -------------------------------------------------------------------------------------------------------


def with_value(value: float) -> Any:
    X, y = small()
    X[3, 1] = value
    return X, y


def opposite_infinities() -> Any:
    X, y = with_value(np.inf)
    X[5, 1] = -np.inf  # their sum is NaN, which must not raise a RuntimeWarning first
    return X, y


def frame() -> Any:
    X, y = small()
    return pd.DataFrame({"length": X[:, 0], "color": np.where(y == 1, "red", "blue")}), y


BAD_DATA = {
    "nan": (lambda: with_value(np.nan), "X contains NaN, first in row 3, column 1 .*; impute"),
    "inf": (lambda: with_value(np.inf), "X contains infinity, first in row 3, column 1 .*; impute"),
    "infinities": (opposite_infinities, "X contains infinity, first in row 3, column 1 .*; impute"),
    "sparse nan": (
        lambda: (sparse.csr_array(with_value(np.nan)[0]), small()[1]),
        "X contains NaN, first in row 3, column 1 .*; impute",
    ),
    "empty": (lambda: (np.empty((0, 3)), np.empty(0)), r"0 sample\(s\) \(shape=\(0, 3\)\).* X is empty; give"),
    "no features": (lambda: (np.empty((12, 0)), small()[1]), r"0 feature\(s\) \(shape=\(12, 0\)\).* X is empty; give"),
    "one class": (
        lambda: (small()[0], np.ones(12, int)),
        r"y holds one class, \[1\], and must .*; add rows",
    ),
    "short y": (lambda: (small()[0], small()[1][:-1]), r"\[12, 11\].* rows of X and the labels in y; give one label"),
    "text": (frame, "could not convert string to float: '(red|blue)'.* X has a column .*; encode it"),
    "text array": (
        lambda: (np.full((12, 2), "low"), small()[1]),
        "could not convert string to float: .*'low'.* X has a column .*; encode it",
    ),
    "one dimension": (lambda: (small()[0][:, 0], small()[1]), "Expected 2D array, got 1D array instead.*Reshape"),
    "measurements as labels": (lambda: (small()[0], small()[0][:, 0]), "Unknown label type: continuous"),
    "nan labels": (lambda: (small()[0], np.where(small()[1] == 1, np.nan, 0.0)), "y contains NaN"),
    "mixed labels": (
        lambda: (small()[0], np.array(["a", 1] * 6, dtype=object)),
        "y must hold one kind of label .*; give numbers only, or strings only",
    ),
}


@pytest.mark.parametrize("case", BAD_DATA)
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_bad_data_are_refused_with_a_remedy(kind: Any, case: str) -> None:
    make, message = BAD_DATA[case]
    X, y = make()
    with pytest.raises(ValueError, match=f"(?s){message}"):
        kind().fit(X, y)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_another_width_at_prediction_is_refused(kind: Any) -> None:
    X, y = small()
    model = kind().fit(X, y)
    for method in ("predict", "decision_function", "undecided"):
        for wrong in (X[:, :2], sparse.csr_array(X[:, :2])):
            with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3 features"):
                getattr(model, method)(wrong)
    for value in (np.nan, np.inf):
        with pytest.raises(ValueError, match=r"X contains (NaN|infinity)"):
            model.predict(with_value(value)[0])


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_model_that_was_not_fitted_says_so(kind: Any) -> None:
    for method in ("predict", "decision_function", "undecided", "votes"):
        with pytest.raises(sklearn.exceptions.NotFittedError):
            getattr(kind(), method)(small()[0])


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(3), r"sample_weight has shape \(3,\); give one weight for each of the 12 rows"),
        (np.ones((12, 1)), r"sample_weight has shape \(12, 1\); give one weight"),
        (-np.ones(12), r"sample_weight holds -1\.0, .* give finite weights >= 0"),
        (np.full(12, np.nan), "sample_weight holds nan, .* give finite weights >= 0"),
        (np.zeros(12), "sample_weight is zero for every row; give at least one positive weight"),
        (["heavy"] * 12, "sample_weight holds what is no number .*'heavy'.*; give finite weights"),
    ],
)
@pytest.mark.parametrize("kind", [kind for kind in CLASSIFIERS if weighted(kind)])
def test_bad_weights_are_refused(kind: Any, weight: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind().fit(*small(), sample_weight=weight)


@pytest.mark.parametrize("kind", [kind for kind in CLASSIFIERS if weighted(kind)])
def test_one_weight_for_all_is_no_weight(kind: Any) -> None:
    X, y = small()
    seeded = {"random_state": 0} if "random_state" in kind().get_params() else {}
    one, none = kind(**seeded).fit(X, y, sample_weight=1.0), kind(**seeded).fit(X, y)
    np.testing.assert_allclose(one.decision_function(X), none.decision_function(X), rtol=1e-9)


# --- bad parameters -------------------------------------------------------------------------------------------------


PROCEDURES = [Perceptron, KernelPerceptron, BalancedWinnow, Relaxation, GradientDescent, NewtonDescent]
PROCEDURES += [PiecewiseLinearMachine]


# --- scales and degenerate data -------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e150, 1e200, 1e-150])
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_extreme_scales_give_a_right_answer_or_a_clear_error(kind: Any, scale: float) -> None:
    X, y = small()
    X = X * scale
    model = kind(max_iter=50) if "max_iter" in kind().get_params() else kind()
    with warnings.catch_warnings(record=True, action="always") as caught:
        refused = None
        try:
            model.fit(X, y)
        except ValueError as error:
            refused = str(error)
    if refused is not None:
        assert re.search("overflow|underflow|not finite|diverges|too large|divide the features|standardize", refused)
        return
    assert all(issubclass(warning.category, NotConvergedWarning) for warning in caught), caught[0].message
    assert np.all(np.isfinite(np.concatenate(getattr(model, "intercepts_", [getattr(model, "intercept_", [])]))))
    if model.status_.finished and not caught:
        assert model.score(X, y) == 1, model.report_
    else:
        assert caught  # an answer that is not right has been warned of
    str(model.report_)


# Fisher's direction is left open where no class has any scatter.
@pytest.mark.parametrize("kind", [kind for kind in CLASSIFIERS if kind.__name__ != "FisherDiscriminant"])
def test_degenerate_data(kind: Any) -> None:
    for X, y in (
        ([[0.0], [1.0]], [0, 1]),  # one feature, one pattern a class
        ([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]),
        ([[-1.0, 5.0], [-1.0, 5.0], [1.0, 5.0], [1.0, 5.0]], [0, 0, 1, 1]),  # duplicates, a constant column
        ([[-1.0, 0.0, -2.0], [1.0, 0.0, 2.0]], [0, 1]),  # a zero column, collinear columns
        ([[-1.0, 0.0], [1.0, 0.0], [0.0, 9.0]], [0, 1, 2]),  # three classes of one pattern
    ):
        model = kind().fit(X, y)
        assert model.score(X, y) == 1, X
        assert np.all(np.isfinite(model.decision_function(X)))
        str(model.report_)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_patterns_of_both_classes_in_one_place(kind: Any) -> None:
    X, y = [[1.0, 1.0]] * 4, [0, 1, 0, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        model = kind().fit(X, y)
    assert np.all(np.isfinite(model.decision_function(X)))
    assert model.status_ is not Status.SEPARATED


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_matrix_of_zeros(kind: Any) -> None:
    for X in (np.zeros((4, 2)), sparse.csr_array((4, 2))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConvergedWarning)
            model = kind().fit(X, [0, 0, 0, 1])
        assert np.all(np.isfinite(model.decision_function(X)))


# --- labels ---------------------------------------------------------------------------------------------------------


# --- frames and arrays ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_frames_keep_their_names(kind: Any, make: Any) -> None:
    X, y = small()
    columns = ["length", "width", "depth"]
    table = make(dict(zip(columns, X.T, strict=True)))
    model = kind(random_state=0) if "random_state" in kind().get_params() else kind()
    plain = clone(model).fit(X, y).decision_function(X)
    model.fit(table, y)
    assert model.feature_names_in_.tolist() == columns
    np.testing.assert_allclose(model.decision_function(table), plain)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(table[["width", "length", "depth"]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)
    with pytest.warns(UserWarning, match="has feature names, but"):
        clone(model).fit(X, y).predict(table)


def test_labels_from_frames() -> None:
    X, y = small()
    for labels in (pd.Series(y), pl.Series(y), y.tolist()):
        np.testing.assert_array_equal(Perceptron().fit(X, labels).weights_, Perceptron().fit(X, y).weights_)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_arrays_of_any_layout(kind: Any, tmp_path: Path) -> None:
    X, y = small()
    options = {"random_state": 0} if "random_state" in kind().get_params() else {}
    expected = kind(**options).fit(X, y).decision_function(X)
    frozen = X.copy()
    frozen.flags.writeable = False
    labels = y.copy()
    labels.flags.writeable = False
    mapped = np.memmap(tmp_path / "X", dtype=float, mode="w+", shape=X.shape)
    mapped[:] = X
    wide = np.zeros((24, 6))
    wide[::2, ::2] = X
    layouts = [frozen, np.asfortranarray(X), mapped, wide[::2, ::2], X.astype(">f8"), X.tolist()]
    for layout in layouts:
        before = np.array(layout)
        model = kind(**options).fit(layout, labels)
        np.testing.assert_allclose(model.decision_function(layout), expected, rtol=1e-12)
        np.testing.assert_array_equal(layout, before)
    for matrix in (sparse.csr_matrix(X), sparse.csc_array(X), sparse.coo_array(X)):
        model = kind(**options).fit(matrix, labels)
        np.testing.assert_allclose(model.decision_function(matrix), expected, rtol=1e-7)
    counts = np.rint(X * 10).astype(np.int64)
    np.testing.assert_array_equal(
        kind(**options).fit(counts, y).predict(counts), kind(**options).fit(counts.astype(float), y).predict(counts)
    )


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_the_short_path_of_predict_is_the_long_one(kind: Any) -> None:
    for X, y in (small(), datasets.iris()):
        model = kind().fit(X, y)
        for rows in (X, X[:1], X.astype(np.float32)):
            for method in ("predict", "decision_function", "undecided"):
                short = getattr(model, method)(rows)
                long = getattr(model, method)(np.asfortranarray(np.vstack([rows, rows])))[: len(rows)]
                np.testing.assert_allclose(
                    np.asarray(short, float), np.asarray(long, float), rtol=1e-4 if rows.dtype == np.float32 else 1e-9
                )
                assert short.dtype == long.dtype
        with pytest.raises(ValueError, match="minimum of 1 is required"):
            model.predict(X[:0])


# --- copies, pickles, parameters ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_copies_and_pickles(kind: Any) -> None:
    X, y = small()
    model = kind().fit(X, y)
    fresh = clone(model)
    assert not hasattr(fresh, "status_")
    assert repr(fresh.get_params()) == repr(model.get_params())
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), copy.copy(model)):
        np.testing.assert_array_equal(twin.decision_function(X), model.decision_function(X))
        assert twin.status_ is model.status_
        assert twin.report_.to_dict() == model.report_.to_dict()
        for name, values in model.history_.items():
            np.testing.assert_array_equal(twin.history_[name], values)


@pytest.mark.parametrize("kind", [kind for kind in CLASSIFIERS if hasattr(kind(), "partial_fit")])
def test_a_pickle_goes_on_where_it_was(kind: Any) -> None:
    X, y = datasets.overlap(n=60, d=3, random_state=0)
    options = {"random_state": 0} if "random_state" in kind().get_params() else {}
    model = kind(**options).partial_fit(X[:30], y[:30], classes=[0, 1])
    twin = pickle.loads(pickle.dumps(model))
    for one in (model, twin):
        one.partial_fit(X[30:], y[30:])
    np.testing.assert_array_equal(model.decision_function(X), twin.decision_function(X))
    assert model.n_corrections_ == twin.n_corrections_


@pytest.mark.parametrize("kind", PROCEDURES)
def test_parameters_changed_after_fit_do_not_break_predict(kind: Any) -> None:
    X, y = datasets.iris()
    model = kind().fit(X, y)
    before = model.predict(X), model.undecided(X)
    changes = {"multiclass": "one-vs-one", "order": "random", "margin": 7.0, "max_iter": 1, "n_subclasses": 5}
    model.set_params(**{name: value for name, value in changes.items() if name in model.get_params()})
    np.testing.assert_array_equal(model.predict(X), before[0])
    np.testing.assert_array_equal(model.undecided(X), before[1])


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_second_fit_forgets_the_first(kind: Any) -> None:
    X, y = datasets.iris()
    options = {"random_state": 0} if "random_state" in kind().get_params() else {}
    model = kind(**options).fit(X, y).fit(*small())
    np.testing.assert_array_equal(
        model.decision_function(small()[0]), kind(**options).fit(*small()).decision_function(small()[0])
    )
    assert model.classes_.tolist() == [0, 1]


# --- inside scikit-learn --------------------------------------------------------------------------------------------


def test_sample_weights_are_routed_through_a_pipeline_and_a_search() -> None:
    X, y = datasets.overlap(n=60, d=2, random_state=0)
    weight = np.random.default_rng(0).uniform(0.5, 2, 60)
    with sklearn.config_context(enable_metadata_routing=True):
        inner = Perceptron(max_iter=5).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        search = GridSearchCV(make_pipeline(scaler, inner), {"perceptron__margin": [0.0, 1.0]}, cv=2)
        search.fit(X, y, sample_weight=weight)
    margin = search.best_params_["perceptron__margin"]
    Z = StandardScaler().fit_transform(X)
    expected = Perceptron(max_iter=5, margin=margin).fit(Z, y, sample_weight=weight).weights_
    np.testing.assert_allclose(search.best_estimator_[-1].weights_, expected)
    plain = Perceptron(max_iter=5, margin=margin).fit(Z, y).weights_
    assert not np.allclose(plain, expected)  # so the weights have arrived


@pytest.mark.ci
def test_cross_validation_in_two_processes() -> None:
    X, y = datasets.table(3, 2)
    one, two = (cross_val_score(Perceptron(), X, y, cv=2, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


# --- the report -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_report_is_plain_data(kind: Any) -> None:
    for X, y in (small(), datasets.iris()):
        model = (kind(max_iter=2) if "max_iter" in kind().get_params() else kind()).fit(X, y)
        facts = model.report_.to_dict()
        assert json.loads(json.dumps(facts)) == facts
        assert facts["procedure"] == kind.__name__
        assert facts["reason"] == model.status_.sentence
        assert (facts["n_samples"], facts["n_features"]) == X.shape
        assert facts["n_classes"] == len(model.classes_)
        assert "sizes from" in facts["scale"]
        text = str(model.report_)
        assert text.startswith(f"{kind.__name__}: {model.status_}")
        assert repr(model.report_) == text
        twin = pickle.loads(pickle.dumps(model.report_))
        assert isinstance(twin, Report)
        assert str(twin) == text


def test_the_warning_and_the_report_use_the_same_words() -> None:
    X, y = datasets.table(1, 3)
    with pytest.warns(NotConvergedWarning) as caught:
        model = Perceptron(max_iter=20).fit(X, y)
    facts, message = model.report_.to_dict(), str(caught[0].message)
    for words in (facts["reason"], facts["criterion"], facts["remedy"]):
        assert words in message
        assert words in str(model.report_)
    assert "may not be linearly separable" in message
    assert caught[0].message.report is model.report_
    assert caught[0].filename == __file__  # it points at the line that called fit
    assert issubclass(NotConvergedWarning, sklearn.exceptions.ConvergenceWarning)


def test_a_search_shows_a_warning_once() -> None:
    X, y = datasets.table(1, 3)
    with warnings.catch_warnings(record=True, action="default") as caught:
        for iterations in range(5, 25):
            Perceptron(max_iter=iterations).fit(X * iterations, y)
        assert len(caught) == 1
        GridSearchCV(Perceptron(max_iter=5), {"margin": [0, 1, 2]}, cv=3).fit(X, y)
    assert len(caught) == 3  # the line of the loop, and two of scikit-learn: the folds and the last fit
    assert not any(letter.isdigit() for letter in str(caught[0].message))
    assert caught[0].message.report.to_dict()["iterations"] == 5
    with warnings.catch_warnings(record=True, action="default") as caught:
        for _ in range(3):
            LogisticDiscriminant(penalty=None).fit(*datasets.table(1, 2))
    assert len(caught) == 1
