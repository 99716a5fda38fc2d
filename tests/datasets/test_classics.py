"""The verdicts on real data."""

import numpy as np
import pytest
from known_answers import kesler, two_class, verdict

from discriminant import datasets
from discriminant.datasets import classics


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits"])
def test_the_files_hold_what_scikit_learn_loads(name, monkeypatch):
    read = datasets.load(name)
    monkeypatch.setattr(classics, "_file", lambda name: None)
    loaded = datasets.load(name)
    assert read.X.dtype == loaded.X.dtype
    assert read.y.dtype == loaded.y.dtype
    np.testing.assert_array_equal(read.X, loaded.X)
    np.testing.assert_array_equal(read.y, loaded.y)
    assert (read.feature_names, read.target_names) == (loaded.feature_names, loaded.target_names)


class TestClassics:
    @pytest.mark.parametrize("name", ["iris", "wine"])
    def test_three_classes(self, name):
        dataset = datasets.load(name)
        X, y = dataset
        X = (X - X.mean(axis=0)) / X.std(axis=0) if name == "wine" else X
        assert verdict(kesler(X, y)) == dataset.verdict
        for i, expected in enumerate(dataset.rest):
            assert verdict(two_class(X, y == i)) == expected
        for (i, j), expected in dataset.pairwise.items():
            both = (y == i) | (y == j)
            assert verdict(two_class(X[both], y[both] == i)) == expected

    def test_breast_cancer(self):
        X, y = datasets.breast_cancer()
        assert datasets.breast_cancer().target_names == ("malignant", "benign")
        assert verdict(two_class((X - X.mean(axis=0)) / X.std(axis=0), y == 1)) == datasets.breast_cancer().verdict

    def test_digits(self):
        """The fixed-increment rule for linear machines, in integers, ends."""
        X, y = datasets.digits()
        Y = np.column_stack([np.ones(len(X)), X]).astype(np.int64)
        a, errors = np.zeros((10, 65), dtype=np.int64), True
        while errors:
            errors = False
            for pattern, i in zip(Y, y, strict=True):
                g = a @ pattern
                own, g[i] = g[i], np.iinfo(np.int64).min
                j = g.argmax()
                if own <= g[j]:
                    a[i] += pattern
                    a[j] -= pattern
                    errors = True
        assert datasets.digits().separable
        assert ((Y @ a.T).argmax(axis=1) == y).all()
