"""The form that every data set of this package has.  Tests: ``tests/datasets/test_dataset.py``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from textwrap import indent
from types import MappingProxyType
from typing import Any, ParamSpec

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Titles stand between asterisks, as References have them.
PATTERN_CLASSIFICATION = "Duda, Hart, Stork, *Pattern Classification*, ch. 5"
SLIDES = "Beyan, *Linear Discriminant Functions*, lecture slides, 2024/25"
THEORY_AND_PRACTICE = "*Machine Learning: Theory and Practice*, ch. 8"
TARGETS = ("ω2", "ω1")
P = ParamSpec("P")


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A data set with its source and its known answers; unpacks as ``X, y = dataset``.

    Each answer is an attribute too: ``dataset.separable`` is ``dataset.answers["separable"]``. Where they are
    known, they have these names:

    - ``separable``, and ``verdict``: "complete", "quasi" or "overlap";
    - ``solution``: augmented weights (w₀, w) that separate, or that fit a regression;
    - ``support``, ``multipliers``, ``point``: the proof that nothing separates, namely rows whose weighted sum is
      the same point for both classes, with weights that add up to 1 in each class;
    - ``mse``: the minimum-squared-error weights Y†b for b = 1;
    - ``start``, ``corrections``, ``passes``, ``path``: the run of a perceptron;
    - ``alpha``, ``margin``: multipliers and geometric margin of a support vector machine.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The patterns.
    y : ndarray of shape (n,)
        The labels; in the books' data ω₁ is 1 and ω₂ is 0.
    name : str
        The name that `load` knows.
    source : str
        Book, section or problem.
    description : str
        One sentence.
    feature_names : sequence of str, optional
        The names of the columns; x1, x2, … by default.
    target_names : sequence of str, optional
        The names of the classes, in the order of the sorted labels.
    answers : mapping, optional
        What is known about the data, read-only.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, table of the computer exercises, has the largest of them.

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.or_function()
    >>> X, y = dataset
    >>> dataset.separable, dataset.solution
    (True, array([-1.,  2.,  2.]))
    >>> dataset
    <Dataset or_function: 4 rows, 2 columns; Machine Learning: Theory and Practice, ch. 8, Example 6>
    """

    X: Any
    y: NDArray[Any]
    name: str
    source: str
    description: str
    feature_names: Sequence[str] = ()
    target_names: Sequence[str] = ()
    answers: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = tuple(self.feature_names) or tuple(f"x{j + 1}" for j in range(self.X.shape[1]))
        object.__setattr__(self, "feature_names", names)
        object.__setattr__(self, "target_names", tuple(self.target_names))
        object.__setattr__(self, "answers", MappingProxyType(dict(self.answers)))

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.y))

    def __getattr__(self, name: str) -> Any:
        # The instance's dictionary, because an unpickled copy is asked for names before it has any fields.
        answers = self.__dict__.get("answers", {})
        if name in answers:
            return answers[name]
        known = f"; its answers are {', '.join(answers)}" if answers else ""
        raise AttributeError(f"data set {self.__dict__.get('name')} has no {name!r}{known}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.answers]

    def __reduce__(self) -> tuple[type[Dataset], tuple[Any, ...]]:
        fields = (self.X, self.y, self.name, self.source, self.description, self.feature_names, self.target_names)
        return Dataset, (*fields, dict(self.answers))  # a read-only mapping cannot be pickled

    def __repr__(self) -> str:
        n, d = self.X.shape
        return f"<Dataset {self.name}: {n} rows, {d} columns; {self.source}>"


def loader(book: str, place: str, cited: str | None = None) -> Callable[[Callable[P, Dataset]], Callable[P, Dataset]]:
    """Give a data set the name of its loader and its source, and the loader the same source as References.

    They stand above its Examples; ``cited`` is what they say where it is not just the place.
    """

    def named(load: Callable[P, Dataset]) -> Callable[P, Dataset]:
        @wraps(load)
        def loaded(*args: P.args, **parameters: P.kwargs) -> Dataset:
            return replace(load(*args, **parameters), name=load.__name__, source=f"{book}, {place}".replace("*", ""))

        references = f"References\n----------\n{book}, {cited or place}.\n\n"
        examples = re.compile("^( *)Examples$", re.MULTILINE)
        loaded.__doc__ = load.__doc__ and examples.sub(lambda here: indent(references, here[1]) + here[0], load.__doc__)
        return loaded

    return named


def unnamed(
    X: Any,
    y: NDArray[Any],
    description: str,
    target_names: Sequence[str] = TARGETS,
    feature_names: Sequence[str] = (),
    **answers: Any,
) -> Dataset:
    """Give a data set without name and source, which its `loader` adds."""
    return Dataset(X, y, "", "", description, feature_names, target_names, answers)


def two_categories(first: ArrayLike, second: ArrayLike, description: str, **answers: Any) -> Dataset:
    """Stack the points of ω₁, coded 1, upon those of ω₂, coded 0."""
    omega1, omega2 = np.array(first, dtype=np.float64), np.array(second, dtype=np.float64)
    y = np.repeat([1, 0], [len(omega1), len(omega2)])
    return unnamed(np.concatenate([omega1, omega2]), y, description, **answers)


def labeled(
    X: ArrayLike, y: ArrayLike, description: str, target_names: Sequence[str] = ("0", "1"), **answers: Any
) -> Dataset:
    """Give a data set in the order in which its book lists the rows."""
    return unnamed(np.array(X, dtype=np.float64), np.array(y), description, target_names, **answers)


def overlap_proof(support: ArrayLike, multipliers: ArrayLike, point: ArrayLike) -> dict[str, Any]:
    """Give the answers of data that overlap, with the rows that prove that no plane separates."""
    return {
        "separable": False,
        "verdict": "overlap",
        "support": np.array(support),
        "multipliers": np.array(multipliers, dtype=np.float64),
        "point": np.array(point, dtype=np.float64),
    }


def separated(*solution: float) -> dict[str, Any]:
    """Give the answers that say that (w₀, w) separates."""
    return {"separable": True, "verdict": "complete", "solution": np.array(solution, dtype=np.float64)}
