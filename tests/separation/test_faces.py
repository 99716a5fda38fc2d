"""Faces: rows are taken in with relations that add up to zero in fractions, or not at all."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from exact_oracle import dot, rank

from discriminant.separation.boundary import _circuit
from discriminant.separation.faces import Face, _rounded
from discriminant.separation.newton import boundary_of
from discriminant.separation.sample import Sample
from discriminant.separation.spanning import spanning
from discriminant.separation.system import Name, System


def quiet(text: str, share: float) -> None:
    """Nobody listens."""


def check(face: Face) -> None:
    """Positive weights, sums of zero, a span of independent rows, and vectors orthogonal to all rows with a weight."""
    system = face.system
    for relation in face.relations:
        assert min(relation.values()) > 0
        rows = [[Fraction(w * value, q) for value in z] for (z, q), w in weighted(system, relation)]
        assert not any(map(sum, zip(*rows, strict=True)))
    assert {name for relation in face.relations for name in relation} == set(face.weights)
    span = system.matrix(face.span)
    assert rank(span) == len(span) == rank(system.matrix(face.weights))
    assert len(face.vectors) == (0 if face.is_all else system.n_columns - len(span))
    assert not any(dot(z, vector) for z in system.matrix(face.weights) for vector in face.vectors)


def weighted(system: System, relation: dict[Name, int]) -> list[tuple[tuple[list[int], int], int]]:
    return [(system.integers(name), w) for name, w in relation.items()]


def state(face: Face) -> str:
    return repr((face.span, face.vectors, face.weights, face.relations))


def plane(rows: list[list[float]]) -> tuple[Face, list[Name]]:
    """The face of rows z, each of which is a pattern of class 1, and their names."""
    system = System(np.array(rows), np.ones(len(rows), np.int64), 2, False, "decimal")
    return Face(system), system.names(range(len(rows)))


@pytest.mark.parametrize("c", [2, 3])
def test_rows_that_span_a_boundary_are_taken_in(c: int, rng: np.random.Generator) -> None:
    told = 0
    for _ in range(15):
        X = np.column_stack([np.eye(4)[rng.integers(4, size=40)][:, 1:], rng.integers(-9, 10, (40, 2)) / 10])
        own = np.r_[np.arange(c), rng.integers(c, size=40 - c)]
        own[X[:, 0] > 0] = 0  # a level of one class
        system = System(X, own, c, True, "decimal")
        part = Sample(system, system.patterns).whole()
        guess = boundary_of(part.rows, quiet)
        assert guess is not None
        places = np.flatnonzero(guess.boundary)
        chosen = spanning(part.rows, places, guess.weights.ravel()[places], quiet)
        assert chosen is not None
        circuit = list(part.names(_circuit(part.rows, [*chosen.basis, *chosen.rest], quiet)))
        face = Face(system)
        assert face.absorb_spanning(part.names(chosen.rest), list(part.names(chosen.basis)), circuit)
        check(face)
        assert len(face.relations) == 2  # the circuit's own, and that of all
        assert set(face.relations[0]) == set(circuit)
        assert face.span == list(part.names(chosen.basis))
        assert set(face.weights) == set(part.names([*chosen.basis, *chosen.rest]))
        told += not face.is_all
        assert face.outside(part.names(places)) == []
    assert told > 5


@pytest.mark.parametrize("x", [-5.0, -0.1, 0.0])
def test_rows_are_taken_in_modulo_the_span(x: float) -> None:
    """(2, 1) and (x, -0.25) have a relation but for a multiple of (1, 0), whose weight is lifted if need be."""
    face, (a, b, c, d, *_) = plane([[1, 0], [-0.5, 0], [2, 1], [x, -0.25]])
    assert face.absorb([[a, b]])
    assert face.absorb_spanning({c: 0.7}, [d], [])
    check(face)
    assert face.is_all
    assert len(face.relations) == 2
    assert {c, d} <= set(face.relations[1])


@pytest.mark.parametrize(
    ("rest", "basis"),
    [([0.0, 2.0], [0.3, 1.0]), ([1.0, 2.0, 0.0], [0.0, -1.0, 0.0]), ([], [0.0, 1.0])],
    ids=["the same side", "another dimension", "a row alone"],
)
@pytest.mark.parametrize("spanned", [False, True])
def test_rows_without_a_positive_relation_are_refused(rest: list[float], basis: list[float], spanned: bool) -> None:
    rows = [[0, 0, 0, 1.0], [0, 0, 0, -0.1], [*rest, *[0.0] * (4 - len(rest))], [*basis, *[0.0] * (4 - len(basis))]]
    face, (a, b, c, d) = plane(rows)
    if spanned:
        assert face.absorb([[a, b]])
    before = state(face)
    assert not face.absorb_spanning({c: 1.0} if rest else {}, [d], [])
    assert state(face) == before


def test_a_circuit_without_a_relation_is_passed_over() -> None:
    face, (a, b, c) = plane([[1, 0.1], [-0.5, 1], [0, -3]])
    assert face.absorb_spanning({c: 1.0}, [a, b], [a, b])
    check(face)
    assert len(face.relations) == 1


def test_weights_are_rounded_in_proportion(rng: np.random.Generator) -> None:
    weights = (10.0 ** rng.uniform(-30, 30, 50)).tolist()
    found = _rounded(weights)
    assert min(found) > 0
    for k in range(1, 50):
        assert abs(Fraction(found[k], found[0]) / (Fraction(weights[k]) / Fraction(weights[0])) - 1) < 1e-6
    assert _rounded([]) == []
