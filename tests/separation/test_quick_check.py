"""The fast check and the plain one give the same answer: True, or the same error."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from portions import rest_in_ci
from scipy import sparse

from discriminant import Certificate, separability
from discriminant.separation import quick_check, rows
from discriminant.separation.verification import Term

SCALES = [1e150, 1e-150, 1e300, 5e-324, 1e-20, 1 / 3, 2.0**-40]


def answer(proof: Certificate, X: Any, y: Any, method: str) -> str:
    try:
        return str(proof.verify(X, y, method=method))
    except ValueError as error:
        return str(error)


def same_answer(proof: Certificate, X: Any, y: Any) -> str:
    fast = answer(proof, X, y, "fast")
    assert fast == answer(proof, X, y, "plain"), (proof, X, y)
    return fast


def table(rng: np.random.Generator) -> Any:
    """Whole numbers, a factor, decimals, single precision, extreme scales, large integers, many digits, or CSR."""
    n, d = int(rng.integers(4, 16)), int(rng.integers(1, 4))
    X: Any = rng.integers(-2, 3, (n, d))
    match rng.integers(8):
        case 0:
            X = np.eye(d + 1)[rng.integers(0, d + 1, n)]
        case 1:
            X = X / 10
        case 2:
            X = (X / 10).astype(np.float32)
        case 3:
            X = X * float(rng.choice(SCALES))
        case 4:
            X = X + 2**60
        case 5:
            X = rng.normal(size=(n, d)).round(int(rng.integers(0, 18)))
        case 6:
            X = np.c_[X, rng.integers(0, 2, n) / 3].astype(rng.choice(["f8", "f4", "f2"]))
    return sparse.csr_array(X) if rng.random() < 0.3 and X.dtype != np.float16 else X


def labels(X: Any, rng: np.random.Generator) -> Any:
    """Of 2 to 6 classes: at random, or by a plane, so that ties and faces are common."""
    X = X.toarray() if sparse.issparse(X) else X
    classes = int(rng.integers(2, 7)) if rng.random() < 0.5 else 2
    y = rng.integers(0, classes, len(X))
    if rng.random() < 0.5:
        y = np.minimum(np.unique(X[:, 0] - X[:, -1] * (rng.random() < 0.5), return_inverse=True)[1], classes - 1)
    y[:2] = 0, 1
    return y


def changed(proof: Certificate, rng: np.random.Generator) -> Certificate:
    """The proof with one of its numbers, vectors, relations or words another."""
    pick = rng.integers
    match pick(6):
        case 0:
            b = list(proof.direction)
            j = pick(len(b))
            b[j] = [b[j] + 1, -b[j], 0, 2 * b[j], b[j] + 2**70][pick(5)]
            return replace(proof, direction=tuple(b) if rng.random() < 0.8 else (0,) * len(b))
        case 1 if proof.kernel:
            k = pick(len(proof.kernel))
            moved = list(proof.kernel[k])
            moved[pick(len(moved))] += [1, -(2**40), 2**80][pick(3)]
            kept = proof.kernel[:k] + proof.kernel[k + 1 :]
            return replace(proof, kernel=kept if rng.random() < 0.3 else (*kept, tuple(moved)))
        case 2 | 3 if proof.relations:
            k = pick(len(proof.relations))
            relation = list(proof.relations[k])
            j = pick(len(relation))
            row, own, rival, weight = relation[j]
            others = [(row, own, rival, weight + 1), (row + 1, own, rival, weight), (-1, own, rival, 1),
                      (row, own, own, 1), (row, own, rival, 2**90), (10**30, own, rival, 1)]  # fmt: skip
            relation[j] = Term(*others[pick(6)])
            kept = (*proof.relations[:k], tuple(relation), *proof.relations[k + 1 :])
            return replace(proof, relations=kept)
        case 4 if proof.relations:
            return replace(proof, relations=proof.relations[1:], point=None)
    return replace(proof, verdict=str(rng.choice(["complete", "quasi", "overlap"])))


@pytest.mark.parametrize("chunk", rest_in_ci(range(4)))
def test_both_give_the_same_answer(chunk: int) -> None:
    """On 300 problems, and on 900 proofs that were changed."""
    rng = np.random.default_rng(chunk)
    seen: Counter[str] = Counter()
    for _ in range(75):
        X = table(rng)
        y = labels(X, rng)
        options = {"reading": str(rng.choice(["decimal", "float"])), "intercept": bool(rng.random() < 0.7)}
        family = "poisson" if rng.random() < 0.15 else "classes"
        proof = separability(X, y, family=family, **options).certificate  # type: ignore[arg-type]
        assert same_answer(proof, X, y) == "True"
        for _ in range(3):
            seen[same_answer(changed(proof, rng), X, y)[:50]] += 1
    assert len(seen) > 8
    assert max(seen.values()) < 130


@pytest.mark.parametrize("block", [1, 7, 40])
def test_blocks_change_nothing(block: int, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    """The first row that fails is named, wherever blocks end."""
    X = rng.integers(0, 3, (40, 2)).astype(float)
    y = np.unique(X[:, 0] + (X[:, 1] > 1), return_inverse=True)[1]
    proof = separability(X, y).certificate
    monkeypatch.setattr(quick_check, "BLOCK", block)
    for Z in (X, sparse.csr_array(X), X / 3):
        assert same_answer(separability(Z, y).certificate, Z, y) == "True"
    for _ in range(15):
        same_answer(changed(proof, rng), X, y)


def test_a_row_that_floats_cannot_tell_is_decided_exactly() -> None:
    """One unit beside 2**60, a last digit, a number that underflows: floats see zero, and so does no check."""
    for X in (
        np.array([[2**60], [2**60 + 1]]),
        np.array([[1e16, 0.1], [1e16, 0.1 + 2**-56]]),
        np.array([[1e300, 1e-300], [1e300, 2e-300]]),
        np.array([[5e-324], [1e-323]]),
        np.array([[1e-42], [2e-42]], np.float32),
    ):
        proof = separability(X, [0, 1]).certificate
        assert proof.verdict == "complete"
        assert same_answer(proof, X, [0, 1]) == "True"
        assert "wrong side" in same_answer(proof, X, [1, 0])
        touching = replace(proof, direction=tuple([0] * len(proof.direction)), verdict="complete")
        assert "it proves 'overlap'" in same_answer(touching, X, [0, 1])


def test_scores_that_overflow_are_decided_exactly() -> None:
    X, y = np.array([[1.7e308, -1.7e308], [-1.7e308, 1.7e308], [1.7e308, 1.7e308]]), [0, 1, 2]
    proof = separability(X, y).certificate
    assert same_answer(proof, X, y) == "True"
    steep = replace(proof, direction=(0, -1, 1, -1, 0, 1))
    assert "'complete'" in same_answer(replace(steep, verdict="quasi"), X, y)
    assert "row 0 lies on the wrong side" in same_answer(replace(steep, direction=(0, 1, -1, 0, 0, 1)), X, y)


def test_numbers_of_thousands_of_bits() -> None:
    """A direction far beyond the range of floats."""
    X, y = np.array([[0.0, 3.0], [1.0, 2.5], [2.0, 7.0]]), [0, 1, 1]
    proof = separability(X, y).certificate
    huge = 7**3000
    assert same_answer(replace(proof, direction=tuple(huge * value for value in proof.direction)), X, y) == "True"
    off = replace(proof, direction=(-huge, huge, 0), verdict="quasi")  # the second row lies on it
    assert "do not span" in same_answer(off, X, y)
    near = replace(proof, direction=(-huge + 1, huge, 0), verdict="complete")
    assert same_answer(near, X, y) == "True"
    assert "row 1 lies on the wrong side" in same_answer(replace(near, direction=(-huge - 1, huge, 0)), X, y)


def test_wide_sparse_data_without_a_kernel(rng: np.random.Generator) -> None:
    """Rows that occur with both labels, and twice with one: not all of the boundary is named by the relations."""
    X = sparse.random_array((30, 200), density=0.02, rng=rng, format="csr")
    X.data = np.ceil(10 * X.data)
    X = sparse.vstack([X, X[:4], X[:4]], format="csr")
    y = np.r_[rng.integers(0, 2, 30), [0] * 4, [1] * 4]
    proof = separability(X, y).certificate
    assert (proof.verdict, proof.kernel) == ("quasi", ())
    assert same_answer(proof, X, y) == "True"
    assert "do not span" in same_answer(replace(proof, relations=proof.relations[:1]), X, y)


def test_tables_of_levels_are_checked_without_their_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    """Zeros are left out of an array of a million numbers; here of every array, and nothing else changes."""
    monkeypatch.setattr(rows, "MANY", 0)
    monkeypatch.setattr(rows, "LARGE", 0)
    monkeypatch.setattr(rows, "SPARSE", 1.0)
    seen = Counter()
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = table(rng)
        y = labels(X, rng)
        if sparse.issparse(X) or np.unique(y).size < 2:
            continue
        proof = separability(X, y, progress=False).certificate
        seen[same_answer(proof, X, y)] += 1
        seen[same_answer(proof, X, np.roll(y, 1))[:20]] += 1
        found = rows.without_zeros(np.asarray(X))
        full = np.zeros(X.shape, X.dtype)
        full[np.repeat(np.arange(len(X)), np.diff(found.indptr)), found.indices] = found.data
        np.testing.assert_array_equal(full, X)
    assert seen["True"] > 10
    assert seen["the certificate fail"] > 10


def test_a_method_that_is_unknown() -> None:
    proof = separability([[0], [1]], [0, 1]).certificate
    with pytest.raises(ValueError, match="method='quick' must be 'fast' or 'plain'"):
        proof.verify([[0], [1]], [0, 1], method="quick")
