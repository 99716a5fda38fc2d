"""Piecewise linear machines: several discriminants a class, the largest of which speaks for it.

    g_i(x) = max over j of g_ij(x),        g_ij(x) = w_ijᵗx + w_ij0                                  (Problem 9)

It is a linear machine for subclasses; its regions need not be convex, nor even connected.  The parity of d bits takes
d + 1 weight vectors: w_s = (2s, ..., 2s), w_s0 = -s² for s = 0, ..., d is largest where s bits are set (Problem 10).

The error-correcting rule is Kesler's on the subclasses with the largest discriminants: where the best subclass u of the
pattern's own class does not beat the best subclass v of the others, a_u += η y and a_v −= η y.  There is no theorem
that it ends, and it starts from random weights because equal ones would never part.

Source: Duda, Hart, Stork, *Pattern Classification*, Problems 9 and 10.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from .._engine.driver import Rule, Watch
from .._engine.problem import Problem
from .._engine.rows import Rows, compiled, finite, inlined, row_dot
from .._guards.held import COURSE, OUTCOME, optional
from .._guards.parameters import ORDER, RECORD, Number, refused
from .._guards.validation import all_finite, finite_floats, floats
from ..base.classifier import IterativeClassifier
from ..base.inherited_docs import estimator
from ..solution import Epoch, Status
from .corrections import CorrectionPlan, ErrorCorrectingRule
from .visits import Array, Order, PassTotals, Visits, correct

Owner = NDArray[np.int32]


@inlined
def champions(X: Rows, i: int, label: int, owner: Owner, A: Array) -> Any:
    """Return the best subclass of the pattern's own class, the best of the others, and the margin between them."""
    own, other = -1, -1
    best, rival = A.dtype.type(0), A.dtype.type(0)
    for u in range(A.shape[0]):
        g = row_dot(X, i, A[u])
        if owner[u] == label:
            if own < 0 or g > best:
                own, best = u, g
        elif other < 0 or g > rival:
            other, rival = u, g
    return own, other, best - rival


@compiled
def _epoch(visits: Visits, owner: Owner, A: Array) -> Any:
    """Visit the patterns in the given order and correct the two champions of each error."""
    X, labels, _, order, etas, criterion = visits
    errors, lowest = 0, np.inf
    for t in range(order.size):
        if errors == etas.size:
            return t, errors, errors, criterion, lowest, True
        i = order[t]
        own, other, margin = champions(X, i, labels[i], owner, A)
        if not finite(margin):
            return t, errors, errors, criterion, lowest, False
        lowest = margin if margin < lowest else lowest
        if margin <= 0:
            correct(X, i, own, other, etas[errors], 1, A)
            criterion -= margin
            errors += 1
    return order.size, errors, errors, criterion, lowest, True


@compiled
def _errors(X: Rows, labels: NDArray[np.int32], owner: Owner, start: int, stop: int, A: Array) -> int:
    """Count the patterns whose own class does not win."""
    errors = 0
    for i in range(start, stop):
        _, _, margin = champions(X, i, labels[i], owner, A)
        errors += margin <= 0
    return errors


