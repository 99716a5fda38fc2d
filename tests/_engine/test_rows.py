"""Row operations: dense ≡ CSR ≡ plain Python, for both precisions and every kind of CSR matrix."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numba import njit
from scipy import sparse

from discriminant import Perceptron
from discriminant._engine.problem import narrow
from discriminant._engine.rows import (
    compiled,
    finite,
    row_axpy,
    row_column,
    row_count,
    row_dot,
    row_length,
    row_sums,
)
from discriminant.error_correcting import perceptron, pocket
from discriminant.error_correcting.visits import Visits, correct, count_errors, visit

X = np.array([[1.5, 0.0, -2.0, 0.5], [0.0, 0.0, 0.0, 0.0], [0.25, -1.0, 4.0, 0.0], [0.0, 3.0, 0.0, -0.75]])
LABELS = np.array([1, 0, 0, 1], np.int32)


def duplicated(dense: Any) -> Any:
    """The same matrix with every entry stored as two halves, out of order."""
    rows, columns = np.nonzero(dense)
    order = np.r_[np.arange(rows.size)[::-1], np.arange(rows.size)]
    order = order[np.argsort(rows[order], kind="stable")]
    indptr = np.r_[0, np.cumsum(np.bincount(rows[order], minlength=len(dense)))].astype(np.int32)
    entries = dense[rows, columns][order] / 2
    matrix = sparse.csr_array((entries, columns[order].astype(np.int32), indptr), shape=dense.shape)
    assert not matrix.has_canonical_format
    return matrix


def wide(dense: Any) -> Any:
    """A CSR matrix with 64-bit indices."""
    matrix = sparse.csr_array(dense)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


KINDS = {"dense": np.ascontiguousarray, "csr": sparse.csr_array, "duplicates": duplicated}
FLOATS = [np.dtype("float64"), np.dtype("float32")]


@compiled
def _all_operations(X: Any, i: int, s: Any, bias: Any, a: Any, out: Any) -> Any:
    row_axpy(X, i, s, bias, out)
    return row_count(X), row_length(X, i), row_dot(X, i, a)


@compiled
def _visit_and_correct(X: Any, i: int, label: int, A: Any) -> Any:
    margin, rival = visit(X, i, label, A)
    correct(X, i, label, rival, A.dtype.type(2), A.dtype.type(1), A)
    return margin, rival


@compiled
def _sums(X: Any, i: int, a: Any) -> Any:
    return row_sums(X, i, a)


@compiled
def _columns(X: Any, i: int, out: Any) -> None:
    for p in range(row_length(X, i)):
        out[row_column(X, i, p)] += 1


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", KINDS)
def test_row_operations_are_those_of_linear_algebra(kind: str, dtype: Any) -> None:
    rows = narrow(KINDS[kind](X.astype(dtype)))
    a = np.array([0.5, 1, -1, 2, 0.25], dtype)
    for i in range(len(X)):
        y = np.r_[1, X[i]]
        for run in (_all_operations, _all_operations.py_func):
            out = np.ones(5, dtype)
            n, length, dot = run(rows, i, dtype.type(2), dtype.type(3), a, out)
            assert n == 4
            assert length == {"dense": 4, "duplicates": 2 * np.count_nonzero(X[i])}.get(kind, np.count_nonzero(X[i]))
            assert dot == a @ y  # all these numbers are dyadic: no rounding
            np.testing.assert_array_equal(out, 1 + 2 * np.r_[3, X[i]])
        for run in (_columns, _columns.py_func):
            counted = np.zeros(4)
            run(rows, i, counted)
            stored = np.ones(4) if kind == "dense" else (X[i] != 0) * (2 if kind == "duplicates" else 1)
            np.testing.assert_array_equal(counted, stored)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", KINDS)
def test_sums_and_sums_of_moduli(kind: str, dtype: Any) -> None:
    rows, a = narrow(KINDS[kind](X.astype(dtype))), np.array([-0.5, 1, -1, 2, 0.25])
    for i in range(len(X)):
        terms = a * np.r_[1, X[i]]
        for run in (_sums, _sums.py_func, row_sums):
            assert run(rows, i, a) == (terms.sum(), np.abs(terms).sum())  # all these numbers are dyadic


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_sums_are_those_of_float64_whatever_the_rows(kind: str) -> None:
    rows = narrow(KINDS[kind](np.array([[0.1, 3.0]], np.float32)))
    total, size = _sums(rows, 0, np.array([1.0, 1e-9, -1e9]))
    assert total == pytest.approx(1 + float(np.float32(0.1)) * 1e-9 - 3e9, rel=1e-15)
    assert size == pytest.approx(1 + 1e-10 + 3e9, rel=1e-15)


def test_finite_survives_fastmath() -> None:
    @njit(fastmath={"reassoc", "contract", "nsz"})
    def ask(x: Any) -> Any:
        return finite(x * 2 - x)

    for x in (np.nan, np.inf, -np.inf):
        assert not ask(x)
        assert not finite(x)
    assert ask(1e308 / 2)
    assert finite(1e308)


@pytest.mark.parametrize("kind", KINDS)
def test_a_visit_and_a_correction(kind: str) -> None:
    rows, y = narrow(KINDS[kind](X)), np.r_[1, X[2]]
    for run in (_visit_and_correct, _visit_and_correct.py_func):
        a = np.array([1, 0.5, 0, -1, 2])
        expected = -(a @ y)
        assert run(rows, 2, 0, a) == (expected, 0)
        np.testing.assert_array_equal(a, np.array([1, 0.5, 0, -1, 2]) - 2 * y)
        A = np.array([[0.0] * 5, [1, 0, 0, 0, 0], [0, 4, 0, 0, 0], [1, 0, 0, 0, 0]])
        before = A.copy()  # discriminants 0, 1, 1, 1: the rivals of class 1 are 2 and 3, and 2 comes first
        assert run(rows, 2, 1, A) == (0, 2)
        before[1] += 2 * y
        before[2] -= 2 * y
        np.testing.assert_array_equal(A, before)


def arguments(rows: Any, A: Any, dtype: Any, part: dict[str, Any]) -> tuple[Any, ...]:
    """What the single-sample pass takes."""
    order, etas = np.array([2, 0, 3, 1], np.uint32), np.array([1, 0.5, 0.25, 2], dtype)
    visits, variants = Visits(rows, LABELS, part.get("weight", np.empty(0, dtype)), order, etas, 2.0), None
    if part:
        variants = perceptron.Variants(dtype.type(0.25), part["extra"], part["total"], np.zeros(1, np.int64))
    return visits, A, A, dtype.type(0.5), dtype.type(2), variants


@pytest.mark.parametrize(
    ("make", "several", "given", "dtype"),
    [
        (np.ascontiguousarray, False, "nothing", FLOATS[0]),
        (np.ascontiguousarray, False, "everything", FLOATS[0]),
        (np.ascontiguousarray, True, "everything", FLOATS[1]),
        (sparse.csr_array, False, "nothing", FLOATS[1]),
        (duplicated, True, "nothing", FLOATS[0]),
        (wide, False, "nothing", FLOATS[0]),
    ],
)
def test_compiled_passes_are_their_python_bodies(make: Any, several: bool, given: str, dtype: Any) -> None:
    rows = narrow(make(X.astype(dtype)))
    shape = (3, 5) if several else (5,)
    results = []
    for run in (perceptron._epoch, perceptron._epoch.py_func):
        A, part = np.ones(shape, dtype), {}
        if given == "everything":
            part = {"weight": np.array([1, 2, 0.5, 1], dtype), "extra": np.zeros(4, dtype)}
            part["total"] = np.zeros(shape)
        results.append((run(*arguments(rows, A, dtype, part)), A, part))
    compiled_run, plain_run = results
    assert compiled_run[0] == plain_run[0]
    assert compiled_run[0][1] > 0  # corrections
    np.testing.assert_array_equal(compiled_run[1], plain_run[1])
    assert compiled_run[1].dtype == dtype
    for name, array in compiled_run[2].items():
        np.testing.assert_array_equal(array, plain_run[2][name])


def test_the_batch_pass_and_the_error_count_are_their_python_bodies() -> None:
    for make in KINDS.values():
        rows, A = narrow(make(X)), np.array([0.25, 1, -1, 0.5, 1])
        sums = [np.zeros_like(A), np.zeros_like(A)]
        visits = Visits(rows, LABELS, np.empty(0), np.arange(4, dtype=np.uint32), np.ones(4))
        met = [
            run(visits, A, total, 1.0, 1.0, None)
            for run, total in zip((perceptron._epoch, perceptron._epoch.py_func), sums, strict=True)
        ]
        assert met[0] == met[1]
        np.testing.assert_array_equal(sums[0], sums[1])
        margins = (2 * LABELS - 1) * (np.c_[np.ones(4), X] @ A)
        totals = ((margins <= 1).sum(), (margins <= 0).sum(), (1 - margins)[margins <= 1].sum(), margins.min())
        assert met[0] == (4, *totals, True)
        np.testing.assert_array_equal(sums[0], (2 * LABELS - 1)[margins <= 1] @ np.c_[np.ones(4), X][margins <= 1])
        for run in (count_errors, count_errors.py_func):
            assert run(rows, LABELS, 0, 4, A, 9) == ((margins <= 0).sum(), True)
            assert run(rows, LABELS, 0, 4, A, 1) == (1, True)


def test_the_pockets_visits_are_their_python_body() -> None:
    outcomes = []
    for run in (pocket._visits, pocket._visits.py_func):
        A, kept, counts = np.ones(5), np.ones(5), pocket.PocketCounts(pocket_errors=2)
        draws = np.array([2, 2, 0, 3, 1, 1, 0, 2, 3, 3, 0, 1])
        visits = Visits(narrow(X), LABELS, np.empty(0), draws, np.ones(12))
        met = run(visits, A, kept, counts, 0.0, 1.0, 100)
        outcomes.append((met, A.tolist(), kept.tolist()))
    assert outcomes[0] == outcomes[1]
    assert pocket.PocketCounts(*outcomes[0][0][1]).copies > 0


@pytest.mark.parametrize(
    ("options", "n_classes", "dtype"),
    [
        ({}, 2, FLOATS[0]),
        ({}, 2, FLOATS[1]),
        ({"bias": "radius"}, 2, FLOATS[1]),
        ({"average": True}, 2, FLOATS[0]),
        ({"slack": 0.5}, 2, FLOATS[0]),
        ({"batch": True}, 2, FLOATS[0]),
        ({}, 3, FLOATS[0]),
        ({"multiclass": "one-vs-one"}, 3, FLOATS[0]),
    ],
)
@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
def test_a_fit_does_not_depend_on_how_the_data_are_stored(
    options: dict[str, Any], n_classes: int, dtype: Any, rng: np.random.Generator
) -> None:
    Z = rng.integers(-3, 4, (40, 4)).astype(dtype)
    Z[7] = 0
    y = rng.integers(0, n_classes, 40)
    fits = [Perceptron(**options, max_iter=20).fit(make(Z), y) for make in KINDS.values()]
    for fit in fits:
        assert fit.weights_.dtype == dtype
        np.testing.assert_array_equal(fit.weights_, fits[0].weights_)  # sums of whole numbers: no rounding
        np.testing.assert_array_equal(fit.history_["corrections"], fits[0].history_["corrections"])
        np.testing.assert_array_equal(fit.predict(sparse.csr_array(Z)), fits[0].predict(Z))
        np.testing.assert_allclose(
            fit.decision_function(sparse.csr_array(Z)), fits[0].decision_function(Z), rtol=1e-5, atol=1e-5
        )
        assert fit.decision_function(Z).dtype == dtype


WORKED = """
import json, warnings
from discriminant import Perceptron, datasets
warnings.simplefilter("ignore")
out = {}
for name, model, data in [
    ("or", Perceptron(), datasets.or_function()),
    ("eight", Perceptron(start=[1, 1, 1]), datasets.slides_eight()),
    ("five", Perceptron(start=[1, 1, 1]), datasets.slides_five()),
    ("table", Perceptron(batch=True), datasets.table(3, 2)),
    ("pocket", Perceptron(pocket=True, random_state=0, max_iter=5), datasets.table(1, 3)),
    ("machine", Perceptron(average=True, max_iter=5), datasets.table(1, 2, 4)),
]:
    model.fit(*data)
    out[name] = [model.weights_.round(9).tolist(), model.n_corrections_, model.n_iter_, model.status_.name]
print(json.dumps(out))
"""


@pytest.mark.ci
def test_without_a_compiler_the_worked_numbers_are_the_same() -> None:
    def run(**variables: str) -> Any:
        done = subprocess.run(
            [sys.executable, "-c", WORKED], capture_output=True, text=True, check=True, env=os.environ | variables
        )
        return json.loads(done.stdout)

    plain = run(NUMBA_DISABLE_JIT="1")
    assert plain["or"] == [[-1, 2, 2], 9, 6, "SEPARATED"]
    assert plain["eight"] == [[-37, 4, 6], 180, 56, "SEPARATED"]
    assert plain["table"] == [[19, -41.4, 48.6], 16, 17, "SEPARATED"]
    assert plain["five"][3] == "CYCLES"
    assert plain == run()
