"""Exact algebra of whole numbers by matrix products of float64: sums by digits, elimination modulo a prime.

float64 holds every whole number up to 2⁵³. So a sum of products that stays below is exact, in whatever order it is
added up. A large number is written in digits of ``width`` bits, v = Σ v_l 2^(width l), few enough that the sum of the
products of digits stays below; the products of two numbers are then those of their digits, added up by place, and
carrying from place to place tells the sign of the whole. Residues modulo a prime below 2²³ are small enough as they
are, as long as 128 products are added up at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FREE = 52  # bits that a sum of products may have, of which the sign is none
PANEL = 128  # rows that are eliminated together
FEW = 8  # rows that are eliminated one by one


def bits_of(numbers: Any) -> int:
    """The bits of the largest of some numbers: an array, or a list of whole numbers of any size."""
    if isinstance(numbers, np.ndarray):
        return max(int(numbers.max(initial=0)), -int(numbers.min(initial=0))).bit_length()
    return max(max(numbers, default=0), -min(numbers, default=0)).bit_length()


class Writing(NamedTuple):
    """How numbers are written for an exact product: bits of a digit, and digits of the numbers on the left."""

    width: int
    places: int

    @classmethod
    def of(cls, left: int, right: int, terms: int) -> Writing:
        """The one with the fewest products for numbers of so many bits, of whose products so many are added up."""
        free = FREE - terms.bit_length()
        half, rest = free // 2, free - left
        places = max(-(-left // half), 1)
        if rest > 0 and -(-right // rest) <= places * -(-right // half):
            return cls(rest, 1)  # small numbers are one digit, though it may be longer than those on the right
        return cls(half, places)

    def left(self, numbers: NDArray[Any]) -> Floats:
        """The digits of the numbers on the left, of the lowest place first: as many arrays."""
        return numbers.astype(np.float64)[None] if self.places == 1 else split(numbers, self.width, self.places)

    def right(self, numbers: Sequence[int]) -> Floats:
        """The digits of those on the right, as many as the largest has."""
        return split(numbers, self.width, max(-(-bits_of(numbers) // self.width), 1))


def split(numbers: NDArray[Any] | Sequence[int], width: int, places: int) -> Floats:
    """So many digits of numbers, of the lowest place first: as many arrays."""
    if width * places < 63:
        numbers = np.asarray(numbers, np.int64)
    if isinstance(numbers, np.ndarray) and numbers.dtype != object:
        size, sign = np.abs(numbers), np.sign(numbers)
        return np.stack([sign * (size >> width * k & (1 << width) - 1) for k in range(places)]).astype(np.float64)
    flat = numbers.ravel().tolist() if isinstance(numbers, np.ndarray) else numbers
    length = width * places // 8 + 8
    raw = np.frombuffer(b"".join(abs(value).to_bytes(length, "little") for value in flat), np.uint8)
    raw = raw.reshape(-1, length)
    sign = np.array([-1.0 if value < 0 else 1.0 for value in flat])
    parts = np.empty((places, len(raw)))
    for k, part in enumerate(parts):
        byte, bit = divmod(width * k, 8)
        word = np.ascontiguousarray(raw[:, byte : byte + 8]).view("<u8")[:, 0]
        part[:] = sign * (word >> np.uint64(bit) & np.uint64((1 << width) - 1))
    return parts.reshape(places, *np.shape(numbers))


def products(left: Floats, right: Floats) -> Ints:
    """The products of matrices by their digits: left of shape (places, n, p), right (p, places, m), result by place.

    The result has shape (n, places, m).
    """
    n, (p, places, m) = left.shape[1], right.shape
    sums = np.zeros((n, len(left) + places - 1, m), np.int64)
    for k, part in enumerate(left):
        sums[:, k : k + places] += (part @ right.reshape(p, places * m)).reshape(n, places, m).astype(np.int64)
    return sums


def signs(sums: Ints, width: int) -> NDArray[np.int8]:
    """The signs of numbers, of shape (n, m), from sums by place of shape (n, places, m)."""
    carry = np.zeros(sums[:, 0].shape, np.int64)
    rest = np.zeros(carry.shape, bool)
    for k in range(sums.shape[1]):
        total = sums[:, k] + carry
        rest |= total & (1 << width) - 1 != 0
        carry = total >> width
    return np.where(carry < 0, -1, (carry > 0) | rest).astype(np.int8)


def residues(parts: Floats, width: int, prime: int) -> Ints:
    """The numbers with these digits modulo a prime."""
    total = np.zeros(parts.shape[1:], np.int64)
    for k, part in enumerate(parts):
        total = (total + part.astype(np.int64) % prime * pow(2, width * k, prime)) % prime
    return total


def echelon(rows: Iterable[Sequence[int] | Ints], prime: int) -> tuple[list[int], Ints]:
    """The reduced echelon form of rows modulo a prime of ``PRIMES``: its pivot columns and its rows.

    The same as ``rows.echelon``, by panels of rows at a time.
    """
    panels = list(_panels(rows, prime))
    for k in range(len(panels) - 1, 0, -1):
        columns, panel = panels[k]
        for j, (others, above) in enumerate(panels[:k]):
            panels[j] = others, _less(above, columns, panel, prime)
    if not panels:
        return [], np.empty((0, 0), np.int64)
    reduced = np.concatenate([panel for _, panel in panels])
    return list(chain.from_iterable(columns for columns, _ in panels)), reduced.astype(np.int64) % prime


def rank_modulo(rows: Iterable[Sequence[int] | Ints], prime: int) -> int:
    """Rank of whole rows modulo a prime of ``PRIMES``: never more than the true rank."""
    return sum(len(columns) for columns, _ in _panels(rows, prime))


def _panels(rows: Iterable[Sequence[int] | Ints], prime: int) -> Iterator[tuple[list[int], Floats]]:
    """Panels of independent rows, each in reduced echelon form and zero in the pivot columns of those before."""
    panels: list[tuple[list[int], Floats]] = []
    rows = iter(rows)
    while some := list(islice(rows, PANEL)):
        block = np.array([_reduced_row(row, prime) for row in some], np.float64)
        for columns, panel in panels:
            block = _less(block, columns, panel, prime)
        panels.append(_reduced(block, prime))
        if panels[-1][0]:
            yield panels[-1]
        else:
            panels.pop()


def _reduced_row(row: Sequence[int] | Ints, prime: int) -> Any:
    return row % prime if isinstance(row, np.ndarray) else [value % prime for value in row]


def _reduced(block: Floats, prime: int) -> tuple[list[int], Floats]:
    """The reduced echelon form of a few rows: of the first half, then of what this leaves of the second."""
    if len(block) > FEW:
        columns, upper = _reduced(block[: len(block) // 2], prime)
        others, lower = _reduced(_less(block[len(block) // 2 :], columns, upper, prime), prime)
        return [*columns, *others], np.concatenate([_less(upper, others, lower, prime), lower])
    columns, kept = [], np.empty((0, block.shape[1]))
    for row in block:
        rest = _less(row[None], columns, kept, prime)
        if rest.any():
            column = int(rest[0].nonzero()[0][0])
            rest = nearest_residues(rest * pow(int(rest[0, column]), -1, prime), prime)
            kept = np.concatenate([_less(kept, [column], rest, prime), rest])
            columns.append(column)
    return columns, kept


def _less(block: Floats, columns: list[int], panel: Floats, prime: int) -> Floats:
    """A block with its entries in the pivot columns of a panel made zero."""
    return nearest_residues(block - block[:, columns] @ panel, prime) if columns and len(block) else block


def nearest_residues(block: Floats, prime: int) -> Floats:
    """The residues of whole numbers that are nearest to zero."""
    nearest: Floats = block - prime * np.rint(block / prime)
    return nearest
