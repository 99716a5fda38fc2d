"""compare: columns are what the models say, folds are shared, failures stay in their rows, no job count matters."""

from __future__ import annotations

import inspect
import json
import re
import signal
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from comparison_cases import QUICK, Refuses
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score

import discriminant
from discriminant import NotConvergedWarning, compare, datasets, margins
from discriminant.comparison.methods import ALIASES, LONG, METHODS, SLOW
from discriminant.comparison.run import LEFT_OUT
from discriminant.comparison.tasks import INTERRUPTED
from discriminant.margin_distribution import geometric_margins


def test_every_classifier_of_the_package_has_a_row_and_the_name_of_its_class() -> None:
    public = (getattr(discriminant, name) for name in discriminant.__all__)
    kinds = {kind.__name__ for kind in public if inspect.isclass(kind) and issubclass(kind, ClassifierMixin)}
    assert {procedure.kind for procedure in METHODS.values()} == kinds
    for kind in kinds:
        assert METHODS[re.sub(r"(?<=[a-z])(?=[A-Z])", "-", kind).lower()].kind == kind
    assert set(ALIASES.values()) <= set(METHODS)


@pytest.mark.parametrize("name", METHODS)
def test_a_factory_makes_what_it_says(name: str) -> None:
    model = METHODS[name]()
    assert model.get_params(deep=False).items() >= METHODS[name].parameters.items()
    assert str(METHODS[name]).startswith(type(model).__name__ + "(")
    assert METHODS[name].summary.endswith((".", ":")) or len(METHODS[name].summary) > 20


def test_columns_are_what_the_models_say(overlapping: Any) -> None:
    X, y = datasets.iris()
    for row in overlapping:
        assert row.failure is None
        assert row.status is row.model.status_
        assert row.sentence == row.model.status_.sentence
        assert row.train_error == pytest.approx(np.mean(row.model.predict(X) != y))
        assert row.seconds >= 0
        if row.method != "support-vector-machine":
            assert row.margin == margins(row.model, X, y).margin
    assert overlapping["perceptron"].corrections == overlapping["perceptron"].model.n_corrections_
    assert overlapping["least-squares"].corrections is None
    assert overlapping["svm"] is overlapping["support-vector-machine"]
    with pytest.raises(KeyError, match="not compared"):
        _ = overlapping["mlp"]


def test_margin_of_pairwise_planes_is_the_nearest_plane_of_the_own_class(overlapping: Any) -> None:
    X, y = datasets.iris()
    model = overlapping["svm"].model
    expected = np.full(len(y), np.inf)
    for p, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        distance = (X @ model.coef_[p] + model.intercept_[p]) / np.linalg.norm(model.coef_[p])
        expected[y == j] = np.minimum(expected, distance)[y == j]
        expected[y == i] = np.minimum(expected, -distance)[y == i]
    np.testing.assert_allclose(geometric_margins(model, X, y), expected, rtol=1e-12)
    assert overlapping["svm"].margin == pytest.approx(expected.min())


@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
def test_cross_validated_error_is_that_of_scikit_learn_on_the_same_folds(overlapping: Any) -> None:
    X, y = datasets.iris()
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for row in overlapping:
        model = METHODS[row.method]()
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        errors = 1 - cross_val_score(model, X, y, cv=folds)
        assert row.cv_error == pytest.approx(errors.mean())
        assert row.cv_std == pytest.approx(errors.std())


def untimed(found: Any) -> dict[str, Any]:
    told = found.to_dict()
    for row in told["rows"]:
        row.pop("seconds")
    return told


@pytest.mark.ci
def test_the_number_of_processes_changes_nothing() -> None:
    X, y = datasets.iris()
    methods = ["perceptron-pocket", "piecewise-linear-machine", "svm", "mlp", "least-squares"]
    one, two = (compare(X, y, methods, 3, n_jobs=n, random_state=5) for n in (1, 2))
    assert untimed(one) == untimed(two)
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a.model.predict(X), b.model.predict(X))
    assert untimed(compare(X, y, methods, 3, n_jobs=1, random_state=6)) != untimed(one)


def test_all_procedures_on_the_books_table() -> None:
    calls: list[tuple[int, int, str]] = []
    X, y = datasets.table(1, 2)
    with warnings.catch_warnings(action="error"):  # what the procedures say is kept for their rows
        found = compare(X, y, cv=2, n_jobs=1, progress=lambda *call: calls.append(call))
    assert [row.method for row in found] == list(METHODS)
    assert found.verdict.verdict == "complete"
    assert found.verdict.certificate.verify(X, y)
    assert not [row.method for row in found if row.failure]
    assert calls[0] == (0, len(METHODS), "separability")
    assert [(done, name) for done, _, name in calls[1:]] == list(enumerate(METHODS, 1))
    separated = [row for row in found if row.status is discriminant.Status.SEPARATED]
    assert all(row.train_error == 0 and (row.margin is None or row.margin > 0) for row in separated)
    widest = float(found.verdict.margin)
    assert all(row.margin is None or row.margin <= widest * (1 + 1e-9) for row in found)
    assert found["support-vector-machine-large-c"].margin == pytest.approx(widest, rel=1e-6)
    assert found["support-vector-machine-dear-slack"] is found["support-vector-machine-large-c"]


