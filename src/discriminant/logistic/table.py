"""The table of a logistic regression: estimates, errors, tests and intervals, as text, data, HTML and LaTeX."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from .._engine.extras import needed

Vector = NDArray[np.float64]

WIDTHS = (10, 11, 9, 9, 10, 10)
STATISTICS = {"wald": "z", "lr": "chi2"}
MEANS = {
    ("wald", "wald"): "",
    ("profile", "lr"): "Intervals by profiles of the {0}, tests by its ratio.",
    ("profile", "wald"): "Intervals by profiles of the {0}, tests by Wald.",
    ("wald", "lr"): "Intervals by Wald, tests by the ratio of the {0}.",
}


@dataclass(frozen=True)
class CoefficientTable:
    """Estimates with their standard errors, tests and confidence intervals, the intercept first; prints as a table.

    Of c classes there is such a block for each but the first: d + 1 below is then (c − 1)(d + 1).

    Parameters
    ----------
    names : list of str
        What the coefficients belong to.
    coef : array of shape (d + 1,)
        Estimates: infinite where the likelihood grows for ever, nan where the data do not tell.
    std_error : array of shape (d + 1,)
        Their standard errors, the roots of the diagonal of the inverse information matrix; nan where the estimate is
        not finite.
    statistic : array of shape (d + 1,)
        The estimate over its error for Wald's tests; twice the difference of the log likelihoods with and without the
        coefficient for likelihood-ratio tests.
    p : array of shape (d + 1,)
        The probability of so large a statistic where the coefficient is zero.
    interval : array of shape (d + 1, 2)
        Ends of the confidence intervals.
    level : float, default=0.95
        Probability of the intervals.
    intervals : {"wald", "profile"}, default="wald"
        Where the intervals are from.
    tests : {"wald", "lr"}, default="wald"
        Where the tests are from.
    penalized : bool, default=False
        Whether the likelihood is Firth's penalized one.
    n_rows : int, default=None
        Rows that took part.
    deviance : float, default=None
        Minus twice the log likelihood, without the penalty.
    notes : tuple of str, default=()
        What else is to be said, in sentences that are printed below.

    References
    ----------
    A. Wald, "Tests of statistical hypotheses concerning several parameters when the number of observations is large",
    Transactions of the American Mathematical Society 54 (1943); D. Venzon and S. Moolgavkar, "A method for computing
    profile-likelihood-based confidence intervals", Applied Statistics 37 (1988).

    Examples
    --------
    >>> import numpy as np
    >>> from discriminant import CoefficientTable
    >>> table = CoefficientTable.wald(["intercept", "age"], np.array([-2.0, 0.5]), np.array([1.0, 0.2]))
    >>> print(table)
               estimate  std error        z        p     2.5 %    97.5 %
    intercept   -2.0000     1.0000    -2.00   0.0455   -3.9600   -0.0400
    age          0.5000     0.2000     2.50   0.0124    0.1080    0.8920
    >>> table.odds_ratios[1].round(4)
    array([1.6487, 1.1141, 2.44  ])
    """

    names: list[str]
    coef: Vector
    std_error: Vector
    statistic: Vector
    p: Vector
    interval: Vector
    level: float = 0.95
    intervals: str = "wald"
    tests: str = "wald"
    penalized: bool = False
    n_rows: int | None = None
    deviance: float | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def wald(
        cls, names: list[str], coef: Vector, std_error: Vector, level: float = 0.95, **others: Any
    ) -> CoefficientTable:
        """Make the table of Wald's tests and intervals.

        Parameters
        ----------
        names : list of str
            What the coefficients belong to.
        coef, std_error : arrays of shape (d + 1,)
            Estimates and their standard errors.
        level : float, default=0.95
            Probability of the intervals.
        **others
            Further fields of the table.

        Returns
        -------
        CoefficientTable
            With z = coef / std_error, p twice the probability of a standard normal number beyond |z|.
        """
        z, reach = coef / std_error, float(ndtri(0.5 + level / 2)) * std_error
        ends = np.column_stack([coef - reach, coef + reach])
        return cls(names, coef, std_error, z, np.asarray(2 * ndtr(-np.abs(z))), ends, level, **others)

    @property
    def odds_ratios(self) -> Vector:
        """By how much a unit more multiplies the odds, with the ends of its interval: of shape (d + 1, 3)."""
        with np.errstate(over="ignore"):
            return np.exp(np.column_stack([self.coef, self.interval]))

    @property
    def aic(self) -> float | None:
        """Akaike's criterion: the deviance, which has no penalty, and two for each coefficient."""
        return None if self.deviance is None else self.deviance + 2 * len(self.names)

    def to_dict(self) -> dict[str, list[Any]]:
        """Give the columns by name, the odds ratios among them.

        Returns
        -------
        dict of lists
            ``coefficient``, ``estimate``, ``std_error``, ``z`` or ``chi2``, ``p``, ``low``, ``high``, ``odds_ratio``,
            ``odds_low`` and ``odds_high``.
        """
        columns = self.coef, self.std_error, self.statistic, self.p, *self.interval.T, *self.odds_ratios.T
        heads = ("estimate", "std_error", STATISTICS[self.tests], "p", "low", "high")
        odds = ("odds_ratio", "odds_low", "odds_high")
        lists = (column.tolist() for column in columns)
        return {"coefficient": list(self.names), **dict(zip(heads + odds, lists, strict=True))}

    def to_pandas(self) -> Any:
        """Give the columns as a pandas frame.

        Returns
        -------
        pandas.DataFrame
            One row for each coefficient.
        """
        return needed("pandas", "io").DataFrame(self.to_dict())

    def to_polars(self) -> Any:
        """Give the columns as a polars frame.

        Returns
        -------
        polars.DataFrame
            One row for each coefficient.
        """
        return needed("polars", "io").DataFrame(self.to_dict())

    def to_html(self) -> str:
        """Give the printed table as HTML.

        Returns
        -------
        str
            A table element, and the lines below it as a paragraph.
        """
        head = "".join(f'<th scope="col">{escape(text)}</th>' for text in ("", *self._heads()))
        body = "".join(
            f'<tr><th scope="row">{escape(name)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
            for name, cells in self._cells()
        )
        below = f"<p>{'<br>'.join(map(escape, self._below()))}</p>" if self._below() else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"

    def to_latex(self) -> str:
        """Give the printed table as LaTeX.

        Returns
        -------
        str
            A tabular of the package booktabs, and the lines below it.
        """
        heads = ["", *self._heads()]
        heads[3] = {"z": "$z$", "chi2": r"$\chi^2$"}[heads[3]]
        heads[4] = "$p$"
        lines = [[*map(_tex, heads[:3]), *heads[3:5], *map(_tex, heads[5:])]]
        signs = {"inf": r"$\infty$", "-inf": r"$-\infty$"}
        for name, cells in self._cells():
            lines.append([_tex(name), *(signs.get(cell, cell.replace("-", "$-$")) for cell in cells)])
        first, *others = (" & ".join(line) + r" \\" for line in lines)
        body = [r"\toprule", first, r"\midrule", *others, r"\bottomrule"]
        table = ["\\begin{tabular}{l" + "r" * len(WIDTHS) + "}", *body, r"\end{tabular}"]
        return "\n".join([*table, *(["", *map(_tex, self._below())] if self._below() else [])])

    def _heads(self) -> list[str]:
        ends = [f"{50 * (1 + sign * self.level):g} %" for sign in (-1, 1)]
        return ["estimate", "std error", STATISTICS[self.tests], "p", *ends]

    def _cells(self) -> Iterable[tuple[str, list[str]]]:
        """Each name with its numbers as they are printed; nothing stands for nan."""
        columns = self.coef, self.std_error, self.statistic, self.p, *self.interval.T
        for name, *numbers in zip(self.names, *columns, strict=True):
            places = zip(numbers, (4, 4, 2, 4, 4, 4), strict=True)
            yield name, ["" if math.isnan(number) else f"{number:.{digits}f}" for number, digits in places]

    def _below(self) -> list[str]:
        """The lines below the table: what it is made of, where that is known."""
        lines = []
        if (means := MEANS[self.intervals, self.tests]) != "":
            lines.append(means.format("penalized likelihood" if self.penalized else "likelihood"))
        lines += self.notes
        if self.n_rows is not None and self.deviance is not None:
            lines.append(f"{self.n_rows:,} rows, deviance {self.deviance:.4f}, AIC {self.aic:.4f}.")
        return lines

    def __str__(self) -> str:
        width = max(9, *map(len, self.names))
        lines = [("", self._heads()), *self._cells()]
        table = [
            f"{name:<{width}}" + "".join(f"{cell:>{room}}" for cell, room in zip(cells, WIDTHS, strict=True))
            for name, cells in lines
        ]
        return "\n".join([*(line.rstrip() for line in table), *self._below()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.to_html()


def coefficient_names(features: Iterable[str], classes: Sequence[Any]) -> list[str]:
    """The intercept and the features; of more than two classes once for each but the first, with its name."""
    names = ["intercept", *features]
    return names if len(classes) == 2 else [f"{label}: {name}" for label in classes[1:] for name in names]


def _tex(text: str) -> str:
    """A text with the characters that mean something to LaTeX escaped."""
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    special |= {sign: f"\\{sign}" for sign in "&%$#_{}"}
    return "".join(special.get(sign, sign) for sign in text)
