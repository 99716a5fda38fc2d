"""Backpropagation: the forward pass, the backward pass and the step of a multi-layer perceptron, a batch at a time.

A neuron takes the outputs h of the layer before it and gives f(a) with a = wᵗh + b.  With the weight vectors of a
layer's neurons as the columns of W, and the patterns of a batch as the rows of H, a network is

    forward     H ← f(HW + b)   layer by layer, from H = X;   y^obt = f_o(a) with a = HW + b of the last layer
    backward    D = ∂E/∂a at the output;   ∂E/∂W = HᵗD,   ∂E/∂b = Dᵗ1,   D ← (DWᵗ) f′(a)   for the layer before
    step        w_updated = w_current − η ∇E(w_current)

where D holds the derivatives of E with respect to the activation inputs a of a layer, and f′(a) is a function of f(a):
the sigmoid has f′ = f (1 − f).  E is one half of the sum of (y^tar − y^obt)², or the log loss, for which D is
y^obt − y^tar.  It is divided by the total weight of the batch, as is the penalty α‖W‖² / 2, which spares the biases.

Symbols: ``sizes`` the numbers of units from the input to the output; ``w`` all weights in one vector, layer after
layer, its biases first; ``decay`` is α for the weights and 0 for the biases; ``T`` the targets y^tar; ``v`` the weights
of the patterns, empty when all are one.

Sources: *Machine Learning: Theory and Practice*, §8.6 (and §8.5.2 for the sigmoid); Kingma, Ba, *Adam: a method for
stochastic optimization*, 2015, Algorithm 1.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine.compiling import spliced
from .._engine.rows import compiled, finite

BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8  # the constants that Kingma and Ba recommend


class Unit(IntEnum):
    """What a hidden unit makes of its activation input."""

    LINEAR = 0
    RELU = 1
    SIGMOID = 2
    TANH = 3


LINEAR = int(Unit.LINEAR)


class Output(IntEnum):
    """The output units and the error that is measured there."""

    LINEAR_SQUARED = 0
    SIGMOID_SQUARED = 1
    SIGMOID_LOG = 2
    SOFTMAX_LOG = 3


class Step(IntEnum):
    """How the weights follow the gradient."""

    ADAM = 0
    MOMENTUM = 1
    NESTEROV = 2


class Network(NamedTuple):
    """Sizes, weights and their penalties, the gradient, the running means of a step (``first`` also the velocity)."""

    sizes: NDArray[np.int64]
    w: NDArray[Any]
    decay: NDArray[Any]
    gradient: NDArray[Any]
    first: NDArray[Any]
    second: NDArray[Any]


class Room(NamedTuple):
    """Buffers for one batch: patterns, outputs of all ``units``, errors of two layers on their way back."""

    X: NDArray[Any]
    H: NDArray[Any]
    D: NDArray[Any]
    E: NDArray[Any]
    units: int


class Examples(NamedTuple):
    """The patterns, their targets y^tar, and their weights, an empty array when all are one."""

    X: Any
    T: NDArray[Any]
    v: NDArray[Any]


class BatchTotals(NamedTuple):
    """The error with its penalties, the total weight, the wrong patterns and the steps made."""

    error: float
    total: float
    wrong: int
    steps: int


@spliced
def sigmoid(a: Any, one: Any) -> Any:
    """Return 1 / (1 + e⁻ᵃ), without overflow for any a."""
    e = math.exp(-abs(a))
    return np.divide(e if a < 0 else one, one + e)


@spliced
def fire(a: Any, one: Any, unit: int) -> Any:
    """Return f(a); ``one`` is of the type of a, so that float32 stays float32."""
    if unit == Unit.RELU:
        return a if a > 0 else one - one
    if unit == Unit.SIGMOID:
        return sigmoid(a, one)
    if unit == Unit.TANH:
        return math.tanh(a)
    return a


@spliced
def back(d: Any, h: Any, one: Any, unit: int) -> Any:
    """Return d f′(a), with f′(a) in terms of h = f(a)."""
    if unit == Unit.RELU:
        return d if h > 0 else one - one
    if unit == Unit.SIGMOID:
        return d * h * (one - h)
    if unit == Unit.TANH:
        return d * (one - h * h)
    return d


@spliced
def matrix(buffer: NDArray[Any], start: int, rows: int, columns: int) -> Any:
    """Return a part of a buffer as a matrix."""
    return buffer[start : start + rows * columns].reshape(rows, columns)


@spliced
def forward(net: Network, room: Room, X: NDArray[Any], unit: int) -> Any:
    """Forward pass: from the patterns X to the activation inputs a of the output units, which are returned."""
    one, m, last, H, w, h = net.w.dtype.type(1), X.shape[0], net.sizes.size - 2, X, 0, 0
    for layer in range(last + 1):
        inputs, outputs = net.sizes[layer], net.sizes[layer + 1]
        a = matrix(room.H, h, m, outputs)
        np.dot(H, matrix(net.w, w + outputs, inputs, outputs), a)
        b, f = net.w[w : w + outputs], unit if layer < last else LINEAR
        for r in range(m):
            row = a[r]
            for j in range(row.size):
                row[j] = fire(row[j] + b[j], one, f)
        H, w, h = a, w + (inputs + 1) * outputs, h + m * outputs
    return H


@spliced
def backward(net: Network, room: Room, X: NDArray[Any], unit: int) -> None:
    """Backward pass: from the errors D at the output to the gradient of every layer."""
    one, m, w, D, E = net.w.dtype.type(1), X.shape[0], net.w.size, room.D, room.E
    h = m * (room.units - net.sizes[-1])
    for layer in range(net.sizes.size - 2, -1, -1):
        inputs, outputs = net.sizes[layer], net.sizes[layer + 1]
        w, h = w - (inputs + 1) * outputs, h - m * inputs
        d, H = matrix(D, 0, m, outputs), X if layer == 0 else matrix(room.H, h, m, inputs)
        np.dot(H.T, d, matrix(net.gradient, w + outputs, inputs, outputs))
        sums = net.gradient[w : w + outputs]
        for j in range(outputs):
            sums[j] = 0
        for r in range(m):
            row = d[r]
            for j in range(row.size):
                sums[j] += row[j]
        if layer > 0:
            e = matrix(E, 0, m, inputs)
            np.dot(d, matrix(net.w, w + outputs, inputs, outputs).T, e)
            for r in range(m):
                row, fired = e[r], H[r]
                for j in range(row.size):
                    row[j] = back(row[j], fired[j], one, unit)
            D, E = E, D


@spliced
def softmax_error(a: NDArray[Any], t: NDArray[Any], d: NDArray[Any]) -> Any:
    """Return the log loss of one pattern; d gets the probabilities less the targets."""
    top = a[0]
    for j in range(1, a.size):
        top = max(top, a[j])
    total, aimed = 0.0, 0.0
    for j in range(a.size):
        d[j] = math.exp(a[j] - top)
        total += d[j]
        aimed += t[j] * (a[j] - top)
    for j in range(a.size):
        d[j] = np.divide(d[j], total) - t[j]
    return math.log(total) - aimed


@spliced
def unit_error(a: Any, t: Any, one: Any, output: int) -> Any:
    """Return the error of one output unit with target t, and its derivative with respect to a."""
    if output == Output.SIGMOID_LOG:
        return max(a, one - one) - t * a + math.log1p(math.exp(-abs(a))), sigmoid(a, one) - t
    y = sigmoid(a, one) if output == Output.SIGMOID_SQUARED else a
    e = y - t
    return e * e * 0.5, (e * y * (one - y) if output == Output.SIGMOID_SQUARED else e)


@spliced
def is_wrong(a: NDArray[Any], t: NDArray[Any]) -> Any:
    """Tell whether a pattern is not strictly on its own side; t is 1 for its own class."""
    own, rival = (t[0] - 0.5) * a[0], 0.0
    if a.size > 1:
        own, rival = -np.inf, -np.inf
        for j in range(a.size):
            if t[j] > 0:
                own = a[j]
            else:
                rival = max(rival, a[j])
    return own <= rival


@spliced
def judge(A: Any, D: Any, T: Any, v: Any, order: Any, start: int, output: int) -> Any:
    """Compare y^obt with y^tar: D is set; error, total weight and number of wrong patterns are returned."""
    k, one = A.shape[1], A.dtype.type(1)
    error, total, wrong = 0.0, 0.0, 0
    for r in range(A.shape[0]):
        i = order[start + r]
        a, t, d, e = A[r], T[i], D[r], 0.0
        if output == Output.SOFTMAX_LOG:
            e = softmax_error(a, t, d)
        else:
            for j in range(k):
                part, d[j] = unit_error(a[j], t[j], one, output)
                e += part
        u = v[i] if v.size > 0 else one
        for j in range(k):
            d[j] *= u
        error, total, wrong = error + u * e, total + u, wrong + is_wrong(a, t)
    return error, total, wrong


@spliced
def penalized(net: Network, j: int, share: Any) -> Any:
    """Return the j-th derivative of the mean error with its penalty, which is left in the gradient."""
    net.gradient[j] = share * (net.gradient[j] + net.decay[j] * net.w[j])
    return net.gradient[j]


@spliced
def adam(net: Network, share: Any, eta: Any, beta_1: Any, beta_2: Any, epsilon: Any, one: Any) -> Any:
    """Step along the running mean of g, over the root of that of g² (Algorithm 1 of Kingma and Ba)."""
    penalty = one - one
    for j in range(net.w.size):
        penalty += net.decay[j] * net.w[j] * net.w[j]
        g = penalized(net, j, share)
        net.first[j] = beta_1 * net.first[j] + (one - beta_1) * g
        net.second[j] = beta_2 * net.second[j] + (one - beta_2) * g * g
        net.w[j] -= np.divide(eta * net.first[j], math.sqrt(net.second[j]) + epsilon)
    return penalty


@spliced
def descend(net: Network, share: Any, eta: Any, mu: Any, ahead: Any, one: Any) -> Any:
    """Step w_updated = w_current − ηg, with μ times the step before; Nesterov's (ahead = 1) makes it once more."""
    penalty = one - one
    for j in range(net.w.size):
        penalty += net.decay[j] * net.w[j] * net.w[j]
        g = penalized(net, j, share)
        velocity = mu * net.first[j] - eta * g
        net.w[j] += velocity + ahead * ((mu - one) * velocity - eta * g)
        net.first[j] = velocity
    return penalty


