"""Separability: known answers, 10,000 problems against exact rays, readings, scales, storage, margins, fallbacks."""

from __future__ import annotations

import copy
import pickle
import signal
import time
from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from exact_oracle import augmented, rows_of, separation, sides, solve
from numpy.testing import assert_array_equal
from scipy import sparse
from scipy.optimize import linprog
from sklearn.svm import SVC
from verdict_problems import faults, problem

from discriminant import Certificate, Hyperplane, LinearMachine, Separability, datasets, separability
from discriminant._engine import progress as _progress
from discriminant.separation import passes
from discriminant.separation import search as _faces
from discriminant.separation import system as _system
from discriminant.separation.nonnegative import heard
from discriminant.separation.rows import PRIMES

Problem = tuple[np.ndarray, np.ndarray]


def parts(s: Separability) -> tuple[str, list[int], list[int]]:
    return s.verdict, s.separated_rows.tolist(), s.boundary_rows.tolist()


def check(X: Any, y: Any, **options: Any) -> Separability:
    """Verdict, B, N and the certificate: all as they should be."""
    s = separability(X, y, **options)
    expected = separation(X.toarray() if sparse.issparse(X) else np.asarray(X), y, **options)
    assert parts(s) == expected[:3]
    assert s.certificate.verdict == expected.verdict
    assert s.certificate.verify(X, y) is True
    return s


def in_integers(s: Separability) -> bool:
    return bool(s.notes)


def separates(s: Separability, X: Any, y: Any) -> bool:
    """Whether w and w0 separate in float64."""
    plane = s.hyperplane
    assert isinstance(plane, Hyperplane)
    g = X @ plane.w + plane.w0
    return bool(np.all(g[np.asarray(y) == np.max(y)] > 0) and np.all(g[np.asarray(y) != np.max(y)] < 0))


