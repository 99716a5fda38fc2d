"""What is handed in as X and y: bad indices, numbers that no float holds, long doubles, huge weights."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.utils.validation import validate_data

import discriminant
from discriminant import (
    HoKashyap,
    Hyperplane,
    LeastSquares,
    LeastSquaresRegressor,
    LinearProgram,
    Perceptron,
    PiecewiseLinearMachine,
    RecursiveLeastSquares,
    SupportVectorMachine,
    WidrowHoffRegressor,
    augment,
    bounds,
    compare,
    kesler,
    leave_one_out,
    margins,
    mercer,
    minimum_removals,
    separability,
    svm_path,
)
from discriminant._guards.validation import check_indices, is_plain
from discriminant.samples import as_matrix

X = np.array([[1.0, 0, 2, 0], [0, 3, 0, 0], [4, 0, 0, 5], [0, 6, 7, 0], [1, 1, 0, 0], [0, 2, 2, 1]])
Y = np.array([0, 1, 0, 1, 0, 1])


def spoil(part: str, place: Any, value: Any, kind: Any = sparse.csr_array) -> Any:
    """X with one entry of one of its arrays changed, or the whole array where there is no place."""
    matrix = kind(X)
    if place is None:
        setattr(matrix, part, np.asarray(value))
    else:
        getattr(matrix, part)[place] = value
    return matrix


def wide(index: int) -> Any:
    """X with indices of 64 bits, one of them changed."""
    matrix = sparse.csr_array(X)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    matrix.indices[2] = index
    return matrix


def bad_matrices() -> dict[str, Any]:
    return {
        "index -1": spoil("indices", 2, -1),
        "index beyond the columns": spoil("indices", 2, 4),
        "index far beyond": spoil("indices", 2, 2**31 - 1),
        "index -1, 64 bits": wide(-1),
        "index beyond, 64 bits": wide(2**40),
        "indptr decreases": spoil("indptr", 2, 0),
        "indptr negative": spoil("indptr", 2, -5),
        "indptr huge": spoil("indptr", 2, 2**31 - 1),
        "indptr ends beyond": spoil("indptr", -1, 99),
        "indptr begins at 1": spoil("indptr", 0, 1),
        "indptr too short": spoil("indptr", None, [0, 2, 3]),
        "indptr too long": spoil("indptr", None, [0, 2, 3, 5, 7, 9, 12, 12]),
        "fewer indices than values": spoil("indices", None, [0, 2, 1]),
        "fewer values than indices": spoil("data", None, [1.0, 2.0]),
        "indices that are floats": spoil("indices", None, np.zeros(12)),
        "CSC": spoil("indices", 3, 17, sparse.csc_array),
        "COO": spoil("row", 3, 17, sparse.coo_matrix),
        "BSR": spoil("indices", 0, 17, sparse.bsr_array),
    }


def good_matrices() -> list[Any]:
    unpruned = sparse.csr_array((np.r_[1.0, 2, np.nan], np.array([0, 1, 99]), np.array([0, 1, 2])), shape=(2, 2))
    kinds = (sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.bsr_array, sparse.lil_array, sparse.dok_array)
    return [X, wide(2), unpruned, sparse.csr_array((3, 0)), *(kind(X) for kind in kinds), sparse.dia_array(X)]


def test_sound_matrices_pass() -> None:
    for matrix in good_matrices():
        check_indices(matrix)


@pytest.mark.parametrize("what", bad_matrices())
def test_bad_indices_are_refused(what: str) -> None:
    with pytest.raises(ValueError, match=r"X is a sparse matrix in \w+ form with .*; build it anew\."):
        check_indices(bad_matrices()[what])


def test_a_sparse_vector_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="Reshape your data"):
        Perceptron().fit(sparse.csr_array(np.arange(6.0)), Y)


def test_coordinates_of_other_formats_are_checked_as_they_come() -> None:
    keys = sparse.dok_array(X)
    keys._dict[9, 9] = 1.0
    lists = sparse.lil_array(X)
    lists.rows[0][0] = 9
    for matrix in (keys, lists):
        with pytest.raises(ValueError, match=r"exceeds|form with"):
            check_indices(matrix)


def estimators() -> list[Any]:
    kinds = [getattr(discriminant, name) for name in discriminant.__all__]
    plain = [kind() for kind in kinds if inspect.isclass(kind) and issubclass(kind, BaseEstimator)]
    return [
        *plain,
        discriminant.RidgeRegressor(kernel="gaussian"),
        discriminant.RidgeRegressor(dual=True),
        discriminant.Perceptron(batch=True),
        discriminant.Perceptron(pocket=True),
        discriminant.SupportVectorMachine(kernel="gaussian"),
        discriminant.WidrowHoffRegressor(batch=True),
    ]


def calls() -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Every place where an X comes in."""
    for model in estimators():
        more = {} if is_regressor(model) else {"classes": [0, 1]}
        yield f"{model}.fit", lambda Z, model=model: model.fit(Z, Y)
        if hasattr(model, "partial_fit"):
            yield f"{model}.partial_fit", lambda Z, model=model, more=more: model.partial_fit(Z, Y, **more)
        with warnings.catch_warnings(action="ignore"):
            model = clone(model).fit(X, Y)
        for name in ("predict", "decision_function", "undecided", "transform", "predict_proba"):
            if hasattr(model, name):
                yield f"fitted {model}.{name}", getattr(model, name)
        for name in ("partial_fit", "gradient", "diagnose"):
            if hasattr(model, name):
                yield f"fitted {model}.{name}", lambda Z, model=model, name=name: getattr(model, name)(Z, Y)
    yield "svm_path", lambda Z: svm_path(Z, Y, [1.0])
    for function in (separability, minimum_removals, compare, kesler):
        yield function.__name__, lambda Z, do=function: do(Z, Y)
    machine, plane = SupportVectorMachine().fit(X, Y), Hyperplane([1.0, 2, 3, 4], 0.5)
    for function in (leave_one_out, margins):
        yield function.__name__, lambda Z, do=function: do(machine, Z, Y)
    yield "margins of a plane", lambda Z: margins(plane, Z, Y)
    yield from ((str(do), do) for do in (augment, plane.distance, bounds.radius, mercer.Gaussian(1.0), as_matrix))


