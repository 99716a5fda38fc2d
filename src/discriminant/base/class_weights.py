"""Weights of classes, as scikit-learn's classifiers take them, made into weights of rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._blocks.problem import StreamedProblem
from .._blocks.survey import ClassTally
from .._engine.problem import Problem, check_weight
from .._guards.parameters import Choice, Constraint, Number, refused
from ..solution import Solution
from .classifier import OnlineClassifier

Vector = NDArray[np.float64]


def check_class_weight(class_weight: Any) -> None:
    """Refuse what is neither a known word nor a dict; what a dict holds is looked at when the classes are known."""
    if class_weight is None or isinstance(class_weight, str):
        Choice(("balanced", None))("class_weight", class_weight)
    elif not hasattr(class_weight, "get"):
        raise refused("class_weight", class_weight, "a dict, 'balanced' or None", "give weights by label")


def row_weights(class_weight: Any, classes: NDArray[Any], labels: NDArray[np.int32], given: NDArray[Any]) -> Vector:
    """Weights of the rows, if any are given, times those of their classes; none for a bystander, of label -1."""
    part = labels >= 0
    v = given.astype(np.float64) if given.size else np.ones(labels.size)
    weights = weights_of_classes(class_weight, classes, np.bincount(labels[part], v[part], classes.size).astype(float))
    return np.where(part, weights[labels], 0.0) * v


def weights_of_classes(class_weight: Any, classes: NDArray[Any], totals: Vector) -> Vector:
    """The weight of each class, by name or such that all have the same total; ``totals`` are those that they have."""
    if isinstance(class_weight, str):
        return np.asarray(totals.sum() / (classes.size * np.where(totals > 0, totals, 1.0)))
    return _by_class(class_weight, classes)


def _by_class(class_weight: Any, classes: NDArray[Any]) -> Vector:
    """The weights of a dict by class, 1 for a class that it does not name."""
    known = set(classes.tolist())
    if strange := [label for label in class_weight if label not in known]:
        raise ValueError(
            f"class_weight names {strange[0]!r}, which is not among the classes {sorted(known)}; leave it out."
        )
    weights = [class_weight.get(label, 1.0) for label in classes.tolist()]
    positive = Number("give weights > 0", 0)
    return np.array([positive("class_weight", weight) for weight in weights])


class WeightedClassesClassifier(OnlineClassifier):
    """Base of the single-sample rules that take weights of classes, which weigh the rows before all else."""

    _parameters: dict[str, Constraint] = {"class_weight": lambda name, value: check_class_weight(value)}

    _added_parameters = ("class_weight",)

    class_weight: Any

    def _balanced(self, problem: StreamedProblem, tally: ClassTally) -> StreamedProblem:
        if self.class_weight is None:
            return problem
        factors = weights_of_classes(self.class_weight, self.classes_, tally.weights)
        heaviest = np.where(tally.heaviest.any(), tally.heaviest, tally.rows > 0)
        return problem.weighted(factors, float(np.max(factors * heaviest)))

    def _learn(self, problem: Any, X: Any, y: Any, sample_weight: Any, **options: Any) -> list[Solution[Any]]:
        problem = problem if problem.streamed else self._weighted(problem)
        return super()._learn(problem, X, y, sample_weight, **options)

    def _pass_over(self, problem: Any, X: Any, first: bool) -> None:
        if isinstance(self.class_weight, str):
            wanted = "a dict for partial_fit"
            raise refused("class_weight", self.class_weight, wanted, "it cannot see all labels at once")
        super()._pass_over(self._weighted(problem), X, first)

    def _weighted(self, problem: Problem) -> Problem:
        if self.class_weight is None:
            return problem
        v = row_weights(self.class_weight, self.classes_, problem.labels, problem.weight)
        return replace(problem, weight=check_weight(v, problem.n_rows, problem.dtype))
