"""Exact solutions of square systems of many columns: Dixon's lifting, by products of float64 matrices.

Let C be the inverse of A modulo a prime p. From r = b, the steps

    y = C r modulo p,    r ← (r - Ay) / p,

in which r stays whole, give the digits of a vector Y = Σ y_k p^k with AY = b modulo p^K: the solution as a residue. It
is a vector of fractions with one denominator q, which a short vector of a lattice tells. The lattice is made from a few
sums of the residues; three of them need two thirds of the digits that one would need. The numerators are the residues
x = qY modulo p^K that are nearest to zero: p^K divides Ax - qb, and where n|A||x| + q|b| is smaller than p^K, this is
zero. So what is returned is proved.

Whatever is multiplied by a matrix has so few bits that all sums are exact in float64, as in ``digits``.

References
----------
J. D. Dixon, "Exact solution of linear equations using p-adic expansions", Numerische Mathematik 40 (1982);
C. Bright and A. Storjohann, "Vector rational number reconstruction", ISSAC (2011).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, isqrt, log, log2

import numpy as np
from flint import fmpz, fmpz_mat, fmpz_poly

from .._engine.progress import Tell
from .digits import Floats, bits_of, echelon, nearest_residues, split
from .rows import Integers, primitive

BITS = 53  # of a sum of products
HALF = 22  # bits of a residue, which may be negative
TRIES = 3  # primes; all of them divide the determinant of hardly any matrix but a singular one
SEVERAL = 3  # sums of residues that tell the denominator
FIRST, GROWTH, LATE = 16, 1.5, 1.1  # digits after which a solution is looked for, and their growth until the next time
TOLD = 50  # digits after which somebody hears of it
SURE = 64  # bits by which a vector of the lattice must be shorter than one that means nothing

Solution = tuple[int, Integers]


def lifted(A: Sequence[Sequence[int]], B: Sequence[Sequence[int]], tick: Tell | None = None) -> list[Solution] | None:
    """For each column b of B (q, x) with q > 0 and Ax = qb; None where no prime shows that A is regular."""
    for prime in _primes(len(A)):
        inverse = _inverse(A, prime)
        if inverse is not None:
            return Lifting(A, B, inverse, prime).run(tick)
    return None


def _primes(n: int) -> Iterator[int]:
    """The largest primes of whose residues, at most a half of them, n products can be added up."""
    prime, found = min(2 * isqrt(2**BITS // n) - 4, 2 ** (HALF + 1)), 0  # rounding may add one to a half
    while found < TRIES:
        prime -= 1
        if fmpz(prime).is_prime():
            found += 1
            yield prime


def _inverse(A: Sequence[Sequence[int]], prime: int) -> Floats | None:
    """The inverse modulo a prime, if there is one."""
    n = len(A)
    places, E = echelon(([*row, *unit] for row, unit in zip(A, np.eye(n, dtype=int).tolist(), strict=True)), prime)
    if sorted(places) != list(range(n)):
        return None
    return nearest_residues(np.ascontiguousarray(E[np.argsort(places), n:], np.float64), prime)


class Lifting:
    """The digits of the solutions so far, and what is left of the right-hand sides."""

    def __init__(self, A: Sequence[Sequence[int]], B: Sequence[Sequence[int]], inverse: Floats, prime: int) -> None:
        self.inverse, self.prime, n = inverse, prime, len(A)
        self.width = BITS - HALF - n.bit_length()
        self.bits_A, self.bits_B = (max(map(bits_of, matrix)) for matrix in (A, B))
        parts = _written(A, self.width)
        columns = [np.flatnonzero(part.any(axis=0)) for part in parts]  # large numbers may stand in few
        self.A = [(some, np.ascontiguousarray(part[:, some])) for some, part in zip(columns, parts, strict=True)]
        right = _written(B, self.width).astype(np.int64)
        self.rest = np.concatenate([right, np.zeros((max(len(parts) - len(right), 0), *right.shape[1:]), np.int64)])
        self.digits: list[Floats] = []
        size = 2 ** min(self.width, HALF)
        self.mix: Floats = np.random.default_rng(0).integers(-size, size, (SEVERAL, n)).astype(np.float64)
        most = n * (self.bits_A + n.bit_length())
        self.limit = self._digits(most + self.bits_B, 1)
        self.enough = self._digits(min(_determinant(parts, self.width), most) + self.bits_B, 1 / SEVERAL)

    def _digits(self, bits: float, more: float) -> int:
        """How many digits tell a fraction of numbers of so many bits, and of sums of such."""
        return int((bits + HALF + len(self.inverse).bit_length() + SURE) * (1 + more) / log2(self.prime)) + 1

    def run(self, tick: Tell | None) -> list[Solution] | None:
        """Digit after digit, until they tell the solutions."""
        found: list[Solution] = []
        trial = min(FIRST, self.enough)
        while len(self.digits) < self.limit:
            self._lift()
            if tick is not None and not len(self.digits) % TOLD:
                tick("", 0.0)
            if len(self.digits) >= trial:
                if self._look(found):
                    return found
                near = min(int(GROWTH * trial), self.enough)
                trial = near if near > trial else int(LATE * trial) + 1
        return None

    def _lift(self) -> None:
        """One more digit of every solution."""
        y = nearest_residues(self.inverse @ nearest_residues(self._residue(), self.prime), self.prime)
        self.digits.append(y)
        for part, (some, A) in zip(self.rest, self.A, strict=False):
            part -= (A @ y[some]).astype(np.int64)
        carry = np.zeros(y.shape, np.int64)
        for part in self.rest[::-1]:
            part[:], carry = np.divmod((carry << self.width) + part, self.prime)

    def _residue(self) -> Floats:
        """What is left of the right-hand sides modulo the prime."""
        residue = np.zeros(self.rest.shape[1:], np.int64)
        for part in self.rest[::-1]:
            residue = ((residue << self.width) + part) % self.prime
        return residue.astype(np.float64)

    def _look(self, found: list[Solution]) -> bool:
        """Whether the digits tell all solutions; those that they tell are found."""
        modulus = fmpz(self.prime) ** len(self.digits)
        for k in range(len(found), self.rest.shape[2]):
            digits = np.array([y[:, k] for y in self.digits]).T
            # two solutions hardly ever have other denominators
            solution = self._numerators(digits, fmpz(found[0][0]), modulus) if found else None
            if solution is None:
                q = _denominator([_number(row, self.prime) for row in self.mix @ digits], modulus)
                solution = self._numerators(digits, q, modulus) if q else None
            if solution is None:
                return False
            found.append(solution)
        return True

    def _numerators(self, digits: Floats, q: fmpz, modulus: fmpz) -> Solution | None:
        """The solution with a denominator, or with a multiple of it, if there is one."""
        x: list[fmpz] = []
        bits = modulus.bit_length() - 2
        most = bits - self.bits_A - len(digits).bit_length()
        for row in digits:
            value = _nearest(q * _number(row, self.prime), modulus)
            if value.bit_length() > most:  # the sums may lack a small factor
                factor = _denominator([value], modulus, q.bit_length())
                if not factor:
                    return None
                q, x, value = factor * q, [factor * other for other in x], _nearest(factor * value, modulus)
            x.append(value)
        if max(value.bit_length() for value in x) > most or q.bit_length() + self.bits_B > bits:
            return None
        denominator, *numerators = primitive([int(value) for value in (q, *x)])
        return denominator, numerators


def _denominator(values: list[fmpz], modulus: fmpz, weight: int = 0) -> fmpz:
    """The least q > 0 that brings all residues near to zero, if some does so much more than any number would; else 0.

    Residues of so many bits more than q has are expected.
    """
    count = len(values)
    lattice = [[modulus if i == j else 0 for j in range(count + 1)] for i in range(count)]
    shortest = fmpz_mat([*lattice, [*(value % modulus for value in values), 2**weight]]).lll().tolist()[0]
    usual = (modulus.bit_length() * count + weight) // (count + 1)
    is_short = max(abs(value).bit_length() for value in shortest) < usual - SURE // 2
    return abs(shortest[-1]) >> weight if is_short else fmpz(0)


def _nearest(value: fmpz, modulus: fmpz) -> fmpz:
    """The residue nearest to zero."""
    value %= modulus
    return value - modulus if 2 * value > modulus else value


def _determinant(parts: Floats, width: int) -> float:
    """About so many bits has the determinant of a matrix that is given by its digits."""
    places = len(parts)
    A = sum(np.ldexp(part, width * (k - places)) for k, part in enumerate(parts))
    sign, size = np.linalg.slogdet(A)
    return float(size) / log(2) + width * places * len(A) if sign else inf


def _written(numbers: Sequence[Sequence[int]], width: int) -> Floats:
    """The digits of a matrix, of the lowest place first."""
    flat = [value for row in numbers for value in row]
    places = max(-(-bits_of(flat) // width), 1)
    return split(flat, width, places).reshape(places, len(numbers), -1)


def _number(digits: Floats, base: int) -> fmpz:
    """The number with these digits, of the lowest place first."""
    return fmpz_poly(digits.astype(np.int64).tolist())(fmpz(base))
