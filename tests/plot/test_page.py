"""The page names what it shows and what it leaves out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from discriminant import (
    Perceptron,
    compare,
)
from discriminant.plot.page import telling_features

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


def test_telling_features_are_those_that_differ(rng: np.random.Generator) -> None:
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 5)) * [1, 1e150, 1, 1e-150, 1]
    X[:, 3] += 5e-150 * y
    X[:, 1] += 3e150 * (y == 1)
    X[:, 2] = 7.0
    assert telling_features(X, y) == [1, 3]
    tame = np.where(np.abs(X) > 1e100, X * 1e-150, X)
    tame[:, 3] *= 1e150
    assert telling_features(sparse.csr_array(tame), y) == [1, 3]


def test_the_page_names_a_procedure_that_refuses_two_columns(tmp_path: Path) -> None:
    class Choosy(Perceptron):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            if np.shape(X)[1] < 4:
                raise ValueError("four columns, please")
            return super().fit(X, y, sample_weight)

    X, y = load_iris(return_X_y=True)
    found = compare(X[:100], y[:100], {"choosy": Choosy(), "plain": Perceptron()}, cv=2, n_jobs=1)
    page = (found.report(tmp_path / "page.html") or tmp_path / "page.html").read_text(encoding="utf-8")
    assert "these columns alone will not do for it: choosy." in page
