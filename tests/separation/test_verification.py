"""The check of a proof: what is changed, in it or in the data, passes only if it is a proof again."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from certificate_cases import CASES, LINE, dumped, every_case, genuine, proved, sealed
from portions import rest_in_ci
from scipy import sparse

from discriminant import Certificate, datasets, separability
from discriminant.separation.verification import Term


def places(value: Any) -> list[list[Any]]:
    """Paths to all whole numbers of a nested list."""
    if not isinstance(value, list):
        return [[]]
    return [[k, *path] for k, part in enumerate(value) for path in places(part)]


def nudge(content: dict[str, Any], field: str, rng: np.random.Generator) -> None:
    """Change one number of a field."""
    paths = places(content[field]) if isinstance(content[field], list) else []
    if not paths:
        return
    *path, last = paths[rng.integers(len(paths))]
    target = content[field]
    for k in path:
        target = target[k]
    old = int(target[last], 16) if isinstance(target[last], str) else target[last]
    new = [old + 1, old - 1, -old, 0, 2 * old, old + 2**70, old // 2][rng.integers(7)]
    target[last] = new if abs(new) < 2**53 else hex(new)


def shuffle(content: dict[str, Any], field: str, rng: np.random.Generator) -> None:
    """Drop, repeat or exchange parts of a list, or of one within it."""
    if not isinstance(content[field], list) or not content[field]:
        return
    target = content[field]
    if isinstance(target[0], list) and target[0] and rng.random() < 0.5:
        target = target[rng.integers(len(target))]
    k, j = rng.integers(len(target), size=2)
    match rng.integers(4):
        case 0:
            del target[k]
        case 1:
            target.append(copy.deepcopy(target[k]))
        case 2:
            target[k], target[j] = target[j], target[k]
        case 3:
            content[field] = []


def rename(content: dict[str, Any], field: str, rng: np.random.Generator) -> None:
    """Another word, shape, label or answer."""
    options: dict[str, list[Any]] = {
        "verdict": ["complete", "quasi", "overlap"],
        "reading": ["decimal", "float"],
        "family": ["classes", "poisson"],
        "intercept": [True, False],
        "n_rows": [content["n_rows"] + 1, content["n_rows"] - 1, 0],
        "n_features": [content["n_features"] + 1, content["n_features"] - 1, 0],
        "groups": [content["groups"][::-1], content["groups"][1:], [*content["groups"], [7]], [[8], [9]], [[0, 1]]],
        "point": [None, [[0, 1]] * content["n_features"]],
        "kernel": [[], [*content["kernel"], [0] * len(content["direction"])]],
        "relations": [[], content["relations"] * 2, [[]]],
        "direction": [[0] * len(content["direction"]), [1] * len(content["direction"]), []],
    }
    choices = options[field]
    content[field] = choices[rng.integers(len(choices))]


FIELDS = ["direction", "kernel", "relations", "point", "groups", "verdict", "reading", "family", "intercept", "n_rows",
          "n_features"]  # fmt: skip
NUMBERS = FIELDS[:4]


@pytest.mark.parametrize("chunk", rest_in_ci(range(4)))
def test_what_verifies_after_a_change_is_true(chunk: int) -> None:
    """With the old checksum none passes; with a new one, only what is a proof again."""
    rng = np.random.default_rng(chunk)
    known = {case: proved(case) for case in CASES}
    refused = passed = 0
    while refused < 500:
        proof, X, y = known[list(CASES)[rng.integers(len(CASES))]]
        content = json.loads(proof.to_json())
        before = copy.deepcopy(content)
        for _ in range(rng.integers(1, 4)):
            change: Callable[..., None] = [nudge, shuffle, rename][rng.integers(3)]
            change(content, str(rng.choice(FIELDS if change is rename else NUMBERS)), rng)
        if content == before:
            continue
        with pytest.raises(ValueError, match=r"."):
            Certificate.from_json(dumped(content))
        try:
            changed = Certificate.from_json(sealed(content))
            assert changed.verify(X, y) is True
        except ValueError:
            refused += 1
            continue
        passed += 1
        assert genuine(changed, X, y), changed
    assert passed > 10  # the other rows of a proof are a proof again


@every_case
def test_another_verdict_is_never_proved(case: str) -> None:
    proof, X, y = proved(case)
    for verdict in {"complete", "quasi", "overlap"} - {proof.verdict}:
        for changed in (replace(proof, verdict=verdict), replace(proof, verdict=verdict, relations=(), kernel=())):
            with pytest.raises(ValueError, match="the certificate fails"):
                changed.verify(X, y)


def test_empty_claims_are_refused() -> None:
    """Nothing about no classes, one class, or classes that the data have not, is a proof."""
    X, y = datasets.xor()
    proof = separability(X, y).certificate
    for groups in ((), ((1,),), ((7,), (8,)), ((1,), (7,)), ((1,), (1,)), ((-1, 1), ())):
        for relations in (proof.relations, ()):
            for verdict in ("complete", "quasi", "overlap"):
                empty = replace(proof, groups=groups, relations=relations, point=None, kernel=(), verdict=verdict)
                with pytest.raises(ValueError, match="the certificate fails"):
                    empty.verify(X, y)


def test_floats_and_machine_integers_prove_nothing() -> None:
    X, y = datasets.or_function()
    proof = separability(X, y).certificate
    for kind in (float, np.int64, np.float64, Fraction, bool):
        with pytest.raises(ValueError, match="numbers that are not whole"):
            replace(proof, direction=tuple(map(kind, (-1, 2, 2)))).verify(X, y)
    assert replace(proof, direction=(-1, 2, 2)).verify(X, y)
    proof = separability(*datasets.xor()).certificate
    term = proof.relations[0][0]
    halved = (Term(term.row, term.own, term.rival, Fraction(1, 2)),)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="numbers that are not whole"):
        replace(proof, relations=(halved,)).verify(*datasets.xor())


@every_case
def test_other_data(case: str, rng: np.random.Generator) -> None:
    proof, X, y = proved(case)
    X = X.toarray() if sparse.issparse(X) else np.asarray(X)
    y = np.asarray(y)
    for shape in (X[1:], X[:, 1:], np.c_[X, X[:, 0]], X.ravel(), X[None]):
        with pytest.raises(ValueError, match=r"."):
            proof.verify(shape, y)
    for labels in (y[1:], np.r_[y, y[:1]], np.c_[y, y], None, [[]] * len(y), np.full(len(y), {}, object)):
        with pytest.raises(ValueError, match=r"."):
            proof.verify(X, labels)
    refused = 0
    for _ in range(20):
        i, j = int(rng.integers(len(X))), int(rng.integers(X.shape[1]))
        moved, flipped, rows = X.copy(), y.copy(), rng.permutation(len(X))
        moved[i, j] += 1 if X.dtype.kind == "i" else 10 * np.abs(X).max()
        flipped[i] = rng.choice(y) if proof.family == "classes" else 1 - (y[i] > 0)
        for Z, labels in ((moved, y), (X, flipped), (X[rows], y)):
            try:
                assert proof.verify(Z, labels) is True
            except ValueError:
                refused += 1
            else:
                assert genuine(proof, Z, labels)
    assert refused > 0 or proof.verdict == "complete"


def test_each_condition_has_its_words() -> None:
    X, y = datasets.table(1, 3)
    overlap = separability(X, y).certificate
    row = overlap.support[0].row
    moved, flipped = X.copy(), y.copy()
    moved[row] += 1e-9
    flipped[row] = y[y != y[row]][0]
    with pytest.raises(ValueError, match="do not add up to zero"):
        overlap.verify(moved, y)
    with pytest.raises(ValueError, match="X contains NaN"):
        overlap.verify(moved * np.nan, y)
    with pytest.raises(ValueError, match="complex"):
        overlap.verify(moved * 1j, y)
    with pytest.raises(ValueError, match=f"row {row} is not a pattern of the class that a relation names"):
        overlap.verify(X, flipped)
    with pytest.raises(ValueError, match="shared point is not"):
        replace(overlap, point=(Fraction(0), Fraction(1))).verify(X, y)
    with pytest.raises(ValueError, match="do not span the boundary"):
        replace(separability(LINE, [0, 0, 1, 1]).certificate, kernel=(), relations=(), point=None).verify(
            LINE, [0, 0, 1, 1]
        )
    with pytest.raises(ValueError, match="it speaks of 20 rows of 2 columns, and here are 19 of 2"):
        overlap.verify(X[1:], y[1:])
    X, y = datasets.table(1, 2)
    complete = separability(X, y).certificate
    with pytest.raises(ValueError, match=r"row \d+ lies on the wrong side of b"):
        replace(complete, direction=tuple(-v for v in complete.direction)).verify(X, y)
    with pytest.raises(ValueError, match="it proves 'overlap', yet it says 'complete'"):
        replace(complete, direction=(0, 0, 0)).verify(X, y)
    X, y, _ = CASES["quasi, rank-deficient"]
    quasi = separability(X, y).certificate
    with pytest.raises(ValueError, match="a vector of the kernel moves it off"):
        replace(quasi, kernel=(*quasi.kernel, (1, 2, 3, 5))).verify(X, y)


def test_the_span_of_a_boundary_without_a_kernel() -> None:
    """A proof on wide data has no kernel: each row of the boundary is a combination of those of the relations."""
    X = np.zeros((5, 150))
    X[:, :2] = [[0, 0], [2, 0], [1, 0], [0, 1], [0, 1]]
    y = [0, 0, 1, 1, 1]
    proof = separability(X, y).certificate
    assert (proof.verdict, proof.kernel) == ("quasi", ())
    assert proof.verify(X, y)
    assert len(proof.to_json()) < 3000
    apart = np.array([*X[:3], *X[:1], *X[:1]])
    apart[3:, 5] = 1, 2  # the last rows lie on b = 0 too, and outside of the span
    with pytest.raises(ValueError, match="do not span the boundary"):
        replace(proof, verdict="overlap", direction=(0,) * 151).verify(apart, [0, 0, 1, 0, 1])
