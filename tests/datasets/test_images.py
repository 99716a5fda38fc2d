"""The pictures of a 7 stay apart from the others."""

import numpy as np
import pytest
from known_answers import two_class

from discriminant import datasets


class TestSeven:
    @pytest.mark.parametrize("flips", [0, 2, 5])
    def test_the_solution_separates(self, flips):
        dataset = datasets.seven(501, flips=flips, random_state=0)
        assert dataset.X.shape == (501, 36)
        assert set(np.unique(dataset.X)) == {0, 1}
        assert (two_class(dataset.X, dataset.y == 1) @ dataset.solution > 0).all()
        assert (np.abs(dataset.X[dataset.y == 1] - dataset.image.ravel()).sum(axis=1) == flips).all()

    @pytest.mark.parametrize("kwargs", [{"n": 1}, {"flips": 6}, {"flips": -1}, {"flips": 1.5}])
    def test_bad_input(self, kwargs):
        with pytest.raises(ValueError, match=f"{next(iter(kwargs))}="):
            datasets.seven(**kwargs)
