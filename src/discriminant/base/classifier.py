"""What all linear classifiers share: validate, encode, solve, publish; and predict.

A two-category procedure serves many classes by one against the rest or one against one; a procedure that has a
linear machine of its own takes Kesler's rule.  Ties and ambiguous regions stay visible in ``undecided``.

Tests: ``tests/base/test_classifier.py``, ``tests/base/test_online.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from .._blocks.blocks import Blocks
from .._blocks.problem import StreamedProblem
from .._blocks.roles import Roles
from .._blocks.survey import ClassTally, known_classes, survey
from .._engine.callbacks import with_callbacks
from .._engine.driver import interrupt_raises
from .._engine.labels import encode, encode_known
from .._engine.problem import Problem, make_problem
from .._guards.held import COMMON, COURSE, OUTCOME, WEIGHTS, Held
from .._guards.parameters import Choice, refused
from .._guards.state import all_or_nothing
from .._guards.validation import all_finite, is_plain, taken
from ..multiclass import ambiguous, n_problems, pairwise_scores, votes
from ..solution import Report, Solution, Status, details_of, epochs_of, history_of
from .diagnosis import diagnosis
from .iterative import IterativeEstimator, Solutions, SolvingEstimator, available_when, start_vectors, streaming
from .lazy_report import LazyFacts
from .streams import StreamedEstimator, pass_by_pass
from .trace import Trace, TrainingData, trace_of

if TYPE_CHECKING:
    from ..separation.verdict import Separability


def exempt(reason: str) -> dict[str, str]:
    """The exemption of a procedure for which a weight of two is not two rows."""
    return {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in ("dense", "sparse")}


# of rules whose answer depends on the order of visits: a weight of two is not two visits in a row
ORDER_OF_VISITS = exempt("the answer depends on the order of visits")


class LinearClassifier(StreamedEstimator, SolvingEstimator, ClassifierMixin, BaseEstimator):
    """Base of the classifiers: data in, ``_solutions`` for the mathematics, fitted attributes out.

    Parameters
    ----------
    multiclass
        What to do with more than two classes.
    class_weight : dict, "balanced" or None
        Weights of the classes by label; ``"balanced"`` gives all classes the same total.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (k, d) and (k,)
        Weights w and threshold weights w₀ of the k discriminants: one for two classes, else one a class or a pair.
    weights_ : array of shape (d+1,) or (k, d+1)
        Augmented weights (w₀, w).
    classes_ : array of shape (c,)
        Labels, sorted; ``classes_[1]`` is the positive class of two.
    status_, report_
        Why it stopped, and what happened in words.
    """

    _held: Held = COMMON | OUTCOME | COURSE | WEIGHTS
    _held |= {"classes_": "labels c", "multiclass_": "text", "intercept_": "float k"}

    _criterion = ""
    _strategies: tuple[str, ...] = ("one-vs-rest", "one-vs-one")
    _expected_failed_checks: dict[str, str] = {}

    multiclass: str

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @with_callbacks
    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from patterns X with labels y.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
            Patterns; for ``kernel="precomputed"`` their kernel matrix.
        y : array of shape (n,)
            Labels of two or more classes; of two, the one that sorts last is the positive class.
        sample_weight : array of shape (n,), default=None
            Weights; a row of weight zero counts as absent.

        Returns
        -------
        self
            The fitted classifier.
        """
        self._fit(X, y, sample_weight)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, **options: Any) -> list[Solution[Any]]:
        """Fit, with what else the procedure's ``_solutions`` takes, and give what was found."""
        self._check_parameters()
        given_X, given_y = X, y
        X, y = self._validated(X, y, reset=True)
        self.classes_, labels = encode(y)
        if self.classes_.size < 2:
            found = f"y holds one class, {self.classes_.tolist()}, and must hold at least two"
            raise ValueError(f"{found}; add rows of another class.")
        problem = make_problem(X, labels, sample_weight, self.classes_.size)
        return self._learn(problem, given_X, given_y, sample_weight, **options)

    def _portion(self, X: Any, y: Any, classes: Any, sample_weight: Any, first: bool) -> Problem:
        """The problem of a portion of data, whose first names all classes."""
        X, y = self._validated(X, y, reset=first)
        if first:
            if classes is None:
                raise refused("classes", None, "all classes that will ever come", "give them at the first call")
            self.classes_, _ = encode(np.asarray(classes))
            if self.classes_.size < 2:
                raise refused("classes", self.classes_.tolist(), "at least two", "give all that will ever come")
        elif classes is not None and not np.array_equal(np.unique(np.asarray(classes)), self.classes_):
            raise refused("classes", classes, f"those of the first call, {self.classes_.tolist()}", "leave them out")
        return make_problem(X, encode_known(y, self.classes_), sample_weight, self.classes_.size)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        Choice(self._strategies)("multiclass", self.multiclass)

    def _validated(self, X: Any, y: Any, reset: bool) -> tuple[Any, NDArray[Any]]:
        """X and y as arrays; whether X is finite is seen in the first pass over it."""
        checked: tuple[Any, NDArray[Any]] = self._taken(X, y, reset=reset, order="C", ensure_all_finite=False)
        return checked

    def _taken(self, *data: Any, **options: Any) -> Any:
        """scikit-learn's validation, made safe."""
        return taken(self, *data, **options)

    def _problems(self, problem: Problem) -> list[Any]:
        """The problem itself for two classes or Kesler's rule, else one problem of two categories each."""
        if problem.n_outputs == 1:
            self.multiclass_ = "two-category"
            return [problem]
        self.multiclass_ = self.multiclass
        if self.multiclass == "kesler":
            return [problem]
        return list(problem.split(self.classes_.size, self.multiclass))

    def _publish(self, solutions: list[Solution[Any]], problem: Any, X: Any) -> None:
        self.status_ = Status.worst(solution.status for solution in solutions)
        self.n_iter_ = self._iterations(solutions)
        self.n_corrections_ = sum(solution.n_corrections for solution in solutions)
        self.history_ = history_of(solutions)
        self._set_weights(np.concatenate([solution.weights for solution in solutions]))
        theorem = self._theorem(solutions[0], problem) if len(solutions) == 1 else None
        self.report_ = Report(self._facts(solutions, problem), LazyFacts(X, problem, theorem, self._is_plane()))

    def _iterations(self, solutions: list[Solution[Any]]) -> int:
        return max(1, *(solution.n_iter for solution in solutions), 1)

    def _set_weights(self, A: NDArray[Any]) -> None:
        self.weights_ = A[0] if len(A) == 1 else A
        self.coef_, self.intercept_ = np.ascontiguousarray(A[:, 1:]), A[:, 0].copy()

    def _facts(self, solutions: list[Solution[Any]], problem: Problem) -> dict[str, Any]:
        last = [solution.epochs[-1].errors for solution in solutions if solution.epochs]
        return {
            "procedure": type(self).__name__,
            "status": self.status_.name,
            "reason": self.status_.sentence,
            "criterion": self._minimized(),
            "iterations": self.n_iter_,
            "corrections": self.n_corrections_,
            "errors": 0 if self.status_ is Status.SEPARATED else int(sum(last)) if last else None,
            "n_samples": problem.n_rows,
            "n_features": problem.n_features,
            "n_classes": int(self.classes_.size),
            "multiclass": self.multiclass_,
            "bound": None,
            "inseparable": any(solution.findings.inseparable for solution in solutions),
            "details": self._details(solutions),
            "notes": self._remarks(solutions),
            "remedy": None if self.status_.finished or self.status_ is Status.STOPPED else self._remedy(),
        }

    def _minimized(self) -> str:
        return self._criterion

    def _details(self, solutions: list[Solution[Any]]) -> dict[str, Any]:
        """The lines of the report that are the procedure's own."""
        return details_of(solutions)

    def _remarks(self, solutions: list[Solution[Any]]) -> list[str]:
        """The notes of all problems, equal ones once."""
        return list(dict.fromkeys(note for solution in solutions for note in solution.findings.notes))

    def _remedy(self) -> str:
        """What to try when the fit did not finish."""
        return "raise max_iter, or standardize the features."

    def _is_plane(self) -> bool:
        """Whether the classes are parted by a plane among the patterns, so that Cover's count of planes applies."""
        return True

    def _theorem(self, solution: Solution[Any], problem: Problem) -> Callable[[Any], float | None] | None:
        """The number of corrections that a theorem allows, given the patterns; None without one."""
        return None

    def _scores(self, X: Any) -> NDArray[Any]:
        """The discriminants of every row: (n, number of weight vectors)."""
        if self._takes_short_path(X):
            scores = X @ self.coef_.T + self.intercept_
            if all_finite(scores):
                return np.asarray(scores)
        check_is_fitted(self)
        X = self._taken(X, reset=False)
        return np.asarray(X @ self.coef_.T + self.intercept_)

    def _takes_short_path(self, X: Any) -> bool:
        known = self.__dict__
        as_fitted = "coef_" in known and "feature_names_in_" not in known
        return as_fitted and is_plain(X) and X.shape[1] == known.get("n_features_in_")

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Discriminants: g(x) for two classes, positive for ``classes_[1]``; one column a class for more.

        Returns
        -------
        array of shape (n,) or (n, c)
            For one against one, the votes of each class plus a confidence below one half that orders equal votes.
        """
        scores = self._scores(X)
        if self.multiclass_ == "two-category":
            return scores[:, 0]
        if self.multiclass_ == "one-vs-one":
            return pairwise_scores(scores, self.classes_.size)
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Classes of the rows of X; g = 0 is the positive class, equal discriminants the lowest index.

        Returns
        -------
        array of shape (n,)
            Labels.
        """
        decision = self.decision_function(X)
        index = (decision >= 0).astype(np.intp) if decision.ndim == 1 else decision.argmax(axis=1)
        return np.asarray(self.classes_[index])

    def diagnose(self, X: Any, y: Any, *, max_seconds: float | None = 5.0) -> Separability:
        """Tell whether any plane could separate these data, and add verdict, proof and remedy to ``report_``.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
            The patterns of the fit, as they were given.
        y : array of shape (n,)
            Their labels.
        max_seconds : float or None, default=5.0
            Seconds that the verdict may take. Where they are not enough, the report says so; None waits for it.

        Returns
        -------
        Separability
            What :func:`discriminant.separability` says of the data. For three classes or more the report looks at one
            linear machine, at each class against the rest or at each pair, as the fit did. A verdict that was not
            found in time is searched again when it is asked for.

        Examples
        --------
        >>> import warnings
        >>> from discriminant import NotConvergedWarning, Perceptron, datasets
        >>> X, y = datasets.xor()
        >>> with warnings.catch_warnings(action="ignore", category=NotConvergedWarning):
        ...     model = Perceptron().fit(X, y)
        >>> model.diagnose(X, y).verdict
        'overlap'
        >>> model.report_.to_dict()["remedy"]
        'No weights reach zero errors: ... minimum_removals(X, y).'
        """
        from ..separation.verdict import pose  # 0.2 s of imports that few fits need

        check_is_fitted(self)
        if np.shape(X)[1:] != (self.n_features_in_,):
            raise ValueError(f"X has shape {np.shape(X)}; give the {self.n_features_in_} columns of the fit.")
        found = pose(X, y, max_seconds=max_seconds)
        if self.classes_.tolist() != (labels := [label for group in found.groups for label in group]):
            raise ValueError(f"y has the classes {labels}; give those of the fit, {self.classes_.tolist()}.")
        clean = bool(np.all(self.predict(X) == np.ravel(y)))
        self.report_.add(diagnosis(found, self.multiclass_, self._is_plane(), clean))
        return found

    def undecided(self, X: Any) -> NDArray[np.bool_]:
        """Which rows the discriminants leave undefined: on the plane, tied, or in an ambiguous region.

        Returns
        -------
        array of bool of shape (n,)
            True where ``predict`` had to make a choice that the discriminants do not make.
        """
        scores = self._scores(X)
        if self.multiclass_ == "two-category":
            return np.asarray(scores[:, 0] == 0)
        return ambiguous(scores, self.classes_.size, self.multiclass_)

    def votes(self, X: Any) -> NDArray[np.int64]:
        """Votes for each class: claims of one against the rest, won pairs of one against one.

        Returns
        -------
        array of int of shape (n, c)
            Ties for the most votes are the ambiguous rows of ``undecided``.
        """
        scores = self._scores(X)
        if self.multiclass_ not in ("one-vs-rest", "one-vs-one"):
            wanted = "'one-vs-rest' or 'one-vs-one' for votes"
            raise refused("multiclass", self.multiclass_, wanted, "its largest discriminant decides")
        return votes(scores, self.classes_.size, self.multiclass_)

    def _after_load(self) -> None:
        """Make what a model file does not hold: that from which ``partial_fit`` goes on."""
        self._rules = []
        self._portions = epochs_of(self.history_, n_problems(self.classes_.size, self.multiclass_))


