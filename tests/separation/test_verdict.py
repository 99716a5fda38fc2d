"""Separability: 10,000 problems against exact rays, known answers, degenerate data, parts, copies, progress."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from exact_oracle import augmented, rows_of, separation, sides, solve
from numpy.testing import assert_array_equal
from portions import rest_in_ci
from scipy.optimize import linprog
from verdict_cases import check, parts, separates, tied_problem
from verdict_problems import faults, problem

from discriminant import Certificate, LinearMachine, datasets, separability
from discriminant._engine import progress as _progress

# Against the exact rays ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chunk", rest_in_ci(range(20)))
def test_problems_with_ties(chunk: int) -> None:
    rng, seen = np.random.default_rng(chunk), {}
    for trial in range(500):
        X, y = tied_problem(rng, 2 if trial % 5 else 3)
        s = check(X, y, intercept=bool(trial % 2))
        seen[s.verdict] = seen.get(s.verdict, 0) + 1
    assert min(seen.values()) > 50
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
    for trial in range(150):
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
    for trial in range(150):
        X, _ = tied_problem(rng)
        y = rng.integers(0, 3, len(X)) if trial % 8 else np.zeros(len(X), int)
        intercept = bool(trial % 2)
        s = check(X, y, intercept=intercept, family="poisson")
        assert_array_equal(s.infinite_, 0 - np.array(separation(X, y, intercept, family="poisson").signs[intercept:]))
        verdicts.add(s.verdict)
        with pytest.raises(ValueError, match="margin belongs to classes, not to counts"):
            s.margin  # noqa: B018
    assert verdicts == {"complete", "quasi", "overlap"}


@pytest.mark.parametrize("reading", ["decimal", "float"])
def test_decimals_with_ties(reading: str, rng: np.random.Generator) -> None:
    for dtype in (np.float64, np.float32, np.float16):
        for _ in range(40):
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
    for trial in range(30):
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


def test_one_row_a_class() -> None:
    s = check([[0.0, 0.0], [3.0, 4.0]], ["b", "a"])
    assert s.verdict == "complete"
    assert s.margin.lower <= 2.5 <= s.margin.upper
    assert s.hyperplane.side([[0, 0], [3, 4]]).tolist() == [1, -1]
    s = separability([[0.0], [1.0], [2.0]], ["x", "y", "z"])
    assert s.verdict == "complete"
    assert s.total.verdict == "overlap"


# What follows -------------------------------------------------------------------------------------------------------


def test_labels_rows_and_columns_may_change_places(rng: np.random.Generator) -> None:
    for trial in range(30):
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


def test_pairs_in_either_order_and_their_proofs() -> None:
    X, y = datasets.iris()
    s = separability(X, y)
    assert s.pairwise[2, 0] is s.pairwise[0, 2]
    assert all(proof.verify(X, y) for proof in (*s.total.certificates.values(), *s.pairwise.certificates.values()))
