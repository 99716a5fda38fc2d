"""The multi-layer perceptron: layers of neurons, each a perceptron with a smooth threshold, learned by backpropagation.

Problem: one linear discriminant cannot separate the exclusive or.  A layer of hidden units, each with a line of its
own, maps the patterns to where it can be done:

    h = f(W₁ᵗx + b₁),   y = f_o(W₂ᵗh + b₂)

with f the sigmoid, the hyperbolic tangent or max(0, a).  Linear units would gain nothing: y = A₂A₁x = Bx is one
linear layer, and ``collapse`` gives it.  The weights follow the gradient of the error E between target and obtained
outputs,

    w ← w - η∇E(w)

which the backward pass hands from layer to layer (``backpropagation``).  The steps end in a local minimum of E, which
need not be the best one; another seed may find a better one.

Source: *Machine Learning: Theory and Practice*, §8.6, Examples 15 to 17.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from .._engine.labels import encode, encode_known
from .._engine.problem import Problem, check_weight, make_problem
from .._guards.parameters import Choice, refused
from ..base.class_weights import check_class_weight
from ..base.classifier import OnlineClassifier
from ..base.inherited_docs import estimator
from ..base.probabilities import ProbabilityMixin
from ..geometry import Hyperplane, LinearMachine
from ..solution import Solution
from .backpropagation import Output
from .base import NetworkEstimator
from .training import Lesson, lesson


@estimator
class MultilayerPerceptron(ProbabilityMixin, NetworkEstimator, OnlineClassifier):
    """A feed-forward network of neurons as a classifier, learned by backpropagation.

    Two classes have one output unit, the probability of ``classes_[1]``; more classes have one each.

    Parameters
    ----------
    loss
        The log loss, of sigmoid output for two classes and of softmax for more; or the book's squared error of
        sigmoid outputs, halved; several of these are divided by their sum to be probabilities.

    Notes
    -----
    Rows of a CSR matrix are made dense batch by batch.  When the loss is not finite any more, the fit raises, and the
    network is what it was before it.  With the seed and the parameters of scikit-learn's ``MLPClassifier`` it
    draws the same weights and the same order, and makes the same steps.

    References
    ----------
    *Machine Learning: Theory and Practice*, §8.6, Examples 15 to 17; Kingma, Ba, *Adam: a method for stochastic
    optimization*, 2015.

    Examples
    --------
    Two hidden units and no biases for the exclusive or (Example 17); no fit is needed:

    >>> from discriminant import MultilayerPerceptron, datasets
    >>> X, y = datasets.xor()
    >>> net = MultilayerPerceptron(activation="sigmoid").with_weights([[[1, 8], [1, 8]], [[-30], [25]]])
    >>> net.predict_proba([[0, 0], [0, 1], [1, 0], [1, 1]])[:, 1].round(5).tolist()
    [0.07586, 0.95521, 0.95521, 0.19405]
    >>> bool((net.predict(X) == y).all())
    True

    Four units find weights of their own:

    >>> net = MultilayerPerceptron((4,), "tanh", learning_rate=0.05, max_iter=500, random_state=0).fit(X, y)
    >>> bool((net.predict(X) == y).all()), net.status_.name
    (True, 'CONVERGED')
    """

    _criterion = "mean log loss + alpha |W|^2 / (2 batch)"
    _strategies = ("kesler",)
    _parameters = {
        "loss": Choice(("log", "squared")),
        "class_weight": lambda name, value: check_class_weight(value),
    }
    multiclass = "kesler"

    loss: str = "log"
    class_weight: dict[Any, float] | str | None = None

    def _output(self) -> Output:
        if self.loss == "squared":
            return Output.SIGMOID_SQUARED
        return Output.SIGMOID_LOG if self._units[-1] == 1 else Output.SOFTMAX_LOG

    def _lesson(self, problem: Problem, first: bool) -> Lesson:
        """The problem with the weights of the classes; targets are 1 for the own class of a pattern, else 0."""
        labels, n_outputs = problem.labels, problem.n_outputs if first else self.n_outputs_
        if self.class_weight is not None:
            known = labels[labels >= 0]
            by_class = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_[known])
            each = by_class[np.maximum(labels, 0)] * (problem.weight if problem.weight.size else 1.0)
            weight = check_weight(each, labels.size, problem.dtype)
            labels = np.where(weight > 0, labels, np.int32(-1))
            problem = replace(problem, labels=labels, weight=weight)
        return lesson(problem, labels[:, None] == (1 if n_outputs == 1 else np.arange(n_outputs)))

    def _aimed(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> Lesson:
        X, y = self._validated(X, y, reset)
        problem = make_problem(X, encode_known(y, self.classes_), sample_weight, self.classes_.size)
        return self._lesson(problem, first=reset)

    def _set_weights(self, A: NDArray[Any]) -> None:
        super()._set_weights(A)
        self.multiclass_ = "two-category" if self.n_outputs_ == 1 else "kesler"

    def _pass_over(self, problem: Any, X: Any, first: bool) -> None:
        if self.class_weight == "balanced":
            raise refused("class_weight", "balanced", "a dict for partial_fit", "it cannot see all labels at once")
        super()._pass_over(problem, X, first)

    def _facts(self, solutions: list[Solution[Any]], problem: Problem) -> dict[str, Any]:
        facts = super()._facts(solutions, problem)
        if self.loss == "squared":
            facts["criterion"] = "half the mean of |y - f(x)|^2 + alpha |W|^2 / (2 batch)"
        return facts

    def _is_plane(self) -> bool:
        return len(self.coefs_) == 1 or self.activation == "linear"

    def with_weights(self, coefs: Any, intercepts: Any = None, classes: Any = None) -> Self:
        """Set the network by hand; no fit is needed, and ``partial_fit`` goes on from here without ``classes``.

        Parameters
        ----------
        coefs : list of arrays of shape (inputs, outputs)
            Weights of each layer; ``hidden`` becomes what they say.
        intercepts : list of arrays of shape (outputs,), default=None
            Biases of each layer; None is zero.
        classes : array of shape (c,), default=None
            Labels: two for one output unit, else one for each; 0, 1, ... by default.

        Returns
        -------
        self
            The classifier.
        """
        self._by_hand(coefs, intercepts)
        c = max(2, self.n_outputs_)
        self.classes_ = np.arange(c) if classes is None else encode(np.asarray(classes))[0]
        if self.classes_.size != c:
            raise refused("classes", classes, f"{c} distinct labels", f"there are {self.n_outputs_} output units")
        return self

    def _scores(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self)
        return self._inputs(self._taken(X, reset=False))

    def _probabilities(self, X: Any) -> NDArray[Any]:
        a = self._scores(X)
        return np.asarray(special.expit(np.hstack([-a, a])) if a.shape[1] == 1 else np.exp(self._log_proba(a)))

    def _log_probabilities(self, X: Any) -> NDArray[Any]:
        return self._log_proba(self._scores(X))

    def _log_proba(self, a: NDArray[Any]) -> NDArray[Any]:
        if a.shape[1] == 1:
            return np.asarray(special.log_expit(np.hstack([-a, a])))
        return np.asarray(special.log_softmax(a if self.loss == "log" else special.log_expit(a), axis=1))

    def collapse(self) -> Hyperplane | LinearMachine:
        """Give the one linear layer that a network of linear units amounts to: y = A₂A₁x = Bx.

        Returns
        -------
        Hyperplane or LinearMachine
            The activation inputs of the output units as functions of x: one for two classes, else one for each.
        """
        check_is_fitted(self)
        B = self._collapsed()
        return Hyperplane.from_augmented(B[0]) if len(B) == 1 else LinearMachine(B, self.classes_)
