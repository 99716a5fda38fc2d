"""Ordered levels: the verdict and its proof against all rays of the cone, and against what the likelihood does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from exact_oracle import dot, level_rows, separation, solve
from numpy.testing import assert_array_equal
from portions import rest_in_ci
from scipy import sparse
from scipy.special import expit
from verdict_problems import KINDS

from discriminant import Certificate, Separability, UndecidedError, separability
from discriminant.separation.cuts import CutConstruction, Cuts

Levels = np.ndarray[Any, np.dtype[np.int64]]


def ordered(X: Any, y: Any, **options: Any) -> Separability:
    return separability(X, y, family="cumulative", progress=False, **options)


def problem(rng: np.random.Generator) -> tuple[Any, Levels, str]:
    """Levels by a common score, some of them changed, or all of them at random."""
    while True:
        n, d, levels = int(rng.integers(3, 14)), int(rng.integers(1, 3)), int(rng.integers(2, 5))
        X = KINDS[rng.integers(len(KINDS) - 2)](rng, n, d)[:, :5]
        score = X @ rng.integers(-2, 3, X.shape[1])
        y = np.searchsorted(np.sort(rng.choice(score, levels - 1)), score)
        changed = rng.random(n) < rng.choice([0.0, 0.1, 1.0])
        y = np.where(changed, rng.integers(levels, size=n), y)
        if np.unique(y).size > 1:
            return X, y, str(rng.choice(["decimal", "float"]))


@pytest.mark.parametrize("seed", rest_in_ci(range(20)))
def test_verdict_rows_and_signs_are_those_of_the_cone(seed: int) -> None:
    rng = np.random.default_rng([20, seed])
    for _ in range(25):
        X, y, reading = problem(rng)
        expected = separation(X, y, True, reading, "cumulative")
        given = sparse.csr_matrix(X.astype(float)) if rng.random() < 0.3 else X
        s = ordered(given, y, reading=reading)
        assert s.verdict == expected.verdict
        assert_array_equal(s.separated_rows, expected.B)
        assert_array_equal(s.boundary_rows, expected.N)
        assert_array_equal(np.concatenate([s.infinite_intercept_, s.infinite_]), expected.signs)
        for method in ("fast", "plain"):
            assert s.certificate.verify(given, y, method=method)


def test_a_certificate_proves_what_it_says_by_the_rows_of_the_definition() -> None:
    """Zb >= 0, λ > 0 and Zᵗλ = 0, with rows z written down here."""
    rng = np.random.default_rng(3)
    for _ in range(60):
        X, y, _ = problem(rng)
        if X.dtype.kind == "f":
            continue
        proof = ordered(X, y).certificate
        levels, own = np.unique(y, return_inverse=True)
        cuts = len(levels) - 1
        b = [*(-a for a in proof.direction[:cuts]), *proof.direction[cuts:]]  # θ = -α
        rows = level_rows([(1, *map(int, x)) for x in X], own.tolist(), len(levels))
        assert min(dot(z, b) for _, z in rows) >= 0
        made = CutConstruction(len(levels), X.shape[1])
        for relation in proof.relations:
            z = [made.z([1, *map(int, X[term.row])], term.own, term.rival) for term in relation]
            assert all(term.weight > 0 for term in relation)
            assert not any(dot([term.weight for term in relation], column) for column in zip(*z, strict=True))


def test_the_rows_of_the_cuts_are_those_of_the_construction() -> None:
    X, own = np.array([[5, 0], [0, 7], [1, 2], [3, 4]]), np.array([0, 1, 2, 1])
    construction = CutConstruction(3, 2)
    expected = [construction.z([1, *X[i]], own[i], k) for i in range(4) for k in construction.rivals(int(own[i]))]
    for table in (X, sparse.csr_matrix(X)):
        made = Cuts.of(table, own, 3)
        dense = sparse.csr_matrix(made.X[:3], made.X.shape).toarray() if table is not X else made.X
        assert_array_equal((2 * made.above - 1)[:, None] * dense, expected)
        assert_array_equal(made.patterns, [0, 1, 1, 2, 3, 3])
        places = [made.place(i, int(own[i]), k) for i in range(4) for k in construction.rivals(int(own[i]))]
        assert places == list(range(6))


def loglik(theta: Any, b: float, x: Any, y: Any) -> float:
    """Of proportional odds with three levels and one column."""
    edges = np.concatenate([[-np.inf], theta, [np.inf]])
    p = expit(edges[y + 1] - b * x) - expit(edges[y] - b * x)
    return float(np.log(p).sum())


def test_the_likelihood_grows_for_ever_along_b() -> None:
    x, y = np.array([0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 2])
    s = ordered(x[:, None], y)
    *alpha, b = s.certificate.direction
    at = [loglik(np.array([0.3, 0.8]) - t * np.array(alpha), 0.5 + t * b, x, y) for t in (0, 1, 2, 4, 8, 16)]
    assert np.all(np.diff(at) > 0)
    assert at[-1] <= -3 * np.log(3)  # what three rows of three levels leave


def test_two_levels_are_two_classes() -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        X, y, reading = problem(rng)
        y = (y > y.min()).astype(int)
        s, two = ordered(X, y, reading=reading), separability(X, y, reading=reading)
        assert (s.verdict, s.separated_rows.tolist()) == (two.verdict, two.separated_rows.tolist())
        assert_array_equal(s.infinite_, two.infinite_)
        assert_array_equal(s.infinite_intercept_, -two.infinite_intercept_)


def test_the_words() -> None:
    frame = pd.DataFrame({"dose": [0, 0, 1, 1, 2, 2], "age": [5, 3, 4, 5, 3, 4]})
    kinds = pd.CategoricalDtype(["none", "some", "much"], ordered=True)
    y = pd.Series(["none", "none", "some", "some", "much", "much"], dtype=kinds)
    s = ordered(frame, y)
    text = str(s)
    assert text.startswith("complete: parallel planes separate the levels strictly: a cumulative model has no finite")
    assert "because        dose never falls from a level to the next" in text
    assert "logit, probit, complementary log-log and cauchit alike" in text
    assert s.coefficients()["dose"] == "+inf"
    assert list(s.coefficients()) == ["none/some", "some/much", "dose", "age"]
    assert s.certificate.verify(frame, y)
    assert s.certificate.kind == "cumulative"
    assert "the ordered levels 'none' < 'some' < 'much'" in s.certificate.question
    assert "it is about ordered levels" in s.certificate.differences(y)
    assert not s.certificate.differences(y, family="cumulative")
    turned = y.cat.reorder_categories(["some", "none", "much"])
    another = ["it has the levels in the order 'none' < 'some' < 'much'"]
    assert s.certificate.differences(turned, family="cumulative") == another
    assert s.certificate.differences(list(y), family="cumulative") == ["y does not tell the order of its levels"]
    assert "<table" in s._repr_html_() or "<dl" in s._repr_html_()
    falling = str(ordered(-frame[["dose"]], y))
    assert "dose never rises from a level to the next" in falling


def test_numbers_in_another_order_are_another_question() -> None:
    x, y = [[0], [1], [2]], pd.Series(pd.Categorical([1, 3, 2], [1, 3, 2], ordered=True))
    proof = ordered(x, y).certificate
    assert proof.verify(x, [1, 3, 2])
    assert proof.differences([1, 3, 2], family="cumulative") == ["it has the levels in the order 1 < 3 < 2"]


def test_aliased_columns_are_those_of_x() -> None:
    X = np.array([[0, 1, 0], [1, 1, 2], [2, 1, 4], [1, 1, 2], [0, 1, 0]])
    s = ordered(X, [0, 0, 1, 1, 2])
    assert_array_equal(s.aliased_, [1, 2])  # one is constant, as the thresholds together, the other a multiple
    assert {way for name, way in s.coefficients().items() if name in ("x1", "x2")} == {"aliased"}


def test_a_level_that_nobody_has_takes_no_part() -> None:
    y = pd.Categorical(["low", "high", "low"], categories=["low", "middle", "high"], ordered=True)
    s = ordered([[0], [1], [2]], y)
    assert list(s.coefficients()) == ["low/high", "x0"]
    names = pl.Series(["low", "high", "low"], dtype=pl.Enum(["low", "middle", "high"]))
    assert list(ordered([[0], [1], [2]], names).coefficients()) == ["low/high", "x0"]


def test_a_proof_that_was_changed_fails() -> None:
    X, y = np.array([[0], [0], [1], [1], [1]]), np.array([1, 1, 1, 2, 3])
    proof = ordered(X, y).certificate
    assert Certificate.from_json(proof.to_json()) == proof
    first, *others = proof.relations[0]
    for changed, words in (
        (replace(proof, direction=(1, -1, 1)), "row 0 lies on the wrong side"),
        (replace(proof, direction=(0, 0, 0)), "proves 'overlap'"),
        (replace(proof, direction=(0, 0)), "has not the length 3"),
        (replace(proof, relations=((first._replace(rival=2), *others),)), "the rival of row 2"),
        (replace(proof, relations=((first._replace(own=1), *others),)), "row 2 is not a pattern"),
        (replace(proof, relations=((first._replace(weight=2), *others),)), "do not add up to zero"),
        (replace(proof, relations=()), "do not span"),
        (replace(proof, verdict="complete"), "it proves 'quasi'"),
        (replace(proof, intercept=False), "in words that are unknown"),
        (replace(proof, groups=((1,), (2, 3))), "in words that are unknown"),
    ):
        for method in ("fast", "plain"):
            with pytest.raises(ValueError, match=words):
                changed.verify(X, y, method=method)
    with pytest.raises(ValueError, match="row 2 is not a pattern"):
        proof.verify(X, 4 - y)


@pytest.mark.parametrize("library", [pd, pl])
def test_a_formula_and_a_table_of_one_column_keep_the_order(library: Any) -> None:
    names, x = ["low", "low", "mid", "high"], [0.0, 1.0, 2.0, 3.0]
    order = ["low", "mid", "high"]
    levels = pd.Categorical(names, order, ordered=True) if library is pd else pl.Series(names, dtype=pl.Enum(order))
    frame = library.DataFrame({"level": levels, "x": x})
    ways = {"low/mid": "+inf", "mid/high": "+inf", "x": "+inf"}
    assert separability("level ~ x", data=frame, family="cumulative").coefficients() == ways
    assert ordered(frame[["x"]], frame[["level"]]).coefficients() == ways


def test_what_is_not_of_levels_is_refused() -> None:
    X, y = [[0], [1], [2]], ["low", "high", "low"]
    with pytest.raises(ValueError, match="the order of such levels is not known"):
        ordered(X, y)
    with pytest.raises(ValueError, match="intercept=False must be True for ordered levels"):
        ordered(X, [0, 1, 2], intercept=False)
    with pytest.raises(ValueError, match="y holds one class"):
        ordered(X, [1, 1, 1])
    s = ordered(X, [0, 1, 2])
    for name in ("hyperplane", "pairwise", "total", "separated_pairs", "margin"):
        with pytest.raises(ValueError, match=f"{name} belongs to classes"):
            getattr(s, name)
    with pytest.raises(ValueError, match="the order of such levels"):
        ordered(X, pd.Categorical(y))


def test_a_limit_of_time_tells_what_is_known() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6)).round(2)
    with pytest.raises(UndecidedError, match="larger for the verdict"):
        ordered(X, rng.integers(4, size=60), max_seconds=1e-9)


def test_an_overlap_has_a_finite_estimate() -> None:
    """Each cell has one row of every level: the thresholds are those of thirds, and the weight is zero."""
    x, y = np.array([0, 1, 0, 1, 0, 1.0]), np.array([0, 0, 1, 1, 2, 2])
    assert ordered(x[:, None], y).verdict == "overlap"
    theta = np.array([-np.log(2), np.log(2)])
    assert loglik(theta, 0.0, x, y) == pytest.approx(-6 * np.log(3))
    for step in (1e-3, -1e-3):
        assert loglik(theta, step, x, y) < loglik(theta, 0.0, x, y)
        assert loglik(theta + step, 0.0, x, y) < loglik(theta, 0.0, x, y)


def test_the_oracle_knows_levels() -> None:
    """x of level 1 below x of level 2: θ between them; here θ and b may grow together."""
    answer = solve(level_rows([(1, 0), (1, 1)], [0, 1], 2))
    assert answer.verdict == "complete"
