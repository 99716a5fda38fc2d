"""Squared slack on blocks of very many columns: the minimum of fit, proved by the duality gap of its weights."""

import os
import signal
import tracemalloc

import numpy as np
import pytest
from portions import rest_in_ci
from scipy import sparse

from discriminant import NotConvergedWarning, SupportVectorMachine
from discriminant._blocks.memory import MemoryBlocks
from discriminant.svm.wide_on_blocks import SlackGradients

WIDTH = 1600
CASES = {
    "free": {},
    "augmented": {"intercept": "augmented"},
    "weighted": {"class_weight": "balanced"},
    "pairs": {"multiclass": "one-vs-one"},
    "rest": {"multiclass": "one-vs-rest", "intercept": "augmented"},
}


def rows_of(rng, kind="dense", n=240, d=WIDTH, c=2):
    """Rows of c classes that overlap."""
    if kind == "csr":
        X = sparse.random(n, d, 0.02, format="csr", rng=rng, data_rvs=lambda size: rng.gamma(2.0, size=size))
    else:
        X = rng.normal(size=(n, d)) / 10 + rng.normal(size=d)
    scores = np.asarray(X @ rng.normal(size=(d, c)))
    return X, (scores / scores.std() + rng.gumbel(size=(n, c))).argmax(axis=1)


def worth(model, X, y, weight=None):
    """The criterion and the relative duality gap of two classes' weights, from the rows and their kernel alone."""
    z, free = np.where(y == model.classes_[1], 1.0, -1.0), model.intercept == "free"
    C = np.full(len(z), model.C) if weight is None else model.C * weight
    X, a = (X.toarray() if sparse.issparse(X) else X).astype(float), model.weights_.astype(float)
    t = np.maximum(1 - z * (X @ a[1:] + a[0]), 0)
    alpha = 2 * C * t
    if free:
        sides = [alpha[z > 0].sum(), alpha[z < 0].sum()]
        alpha *= np.where(z > 0, min(sides) / sides[0], min(sides) / sides[1])
    K = X @ X.T + (0 if free else 1)
    used = C > 0
    dual = alpha.sum() - (alpha * z) @ K @ (alpha * z) / 2 - (alpha[used] ** 2 / (4 * C[used])).sum()
    value = a[1:] @ a[1:] / 2 + (0 if free else a[0] ** 2 / 2) + C @ t**2
    return value, (value - dual) / value


def criterion(model):
    details = model.report_.to_dict()["details"]
    return details.get("criterion value", details.get("total criterion value"))


def assert_minimum(made, kept, tol=1e-6):
    """The criterion of fit, which is exact on few rows, and the weights that so small a gap allows."""
    assert made.status_.name == "CONVERGED"
    assert made.gap_ <= tol
    assert made.history_["gap"][-1] <= tol
    assert -1e-9 <= criterion(made) / criterion(kept) - 1 <= tol
    apart = np.linalg.norm(np.atleast_2d(made.weights_ - kept.weights_)[:, 1:], axis=1)
    assert np.all(apart**2 / 2 <= tol * criterion(kept) + 1e-12)  # the criterion bends by at least ‖w‖²/2


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("case", rest_in_ci(CASES, 4))
def test_blocks_give_the_minimum_of_fit(kind, case, rng):
    X, y = rows_of(rng, kind, c=2 if case in ("free", "augmented") else 3)
    weight = rng.integers(0, 3, len(y)).astype(float) if case != "augmented" else None
    options = {"loss": "squared_hinge", "C": 0.05, **CASES[case]}
    kept = SupportVectorMachine(**options).fit(X, y, weight)
    made = SupportVectorMachine(**options).fit_stream(MemoryBlocks(X, y, weight, rows=70))
    assert_minimum(made, kept)
    if case in ("free", "augmented"):
        value, gap = worth(made, X, y, weight)
        assert value == pytest.approx(criterion(made), rel=1e-10)
        assert gap == pytest.approx(made.gap_, abs=1e-9)


