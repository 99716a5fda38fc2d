"""P4: the batch rules in one fused pass, against numpy's two products."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant import Perceptron, Relaxation

from ._audit import exactly, weights
from ._case import Contest, Outcome, Peer, case, faster
from ._data import overlapping

Floats = NDArray[np.float64]
ITERATIONS = 100


def perceptron(Y: Floats) -> Floats:
    """Algorithm 3 with margin 0 and step 1."""
    a = np.zeros(Y.shape[1])
    for _ in range(ITERATIONS):
        a += Y.T @ (Y @ a <= 0).astype(np.float64)
    return a


def relaxation(Y: Floats, eta: float) -> Floats:
    """Algorithm 8 with margin 1."""
    a, norms = np.zeros(Y.shape[1]), np.einsum("ij,ij->i", Y, Y)
    for _ in range(ITERATIONS):
        short = 1 - Y @ a
        a += eta * (Y.T @ (np.maximum(short, 0) / norms))
    return a


@case("P4", "batch rules, 100 iterations")
def batch(quick: bool) -> Iterator[Outcome]:
    """The peer is handed the normalized augmented matrix ready-made, by rows as ours is, and by columns."""
    X, y = overlapping(2_000 if quick else 200_000, 100)
    z = np.where(y == 1, 1.0, -1.0)[:, None]
    by_rows = np.hstack([z, z * X])
    by_columns = np.asfortranarray(by_rows)
    eta = 1.9 / len(X)  # surely below 2 / lambda_max, so that ours need not compute the eigenvalue

    def peers(rule: Callable[[Floats], Floats]) -> list[Peer]:
        layouts = {"numpy": by_rows, "numpy, Y stored by columns": by_columns}
        audits = exactly(ITERATIONS), weights
        return [Peer(name, partial(rule, Y), faster(2), *audits) for name, Y in layouts.items()]

    def fit(model: Any) -> Callable[[], Any]:
        return lambda: model.fit(X, y)

    size = f"{len(X):,}×{X.shape[1]} f64"
    yield Contest(f"perceptron, {size}", fit(Perceptron(batch=True, max_iter=ITERATIONS)), peers(perceptron))
    yield Contest(
        f"relaxation, {size}",
        fit(Relaxation(batch=True, eta=eta, max_iter=ITERATIONS)),
        peers(lambda Y: relaxation(Y, eta)),
    )
