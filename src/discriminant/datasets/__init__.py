"""Data with known answers: the books' tables, Boolean functions, generators, classics.

Every loader gives a `Dataset`: ``X, y = dataset``, where it comes from, and what is known about it.
In the books' data ω₁ is coded 1 and ω₂ is coded 0, rows are in the books' order.

- ``books``: *Pattern Classification*; ``examples``, ``images``: the slides and *Theory and Practice*; ``truth_tables``:
  Boolean functions; ``generators``, ``gaussians``: planted answers; ``exercises``: to be solved by hand; ``classics``,
  ``published``: real data; ``_dataset``: what a loader gives.

A new one needs its file alone. Imports ``_guards``.  Tests: ``tests/datasets``.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5.
Beyan, *Linear Discriminant Functions*, lecture slides, 2024/25.
*Machine Learning: Theory and Practice*, ch. 8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._guards.parameters import refused
from . import books, classics, examples, exercises, gaussians, generators, images, published, truth_tables
from ._dataset import Dataset
from .books import *  # noqa: F403
from .classics import *  # noqa: F403
from .examples import *  # noqa: F403
from .exercises import *  # noqa: F403
from .gaussians import *  # noqa: F403
from .generators import *  # noqa: F403
from .images import *  # noqa: F403
from .published import *  # noqa: F403
from .truth_tables import *  # noqa: F403

__all__ = ["Dataset", "load", "names"]  # and what each file says is public, in the order of the listing
__all__ += books.__all__
__all__ += examples.__all__
__all__ += images.__all__
__all__ += truth_tables.__all__
__all__ += generators.__all__
__all__ += gaussians.__all__
__all__ += exercises.__all__
__all__ += classics.__all__
__all__ += published.__all__

_LOADERS: dict[str, Callable[..., Dataset]] = {
    name: value for name in __all__[3:] if not isinstance(value := globals()[name], type)
}


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
        raise refused("name", name, f"one of {', '.join(_LOADERS)}", "choose one of these")
    return _LOADERS[name](*args, **parameters)
