"""Where each coefficient of an unpenalized regression goes: the signs of b's entries over all b with Zb >= 0.

Columns that depend on earlier ones are left out first (``aliases``), so that b is determined by Zb. Let b be the vector
of the verdict, which lies in the interior of the cone, and s the sign of its entry f(b). Then f goes to s infinity
exactly when sf >= 0 on the whole cone; f stays finite where it vanishes on all vectors that are orthogonal to N; and a
coefficient is undetermined where some b' of the cone has sf(b') < 0, in particular where f(b) = 0.

Both are found by one guess in floats, nonnegative least squares on Zᵗλ = sf: where the residual ρ vanishes, λ >= 0 is a
proof of the sign by Farkas' lemma; otherwise b' = -ρ is a vector of the cone. To begin with, f is the sum of all that
are open, so that one b' settles many of them. Whole numbers confirm λ, and a pass over the data b'; where floats fail,
the search of the verdict decides, with the row of an axis added. All of it ends when its time is up, and can go on.
"""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import solve_triangular

from .._engine.progress import Tell, TerminalBar
from .aliases import Aliases, aliases
from .faces import Face
from .integers import coordinates, kernel, whole
from .nonnegative import nonnegative
from .passes import Floats
from .quick_check import Judge
from .rows import Integers, primitive, weighted_sum
from .search import settle
from .system import Direction, Name, System
from .trial import Outcome, names_of, parts

OPEN = 9.0  # stands for a sign that is not known yet
NEAR = 1e-9  # residuals below, relatively, are taken for zero
FEW = 4  # rows for each dimension that a guess is made from to begin with
WORST = 100  # rows that contradict a guess and join them
HUGE = 2000  # weights from which the first step alone takes longer than anybody who set a limit waits


class TimeUpError(Exception):
    """The time for signs is over; what was found stays."""


