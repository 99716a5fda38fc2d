"""MinOver: learn the worst pattern of each class until the margin is the largest there is.

The problem and its bounds are those of ``margin_rule``.  With x⁺ and x⁻ the worst patterns of the classes an update is

    fixed    α⁺ and α⁻ rise by 1:    w += x⁺ − x⁻
    line     the worst pattern of one class takes over what the best remembered one, xᵣ, has to give:
             w += δ (x⁺ − xᵣ)  or  δ (xᵣ − x⁻),   δ = min(αᵣ, wᵗ(xᵣ − x) / ‖xᵣ − x‖²)

The fixed rule is the step 1/t of Frank and Wolfe toward the nearest points: the bounds close like 1/t (Krauth and
Mezard prove the limit).  The line rule shortens ‖w‖ in a fixed polytope, most in the class with the larger violation:
it is the method of Mitchell, Demyanov and Malozemov, which converges linearly.

Sources: Krauth, Mezard, *Learning algorithms with optimal stability in neural networks*, J. Phys. A 20, 1987; Mitchell,
Demyanov, Malozemov, *Finding the point of a polyhedron closest to the origin*, SIAM J. Control 12, 1974; Cristianini,
Shawe-Taylor, *An Introduction to Support Vector Machines*, §2.1.2.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .._guards.parameters import Choice
from ..base.inherited_docs import estimator
from .hulls import Found, Vector
from .margin_rule import MarginClassifier, Move


class Learn(NamedTuple):
    """MinOver: the two worst patterns are learned; where it ``exchanges``, what one of a class gains, another loses.

    One class for both, because the compiled updates have a form for each class.
    """

    exchanges: bool
    share: float = 1.0  # of the step that shortens w most

    def pair(self, found: Found, f: Vector, alpha: Vector) -> Move:
        """x⁺ − x⁻ by a step of 1; or x⁺ − xᵣ, or xᵣ − x⁻: the class with the larger violation."""
        if not self.exchanges or found.best_plus < 0:  # nothing is remembered yet: begin with a pattern of each class
            return Move(found.plus, found.minus, 1.0, 1.0)
        if f[found.best_plus] - f[found.plus] >= f[found.minus] - f[found.best_minus]:
            return Move(found.plus, found.best_plus, 0.0, alpha[found.best_plus])
        return Move(found.best_minus, found.minus, 0.0, alpha[found.best_minus])

    def delta(self, slope: float, square: float) -> float:
        """Where ‖w + δ (xᵢ − xⱼ)‖ is least."""
        return -self.share * slope / square


@estimator
class MinOver(MarginClassifier):
    """MinOver: learn the worst pattern of each class, which leads to the plane of the largest margin.

    Parameters
    ----------
    step
        ``"fixed"`` is the rule as it was printed, which adds the worst pattern of each class and never takes one back:
        the gap falls like 1/t.  ``"line"`` takes from the best remembered pattern what it gives to the worst one of the
        class, as much as shortens w most, and converges linearly.

    Notes
    -----
    A plane that leaves errors is not the last one but the one with the fewest errors on the way.  A weight of zero
    leaves a row out; other sample weights change nothing, for a hard margin has no use for them.

    References
    ----------
    Krauth, Mezard, *Learning algorithms with optimal stability in neural networks*, J. Phys. A 20, 1987.  Mitchell,
    Demyanov, Malozemov, *Finding the point of a polyhedron closest to the origin*, SIAM J. Control 12, 1974.

    Examples
    --------
    *Machine Learning: Theory and Practice*, Example 10:

    >>> from discriminant import MinOver
    >>> model = MinOver().fit([[2, 1], [1, 3], [6, 3]], [0, 0, 1])
    >>> model.weights_.round(6).tolist(), model.alpha_.round(6).tolist()
    ([-2.0, 0.4, 0.2], [0.1, 0.0, 0.1])
    """

    _parameters = {"step": Choice(("line", "fixed"))}

    step: str = "line"

    def _pair_rule(self) -> Any:
        return Learn(exchanges=self.step == "line")
