"""The multi-layer perceptron as a regressor: linear output units and the squared error.

The equations stand in ``_backpropagation``; a single layer is the linear unit of Example 16, whose gradient
2 (w'x - y) x is twice that of the halved error that is minimized here.

Source: *Machine Learning: Theory and Practice*, section 8.6, Example 16.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._engine.callbacks import CallbackSupportMixin, with_callbacks
from .._engine.driver import watching
from .._engine.problem import make_problem
from .._guards.state import all_or_nothing, unchanged_on_failure
from .._guards.validation import taken
from ..base.regressor import LinearRegressor
from ..geometry import Hyperplane
from ..solution import Solution, Status, history_of
from .backpropagation import Output
from .base import NetworkEstimator
from .training import Lesson, lesson


class MultilayerPerceptronRegressor(NetworkEstimator, CallbackSupportMixin, LinearRegressor):
    """A feed-forward network of neurons as a regressor, learned by backpropagation.

    Minimizes half the mean of |y - f(x)|^2; the output units are linear, one for each column of y.

    Parameters
    ----------
    hidden : tuple of int, default=(64,)
        Units of each hidden layer; ``()`` is a single layer.
    activation : {"relu", "sigmoid", "tanh", "linear"}, default="relu"
        What a hidden unit makes of its activation input a: max(0, a), 1 / (1 + e^-a), tanh a, a.
    solver : {"adam", "sgd"}, default="adam"
        Steps scaled by running means of the gradient and of its square; or gradient descent with momentum.
    alpha : float, default=1e-4
        Penalty alpha |W|^2 / 2 on the weights, divided by the total weight of a batch; the biases are free.
    batch_size : int or "auto", default="auto"
        Rows of a step. "auto" is 200, or all rows when there are fewer; a number that exceeds the rows warns, and all
        rows make one batch.
    learning_rate : float, default=0.001
        Length eta of the steps.
    momentum : float, default=0.9
        Share of the last step that is made again; for "sgd" only.
    nesterov : bool, default=True
        Nesterov's momentum; for "sgd" only.
    order : {"random", "cyclic"}, default="random"
        A new permutation of the rows each pass, or their own order.
    max_iter : int, default=200
        Passes over the data at the most.
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
    *Machine Learning: Theory and Practice*, section 8.6, Example 16.

    Examples
    --------
    The gradient of (w'x - 1)^2 at w = (0.5, 0) for x = (1, 2) is (-1, -2), twice that of the halved error:

    >>> from discriminant import MultilayerPerceptronRegressor
    >>> net = MultilayerPerceptronRegressor(alpha=0).with_weights([[[0.5], [0]]])
    >>> coefs, intercepts = net.gradient([[1, 2]], [1])
    >>> (2 * coefs[0]).ravel().tolist()
    [-1.0, -2.0]
    """

    _criterion = "half the mean of |y - f(x)|^2 + alpha |W|^2 / (2 batch)"

    def __init__(
        self,
        hidden: tuple[int, ...] = (64,),
        activation: str = "relu",
        *,
        solver: str = "adam",
        alpha: float = 1e-4,
        batch_size: int | str = "auto",
        learning_rate: float = 0.001,
        momentum: float = 0.9,
        nesterov: bool = True,
        order: str = "random",
        max_iter: int = 200,
        tol: float = 1e-4,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        random_state: Any = None,
    ) -> None:
        self.hidden = hidden
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.nesterov = nesterov
        self.order = order
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from patterns X with values y.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
            Patterns.
        y : array of shape (n,) or (n, outputs)
            Values.
        sample_weight : array of shape (n,), default=None
            Weights; a row of weight zero counts as absent.

        Returns
        -------
        self
            The fitted regressor.
        """
        with unchanged_on_failure(self):
            self._check_network()
            given = X, y, sample_weight
            aimed = self._aimed(X, y, sample_weight, reset=True)
            self._rule = None
            with watching() as watch:
                self._tell(self._driven(aimed, watch, *given), aimed)
            self._warn(watch)
        return self

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Make one pass over a portion of data, going on from the present weights.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
            Patterns.
        y : array of shape (n,) or (n, outputs)
            Values.
        sample_weight : array of shape (n,), default=None
            Weights.

        Returns
        -------
        self
            The regressor.
        """
        self._check_network()
        first = not hasattr(self, "coefs_")
        aimed = self._aimed(X, y, sample_weight, reset=first)
        with watching() as watch:
            self._tell(self._portion(aimed, watch, first), aimed)
        if watch.interrupted:
            self._warn(watch)
        return self

    def _aimed(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> Lesson:
        """The patterns with their values as targets, once the data have passed."""
        X, y = taken(self, X, y, reset=reset, order="C", ensure_all_finite=False, multi_output=True, y_numeric=True)
        with np.errstate(over="ignore"):
            T = y.reshape(len(y), -1).astype(X.dtype)
        if not np.all(np.isfinite(T)):
            raise ValueError(f"y overflows {X.dtype}, the type of X: divide the targets by their size.")
        if reset:
            self._flat = y.ndim == 1
        elif T.shape[1] != self.n_outputs_:
            raise ValueError(f"y has {T.shape[1]} columns: give one for each of the {self.n_outputs_} output units.")
        return lesson(make_problem(X, np.zeros(len(y), np.int32), sample_weight, 2), T)

    def _output(self) -> Output:
        return Output.LINEAR_SQUARED

    def _tell(self, solution: Solution[Any], aimed: Lesson) -> None:
        """Set the fitted attributes."""
        self._set_weights(solution.weights)
        self.n_iter_, self.n_corrections_ = max(1, solution.n_iter), solution.n_corrections
        self.history_ = {name: column for name, column in history_of([solution]).items() if name != "errors"}
        value = float(solution.epochs[-1].criterion) if solution.epochs else None
        details = {"iterations": self.n_iter_, "corrections": self.n_corrections_, "criterion value": value}
        findings = replace(solution.findings, details=details | dict(solution.findings.details))
        remedy = self._remedy() if solution.status is Status.BUDGET else None
        self._report(aimed.problem.source, findings, solution.status, remedy)
        self._conclude(solution)

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

    def gradient(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
        """Give the gradient of the criterion at the present weights, all rows taken as one batch.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
            Patterns.
        y : array of shape (n,) or (n, outputs)
            Values.
        sample_weight : array of shape (n,), default=None
            Weights.

        Returns
        -------
        tuple of two lists of arrays
            The derivatives with respect to ``coefs_`` and to ``intercepts_``.
        """
        check_is_fitted(self)
        return self._gradient(self._aimed(X, y, sample_weight, reset=False))

    def predict(self, X: Any) -> NDArray[Any]:
        """Values of the rows of X.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
            Patterns.

        Returns
        -------
        array of shape (n,) or (n, outputs)
            The outputs f(x).
        """
        check_is_fitted(self)
        values = self._inputs(taken(self, X, reset=False))
        return values[:, 0] if self._flat else values

    def collapse(self) -> Hyperplane | tuple[Hyperplane, ...]:
        """Give the one linear layer that a network of linear units amounts to: y = A_2 A_1 x = Bx.

        Returns
        -------
        Hyperplane or tuple of them
            The outputs as functions g(x) = w'x + w0.
        """
        check_is_fitted(self)
        planes = tuple(Hyperplane.from_augmented(row) for row in self._collapsed())
        return planes[0] if self._flat else planes
