"""The fewest patterns to leave out so that the rest is linearly separable.

Problem: find the smallest set R of patterns such that some a has aᵗy > 0 for all others.  Every a proposes one, the
patterns that it gets wrong, so this is also the fewest errors that a plane, or a linear machine, can make.  It is
NP-hard; the answer says how much of it was proved.

Lower bound.  Patterns that no a separates hold a circuit: rows with multipliers λ > 0, Yᵗλ = 0, none of which can be
spared.  A vertex of

    maximize cᵗλ     subject to     Yᵗλ = 0,    λ ≥ 0,    Σ λ ≤ 1                              (c > 0)

is zero when the rows are separable, and otherwise one circuit, because the columns (y, 1) of its support are linearly
independent.  Every R must take a pattern from every circuit, so the smallest set that meets the circuits found so far,

    minimize Σ r_i     subject to     Σ r_i ≥ 1 over each circuit,    r_i = 0 or 1,

bounds |R| from below, and needs no big constant M.  When what is left by that set is separable, it is a smallest R.
Otherwise what is left holds new circuits, and the search goes on; there are finitely many, so it ends.

Upper bound.  The linear program of J_p′ (§5.10.3) is solved again and again, each time without the patterns
that it violates most; every weight vector on the way is counted, and the best one kept.

A circuit is a relation in whole numbers (``separation.search``), so that a bound is never a matter of rounding.

Symbols: y the normalized augmented patterns, or Kesler's rows of many classes; λ the multipliers.

Sources: Duda, Hart, Stork, *Pattern Classification*, §5.10.3 and §5.12.1; Chinneck, "Fast heuristics for the
maximum feasible subsystem problem", *INFORMS Journal on Computing* 13, 2001; Parker, Ryan, "Finding the minimum weight
IIS cover of an infeasible system of linear inequalities", *Annals of Mathematics and Artificial Intelligence* 17, 1996.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._engine.driver import Interrupted, Watch, interrupt_raises, watching
from .._guards.parameters import Choice, Number
from .._guards.validation import all_finite
from ..geometry import Hyperplane, LinearMachine
from ..separation.search import settle
from ..separation.system import System
from ..separation.verdict import pose
from .highs import Program, Vector, solve
from .inequalities import Index, Inequalities, inequalities, minimize

Mask = NDArray[np.bool_]

SMALL = 2000  # inequalities up to which exact="auto" looks for a proof
STRIDE = 10  # the greedy search leaves out one in so many of the patterns that are wrong, the worst ones


@dataclass(frozen=True, eq=False)
class Removals:
    """Patterns whose removal makes the rest linearly separable, with how much is known about a smaller set.

    Parameters
    ----------
    rows : array of int
        Indices of the patterns to leave out, sorted.
    lower_bound : int
        No smaller number of patterns will do.
    method : str
        How the rows were found, and why the search ended.
    hyperplane : Hyperplane or LinearMachine
        What separates all other patterns strictly: a linear machine where there are more than two classes.

    Examples
    --------
    >>> from discriminant import datasets, minimum_removals
    >>> found = minimum_removals(*datasets.table(1, 3))
    >>> found.lower_bound, found.upper_bound, found.exact
    (1, 1, True)
    """

    rows: Index
    lower_bound: int
    method: str
    hyperplane: Hyperplane | LinearMachine

    @property
    def upper_bound(self) -> int:
        """The number of patterns to leave out."""
        return int(self.rows.size)

    @property
    def exact(self) -> bool:
        """Whether no smaller set exists."""
        return self.lower_bound == self.upper_bound

    def __len__(self) -> int:
        return self.upper_bound

    def __str__(self) -> str:
        if self.upper_bound == 0:
            return "The patterns are linearly separable as they are: none has to be removed."
        named = ", ".join(map(str, self.rows[:10])) + (", ..." if self.upper_bound > 10 else "")
        known = "no fewer will do" if self.exact else f"at least {self.lower_bound} must go"
        several = "s" if self.upper_bound > 1 else ""
        return (
            f"Without {self.upper_bound} pattern{several} (row{several} {named}) the rest is linearly separable; "
            f"{known} ({self.method})."
        )


def minimum_removals(
    X: Any,
    y: Any,
    *,
    intercept: bool = True,
    time_limit: float = 10.0,
    exact: bool | str = "auto",
) -> Removals:
    """The fewest patterns to leave out so that a plane, or a linear machine, separates the rest.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        Patterns.
    y : array of shape (n,)
        Labels of two classes, or of more, which a linear machine is to separate.
    intercept : bool, default=True
        Whether the planes have a threshold weight w₀.
    time_limit : float, default=10.0
        Seconds after which the best set found so far is returned; Ctrl-C does the same.
    exact : {"auto", True, False}, default="auto"
        Whether to look for a smallest set and its proof; otherwise a quick search is all, and the bound is weaker.
        ``"auto"`` does so for up to 2000 inequalities, n(c-1) for c classes.

    Returns
    -------
    Removals
        ``rows``, ``lower_bound``, ``upper_bound``, ``exact``, ``method`` and ``hyperplane``; prints as a sentence.

    Examples
    --------
    >>> from discriminant import datasets, minimum_removals
    >>> print(minimum_removals(*datasets.xor()))  # doctest: +ELLIPSIS
    Without 1 pattern (row ...) the rest is linearly separable; no fewer will do (...).
    >>> len(minimum_removals(*datasets.table(1, 2)))
    0
    """
    if time_limit != np.inf:
        Number("give seconds", 0)("time_limit", time_limit)
    Choice(("auto", True, False))("exact", exact)
    end = time.monotonic() + time_limit
    data = pose(X, y, intercept=intercept)
    X, labels, classes = data.question.X, np.asarray(data.own), np.array([label for (label,) in data.groups])
    doubles = X.astype(np.float64, copy=False) if X.dtype.kind != "f" else X
    with watching() as watch:
        with interrupt_raises(), watch.at_once():  # the blocks of many classes are joined by one long call
            rows = inequalities(doubles, labels, classes.size, bool(intercept), watch)
        search = Removing(rows, X, watch, end)
        search.descend()
        thorough = rows.owner.size <= SMALL if isinstance(exact, str) else bool(exact)
        search.prove() if thorough else search.pack(np.ones(search.n, bool))
    return search.result(thorough, classes)


class Removing:
    """The best weights so far, the circuits so far, and the bound that they give."""

    def __init__(self, rows: Inequalities, X: Any, watch: Watch, end: float) -> None:
        self.rows, self.X, self.watch, self.end = rows, X, watch, end
        self.stop = lambda: watch.interrupted
        self.n = rows.labels.size
        self.circuits: list[Index] = []
        self.lower = 0
        self.weights, self.wrong = self.majority(), np.ones(self.n, bool)
        self.look(self.weights)

    def majority(self) -> Vector:
        """Weights that decide for the largest class: the simplest proposal; without a threshold weight, zero."""
        A = np.zeros((1 if self.rows.n_classes == 2 else self.rows.n_classes, self.rows.X.shape[1] + 1))
        largest = int(np.bincount(self.rows.labels).argmax())
        if self.rows.intercept:
            A[largest % len(A), 0] = -1 if len(A) == 1 and largest == 0 else 1
        return A

    @property
    def done(self) -> bool:
        return bool(self.lower >= self.wrong.sum())

    @property
    def left(self) -> float:
        """Seconds that remain; none after Ctrl-C."""
        return 0.0 if self.watch.interrupted else max(self.end - time.monotonic(), 0.0)

    def hurry(self, text: str, share: float) -> None:
        """End a search that tells how far it is, when time is up."""
        if self.left <= 0:
            raise Interrupted

    def look(self, A: Vector) -> Mask:
        """Which patterns these weights get wrong; they are kept if these are the fewest."""
        wrong = np.full(self.n, not all_finite(A))
        wrong[self.rows.owner[~self.rows.satisfied(A)]] = True
        if wrong.sum() < self.wrong.sum():
            self.wrong, self.weights = wrong, A
        return wrong

    def descend(self) -> None:
        """Greedy: minimize J_p′, leave out the worst violators, and again, until nothing kept is wrong.

        Half of the time is left for the lower bound.
        """
        kept, half = np.ones(self.n, bool), self.left / 2
        while self.left > half and kept.any():
            chosen = np.flatnonzero(kept[self.rows.owner])
            one = np.ones(chosen.size)
            optimum = minimize(self.rows.Z[chosen], one, one, time_limit=self.left, stop=self.stop)
            A = self.rows.weights(optimum.u)
            wrong = self.look(A) & kept  # also where time was up: any weights may be good ones
            if not wrong.any() or not optimum.optimal:
                return
            tau = 1 - self.rows.margins(A)[chosen]
            worst = np.zeros(self.n)
            np.maximum.at(worst, self.rows.owner[chosen], tau)
            worst[~wrong] = -np.inf
            kept[np.argsort(-worst, kind="stable")[: 1 + int(wrong.sum()) // STRIDE]] = False

    def circuit(self, kept: Mask) -> Index | None:
        """Patterns among those that are kept which no plane separates, by a relation in whole numbers.

        None when what is kept is separable, which then is the best answer so far if nothing better is known; and when
        time is up.
        """
        own = np.where(kept, self.rows.labels, -1).astype(np.int32)
        system = System(self.X, own, self.rows.n_classes, self.rows.intercept, "decimal", tick=self.hurry)
        try:
            with self.watch.at_once():  # exact numbers are long at work without a look at the watch
                outcome = settle(system, tick=self.hurry)
        except Interrupted:
            return None
        if outcome.verdict == "complete" and outcome.direction is not None:
            if np.count_nonzero(~kept) < self.wrong.sum():
                A = system.augmented(outcome.direction)
                self.weights = A if len(A) == 1 else np.concatenate([np.zeros_like(A[:1]), A])
                self.wrong = ~kept
            return None
        if not outcome.face.relations:  # a row of zeros, which no plane through the origin separates
            return (np.flatnonzero(kept) if outcome.boundary is None else outcome.boundary)[:1]
        return np.unique([i for i, _ in outcome.face.relations[0]])

    def pack(self, kept: Mask) -> int:
        """Take circuits that share no pattern from those that are kept; how many there are bounds the removals."""
        kept = kept.copy()
        found = 0
        while self.left > 0 and kept.any() and (circuit := self.circuit(kept)) is not None:
            self.circuits.append(circuit)
            kept[circuit] = False
            found += 1
        self.lower = max(self.lower, found)
        return found

    def prove(self) -> None:
        """Meet all circuits with as few patterns as possible, look for new ones in the rest, until there are none."""
        self.pack(np.ones(self.n, bool))
        while not self.done and self.left > 0:
            met = self.cover()
            if met is None or not self.pack(~met):
                return

    def cover(self) -> Mask | None:
        """A smallest set of patterns that meets all circuits; its size is a bound.  None when time is up."""
        m, one, index = len(self.circuits), np.ones(self.n), np.concatenate(self.circuits)
        ends = np.append(0, np.cumsum([circuit.size for circuit in self.circuits]))
        A = sparse.csr_array((np.ones(index.size), index, ends), shape=(m, self.n))
        program = Program(one, A, np.ones(m), np.full(m, np.inf), np.zeros(self.n), one, one.astype(bool))
        answer = solve(program, time_limit=self.left, stop=self.stop)
        if np.isfinite(answer.bound):
            self.lower = max(self.lower, int(np.ceil(answer.bound - 1e-6)))
        return np.asarray(answer.primal > 0.5) if answer.status == "optimal" else None

    def result(self, thorough: bool, classes: NDArray[Any]) -> Removals:
        way = "by covering circuits" if thorough else "by a greedy search"
        if self.done:
            way += ", proved smallest"
        elif self.watch.interrupted:
            way += ", stopped by Ctrl-C"
        elif self.left == 0:
            way += ", stopped by the time limit"
        elif thorough:
            way += ", ended by rounding"
        many = len(self.weights) > 1
        planes = LinearMachine(self.weights, classes) if many else Hyperplane.from_augmented(self.weights[0])
        return Removals(np.flatnonzero(self.wrong), self.lower, way, planes)