class RefusesSmall(LogisticRegression):
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if len(X) < 20:
            raise ValueError("too few")
        return super().fit(X, y, sample_weight)


class CannotPredict(LogisticRegression):
    def predict(self, X: Any) -> Any:
        raise MemoryError("too large")


def test_a_failure_stays_in_its_row() -> None:
    methods = {
        "first": Refuses(),
        "small": RefusesSmall,
        "mute": CannotPredict(),
        "last": lambda: LogisticRegression(C=2),
    }
    found = compare(*datasets.table(1, 3), methods, n_jobs=1)
    assert found["first"].failure == "RuntimeError: no, thank you"
    assert found["first"].train_error is found["first"].model is None
    assert found["small"].failure == "in fold 1 of 5: ValueError: too few"
    assert found["small"].train_error is not None
    assert found["small"].cv_error is None
    assert found["mute"].failure == "MemoryError: too large"
    assert found["last"].failure is None
    assert found["last"].status is None
    assert found["last"].corrections == found["last"].model.n_iter_[0]
    assert found.best.method == "last"
    assert "first: no, thank you" in str(found)


def test_warnings_are_shown_in_the_row_and_nowhere_else() -> None:
    with warnings.catch_warnings(record=True, action="always") as caught:
        found = compare(*datasets.xor(), ["perceptron"], cv=None, n_jobs=1)
    assert not caught
    with pytest.warns(NotConvergedWarning) as told:
        METHODS["perceptron"]().fit(*datasets.xor())
    assert found["perceptron"].warnings == (str(told[0].message),)


def test_weights_count_in_fits_and_errors_and_zero_is_absent() -> None:
    X, y = datasets.table(1, 3)
    w = np.arange(len(y)) % 3
    found = compare(X, y, ["least-squares", "piecewise-linear-machine"], cv=None, sample_weight=w, n_jobs=1)
    model = METHODS["least-squares"]().fit(X, y, sample_weight=w)
    np.testing.assert_allclose(found["least-squares"].model.coef_, model.coef_)
    assert found["least-squares"].train_error == pytest.approx(1 - model.score(X, y, sample_weight=w))
    assert "sample_weight" in found["piecewise-linear-machine"].failure
    assert len(found.y) == np.count_nonzero(w)
    assert "7 rows of weight zero" in found.notes[0]
    assert found.verdict.certificate.verify(X[w > 0], y[w > 0])


def test_frames_sparse_matrices_and_lists_give_the_same_table() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    X, y = datasets.table(1, 2)
    names = ["width", "length"]
    first = compare(X, y, QUICK, 3, feature_names=names, n_jobs=1)
    for data in (pandas.DataFrame(X, columns=names), polars.DataFrame(X, names), X.tolist(), sparse.csr_array(X)):
        given = None if hasattr(data, "columns") else names
        found = compare(data, list(y), QUICK, 3, feature_names=given, n_jobs=1)
        assert found.feature_names == names
        assert found.verdict.certificate == first.verdict.certificate
        for row, expected in zip(found, first, strict=True):
            assert (row.failure, row.train_error, row.cv_error) == (None, expected.train_error, expected.cv_error)
            assert row.margin == pytest.approx(expected.margin, rel=1e-6)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"methods": "percepton"}, "did you mean .*perceptron"),
        ({"methods": []}, r"methods=\[\] must be"),
        ({"cv": 1}, "cv=1 must be a whole number >= 2"),
        ({"n_jobs": 0}, "n_jobs=0 must be a whole number"),
        ({"sample_weight": [1.0]}, "sample_weight has shape"),
        ({"sample_weight": np.full(20, -1.0)}, "sample_weight holds"),
        ({"feature_names": ["a"]}, r"len\(feature_names\)=1 must be"),
        ({"X": np.full((20, 2), np.nan)}, "NaN"),
        ({"y": np.zeros(20)}, "one class"),
        ({"y": np.zeros(19)}, "inconsistent numbers of samples"),
    ],
)
def test_bad_input_is_refused_by_name(changes: dict[str, Any], message: str) -> None:
    X, y = datasets.table(1, 2)
    with pytest.raises(ValueError, match=message):
        compare(**({"X": X, "y": y, "methods": ["perceptron"], "n_jobs": 1} | changes))


