"""Problems that are too large for one proof of all: quasi is proved in part, or the error says what is excluded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from discriminant import Certificate, UndecidedError, separability
from discriminant.separation import search


def small_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof for more than two classes would be too large from here on; pairs of classes have few enough weights."""
    for name, value in {"WIDE": 10, "LARGEST": 20}.items():
        monkeypatch.setattr(search, name, value)
    monkeypatch.setattr("discriminant.separation.merging.NARROW", 0)


def refused(X: Any, y: Any, monkeypatch: pytest.MonkeyPatch, **options: Any) -> UndecidedError:
    """The error for classes of more weights than one proof may have."""
    small_proofs(monkeypatch)
    with pytest.raises(UndecidedError) as caught:
        separability(X, y, progress=False, **options)
    return caught.value


def table(rng: np.random.Generator, zero: bool) -> tuple[Any, Any]:
    """Six classes that overlap; in the last column, which is never negative, one of them may be zero."""
    X, y = rng.normal(size=(300, 5)), np.arange(300) % 6
    X[:, 4] = abs(X[:, 4])
    X[(y == 3) & zero, 4] = 0
    return X, y


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_what_cannot_be_is_told(storage: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = table(rng, False)
    assert separability(X, y).verdict != "complete"
    error = refused(storage(X), y, monkeypatch)
    assert error.excluded == ("complete",)
    assert "no plane separates strictly" in str(error)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("intercept", [True, False])
def test_quasi_is_proved_without_the_whole_boundary(
    storage: Any, sign: int, intercept: bool, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = table(rng, True)
    X[:, 4] *= sign
    whole = separability(X, y, intercept=intercept)
    small_proofs(monkeypatch)
    s = separability(storage(X), y, intercept=intercept, progress=False)
    assert s.verdict == whole.verdict == "quasi"
    proof = s.certificate
    assert not proof.maximal
    assert whole.certificate.maximal
    assert all(proof.verify(X, y, method=method) for method in ("fast", "plain"))
    assert Certificate.from_json(proof.to_json()) == proof
    assert not np.any(s.separated_pairs & ~whole.separated_pairs)  # it may only miss some
    assert s.separated_pairs[(y != 3) & (X[:, 4] != 0), 3].all()
    assert np.isin(s.separated_rows, whole.separated_rows).all()
    assert np.isnan(s.infinite_).all()
    assert set(s.coefficients().values()) == {"not computed"}
    text = str(s)
    assert "the verdict is proved, but other machines may separate more rows" in text.replace("\n", " ")
    assert "boundary  " not in text


def test_a_proof_in_part_says_quasi_alone(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = table(rng, True)
    small_proofs(monkeypatch)
    proof = separability(X, y, progress=False).certificate
    nothing = (0,) * len(proof.direction)
    backward = tuple(-value for value in proof.direction)
    for wrong in (
        replace(proof, maximal=True),
        replace(proof, relations=()),
        replace(proof, relations=(*proof.relations, proof.relations[0][:1])),
        replace(proof, direction=nothing),
        replace(proof, direction=nothing, verdict="overlap"),
        replace(proof, direction=backward),
        replace(proof, verdict="complete"),
        replace(proof, kernel=(proof.direction,)),
        replace(proof, maximal=0),
    ):
        for method in ("fast", "plain"):
            with pytest.raises(ValueError, match="the certificate fails"):
                wrong.verify(X, y, method=method)


def test_columns_of_both_signs_tell_nothing(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = table(rng, True)
    X[::2, 4] *= -1
    assert refused(X, y, monkeypatch).excluded == ("complete",)


def test_classes_apart_exclude_nothing(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = table(rng, False)
    monkeypatch.setattr(search, "WALK", 0.0)  # else a perceptron separates them at once
    X[:, :2] += 20 * np.column_stack([np.cos(y), np.sin(y)])
    assert refused(X, y, monkeypatch).excluded == ()
