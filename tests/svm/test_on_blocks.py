"""The machine of squared slack on blocks of rows: the plane of fit."""

import numpy as np
import pytest
from scipy import sparse

from discriminant import SupportVectorMachine, io
from discriminant._blocks.memory import MemoryBlocks


def rows_of(rng, n=1500, d=4, c=2):
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, c)) + rng.gumbel(size=(n, c))
    return X, scores.argmax(axis=1), rng.integers(0, 3, n).astype(float)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize(("c", "multiclass"), [(2, "one-vs-one"), (3, "one-vs-one"), (3, "one-vs-rest")])
@pytest.mark.parametrize("options", [{"C": 0.1}, {"intercept": "augmented"}, {"class_weight": "balanced"}], ids=str)
def test_blocks_give_the_planes_of_fit(make, c, multiclass, options, rng):
    X, y, weight = rows_of(rng, c=c)
    options = {"loss": "squared_hinge", "multiclass": multiclass, **options}
    kept = SupportVectorMachine(tol=1e-12, **options).fit(make(X), y, weight)
    made = SupportVectorMachine(**options).fit_stream(MemoryBlocks(make(X), y, weight, rows=100))
    np.testing.assert_allclose(made.weights_, kept.weights_, atol=1e-9)
    np.testing.assert_allclose(made.margin_, kept.margin_)
    assert made.gap_ < 1e-9
    assert made.status_.name == "CONVERGED"
    np.testing.assert_array_equal(made.predict(X), kept.predict(X))


@pytest.mark.parametrize("d", [3, 1600])
def test_weights_that_are_zero_from_the_start_are_the_minimum(d):
    """Balanced classes of rows that are alike: no step is needed, and the gap is known all the same."""
    made = SupportVectorMachine(loss="squared_hinge").fit_stream(MemoryBlocks(np.zeros((40, d)), np.arange(40) % 2))
    assert made.status_.name == "CONVERGED"
    assert made.gap_ == 0
    assert not made.weights_.any()


def test_the_model_can_be_saved(tmp_path, rng):
    X, y, _ = rows_of(rng, n=200)
    made = SupportVectorMachine(loss="squared_hinge").fit_stream(MemoryBlocks(X, y, rows=50))
    io.save(made, tmp_path / "model.json")
    np.testing.assert_array_equal(io.load(tmp_path / "model.json").predict(X), made.predict(X))


def test_what_has_multipliers_says_so():
    with pytest.raises(AttributeError, match="loss='squared_hinge'"):
        _ = SupportVectorMachine().fit_stream