class Signs:
    """The signs as far as they are known: ``work`` goes on for so many seconds in all."""

    def __init__(self, outcome: Outcome, meter: TerminalBar) -> None:
        self.system, self.outcome, self.meter = outcome.face.system, outcome, meter
        self.spent = 0.0
        self.aliases: Aliases | None = None
        self.cone: Cone | None = None

    def work(self, seconds: float) -> None:
        """Go on until all is known, or this time has been spent, that of earlier calls included.

        What the meter raises goes to the caller; what was found stays then too.
        """
        too_long = self.spent >= seconds or (self.system.n_columns > HUGE and seconds < np.inf)
        if self.is_done or too_long or not self.outcome.maximal:
            return
        began = time.monotonic()
        end = began + seconds - self.spent
        with self.meter as meter:

            def tick(text: str, share: float) -> None:
                meter(text, share)
                if time.monotonic() > end:
                    raise TimeUpError

            try:
                self._go_on(tick)
            except TimeUpError:
                pass  # the signs that are open stay so
            finally:
                self.spent += time.monotonic() - began

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to find."""
        if self.aliases is None or self.outcome.direction is None:
            return self.aliases is not None
        return self.cone is not None and not (self.cone.signs == OPEN).any()

    def _go_on(self, tick: Tell) -> None:
        found = self.found_aliases(tick)
        if self.outcome.direction is not None:
            merged = self.outcome.merged
            smaller = self.outcome if merged is None else merged.outcome
            self.cone = self.cone or Cone(reduced(smaller, found, tick))
            self.cone.decide(tick)

    def found_aliases(self, tick: Tell) -> Aliases:
        """The columns that depend on earlier ones, found now if they are not known."""
        self.aliases = self.aliases or aliases(self.system, tick)
        return self.aliases

    def reduced(self) -> NDArray[np.float64]:
        """Signs of (w₀, w) for each block in the model without the columns that depend on earlier ones.

        nan where both occur, or the column is left out; ``OPEN`` where the sign is not known.
        """
        system = self.system
        signs = np.full((system.n_blocks, system.p), OPEN if self.outcome.direction is not None else 0.0)
        if self.aliases is not None:
            signs[:, self.aliases.dropped] = np.nan
            if self.cone is not None:
                found = self._by_block(self.cone.signs)
                signs[:, self.aliases.kept] = np.where(found == OPEN, OPEN, 0 - found) if system.counts else found
        return signs  # a mean of counts falls to zero against b

    def _by_block(self, signs: NDArray[np.float64]) -> NDArray[np.float64]:
        """The signs of the cone for each block: classes that were merged have those of their group."""
        merged = self.outcome.merged
        if merged is None:
            return signs.reshape(self.system.n_blocks, -1)
        found = signs.reshape(max(merged.groups), -1)
        return np.concatenate([np.zeros_like(found[:1]), found])[merged.groups[1:]]

    def strict(self) -> NDArray[np.float64]:
        """The same over all columns: nan too where the sign depends on which columns are left out."""
        signs = self.reduced()
        if self.outcome.direction is None:
            return np.zeros_like(signs)
        if self.aliases is not None:
            signs[:, sorted(set(range(self.system.p)) - self.aliases.alone)] = np.nan
        return signs


def reduced(outcome: Outcome, found: Aliases, tick: Tell) -> Outcome:
    """The outcome on the columns that are kept alone."""
    system = outcome.face.system
    if not found.dropped:
        return outcome
    features = [place - system.intercept for place in found.kept if place >= system.intercept]
    if outcome.narrow is not None and sorted(outcome.narrow.columns) == features:
        return outcome.narrow.outcome
    old, ones = outcome.face, np.ones((system.n, 1), system.X.dtype)  # which stand for an intercept without features
    small = system.on(features) if features else System(ones, system.own, system.n_groups, False, system.table.reading)
    face = Face(small, list(old.span), [], dict(old.weights), list(old.relations))
    face.vectors = kernel(small.matrix(face.span)) if face.span and not face.is_all else []
    return settle(small, outcome.working, face, tick)


class Cone:
    """All b with Zb >= 0 on independent columns, and the signs of their entries."""

    def __init__(self, outcome: Outcome) -> None:
        assert outcome.direction is not None
        self.outcome, self.face, self.system = outcome, outcome.face, outcome.face.system
        self.b = outcome.direction.b
        self.rows = dict.fromkeys(self._tight(self.face.outside(outcome.working)))
        self.guess: Guess | None = None
        self.signs = np.full(len(self.b), OPEN)
        self.signs[[not value for value in self.b]] = np.nan  # some b' nearby have either sign
        if self.face.span:
            moved = (np.array(self.face.vectors, dtype=object) != 0).any(axis=0)
            self.signs[~moved] = 0.0
        if self.dimension == 1:
            self.signs = np.array([(value > 0) - (value < 0) for value in self.b], np.float64)

    @property
    def dimension(self) -> int:
        """Of the vectors that are orthogonal to N."""
        return len(self.face.vectors) if self.face.span else len(self.b)

    def _tight(self, names: list[Name]) -> list[Name]:
        """The rows that are nearest to zero on b, a few for each dimension: others join where they contradict."""
        z, scale = self.system.floats(names)
        return [names[k] for k in np.argsort(z @ scale.scaled(self.b)[0], kind="stable")[: FEW * self.dimension]]

    @property
    def open(self) -> list[int]:
        """The places whose signs are not known."""
        return np.flatnonzero(self.signs == OPEN).tolist()

    def decide(self, tick: Tell) -> None:
        """Find what is open: all together, then one by one in floats, then by the search of the verdict."""
        while self.open and self._doubt(self.open, tick):
            pass
        for place in self.open:
            while self.signs[place] == OPEN and self._doubt([place], tick):
                pass
        for place in self.open:
            tick(f"{len(self.open)} coefficients left", 0.0)
            if self.signs[place] == OPEN:
                self._search(place, tick)

    def _doubt(self, places: list[int], tick: Tell) -> bool:
        """Whether a guess has brought something: a sign, a vector that has another one, or rows that were missing."""
        tick(f"{len(self.open)} coefficients left", 0.0)
        try:
            if self.guess is None or len(self.guess.live) < len(self.rows):
                self.guess = Guess(self.face, list(self.rows), self.b)
            support, direction = self.guess.against(places)
        except (RuntimeError, ArithmeticError, ValueError):
            return False  # the guess failed: whole numbers will do it
        if direction is not None:
            return self._meet(direction, tick)
        if len(places) == 1 and self._proved(places[0], support):
            self.signs[places[0]] = 1.0 if self.b[places[0]] > 0 else -1.0
        return False

    def _meet(self, direction: Direction, tick: Tell) -> bool:
        """Take note of the signs of a vector if no row contradicts it, else of the rows."""
        wrong = self._contradictions(direction, tick)
        if wrong:
            size = len(self.rows)
            self.rows |= dict.fromkeys(wrong)
            return len(self.rows) > size
        return self._note(direction.b)

    def _note(self, b: Integers) -> bool:
        """Whether a vector of the cone has another sign than b anywhere."""
        flipped = [place for place in self.open if b[place] * self.b[place] < 0]
        self.signs[flipped] = np.nan
        return bool(flipped)

    def _contradictions(self, direction: Direction, tick: Tell) -> list[Name]:
        """Rows z with zb' < 0; of two classes, those of the boundary vanish on b' as on all vectors."""
        wrong, doubtful, _ = self.system.judge(direction, WORST)
        if wrong:
            return wrong
        if self.system.n_blocks == 1 and self.outcome.boundary is not None:
            doubtful = np.setdiff1d(doubtful, self.outcome.boundary)
        found: list[Name] = []
        judge = Judge(self.system.table, self.system, direction.b)
        for part in parts(self.system, doubtful, tick):
            for own, some, signs in judge.signs(part, self.system.own[part].astype(np.int64)):
                found += names_of(self.system, part[some], own, signs < 0)
        return found[:WORST]

    def _proved(self, place: int, names: list[Name]) -> bool:
        """Whether rows with positive weights, and rows of N with any, add up to the unit vector or its negative."""
        rows = self.system.matrix([*names, *self.face.span])
        unit = [int(k == place) * (1 if self.b[place] > 0 else -1) for k in range(len(self.b))]
        try:
            q, weights = coordinates(rows, [unit])[0]
        except (ZeroDivisionError, ValueError):
            return False  # the rows depend on each other
        return min(weights[: len(names)], default=0) >= 0 and weighted_sum(weights, rows) == [q * u for u in unit]

    def _search(self, place: int, tick: Tell) -> None:
        """Decide a sign by the search of the verdict, which always ends: does any b' have the other one?"""
        system = _with_axis(self.system, place, -1 if self.b[place] > 0 else 1)
        other = settle(system, self.outcome.working, self.face.within(system), tick)
        if other.direction is not None:
            self._note(other.direction.b)
        if self.signs[place] == OPEN:
            self.signs[place] = 1.0 if self.b[place] > 0 else -1.0


