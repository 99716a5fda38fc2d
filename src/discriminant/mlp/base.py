"""What classifier and regressor share as networks: parameters, the fit, weights by hand, the forward pass."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special
from sklearn.utils import check_random_state

from .._engine.callbacks import listen
from .._engine.driver import Watch, drive
from .._engine.threads import one_blas_thread
from .._guards.parameters import choice, number
from ..exceptions import warn_of, warn_user
from ..solution import Epochs, Report, Solution, Status
from .backpropagation import Output
from .training import BLOCK, UNITS, Lesson, NetworkRule, TrainingPlan, first_weights, pack, unpack

TINY = 1e-100  # features below this are zero to weights of size one

FUNCTIONS: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "sigmoid": special.expit,
    "tanh": np.tanh,
    "relu": lambda a: np.maximum(a, 0),
    "linear": lambda a: a,
}


class NetworkEstimator:
    """What classifier and regressor share: parameters, the fit, weights by hand, the forward pass."""

    hidden: Any
    activation: str
    solver: str
    alpha: float
    batch_size: Any
    learning_rate: float
    momentum: float
    nesterov: bool
    order: str
    max_iter: int
    tol: float
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    random_state: Any

    report_: Report
    status_: Status
    history_: dict[str, NDArray[Any]]
    n_iter_: int
    _rule: NetworkRule | None
    _notes: list[str]

    def _check_network(self) -> None:
        """Refuse parameters that make no sense, by name."""
        self._hidden()
        choice("activation", self.activation, tuple(UNITS))
        choice("solver", self.solver, ("adam", "sgd"))
        choice("order", self.order, ("random", "cyclic"))
        choice("nesterov", self.nesterov, (True, False))
        choice("early_stopping", self.early_stopping, (True, False))
        if self.batch_size != "auto":
            whole("batch_size", self.batch_size, "give the rows of a batch, 1 or more, or 'auto'")
        whole("max_iter", self.max_iter, "give a whole number of passes, 1 or more")
        whole("n_iter_no_change", self.n_iter_no_change, "give a whole number of passes, 1 or more")
        number("alpha", self.alpha, "give a penalty of 0 or more", 0, closed=True)
        number("learning_rate", self.learning_rate, "give a positive step", 0)
        number("momentum", self.momentum, "give a number from 0 to below 1", 0, closed=True, high=1)
        number("tol", self.tol, "give a tolerance of 0 or more", 0, closed=True)
        number("validation_fraction", self.validation_fraction, "give a share between 0 and 1", 0, high=1)

    def _hidden(self) -> list[int]:
        """The numbers of hidden units; one number is one layer."""
        sizes = [self.hidden] if isinstance(self.hidden, int | np.integer) else self.hidden
        try:
            return [whole("hidden", units, "give the units of each hidden layer, (64,) or ()") for units in sizes]
        except TypeError:
            raise ValueError(f"hidden={self.hidden!r} is no list of sizes: give (64,), (32, 16) or ().") from None

    def _drawn(self, lesson: Lesson, random: Any) -> NetworkRule:
        """The rule with random first weights."""
        self._units = np.array([lesson.problem.n_features, *self._hidden(), lesson.T.shape[1]], np.int64)
        w = first_weights(self._units, self.activation, random, lesson.problem.dtype)
        return NetworkRule(w, self._units, self._output(), TrainingPlan.of(self), random)

    def _output(self) -> Output:
        """The kind of the output units and their error, for as many as ``_units`` says."""
        raise NotImplementedError

    def _strata(self, lesson: Lesson) -> NDArray[Any] | None:
        """Labels whose shares the rows held out must keep, or None."""
        return None

    def _driven(self, lesson: Lesson, watch: Watch, X: Any, y: Any, sample_weight: Any) -> Solution[Any]:
        """Drive the rule from random weights; callbacks that listen see the model as if the fit ended now."""
        values = lesson.problem.source
        values = values.data if sparse.issparse(values) else values
        if values.size and 0 < (size := max(float(values.max()), -float(values.min()))) < TINY:
            raise ValueError(
                f"the features are at most {size:.1g}, too small for a network to notice: divide the features by "
                f"{size:.1g}, or standardize them."
            )
        random = check_random_state(self.random_state)
        rule, epochs = self._drawn(lesson, random), 0
        lesson = self._held_out(lesson, random)
        if self.batch_size != "auto" and self.batch_size > lesson.n_rows:
            rule.notes.append(f"batch_size={self.batch_size} exceeds the {lesson.n_rows} rows: they make one batch.")
        listener = listen(self, int(self.max_iter), X, y, sample_weight)
        if listener is None:
            with one_blas_thread():
                return drive(rule, lesson, int(self.max_iter), watch)

        def attributes() -> dict[str, Any]:
            seen = copy(self)
            seen._set_weights(rule.answer)
            return {**seen.__dict__, "n_iter_": epochs}

        def end() -> bool:
            nonlocal epochs
            epochs += 1
            return listener.end(attributes)

        with one_blas_thread():
            solution = drive(rule, lesson, int(self.max_iter), watch, listener.begin, end)
        self._set_weights(rule.answer)  # so that the callbacks find a fitted model
        self.n_iter_, self.status_ = epochs, solution.status
        listener.finish()
        return solution

    def _held_out(self, lesson: Lesson, random: Any) -> Lesson:
        """With early stopping, the lesson without a share of its rows that is held out."""
        if not self.early_stopping:
            return lesson
        from sklearn.model_selection import train_test_split  # 0.2 s of imports that few fits need

        lesson.problem.check_finite()
        options = {"test_size": self.validation_fraction, "random_state": random, "stratify": self._strata(lesson)}
        try:
            rows, held = train_test_split(lesson.rows, **options)
        except ValueError as error:
            raise ValueError(
                f"early_stopping=True holds out validation_fraction={self.validation_fraction} of {lesson.n_rows} "
                f"rows, which cannot be done ({error}): give more rows or set early_stopping=False."
            ) from None
        return replace(lesson, rows=rows, held=held)

    def _portion(self, lesson: Lesson, watch: Watch, first: bool) -> Solution[Any]:
        """One pass over a portion of data, going on from the present weights."""
        if self.early_stopping:
            raise ValueError("early_stopping=True holds rows out of a whole fit: set it to False for partial_fit.")
        rule: NetworkRule | None = getattr(self, "_rule", None)
        if first:
            rule, self._told = self._drawn(lesson, check_random_state(self.random_state)), Epochs()
        elif rule is None or rule.net.w.dtype != lesson.problem.dtype:
            w = pack(self.coefs_, self.intercepts_, lesson.problem.dtype)
            rule = NetworkRule(
                w, self._units, self._output(), TrainingPlan.of(self), check_random_state(self.random_state)
            )
        self._rule = rule
        rule.go_on(TrainingPlan.of(self))
        with one_blas_thread():
            solution = drive(rule, lesson, 1, watch)
        self._told.extend(solution.epochs)
        solution.epochs = self._told
        return solution

    def _set_weights(self, A: NDArray[Any]) -> None:
        self.coefs_, self.intercepts_ = unpack(A[0], self._units)
        self.n_outputs_, self.n_layers_ = int(self._units[-1]), self._units.size

    def _conclude(self, solution: Solution[Any]) -> None:
        """Publish what is the network's own: its notes, and the history of the rows held out."""
        self._notes, self._told = list(solution.findings.notes), solution.told
        if solution.findings.validation:
            self.history_["validation"] = np.array(solution.findings.validation)

    def _remedy(self) -> str:
        """What to try when the loss was still falling."""
        if self.history_["criterion"][-1] > self.history_["criterion"][0]:
            return "a smaller learning_rate, for the loss has risen, or standardize the features."
        return "raise max_iter or learning_rate, or standardize the features."

    def _warn(self, watch: Watch, solutions: Any = None) -> None:
        """Warn when the fit was interrupted or had not finished."""
        for note in self._notes:
            warn_user(UserWarning(note))
        warn_of(self.report_, watch.interrupted)

    def _by_hand(self, coefs: Any, intercepts: Any) -> None:
        """Check and take weights that were set by hand."""
        self._check_network()
        W = [finite_layer(f"coefs[{place}]", layer, 2) for place, layer in enumerate(coefs)]
        if not W:
            raise ValueError("coefs is empty: give the weights (inputs, outputs) of each layer.")
        given = [np.zeros(layer.shape[1], layer.dtype) for layer in W] if intercepts is None else intercepts
        b = [finite_layer(f"intercepts[{place}]", layer, 1) for place, layer in enumerate(given)]
        if len(b) != len(W):
            raise ValueError(f"intercepts has {len(b)} layers and coefs has {len(W)}: give one vector for each matrix.")
        for place, (layer, biases) in enumerate(zip(W, b, strict=True)):
            if biases.size != layer.shape[1] or (place > 0 and len(layer) != W[place - 1].shape[1]):
                raise ValueError(
                    f"coefs[{place}] has shape {layer.shape} and intercepts[{place}] has {biases.size}: a layer has a "
                    "row for each output of the layer before it, and a bias for each column."
                )
        self._rule, self._told = None, Epochs()
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

    def _gradient(self, lesson: Lesson) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
        """The gradient of the criterion over all rows of the lesson, as one batch."""
        w = pack(self.coefs_, self.intercepts_, lesson.problem.dtype)
        with one_blas_thread():
            gradient = NetworkRule(w, self._units, self._output(), TrainingPlan.of(self), None).gradient(lesson)
        return unpack(gradient, self._units)

    def _collapsed(self) -> NDArray[Any]:
        """The one linear layer, (outputs, 1 + inputs), that a network of linear units amounts to."""
        if self.activation != "linear" and len(self.coefs_) > 1:
            raise ValueError(
                f"activation={self.activation!r}: only a network of linear units (activation='linear', or hidden=()) "
                "is the same as one linear layer."
            )
        B = np.vstack([self.intercepts_[0], self.coefs_[0]]).astype(np.float64)
        for W, b in zip(self.coefs_[1:], self.intercepts_[1:], strict=True):
            B = B @ W
            B[0] += b
        return B.T

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coefs_")


def whole(name: str, value: Any, remedy: str) -> int:
    """``value`` as a whole number of 1 or more; otherwise an error that names it."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name}={value!r} must be a whole number >= 1; {remedy}.")
    return int(value)


def finite_layer(name: str, values: Any, ndim: int) -> NDArray[Any]:
    """Weights of a layer as an array of floats; float32 stays float32."""
    array = np.asarray(values)
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    if array.ndim != ndim or array.size == 0 or not np.all(np.isfinite(array)):
        shape = "(inputs, outputs)" if ndim == 2 else "(outputs,)"
        raise ValueError(f"{name} has shape {array.shape} or holds NaN or infinity: give finite numbers {shape}.")
    return array
