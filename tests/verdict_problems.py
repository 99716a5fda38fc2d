"""Random problems for ``separability`` that ``exact_oracle`` settles in milliseconds, and what is wrong with an answer.

``tests/separation/test_verdict.py`` tries a fixed sample, ``tools/verdicts.py`` as many as asked for.
"""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import numpy as np
from exact_oracle import sides
from numpy.typing import NDArray
from scipy import sparse

from discriminant import Certificate, Separability, separability

Table = NDArray[Any]


class Problem(NamedTuple):
    X: Any
    y: NDArray[np.int64]
    options: dict[str, Any]


def ties(rng: np.random.Generator, n: int, d: int) -> Table:
    return rng.integers(-2, 3, (n, d))


def factors(rng: np.random.Generator, n: int, d: int) -> Table:
    """One or two factors, with all their levels or without the first, and numbers beside them."""
    columns = []
    for _ in range(rng.integers(1, 3)):
        levels = int(rng.integers(2, 6))
        columns.append(np.eye(levels, dtype=int)[rng.integers(levels, size=n)][:, rng.integers(2) :])
    return np.concatenate([*columns, rng.integers(-2, 3, (n, rng.integers(3)))], axis=1)


def decimals(rng: np.random.Generator, n: int, d: int) -> Table:
    return rng.integers(-9, 10, (n, d)) / 10


def plain(rng: np.random.Generator, n: int, d: int) -> Table:
    return rng.standard_normal((n, d))


def duplicates(rng: np.random.Generator, n: int, d: int) -> Table:
    return ties(rng, max(2, n // 3), d)[rng.integers(max(2, n // 3), size=n)]


def aliased(rng: np.random.Generator, n: int, d: int) -> Table:
    """A constant column, a copy, and a sum of others."""
    X = rng.integers(-3, 4, (n, d))
    extra = [np.full(n, rng.integers(3)), X[:, 0], X @ rng.integers(-1, 2, d) + rng.integers(-1, 2)]
    return np.column_stack([X, *extra])[:, rng.permutation(d + 3)]


def wide(rng: np.random.Generator, n: int, d: int) -> Table:
    """More columns than rows; sometimes of low rank, so that the classes need not separate."""
    n, d = min(n, 10), int(rng.integers(10, 20))
    kept = rng.integers(1, 4) if rng.random() < 0.5 else d
    return rng.integers(-2, 3, (n, kept)) @ rng.integers(-1, 2, (kept, d))


def offset(rng: np.random.Generator, n: int, d: int) -> Table:
    """Small differences of large numbers, and columns of very different sizes."""
    return (rng.integers(0, 4, (n, d)) + 10.0 ** rng.integers(0, 10, d)) * 10.0 ** rng.integers(-3, 4, d)


KINDS = (ties, factors, decimals, plain, duplicates, aliased, wide, offset)


def problem(rng: np.random.Generator, least: int = 2, most: int = 8) -> Problem:
    """A problem of any kind, half of them of two classes or of counts where ``least`` allows it."""
    while True:
        c = least if rng.random() < 0.5 else int(rng.integers(least, most + 1))
        n, d = int(rng.integers(2, 41)) if c < 4 else int(rng.integers(c, 25)), int(rng.integers(1, 6 if c < 4 else 4))
        X = KINDS[rng.integers(len(KINDS))](rng, n, d)
        y = _labels(rng, X, c)
        options: dict[str, Any] = {
            "intercept": bool(rng.random() < 0.7), "reading": str(rng.choice(["decimal", "decimal", "float"]))
        }  # fmt: skip
        if c == 2 and rng.random() < 0.2:
            options["family"], y = "poisson", y * rng.integers(1, 4, y.size)
        if "family" in options or np.unique(y).size > 1:
            return Problem(_stored(rng, X), y, options)


def _labels(rng: np.random.Generator, X: Table, c: int) -> NDArray[np.int64]:
    """Labels of a linear machine, or of the nearest of c rows, ties at random, some of them changed or all of them."""
    if rng.random() < 0.5:
        g = X @ rng.integers(-2, 3, (X.shape[1], c)) + rng.integers(-2, 3, c)
    else:
        means = X[rng.integers(len(X), size=c)]
        g = X @ means.T - (means * means).sum(axis=1) / 2
    y = (g + 1e-9 * rng.random(g.shape) * np.abs(g).max(initial=1)).argmax(axis=1)
    changed = rng.random(y.size) < rng.choice([0.0, 0.0, 0.1, 1.0])
    return np.where(changed, rng.integers(c, size=y.size), y)


def _stored(rng: np.random.Generator, X: Table) -> Any:
    """The same numbers as an array of another type, or in CSR."""
    form = rng.integers(5)
    if form == 0:
        return sparse.csr_matrix(X.astype(np.float64))
    if form == 1 and X.dtype.kind == "f":
        return X.astype(np.float32)
    if form == 2 and X.dtype.kind == "i":
        return X.astype(np.float64)
    return X


def faults(given: Problem) -> tuple[str, list[str]]:
    """The right verdict, and what is wrong with the answer of the library; nothing where all is well."""
    X, y, options = given
    expected = sides(X.toarray() if sparse.issparse(X) else X, y, **options)
    try:
        s = separability(X, y, progress=False, **options)
        found = [*_differences(s, expected), *_unproved(s.certificate, X, y), *_misplaced(s, X, y)]
    except Exception as error:  # whatever it is, it is a finding
        found = [f"{type(error).__name__}: {error}"]
    return expected.verdict, found


def _differences(s: Separability, expected: Any) -> list[str]:
    found = {"verdict": s.verdict, "B": s.separated_rows.tolist(), "N": s.boundary_rows.tolist()}
    return [
        f"{name} is {value}, not {getattr(expected, name)}"
        for name, value in found.items()
        if value != getattr(expected, name)
    ]


def _unproved(proof: Certificate, X: Any, y: Any) -> list[str]:
    """Of each way to check a proof, why it refuses this one."""
    ways = [{}, *([{"method": "plain"}] if "method" in inspect.signature(proof.verify).parameters else [])]
    found = []
    for way in ways:
        try:
            proof.verify(X, y, **way)
        except ValueError as error:
            found.append(f"verify({way or ''}): {error}")
    return found


def _misplaced(s: Separability, X: Any, y: Any) -> list[str]:
    """Whether the plane that is shown has a row on its wrong side without a note on that."""
    if s.verdict != "complete" or not s.groups or any("too small for float64" in note for note in s.notes):
        return []
    plane = s.hyperplane
    right = plane.side(X) == np.where(y == y.max(), 1, -1) if len(s.groups) == 2 else plane.predict(X) == y
    return [] if np.all(right) else [f"rows {np.flatnonzero(~right).tolist()} lie on the wrong side of the plane"]
