"""What classifier and regressor share as networks: parameters, the fit, weights by hand, the forward pass.

Tests: ``tests/mlp/test_classifier.py``, ``tests/mlp/test_regressor.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.base import is_classifier
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._engine.callbacks import Listener
from .._engine.driver import Rule, Watch
from .._engine.threads import one_blas_thread
from .._guards.held import COURSE, OUTCOME, optional
from .._guards.parameters import FLAG, ORDER, PASSES, RECORD, Choice, Number, Or, refused
from .._guards.validation import all_finite
from ..base.inherited_docs import estimator
from ..base.iterative import IterativeEstimator, Solutions
from ..exceptions import warn_user
from ..solution import Epochs, epochs_of
from .backpropagation import Output
from .training import BLOCK, Lesson, NetworkRule, TrainingPlan, first_weights, pack, unpack

TINY = 1e-100  # features below this are zero to weights of size one

FUNCTIONS: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "sigmoid": special.expit,
    "tanh": np.tanh,
    "relu": lambda a: np.maximum(a, 0),
    "linear": lambda a: a,
    "threshold": lambda a: (a > 0).astype(a.dtype),
}

LAYER = Number("give the units of each hidden layer, (64,) or ()", 1, closed=True, whole=True)


@estimator
class NetworkEstimator(IterativeEstimator):
    """What classifier and regressor share: parameters, the fit, weights by hand, the forward pass.

    Parameters
    ----------
    hidden : tuple of int
        Units of each hidden layer; ``()`` is a single layer.
    activation
        What a hidden unit makes of its activation input a: 1 / (1 + e⁻ᵃ), tanh a, max(0, a), a; or 1 where a > 0, else
        0, the threshold of a perceptron, which has no slope to learn by: its weights are set by hand.
    solver
        Steps scaled by running means of the gradient and of its square; or gradient descent with momentum.
    alpha : float
        Penalty α‖W‖²/2 on the weights, divided by the total weight of a batch; the biases are free.
    batch_size : int or "auto"
        Rows of a step. "auto" is 200, or all rows when there are fewer; a number that exceeds the rows warns, and all
        rows make one batch.
    learning_rate : float
        Length η of the steps.
    momentum : float
        Share of the last step that is made again; for "sgd" only.
    nesterov
        Nesterov's momentum; for "sgd" only.
    tol : float
        It stops when the loss, or with ``early_stopping`` that of the rows held out, has not fallen by ``tol`` for more
        than ``n_iter_no_change`` passes.
    early_stopping
        Hold out rows, watch their loss, and end with the weights that did best on them.
    validation_fraction : float
        Share of the rows that is held out.
    n_iter_no_change : int
        Passes without progress that are waited for.
    random_state : int, RandomState instance or None
        Seed of the first weights, the rows held out and the order.

    Attributes
    ----------
    coefs_ : list of arrays of shape (inputs, outputs)
        Weights of each layer.
    intercepts_ : list of arrays of shape (outputs,)
        Biases of each layer.
    n_outputs_, n_layers_ : int
        Output units, and layers with that of the inputs.
    n_iter_, n_corrections_ : int
        Passes and steps.
    history_ : dict of arrays
        ``"criterion"`` (the loss with its penalty), ``"step"``, ``"corrections"`` and, of a classifier, ``"errors"`` of
        each pass, as met on the way; with ``early_stopping`` also ``"validation"``, the loss of the rows held out; with
        ``record`` also ``"weights"``, all of them in one row a step, from the first weights on: ``layers`` takes a row
        apart.
    """

    _held = optional(OUTCOME | COURSE) | {
        "weights_": None,
        "coef_": None,
        "intercept_": None,
        "coefs_": "layers",
        "intercepts_": "layers",
        "n_outputs_": "count",
        "n_layers_": "count",
        "n_iter_": "count",
        "_units": "int u",
    }

    def _after_load(self) -> None:
        if self._hidden() != self._units[1:-1].tolist():
            raise ValueError(f"hidden={self.hidden!r} and the layers disagree.")
        self._rules, self._portions = [], epochs_of(getattr(self, "history_", {}))

    _output: ClassVar[Callable[..., Output]]  # kind of the output units and their error, for as many as ``_units`` says
    _lesson: ClassVar[Callable[..., Lesson]]  # a problem with its targets; a ``first`` one says how many units
    _aimed: ClassVar[Callable[..., Lesson]]  # the lesson of X and y, once they have passed

    _added_parameters = ("record",)
    _page = "mlp"
    _parameters = {
        "activation": Choice(tuple(FUNCTIONS)),
        "solver": Choice(("adam", "sgd")),
        "order": ORDER,
        "record": RECORD,
        "nesterov": FLAG,
        "early_stopping": FLAG,
        "batch_size": Or(("auto",), Number("give the rows of a batch, or 'auto'", 1, closed=True, whole=True)),
        "n_iter_no_change": PASSES,
        "alpha": Number("give a penalty of 0 or more", 0, closed=True),
        "learning_rate": Number("give a positive step", 0),
        "momentum": Number("give a number from 0 to below 1", 0, 1, closed=True),
        "tol": Number("give a tolerance of 0 or more", 0, closed=True),
        "validation_fraction": Number("give a share between 0 and 1", 0, 1),
    }

    hidden: tuple[int, ...] = field(default=(64,), kw_only=False)
    activation: str = field(default="relu", kw_only=False)
    solver: str = "adam"
    alpha: float = 1e-4
    batch_size: int | str = "auto"
    learning_rate: float = 0.001
    momentum: float = 0.9
    nesterov: bool = True
    order: str = "random"
    max_iter: int = 200
    tol: float = 1e-4
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 10
    record: str | None = None
    random_state: Any = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._hidden()

    def _hidden(self) -> list[int]:
        """The numbers of hidden units; one number is one layer."""
        sizes = [self.hidden] if isinstance(self.hidden, int | np.integer) else self.hidden
        try:
            return [LAYER("hidden", units) for units in sizes]
        except TypeError:
            raise refused("hidden", self.hidden, "a list of sizes", "give (64,), (32, 16) or ()") from None

    def _check_slope(self) -> None:
        """Refuse to learn with units that have no slope."""
        if self.activation == "threshold" and self._hidden():
            wanted = "a unit with a slope, such as 'sigmoid', to learn by"
            raise refused("activation", "threshold", wanted, "or set the weights by hand, with_weights")

    def _drawn(self, lesson: Lesson, random: Any) -> NetworkRule:
        self._units = np.array([lesson.problem.n_features, *self._hidden(), lesson.T.shape[1]], np.int64)
        w = first_weights(self._units, self.activation, random, lesson.problem.dtype)
        return NetworkRule(w, self._units, self._output(), self._plan(TrainingPlan), random)

    def _present(self, lesson: Lesson, random: Any) -> NetworkRule:
        w = pack(self.coefs_, self.intercepts_, lesson.problem.dtype)
        return NetworkRule(w, self._units, self._output(), self._plan(TrainingPlan), random)

    def _problems(self, problem: Any) -> list[Lesson]:
        return [self._lesson(problem, first=not self._has_begun())]

    def _solutions(self, problem: Any, watch: Watch, listener: Listener, **options: Any) -> Solutions:
        self._check_slope()
        lesson = self._lesson(problem, first=True)
        values = lesson.problem.values
        if values.size and 0 < (size := max(float(values.max()), -float(values.min()))) < TINY:
            raise ValueError(f"X must reach {TINY} for a network to notice, not {size:.1g}; standardize the features.")
        random = check_random_state(self.random_state)
        rule = self._drawn(lesson, random)
        lesson = self._held_out(lesson, random)
        if self.batch_size != "auto" and int(self.batch_size) > lesson.n_rows:
            rule.notes.append(f"batch_size={self.batch_size} exceeds the {lesson.n_rows} rows: they make one batch.")
        listener.open(int(self.max_iter))
        with one_blas_thread():
            return [self._driven(rule, lesson, watch, listener)]

    def _held_out(self, lesson: Lesson, random: Any) -> Lesson:
        """With early stopping, the lesson without a share of its rows that is held out."""
        if not self.early_stopping:
            return lesson
        from sklearn.model_selection import train_test_split  # 0.2 s of imports that few fits need

        lesson.problem.check_finite()
        strata = lesson.problem.labels[lesson.rows] if is_classifier(self) else None
        try:
            rows, held = train_test_split(
                lesson.rows, test_size=self.validation_fraction, random_state=random, stratify=strata
            )
        except ValueError as error:
            wanted = f"False, as {self.validation_fraction} of {lesson.n_rows} rows cannot be held out ({error})"
            raise refused("early_stopping", True, wanted, "give more rows, or another validation_fraction") from None
        return replace(lesson, rows=rows, held=held)

    def _has_begun(self) -> bool:
        return hasattr(self, "coefs_")

    def _traces(self) -> bool:
        return False  # its weights are none of a plane

    __sklearn_is_fitted__ = _has_begun

    def _pass_over(self, problem: Any, X: Any, first: bool) -> None:
        if self.early_stopping:
            raise refused("early_stopping", True, "False for partial_fit", "rows are held out of a whole fit")
        self._check_slope()
        with one_blas_thread():
            super()._pass_over(problem, X, first)

    def _continued(self, problem: Any, problems: list[Lesson], first: bool) -> list[Rule]:
        """The rule of the last portion with the present parameters; a new one for the first, or for another dtype."""
        (lesson,) = problems
        if first:
            rule = self._drawn(lesson, check_random_state(self.random_state))
        elif self._rules and cast(NetworkRule, self._rules[0]).net.w.dtype == lesson.problem.dtype:
            rule = cast(NetworkRule, self._rules[0])
        else:
            rule = self._present(lesson, check_random_state(self.random_state))
        rule.go_on(self._plan(TrainingPlan))
        return [rule]

    def _set_weights(self, A: NDArray[Any]) -> None:
        self.coefs_, self.intercepts_ = unpack(A[0], self._units)
        self.n_outputs_, self.n_layers_ = int(self._units[-1]), self._units.size

    def _publish(self, solutions: Solutions, problem: Any, X: Any) -> None:
        super()._publish(solutions, problem, X)
        if solutions[0].findings.validation:
            self.history_["validation"] = np.array(solutions[0].findings.validation)

    def _remedy(self) -> str:
        if self.history_["criterion"][-1] > self.history_["criterion"][0]:
            return "a smaller learning_rate, for the loss has risen, or standardize the features."
        return "raise max_iter or learning_rate, or standardize the features."

    def _warn(self, watch: Watch, solutions: Solutions) -> None:
        for note in solutions[0].findings.notes:
            warn_user(UserWarning(note))
        super()._warn(watch, solutions)

    def _by_hand(self, coefs: Any, intercepts: Any) -> None:
        self._check_parameters()
        W = [finite_layer(f"coefs[{place}]", layer, 2) for place, layer in enumerate(coefs)]
        if not W:
            raise ValueError("coefs must not be empty; give the weights (inputs, outputs) of each layer.")
        given = [np.zeros(layer.shape[1], layer.dtype) for layer in W] if intercepts is None else intercepts
        b = [finite_layer(f"intercepts[{place}]", layer, 1) for place, layer in enumerate(given)]
        if len(b) != len(W):
            raise ValueError(f"intercepts must have {len(W)} layers as coefs, not {len(b)}; give one vector for each.")
        for place, (layer, biases) in enumerate(zip(W, b, strict=True)):
            if biases.size != layer.shape[1] or (place > 0 and len(layer) != W[place - 1].shape[1]):
                found = f"coefs[{place}], of shape {layer.shape}, must fit the layer before and {biases.size} biases"
                raise ValueError(f"{found}; give a row for each output before it, and a bias for each column.")
        self._rules, self._portions = [], [Epochs()]
        self._units = np.array([len(W[0]), *(layer.shape[1] for layer in W)], np.int64)
        self.n_features_in_, self.hidden, self.n_iter_ = len(W[0]), tuple(self._units[1:-1].tolist()), 0
        self._set_weights(pack(W, b, np.result_type(*W))[None])

    def _inputs(self, X: Any) -> NDArray[Any]:
        """The activation inputs of the output units for every row: (n, outputs)."""
        f, n = FUNCTIONS[self.activation], X.shape[0]
        parts = []
        for start in range(0, n, BLOCK):
            h = X[start : start + BLOCK]
            for place, (W, b) in enumerate(zip(self.coefs_, self.intercepts_, strict=True)):
                h = np.asarray(h @ W) + b
                h = f(h) if place < len(self.coefs_) - 1 else h
            parts.append(h)
        return np.concatenate(parts)

    def gradient(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
        """Give the gradient of the criterion at the present weights, all rows taken as one batch.

        Parameters
        ----------
        y : array of shape (n,) or (n, outputs)
            Labels of a classifier, values of a regressor.

        Returns
        -------
        tuple of two lists of arrays
            The derivatives with respect to ``coefs_`` and to ``intercepts_``.
        """
        check_is_fitted(self)
        self._check_slope()
        lesson = self._aimed(X, y, sample_weight, reset=False)
        with one_blas_thread():
            return unpack(self._present(lesson, None).gradient(lesson), self._units)

    def layers(self, weights: Any) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
        """Take a row of ``history_["weights"]`` apart: the weights and the biases of each layer.

        Parameters
        ----------
        weights : array of shape (number of weights,)
            All weights of the network after a step.

        Returns
        -------
        tuple of two lists of arrays
            As ``coefs_`` and ``intercepts_``, for ``with_weights``.

        Examples
        --------
        >>> from discriminant import MultilayerPerceptron, datasets
        >>> X, y = datasets.xor()
        >>> net = MultilayerPerceptron((2,), tol=1, n_iter_no_change=3, record="weights", random_state=0).fit(X, y)
        >>> net.history_["weights"].shape
        (6, 9)
        >>> coefs, intercepts = net.layers(net.history_["weights"][-1])
        >>> bool((coefs[0] == net.coefs_[0]).all() and (intercepts[1] == net.intercepts_[1]).all())
        True
        """
        check_is_fitted(self)
        w, size = np.asarray(weights), sum(part.size for part in (*self.coefs_, *self.intercepts_))
        if w.shape != (size,):
            raise refused("weights.shape", w.shape, f"({size},)", 'give a row of history_["weights"]')
        return unpack(w, self._units)

    def _collapsed(self) -> NDArray[Any]:
        """The one linear layer, (outputs, 1 + inputs), that a network of linear units amounts to."""
        if self.activation != "linear" and len(self.coefs_) > 1:
            raise refused("activation", self.activation, "'linear' for one layer to be the same", "or take hidden=()")
        B = np.vstack([self.intercepts_[0], self.coefs_[0]]).astype(np.float64)
        for W, b in zip(self.coefs_[1:], self.intercepts_[1:], strict=True):
            B = B @ W
            B[0] += b
        return B.T


def finite_layer(name: str, values: Any, ndim: int) -> NDArray[Any]:
    """Weights of a layer as an array of floats; float32 stays float32."""
    array = np.asarray(values)
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    if array.ndim != ndim or array.size == 0 or not all_finite(array):
        shape = "(inputs, outputs)" if ndim == 2 else "(outputs,)"
        raise ValueError(f"{name} must be finite and of shape {shape}, not {array.shape}; give such numbers.")
    return array
