"""Linear algebra in whole numbers by FLINT, long calls in a process of their own.

FLINT does not hear Ctrl-C while it works, and aborts the process where memory is short. So the work of a call is
estimated first: a short one is made at once, a long one by another Python, which is killed when Ctrl-C comes and whose
end becomes an error, and one whose answer would not fit is refused. Where no other Python can be had, long calls are
made at once as well.

Tests: ``tests/separation/test_integers.py``.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from os import environ, pathsep
from typing import TYPE_CHECKING, Any

from flint import fmpq_mat, fmpz, fmpz_mat, nmod_mat

from .._engine.progress import PAUSE, Tell

if TYPE_CHECKING:
    from .rows import Integers, Matrix

Ratio = tuple[int, int]

SHORT = 3e9  # work of a call that takes a third of a second or less: rows x columns x rank x bits^1.4
LARGEST = 2**33  # bits of an answer, 1 GiB
PRIME = 2**61 - 1  # a rank modulo a prime never exceeds the true one, and hardly ever falls short of it
BEGUN = b"begun"  # what the other process says first


def _rank(rows: Matrix) -> int:
    return int(fmpz_mat(rows).rank())


def _pivots(rows: Matrix) -> Integers:
    """By elimination modulo a large prime; where that shows fewer than there can be, a second one has a say.

    The second depends on the rows, so that no data that anybody may come upon or think of mislead both.
    """
    matrix = fmpz_mat(rows).transpose()
    found: Integers = []
    for prime in primes(rows):
        R, rank = nmod_mat(matrix, prime).rref()
        column, pivots = 0, []
        for i in range(rank):
            while not int(R[i, column]):
                column += 1
            pivots.append(column)
        found = max(found, pivots, key=len)
        if rank == min(matrix.nrows(), matrix.ncols()):
            break
    return found


def primes(rows: Matrix) -> Iterator[int]:
    """Two large primes, one of them made from the rows."""
    yield PRIME
    prime = fmpz(2**62 + hash(tuple(map(tuple, rows))) % 2**61)
    while not prime.is_probable_prime():
        prime += 1
    yield int(prime)


def _nullspace(rows: Matrix) -> Matrix:
    N, nullity = fmpz_mat(rows).nullspace()
    columns = N.transpose().tolist()
    return [[int(value) for value in columns[k]] for k in range(nullity)]


def _solve(A: Matrix, B: Matrix) -> list[list[Ratio]]:
    X: Any = fmpz_mat(A).solve(fmpz_mat(B))
    return [[(int(value.p), int(value.q)) for value in row] for row in X.tolist()]


def _multiply(A: Matrix, B: Matrix) -> Matrix:
    return [[int(value) for value in row] for row in (fmpz_mat(A) * fmpz_mat(B).transpose()).tolist()]


def _flat(rows: Matrix, group: Matrix) -> list[Ratio]:
    E, M = fmpz_mat(group), fmpz_mat([[*g, *row] for g, row in zip(group, rows, strict=True)])
    V: Any = (M * M.transpose()).solve(E)
    c = (fmpq_mat(E.transpose()) * V).solve(fmpq_mat(E.ncols(), 1, [1] * E.ncols()))
    weights = V * c
    return [(int(weights[k, 0].p), int(weights[k, 0].q)) for k in range(len(rows))]


CALLS: dict[str, Callable[..., Any]] = {
    "rank": _rank, "pivots": _pivots, "nullspace": _nullspace, "solve": _solve, "multiply": _multiply, "flat": _flat,
}  # fmt: skip


def call(name: str, *matrices: Matrix, tick: Tell | None = None) -> Any:
    """The answer to a question about matrices that are not empty; ``tick`` is called while another process works.

    ``rank`` (rows), ``pivots`` (rows: the first that do not depend on those before them, as far as two
    large primes show), ``nullspace`` (rows: a basis
    of the vectors orthogonal to them), ``solve`` (A, B: X with AX = B as fractions), ``multiply`` (A, B: ABᵗ), ``flat``
    (rows, groups: see ``integers._flat``). ZeroDivisionError where a matrix to be solved is singular.
    """
    work, answer = _estimate(name, matrices)
    if answer > LARGEST:
        raise ValueError(
            f"X needs an exact calculation with {len(matrices[0]):,} rows of {len(matrices[0][0]):,} numbers, whose "
            f"answer has about {answer / 8e9:,.0f} GB: take fewer features or classes, or round the numbers of X."
        )
    if work > SHORT and sys.executable and not getattr(sys, "frozen", False):
        with suppress(OSError):
            status, found = _elsewhere(name, matrices, tick)
            if status != 0 and found.startswith(BEGUN):
                raise ValueError(
                    f"X needs an exact calculation with {len(matrices[0]):,} rows of {len(matrices[0][0]):,} numbers, "
                    "and there is not enough memory for it: take fewer features or classes, or round the numbers of X."
                )
            if found.startswith(BEGUN):
                value = pickle.loads(found[len(BEGUN) :])  # what ``answer`` wrote, in our own process
                if isinstance(value, ZeroDivisionError):
                    raise value
                return value
    return CALLS[name](*matrices)


def _estimate(name: str, matrices: tuple[Matrix, ...]) -> tuple[float, float]:
    """The work of a call, in the units of ``SHORT``, and the bits of its answer."""
    rows, columns = len(matrices[0]), len(matrices[0][0])
    bits = max(abs(value) for matrix in matrices for row in matrix for value in (min(row), max(row))).bit_length()
    order = min(rows, columns)
    if name == "multiply":
        return 0.1 * rows * columns * len(matrices[1]) * bits, 2.0 * rows * len(matrices[1]) * bits
    if name == "pivots":
        return 3.0 * rows * columns * order, 64.0 * rows * columns
    if name == "flat":
        order, columns, bits = rows, rows + columns, 2 * bits
    sizes = {"nullspace": columns * (columns - order), "solve": order * len(matrices[-1][0])}
    return rows * columns * order * bits**1.4, float(sizes.get(name, order)) * order * bits


def _elsewhere(name: str, matrices: tuple[Matrix, ...], tick: Tell | None) -> tuple[int, bytes]:
    """Make a call in another process, which finds modules where this one does: its exit status and what it wrote."""
    command = [sys.executable, "-P", "-c", "from discriminant.separation.flint import answer; answer()"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**environ, "PYTHONPATH": pathsep.join(path or "." for path in sys.path)},
        start_new_session=True,  # Ctrl-C comes to us alone
    ) as process:
        try:
            found = _awaited(process, pickle.dumps((name, matrices)), tick)
        finally:
            process.kill()
            process.wait()
    return process.returncode, found


def _awaited(process: subprocess.Popen[bytes], given: bytes, tick: Tell | None) -> bytes:
    """What a process answers to what it is given."""
    left: bytes | None = given
    while True:
        try:
            return process.communicate(left, None if tick is None else PAUSE)[0]
        except subprocess.TimeoutExpired:
            left = None  # it has it
        if tick is not None:
            tick("", 0.0)


def answer() -> None:
    """The other process: read a call from stdin, write its answer to stdout."""
    sys.stdout.buffer.write(BEGUN)
    sys.stdout.buffer.flush()
    name, matrices = pickle.load(sys.stdin.buffer)
    try:
        value = CALLS[name](*matrices)
    except ZeroDivisionError as error:
        value = error
    pickle.dump(value, sys.stdout.buffer)