def tied_problem(rng: np.random.Generator, n_classes: int = 2) -> Problem:
    """Small whole numbers: points coincide, lie on lines and in planes; columns repeat or are constant."""
    while True:
        n, d, kind = rng.integers(2, 9), rng.integers(1, 4), rng.integers(6)
        X = rng.integers(-2, 3, (n, d))
        if kind == 0:
            X[:, 0] = rng.integers(-1, 2)
        elif kind == 1:
            X[:, -1] = rng.integers(-1, 2) * X[:, 0] + rng.integers(-1, 2)
        elif kind == 2:
            X[n // 2 :] = X[: n - n // 2]
        elif kind == 3:
            X = (X > 0).astype(np.int64)
        y = rng.integers(0, n_classes, n)
        if n_classes == 2 and rng.random() < 0.5:
            y = (X @ rng.integers(-2, 3, d) + rng.integers(-1, 2) > 0).astype(np.int64)
            y[rng.integers(n)] ^= rng.random() < 0.3
        if np.unique(y).size == n_classes:
            return X, y


# Against the exact rays ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chunk", [0, *(pytest.param(chunk, marks=pytest.mark.ci) for chunk in range(1, 10))])
def test_a_thousand_problems_with_ties(chunk: int) -> None:
    rng, seen = np.random.default_rng(chunk), {}
    for trial in range(1000):
        X, y = tied_problem(rng, 2 if trial % 5 else 3)
        s = check(X, y, intercept=bool(trial % 2))
        seen[s.verdict] = seen.get(s.verdict, 0) + 1
    assert min(seen.values()) > 100
    assert len(seen) == 3


def test_the_rays_agree_with_linear_programming(rng: np.random.Generator) -> None:
    """Of the oracle itself: row i is in B exactly when max z_i b > 0 subject to Zb >= 0 in a box."""
    for trial in range(40):
        X, y = tied_problem(rng, 2 + trial % 2)
        rows = rows_of(augmented(X), y.tolist(), y.max() + 1)
        Z, answer = np.array([z for _, z in rows]), solve(rows)
        tops = [-linprog(-z, -Z, np.zeros(len(Z)), bounds=(-1, 1)).fun for z in Z]
        assert sorted({i for (i, _), top in zip(rows, tops, strict=True) if top < 1e-9}) == answer.N
        assert np.all(Z @ np.array(answer.b) >= 0)


def test_the_simplex_method_agrees_with_the_rays(rng: np.random.Generator) -> None:
    """Of the oracle itself, in its two ways."""
    for trial in range(200):
        X, y = tied_problem(rng, 2 + trial % 3)
        options = {"intercept": bool(trial % 2), "family": "classes" if trial % 5 else "poisson"}
        assert sides(X, y, **options)[:3] == separation(X, y, **options)[:3]


def test_the_oracle_names_the_pairs_on_the_boundary() -> None:
    """At 0 the classes coincide; at 1 c can be left out, but a and b cannot be told apart."""
    answer = sides([[0], [0], [0], [1], [1]], list("abcab"))
    assert answer[:3] == ("quasi", [], [0, 1, 2, 3, 4])
    assert answer.pairs == [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (3, 1), (4, 0)]


@pytest.mark.ci
def test_a_sample_of_all_kinds_of_problems() -> None:
    """As ``tools/verdicts.py`` tries them by the thousand."""
    seen = Counter()
    for number in range(300):
        verdict, found = faults(problem(np.random.default_rng([0, number])))
        assert not found, f"python tools/verdicts.py --seed 0 --only {number}: {found}"
        seen[verdict] += 1
    assert min(seen.values()) > 30
    assert len(seen) == 3


def test_infinite_coefficients_are_the_signs_over_the_cone(rng: np.random.Generator) -> None:
    seen = set()
    for trial in range(400):
        X, y = tied_problem(rng, 3 if trial % 4 == 0 else 2)
        intercept = bool(trial % 2)
        signs = np.array(separation(X, y, intercept).signs).reshape(-1, X.shape[1] + intercept)[:, int(intercept) :]
        found = separability(X, y, intercept=intercept).infinite_
        assert_array_equal(found, signs if len(signs) > 1 else signs[0])
        seen |= set(np.nan_to_num(found, nan=9).ravel().tolist())
    assert seen == {-1, 0, 1, 9}


def test_counts(rng: np.random.Generator) -> None:
    """Rows x for a zero, x and -x for a count above; a Poisson mean falls to zero against b."""
    verdicts = set()
    for trial in range(400):
        X, _ = tied_problem(rng)
        y = rng.integers(0, 3, len(X)) if trial % 8 else np.zeros(len(X), int)
        intercept = bool(trial % 2)
        s = check(X, y, intercept=intercept, family="poisson")
        assert_array_equal(s.infinite_, 0 - np.array(separation(X, y, intercept, family="poisson").signs[intercept:]))
        verdicts.add(s.verdict)
        with pytest.raises(ValueError, match="margin belongs to two classes"):
            s.margin  # noqa: B018
    assert verdicts == {"complete", "quasi", "overlap"}


@pytest.mark.parametrize("reading", ["decimal", "float"])
def test_decimals_with_ties(reading: str, rng: np.random.Generator) -> None:
    for dtype in (np.float64, np.float32, np.float16):
        for _ in range(100):
            X, y = tied_problem(rng)
            check((X / dtype(10)).astype(dtype), y, reading=reading)


def test_four_classes_and_more(rng: np.random.Generator) -> None:
    for c in (4, 5):
        for _ in range(15):
            y = np.r_[np.arange(c), rng.integers(0, c, 3)]
            check(rng.integers(-3, 4, (y.size, 1)), y)
    y = np.repeat(np.arange(10), 2)
    s = separability(np.c_[np.cos(y), np.sin(y)], y)  # points of a circle
    assert s.verdict == "complete"
    assert isinstance(s.hyperplane, LinearMachine)
    assert_array_equal(s.hyperplane.predict(np.c_[np.cos(y), np.sin(y)]), y)
    assert separability(np.c_[y, y], y).verdict == "complete"  # of a line: a machine orders the classes
    assert separability(np.c_[y, y], y).total.verdict == "overlap"


# Known answers ------------------------------------------------------------------------------------------------------

TABLE = {(1, 2): "complete", (1, 3): "overlap", (1, 4): "complete", (2, 3): "complete", (2, 4): "complete",
         (3, 4): "complete"}  # fmt: skip


@pytest.mark.parametrize("pair", TABLE)
def test_the_table_of_the_computer_exercises(pair: tuple[int, int]) -> None:
    X, y = datasets.table(*pair)
    s = check(X, y)
    assert s.verdict == TABLE[pair]
    if s.verdict == "complete":
        assert separates(s, X, y)
        assert s.margin.lower > 0
    else:
        assert s.hyperplane is None
        assert (s.margin.lower, s.margin.upper) == (0, 0)
        assert len(s.certificate.support) <= 4


def test_three_categories_need_a_machine() -> None:
    s = separability(*datasets.table(1, 2, 4))
    assert (s.linear.verdict, s.total.verdict, s.pairwise.verdict) == ("complete", "overlap", "complete")
    assert list(s.pairwise) == [(1, 2), (1, 4), (2, 4)]
    assert len(s.total) == 3
    assert "against the rest" in str(s.total)


@pytest.mark.parametrize(
    ("load", "verdict"),
    [
        (datasets.xor, "overlap"),
        (datasets.parity, "overlap"),
        (lambda: datasets.parity(5), "overlap"),
        (datasets.or_function, "complete"),
        (datasets.and_function, "complete"),
        (datasets.inseparable_six, "overlap"),
        (datasets.breast_cancer, "complete"),
        (datasets.iris, "quasi"),
        (datasets.wine, "complete"),
    ],
    ids=["xor", "parity", "parity 5", "or", "and", "six", "breast cancer", "iris", "wine"],
)
def test_known_verdicts(load: Any, verdict: str) -> None:
    X, y = load()
    s = separability(X, y)
    assert s.verdict == s.certificate.verdict == verdict
    assert Certificate.from_json(s.certificate.to_json()).verify(X, y)


def test_iris() -> None:
    X, y = datasets.iris()
    s = separability(X, y)
    first = np.unique(y)[0]
    assert s.total[first].verdict == "complete"
    proof = separability(X[y != first], y[y != first]).certificate
    assert proof.verdict == "overlap"
    assert len(proof.support) <= 6  # d + 2 flowers
    for label in np.unique(y)[1:]:
        assert sum(flower.weight for flower in proof.support if flower.label == label) == 1
    point = [sum(f.weight * Fraction(repr(v)) for f in proof.support if f.label == np.unique(y)[2] for v in
                 [float(X[y != first][f.row, j])]) for j in range(4)]  # fmt: skip
    assert list(proof.point or ()) == point


def test_wine_in_all_three_senses() -> None:
    X, y = datasets.wine()
    s = separability(X, y)
    assert (s.verdict, s.total.verdict, s.pairwise.verdict) == ("complete",) * 3
    assert all(part.certificate.verify(X, y) for part in [*s.total.values(), *s.pairwise.values()])


def test_breast_cancer_with_two_labels_flipped() -> None:
    X, y = datasets.breast_cancer()
    assert separates(separability(X, y), X, y)
    y = y.copy()
    y[[0, 300]] = y[[300, 0]] if y[0] != y[300] else 1 - y[[0, 300]]
    s = separability(X, y)
    assert s.verdict == "overlap"
    assert len(s.certificate.support) <= X.shape[1] + 2
    assert s.certificate.verify(X, y)


def test_total_implies_linear_implies_pairwise(rng: np.random.Generator) -> None:
    order, seen = ["complete", "quasi", "overlap"], set()
    for trial in range(60):
        c = 3 + trial % 2
        y = np.r_[np.arange(c), np.arange(c), rng.integers(0, c, 2)]
        X = rng.integers(-3, 4, (y.size, 2)) + (0 if trial % 3 else 4) * np.c_[np.cos(2 * y), np.sin(2 * y)].round()
        s = separability(X, y)
        total, linear, pairwise = (order.index(v.verdict) for v in (s.total, s.linear, s.pairwise))
        assert total or not linear
        assert linear or not pairwise
        for (j, k), part in s.pairwise.items():
            few = (y == j) | (y == k)
            assert part.verdict == separation(X[few], y[few]).verdict
            assert part.certificate.verify(X, y)
            assert set(part.boundary_rows) <= set(np.flatnonzero(few))
        for k, part in s.total.items():
            assert parts(part) == separation(X, y == k)[:3]
            assert part.certificate.verify(X, y)
        seen.add((total, linear, pairwise))
    assert len(seen) > 3


# Readings and scales ------------------------------------------------------------------------------------------------


def test_points_on_a_line_in_decimal_only() -> None:
    X = np.array([[0.1, 0.7], [0.3, 0.5], [0.2, 0.6], [0.4, 0.4]])  # x1 + x2 = 0.8
    y = [0, 0, 1, 1]
    assert check(X, y).verdict == "overlap"
    assert check(X, y, reading="float").verdict != "overlap"
    assert separability(X, y).certificate.reading == "decimal"
    with pytest.raises(ValueError, match="the certificate fails"):
        separability(X, y, reading="float").certificate.verify(X, 1 - np.array(y))


def test_float32_is_read_by_its_own_shortest_form() -> None:
    X = np.array([[0.1, 0.7], [0.3, 0.5], [0.2, 0.6], [0.4, 0.4]], np.float32)
    assert check(X, [0, 0, 1, 1]).verdict == "overlap"
    assert separability(X.astype(float), [0, 0, 1, 1]).verdict != "overlap"  # the numbers of X are no decimals any more


def test_long_integers_stay_exact() -> None:
    big = 2**62
    X = np.array([[big], [big + 1], [big + 2], [big + 3]], np.int64)
    assert check(X, [0, 0, 1, 1]).verdict == "complete"
    assert check(X, [0, 1, 0, 1]).verdict == "overlap"
    assert check(np.array([[big], [big + 1], [big + 1]]), [0, 0, 1]).verdict == "quasi"
    assert check(np.array([[2**64 - 1], [2**64 - 2]], np.uint64), [0, 1]).verdict == "complete"


@pytest.mark.parametrize("start", [1.0, 1e9, 123456.789, 1e-5, 1e150, 1e-150])
def test_margins_of_one_ulp(start: float) -> None:
    low, high = start, float(np.nextafter(start, np.inf))
    X = np.array([[low], [low], [high]])
    s = check(X, [0, 0, 1])
    assert s.verdict == "complete"
    assert separates(s, X, [0, 0, 1])
    half = (Fraction(repr(high)) - Fraction(repr(low))) / 2
    assert Fraction(s.margin.lower) <= half <= Fraction(s.margin.upper)
    assert check(X, [0, 1, 1]).verdict == "quasi"
    X = np.array([[low, 0], [high, 0], [low, 1], [low, -1]])  # off the segment of the others by an ulp
    assert check(X, [0, 1, 0, 0]).verdict == "complete"


def test_a_point_beside_a_line_by_one_ulp() -> None:
    """One point lies an ulp below, on or above a line through two others; the labels say above."""
    for above, verdict in ((-1, "overlap"), (0, "quasi"), (1, "complete")):
        X = np.array([[0.0, 0.0], [1.0, 3.0], [0.5, 1.5 + above * 2.0**-52], [0.0, 9.0], [1.0, 9.0], [0.5, -9.0]])
        assert check(X, [0, 0, 1, 1, 1, 0], reading="float").verdict == verdict


def test_offsets_of_a_billion(rng: np.random.Generator) -> None:
    for _ in range(60):
        X, y = tied_problem(rng)
        moved = X + 1e9
        assert parts(check(moved, y)) == parts(separability(X, y))
        check(X / 8 + 1e9, y)


@pytest.mark.parametrize("powers", [(150,) * 3, (-150,) * 3, (150, 0, -150), (-300, -8, 290)])
def test_scales(powers: tuple[int, ...], rng: np.random.Generator) -> None:
    for trial in range(60):
        X, y = tied_problem(rng)
        scaled = np.array([[float(f"{v}e{e}") for v, e in zip(x, powers, strict=False)] for x in X])
        s = check(scaled, y, intercept=bool(trial % 2))
        assert parts(s) == parts(separability(X, y, intercept=bool(trial % 2)))
        assert_array_equal(s.infinite_, separability(X, y, intercept=bool(trial % 2)).infinite_)


def test_numbers_that_underflow(rng: np.random.Generator) -> None:
    """Products of such numbers and weights are not what floats say they are, so that only whole numbers decide."""
    for trial in range(100):
        X, y = tied_problem(rng)
        for least in (np.float64(5e-324), np.float64(1e-310), np.float32(1e-45)):
            small = X.astype(least.dtype)
            small[len(X) // 2 :] *= least
            check(small, y, intercept=bool(trial % 2))


# Degenerate data ----------------------------------------------------------------------------------------------------


def test_duplicated_and_contradictory_rows() -> None:
    X, y = datasets.or_function()
    assert check(np.r_[X, X, X], np.r_[y, y, y]).verdict == "complete"
    s = check(np.r_[X, X[:1]], np.r_[y, 1 - y[:1]])
    assert s.verdict == "quasi"
    assert s.boundary_rows.tolist() == [0, 4]
    assert check(np.r_[X, X], np.r_[y, 1 - y]).verdict == "overlap"
    assert check([[1.0], [1.0]], [0, 1]).verdict == "overlap"


def test_constant_and_collinear_columns() -> None:
    X, y = datasets.or_function()
    wide = np.c_[X, np.full(4, 3.0), X @ [2, -1], X[:, 0]]
    s = check(wide, y)
    assert s.verdict == "complete"
    assert np.isnan(s.infinite_).all()
    X, y = datasets.xor()
    assert check(np.c_[X, np.ones(4), X.sum(axis=1)], y).verdict == "overlap"
    assert check(np.ones((4, 2)), [0, 1, 0, 1]).verdict == "overlap"


def test_all_dummies_and_an_intercept() -> None:
    """The columns add up to one; the third level has no pattern of class 0."""
    level = np.array([0, 0, 1, 1, 2, 2])
    y = np.array([0, 1, 0, 1, 1, 1])
    s = check(np.eye(3)[level], y)
    assert s.verdict == "quasi"
    assert s.separated_rows.tolist() == [4, 5]
    assert np.isnan(s.infinite_).all()  # no coefficient is determined while the dummies add up to one
    assert_array_equal(check(np.eye(3)[level][:, 1:], y).infinite_, [0, 1])
    assert_array_equal(check(np.eye(3)[level], y, intercept=False).infinite_, [0, 0, 1])


def test_a_dummy_that_separates() -> None:
    dummy = np.array([0, 0, 0, 0, 1, 1])
    x = np.array([1.0, 2, 1.5, 2.5, 1, 3])
    y = np.array([0, 0, 1, 1, 1, 1])
    y[1], y[3] = 1, 0  # x alone overlaps
    s = check(np.c_[dummy, x], y)
    assert s.verdict == "quasi"
    assert_array_equal(s.infinite_, [1, 0])
    assert_array_equal(separability(np.c_[dummy, x], 1 - y).infinite_, [-1, 0])
    assert "  because        all 2 rows with x0=1 are 1\n" in str(s)
    assert "  coefficients   x0 +inf; 2 finite\n" in str(s)


def test_zeros_behind_a_dummy() -> None:
    dummy, x, y = np.array([0, 0, 0, 1, 1]), np.array([1.0, 2, 4, 1, 2]), [3, 0, 5, 0, 0]
    s = check(np.c_[dummy, x], y, family="poisson")
    assert s.verdict == "quasi"
    assert s.separated_rows.tolist() == [3, 4]
    assert_array_equal(s.infinite_, [-1, 0])
    assert "go to zero" in str(s)


def test_without_an_intercept() -> None:
    assert check([[1.0], [2.0]], [0, 1], intercept=False).verdict == "overlap"
    assert check([[-1.0], [2.0]], [0, 1], intercept=False).verdict == "complete"
    s = check([[0.0, 0.0], [1.0, 2.0], [-1.0, 0.0]], [0, 1, 0], intercept=False)  # a zero row lies on every plane
    assert (s.verdict, s.boundary_rows.tolist()) == ("quasi", [0])
    s = check([[0.0], [0.0]], [0, 1], intercept=False)
    assert s.verdict == "overlap"
    assert s.certificate.support == ()
    plane = separability([[-1.0], [2.0]], [0, 1], intercept=False)
    assert separates(plane, np.array([[-1.0], [2.0]]), [0, 1])
    assert plane.hyperplane.w0 == 0
    assert plane.margin.lower <= 1 <= plane.margin.upper


def test_more_features_than_rows(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(12, 60)), np.arange(12) % 2
    s = separability(X, y)
    assert s.verdict == "complete"
    assert separates(s, X, y)
    assert s.certificate.verify(X, y)
    assert np.isnan(s.infinite_[0])
    X[6:] = X[:6]
    s = separability(X, np.repeat([0, 1], 6))
    assert s.verdict == "overlap"
    assert s.certificate.verify(X, np.repeat([0, 1], 6))


@pytest.mark.parametrize("kind", ["dense", "csr", "three classes"])
def test_wide_data_that_do_not_separate(rng: np.random.Generator, kind: str) -> None:
    """Few rows and thousands of features: the proof is found on independent columns."""
    X = rng.normal(size=(6, 2000)).round(3)
    X[1] = X[0]
    y = [0, 1, 0, 1, 0, 1] if kind != "three classes" else [0, 1, 2, 0, 1, 2]
    s = separability(sparse.csr_array(X) if kind == "csr" else X, y)
    assert s.verdict == "quasi"
    assert s.boundary_rows.tolist() == [0, 1]
    assert s.certificate.verify(X, y)
    assert len(s.certificate.to_json()) < 400_000
    assert np.isnan(s.infinite_).all()
    assert "quasi" in str(s)


def test_wide_data_have_the_verdicts_of_narrow_ones(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    """Ties among few rows: every verdict and every sign is that of a search on all columns."""
    monkeypatch.setattr(_system, "MANY", 0)
    verdicts = set()
    for turn in range(25):
        X, y = tied_problem(rng, 3 if turn % 5 == 0 else 2)
        X = np.hstack([X, X[:, :1] @ rng.integers(-1, 2, (1, len(X))), rng.integers(0, 2, (len(X), turn % 2))])
        wide = separability(X, y)
        with monkeypatch.context() as other:
            other.setattr(_system, "MANY", 10**9)
            known = separability(X, y)
            signs = known.infinite_
        assert wide.verdict == known.verdict
        assert wide.certificate.verify(X, y)
        assert_array_equal(wide.boundary_rows, known.boundary_rows)
        assert_array_equal(wide.infinite_, signs)
        verdicts.add((wide.verdict, wide._outcome.narrow is not None))
    assert {("quasi", True), ("overlap", True), ("complete", False)} <= verdicts


def test_columns_that_depend_on_others_modulo_a_prime_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_system, "MANY", 0)
    first, second, third = PRIMES
    X = np.zeros((3, 6), np.int64)
    X[:, 0], X[:, 1] = [0, 1, 2], [0, first, 0]  # the second column separates, and vanishes modulo the first prime
    s = separability(X, [0, 1, 0])
    assert s.verdict == "complete"
    monkeypatch.setattr(_faces, "_guess", lambda face, live: ([], None))
    assert separability(X, [0, 1, 0]).verdict == "complete"
    X[:, 1] = [0, first * second, 0]
    assert separability(X, [0, 1, 0]).verdict == "complete"
    X[0, 2] = third  # nothing but the row itself
    assert separability(X, [0, 1, 0]).verdict == "complete"


def test_ctrl_c_ends_the_wait_for_a_long_call(rng: np.random.Generator) -> None:
    A = rng.normal(size=(2, 200))
    assert_array_equal(heard(np.linalg.qr, A)[1], np.linalg.qr(A)[1])
    with pytest.raises(np.linalg.LinAlgError):
        heard(np.linalg.inv, A)
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            heard(lambda _: time.sleep(5), A)
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert time.monotonic() - began < 2


def test_one_row_a_class() -> None:
    s = check([[0.0, 0.0], [3.0, 4.0]], ["b", "a"])
    assert s.verdict == "complete"
    assert s.margin.lower <= 2.5 <= s.margin.upper
    assert s.hyperplane.side([[0, 0], [3, 4]]).tolist() == [1, -1]
    s = separability([[0.0], [1.0], [2.0]], ["x", "y", "z"])
    assert s.verdict == "complete"
    assert s.total.verdict == "overlap"


# How the data are stored --------------------------------------------------------------------------------------------


def test_storage(rng: np.random.Generator, tmp_path: Any) -> None:
    for trial in range(20):
        X, y = tied_problem(rng, 2 + trial % 2)
        expected = separability(X, y)
        file = np.memmap(tmp_path / f"{trial}.dat", np.float64, "w+", shape=X.shape)
        file[:] = X
        stored = [
            X.astype(np.float32), X.astype(np.int8), X.tolist(), np.asfortranarray(X, np.float64), file,
            sparse.csr_array(X), sparse.csr_matrix(X.astype(np.float64)), sparse.coo_array(X), X[:, ::-1][:, ::-1],
        ]  # fmt: skip
        for Z in stored:
            s = separability(Z, y)
            assert parts(s) == parts(expected)
            assert s.certificate.verify(X, y)
            assert expected.certificate.verify(Z, y)
            assert_array_equal(s.infinite_, expected.infinite_)
    assert check(X > 0, y).verdict == separability((X > 0).astype(int), y).verdict


def test_the_callers_data_are_left_alone() -> None:
    X, y = datasets.iris()
    X.flags.writeable = y.flags.writeable = False
    matrix = sparse.csr_array(X)
    before = matrix.copy()
    str(separability(X, y))
    str(separability(matrix, y))
    assert (matrix != before).nnz == 0


def test_pandas_names_rows_and_columns() -> None:
    pd = pytest.importorskip("pandas")
    X, y = datasets.table(1, 3)
    frame = pd.DataFrame(X, columns=["height", "width"], index=[f"rock {i}" for i in range(len(X))])
    s = separability(frame, pd.Series(y, index=frame.index))
    assert s.certificate.verify(frame, pd.Series(y))
    row = s.certificate.support[0].row
    assert f"{row} [rock {row}]" in str(s)
    frame["width"] = np.arange(len(X))
    s = separability(frame, pd.Series(np.where(frame["width"] > 7, "late", "early")))
    assert "+1 width" in str(s)
    assert "early and late" in str(s)
    frame["name"] = "a"
    with pytest.raises(ValueError, match="encode it"):
        separability(frame, y)


def test_feature_names_are_those_that_are_given() -> None:
    X, y = datasets.iris()
    frame = pd.DataFrame(X[:100], columns=["a", "b", "c", "d"])
    given = ["sepal length", "sepal width", "petal length", "petal width"]
    for data in (X[:100], sparse.csr_array(X[:100]), frame, X[:100].tolist()):
        s = separability(data, y[:100], feature_names=tuple(given))
        assert any(f" {name} " in str(s) for name in given)
        assert s.certificate == separability(data, y[:100]).certificate
        assert s.question.names.columns == s.pairwise[0, 1].question.names.columns == given
    assert separability(frame, y[:100]).question.names.columns == ["a", "b", "c", "d"]


def test_polars() -> None:
    pl = pytest.importorskip("polars")
    X, y = datasets.iris()
    frame = pl.DataFrame(X, schema=["a", "b", "c", "d"])
    s = separability(frame[:100], pl.Series(y[:100]))
    assert s.verdict == "complete"
    assert s.certificate.verify(frame[:100], pl.Series(y[:100]))
    assert s.certificate.verify(X[:100], y[:100])
    assert any(f" {name} " in str(s) for name in "abcd")


def test_labels_rows_and_columns_may_change_places(rng: np.random.Generator) -> None:
    for trial in range(60):
        X, y = tied_problem(rng, 2 + trial % 2)
        s = separability(X, y)
        rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
        t = separability(X[rows][:, columns], y[rows])
        assert t.verdict == s.verdict
        assert_array_equal(np.sort(rows[t.boundary_rows]), s.boundary_rows)
        assert_array_equal(np.sort(rows[t.separated_rows]), s.separated_rows)
        assert_array_equal(t.infinite_, s.infinite_[..., columns])
        swapped = separability(X, -y)
        assert parts(swapped) == parts(s)
        if y.max() == 1:
            assert_array_equal(swapped.infinite_, 0 - s.infinite_)
        words = separability(X, np.array(["ant", "bee", "cat"])[y])
        assert parts(words) == parts(s)
        assert words.certificate.verify(X, np.array(["ant", "bee", "cat"])[y])


def test_copies() -> None:
    X, y = datasets.iris()
    s = separability(X[:100], y[:100])
    for other in (pickle.loads(pickle.dumps(s)), copy.deepcopy(s), copy.copy(s)):
        assert str(other) == str(s)
        assert other.certificate == s.certificate
        assert other.margin == s.margin


# Margins and planes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
def test_margins_between_two_walls(intercept: bool, rng: np.random.Generator) -> None:
    """The walls 3x + 4y = ±5m stand at ±m from zero; points lie on them and behind."""
    for _ in range(20):
        m, n = int(rng.integers(1, 100)), int(rng.integers(2, 30))
        along, behind = rng.integers(-50, 50, (2, 2 * n))
        along[[0, n]], behind[[0, n]] = 0, 0
        along[[1, n + 1]] = 7
        z = np.repeat([-1, 1], n)
        away = z * (m + np.abs(behind))
        X = np.c_[3 * away - 4 * along, 4 * away + 3 * along] / 5
        margin = check_margin(separability(X, z, intercept=intercept), X, z)
        assert Fraction(margin.lower) <= m <= Fraction(margin.upper)
        assert float(margin) == margin.lower


def check_margin(s: Separability, X: Any, y: Any) -> Any:
    assert s.verdict == "complete"
    assert 0 < s.margin.lower <= s.margin.upper <= s.margin.lower * (1 + 1e-9)
    assert separates(s, X, y)
    return s.margin


def test_the_margin_of_problem_29() -> None:
    X, y = datasets.margin_six()
    margin = check_margin(separability(X, y), X, y)
    assert Fraction(margin.lower) ** 2 <= Fraction(1, 8) <= Fraction(margin.upper) ** 2


def test_margins_are_about_those_of_a_support_vector_machine(rng: np.random.Generator) -> None:
    for trial in range(15):
        d = 2 + trial % 4
        X = rng.normal(size=(60, d))
        y = (X @ np.ones(d) > 0.3).astype(int)
        X += np.where(y, 0.1, -0.1)[:, None]
        margin = check_margin(separability(X, y), X, y)
        model = SVC(C=1e9, kernel="linear", tol=1e-10).fit(X, y)
        assert margin.lower == pytest.approx(1 / np.linalg.norm(model.coef_), rel=1e-4)


def test_margins_of_rows_that_floats_cannot_tell_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that only whole numbers place join the working set as others do, which here begins with few."""
    monkeypatch.setattr(_faces, "FEW", 4)
    monkeypatch.setattr(_faces, "WIDE", 1)
    for seed in (0, 6, 13, 16, 25, 28):
        rng = np.random.default_rng(seed)
        X = rng.integers(-3, 4, (30, 3))
        y = (X @ rng.integers(-2, 3, 3) > 0.5).astype(int)
        expected = check_margin(separability(X, y), X, y)
        found = separability(X + np.array([1e9, 1e2, 1e14]), y).margin
        assert found.upper <= found.lower * (1 + 1e-9)
        assert found.lower <= expected.upper
        assert expected.lower <= found.upper


@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-150, 1e150, 1e307])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_guesses_at_the_boundary_of_extreme_numbers(
    scale: float, n_classes: int, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    """Where a guess in floats overflows, it is given up, and the search goes on without it."""
    monkeypatch.setattr(_faces, "WIDE", 1)
    X = rng.integers(-3, 4, (30, 3)) * scale
    check(X, np.clip(np.digitize(X[:, 0] / scale, [0.5, 1.5]), 0, n_classes - 1))
    check(X, rng.integers(0, n_classes, 30))


@pytest.mark.parametrize("X", [np.zeros((4, 3)), sparse.csr_matrix((4, 3)), np.eye(4)[:, :1]])
@pytest.mark.parametrize("y", [[0, 1, 0, 1], [0, 1, 2, 1]])
@pytest.mark.parametrize("intercept", [True, False])
def test_guesses_at_the_boundary_of_zeros(
    X: Any, y: list[int], intercept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_faces, "WIDE", 1)
    monkeypatch.setattr(_faces, "NARROW", 0)
    check(X, y, intercept=intercept)


def test_planes_of_quasi_separated_data_are_weak() -> None:
    X, y = np.array([[0.0, 0], [1, 0], [0, 0], [2, 1]]), np.array([0, 1, 1, 1])
    s = check(X, y)
    assert s.verdict == "quasi"
    g = (X @ s.hyperplane.w + s.hyperplane.w0) * np.where(y, 1, -1)
    assert np.all(g >= 0)
    assert np.all(g[s.separated_rows] > 0)
    assert float(s.margin) == 0


# Large data ---------------------------------------------------------------------------------------------------------


def few_rows(s: Separability) -> bool:
    """Whether the verdict came from a part of the data and few passes over the rest."""
    return len(s._outcome.working) < 5000 and 1 <= s._system.passes <= 15


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array, lambda X: X.astype(np.float32)])
def test_many_rows(make: Any, rng: np.random.Generator) -> None:
    n, d = 20_000, 10
    w = rng.integers(-3, 4, d)
    X = rng.integers(-1000, 1000, (n, d)) / 100
    side = np.rint(X * 100).astype(int) @ w
    X, side = make(X[side != 0]), side[side != 0]
    y = (side > 0).astype(int)
    s = separability(X, y)
    assert s.verdict == "complete"
    assert separates(s, X, y)
    assert few_rows(s)
    assert s.certificate.verify(X, y)
    y[np.abs(side).argmax()] ^= 1
    s = separability(X, y)
    assert s.verdict == "overlap"
    assert few_rows(s)
    assert s.certificate.verify(X, y)


def test_many_columns(rng: np.random.Generator) -> None:
    n, d = 2000, 150
    X = rng.normal(size=(n, d)).round(3)
    side = X @ rng.normal(size=d)
    X, y = X[np.abs(side) > 0.5], (side[np.abs(side) > 0.5] > 0).astype(int)
    s = separability(X, y)
    assert s.verdict == "complete"
    assert separates(s, X, y)
    assert s.certificate.verify(X, y)
    X[1], y[1] = X[0], 1 - y[0]
    s = separability(X, y)
    assert s.verdict != "complete"  # a row in both classes
    assert {0, 1} <= set(s.boundary_rows)
    assert s.certificate.verify(X, y)


def test_many_rows_on_a_boundary(rng: np.random.Generator) -> None:
    """A level of a factor that only one class has, and ties of whole numbers in all else."""
    n = 20_000
    X = rng.integers(-3, 4, (n, 4))
    y = rng.integers(0, 2, n)
    alone = rng.random(n) < 0.01
    y[alone] = 1
    s = separability(np.c_[X, alone], y)
    assert s.verdict == "quasi"
    assert_array_equal(s.separated_rows, np.flatnonzero(alone))
    assert_array_equal(s.infinite_, [0, 0, 0, 0, 1])
    assert few_rows(s)
    assert s.certificate.verify(np.c_[X, alone], y)


def test_a_single_row_that_decides(rng: np.random.Generator) -> None:
    """One row of 20,000 lies outside the plane in which all others do."""
    X = rng.integers(-9, 9, (20_000, 2))
    X = np.c_[X, X.sum(axis=1)]
    y = rng.integers(0, 2, len(X))
    assert separability(X, y).verdict == "overlap"
    X[12_345, 2] += 1
    s = separability(X, y)
    assert (s.verdict, s.separated_rows.tolist()) == ("quasi", [12_345])
    assert s.certificate.verify(X, y)


# Where floats fail --------------------------------------------------------------------------------------------------


def refuse(R: Any, tick: Any) -> Any:
    raise RuntimeError("no convergence")


GUESSES = {
    "none": refuse,
    "all weights": lambda R, tick: (None, np.ones(len(R))),
    "one weight": lambda R, tick: (None, np.eye(len(R))[0]),
    "wrong vector": lambda R, tick: (np.ones(R.shape[1]), np.ones(len(R))),
    "zero": lambda R, tick: (np.zeros(R.shape[1]), np.ones(len(R))),
    "not a number": lambda R, tick: (np.full(R.shape[1], np.nan), np.ones(len(R))),
}


@pytest.mark.ci
@pytest.mark.parametrize("guess", GUESSES)
def test_bad_guesses(guess: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_faces, "nearest_to_zero", GUESSES[guess])
    fell_back = 0
    for trial in range(100):
        X, y = tied_problem(rng, 2 + trial % 2)
        s = check(X / 7, y, intercept=bool(trial % 3))
        fell_back += in_integers(s)
        assert in_integers(s) == ("the verdict was found in whole numbers" in str(s))
    assert fell_back > 10


def test_whole_numbers_decide_alone_on_larger_data(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = datasets.iris()
    expected = [parts(separability(X, y)), parts(separability(X[50:], y[50:]))]
    monkeypatch.setattr(_faces, "nearest_to_zero", refuse)
    found = [separability(X, y), separability(X[50:], y[50:])]
    assert [parts(s) for s in found] == expected
    assert all(map(in_integers, found))


def test_margins_below_what_floats_resolve() -> None:
    """The hulls are 1e-13 apart in numbers of size 1, between points of which three lie almost on a line."""
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.5, 0.5 + 1e-13], [0.25, 0.25 + 1e-13]])
    s = check(X, [0, 0, 1, 1])
    assert s.verdict == "complete"
    assert separates(s, X, [0, 0, 1, 1])


# Words --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        ([[np.nan], [1.0]], [0, 1], {}, "X contains NaN, first in row 0"),
        ([[1.0], [-np.inf]], [0, 1], {}, "X contains infinity, first in row 1"),
        (sparse.csr_array([[1.0], [np.nan]]), [0, 1], {}, "X contains NaN"),
        ([[1.0], [2.0]], [1, 1], {}, "y holds one class"),
        ([["a"], ["b"]], [0, 1], {}, "no number"),
        ([[1j], [1]], [0, 1], {}, "complex128"),
        ([[1.0], [2.0]], [0, 1, 1], {}, "give one label for each row"),
        (np.empty((0, 2)), [], {}, "0 sample"),
        (np.empty((2, 0)), [0, 1], {}, "0 feature"),
        ([1.0, 2.0], [0, 1], {}, "Expected 2D array"),
        ([[1.0], [2.0]], [[0, 1], [1, 0]], {}, "1d array"),
        ([[1.0], [2.0]], [0.5, 1.25], {}, "continuous"),
        ([[1.0], [2.0]], [0, 1], {"reading": "binary"}, "reading='binary' must be one of 'decimal'"),
        (
            [[1.0], [2.0]],
            [0, 1],
            {"family": "probit"},
            "family='probit' must be one of 'classes', 'poisson'; ",
        ),
        ([[1.0], [2.0]], [0, 1], {"intercept": 2}, "intercept=2 must be one of True, False; choose one"),
        (
            [[1.0], [2.0]],
            [0, 1],
            {"feature_names": ["a", "b"]},
            "must be one name for each of the 1 columns of X",
        ),
        ([[1.0], [2.0]], [0, -1], {"family": "poisson"}, "y holds what is no count"),
        ([[1.0], [2.0]], [0, np.nan], {"family": "poisson"}, "y holds what is no count"),
        ([[1.0], [2.0]], ["a", "b"], {"family": "poisson"}, "y holds what is no count"),
    ],
)
def test_what_is_refused(X: Any, y: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        separability(X, y, **options)


def test_a_margin_belongs_to_two_classes() -> None:
    with pytest.raises(ValueError, match="ask a member of pairwise or total"):
        separability(*datasets.iris()).margin  # noqa: B018


def test_printouts_end_with_advice(rng: np.random.Generator) -> None:
    X, y = datasets.iris()
    assert "separates the classes 0 and 1 strictly" in str(separability(X[:100], y[:100]))
    assert "cannot be told apart by any straight cut" in str(separability(X, y))
    for trial in range(40):
        X, y = tied_problem(rng, 2 + trial % 2)
        s = separability(X, y)
        text = str(s)
        assert text.startswith(f"{s.verdict}: ")
        assert "  to try " in text
        assert repr(s) == text
        assert len(text.splitlines()) <= 16


def test_progress(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = datasets.iris()
    separability(X, y, progress=True).infinite_  # noqa: B018
    assert capsys.readouterr().err == ""  # quick work shows nothing
    monkeypatch.setattr(_progress, "DELAY", 0.0)
    monkeypatch.setattr(_progress, "PAUSE", 0.0)
    assert separability(X, y, progress=True).verdict == "quasi"
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "\rseparability [" in shown.err
    assert "rows in the guess" in shown.err
    assert shown.err.rsplit("\r", 2)[1].strip() == ""  # wiped in the end
    assert shown.err.endswith("\r")
    separability(X, y, progress=False).infinite_  # noqa: B018
    separability(X, y).infinite_  # noqa: B018  (no terminal here)
    assert capsys.readouterr().err == ""


def test_all_pairs_of_labels_are_keys() -> None:
    X, y = datasets.iris()
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    s = separability(X, names)
    assert list(s.pairwise) == list(combinations(["setosa", "versicolor", "virginica"], 2))
    assert s.pairwise["setosa", "virginica"].verdict == "complete"
    assert s.total["setosa"].certificate.groups == (("versicolor", "virginica"), ("setosa",))
    assert s.pairwise.verdict == "overlap"


def test_a_margin_below_floats_is_said() -> None:
    """Points on x1 + x2 = 0.8 are separable as binary fractions, by so little that no sum of floats shows it."""
    X, y = np.array([[0.1, 0.7], [0.3, 0.5], [0.2, 0.6], [0.4, 0.4]]), [0, 0, 1, 1]
    s = separability(X, y, reading="float")
    assert s.verdict == "complete"
    assert s.certificate.verify(X, y)
    assert any("too small for float64" in note for note in s.notes)
    assert "too small for float64" in str(s)
    assert separability(X, y).verdict == "overlap"


def test_planes_that_separate_in_floats_or_say_that_they_do_not(rng: np.random.Generator) -> None:
    """Near ties: margins of an ulp, beside 1 and beside a billion, and numbers that underflow."""
    said = silent = 0
    for turn in range(150):
        n, d, n_classes = rng.integers(3, 9), rng.integers(1, 4), rng.integers(2, 4)
        steps = rng.integers(0, 3, (n, d))
        X = [1 + steps * 2.0**-52, 1e9 + steps * 2.0**-23, np.nextafter(steps / 10, 1 - 2 * rng.integers(0, 2, (n, d)))]
        y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
        s = separability(X[turn % 3], y, intercept=bool(turn % 2), reading="float")
        if s.verdict != "complete":
            continue
        noted = any("too small for float64" in note for note in s.notes)
        plane: Any = s.hyperplane
        if n_classes == 2:
            right = np.array_equal(plane.side(X[turn % 3]), 2 * y - 1)
        else:
            right = np.array_equal(plane.predict(X[turn % 3]), y) and not plane.undecided(X[turn % 3]).any()
        assert right != noted
        assert not noted or said or "too small for float64" in str(s)
        said, silent = said + noted, silent + right
    assert said > 3
    assert silent > 20


def test_labels_that_no_file_can_hold() -> None:
    with pytest.raises(ValueError, match="numbers or strings"):
        separability([[0.0], [1.0]], np.array([b"a", b"b"]))


class TestFrames:
    """A frame is read column by column, so that no number changes on its way into one array."""

    X = np.array([[0.1, 0.7], [0.3, 0.5], [0.2, 0.6], [0.4, 0.4]], np.float32)
    y = (0, 0, 1, 1)

    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
    @pytest.mark.parametrize("other", [[1, 1, 1, 1], [0.5, 0.5, 0.5, 0.5], [True, True, True, True]])
    def test_float32_beside_another_type(self, frame: Any, other: list[Any]) -> None:
        X = frame({"a": self.X[:, 0], "b": self.X[:, 1], "c": other})
        s = separability(X, self.y)
        assert s.verdict == "overlap"
        assert s.certificate.verify(X, self.y)

    def test_long_integers(self) -> None:
        X = pd.DataFrame({"a": pd.array([2**60, 2**60 + 1], dtype="Int64"), "b": [True, False]})
        s = separability(X, [0, 1])
        assert s.verdict == "complete"
        assert s.certificate.verify(X, [0, 1])
        with pytest.raises(ValueError, match="beyond 2"):
            separability(pd.DataFrame({"a": [2**53, 2**53 + 1], "b": [0.5, 0.5]}), [0, 1])
        with pytest.raises(ValueError, match="beyond 2"):
            separability([[2**70], [2**70 + 1]], [0, 1])

    def test_dates(self) -> None:
        with pytest.raises(ValueError, match="datetime64"):
            separability(pd.DataFrame({"a": pd.to_datetime(["2020-01-01", "2021-01-01"])}), [0, 1])

    def test_two_columns_of_one_name(self) -> None:
        X = pd.DataFrame([[0.0, 1.0], [1.0, 0.0]], columns=["a", "a"])
        assert separability(X, [0, 1]).verdict == "complete"


def test_repeated_entries_that_cancel() -> None:
    X = sparse.csr_array(([1.0, -1, 1, 2], [0, 0, 0, 1], [0, 2, 3, 4]), shape=(3, 2))
    s = separability(X, [0, 1, 1], intercept=False)
    assert s.verdict == "quasi"
    assert s.boundary_rows.tolist() == [0]
    assert s.certificate.verify(X, [0, 1, 1])


@pytest.mark.parametrize("separating", [False, True])
def test_a_factor_of_many_levels(rng: np.random.Generator, separating: bool) -> None:
    """Many small relations are found at a time, and coefficients start from the face that is known."""
    level = rng.integers(40, size=800)
    X = np.column_stack([level[:, None] == np.arange(1, 40), rng.normal(size=(800, 2)).round(2)]).astype(float)
    y = rng.integers(2, size=800)
    if separating:
        y[level == 3] = 1
    s = separability(X, y)
    assert s.verdict == ("quasi" if separating else "overlap")
    assert s.infinite_.tolist() == [float(separating and j == 2) for j in range(41)]
    assert s.certificate.verify(X, y)
    terms = {(term.row, term.rival) for relation in s.certificate.relations for term in relation}
    assert len(terms) <= 2 * 42
    assert len(s.certificate.support) <= 43


def test_numbers_at_the_ends_of_float64() -> None:
    for X in ([[1e308], [-1e308]], [[1e-310], [2e-310]]):
        s = separability(X, [0, 1])
        assert s.verdict == "complete"
        assert s.margin.lower <= abs(X[1][0] - X[0][0]) / 2 <= s.margin.upper or s.margin.upper == np.inf
        assert str(s).startswith("complete")


def test_pairs_in_either_order_and_their_proofs() -> None:
    X, y = datasets.iris()
    s = separability(X, y)
    assert s.pairwise[2, 0] is s.pairwise[0, 2]
    assert all(proof.verify(X, y) for proof in (*s.total.certificates.values(), *s.pairwise.certificates.values()))


def test_labels_as_a_column() -> None:
    X, y = np.array([[0.0], [1.0]]), np.array([[0], [1]])
    assert separability(X, y).certificate.verify(X, y)
    with pytest.raises(ValueError, match="y contains NaN"):
        separability(X, [0, np.nan])


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_a_small_table_is_judged_as_a_large_one(classes: int, rng: np.random.Generator) -> None:
    X = rng.integers(-3, 4, size=(40, 3)).astype(float)
    own = rng.integers(-1, max(classes, 2), size=40).astype(np.int32)
    A = rng.integers(-2, 3, size=(max(classes, 2) - 1, 4)).astype(float)
    compiled = passes.judge(X, own, A, classes == 0, 0.5, 1e-15, 1e-300)
    few = passes.judge_few(X, own, A, classes == 0, 0.5, 1e-15, 1e-300)
    part = own >= 0
    for one, other in zip(few, compiled, strict=True):
        np.testing.assert_allclose(one[part], other[part])
        assert one.dtype == other.dtype
    if classes == 2:
        for one, other in zip(few, passes.judge_pair(X, own, A[0], 0.5, 1e-15, 1e-300), strict=True):
            np.testing.assert_allclose(one[part], other[part])
    assert np.all(np.stack(few[:2])[:, ~part] == np.inf)
