"""The verdict on rows that come in blocks: a working set in memory, and passes that look for what contradicts it.

What holds for some of the rows holds for all of them where it is a relation: positive weights with which rows add up to
zero.  What is a vector b has to stand the test of every row.  So a round solves the exact problem of the working set,
then passes over the blocks once: the rows that b has on the wrong side, and those on it or outside the span of the
relations which the face does not account for, join the working set, the worst of each block first.  When there are
none, the verdict on the working set is the verdict on all rows.  Each round adds a row that no earlier one could have
had, so that it ends; a few rounds are the rule.

The proof is then checked in one more pass by the code that checks proofs on arrays: each block is looked at together
with the rows of the relations and a row of each class.  All conditions of a proof are about these rows and b, or about
each row by itself, so that they hold for all rows where they hold for every such part.

Tests: ``tests/separation/test_on_blocks.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._blocks.blocks import Block, Blocks
from .._blocks.survey import survey
from .._engine.progress import OutOfTime, TerminalBar
from ..exceptions import UndecidedError
from ..geometry import Hyperplane, LinearMachine
from .answer import Separability
from .certificate import Certificate, first_few
from .faces import Face
from .knowledge import too_long, undecided
from .margin import with_zero
from .parts import PartVerdicts
from .passes import Indices, Labels
from .question import Groups, Names, Question, as_scipy, groups_of
from .rows import exact_array, without_zeros
from .search import settle
from .system import Direction, System
from .trial import Outcome, at_random, contradictions, strangers_to
from .verification import Term
from .words import group_name

FEW = 300  # rows of the first working set, at the least
WORST = 400  # rows that join it after a pass, about


class BlocksQuestion(NamedTuple):
    """A question about blocks: all labels, the group of each or -1, and how rows are read."""

    classes: NDArray[Any]
    group: NDArray[np.int32]
    n_groups: int
    intercept: bool
    reading: str

    @property
    def others(self) -> tuple[Any, ...]:
        """The labels of rows that take no part."""
        return tuple(self.classes[self.group < 0].tolist())

    def own(self, block: Block) -> Labels:
        return np.asarray(self.group[block.labels(self.classes)])

    def system(self, X: Any, own: Labels, tick: Any = None) -> System:
        X = as_scipy(without_zeros(exact_array(X, self.reading)))
        return System(X, own, self.n_groups, self.intercept, self.reading, tick=tick)


class VectorOnTrial(NamedTuple):
    """What every row is held against: b, or a vector at random where nothing is separated; vectors of the kernel."""

    direction: Direction
    overlap: bool
    spanned: bool  # whether there are relations at all
    vectors: list[list[int]]


class JoiningRows(NamedTuple):
    """Rows of a block that join the working set, with their places, and how many of its rows lie on the boundary."""

    X: Any
    own: Labels
    rows: Indices
    boundary: int


def sample_part(block: Block, asked: BlocksQuestion, count: int) -> JoiningRows:
    """About so many rows of each class, evenly spaced."""
    own = asked.own(block)
    some = [np.flatnonzero(own == k) for k in range(asked.n_groups)]
    kept = np.sort(np.concatenate([rows[:: max(1, rows.size // count)][:count] for rows in some]))
    return JoiningRows(block.X[kept], own[kept], block.first + kept, 0)


def trial_part(block: Block, asked: BlocksQuestion, trial: VectorOnTrial, worst: int) -> JoiningRows:
    """The rows that contradict, at most so many."""
    own = asked.own(block)
    face = Face(asked.system(block.X, own), [(0, 0)] * trial.spanned, trial.vectors)  # no row of it is looked up here
    if trial.overlap:
        names, boundary = strangers_to(face, trial.direction, worst), np.flatnonzero(own >= 0)
    else:
        names, boundary, _ = contradictions(face, trial.direction, worst)
    kept = np.unique(np.array([i for i, _ in names], np.int64))
    return JoiningRows(block.X[kept], own[kept], block.first + kept, int(boundary.size))


def proof_part(block: Block, proof: Certificate, X: Any, y: NDArray[Any]) -> bool:
    """Whether the proof holds for the rows of a block, which with some others are all that it speaks of."""
    rows: Any = sparse.vstack([X, block.X]).tocsr() if sparse.issparse(X) else np.vstack([X, block.X])
    return replace(proof, n_rows=rows.shape[0]).verify(rows, np.concatenate([y, block.y.astype(y.dtype)]))


@dataclass
class WorkingSet:
    """The rows in memory, their classes and their places among all rows."""

    X: Any = None
    own: Labels = field(default_factory=lambda: np.empty(0, np.int32))
    rows: Indices = field(default_factory=lambda: np.empty(0, np.int64))

    def add(self, found: list[JoiningRows]) -> int:
        """Take in rows that are new; how many there were."""
        for X, own, rows, _ in found:
            new = np.flatnonzero(~np.isin(rows, self.rows))
            if new.size:
                parts = [X[new]] if self.X is None else [self.X, X[new]]
                self.X = sparse.vstack(parts).tocsr() if sparse.issparse(X) else np.vstack(parts)
                self.own, self.rows = np.r_[self.own, own[new]], np.r_[self.rows, rows[new]]
        return sum(rows.size for _, _, rows, _ in found)


class StreamedSeparability:
    """The verdict of :func:`separability` on a stream: what can be told without holding its rows.

    Attributes
    ----------
    verdict : str
        ``"complete"``, ``"quasi"`` or ``"overlap"``.
    certificate : Certificate
        The proof, with the places of rows among all rows of the stream; checked in a pass of its own.
    hyperplane : Hyperplane, LinearMachine or None
        The plane of the proof in floats; None where the verdict is overlap.
    n_rows, n_boundary, n_working, rounds : int
        All rows; those on the boundary; those that were held in memory; passes that looked for contradictions.
    total, pairwise : PartVerdicts
        Of three classes or more, verdicts on each class against the rest and on each pair, found when asked for.

    Examples
    --------
    >>> from discriminant import datasets, io, separability
    >>> X, y = datasets.xor()
    >>> print(separability(io.stream(lambda: [(X[:2], y[:2]), (X[2:], y[2:])])))
    overlap: no plane separates the classes 0 and 1, not even weakly.
      proof   4 rows: 0 (0) x 1/2, 1 (1) x 1/2, 2 (1) x 1/2, 3 (0) x 1/2
      passes  0 to find it, and one to check it, over 4 rows, of which 4 were held in memory
    """

    def __init__(self, blocks: Blocks, asked: BlocksQuestion, groups: Groups, n_rows: int, meter: TerminalBar) -> None:
        self.blocks, self.asked, self.groups = blocks, asked, groups
        self.n_rows, self.rounds, self.n_boundary = n_rows, 0, 0
        names = Names(blocks.feature_names, None, {})
        self.question = Question(None, names, np.empty(0), asked.intercept, asked.reading, meter)
        self._working = WorkingSet()

    @property
    def verdict(self) -> str:
        return self._outcome.verdict

    @property
    def n_working(self) -> int:
        return int(self._working.rows.size)

    @cached_property
    def _outcome(self) -> Outcome:
        with self.question.meter as meter:
            before, self.blocks.tell = self.blocks.tell, meter
            try:
                return self._settled(meter)
            except OutOfTime as stop:
                if "_system" not in vars(self):  # no row was looked at yet
                    seconds = meter.max_seconds
                    raise UndecidedError(too_long("the verdict", seconds, []), seconds or 0.0) from None
                known = self._system, self.groups, meter.max_seconds, dict[Any, str]()
                raise undecided("the verdict", *known, str(stop)) from None
            finally:
                self.blocks.tell = before

    def _settled(self, meter: TerminalBar) -> Outcome:
        """Rounds of the exact problem of the working set, and of a pass that looks for contradictions."""
        columns = (self.blocks.n_features + self.asked.intercept) * max(self.asked.n_groups - 1, 1)
        wanted = max(FEW, 4 * columns)
        count = max(4, wanted // self.asked.n_groups)
        found = self.blocks.gather(sample_part, self.asked, count)
        share = max(2, -(-count // len(found)))
        self._working.add([_thinned(each, share, self.asked.n_groups) for each in found])
        worst, working, face = max(4, WORST // len(found)), list[Any](), None
        while True:
            self._system = self.asked.system(self._working.X, self._working.own, meter)
            outcome = settle(self._system, working, face, meter)
            if outcome.narrow is not None and self._working.rows.size < self.n_rows:
                count *= 2  # fewer rows than columns, though there are more
                self._working.add(self.blocks.gather(sample_part, self.asked, count))
                continue
            if self._stands(outcome, worst):
                return outcome
            working = [*outcome.working, *self._new_names(self._system.n)]
            face = outcome.face if outcome.narrow is None and outcome.maximal and outcome.merged is None else None

    def _new_names(self, first: int) -> list[tuple[int, int]]:
        own = self._working.own
        return [(i, rival) for i in range(first, own.size) for rival in self._system.rivals(int(own[i]))]

    def _stands(self, outcome: Outcome, worst: int) -> bool:
        """Whether no row contradicts; those that do join the working set."""
        if outcome.face.is_all:
            self.n_boundary = self.n_rows
            return True
        overlap = outcome.direction is None
        direction = outcome.direction
        if direction is None:
            direction = at_random(outcome.face, self._system.floats(self._new_names(0))[1])
        trial = VectorOnTrial(direction, overlap, bool(outcome.face.span), outcome.face.vectors)
        found = self.blocks.gather(trial_part, self.asked, trial, worst)
        self.rounds += 1
        self.n_boundary = sum(each.boundary for each in found)
        return not self._working.add(found)

    @cached_property
    def certificate(self) -> Certificate:
        """The proof; it was checked against every row of the stream."""
        outcome, places = self._outcome, self._working.rows
        inner = Separability(self.question, self.groups, self._working.own, self.asked.others)
        vars(inner).update(_system=self._system, _outcome=outcome)
        proof, rows = inner.certificate, self._working
        if outcome.verdict == "quasi" and not self.n_boundary:  # the boundary of the working set is that of all
            self.n_boundary = 0 if outcome.boundary is None else int(outcome.boundary.size)
        used = sorted({term.row for relation in proof.relations for term in relation} | self._witnesses(outcome))
        at = {row: k for k, row in enumerate(used)}
        local = replace(proof, relations=_moved(proof.relations, at))
        labels = np.array([group[0] for group in self.groups])[rows.own[used]]
        with self.question.meter:
            self.blocks.gather(proof_part, local, rows.X[used], labels)
        everywhere = _moved(proof.relations, dict(enumerate(places.tolist())))
        return replace(proof, n_rows=self.n_rows, relations=tuple(tuple(sorted(each)) for each in everywhere))

    def _witnesses(self, outcome: Outcome) -> set[int]:
        """A row of each class, and one that b separates, so that every part of the data shows the verdict."""
        own, boundary = self._working.own, outcome.boundary
        found = {int(np.flatnonzero(own == k)[0]) for k in range(self.asked.n_groups)}
        if outcome.verdict == "quasi" and boundary is not None:
            apart = np.setdiff1d(np.flatnonzero(own >= 0), boundary)
            names = self._new_names(0)
            assert outcome.direction is not None
            b = outcome.direction.b
            found |= {int(apart[0])} if apart.size else {next(i for i, r in names if self._system.side((i, r), b) > 0)}
        return found

    @cached_property
    def hyperplane(self) -> Hyperplane | LinearMachine | None:
        """The plane of the proof, or the linear machine, in floats; rounding may move it by an ulp."""
        if self._outcome.direction is None:
            return None
        A = self._system.augmented(self._outcome.direction)
        if len(self.groups) == 2:
            return Hyperplane.from_augmented(A[0])
        return LinearMachine(with_zero(A), [group[0] for group in self.groups])

    @cached_property
    def total(self) -> PartVerdicts:
        """Verdicts on each class against the rest."""
        labels = [group[0] for group in self.groups]
        parts: dict[Any, Any] = {}
        for k, label in enumerate(labels):
            rest = tuple(other for other in labels if other != label)
            parts[label] = self._part((rest, (label,)), (self.asked.group == k).astype(np.int32))
        return PartVerdicts(parts, "against the rest")

    @cached_property
    def pairwise(self) -> PartVerdicts:
        """Verdicts on each pair of classes."""
        parts: dict[Any, Any] = {}
        for (j, one), (k, other) in combinations(enumerate(self.groups), 2):
            group = np.select([self.asked.group == j, self.asked.group == k], [0, 1], -1).astype(np.int32)
            parts[one[0], other[0]] = self._part((one, other), group)
        return PartVerdicts(parts, "against each other")

    def _part(self, groups: Groups, group: NDArray[np.int32]) -> StreamedSeparability:
        asked = self.asked._replace(group=group, n_groups=2)
        return StreamedSeparability(self.blocks, asked, groups, self.n_rows, self.question.meter)

    def evidence(self) -> str:
        """The proof in a few words.

        Returns
        -------
        str
            How many rows prove it.
        """
        rows = {term.row for relation in self.certificate.relations for term in relation}
        return f"{len(rows):,} rows balance each other" if rows else "a plane, checked on every row in whole numbers"

    def __str__(self) -> str:
        names, proof = [group_name(group) for group in self.groups], self.certificate
        what = f"the classes {', '.join(names[:-1])} and {names[-1]}"
        told = {
            "complete": f"a plane separates {what} strictly.",
            "quasi": f"a plane has no row of {what} on the wrong side and {self.n_boundary:,} of {self.n_rows:,} rows "
            "on itself; none separates strictly.",
            "overlap": f"no plane separates {what}, not even weakly.",
        }[self.verdict]
        told = told if len(names) == 2 else told.replace("a plane", "a linear machine").replace("plane", "machine")
        weights = [f"{each.row} ({each.label}) x {each.weight}" for each in proof.support]
        bits = max(map(abs, proof.direction)).bit_length()
        shown = f"{len(weights):,} rows: {first_few(weights)}" if weights else (
            f"weights of at most {bits} bits, for which every row is positive in whole numbers"
        )  # fmt: skip
        return (
            f"{self.verdict}: {told}\n  proof   {shown}\n  passes  {self.rounds} to find it, and one to check it, over "
            f"{self.n_rows:,} rows, of which {self.n_working:,} were held in memory"
        )

    __repr__ = __str__


def _moved(relations: Any, at: dict[int, int]) -> Any:
    """The relations with other places of their rows."""
    return tuple(tuple(Term(at[t.row], t.own, t.rival, t.weight) for t in relation) for relation in relations)


def _thinned(found: JoiningRows, count: int, n_groups: int) -> JoiningRows:
    """The first so many rows of each class."""
    some = [np.flatnonzero(found.own == k)[:count] for k in range(n_groups)]
    kept = np.sort(np.concatenate(some))
    return JoiningRows(found.X[kept], found.own[kept], found.rows[kept], 0)


def checked_blocks(blocks: Blocks, intercept: bool, reading: str, meter: TerminalBar) -> StreamedSeparability:
    """The question about blocks, once their classes are known; nothing else is computed before it is asked for."""
    found = survey(blocks)
    groups, _ = groups_of(found.classes, "classes")
    group = np.arange(len(groups), dtype=np.int32)
    asked = BlocksQuestion(found.classes, group, len(groups), intercept, reading)
    return StreamedSeparability(blocks, asked, groups, found.n_rows, meter)
