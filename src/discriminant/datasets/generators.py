"""Random data whose answers are known because they were planted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .._guards.parameters import Number, refused
from ._dataset import PATTERN_CLASSIFICATION, Dataset, loader, overlap_proof, separated, unnamed

__all__ = ["redundant", "planted_margin", "overlap"]

FloatArray = NDArray[np.float64]

INFORMATIVE = 10  # columns that carry the plane of sparse data
EXTRA = 10  # further entries of a sparse row
SIZE = Number("give a whole number of rows or columns", 1, closed=True, whole=True)
ROWS = Number("give both classes a row", 2, closed=True, whole=True)


@loader(PATTERN_CLASSIFICATION, "Computer exercise 6")
def redundant(n: int = 2000, d: int = 100, informative: int = 10, random_state: Any = None) -> Dataset:
    """Generate data in which only the first features tell the classes apart.

    In ω₁ each informative feature is uniform on [1, 2], in ω₂ on [−2, −1]; the others are uniform on
    [−2, 2] in both.

    Parameters
    ----------
    n : int, default=2000
        The number of rows, half of them of each class, in random order.
    d : int, default=100
        The number of features.
    informative : int, default=10
        How many of them, from the first, are informative.
    random_state : int, numpy Generator or None, default=None
        The seed.

    Returns
    -------
    Dataset
        Answers: ``solution``, the sum of the informative features, and ``margin``, which it attains at least.

    Examples
    --------
    >>> from discriminant import datasets
    >>> X, y = datasets.redundant(random_state=0)
    >>> X.shape, bool(((X[:, :10].sum(axis=1) > 0) == y).all())
    ((2000, 100), True)
    """
    n, d = ROWS("n", n), SIZE("d", d)
    if SIZE("informative", informative) > d:
        raise refused("informative", informative, f"at most d={d}", "give fewer, or more features")
    rng = generator(random_state)
    y = rng.permutation(np.arange(n) % 2)
    X = rng.uniform(-2, 2, (n, d))
    X[:, :informative] = (2 * y - 1)[:, None] * rng.uniform(1, 2, (n, informative))
    others = d - informative
    answers = separated(0, *[1] * informative, *[0] * others)
    description = f"{informative} informative features and {others} that are not"
    return unnamed(X, y, description, **answers, margin=math.sqrt(informative))


@loader(PATTERN_CLASSIFICATION, "§5.4.1 (generated)", "§5.4.1 and §5.11")
def planted_margin(
    n: int = 1000,
    d: int = 20,
    margin: float = 0.1,
    random_state: Any = None,
    sparse: bool = False,
    dtype: DTypeLike = np.float64,
) -> Dataset:
    """Generate separable data in the unit ball with a known maximum-margin plane.

    Every point keeps the margin from a random plane with unit normal w. Two points, one of each class, face
    each other across it, so no plane can have a larger margin than half their distance.

    Parameters
    ----------
    n : int, default=1000
        The number of rows, half of them of each class, in random order.
    d : int, default=20
        The number of features.
    margin : float, default=0.1
        The geometric margin, above 0 and at most 0.9.
    random_state : int, numpy Generator or None, default=None
        The seed.
    sparse : bool, default=False
        Give a CSR matrix: ten informative columns and ten more entries in a row.
    dtype : dtype, default=numpy.float64
        Either float32 or float64.

    Returns
    -------
    Dataset
        Answers: ``solution`` (w₀, w) with ‖w‖ = 1, its ``margin`` (each row keeps at least this) and ``facing``, the
        two rows that bound every margin by that number, up to one part in 10⁵. The radius is at most 1.

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.planted_margin(200, 5, margin=0.2, random_state=0)
    >>> X, y = dataset
    >>> w0, w = dataset.solution[0], dataset.solution[1:]
    >>> print(f"{((2 * y - 1) * (X @ w + w0)).min():.4f}")
    0.2000
    """
    n, d, dtype = ROWS("n", n), SIZE("d", d), np.dtype(dtype)
    if not 0 < margin <= 0.9:
        raise refused("margin", margin, "a number > 0 and at most 0.9", "the data lie in the unit ball")
    if dtype not in (np.float32, np.float64):
        raise refused("dtype", dtype.name, "'float32' or 'float64'", "choose one of these")
    rng = generator(random_state)
    ball = 1 - 1e-6  # both leave room for rounding
    target = margin * (1 + 1e-6) + 16 * float(np.finfo(dtype).eps)
    y = rng.permutation(np.arange(n) % 2)
    z = 2 * y - 1
    facing = np.array([np.argmax(y == 1), np.argmax(y == 0)])
    # x = tw + v with v orthogonal to w: z(t + w₀) ≥ target and t² + ‖v‖² ≤ 1
    w0 = rng.uniform(-1, 1) * (ball - target) / 2
    g = rng.uniform(target, ball + z * w0)
    g[facing] = target
    t = z * g - w0
    room = np.sqrt(np.maximum(ball**2 - t**2, 0)) * rng.uniform(0, 1, n) ** (1 / d)
    room[facing] = room[facing].min()
    w, head, tail, columns = _orthogonal(rng, n, d, INFORMATIVE if sparse else d, EXTRA if sparse else 0)
    for part in (head, tail, columns):
        part[facing[1]] = part[facing[0]]
    norms = np.sqrt((head**2).sum(axis=1) + (tail**2).sum(axis=1))
    factors = (room / np.where(norms > 0, norms, 1))[:, None]
    head = np.outer(t, w[: head.shape[1]]) + factors * head
    X = _csr(head, factors * tail, columns, d) if sparse else head
    description = f"Points of the unit ball with a margin of {margin}"
    return unnamed(X.astype(dtype), y, description, **separated(w0, *w), margin=float(margin), facing=facing)


@loader(PATTERN_CLASSIFICATION, "Problem 8 (generated)", "Problem 8: either linearly separable, or the hulls intersect")
def overlap(n: int = 200, d: int = 2, flip: float = 0.1, random_state: Any = None) -> Dataset:
    """Generate data that no plane separates, with the rows that prove it.

    Gaussian points are labeled by a random plane and the labels flipped at random. Among them ω₁ has a
    simplex of d + 1 points and ω₂ two points that face each other across its center: both hulls hold it.

    Parameters
    ----------
    n : int, default=200
        The number of rows, at least d + 3.
    d : int, default=2
        The number of features.
    flip : float, default=0.1
        The probability of a wrong label, from 0 to 0.5.
    random_state : int, numpy Generator or None, default=None
        The seed.

    Returns
    -------
    Dataset
        Answers: the proof in ``support``, ``multipliers`` and ``point``, exact in floats and in decimals, and
        ``plane``, the (w₀, w) that made the labels.

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.overlap(20, 2, random_state=0)
    >>> dataset.separable, dataset.y[dataset.support].tolist()
    (False, [1, 1, 1, 0, 0])
    """
    d = SIZE("d", d)
    n = Number("give room for the d + 3 rows of the proof", d + 3, closed=True, whole=True)("n", n)
    if not 0 <= flip <= 0.5:
        raise refused("flip", flip, "a probability from 0 to 0.5", "beyond it the classes change their names")
    rng = generator(random_state)
    plane = np.concatenate([rng.uniform(-0.5, 0.5, 1), _unit(rng.standard_normal(d))])
    X = rng.standard_normal((n, d))
    y = ((X @ plane[1:] + plane[0] > 0) ^ (rng.uniform(size=n) < flip)).astype(np.int64)
    support = rng.choice(n, d + 3, replace=False)
    # Sixteenths have few digits, so that the planted points are exact however they are read.
    center = rng.integers(-16, 17, d) / 16
    step = np.concatenate([[rng.integers(1, 17)], rng.integers(-16, 17, d - 1)]) / 16
    X[support] = center + np.vstack([np.eye(d), -np.ones(d), step, -step])
    y[support] = np.repeat([1, 0], [d + 1, 2])
    multipliers = np.repeat([1 / (d + 1), 0.5], [d + 1, 2])
    description = f"Two classes whose hulls meet, {flip:.0%} of the labels flipped"
    return unnamed(X, y, description, **overlap_proof(support, multipliers, center), plane=plane)


def _unit(vector: FloatArray) -> FloatArray:
    return vector / np.linalg.norm(vector)


def _orthogonal(rng: np.random.Generator, n: int, d: int, wide: int, extra: int) -> tuple[Any, Any, Any, Any]:
    """Give a unit vector w on the first columns and n vectors orthogonal to it: there, and in a few more columns."""
    wide = min(wide, d)
    extra = min(extra, d - wide)
    w = np.zeros(d)
    w[:wide] = _unit(rng.standard_normal(wide))
    head = rng.standard_normal((n, wide))
    head -= np.outer(head @ w[:wide], w[:wide])
    # One column from each of `extra` stretches of equal length: none is drawn twice, and they come sorted.
    stretches = np.arange(extra) + rng.uniform(0, 1, (n, extra))
    columns = wide + np.floor(stretches * (d - wide) / max(extra, 1)).astype(np.int32)
    return w, head, rng.standard_normal((n, extra)), columns


def _csr(head: FloatArray, tail: FloatArray, columns: Any, d: int) -> Any:
    """Give the CSR matrix with the head in the first columns of each row and the tail in the columns named."""
    n, wide = head.shape
    first = np.broadcast_to(np.arange(wide, dtype=np.int32), head.shape)
    entries = np.arange(n + 1, dtype=np.int64) * (wide + tail.shape[1])
    indptr = entries.astype(np.int32) if entries[-1] < 2**31 else entries
    from scipy.sparse import csr_array  # not needed by who only lists the data sets

    return csr_array((np.hstack([head, tail]).ravel(), np.hstack([first, columns]).ravel(), indptr), shape=(n, d))


def generator(random_state: Any) -> np.random.Generator:
    """Give a numpy Generator for a seed, a Generator, a RandomState or None."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise refused("random_state", random_state, f"a seed ({error})", "give an int, a Generator or None") from error