def told(call: Callable[[Any], Any], matrix: Any) -> str:
    """What the call says of the matrix."""
    try:
        call(matrix)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "taken"


@pytest.mark.ci
def test_no_compiled_code_sees_bad_indices() -> None:
    """In a process of its own, which an alarm ends: code that follows such indices may never end, or crash."""
    folders = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
    script = f"import signal, sys; signal.alarm(120); sys.path += {folders!r}; " + (
        "import test_validation as t; print(*t.not_refused(), sep='\\n', end='')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr[-2000:]


def not_refused() -> list[str]:
    """Who has taken a matrix with bad indices, or refused it for another reason."""
    answers = [(where, what, told(call, bad)) for where, call in calls() for what, bad in bad_matrices().items()]
    return [": ".join(answer) for answer in answers if not re.match("ValueError: .*form with", answer[2])]


BEYOND = [[10**400, 1], [2, 3], [4, 5], [6, 8]]


@pytest.mark.parametrize("model", estimators(), ids=str)
def test_numbers_that_no_float_holds_are_refused_by_name(model: Any) -> None:
    for X in (BEYOND, np.array(BEYOND, object)):
        with pytest.raises(ValueError, match="beyond the largest float"):
            model.fit(X, [0, 1, 0, 1])
    if "sample_weight" in inspect.signature(model.fit).parameters:
        with pytest.raises(ValueError, match="sample_weight holds a whole number beyond the largest float"):
            model.fit([[1.0], [2.0], [3.0], [5.0]], [0, 1, 0, 1], sample_weight=[1, 1, 1, 10**400])
    if is_regressor(model):
        with pytest.raises(ValueError, match="beyond the largest float"):
            model.fit([[1.0], [2.0]], [1, 10**400])


@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
@pytest.mark.parametrize("model", [Perceptron(), LeastSquaresRegressor()], ids=str)
def test_long_doubles_and_large_weights_leak_no_warning(model: Any) -> None:
    long = X.astype(np.longdouble)
    np.testing.assert_array_equal(model.fit(long, Y).coef_, model.fit(X, Y).coef_)
    model.predict(long)
    with pytest.raises(ValueError, match="X contains infinity"):
        model.fit(long * np.longdouble("1e4000"), Y)
    for weight in (1e300, np.longdouble("1e4000")):
        with pytest.raises(ValueError, match=r"sample_weight .*weights"):
            model.fit(X.astype(np.float32), Y, sample_weight=np.full(6, weight))
        with pytest.raises(ValueError, match=r"sample_weight .*weights"):
            model.fit(X, Y, sample_weight=np.full(6, weight))
    model.fit(X, Y, sample_weight=np.full(6, 1e150))


def test_labels_that_are_no_labels_are_refused_in_words() -> None:
    for huge in (1e300, 10**400):
        with pytest.raises(ValueError, match=r"label|objects"):
            Perceptron().fit(X, [huge if one else 0 for one in Y])


def test_parameters_beyond_float_are_refused_by_name() -> None:
    for model, match in (
        (Perceptron(margin=10**400), "margin must be at most 1.8e308"),
        (Perceptron(start=[10**400, 0, 0, 0, 0]), "start holds a whole number beyond"),
        (WidrowHoffRegressor(start=[10**400, 0, 0, 0, 0]), "start holds a whole number beyond"),
        (PiecewiseLinearMachine(start=[[10**400, 0, 0, 0, 0]] * 4), "start holds a whole number beyond"),
        (Perceptron(start=np.full(5, 1e300)), "start holds NaN or infinity"),
        (HoKashyap(margin=[10**400] * 6), "margin holds a whole number beyond"),
        (LinearProgram(b=[10**400] * 6), "b holds a whole number beyond"),
        (LeastSquares(targets=[10**400] * 6), "targets holds a whole number beyond"),
        (LeastSquares(losses=[[0, 10**400], [1, 0]]), "losses holds a whole number beyond"),
        (RecursiveLeastSquares(targets=[10**400] * 6), "targets holds a whole number beyond"),
    ):
        with pytest.raises(ValueError, match=match):
            model.fit(X.astype(np.float32), Y)


ROWS, LABELS = np.arange(6.0).reshape(3, 2), np.array([0, 1, 1])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("labels", [LABELS, LABELS.astype(np.uint8), LABELS > 0])
def test_plain_arrays_are_what_scikit_learn_hands_back(dtype: Any, labels: NDArray[Any]) -> None:
    X, model = ROWS.astype(dtype), Perceptron()
    assert is_plain(X, labels)
    given = validate_data(model, X, labels, dtype=[np.float64, np.float32], order="C", ensure_all_finite=False)
    assert given[0] is X
    assert np.shares_memory(given[1], labels)
    assert given[1].dtype == labels.dtype


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (ROWS.tolist(), LABELS),
        (ROWS.astype(int), LABELS),
        (ROWS.astype(">f8"), LABELS),
        (np.asfortranarray(ROWS), LABELS),
        (np.ma.masked_array(ROWS), LABELS),
        (ROWS[0], LABELS),
        (ROWS[:, :0], LABELS),
        (ROWS, LABELS[:2]),
        (ROWS, LABELS[:, None]),
        (ROWS, LABELS.tolist()),
        (ROWS, LABELS.astype(float)),
        (ROWS, LABELS.astype(str)),
        (ROWS, np.repeat(LABELS, 2)[::2]),
    ],
)
def test_all_other_data_are_validated(X: Any, y: Any) -> None:
    assert not is_plain(X, y)


def test_plain_arrays_forget_the_names_of_an_earlier_fit() -> None:
    pandas = pytest.importorskip("pandas")
    model = Perceptron().fit(pandas.DataFrame(ROWS, columns=["a", "b"]), LABELS)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    model.fit(ROWS[:, :1].copy(), LABELS)
    assert model.n_features_in_ == 1
    assert not hasattr(model, "feature_names_in_")
