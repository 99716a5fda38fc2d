"""Ho-Kashyap on streams, and on blocks that are passed over at the same time: the steps and verdicts of fit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from portions import rest_in_ci
from scipy import sparse

from discriminant import FitInterruptedWarning, HoKashyap, LeastSquares, Status, datasets
from discriminant._blocks import kept
from discriminant._blocks.memory import MemoryBlocks
from discriminant.base.streams import fit_followed

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")

A = np.random.default_rng(1).normal(size=(5, 5))
RULES = [
    {},
    {"variant": "descent"},
    {"variant": "modified", "eta": 0.9, "margin": 0.3},
    {"variant": "descent", "eta": "optimal"},
    {"variant": "descent", "R": "gram", "eta": 0.7},
    {"variant": "descent", "R": A @ A.T + np.eye(5)},
    {"eta": 0.8, "record": "weights"},
]


def on_blocks(options, X, y, weight=None, rows=64):
    return HoKashyap(**options).fit_stream(MemoryBlocks(X, y, weight, rows=rows))


def assert_same(made, kept_, tol=1e-9):
    assert_allclose(made.weights_, kept_.weights_, rtol=tol, atol=tol * np.abs(kept_.weights_).max())
    assert (made.status_, made.n_iter_, made.n_corrections_) == (kept_.status_, kept_.n_iter_, kept_.n_corrections_)
    assert made.history_.keys() == kept_.history_.keys()
    for name, column in kept_.history_.items():
        assert_allclose(made.history_[name], column, rtol=tol, atol=tol * np.abs(column).max())
    found, expected = made.report_.to_dict(), kept_.report_.to_dict()
    assert (found["n_samples"], found["errors"]) == (expected["n_samples"], expected["errors"])
    assert not {"margins_", "errors_", "evidence_"} & vars(made).keys()


def overlapping(rng, c=2, n=300):
    y = np.sort(rng.integers(0, c, n))  # blocks lack classes
    X = rng.normal(size=(n, 4)) + 0.5 * rng.normal(size=(c, 4))[y]
    return X * [1, 10, 0.1, 1] + [0, 0, 3, 0], y


KINDS = [(2, False), (3, True), (2, True), (3, False)]
CASES = [(options, *KINDS[(k + shift) % 4]) for shift in range(4) for k, options in enumerate(RULES)]


@pytest.mark.parametrize("case", rest_in_ci(CASES, len(RULES)), ids=str)
def test_the_steps_are_those_of_memory(case, rng):
    options, c, weighted = case
    X, y = overlapping(rng, c)
    weight = rng.integers(0, 3, y.size).astype(float) if weighted else None
    if weighted:
        weight[64:128] = 0  # a block without a row that takes part
    steps = 12 if options.get("eta") == "optimal" else 25  # later on this rate makes much of rounding
    options = options | {"max_iter": steps, "multiclass": "one-vs-one" if weighted else "one-vs-rest"}
    expected = HoKashyap(**options).fit(X, y, weight)
    assert expected.n_iter_ >= 5
    assert_same(on_blocks(options, X, y, weight), expected)


@pytest.mark.parametrize("options", rest_in_ci([RULES[0], RULES[2], RULES[1]], 2), ids=str)
def test_separable_classes_are_separated_at_the_same_step(options):
    X, y = datasets.table(4, 2)
    made, expected = on_blocks(options, X, y, rows=7), HoKashyap(**options).fit(X, y)
    assert made.status_ is Status.SEPARATED
    assert_same(made, expected)
    assert made.score(X, y) == 1


@pytest.mark.parametrize("options", rest_in_ci([RULES[0], RULES[2], RULES[1]], 2), ids=str)
@pytest.mark.parametrize("name", rest_in_ci(["table", "xor"]))
def test_evidence_is_found_at_the_same_step(options, name):
    X, y = datasets.table(1, 3) if name == "table" else datasets.xor()
    made, expected = on_blocks(options, X, y, rows=7), HoKashyap(**options).fit(X, y)
    assert made.status_ is expected.status_ is Status.NOT_SEPARABLE
    assert made.n_iter_ == expected.n_iter_
    assert_allclose(made.weights_, expected.weights_, rtol=1e-7, atol=1e-7)
    carrying = np.count_nonzero(expected.evidence_)
    assert f"Evidence: {carrying} patterns carry weights lambda > 0, sum" in made.report_.to_dict()["notes"][-1]
    assert "evidence_" not in made.report_.to_dict()["remedy"]


def test_where_columns_depend_on_others_the_answer_is_the_shortest(rng):
    X, y = overlapping(rng)
    X = np.c_[X, X[:, 0] - X[:, 1], 1000 * X[:, 2]]
    options = {"max_iter": 10}
    made, expected = on_blocks(options, X, y), HoKashyap(**options).fit(X, y)
    assert_same(made, expected)
    assert made.report_.to_dict()["notes"] == expected.report_.to_dict()["notes"]
    assert "rank 5 of 7" in made.report_.to_dict()["notes"][0]
    first = on_blocks({"record": "weights", "max_iter": 1}, X, y).history_["weights"][0]
    assert_allclose(first, LeastSquares().fit(X, y).weights_, rtol=1e-7, atol=1e-9)
    with pytest.raises(ValueError, match=r"which is singular \(rank 5 of 7\)"):
        on_blocks({"variant": "descent", "R": "gram"}, X, y)


@pytest.mark.parametrize("options", RULES[:2], ids=str)
def test_sparse_rows_in_single_precision(options, rng):
    X, y = overlapping(rng)
    X = sparse.csr_matrix(np.where(rng.random(X.shape) < 0.5, X, 0).astype(np.float32))
    options = options | {"max_iter": 15}
    made, expected = on_blocks(options, X, y), HoKashyap(**options).fit(X, y)
    assert made.coef_.dtype == np.float32
    assert_same(made, expected, 1e-6)


def test_margins_of_many_rows_lie_in_a_file(rng, monkeypatch):
    """All but 100 of the margins: what comes back is what was put there."""
    X, y = overlapping(rng)
    expected = on_blocks({"max_iter": 25}, X, y)
    made, spooled = [], kept.SpooledTemporaryFile
    monkeypatch.setattr(kept, "IN_MEMORY", 800)
    monkeypatch.setattr(kept, "SpooledTemporaryFile", lambda **given: made.append(spooled(**given)) or made[-1])
    found = on_blocks({"max_iter": 25}, X, y)
    assert_array_equal(found.weights_, expected.weights_)
    assert made[0]._rolled
    assert made[0].closed


def test_ctrl_c_leaves_the_weights_of_that_moment(rng):
    X, y = overlapping(rng)

    class Interrupting(MemoryBlocks):
        passes = 0

        def __iter__(self):
            self.passes += 1
            for block in super().__iter__():
                if self.passes == 12 and block.first:
                    self.watch.interrupted = True
                yield block

    model = HoKashyap()
    with pytest.warns(FitInterruptedWarning, match="Ctrl-C"):
        model.fit_stream(Interrupting(X, y, rows=50))
    assert model.status_ is Status.STOPPED
    steps = model.n_iter_
    assert 1 < steps < 12
    assert_allclose(model.weights_, HoKashyap(max_iter=steps).fit(X, y).weights_, rtol=1e-9)


def test_an_earlier_fit_leaves_no_margins(rng):
    X, y = overlapping(rng)
    model = HoKashyap(max_iter=3).fit(X, y)
    assert model.margins_.size == 300
    assert_same(model.fit_stream(MemoryBlocks(X, y)), HoKashyap(max_iter=3).fit(X, y))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"variant": "descent", "eta": 1.0}, r"eta=1 must be in 0 < eta <"),
        ({"variant": "descent", "R": np.eye(3)}, r"R has shape \(3, 3\)"),
        ({"margin": 1e149, "variant": "descent", "start": [1e160, 0, 0, 0, 0]}, "too large for float64"),
    ],
    ids=str,
)
def test_what_is_refused_in_memory_is_refused(change, message, rng):
    with pytest.raises(ValueError, match=message):
        on_blocks(change, *overlapping(rng))


def test_rounds_on_blocks_at_the_same_time_are_the_passes_of_a_stream(rng):
    from discriminant.distributed.procedures import procedure
    from discriminant.distributed.warm import LocalBlocks

    X, y = overlapping(rng, c=3)
    model = HoKashyap(max_iter=15)
    fit_followed(model, LocalBlocks(X, y, rows=64), procedure(model), None, 60.0, None)
    assert_array_equal(model.weights_, on_blocks({"max_iter": 15}, X, y).weights_)