@pytest.mark.parametrize("intercept", ["free", "augmented"])
@pytest.mark.parametrize("trouble", ["scales", "collinear", "far", "constant"])
def test_hard_columns(trouble, intercept, rng):
    X, y = rows_of(rng, n=120)
    if trouble == "scales":
        X *= 10 ** rng.uniform(-1.5, 1.5, WIDTH)
    elif trouble == "collinear":
        X[:, 800:] = X[:, :800][:, ::-1]
    elif trouble == "far":
        X[:, :40] += 1e3
    else:
        X[:, ::3] = 2.0
    kept = SupportVectorMachine(loss="squared_hinge", C=0.01, intercept=intercept).fit(X, y)
    made = SupportVectorMachine(loss="squared_hinge", C=0.01, intercept=intercept).fit_stream(
        MemoryBlocks(X, y, rows=50)
    )
    assert_minimum(made, kept)
    assert worth(made, X, y)[1] <= 1.1e-6


def test_csr_columns_that_lie_far_from_zero(rng):
    X, y = rows_of(rng, "csr", n=150)
    X = sparse.csr_matrix(sparse.hstack([X, 1e3 + rng.normal(size=(150, 2))]))
    kept = SupportVectorMachine(loss="squared_hinge", C=0.1).fit(X, y)
    made = SupportVectorMachine(loss="squared_hinge", C=0.1).fit_stream(MemoryBlocks(X, y, rows=40))
    assert_minimum(made, kept)


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_single_precision(kind, rng):
    X, y = rows_of(rng, kind, n=120)
    X = X.astype(np.float32)
    made = SupportVectorMachine(loss="squared_hinge", C=0.05).fit_stream(MemoryBlocks(X, y, rows=50))
    assert made.coef_.dtype == np.float32
    assert_minimum(made, SupportVectorMachine(loss="squared_hinge", C=0.05).fit(X.astype(np.float64), y))
    value, _ = worth(made, X, y)  # of rounded weights
    assert value == pytest.approx(criterion(made), rel=1e-5)


def test_text_of_fifty_thousand_columns_in_messages_and_memory_of_their_size(rng):
    n, d = 300, 50_000
    words = np.minimum((d * rng.random((n, 40)) ** 3).astype(int), d - 1)
    X = sparse.csr_matrix((np.full(n * 40, 0.2), words.ravel(), np.arange(0, n * 40 + 1, 40)), shape=(n, d))
    y = np.asarray(X @ rng.normal(size=d)) > 0
    blocks, sizes = MemoryBlocks(X, y, rows=100), []
    total = blocks.total

    def weighed(*given):
        found = total(*given)
        sizes.append(sum(np.size(part) for part in found))
        return found

    blocks.total = weighed
    tracemalloc.start()
    try:
        made = SupportVectorMachine(loss="squared_hinge").fit_stream(blocks)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert max(sizes[1:]) <= 3 * (d + 1) + 10  # but for the first two, which find the center and the diagonal,
    assert max(sizes[2:]) <= 2 * (d + 1) + 10  # a sum for each class
    assert peak < 250 * d * 8  # of 300 rows; the pairs of BFGS are 120 vectors
    assert_minimum(made, SupportVectorMachine(loss="squared_hinge").fit(X, y))
    assert worth(made, X, y)[1] <= 1.1e-6


def test_one_pass_a_step(rng):
    X, y = rows_of(rng, "csr")
    blocks, passes = MemoryBlocks(X, y, rows=100), []
    total = blocks.total
    blocks.total = lambda *given: passes.append(given[0].__name__) or total(*given)
    made = SupportVectorMachine(loss="squared_hinge", C=0.05).fit_stream(blocks)
    assert made.n_iter_ == made.history_["gap"].size == made.report_.to_dict()["iterations"]
    assert made.n_iter_ + 2 <= len(passes) <= 1.2 * made.n_iter_ + 2  # some steps are shortened
    assert set(passes) == {"_part_with_center", "gradient_part"}


