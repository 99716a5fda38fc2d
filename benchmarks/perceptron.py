"""P1–P3, P14: the single-sample perceptron against scikit-learn's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import Perceptron as Theirs

from discriminant import Perceptron

from ._audit import accuracy, errors, passes, require, separated, weights
from ._case import Contest, Outcome, Peer, case, faster, within
from ._data import overlapping, scattered, separable
from ._measure import one_thread

EPOCHS = 5


def fit(X: Any, y: Any, **parameters: Any) -> Callable[[], Perceptron]:
    return lambda: Perceptron(**parameters).fit(X, y)


def theirs(X: Any, y: Any, **parameters: Any) -> Callable[[], Any]:
    return lambda: Theirs(**parameters).fit(X, y)


@case("P1", "single-sample perceptron, dense, 5 epochs, cyclic")
def dense(quick: bool) -> Iterator[Outcome]:
    X, y = overlapping(2_000 if quick else 200_000, 100)
    w = np.ones(X.shape[1])
    five = partial(theirs, max_iter=EPOCHS, tol=None)
    ours = fit(X, y, max_iter=EPOCHS)

    def look() -> list[Any]:
        with one_thread():
            return [X @ w for _ in range(EPOCHS)]

    def seen(ours: Any, theirs: Any) -> str:
        return require(ours.n_iter_ == len(theirs), f"{ours.n_iter_} and {len(theirs)} passes over the same array")

    yield Contest(
        f"{len(X):,}×{X.shape[1]} f64",
        ours,
        [
            Peer("scikit-learn, shuffle=False", five(X, y, shuffle=False), faster(2.2), passes, weights),
            Peer("scikit-learn, default", five(X, y, random_state=0), faster(5), passes, accuracy(X, y)),
            Peer("5 × X @ w, one thread", look, within(1.3), seen),
        ],
    )
    single = X.astype(np.float32)
    yield Contest(
        f"{len(X):,}×{X.shape[1]} f32",
        fit(single, y, max_iter=EPOCHS),
        [
            Peer("scikit-learn, shuffle=False", five(single, y, shuffle=False), faster(2.2), passes, accuracy(X, y)),
            Peer("discriminant f64", ours, faster(1), passes, met_alike),
        ],
    )


def met_alike(ours: Any, theirs: Any) -> str:
    """Errors met on the way that differ little: the precision decides only the closest calls."""
    a, b = (int(model.history_["errors"].sum()) for model in (ours, theirs))
    return require(abs(a - b) <= 0.05 * b, f"{a:,} and {b:,} errors met")


@case("P2", "single-sample perceptron to zero errors on separable data")
def to_zero_errors(quick: bool) -> Iterator[Outcome]:
    """Scikit-learn does not look for a clean pass: it is told after how many passes there is one."""
    margin = 0.5 if quick else 0.06
    X, y = separable(2_000 if quick else 1_000_000, 100, margin, np.float32)
    ours, patience = fit(X, y), 30
    scout = theirs(X, y, random_state=0, tol=1e-12, n_iter_no_change=patience)()
    cyclic = theirs(X, y, shuffle=False, tol=None, max_iter=ours().n_iter_)
    shuffled = theirs(X, y, random_state=0, tol=None, max_iter=scout.n_iter_ - patience)
    yield Contest(
        f"{len(X):,}×{X.shape[1]} f32, margin {margin}",
        ours,
        [
            Peer("scikit-learn, shuffle=False, told when to stop", cyclic, faster(5), separated(X, y)),
            Peer("scikit-learn, default order, told when to stop", shuffled, faster(5), separated(X, y)),
        ],
    )


@case("P3", "single-sample perceptron, CSR, 5 epochs, cyclic")
def csr(quick: bool) -> Iterator[Outcome]:
    X, y = scattered(2_000 if quick else 200_000, 500 if quick else 50_000, 50)
    yield Contest(f"{X.shape[0]:,}×{X.shape[1]:,}, 50 a row, f64", fit(X, y, max_iter=EPOCHS), csr_peers(X, y, EPOCHS))


def csr_peers(X: Any, y: Any, epochs: int) -> list[Peer]:
    """On CSR scikit-learn's threshold learns at 1/100 of the rate; with a column of ones it is the same rule."""
    they = partial(theirs, max_iter=epochs, tol=None, shuffle=False)
    ones = sparse.hstack([np.ones((X.shape[0], 1)), X], format="csr")
    audited = they(ones, y, fit_intercept=False)().coef_[0]

    def same_rule(ours: Any, theirs: Any) -> str:
        return weights(ours, audited) + " with a column of ones"

    return [Peer("scikit-learn, shuffle=False", they(X, y), faster(1.5), passes, same_rule)]


@case("P14", "tiny data: 100×4")
def tiny(quick: bool) -> Iterator[Outcome]:
    X, y = separable(100, 4, 0.1)
    model, other = Perceptron().fit(X, y), Theirs(shuffle=False, tol=None, max_iter=1000).fit(X, y)
    equal = theirs(X, y, shuffle=False, tol=None, max_iter=model.n_iter_)
    yield Contest(
        "fit",
        fit(X, y),
        [
            Peer("scikit-learn, shuffle=False, told when to stop", equal, faster(2), passes, weights),
            Peer("scikit-learn, default", theirs(X, y), faster(2), no_worse(X, y)),
        ],
    )
    row = X[:1].copy()
    yield Contest(
        "predict one row",
        lambda: model.predict(row),
        [Peer("scikit-learn", lambda: other.predict(row), faster(2), same_labels)],
    )


def no_worse(X: Any, y: Any) -> Callable[[Any, Any], str]:
    """We leave no error; how many the peer leaves is told."""

    def audit(ours: Any, theirs: Any) -> str:
        a, b = errors(X, y, ours), errors(X, y, theirs)
        return require(a == 0, f"{a} and {b} errors left, in {ours.n_iter_} and {theirs.n_iter_} passes")

    return audit


def same_labels(ours: Any, theirs: Any) -> str:
    return require(np.array_equal(ours, theirs), "equal labels")
