"""Data with known answers: the books' tables, Boolean functions, generators, classics.

Every loader gives a `Dataset`: ``X, y = dataset``, where it comes from, and what is known about it.
In the books' data ω₁ is coded 1 and ω₂ is coded 0, rows are in the books' order.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5.
Beyan, *Linear Discriminant Functions*, lecture slides, 2024/25.
*Machine Learning: Theory and Practice*, ch. 8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._dataset import Dataset
from .books import (
    hessian_example,
    inseparable_six,
    margin_six,
    pseudoinverse_example,
    symmetric_six,
    table,
    xor_signed,
)
from .classics import breast_cancer, digits, endometrial, iris, wine
from .examples import (
    collinear_three,
    gradient_example,
    half_space_example,
    logistic_four,
    perceptron_example,
    regression_example,
    slides_eight,
    slides_five,
    svm_three,
)
from .gaussians import GaussianPosterior, gaussian_pair
from .generators import overlap, planted_margin, redundant
from .images import seven
from .truth_tables import and_function, boolean, or_function, parity, xor

__all__ = [
    "Dataset",
    "GaussianPosterior",
    "load",
    "names",
    # Pattern Classification
    "table",
    "pseudoinverse_example",
    "xor_signed",
    "hessian_example",
    "inseparable_six",
    "margin_six",
    "symmetric_six",
    # lecture slides
    "slides_eight",
    "slides_five",
    # Machine Learning: Theory and Practice
    "half_space_example",
    "collinear_three",
    "perceptron_example",
    "svm_three",
    "regression_example",
    "logistic_four",
    "seven",
    "gradient_example",
    # Boolean functions
    "or_function",
    "and_function",
    "xor",
    "parity",
    "boolean",
    # generators
    "redundant",
    "planted_margin",
    "overlap",
    "gaussian_pair",
    # classics
    "iris",
    "wine",
    "breast_cancer",
    "digits",
    "endometrial",
]

_LOADERS: dict[str, Callable[..., Dataset]] = {name: globals()[name] for name in __all__[4:]}


def names() -> tuple[str, ...]:
    """Give the names that `load` knows.

    Returns
    -------
    tuple of str
        One name for each loader.

    References
    ----------
    The sources are named by each data set, ``load(name).source``.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.names()[:3]
    ('table', 'pseudoinverse_example', 'xor_signed')
    """
    return tuple(_LOADERS)


def load(name: str, *args: Any, **parameters: Any) -> Dataset:
    """Load a data set by its name.

    Parameters
    ----------
    name : str
        One of `names`.
    *args, **parameters
        What that loader takes.

    Returns
    -------
    Dataset
        The data set.

    References
    ----------
    The sources are named by each data set, ``load(name).source``.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.load("table", 1, 3)
    <Dataset table: 20 rows, 2 columns; Duda, Hart, Stork, Pattern Classification, ch. 5, Computer exercises>
    >>> datasets.load("parity", d=2).y
    array([0, 1, 1, 0])
    """
    if name not in _LOADERS:
        raise ValueError(f"name = {name!r} is no data set; give one of {', '.join(_LOADERS)}")
    return _LOADERS[name](*args, **parameters)
