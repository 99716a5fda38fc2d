"""P9 and R3: the soft margin with a Gaussian kernel against scikit-learn's SVC, on made-up data and on MNIST."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from discriminant import SupportVectorMachine, mercer

from ._audit import require
from ._case import Audit, Contest, Outcome, Peer, Reading, case, faster
from ._data import overlapping, real
from ._peers import LEFT_OUT, intel
from .real import absent


def fitted(X: NDArray[Any], y: NDArray[Any], megabytes: int) -> SupportVectorMachine:
    """A fit with C = 1 and scikit-learn's default width."""
    kernel = mercer.Gaussian(float(np.sqrt(X.shape[1] * X.var())))
    return SupportVectorMachine(kernel=kernel, cache_size=megabytes).fit(X, y)


def strengths(result: Any, n: int) -> NDArray[np.float64]:
    """Multipliers of all n rows."""
    alpha = np.zeros(n)
    alpha[result.support_] = np.abs(result.dual_coef_[0])
    return alpha


def dual_value(X: NDArray[Any], y: NDArray[Any], alpha: NDArray[np.float64]) -> float:
    """sum alpha - |w|^2 / 2 in float64, the kernel by differences block by block."""
    used = np.flatnonzero(alpha)
    A = X[used] * np.sqrt(1 / (X.shape[1] * X.var()))
    beta, squares = alpha[used] * np.where(y[used] == 1, 1.0, -1.0), (A * A).sum(axis=1)
    length = 0.0
    for start in range(0, used.size, 1024):
        part = slice(start, start + 1024)
        D = squares[part, None] + squares - 2 * A[part] @ A.T
        length += float(beta[part] @ (np.exp(-D) @ beta))
    return float(alpha.sum()) - length / 2


def same_value(X: NDArray[Any], y: NDArray[Any]) -> Audit:
    """Both reached the same dual objective to 1e-4."""

    def audit(ours: Any, theirs: Any) -> str:
        a, b = (dual_value(X, y, strengths(result, len(X))) for result in (ours, theirs))
        apart = abs(a - b) / abs(b)
        return require(apart <= 1e-4, f"dual objectives {apart:.0e} apart")

    return audit


@case("P9", "soft margin with a Gaussian kernel")
def gaussian_kernel(quick: bool) -> Iterator[Outcome]:
    X, y = overlapping(2_500 if quick else 10_000, 100)
    kinds = {"scikit-learn": (SVC, 6), "scikit-learn-intelex": (intel("svm", "SVC"), 2)}
    for megabytes in (200, 1000):
        yield Contest(
            f"RBF, {len(X):,}×{X.shape[1]} f64, C = 1, tol = 1e-3, {megabytes} MB of kernel rows",
            lambda megabytes=megabytes: fitted(X, y, megabytes),
            [
                Peer(
                    f"{name} SVC(cache_size={megabytes})",
                    lambda kind=kind, megabytes=megabytes: kind(cache_size=megabytes).fit(X, y),
                    faster(goal),
                    same_value(X, y),
                )
                for name, (kind, goal) in kinds.items()
                if kind is not None
            ],
        )
    if kinds["scikit-learn-intelex"][0] is None:
        yield LEFT_OUT


@case("R3", "MNIST, ten digits in pairs, Gaussian kernel")
def digits(quick: bool) -> Iterator[Outcome]:
    found = real("mnist")
    if found is None:
        yield absent("mnist")
        return
    images, labels = found
    X, first = (images / 255).astype(np.float32), 60_000  # the rows after these are for tests
    few, rows = (1_500, 3_000) if quick else (10_000, first)
    new = slice(first, first + (500 if quick else 10_000))
    gamma = float(1 / (X.shape[1] * X[:few].var()))

    def machine(rows: int) -> SupportVectorMachine:
        kernel = mercer.Gaussian(gamma**-0.5)
        return SupportVectorMachine(5.0, kernel=kernel).fit(X[:rows], labels[:rows])

    def as_right(ours: Any, theirs: Any) -> str:
        a, b = (model.score(X[new], labels[new]) for model in (ours, theirs))
        return require(abs(a - b) <= (0.03 if quick else 0.005), f"test accuracy {a:.4f} and {b:.4f}")

    yield Contest(
        f"{few:,} of 60,000 images f32, C = 5, fit",
        lambda: machine(few),
        [Peer("SVC", lambda: SVC(C=5.0, gamma=gamma).fit(X[:few], labels[:few]), faster(2), as_right)],
    )
    begin = time.perf_counter()
    model = machine(rows)
    seconds = time.perf_counter() - begin
    accuracy = model.score(X[new], labels[new])
    yield Reading(f"{rows:,} images, fit", seconds, "s", 60, f"test accuracy {accuracy:.4f}")
