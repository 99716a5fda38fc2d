"""What is known of a fitted model, whoever made it: its rows, and where each printed coefficient stands among them.

A response of two outcomes may be a share, as grouped counts are: a row with both of them is two rows, one of either,
so that a cell with both outcomes overlaps with itself. Rows of weight zero take no part. A constant column of the
design is taken for the intercept.

Tests: ``tests/diagnosing/test_diagnoses.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

BINARY = {  # the links of two outcomes whose inverse rises strictly from 0 to 1, and what such a regression is called
    "logit": "logistic regression",
    "probit": "probit regression",
    "cloglog": "complementary log-log regression",
    "loglog": "log-log regression",
    "cauchy": "cauchit regression",
}
INTERCEPT = -1  # the place of the intercept; the columns of X have places from 0 on


class Printed(NamedTuple):
    """A coefficient as the program prints it."""

    name: str
    value: float
    error: float  # nan where none is printed
    column: int  # of X, or INTERCEPT; of ordered levels, the thresholds first
    block: int = 0  # of several classes, which of them but the first
    label: str = ""  # and its name
    turned: bool = False  # whether it goes the other way: a constant column below zero
    step: bool = False  # whether it is the logarithm of the step from one threshold to the next


@dataclass(frozen=True)
class FittedModel:
    """Rows, response and printed coefficients of a fit."""

    program: str
    kind: str  # such as "logistic regression"
    family: str  # that of separability
    X: Any  # the design without its constant column; an array, a sparse matrix or a data frame
    y: Any
    intercept: bool
    printed: list[Printed]
    names: list[str]  # of the columns of X
    columns: list[int]  # their places in the design of the fit
    constant: int | None  # the place of its constant column there
    width: int  # number of its columns
    rows: NDArray[np.int64]  # the place in the fit of each row of X
    n_rows: int  # rows of the fit
    weights: Vector | None = None
    penalty: str = ""  # in words, where there is one
    offset: Vector | None = None  # of each row of X
    scaled: bool = False  # whether the fit had scaled columns, of which X are the unscaled ones
    converged: bool | None = None  # None where the program does not say
    class_names: list[str] = field(default_factory=list)  # where y has their numbers
    notes: list[str] = field(default_factory=list)


class FitDesign(NamedTuple):
    """The columns of a fit, without the constant one if there is one."""

    X: Any
    columns: list[int]
    constant: int | None
    turned: bool  # whether the constant is below zero

    @classmethod
    def of(cls, exog: Any) -> FitDesign:
        """The first column that is constant and not zero is the intercept, unless there is no other."""
        flat = np.flatnonzero((exog == exog[:1]).all(axis=0) & (exog[:1] != 0).any(axis=0))
        if flat.size == 0 or exog.shape[1] == 1:
            return cls(exog, list(range(exog.shape[1])), None, False)
        constant = int(flat[0])
        columns = [j for j in range(exog.shape[1]) if j != constant]
        return cls(exog[:, columns], columns, constant, bool(exog[0, constant] < 0))

    def printed(self, names: Sequence[str], values: Any, errors: Any, block: int = 0, label: str = "") -> list[Printed]:
        """The coefficients in the order of the fit."""
        places = {j: k for k, j in enumerate(self.columns)}
        if self.constant is not None:
            places[self.constant] = INTERCEPT
        return [
            Printed(str(name), float(value), float(error), places[j], block, label, self.turned and j == self.constant)
            for j, (name, value, error) in enumerate(zip(names, values, errors, strict=True))
        ]


class Outcomes(NamedTuple):
    """The rows of a response of two outcomes."""

    rows: NDArray[np.int64]
    y: NDArray[np.int64]
    weights: Vector | None

    @classmethod
    def of(cls, share: Any, weights: Any = None) -> Outcomes:
        """One row for each outcome that a share of successes says, without rows of weight zero."""
        share = np.asarray(share, np.float64)
        if not np.all((share >= 0) & (share <= 1)):
            first = share[~((share >= 0) & (share <= 1))][0]
            raise ValueError(f"the response of the fit holds {first:g}: shares of successes are expected.")
        w = np.ones(share.size) if weights is None else np.asarray(weights, np.float64)
        parts = np.column_stack([(1 - share) * w, share * w])
        rows, y = np.nonzero(parts > 0)
        plain = rows.size == share.size and np.all(parts[rows, y] == 1)
        return cls(rows, y, None if plain else parts[rows, y])


def both_outcomes(y: Any, what: str = "response") -> None:
    """Refuse a response that is the same in every row."""
    first = y[0] if len(y) else None
    if len(y) == 0 or np.all(np.asarray(y) == first):
        raise ValueError(f"the {what} of the fit is {first} in every row; give rows of another one too.")