class Guess:
    """Rows in floats, in coordinates t of the vectors that are orthogonal to N: zb = Rt, but for a positive factor."""

    def __init__(self, face: Face, live: list[Name], b: Integers) -> None:
        self.face, self.live, self.b = face, live, b
        z, self.scale = face.system.floats(live)
        if face.span:
            columns, self.sizes = zip(*map(self.scale.scaled, face.vectors), strict=True)
            self.Q, self.U = np.linalg.qr(np.array(columns).T)
            z = z @ self.Q
        length = np.linalg.norm(z, axis=1)
        self.R = z / np.where(length > 0, length, 1)[:, None]
        self.inside = self._coordinates(self.scale.scaled(b)[0])

    def _coordinates(self, vector: Floats) -> Floats:
        found = vector @ self.Q if self.face.span else vector
        return np.asarray(found / np.linalg.norm(found))

    def against(self, places: list[int]) -> tuple[list[Name], Direction | None]:
        """Rows that may prove the signs of the sum of these entries, or a vector that may have another sign in one."""
        F = np.array([self._entry(place) for place in places])
        target = F.sum(axis=0)
        weights = np.zeros(len(self.live))
        if weights.size:
            weights = nonnegative(self.R.T, target, 10 * sum(self.R.shape))
        rest = target - weights @ self.R
        if not np.linalg.norm(rest) > NEAR * np.linalg.norm(target):
            return [self.live[k] for k in np.flatnonzero(weights)], None
        t = -rest / np.linalg.norm(rest)
        lost, gained = F @ t, F @ self.inside
        share = 0.1 * np.max(-lost / np.maximum(gained, NEAR))  # of b, so that every row is on its side for sure
        return [], self._direction(t + min(share, 1.0) * self.inside)

    def _entry(self, place: int) -> Floats:
        """The functional of an entry of b, with its sign in b: an intercept is that of the centered columns, moved."""
        j = place % self.scale.rows.p
        f = np.zeros(len(self.b))
        f[place] = 1 if self.b[place] > 0 else -1
        if j < self.scale.rows.intercept:
            f[place + 1 : place + self.scale.rows.p] = -f[place] * np.ldexp(self.scale.center, -self.scale.exponent)
        return self._coordinates(f)

    def _direction(self, t: Floats) -> Direction:
        """A vector in whole numbers near to one in floats, exactly orthogonal to N."""
        if not self.face.span:
            return self.scale.direction(t)
        factors = solve_triangular(self.U, t).tolist()
        shares = whole([Fraction(factor) / size for factor, size in zip(factors, self.sizes, strict=True)])
        return self.scale.sized(primitive(weighted_sum(shares, self.face.vectors)))


def _with_axis(system: System, place: int, sign: int) -> System:
    """The rows and one more, the unit vector of an entry of b or its negative."""
    block, j = divmod(place, system.p)
    if j >= system.intercept:
        return system.on(axis=sign * (block * system.d + j - system.intercept + 1))
    ones = np.ones((system.n, 1), system.X.dtype)  # a column like any other stands for the intercept
    X = sparse.hstack([ones, system.X], "csr") if sparse.issparse(system.X) else np.hstack([ones, system.X])
    return System(X, system.own, system.n_groups, False, system.table.reading, sign * (place + 1), system.tick)
