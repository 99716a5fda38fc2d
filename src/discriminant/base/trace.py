"""The corrections of a fit as a table, as the books print them: the pattern, aᵗy, and the new weights.

A model keeps no data, but for small ones of a fit whose weights are recorded: a table needs the patterns beside the
weights.  The course of the weights is that of ``course``.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.problem import Problem
from .._guards.parameters import refused
from .._guards.validation import all_finite, table_of
from .course import bias_unit, corrected, course_of
from .lazy_report import LazyFacts

SHOWN = 60  # corrections that a printout shows: the first ones, and the last ten
LAST = 10
REMEDY = "give the patterns and the labels of the fit"
HEADS = ("k", "pattern", "y", "a(k)'y", "a(k+1)")


@dataclass(frozen=True)
class Trace:
    """The corrections of a fit; it prints as a table, and is one in a notebook.

    The method ``trace`` of a classifier makes it.

    Parameters
    ----------
    start : array of shape (d + 1,)
        The weights a(1) = (w₀, w).
    k : array of int of shape (K,)
        The numbers of the corrections.
    pattern : list of int, pair of int or None
        The row that each was made for, or the two rows; None for a batch, and where corrections before were not kept.
    y : list of arrays or None
        The pattern (1, x), negated for the class that sorts first, or (R², x) where ``bias="radius"`` adds that; None
        unless there is one.
    side : list of float or None
        a(k)ᵗy of (1, x) before the correction.
    weights : array of shape (K, d + 1)
        The weights a(k + 1) after it.
    batch : bool, default=False
        Whether a correction is made for many patterns at once.

    References
    ----------
    *Machine Learning: Theory and Practice*, ch. 8, Table 8.3; Duda, Hart, Stork, *Pattern Classification*, ch. 5,
    Algorithm 4.

    Examples
    --------
    >>> from discriminant import Perceptron, datasets
    >>> Perceptron(record="weights").fit(*datasets.perceptron_example()).trace().weights
    array([[-1.,  1., -1.],
           [ 0.,  5.,  3.]])
    """

    start: NDArray[np.float64]
    k: NDArray[np.int64]
    pattern: list[int | tuple[int, int] | None]
    y: list[NDArray[np.float64] | None]
    side: list[float | None]
    weights: NDArray[np.float64]
    batch: bool = False

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """The table as text, a row for each correction; in the midst of a long one a row of dots."""
        cut = len(self.k) > SHOWN
        chosen = [*range(SHOWN - LAST), *range(len(self.k) - LAST, len(self.k))] if cut else range(len(self.k))
        rows = [
            (
                str(self.k[j]),
                self._rows(self.pattern[j]),
                _vector(self.y[j]),
                "" if (side := self.side[j]) is None else f"{side + 0.0:.6g}",
                _vector(self.weights[j]),
            )
            for j in chosen
        ]
        return [*rows[: SHOWN - LAST], ("…",) * 5, *rows[SHOWN - LAST :]] if cut else rows

    def _rows(self, pattern: int | tuple[int, int] | None) -> str:
        if pattern is None:
            return "batch" if self.batch else "several"
        return str(pattern) if isinstance(pattern, int) else "{}, {}".format(*pattern)

    def __str__(self) -> str:
        rows = [HEADS, ("", "", "", "", f"a(1) = {_vector(self.start)}"), *self.rows()]
        widths = [max(len(row[j]) for row in rows) for j in range(len(HEADS) - 1)]
        padded = ([*map(str.rjust, row[:-1], widths), row[-1]] for row in rows)
        return "\n".join("  ".join(row) for row in padded)

    def to_html(self) -> str:
        """Give the table as HTML, for a page; a notebook shows it by itself.

        Returns
        -------
        str
            A table element.
        """
        head = "".join(f'<th scope="col">{escape(text)}</th>' for text in HEADS)
        first = f"<tr><td></td><td></td><td></td><td></td><td>a(1) = {_vector(self.start)}</td></tr>"
        body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in self.rows())
        return f"<table><thead><tr>{head}</tr></thead><tbody>{first}{body}</tbody></table>"

    _repr_html_ = to_html


class TrainingData:
    """The patterns and labels of a fit, where they are small; a copy of the model, or its file, has none.

    Parameters
    ----------
    problem : Problem, default=None
        What was fitted, if its weights were recorded.
    """

    def __init__(self, problem: Problem | None = None) -> None:
        small = problem is not None and problem.entries * problem.dtype.itemsize <= LazyFacts.SMALL
        self._problem = problem if small else None

    def __call__(self, classes: NDArray[Any]) -> tuple[Any, NDArray[Any]] | None:
        """X, and y with None for rows that took no part; None where they are not known."""
        if self._problem is None:
            return None
        labels = self._problem.labels
        y = classes[labels].astype(object)
        y[labels < 0] = None
        return self._problem.source, y

    def __reduce__(self) -> tuple[type[TrainingData], tuple[()]]:
        return TrainingData, ()


def trace_of(model: Any, X: Any, y: Any, is_given: bool) -> Trace:
    """The corrections of a fitted classifier, with the patterns and labels of the fit; others that are given fail."""
    X, y = table_of(X), np.asarray(y)
    X = np.ascontiguousarray(X.toarray() if hasattr(X, "toarray") else X, np.float64)
    wanted = len(y), model.n_features_in_
    if X.shape != wanted or y.ndim != 1 or not all_finite(X):
        raise refused("X", f"<shape {X.shape}>", f"finite and of shape {wanted} for this y", REMEDY)
    course = course_of(model, X)
    assert course is not None
    if course.weights.shape[1] != 1 or not model._is_plane():
        raise refused("model", model, "a plane between two classes", "take a pair of classes, and the linear kernel")
    planes = course.planes(X)[:, 0].astype(np.float64)
    made, unit = corrected(model, course, X, y)[1:], bias_unit(model, X)
    patterns = [_pattern(each.pattern) for each in made]
    if is_given and course.single and course.is_known()[1:].any() and set(patterns) == {None}:
        raise refused("X", f"<shape {X.shape}>", "the patterns of the fit, with their labels y", REMEDY)
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    ys = [signs[i] * np.r_[unit, X[i]] if isinstance(i, int) else None for i in patterns]
    before = planes[course.kept[1:] - 1]
    sides = [
        float(signs[i] * (a[0] + X[i] @ a[1:])) if isinstance(i, int) else None
        for i, a in zip(patterns, before, strict=True)
    ]
    batch = not course.single and "patterns" not in model.history_
    return Trace(planes[0], course.numbers[course.kept[1:]], patterns, ys, sides, planes[course.kept[1:]], batch)


def _pattern(found: int | list[int]) -> int | tuple[int, int] | None:
    """The row, or both, that a correction was made for."""
    if isinstance(found, list):
        return found[0], found[1]
    return found if found >= 0 else None


def _vector(values: Any) -> str:
    return "" if values is None else f"({', '.join(f'{value + 0.0:.6g}' for value in values)})"
