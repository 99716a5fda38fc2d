"""Standard errors and Wald's tests of a logistic regression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class WaldTable:
    """Estimates with their standard errors, z statistics, p values and confidence intervals, the intercept first.

    The errors are the roots of the diagonal of the inverse information matrix, z is the estimate over its error, and
    p is twice the probability of a standard normal number beyond |z|. It prints as a table.

    Parameters
    ----------
    names : list of str
        What the coefficients belong to.
    coef : array of shape (d + 1,)
        Estimates.
    std_error : array of shape (d + 1,)
        Their standard errors.
    level : float, default=0.95
        Probability of the intervals.

    References
    ----------
    A. Wald, "Tests of statistical hypotheses concerning several parameters when the number of observations is large",
    Transactions of the American Mathematical Society 54 (1943).

    Examples
    --------
    >>> import numpy as np
    >>> from discriminant.logistic.wald import WaldTable
    >>> print(WaldTable(["intercept", "age"], np.array([-2.0, 0.5]), np.array([1.0, 0.2])))
               estimate  std error        z        p     2.5 %    97.5 %
    intercept   -2.0000     1.0000    -2.00   0.0455   -3.9600   -0.0400
    age          0.5000     0.2000     2.50   0.0124    0.1080    0.8920
    """

    names: list[str]
    coef: Vector
    std_error: Vector
    level: float = 0.95

    @property
    def z(self) -> Vector:
        """Estimates in units of their errors."""
        return self.coef / self.std_error

    @property
    def p(self) -> Vector:
        """The probability of so large a |z| where the coefficient is zero."""
        return np.asarray(2 * ndtr(-np.abs(self.z)))

    @property
    def interval(self) -> Vector:
        """Ends of the confidence intervals, of shape (d + 1, 2)."""
        reach = float(ndtri(0.5 + self.level / 2)) * self.std_error
        return np.column_stack([self.coef - reach, self.coef + reach])

    def __str__(self) -> str:
        width = max(9, *map(len, self.names))
        ends = [f"{50 * (1 + sign * self.level):g} %" for sign in (-1, 1)]
        heads = zip(("estimate", "std error", "z", "p", *ends), (10, 11, 9, 9, 10, 10), strict=True)
        lines = [" " * width + "".join(f"{head:>{room}}" for head, room in heads)]
        columns = zip(self.names, self.coef, self.std_error, self.z, self.p, self.interval, strict=True)
        for name, a, error, z, p, (low, high) in columns:
            lines.append(f"{name:<{width}}{a:10.4f}{error:11.4f}{z:9.2f}{p:9.4f}{low:10.4f}{high:10.4f}")
        return "\n".join(lines)

    __repr__ = __str__