@compiled
def learn(
    examples: Examples, order: NDArray[np.uint32], batch: int, rates: NDArray[Any],
    net: Network, room: Room, unit: int, output: int, step: int, mu: Any,
) -> Any:  # fmt: skip
    """Learn from the patterns in this order, with a step of the given length after each batch.

    When the error is not finite, no step was made with the last batch.
    """
    kind = net.w.dtype.type
    error, total, wrong, steps = 0.0, 0.0, 0, 0
    for start in range(0, order.size, batch):
        x = matrix(room.X, 0, min(batch, order.size - start), net.sizes[0])
        for r in range(x.shape[0]):
            source, row = examples.X[order[start + r]], x[r]
            for j in range(row.size):
                row[j] = source[j]
        a = forward(net, room, x, unit)
        D = matrix(room.D, 0, a.shape[0], a.shape[1])
        e, weight, errors = judge(a, D, examples.T, examples.v, order, start, output)
        error, total, wrong = error + e, total + weight, wrong + errors
        if not finite(error):
            break
        backward(net, room, x, unit)
        share = kind(np.divide(1.0, weight))
        if step == Step.ADAM:
            error += 0.5 * adam(net, share, rates[steps], kind(BETA_1), kind(BETA_2), kind(EPSILON), kind(1))
        else:
            error += 0.5 * descend(net, share, rates[steps], mu, kind(step == Step.NESTEROV), kind(1))
        steps += 1
    return error, total, wrong, steps