def test_names_may_be_short_joined_or_those_of_classes() -> None:
    found = compare(*datasets.table(1, 2), "svm,HoKashyap,least_squares", cv=None, n_jobs=1)
    assert [row.method for row in found] == ["support-vector-machine", "ho-kashyap", "least-squares"]


def test_a_name_of_an_earlier_version_is_understood() -> None:
    found = compare(*datasets.table(1, 2), "support-vector-machine-dear-slack", cv=None, n_jobs=1)
    assert [row.method for row in found] == ["support-vector-machine-large-c"]
    assert found["support-vector-machine-dear-slack"] is found[0]


def test_small_classes_make_fewer_folds() -> None:
    X, y = np.array([[0.0], [1.0], [2.0], [5.0], [6.0]]), np.array([0, 0, 0, 1, 1])
    found = compare(X, y, ["perceptron"], n_jobs=1)
    assert found.folds == 2
    assert found.notes == ["The smallest class has 2 rows: 2 folds instead of 5."]
    alone = compare(X[:4], y[:4], ["perceptron"], n_jobs=1)
    assert alone.folds == 0
    assert alone["perceptron"].cv_error is None
    assert compare(X, y, ["perceptron"], KFold(5), n_jobs=1).folds == 5


def test_long_ones_begin_and_the_rows_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []

    class Processes:
        def __init__(self, **options: Any) -> None:
            pass

        def __call__(self, calls: Any) -> Any:
            for function, (i, task), _ in calls:
                begun.append(task.method)
                yield function.__wrapped__(i, task)  # without what scikit-learn wraps around it

    monkeypatch.setattr("discriminant.comparison.tasks.Parallel", Processes)
    names = ["perceptron", "least-squares", "logistic-discriminant", "gradient-descent"]
    found = compare(*datasets.table(1, 2), names, cv=None, n_jobs=2)
    assert begun == ["gradient-descent", "logistic-discriminant", "perceptron", "least-squares"]
    assert [row.method for row in found] == names
    assert set(LONG) <= set(METHODS)


def test_ctrl_c_keeps_what_was_done() -> None:
    def interrupt(done: int, total: int, name: str) -> None:
        if done == 2:
            raise KeyboardInterrupt

    found = compare(*datasets.table(1, 2), QUICK, n_jobs=1, progress=interrupt)
    assert [row.failure for row in found] == [None, None, *[INTERRUPTED] * 3]


def test_all_leaves_out_the_slow_ones_of_many_rows_and_a_name_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = datasets.table(1, 2)
    monkeypatch.setattr("discriminant.comparison.run.LARGE", len(y))
    assert not [row for row in compare(X, y, cv=None, n_jobs=1) if row.failure]
    monkeypatch.setattr("discriminant.comparison.run.LARGE", len(y) - 1)
    found = compare(X, y, cv=None, n_jobs=1)
    assert [row.method for row in found] == list(METHODS)
    assert [row.method for row in found if row.failure] == list(SLOW)
    assert all(row.failure == LEFT_OUT for row in found if row.method in SLOW)
    assert compare(X, y, ["adatron"], cv=None, n_jobs=1)["adatron"].failure is None


def test_huge_and_tiny_numbers_fail_in_their_rows_or_not_at_all() -> None:
    X, y = datasets.table(1, 2)
    for scale in (1e150, 1e-150):
        found = compare(X * scale, y, QUICK, 3, n_jobs=1)
        assert found.verdict.verdict == "complete"
        assert all(row.failure or row.train_error is not None for row in found)
        json.dumps(found.to_dict(), allow_nan=False)


def test_processes_of_a_comparison_leave_ctrl_c_to_their_parent() -> None:
    """A terminal sends it to all of them, and each would print where it was."""
    from discriminant.comparison.tasks import _deaf_children

    heard = signal.getsignal(signal.SIGINT)
    ask = "import signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
    with _deaf_children():
        child = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True)
    assert child.stdout == "True\n"
    assert signal.getsignal(signal.SIGINT) is heard


def test_answers_of_another_type_are_errors_and_no_failure() -> None:
    class Texts(DummyClassifier):
        def predict(self, X: Any) -> Any:
            return np.array(["a"] * len(X), object)

    X, y = datasets.table(1, 2)
    row = compare(X, y, {"texts": Texts(), "perceptron": discriminant.Perceptron()}, cv=2, n_jobs=1)["texts"]
    assert (row.failure, row.cv_error, row.confusion.tolist()) == (None, 1.0, [[0, 0], [0, 0]])
    assert row.missed.tolist() == [1] * len(y)
