"""Are the classes linearly separable? A verdict, its proof, and what follows from it.

``complete``: some plane has every pattern strictly on its side. ``quasi``: some plane has no pattern on the wrong side
and not all of them on itself, but none separates strictly; the hulls of the classes touch. ``overlap``: neither. With
rows z = ±(1, x), exactly one of the three holds, and b, λ with Zb >= 0, λ >= 0, Zᵗλ = 0 prove it; ``verification``
says how, and checks it in whole numbers. ``search`` finds it.

For a statistician: the maximum-likelihood estimate of a logistic regression is finite exactly when the verdict is
``overlap`` (Albert and Anderson 1984). Otherwise the likelihood grows for ever along b, and ``infinite_`` tells which
coefficients go where. So it is with any link whose inverse rises strictly from 0 to 1: probit, complementary log-log,
cauchit. A Poisson regression has the same trouble with its zeros (``family="poisson"``), a cumulative model of ordered
levels with its thresholds (``family="cumulative"``, ``cuts``).

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.4, §5.12.1, Problems 5, 6 and 8; A. Albert and J. A. Anderson,
Biometrika 71 (1984); K. Konis, *Linear programming algorithms for detecting separated data in binary logistic
regression models* (2007); S. Correia, P. Guimarães and T. Zylkin, *Verifying the existence of maximum likelihood
estimates for generalized linear models* (2019).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from .._engine.progress import TerminalBar
from .._guards.parameters import FLAG, SECONDS, Choice, refused
from ..formulas.formula import design
from ..formulas.frames import factors_of
from .answer import Separability as Separability
from .on_blocks import StreamedSeparability, checked_blocks
from .ordered import OrderedSeparability
from .question import Names, Question, checked, groups_of, levels_of
from .rows import FAMILIES, READINGS

AT_ONCE = 300  # weights of a linear machine up to which its verdict is not put off until it is asked for
ALIASED = ("keep", "drop")


def separability(
    X: Any,
    y: Any = None,
    *,
    data: Any = None,
    intercept: bool = True,
    reading: str = "decimal",
    family: str = "classes",
    progress: bool | None = None,
    feature_names: Sequence[str] | None = None,
    max_seconds: float | None = None,
    aliased: str = "keep",
) -> Separability:
    """Tell whether classes are linearly separable, and prove it.

    Parameters
    ----------
    X : array, CSR matrix or data frame of shape (n, d)
        Patterns, as given: do not standardize them first, because rounding may destroy ties. Float32, float64 and
        integers are all read exactly; a memory-mapped array is read in blocks. Or a formula such as
        ``"HG ~ NV + C(stage)"``, of which :func:`design` makes X and y. Categoricals and texts in a data frame are
        factors, each level held against the first, as the verdict says. Or a stream, see
        :func:`discriminant.io.stream`, whose rows need not fit into memory: the answer then is a
        ``StreamedSeparability``.
    y : array of shape (n,)
        Labels of two or more classes; of two, the one that sorts last is the positive class. Counts for
        ``family="poisson"``. For ``family="cumulative"`` levels whose order is known: numbers, or an ordered
        categorical.
    data : pandas or polars data frame, or dict of columns, default=None
        What the names of a formula mean.
    intercept : bool, default=True
        Whether planes may miss the origin.
    reading : {"decimal", "float"}, default="decimal"
        What a number of X means: its shortest decimal form, which is what a file said, or the binary fraction that the
        machine holds. Points on x₁ + x₂ = 0.8 lie on a line in the first sense only.
    family : {"classes", "poisson", "cumulative"}, default="classes"
        Labels; counts of a Poisson regression; or the ordered levels of a cumulative model, such as proportional odds.
    progress : bool, default=None
        Whether to show on stderr how far the work is; None does so in a terminal.
    feature_names : list of str, default=None
        What the printed verdict calls the columns; None takes the names of a data frame, else x0, x1, ….
    max_seconds : float, default=None
        Seconds that each question may take: the verdict with its proof, ``margin``, ``infinite_``, and all parts of
        ``total`` or ``pairwise`` together. A question that takes longer ends with :class:`UndecidedError`, which
        carries what is known so far; to ask again begins again. None is no limit.
    aliased : {"keep", "drop"}, default="keep"
        What ``infinite_`` says where columns depend on each other: the truth of all of them, which is nan wherever
        collinearity lets a coefficient move; or, as R does, that of the model without the columns that depend on
        earlier ones, which are nan themselves. The verdict is the same.

    Returns
    -------
    Separability
        The verdict with its proof. For three classes or more it is that on one linear machine, and ``total`` and
        ``pairwise`` hold those on each class against the rest and on each pair; each is computed when asked for.
        Logit, probit, complementary log-log and cauchit share the verdict on two classes, and that on levels.

    See Also
    --------
    Certificate : The proof, and its check.
    minimum_removals : A small set of rows whose removal makes the data separable.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.4, §5.12.1, Problem 8.

    Examples
    --------
    >>> from discriminant import datasets, separability
    >>> print(separability(*datasets.xor()))
    overlap: no plane separates the classes 0 and 1, not even weakly.
      shared point   (0.5, 0.5) lies in the convex hulls of both classes
      proof          4 rows: 0 (0) x 1/2, 1 (1) x 1/2, 2 (1) x 1/2, 3 (0) x 1/2
      consequence    No linear procedure ends without errors; logit, probit and cloglog have a finite estimate.
      to try         A procedure for overlapping classes (LeastSquares, Perceptron(pocket=True)), or more features.
      reading        each number as its shortest decimal form
    >>> s = separability([[0, 0], [0, 2], [3, 0], [3, 2]], ["a", "a", "b", "b"])
    >>> s.verdict, s.hyperplane.side([[1, 1]]), round(float(s.margin), 9)
    ('complete', array([-1]), 1.5)
    >>> print(str(separability([[0], [3]], ["a", "b"], feature_names=["length"])).splitlines()[1])
      plane          +1 length -1.5 = 0

    Ordered levels: nobody without the treatment got beyond the first one.

    >>> treated, level = [[0], [0], [1], [1], [1]], [1, 1, 1, 2, 3]
    >>> separability(treated, level, family="cumulative", feature_names=["treated"]).coefficients()
    {'1/2': '+inf', '2/3': '+inf', 'treated': '+inf'}
    """
    if y is None and hasattr(X, "gather"):
        return cast(Separability, of_blocks(X, intercept, reading, family, progress, max_seconds))
    references: dict[str, Any] = {}
    if isinstance(X, str) or factors_of(X):
        made = design(X, data if isinstance(X, str) else y, intercept=intercept)
        y = _response(X, data, made.y, family) if isinstance(X, str) else y
        X, feature_names = made.X, made.feature_names if feature_names is None else feature_names
        references = {f"{name}[{level}]": made.reference_rows(name) for name, level in made.references.items()}
    found = pose(X, y, intercept, reading, family, progress, feature_names, max_seconds, aliased, references)
    if len(found.groups) <= 2 or found._system.n_columns <= AT_ONCE:
        _ = found.certificate  # now, not when it is asked for
    return found


def of_blocks(
    blocks: Any, intercept: bool, reading: str, family: str, progress: bool | None, max_seconds: float | None
) -> StreamedSeparability:
    """The answer on rows that come in blocks, proved by one more pass over them."""
    Choice(READINGS)("reading", reading)
    FLAG("intercept", intercept)
    if family != "classes":
        raise refused("family", family, "'classes' for a stream", "ask in memory")
    meter = TerminalBar("separability", progress, SECONDS("max_seconds", max_seconds))
    found = checked_blocks(blocks, bool(intercept), reading, meter)
    _ = found.certificate
    return found


def _response(formula: str, data: Any, y: Any, family: str) -> Any:
    """The response of a formula; of ordered levels its column, which has an order that the design drops."""
    name = formula.partition("~")[0].strip(" `")
    return data[name] if family == "cumulative" and name in data else y


def pose(
    X: Any,
    y: Any,
    intercept: bool = True,
    reading: str = "decimal",
    family: str = "classes",
    progress: bool | None = None,
    feature_names: Sequence[str] | None = None,
    max_seconds: float | None = None,
    aliased: str = "keep",
    references: Mapping[str, Any] | None = None,
) -> Separability:
    """The question of ``separability``, checked; nothing is computed before it is asked for."""
    Choice(READINGS)("reading", reading)
    Choice(FAMILIES)("family", family)
    Choice(ALIASED)("aliased", aliased)
    FLAG("intercept", intercept)
    meter = TerminalBar("separability", progress, SECONDS("max_seconds", max_seconds))
    given = y
    table, y = checked(X, y, reading)
    names = Names.of(X, table.shape[1], feature_names, references)
    if family == "cumulative":
        if not intercept:
            wanted = "True for ordered levels, whose thresholds stand for it"
            raise refused("intercept", intercept, wanted, "leave it out")
        return OrderedSeparability.of(table, names, *levels_of(given, y), reading, meter, aliased)
    asked = Question(table, names, y, bool(intercept), reading, meter, aliased)
    return Separability(asked, *groups_of(asked.y, family))
