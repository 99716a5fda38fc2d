"""Boolean functions: which are threshold functions, and what proves it."""

import itertools

import numpy as np
import pytest
from known_answers import two_class, verdict

from discriminant import datasets


class TestBoolean:
    @pytest.mark.parametrize(("n", "threshold_functions"), [(1, 4), (2, 14), (3, 104)])
    def test_the_number_of_threshold_functions(self, n, threshold_functions):
        tables = itertools.product((0, 1), repeat=2**n)
        assert sum(datasets.boolean(values, n).separable for values in tables) == threshold_functions

    @pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
    @pytest.mark.parametrize(
        ("name", "function"),
        [
            ("or", any),
            ("and", all),
            ("nor", lambda bits: not any(bits)),
            ("nand", lambda bits: not all(bits)),
            ("xor", lambda bits: sum(bits) % 2),
            ("xnor", lambda bits: 1 - sum(bits) % 2),
            ("majority", lambda bits: 2 * sum(bits) > len(bits)),
        ],
    )
    def test_names(self, name, function, n):
        named, own = datasets.boolean(name, n), datasets.boolean(lambda *bits: function(bits), n)
        np.testing.assert_array_equal(named.y, own.y)
        assert named.separable == own.separable
        for dataset in (named, own):
            if dataset.separable:
                assert (two_class(dataset.X, dataset.y == 1) @ dataset.solution > 0).all()

    def test_rows_are_in_the_order_of_the_truth_table(self):
        assert datasets.boolean("or", 2).X.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
        np.testing.assert_array_equal(datasets.boolean("and", 2).y, datasets.and_function().y)

    @pytest.mark.parametrize("d", [1, 2, 3, 5])
    def test_parity(self, d):
        dataset = datasets.parity(d)
        assert dataset.X.shape == (2**d, d)
        assert dataset.pieces.shape == (d + 1, d + 1)
        g = dataset.pieces[:, 0] + dataset.X @ dataset.pieces[:, 1:].T
        ordered = np.sort(g, axis=1)
        assert (ordered[:, -1] > ordered[:, -2]).all()
        np.testing.assert_array_equal(dataset.piece_classes[g.argmax(axis=1)], dataset.y)
        np.testing.assert_array_equal(dataset.y, dataset.X.sum(axis=1) % 2)
        assert verdict(two_class(dataset.X, dataset.y == 1)) == dataset.verdict
        assert dataset.separable == (d == 1)

    @pytest.mark.parametrize(
        ("function", "n"), [("maybe", 2), ([0, 1], 2), ([0, 1, 2, 0], 2), (None, 2), ("or", 0), ("or", 21), ("or", 2.0)]
    )
    def test_bad_input(self, function, n):
        with pytest.raises(ValueError, match=r"function=|number of variables"):
            datasets.boolean(function, n)
