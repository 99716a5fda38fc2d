"""P13: multi-layer perceptrons against scikit-learn's, from the same weights in the same order of the rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from discriminant import MultilayerPerceptron

from ._audit import passes, require
from ._case import Audit, Contest, Outcome, Peer, case, faster
from ._data import overlapping

EPOCHS = 10


def unfinished(model: Any, X: Any, y: Any) -> Any:
    """Ten passes, which end before the loss stands still."""
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        return model.fit(X, y)


def same_curve(tol: float) -> Audit:
    """The losses of all passes lie within tol of each other."""

    def audit(ours: Any, theirs: Any) -> str:
        apart = float(np.abs(ours.history_["criterion"] - theirs.loss_curve_).max())
        return require(apart <= tol, f"loss curves {apart:.0e} apart")

    return audit


def contest(n: int, units: int, hidden: int, batch: int, goal: float, dtype: DTypeLike) -> Contest:
    """Two classes, one hidden layer of rectified units, Adam; one seed for the weights and the order of both."""
    X, y = overlapping(n, units, dtype)
    common: dict[str, Any] = {"batch_size": batch, "max_iter": EPOCHS, "random_state": 0}
    return Contest(
        f"{units}-{hidden}-2, batch {batch}, {n:,} rows, f{8 * X.itemsize}",
        lambda: unfinished(MultilayerPerceptron((hidden,), **common), X, y),
        [
            Peer(
                "MLPClassifier",
                lambda: unfinished(MLPClassifier((hidden,), **common), X, y),
                faster(goal),
                passes,
                same_curve(1e-6 if X.itemsize == 8 else 1e-4),
            )
        ],
    )


@case("P13", "multi-layer perceptron, 10 epochs of Adam")
def networks(quick: bool) -> Iterator[Outcome]:
    n = 600 if quick else 20_000
    for dtype in (np.float64, np.float32):
        yield contest(n, 100, 100, 200, 3, dtype)
        yield contest(n, 20, 32, 32, 10, dtype)
