"""The Adatron: bring the worst patterns to z g(x) = 1 until the margin is the largest there is.

The problem and its bounds are those of ``margin_rule``.  With x⁺ and x⁻ the worst patterns of the classes an update is

    w += δ (x⁺ − x⁻),    δ = η (2 − wᵗ(x⁺ − x⁻)) / ‖x⁺ − x⁻‖²,    0 < η < 2

and the same for the two best remembered patterns when these exceed z g(x) = 1 by more; no α falls below 0.

Theorem: it ascends on Σ α − ‖w‖²/2 by at least (2/η − 1) ‖δ (xᵢ − xⱼ)‖²/2 a step; the sum is bounded on separable
classes, so that the steps go to zero; and where neither the two worst nor the two best remembered patterns call for
one, every α meets the conditions of Kuhn and Tucker.

Sources: Anlauf, Biehl, *The AdaTron: an adaptive perceptron algorithm*, Europhys. Lett. 10, 1989; Friess, Cristianini,
Campbell, *The kernel-adatron algorithm*, ICML 1998.

Tests: ``tests/error_correcting/test_minover.py``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._guards.parameters import Number
from ..base.inherited_docs import estimator
from .hulls import Found, Vector
from .margin_rule import MarginClassifier, Move


class Adapt(NamedTuple):
    """The Adatron with its rate η."""

    eta: float

    def pair(self, found: Found, f: Vector, alpha: Vector) -> Move:
        """x⁺ − x⁻, or the two best remembered patterns if these are farther from z g(x) = 1."""
        r, s = found.best_plus, found.best_minus
        if r < 0 or 2 - (f[found.plus] - f[found.minus]) >= f[r] - f[s] - 2:
            return Move(found.plus, found.minus, 0.0, np.inf)
        return Move(r, s, -min(alpha[r], alpha[s]), 0.0)

    def delta(self, slope: float, square: float) -> float:
        """η = 1 brings the two patterns to z g(x) = 1 on the average."""
        return self.eta * (2 - slope) / square


@estimator
class Adatron(MarginClassifier):
    """Adatron: bring the worst patterns of the classes to z g(x) = 1, and forget what is beyond it.

    Parameters
    ----------
    eta : float
        Rate, 0 < η < 2: 1 brings the two patterns to z g(x) = 1 on the average.

    Notes
    -----
    The rule was printed without a threshold, αᵢ ← max(0, αᵢ + η (1 − zᵢ g(xᵢ)) / K(xᵢ, xᵢ)).  Here it
    changes a pattern of each class at a time, which keeps the Σ α z at zero and so leaves w₀ free.  A plane
    that leaves errors is not the last one but the one with the fewest errors on the way.  A weight of zero leaves a row
    out; other sample weights change nothing, for a hard margin has no use for them.

    References
    ----------
    Anlauf, Biehl, *The AdaTron: an adaptive perceptron algorithm*, Europhys. Lett. 10, 1989.  Friess, Cristianini,
    Campbell, *The kernel-adatron algorithm*, ICML 1998.

    Examples
    --------
    *Pattern Classification*, Example 2: the exclusive or with the kernel (1 + xᵗz)².

    >>> from discriminant import Adatron, datasets, mercer
    >>> model = Adatron(mercer.Polynomial(degree=2)).fit(*datasets.xor_signed())
    >>> model.alpha_.round(6).tolist(), round(model.margin_, 6)
    ([0.125, 0.125, 0.125, 0.125], 1.414214)
    """

    _page = "minover"
    _parameters = {"eta": Number("the rule converges for 0 < eta < 2", 0, 2)}

    eta: float = 1.0

    def _pair_rule(self) -> Any:
        return Adapt(float(self.eta))
