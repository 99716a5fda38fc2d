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
        X, y = taken(self, X, y, reset=reset, order="C", ensure_all_finite=False, multi_output=True, y_numeric=True)
        with np.errstate(over="ignore"):
            T = y.reshape(len(y), -1).astype(X.dtype)
        if not all_finite(T):
            raise ValueError(f"y must not overflow {X.dtype}, the type of X; divide the targets by their size.")
        if reset:
            self._flat = y.ndim == 1
        elif T.shape[1] != self.n_outputs_:
            raise ValueError(f"y must have {self.n_outputs_} columns, not {T.shape[1]}; give one for each output unit.")
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
