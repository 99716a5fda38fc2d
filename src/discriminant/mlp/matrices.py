"""The passes of ``backpropagation`` as products of numpy, for tables so small that the compiler would take longer.

The equations, the symbols and the order of the steps are the same; only the rounding of sums is not. Which of the two
learns depends on the sizes alone, so that one seed gives one network, whatever is compiled already.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from .backpropagation import BETA_1, BETA_2, EPSILON, BatchTotals, Examples, Network, Output, Step, Unit

PRODUCTS = 2**17  # rows times weights of a pass up to which the compiler is not worth waiting for

Array = NDArray[Any]


class Layer(NamedTuple):
    """Weights and biases with their derivatives, parts of a network's vectors; room for outputs, and for errors."""

    W: Array
    b: Array
    dW: Array
    db: Array
    H: Array
    D: Array


def serves(net: Network, rows: int, batch: int) -> bool:
    """Whether a pass is one step, in which numpy's calls take no longer than their work, and a short one."""
    return rows <= batch and rows * net.w.size <= PRODUCTS


def layers(net: Network, rows: int) -> Iterator[Layer]:
    """The layers of a network, from the first to the last, for so many patterns."""
    start, sizes = 0, net.sizes.tolist()
    room = np.empty((2, rows * sum(sizes[1:])), net.w.dtype)
    for inputs, outputs in pairwise(sizes):
        middle, stop, shape = start + outputs, start + (inputs + 1) * outputs, (inputs, outputs)
        H, D = room[:, : rows * outputs].reshape(2, rows, outputs)
        room = room[:, rows * outputs :]
        yield Layer(
            net.w[middle:stop].reshape(shape), net.w[start:middle],
            net.gradient[middle:stop].reshape(shape), net.gradient[start:middle], H, D,
        )  # fmt: skip
        start = stop


def learn_by_matrices(
    examples: Examples, rows: NDArray[np.uint32], eta: Any, net: Network, unit: int, output: int, step: int, mu: Any
) -> BatchTotals:
    """Learn from some patterns with one step, as ``backpropagation.learn`` does."""
    X, T, v = examples.X.take(rows, 0), examples.T.take(rows, 0), examples.v.take(rows) if examples.v.size else None
    with np.errstate(all="ignore"):  # what is not finite is found in the error
        parts = list(layers(net, rows.size))
        a = forward(parts, X, unit)
        e, D = judged(a, T, output)
        wrong = int(np.count_nonzero(misjudged(a, T)))
        total, error = (float(rows.size), float(e.sum())) if v is None else (float(v.sum()), float(v @ e))
        if not math.isfinite(error):
            return BatchTotals(error, total, wrong, 0)
        backward(parts, X, D if v is None else D * v[:, None], unit)
        penalty = penalized(net, net.w.dtype.type(1 / total))
        if step == Step.ADAM:
            adam(net, eta)
        else:
            descend(net, eta, mu, step == Step.NESTEROV)
    return BatchTotals(error + 0.5 * penalty, total, wrong, 1)


def forward(parts: list[Layer], X: Array, unit: int) -> Array:
    """Forward pass: the outputs of every hidden layer are filled in, the activation inputs a of the last returned."""
    for layer in parts:
        X = np.dot(X, layer.W, out=layer.H)
        X += layer.b
        if layer is parts[-1] or unit == Unit.LINEAR:
            continue
        if unit == Unit.RELU:
            np.maximum(X, 0, out=X)
        elif unit == Unit.SIGMOID:
            expit(X, out=X)
        else:
            np.tanh(X, out=X)
    return X


def backward(parts: list[Layer], X: Array, D: Array, unit: int) -> None:
    """Backward pass: from the errors D at the output to the gradient of every layer."""
    ones = np.ones(len(X), X.dtype)
    for k in range(len(parts) - 1, -1, -1):
        layer, h = parts[k], parts[k - 1].H if k > 0 else X
        np.dot(h.T, D, out=layer.dW)
        np.dot(ones, D, out=layer.db)
        if k == 0:
            break
        D = np.dot(D, layer.W.T, out=parts[k - 1].D)
        if unit == Unit.RELU:
            D *= h > 0
        elif unit == Unit.SIGMOID:
            D *= h * (1 - h)
        elif unit == Unit.TANH:
            D *= 1 - h * h


def judged(a: Array, T: Array, output: int) -> tuple[Array, Array]:
    """The error of each pattern, and its derivatives D with respect to the activation inputs a."""
    if output == Output.SOFTMAX_LOG:
        low = a - np.maximum.reduce(a, axis=1, keepdims=True)
        D = np.exp(low)
        sums = np.add.reduce(D, axis=1)
        D /= sums[:, None]
        return np.log(sums) - np.einsum("ij,ij->i", T, low), D - T
    if output == Output.SIGMOID_LOG:
        e = np.maximum(a, 0) - T * a + np.log1p(np.exp(-np.abs(a)))
        return np.add.reduce(e, axis=1), expit(a) - T
    squashed = output == Output.SIGMOID_SQUARED
    y = expit(a) if squashed else a
    e = y - T
    return 0.5 * np.einsum("ij,ij->i", e, e), e * y * (1 - y) if squashed else e


def misjudged(a: Array, T: Array) -> Array:
    """The patterns that are not strictly on their own side; T is 1 for their own class."""
    if a.shape[1] == 1:
        return np.asarray((T[:, 0] - 0.5) * a[:, 0] <= 0)
    own = T > 0
    best, rival = (np.maximum.reduce(np.where(part, a, -np.inf), axis=1) for part in (own, ~own))
    return np.asarray(best <= rival)


def penalized(net: Network, share: Any) -> float:
    """Make of the gradient that of the mean error with its penalty, whose double is returned."""
    pull, gradient = net.decay * net.w, net.gradient
    gradient += pull
    gradient *= share
    return float(pull @ net.w)


def adam(net: Network, eta: Any) -> None:
    """Step along the running mean of g, over the root of that of g² (Algorithm 1 of Kingma and Ba)."""
    _, w, _, g, first, second = net
    first *= BETA_1
    first += (1 - BETA_1) * g
    second *= BETA_2
    second += (1 - BETA_2) * g * g
    root = np.sqrt(second)
    root += EPSILON
    w -= eta * first / root


def descend(net: Network, eta: Any, mu: Any, ahead: bool) -> None:
    """Step w_updated = w_current − ηg, with μ times the step before; Nesterov's makes it once more."""
    _, w, _, g, velocity, _ = net
    step = eta * g
    velocity *= mu
    velocity -= step
    w += mu * velocity - step if ahead else velocity
