"""How near a discriminant comes to that of Bayes, g₀(x) = P(ω₁|x) − P(ω₂|x).

Least squares with all margins one makes the mean squared error ε² = ∫ (g(x) − g₀(x))² p(x) dx small: the
approximation is good where patterns lie dense, whatever it is where they do not.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.8.3, Eq. 55–57, Fig. 5.16.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._guards.parameters import Choice, refused
from ._style import BLACK, COLORS, GRAY, add_legend, axes, classes_of, literal, named, quietly

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

POINTS = 801  # of a curve
DASHES = ("-", "--", "-.", ":")
WHAT = Choice(("discriminant", "posteriors", "densities"))
LETTERS = {"posteriors": "P({} | x)", "densities": "p(x | {})"}


def bayes(
    densities: Mapping[Any, Callable[[Any], Any]],
    models: Any = None,
    ax: Axes | None = None,
    *,
    what: str = "discriminant",
    priors: Mapping[Any, float] | None = None,
    limits: tuple[float, float] = (-3.0, 3.0),
) -> Axes:
    """Draw the densities of two classes of one feature, their posteriors, or Bayes' discriminant beside others.

    Parameters
    ----------
    densities : dict from label to function
        p(x|ω) of an array of x, for two classes. The discriminant is positive for the label that sorts last.
    models : fitted classifier, or dict from name to classifier, default=None
        Of one feature, as pipelines may be; drawn with the discriminant.
    ax : matplotlib axes, default=None
        Where to draw; None makes a figure.
    what : {"discriminant", "posteriors", "densities"}, default="discriminant"
        The bottom, the middle or the top of the book's figure.
    priors : dict from label to float, default=None
        P(ω); by default the classes are equally likely.
    limits : pair of float, default=(-3.0, 3.0)
        Least and most x.

    Returns
    -------
    matplotlib axes
        With a curve for each; the legend tells the mean squared error ε² of each model, and gray is p(x).

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.8.3, Eq. 57, Fig. 5.16.

    Examples
    --------
    >>> import numpy as np
    >>> from discriminant import LeastSquares, plot
    >>> def density(mean):
    ...     return lambda x: np.exp(-((x - mean) ** 2) / 2) / np.sqrt(2 * np.pi)
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 1000)
    >>> model = LeastSquares().fit(rng.normal(2 * y - 1)[:, None], y)
    >>> ax = plot.bayes({0: density(-1), 1: density(1)}, {"line": model}, limits=(-4, 4))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['g₀(x), Bayes', 'p(x)', 'line: ε² = 0.0504']
    """
    WHAT("what", what)
    if len(densities) != 2 or not all(map(callable, densities.values())):
        raise refused("densities", list(densities), "two labels with a function each", "give p(x|ω) of both classes")
    if not limits[0] < limits[1]:
        raise refused("limits", limits, "(low, high)", "give low < high")
    shares = dict.fromkeys(densities, 0.5) if priors is None else priors
    if set(shares) != set(densities) or min(shares.values()) < 0 or not np.isclose(sum(shares.values()), 1.0):
        raise refused("priors", dict(shares), "probabilities of the two labels that add up to 1", "give P(ω) of both")
    several = models if isinstance(models, Mapping) else {} if models is None else {type(models).__name__: models}
    for model in several.values():
        if not hasattr(model, "decision_function") or len(classes_of(model)) != 2:
            raise refused("models", model, "of two classes with a decision_function", "fit LeastSquares, for one")
    ax = axes(ax)
    x = np.linspace(*limits, POINTS)
    classes = sorted(densities)
    values = [np.asarray(densities[label](x), np.float64) for label in classes]
    joint = [shares[label] * value for label, value in zip(classes, values, strict=True)]
    total = np.maximum(joint[0] + joint[1], np.finfo(np.float64).tiny)
    if what == "discriminant":
        _draw_discriminants(ax, x, (joint[1] - joint[0]) / total, total, several)
    else:
        curves = values if what == "densities" else [part / total for part in joint]
        for k, (label, curve) in enumerate(zip(classes, curves, strict=True)):
            name = LETTERS[what].format(named(label))
            ax.plot(x, curve, color=COLORS[k], linestyle=DASHES[k], label=name)
        ax.set_ylim(0, 1 if what == "posteriors" else None)
    ax.set(xlabel="x", xlim=limits, ylabel={"densities": "density", "posteriors": "posterior"}.get(what, what))
    add_legend(ax)
    return ax


def _draw_discriminants(ax: Axes, x: Array, g0: Array, p: Array, models: Mapping[str, Any]) -> None:
    """Bayes' discriminant, those of the models, and from below the density of all patterns."""
    ax.axhline(0.0, color=GRAY, linewidth=0.7)
    ax.plot(x, g0, color=BLACK, linewidth=1.8, label="g₀(x), Bayes")
    low = -1.5
    ax.fill_between(x, low, low + p, color=GRAY, alpha=0.4, linewidth=0, label="p(x)")
    for k, (name, model) in enumerate(models.items()):
        g = np.asarray(quietly(model.decision_function, x[:, None]), np.float64)
        error = float(np.trapezoid((g - g0) ** 2 * p, x))
        style: dict[str, Any] = {"color": COLORS[k % len(COLORS)], "linestyle": DASHES[(k + 1) % len(DASHES)]}
        ax.plot(x, g, label=f"{literal(name)}: ε² = {error:.3g}", **style)
    ax.set_ylim(low, 1.6)
