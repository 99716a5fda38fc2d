"""Which of many classes can be told apart, pair by pair, in words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .certificate import FEW, first_few

if TYPE_CHECKING:
    from .answer import Separability

Pair = tuple[int, int]

SECONDS = 1.0  # that a printout takes for the verdicts on pairs of classes
MOST = 20_000_000  # rows that all pairs may have together: each pair keeps the classes of all rows
WEAK = {
    "overlap": "cannot be told apart by any straight cut",
    "quasi": "touch, so that every straight cut between them has rows on itself",
}


def pair_verdicts(s: Separability) -> dict[Pair, str | None]:
    """The verdict on each pair of classes, by their places; None for those that would take too long.

    A pair that the linear machine has apart is not asked for: the difference of its discriminants is a plane.
    """
    pairs = list(combinations(range(len(s.groups)), 2))
    if s.verdict == "complete":
        return dict.fromkeys(pairs, "complete")
    found: dict[Pair, str | None] = dict.fromkeys(pairs)
    ahead, sizes = rows_ahead(s)
    whole = ahead == sizes[:, None]
    found |= {(j, k): "complete" for j, k in pairs if whole[j, k] and whole[k, j]}
    if len(pairs) * s.own.size <= MOST:
        labels = {(j, k): (s.groups[j][0], s.groups[k][0]) for (j, k), verdict in found.items() if verdict is None}
        known = s.pairwise.known(labels.values(), SECONDS)
        found |= {pair: known.get(key) for pair, key in labels.items()}
    return found


def rows_ahead(s: Separability) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many rows of each class the machine has strictly ahead of each rival, and how many rows each class has."""
    found = s.separated_pairs
    ahead = np.array([np.count_nonzero(found[s.own == k], axis=0) for k in range(len(s.groups))])
    return ahead, np.bincount(s.own[s.own >= 0], minlength=len(s.groups))


def told_apart(s: Separability) -> str:
    """What the pairs say of the classes: who can be told from all others, who from whom not."""
    verdicts, names = pair_verdicts(s), [_class(group[0]) for group in s.groups]
    by = {word: [pair for pair, found in verdicts.items() if found == word] for word in {*verdicts.values()}}
    if by.keys() == {"complete"}:
        return (
            f"each two of the {len(names)} classes can be told apart, but no linear machine separates them all at once"
        )
    mixed = {k for pair, verdict in verdicts.items() if verdict != "complete" for k in pair}
    free = [names[k] for k in range(len(names)) if k not in mixed]
    rest = "each of the others" if len(free) == 1 else "each other and from each of the others"
    told = [f"{joined(free)} can be told apart from {rest}"] if free else []
    for word, verb in WEAK.items():
        if word in by:
            told.append(_several(by[word], names, len(verdicts), verb))
    if None in by:
        told.append(f"{len(by[None]):,} of {len(verdicts):,} pairs of classes would take longer to decide")
    return "; ".join(told)


def _several(pairs: list[Pair], names: list[str], total: int, verb: str) -> str:
    """The pairs of which something is true: one or two by name, more of them counted first."""
    if len(pairs) == total:
        return f"any two of the {len(names)} classes {verb}"
    told = [f"{names[j]} and {names[k]}" for j, k in pairs]
    return f"{told[0]} {verb}" if len(told) == 1 else f"{len(told):,} pairs {verb}: {first_few(told)}"


def each_pair(s: Separability) -> str:
    """The verdict of each pair, the weakest first."""
    order = ("overlap", "quasi", None, "complete")
    found = sorted(pair_verdicts(s).items(), key=lambda item: order.index(item[1]))
    return first_few(f"{s.groups[j][0]} / {s.groups[k][0]} {verdict or 'undecided'}" for (j, k), verdict in found)


def joined(names: Sequence[str]) -> str:
    """``a, b and c``; of very many the first few."""
    if len(names) > FEW:
        return first_few(names)
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _class(label: Any) -> str:
    """A class by its name, or by its number with a word before it."""
    return label if isinstance(label, str) else f"class {label}"
