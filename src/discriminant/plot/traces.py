"""``trace``: the corrections of a fit as a table, as the books print them.  Tests: ``tests/plot/test_traces.py``."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._guards.parameters import refused
from ..base.iterative import SolvingEstimator
from ._course import bias_unit, corrected, course_of
from ._style import dense, labels, table

SHOWN = 60  # corrections that a printout shows: the first ones, and the last ten
LAST = 10
HEADS = ("k", "pattern", "y", "a(k)'y", "a(k+1)")


@dataclass(frozen=True)
class Trace:
    """The corrections of a fit; it prints as a table, and is one in a notebook.

    Parameters
    ----------
    start : array of shape (d + 1,)
        The weights a(1) = (w₀, w).
    k : array of int of shape (K,)
        The numbers of the corrections.
    pattern : list of int or None
        The row that each was made for; None for a batch.
    y : list of arrays or None
        The pattern (1, x), negated for the class that sorts first.
    side : list of float or None
        a(k)ᵗy before the correction.
    weights : array of shape (K, d + 1)
        The weights a(k + 1) after it.

    Examples
    --------
    >>> from discriminant import Perceptron, datasets, plot
    >>> X, y = datasets.perceptron_example()
    >>> plot.trace(Perceptron(record="weights").fit(X, y), X, y).weights
    array([[-1.,  1., -1.],
           [ 0.,  5.,  3.]])
    """

    start: NDArray[np.float64]
    k: NDArray[np.int64]
    pattern: list[int | None]
    y: list[NDArray[np.float64] | None]
    side: list[float | None]
    weights: NDArray[np.float64]

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """The table as text, a row for each correction; in the midst of a long one a row of dots."""
        cut = len(self.k) > SHOWN
        chosen = [*range(SHOWN - LAST), *range(len(self.k) - LAST, len(self.k))] if cut else range(len(self.k))
        rows = [
            (
                str(self.k[j]),
                "batch" if self.pattern[j] is None else str(self.pattern[j]),
                _vector(self.y[j]),
                "" if (side := self.side[j]) is None else f"{side + 0.0:.6g}",
                _vector(self.weights[j]),
            )
            for j in chosen
        ]
        return [*rows[: SHOWN - LAST], ("…",) * 5, *rows[SHOWN - LAST :]] if cut else rows

    def __str__(self) -> str:
        rows = [HEADS, ("", "", "", "", f"a(1) = {_vector(self.start)}"), *self.rows()]
        widths = [max(len(row[j]) for row in rows) for j in range(len(HEADS) - 1)]
        padded = ([*map(str.rjust, row[:-1], widths), row[-1]] for row in rows)
        return "\n".join("  ".join(row) for row in padded)

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col">{escape(text)}</th>' for text in HEADS)
        first = f"<tr><td></td><td></td><td></td><td></td><td>a(1) = {_vector(self.start)}</td></tr>"
        body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in self.rows())
        return f"<table><thead><tr>{head}</tr></thead><tbody>{first}{body}</tbody></table>"


def trace(model: Any, X: Any, y: Any) -> Trace:
    """Tell the corrections of a fit one by one, as the books' tables do: the pattern, aᵗy, and the new weights.

    Parameters
    ----------
    model : classifier of this package, fitted with ``record="weights"``
        A procedure that corrects weights, on two classes.
    X : array, CSR matrix or data frame of shape (n, d)
        The patterns of the fit.
    y : array of shape (n,)
        Their labels.

    Returns
    -------
    Trace
        It prints as a table.

    See Also
    --------
    replay : The same as a page on which the line moves.

    References
    ----------
    *Machine Learning: Theory and Practice*, ch. 8, Table 8.3; Duda, Hart, Stork, *Pattern Classification*, ch. 5,
    Algorithm 4.

    Examples
    --------
    >>> from discriminant import Perceptron, datasets, plot
    >>> X, y = datasets.or_function()
    >>> print(plot.trace(Perceptron(record="weights").fit(X, y), X, y))
    k  pattern           y  a(k)'y  a(k+1)
                                    a(1) = (0, 0, 0)
    1        0  (-1, 0, 0)       0  (-1, 0, 0)
    2        1   (1, 0, 1)      -1  (0, 0, 1)
    ...
    8        2   (1, 1, 0)       0  (0, 2, 2)
    9        0  (-1, 0, 0)       0  (-1, 2, 2)
    """
    if not isinstance(model, SolvingEstimator) or "weights" not in getattr(model, "history_", {}):
        raise refused("model", model, "fitted with record='weights'", "take Perceptron(record='weights').fit(X, y)")
    X = np.ascontiguousarray(dense(table(X)))
    y = labels(y, len(X))
    if len(model.classes_) != 2:
        raise refused("y", f"<{len(model.classes_)} classes>", "labels of two classes", "take a pair of them")
    course = course_of(model, X)
    assert course is not None
    planes = course.planes(X)[:, 0].astype(np.float64)
    made, unit = corrected(model, course, X, y)[1:], bias_unit(model, X)
    patterns = [each.pattern if isinstance(each.pattern, int) and each.pattern >= 0 else None for each in made]
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    ys = [None if i is None else signs[i] * np.r_[unit, X[i]] for i in patterns]
    before = planes[course.kept[1:] - 1]
    sides = [
        None if i is None else float(signs[i] * (a[0] + X[i] @ a[1:])) for i, a in zip(patterns, before, strict=True)
    ]
    return Trace(planes[0], course.numbers[course.kept[1:]], patterns, ys, sides, planes[course.kept[1:]])


def _vector(values: Any) -> str:
    return "" if values is None else f"({', '.join(f'{value + 0.0:.6g}' for value in values)})"
