"""Real data, where they are at hand: DISCRIMINANT_DATA or ../shared/data."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ._audit import passes, weights
from ._case import Contest, Outcome, Peer, case, faster
from ._data import real
from .perceptron import EPOCHS, csr_peers, fit, theirs


def absent(name: str) -> str:
    return f"Left out, {name} is not here: set DISCRIMINANT_DATA to the folder that holds {name}/data.npz."


@case("R1", "perceptron on covtype, class 2 against the rest, 5 epochs, cyclic")
def covtype(quick: bool) -> Iterator[Outcome]:
    found = real("covtype")
    if found is None:
        yield absent("covtype")
        return
    X, y = (part[: 2_000 if quick else None] for part in found)
    two = np.where(y == 1, 1, 0)  # the codes begin with 0
    peer = theirs(X, two, shuffle=False, max_iter=EPOCHS, tol=None)
    name = f"{X.shape[0]:,}×{X.shape[1]} f64"
    yield Contest(
        name, fit(X, two, max_iter=EPOCHS), [Peer("scikit-learn, shuffle=False", peer, faster(2.2), passes, weights)]
    )


@case("R2", "perceptron on sms_spam_char, CSR, at most 5 epochs, cyclic")
def spam(quick: bool) -> Iterator[Outcome]:
    found = real("sms_spam_char")
    if found is None:
        yield absent("sms_spam_char")
        return
    X, y = found[0][: 1_000 if quick else None], found[1][: 1_000 if quick else None]
    name = f"{X.shape[0]:,}×{X.shape[1]:,}, {X.nnz // X.shape[0]} a row, f64"
    ours = fit(X, y, max_iter=EPOCHS)
    yield Contest(name, ours, csr_peers(X, y, ours().n_iter_))  # part of the rows is separable: fewer passes
