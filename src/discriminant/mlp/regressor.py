"""The multi-layer perceptron as a regressor: linear output units and the squared error.

The equations stand in ``backpropagation``; a single layer is the linear unit of Example 16, whose gradient
2(wᵗx - y)x is twice that of the halved error that is minimized here.

Source: *Machine Learning: Theory and Practice*, §8.6, Example 16.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._engine.problem import make_problem
from .._guards.validation import all_finite, taken
from ..base.iterative import Solutions
from ..base.regressor import IterativeRegressor
from ..geometry import Hyperplane
from .backpropagation import Output
from .base import NetworkEstimator
from .training import Lesson, lesson


class MultilayerPerceptronRegressor(NetworkEstimator, IterativeRegressor):
    """A feed-forward network of neurons as a regressor, learned by backpropagation.

    Minimizes half the mean of ‖y - f(x)‖²; the output units are linear, one for each column of y.

    Parameters
    ----------
    hidden : tuple of int, default=(64,)
        Units of each hidden layer; ``()`` is a single layer.
    activation : {"relu", "sigmoid", "tanh", "linear"}, default="relu"
        What a hidden unit makes of its activation input a: max(0, a), 1 / (1 + e⁻ᵃ), tanh a, a.
    solver : {"adam", "sgd"}, default="adam"
        Steps scaled by running means of the gradient and of its square; or gradient descent with momentum.
    alpha : float, default=1e-4
        Penalty α‖W‖²/2 on the weights, divided by the total weight of a batch; the biases are free.
    batch_size : int or "auto", default="auto"
        Rows of a step. "auto" is 200, or all rows when there are fewer; a number that exceeds the rows warns, and all
        rows make one batch.
    learning_rate : float, default=0.001
        Length η of the steps.
    momentum : float, default=0.9
        Share of the last step that is made again; for "sgd" only.
    nesterov : bool, default=True
        Nesterov's momentum; for "sgd" only.
    order : {"random", "cyclic"}, default="random"
        A new permutation of the rows each pass, or their own order.
    max_iter : int, default=200
        At most so many passes over the data.
    tol : float, default=1e-4
        It stops when the loss, or with ``early_stopping`` that of the rows held out, has not fallen by ``tol`` for more
        than ``n_iter_no_change`` passes.
    early_stopping : bool, default=False
        Hold out rows, watch their loss, and end with the weights that did best on them.
    validation_fraction : float, default=0.1
        Share of the rows that is held out.
    n_iter_no_change : int, default=10
        Passes without progress that are waited for.
    random_state : int, RandomState instance or None, default=None
        Seed of the first weights, the rows held out and the order.

    Attributes
    ----------
    coefs_ : list of arrays of shape (inputs, outputs)
        Weights of each layer.
    intercepts_ : list of arrays of shape (outputs,)
        Biases of each layer.
    n_iter_, n_corrections_ : int
        Passes and steps.
    n_outputs_, n_layers_ : int
        Output units, and layers with that of the inputs.
    history_ : dict of arrays
        ``"criterion"`` (the loss with its penalty), ``"step"``, ``"corrections"`` of each pass, as met on the way; with
        ``early_stopping`` also ``"validation"``, the loss of the rows held out.
    status_, report_
        Why it stopped, and what happened in words.

    References
    ----------
    *Machine Learning: Theory and Practice*, §8.6, Example 16.

    Examples
    --------
    The gradient of (wᵗx - 1)² at w = (0.5, 0) for x = (1, 2) is (-1, -2), twice that of the halved error:

    >>> from discriminant import MultilayerPerceptronRegressor
    >>> net = MultilayerPerceptronRegressor(alpha=0).with_weights([[[0.5], [0]]])
    >>> coefs, intercepts = net.gradient([[1, 2]], [1])
    >>> (2 * coefs[0]).ravel().tolist()
    [-1.0, -2.0]
    """

    _held = {"_flat": "flag"}
    _criterion = "half the mean of |y - f(x)|^2 + alpha |W|^2 / (2 batch)"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _aimed(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> Lesson:
        """The patterns with their values as targets, once the data have passed."""
        X, y = taken(self, X, y, reset=reset, order="C", ensure_all_finite=False, multi_output=True, y_numeric=True)
        with np.errstate(over="ignore"):
            T = y.reshape(len(y), -1).astype(X.dtype)
        if not all_finite(T):
            raise ValueError(f"y overflows {X.dtype}, the type of X: divide the targets by their size.")
        if reset:
            self._flat = y.ndim == 1
        elif T.shape[1] != self.n_outputs_:
            raise ValueError(f"y has {T.shape[1]} columns: give one for each of the {self.n_outputs_} output units.")
        return lesson(make_problem(X, np.zeros(len(y), np.int32), sample_weight, 2), T)

    def _output(self) -> Output:
        return Output.LINEAR_SQUARED

    def _lesson(self, problem: Lesson, first: bool) -> Lesson:
        return problem

    def _publish(self, solutions: Solutions, problem: Lesson, X: Any) -> None:
        super()._publish(solutions, problem.problem, X)

    def with_weights(self, coefs: Any, intercepts: Any = None) -> Self:
        """Set the network by hand; no fit is needed, and ``partial_fit`` goes on from here.

        Parameters
        ----------
        coefs : list of arrays of shape (inputs, outputs)
            Weights of each layer; ``hidden`` becomes what they say.
        intercepts : list of arrays of shape (outputs,), default=None
            Biases of each layer; None is zero.

        Returns
        -------
        self
            The regressor.
        """
        self._by_hand(coefs, intercepts)
        self._flat = self.n_outputs_ == 1
        return self

    def _values(self, X: Any) -> NDArray[Any]:
        values = self._inputs(X)
        return values[:, 0] if self._flat else values

    def collapse(self) -> Hyperplane | tuple[Hyperplane, ...]:
        """Give the one linear layer that a network of linear units amounts to: y = A₂A₁x = Bx.

        Returns
        -------
        Hyperplane or tuple of them
            The outputs as functions g(x) = wᵗx + w₀.
        """
        check_is_fitted(self)
        planes = tuple(Hyperplane.from_augmented(row) for row in self._collapsed())
        return planes[0] if self._flat else planes
