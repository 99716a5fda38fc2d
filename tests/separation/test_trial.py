"""Vectors on trial: what passes over the data say of them, against whole numbers row by row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from exact_oracle import dot
from numpy.testing import assert_allclose, assert_array_equal

from discriminant.separation import trial
from discriminant.separation.faces import Face
from discriminant.separation.search import settle
from discriminant.separation.system import Direction, Name, Scale, System
from discriminant.separation.trial import Outcome, at_random, contradictions, inside, parts, strangers


def systems(rng: np.random.Generator, count: int) -> Iterator[System]:
    """Small whole numbers with ties and zeros, of two to four classes; some columns come twice."""
    for k in range(count):
        n, d, c = int(rng.integers(6, 25)), int(rng.integers(2, 5)), int(rng.integers(2, 5))
        X = rng.integers(-1, 2, (n, d)) * (rng.random((n, d)) < 0.7)
        X[:, -1] = X[:, -1 if k % 3 else 0]
        own = (X @ rng.integers(-2, 3, (d, c))).argmax(axis=1)
        own[:c] = np.arange(c)
        yield System(X.astype(float), own, c, bool(k % 2), "decimal")


def in_span(face: Face, name: Name) -> bool:
    z = face.system.integers(name)[0]
    return face.is_all or not any(dot(z, vector) for vector in face.vectors) if face.span else not any(z)


def faces(system: System) -> Iterator[Face]:
    """Of the face that a search finds: nothing, what the first relation spans, and all of it."""
    found = settle(system).face
    yield Face(system)
    first = Face(system)
    if found.relations and first.absorb([list(found.relations[0])]):
        yield first
    yield found


def names_of(system: System) -> list[Name]:
    return system.names(system.patterns)


def scale_of(system: System) -> Scale:
    return system.floats(names_of(system))[1]


def test_contradictions_are_rows_that_contradict(rng: np.random.Generator) -> None:
    stood = 0
    for system in systems(rng, 30):
        separating = settle(system).direction
        for face in faces(system):
            tried = [separating, None if face.is_all else at_random(face, scale_of(system))]
            for direction in filter(None, tried):
                side = {name: dot(system.integers(name)[0], direction.b) for name in names_of(system)}
                wrong = {name for name, s in side.items() if s < 0 or (s == 0 and not in_span(face, name))}
                found, boundary, _ = contradictions(face, direction, 1000)
                assert set(found) <= wrong
                assert bool(found) == bool(wrong)
                assert len(contradictions(face, direction, 1)[0]) == min(len(wrong), 1)
                if not wrong:
                    stood += 1
                    assert boundary.tolist() == sorted({i for (i, _), s in side.items() if s == 0})
    assert stood > 10


def test_the_name_of_a_verdict() -> None:
    face = Face(System(np.eye(2), np.array([0, 1]), 2, True, "decimal"))
    b, none, one = Direction([0, -1, 1], np.array([0.0, -1.0, 1.0]), 1), np.empty(0, np.int64), np.array([1])
    for direction, boundary, verdict in (
        (None, None, "overlap"), (b, none, "complete"), (b, one, "quasi"), (b, None, "quasi")
    ):  # fmt: skip
        assert Outcome(face, direction, boundary, True, False, {}).verdict == verdict


def test_the_nearest_vector_of_the_kernel(rng: np.random.Generator) -> None:
    tried = 0
    for system in systems(rng, 30):
        for face in faces(system):
            if not face.span or face.is_all:
                continue
            tried += 1
            names = names_of(system)
            z, scale = system.floats([*names, *face.span])
            b = rng.normal(size=system.n_columns)
            found = inside(face, b, scale)
            assert not any(dot(row, found.b) for row in system.matrix(face.span))
            span = z[len(names) :]
            wanted = b - np.linalg.pinv(span) @ (span @ b)
            floats, _ = scale.scaled(found.b)
            assert_allclose(floats / np.linalg.norm(floats), wanted / np.linalg.norm(wanted), atol=1e-9)
    assert tried > 10


def test_strangers_lie_outside_the_span_and_a_vector_at_random_moves_them(rng: np.random.Generator) -> None:
    explained = 0
    for system in systems(rng, 30):
        for face in faces(system):
            outside = {name for name in names_of(system) if not in_span(face, name)}
            if face.is_all:
                assert not outside
                continue
            found = strangers(face, names_of(system), 1000)
            assert set(found) <= outside
            assert bool(found) == bool(outside)
            assert len(strangers(face, names_of(system), 1)) == min(len(outside), 1)
            direction = at_random(face, scale_of(system))
            assert {n for n in names_of(system) if dot(system.integers(n)[0], direction.b)} == outside
            explained += not outside
    assert explained > 0


@pytest.mark.parametrize("block", [1, 50, 10**6])
def test_parts_are_all_patterns_once(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "BLOCK", block)
    system = System(np.ones((30, 4)), np.arange(30) % 2, 2, True, "decimal")
    patterns = np.arange(3, 28)
    shares: list[float] = []
    found = list(parts(system, patterns, lambda text, share: shares.append(share)))
    assert_array_equal(np.concatenate(found), patterns)
    assert len(found) == len(shares) == -(-25 // max(1, block // 5))
    assert shares == sorted(shares)
    assert [part.tolist() for part in parts(system, patterns)] == [part.tolist() for part in found]