class PiecewiseRule(ErrorCorrectingRule):
    """One pass over the patterns is one epoch; the best machine at the end of a pass is the answer."""

    def __init__(self, A: Array, owner: Owner, plan: CorrectionPlan) -> None:
        super().__init__(A, plan)
        self.owner, self.best, self.fewest = owner, A.copy(), np.iinfo(np.int64).max

    @property
    def answer(self) -> Array:
        """The machine that leaves the fewest errors, as a pocket would keep it."""
        return self.best

    def visit_all(self, problem: Problem, order: Order, etas: Array, to: Array) -> PassTotals:
        return self.along(self.visits(problem, order, etas), lambda some: _epoch(some, self.owner, to))

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One pass, and a count of the errors that it leaves; the history keeps those of the best machine."""
        totals = self.sweep(problem, watch)
        chunks = watch.chunks(problem.n_rows, problem.work)
        errors = sum(int(_errors(problem.rows, problem.labels, self.owner, *chunk, self.A)) for chunk in chunks)
        if errors < self.fewest:
            self.best, self.fewest = self.A.copy(), errors
        return self.summary(totals._replace(errors=self.fewest), None if self.fewest else Status.SEPARATED)


@estimator
class PiecewiseLinearMachine(IterativeClassifier):
    """Piecewise linear machine: each class speaks through the largest of its discriminants.

    Parameters
    ----------
    n_subclasses : int or sequence of int
        Weight vectors of each class.
    eta : float
        The fixed increment.
    start : array of shape (number of weight vectors, d+1)
        Augmented start vectors, class by class; None draws small ones at random.
    random_state : int, RandomState instance or None
        Seed of the start and of the random order.

    Attributes
    ----------
    weights_ : array of shape (number of weight vectors, d+1)
        Augmented weights, class by class.
    coef_, intercept_ : arrays
        The same as w and w₀.
    subclasses_ : array of int
        For each weight vector, the index of its class in ``classes_``.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, Problems 9 and 10.

    Examples
    --------
    Parity of three bits by four weight vectors:

    >>> import numpy as np
    >>> from discriminant import PiecewiseLinearMachine, datasets
    >>> X, y = datasets.parity(3)
    >>> vectors = np.array([[-s * s, 2 * s, 2 * s, 2 * s] for s in range(4)])
    >>> machine = PiecewiseLinearMachine().with_weights([vectors[::2], vectors[1::2]])
    >>> machine.score(X, y)
    1.0
    """

    _held = optional(OUTCOME | COURSE) | {"subclasses_": "int k", "weights_": "float k 1+d"}
    _criterion = "the sum of g_rival(x) - g_own(x) over the errors"

    multiclass = "kesler"
    _strategies = ("kesler",)
    _parameters = {"eta": Number("give an increment > 0", 0), "order": ORDER, "record": RECORD}

    n_subclasses: Any = 2
    eta: float = 1.0
    order: str = "random"
    start: Any = None
    max_iter: int = 1000
    record: str | None = None
    random_state: Any = None

    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]  # its rule has no use for weights
        """Learn from patterns X with labels y.

        Parameters
        ----------
        y : array of shape (n,)
            Labels of two or more classes.

        Returns
        -------
        self
            The fitted machine.
        """
        return super().fit(X, y)

    def with_weights(self, weights: Any, classes: Any = None) -> Self:
        """Set the machine by hand; it then predicts as if it had been fitted.

        Parameters
        ----------
        weights : sequence of arrays of shape (n_i, d+1)
            For each class its augmented weight vectors (w₀, w).
        classes : array of shape (c,), default=None
            Sorted labels; None is 0, 1, ..., c-1.

        Returns
        -------
        self
            The machine.
        """
        parts = [np.atleast_2d(floats("weights", part, np.float64, "give finite weights")) for part in weights]
        shapes = [part.shape for part in parts]
        fit = all(len(shape) == 2 and shape[0] >= 1 and shape[1:] == shapes[0][1:] for shape in shapes)
        if len(parts) < 2 or not fit or shapes[0][1] < 2:
            raise ValueError(f"weights has parts of shape {shapes}; give two or more of shape (n_i, d+1), equal d.")
        if not all(all_finite(part) for part in parts):
            raise ValueError("weights holds NaN or infinity; give finite numbers.")
        self.classes_ = np.arange(len(parts)) if classes is None else np.asarray(classes)
        if self.classes_.shape != (len(parts),) or not np.array_equal(np.unique(self.classes_), self.classes_):
            raise refused("classes", classes, f"{len(parts)} different labels", "give them in ascending order")
        self.subclasses_ = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part) for part in parts])
        self.multiclass_ = "kesler"
        self.n_features_in_ = parts[0].shape[1] - 1
        self._set_weights(np.vstack(parts))
        return self

    def _problems(self, problem: Problem) -> list[Problem]:
        self.multiclass_ = "kesler"
        counts = np.asarray(self.n_subclasses)
        fits = counts.ndim == 0 or counts.shape == self.classes_.shape
        if not fits or counts.dtype.kind not in "iu" or np.any(counts < 1):
            each = f"give one number, or one for each of the {self.classes_.size} classes"
            raise refused("n_subclasses", self.n_subclasses, "whole and >= 1", each)
        c = self.classes_.size
        self.subclasses_ = np.repeat(np.arange(c, dtype=np.int32), np.broadcast_to(counts, c))
        return [replace(problem, n_outputs=self.subclasses_.size)]

    def _starts(self, problem: Problem, n_problems: int) -> list[NDArray[Any]]:
        shape = (self.subclasses_.size, problem.n_features + 1)
        if self.start is None:
            return [check_random_state(self.random_state).normal(scale=0.01, size=shape).astype(problem.dtype)]
        return [finite_floats("start", self.start, problem.dtype, f"give finite vectors of shape {shape}", shape)]

    def _begin(self, problem: Problem, start: NDArray[Any], online: bool) -> Rule:
        return PiecewiseRule(start, self.subclasses_, self._plan(CorrectionPlan, schedule=float(self.eta)))

    def _scores(self, X: Any) -> NDArray[Any]:
        """The discriminants of the classes, each the largest of its subclasses."""
        scores = super()._scores(X)
        firsts = np.searchsorted(self.subclasses_, np.arange(self.classes_.size))
        return np.asarray(np.maximum.reduceat(scores, firsts, axis=1))

    def decision_function(self, X: Any) -> NDArray[Any]:
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def _is_plane(self) -> bool:
        return False

    def _remedy(self) -> str:
        return "more subclasses, another random_state or a larger max_iter; no theorem says that this rule ends."