class IterativeClassifier(IterativeEstimator, LinearClassifier):
    """Base of the classifiers that the driver runs."""

    _training: TrainingData

    def _learn(self, problem: Any, X: Any, y: Any, sample_weight: Any, **options: Any) -> Solutions:
        solutions = super()._learn(problem, X, y, sample_weight, **options)
        self._training = TrainingData(problem if "weights" in self.history_ and isinstance(problem, Problem) else None)
        return solutions

    def _pass_over(self, problem: Any, X: Any, first: bool) -> None:
        self._training = TrainingData()  # a portion is not all of the data
        super()._pass_over(problem, X, first)

    def _fit_blocks(self, blocks: Blocks) -> None:
        found = None if getattr(self, "class_weight", None) is not None else known_classes(blocks)
        with interrupt_raises():  # there are no weights before the classes are known
            found = survey(blocks) if found is None else found
        self.classes_, tally = found.classes, found.tally
        problem = StreamedProblem(
            blocks, found.n_rows, self.classes_.size, int(tally.rows.sum()), Roles(self.classes_),
            float(tally.heaviest.max()),
        )  # fmt: skip
        self._learn(self._balanced(problem, tally), None, None, None)

    def _balanced(self, problem: StreamedProblem, tally: ClassTally) -> StreamedProblem:
        """The problem with the weights of the classes, where the procedure knows such."""
        return problem

    def _traces(self) -> bool:
        """Whether corrections of one weight vector can be told one by one."""
        return hasattr(self, "record")

    @available_when(lambda model: model._traces())
    def trace(self, X: Any = None, y: Any = None) -> Trace:
        """Tell the corrections of the fit one by one, as the books' tables do: the pattern, aᵗy and the new weights.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d), default=None
            The patterns of the fit; needed where they are more than 1 MB, came in portions, or the model from a file.
        y : array of shape (n,), default=None
            Their labels.

        Returns
        -------
        Trace
            It prints as a table, and is one in a notebook. For two classes, after a fit with ``record="weights"``; not
            of curved kernels and networks, whose weights are none of a plane.

        See Also
        --------
        discriminant.plot.replay : The same as a page on which the line moves.

        Examples
        --------
        >>> from discriminant import Perceptron, datasets
        >>> model = Perceptron(record="weights").fit(*datasets.or_function())
        >>> print(model.trace())
        k  pattern           y  a(k)'y  a(k+1)
                                        a(1) = (0, 0, 0)
        1        0  (-1, 0, 0)       0  (-1, 0, 0)
        2        1   (1, 0, 1)      -1  (0, 0, 1)
        ...
        8        2   (1, 1, 0)       0  (0, 2, 2)
        9        0  (-1, 0, 0)       0  (-1, 2, 2)
        """
        check_is_fitted(self)
        if "weights" not in self.history_:
            raise refused("record", getattr(self, "record", None), "'weights' for a trace", "set it, and fit again")
        if (X is None) != (y is None):
            raise refused("X" if X is None else "y", None, "given with the other", "give both, or neither")
        known = getattr(self, "_training", TrainingData())(self.classes_) if X is None else (X, y)
        if known is None:
            raise refused("X", None, "the patterns of the fit, which this model has not", "give them, trace(X, y)")
        return trace_of(self, known[0], known[1], is_given=X is not None)

    def _shares(self) -> int:
        return n_problems(self.classes_.size, self.multiclass_)

    def _starts(self, problem: Any, n_problems: int) -> list[NDArray[Any]]:
        rows = problem.n_outputs if self.multiclass_ == "kesler" else 1
        return start_vectors(self.start, problem, n_problems, rows)


class OnlineClassifier(IterativeClassifier):
    """Base of the single-sample rules: they can go on with data that arrive in portions."""

    @streaming
    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Make one pass over a portion of data, going on from the present weights.

        Returns
        -------
        self
            The classifier.
        """
        self._check_parameters()
        first = not self._has_begun()
        self._pass_over(self._portion(X, y, classes, sample_weight, first), X, first)
        return self

    def _needs_all_rows(self) -> str | None:
        return pass_by_pass(self)