def test_a_smaller_tol_is_heard(rng):
    X, y = rows_of(rng, "csr")
    made = SupportVectorMachine(loss="squared_hinge", C=0.05, tol=1e-10).fit_stream(MemoryBlocks(X, y, rows=100))
    assert worth(made, X, y)[1] <= 1.1e-10


def test_too_few_steps_warn_unless_tol_is_reached(monkeypatch, rng):
    X, y = rows_of(rng)
    given = {"loss": "squared_hinge", "C": 0.05}
    whole = SupportVectorMachine(**given).fit_stream(MemoryBlocks(X, y)).history_["gap"]
    monkeypatch.setattr(SlackGradients, "most", 3)
    with pytest.warns(NotConvergedWarning, match="a larger tol"):
        made = SupportVectorMachine(**given).fit_stream(MemoryBlocks(X, y))
    assert made.status_.name == "BUDGET"
    assert made.n_iter_ == 3
    assert made.gap_ == whole[2] == pytest.approx(worth(made, X, y)[1])
    monkeypatch.setattr(SlackGradients, "most", int(np.argmax(whole <= 1e-3)) + 1)
    made = SupportVectorMachine(**given).fit_stream(MemoryBlocks(X, y))
    assert made.status_.name == "CONVERGED"
    assert 1e-6 < made.gap_ <= 1e-3


class Mortal(MemoryBlocks):
    """Blocks with a moment at which something happens."""

    left, act = 10**9, None

    def __iter__(self):
        for block in super().__iter__():
            self.left -= 1
            if self.left == 0:
                self.act()
            yield block


def test_ctrl_c_leaves_the_last_step_and_a_checkpoint_that_leads_to_the_same_bits(rng, tmp_path):
    X, y = rows_of(rng, "csr")
    whole = SupportVectorMachine(loss="squared_hinge", C=0.02).fit_stream(MemoryBlocks(X, y, rows=60))
    blocks, made = Mortal(X, y, rows=60), SupportVectorMachine(loss="squared_hinge", C=0.02)
    blocks.left, blocks.act = 50, lambda: os.kill(os.getpid(), signal.SIGINT)
    with pytest.warns(UserWarning, match="Ctrl-C"):
        made.fit_stream(blocks, checkpoint=tmp_path / "state", every=0)
    assert made.status_.name == "STOPPED"
    assert 0 < made.n_iter_ <= 12
    np.testing.assert_array_equal(made.history_["gap"], whole.history_["gap"][: made.n_iter_])
    made.fit_stream(again := Mortal(X, y, rows=60), checkpoint=tmp_path / "state", every=0)
    np.testing.assert_array_equal(made.weights_, whole.weights_)
    np.testing.assert_array_equal(made.history_["gap"], whole.history_["gap"])
    assert 10**9 - again.left <= 4 * (whole.n_iter_ * 1.2 + 2) - 49
    assert not (tmp_path / "state").exists()


def test_numbers_too_large_are_refused(rng):
    X, y = rows_of(rng, n=60)
    X[7, 11] = 1e200
    with pytest.raises(ValueError, match="X overflows"):
        SupportVectorMachine(loss="squared_hinge").fit_stream(MemoryBlocks(X, y))


@pytest.mark.ci
def test_more_rows_than_columns_and_a_high_cost(rng):
    X, y = rows_of(rng, "csr", n=3000, d=2000)
    kept = SupportVectorMachine(loss="squared_hinge", C=1.0, tol=1e-8).fit(X, y)
    made = SupportVectorMachine(loss="squared_hinge", C=1.0).fit_stream(MemoryBlocks(X, y))
    assert criterion(made) <= criterion(kept) * (1 + 1e-6)
    assert worth(made, X, y)[1] <= 1.1e-6
