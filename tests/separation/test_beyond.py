"""Problems that are too large for one proof: the error says which verdicts are excluded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from discriminant import UndecidedError, separability
from discriminant.separation import search


def refused(X: Any, y: Any, monkeypatch: pytest.MonkeyPatch, **options: Any) -> UndecidedError:
    """The error for classes of more weights than one proof may have; pairs of classes still have few enough."""
    for name, value in {"WIDE": 10, "LARGEST": 20}.items():
        monkeypatch.setattr(search, name, value)
    monkeypatch.setattr("discriminant.separation.merging.NARROW", 0)
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
@pytest.mark.parametrize(("zero", "excluded"), [(False, ("complete",)), (True, ("complete", "overlap"))])
def test_what_cannot_be_is_told(
    storage: Any, zero: bool, excluded: tuple[str, ...], rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = table(rng, zero)
    verdict = separability(X, y).verdict
    error = refused(storage(X), y, monkeypatch)
    assert error.excluded == excluded
    assert verdict not in error.excluded
    assert ("weakly apart" in str(error)) == ("so it is quasi, but for which rows is open" in str(error)) == zero
    assert "no plane separates strictly" in str(error)


def test_columns_of_both_signs_tell_nothing(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = table(rng, True)
    X[::2, 4] *= -1
    assert refused(X, y, monkeypatch).excluded == ("complete",)


def test_classes_apart_exclude_nothing(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = table(rng, False)
    monkeypatch.setattr(search, "WALK", 0.0)  # else a perceptron separates them at once
    X[:, :2] += 20 * np.column_stack([np.cos(y), np.sin(y)])
    assert refused(X, y, monkeypatch).excluded == ()
