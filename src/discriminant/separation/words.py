"""The verdict of ``separability`` in plain words.

Tests: ``tests/separation/test_words.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine.progress import OutOfTime
from ..solution import html_facts
from .apart import each_pair, rows_ahead, told_apart
from .certificate import FEW, Support, first_few
from .margin import SMALL
from .signs import OPEN

if TYPE_CHECKING:
    from .answer import Separability
    from .parts import PartVerdicts

CONSEQUENCES = {
    "complete": "Every error-correcting procedure ends without errors; {} no finite estimate.",
    "quasi": "No linear procedure ends without errors; {} still no finite estimate.",
    "overlap": "No linear procedure ends without errors; {} a finite estimate.",
}
REGRESSIONS = "logistic regression has", "logit, probit and cloglog have"
COLLINEAR = "No linear procedure ends without errors; {} finite estimates, not unique ones."
READ = {
    "decimal": "each number as its shortest decimal form",
    "float": "each number as the binary fraction that the machine holds",
}
HEADLINES = {
    "poisson": {
        "complete": "every row is separated: all counts are zero, and so is every fitted mean in the limit.",
        "quasi": "some rows with count zero are separated: their fitted means go to zero, and no finite estimate "
        "exists.",
        "overlap": "no row is separated: Poisson regression has a finite estimate.",
    },
    "cumulative": {
        "complete": "parallel planes separate the levels strictly: a cumulative model has no finite estimate.",
        "quasi": "parallel planes have levels weakly apart: a cumulative model has no finite estimate.",
        "overlap": "no parallel planes have levels apart, not even weakly: a cumulative model has a finite estimate.",
    },
}
WAYS = {1.0: "+inf", -1.0: "-inf", 0.0: "finite", OPEN: "not computed"}
SHOWN = 1.0  # seconds that a printout takes for the signs of coefficients
INDENT, NAME = 2, 14  # characters before the name of a line, and of the name
UNEVEN = 1e6  # how often the largest column may be the smallest before it is worth a word


class Hints(NamedTuple):
    """What to do next, for a reader of Python or of a terminal."""

    machine: str
    overlap: str
    margin: str
    coefficients: str
    further: str


PYTHON = Hints(
    machine="The linear machine of .hyperplane; for logistic regression a penalty, ridge or Firth.",
    overlap="A procedure for overlapping classes (LeastSquares, Perceptron(pocket=True)), or more features.",
    margin="the largest is computed by .margin",
    coefficients=".coefficients() finds the rest",
    further="total (each class against the rest) and pairwise have verdicts of their own.",
)
COMMAND = Hints(
    machine="Any error-correcting method finds such a machine; for logistic regression a penalty, ridge or Firth.",
    overlap="A method for overlapping classes (logistic, perceptron-pocket), or more features.",
    margin="",
    coefficients="--coefficients finds the rest",
    further="",
)


def describe(s: Separability) -> str:
    """Verdict, evidence, consequence, remedy."""
    return "\n".join(lines(s))


def as_html(s: Separability) -> str:
    """The same for a notebook."""
    verdict, *rest = lines(s)
    return html_facts(verdict, ((line[: INDENT + NAME].strip(), line[INDENT + NAME :].strip()) for line in rest))


def lines(
    s: Separability,
    hints: Hints = PYTHON,
    levels: Mapping[str, NDArray[Any]] | None = None,
    seconds: float = SHOWN,
) -> Iterator[str]:
    """The same line by line, so that the verdict can be shown while the rest is computed.

    ``levels`` are columns that X does not hold and that may be reasons: the reference levels of factors. ``seconds``
    are those that the signs of the coefficients may take.
    """
    levels = s.question.names.references if levels is None else levels
    yield f"{s.verdict}: {headline(s)}"
    yield from _shown(_of_machine(s))
    yield from _shown(_evidence(s, hints))
    yield from _shown([("because", first_few(s._reasons(levels)))])
    yield from _shown(_separated(s))
    yield from _shown(_coefficients(s, hints, seconds))
    yield from _shown(_advice(s, hints))
    yield from _shown([("reading", READ[s.question.reading]), ("note", " ".join(s.notes))])
    held = s.question.names.references
    yield from _shown([("columns", f"held against: {', '.join(held)}" if held else "")])


def _shown(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    return (f"{' ' * INDENT}{name:<{NAME}} {text}" for name, text in rows if text)


def _advice(s: Separability, hints: Hints) -> Iterator[tuple[str, str]]:
    if s.groups:
        collinear = s.verdict == "overlap" and _dropped(s)
        regressions = REGRESSIONS[len(s.groups) == 2]
        yield "consequence", (COLLINEAR if collinear else CONSEQUENCES[s.verdict]).format(regressions)
        yield "to try", _remedy(s, hints)
    elif s.family == "poisson" and s.verdict == "quasi":
        yield "to try", "Drop the separated rows (they tell nothing of the other coefficients), or take a penalty."
    elif s.family == "cumulative":
        yield "links", "The verdict is that of logit, probit, complementary log-log and cauchit alike."
        if s.verdict != "overlap":
            yield "to try", "A penalty; or merge neighboring levels, or drop the columns whose weights are infinite."
    if s.verdict == "overlap":
        yield "scale", _scale(s)
    if len(s.groups) > 2:
        yield "further", hints.further


def _remedy(s: Separability, hints: Hints) -> str:
    if s.verdict == "overlap":
        return hints.overlap
    if s.verdict == "quasi":
        return "A penalty, ridge or Firth; or drop or merge the features or levels whose coefficients are infinite."
    if len(s.groups) > 2:
        return hints.machine
    return "The plane of the largest margin; for logistic regression a penalty, ridge or Firth."


def evidence(s: Separability) -> str:
    """The proof in one sentence."""
    proof = s.certificate
    if s.verdict == "complete":
        what = f"the plane {_plane(s)}" if len(s.groups) == 2 else f"a linear machine for {len(s.groups)} classes"
        return f"{what}, checked in whole numbers"
    if not s.groups:
        return f"rows {first_few(_balanced(s))} balance each other"
    rows = f"rows {first_few(str(term.row) for term in proof.support)}"
    if proof.point is None:
        return f"{rows} balance each other"
    return f"the weighted means of {rows} of either class meet in {_point(proof.point, s.question.names.columns)}"


def describe_parts(parts: PartVerdicts) -> str:
    """The weakest verdict, and each part in a line."""
    lines = [f"  {_key(key):<24} {part.verdict}" for key, part in parts.items()]
    return "\n".join([f"{parts.verdict}: the weakest verdict on {_many(len(parts), 'problem')}, {parts.how}.", *lines])


def _key(key: Any) -> str:
    return " / ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _many(n: int, what: str) -> str:
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def headline(s: Separability) -> str:
    """What the verdict says of the classes."""
    if not s.groups:
        return HEADLINES[s.family][s.verdict]
    if len(s.groups) > 2:
        if s.verdict == "complete":
            return f"all {len(s.groups)} classes can be told apart: a linear machine separates them strictly."
        return f"{told_apart(s)}."
    what = f"the classes {group_name(s.groups[0])} and {group_name(s.groups[1])}"
    if s.verdict == "complete":
        return f"a plane separates {what} strictly."
    if s.verdict == "overlap":
        return f"no plane separates {what}, not even weakly."
    apart, on_plane = (_by_class(s, rows) for rows in (s.separated_rows, s.boundary_rows))
    return f"no plane separates {what} strictly: one has {apart} on their own sides, and {on_plane} on itself."


def _by_class(s: Separability, rows: NDArray[Any]) -> str:
    """How many of these rows are of which class."""
    counts = {group_name(group): int(np.isin(s.question.y[rows], list(group)).sum()) for group in s.groups}
    return " and ".join(f"{_many(n, 'row')} of {name}" for name, n in counts.items() if n) or "no row"


def _of_machine(s: Separability) -> Iterator[tuple[str, str]]:
    """Of many classes that no linear machine separates strictly: each pair, and what the best machine does."""
    if len(s.groups) < 3 or s.verdict == "complete":
        return
    yield "pairs", each_pair(s)
    n, m = s.separated_rows.size, s.boundary_rows.size
    if s.verdict == "overlap":
        yield "machine", f"no linear machine separates the {len(s.groups)} classes, not even weakly"
    elif n:
        yield "machine", f"one has {_many(n, 'row')} on their sides and {m:,} tied; none separates strictly"
    else:
        pairs = f"{int(rows_ahead(s)[0].sum()):,} of {m * (len(s.groups) - 1):,} pairs of row and rival class"
        yield "machine", f"one separates {pairs}, and no row from all its rivals; none separates strictly"


def group_name(group: tuple[Any, ...]) -> str:
    """The label of a class, or those of several that are taken for one."""
    return str(group[0]) if len(group) == 1 else f"{{{', '.join(map(str, group[:FEW]))}}}"


def _evidence(s: Separability, hints: Hints) -> Iterator[tuple[str, str]]:
    proof = s.certificate
    if s.verdict != "overlap" and len(s.groups) == 2:
        yield "plane", _plane(s)
    if s.verdict == "complete":
        if len(s.groups) == 2:
            small = s._system.n * s._system.d <= SMALL
            yield "margin", f"{s.margin}, the largest there is" if small else hints.margin
        bits = max(map(abs, proof.direction)).bit_length()
        yield "proof", f"weights of at most {bits} bits, for which every row is positive in whole numbers"
        return
    if proof.point is not None:
        where = "convex hulls" if proof.intercept else "cones"
        yield "shared point", f"{_point(proof.point, s.question.names.columns)} lies in the {where} of both classes"
    if proof.support and s.groups:
        yield "proof", f"{_many(len(proof.support), 'row')}: {first_few(_support(s, proof.support))}"
    elif proof.relations:
        rows = _balanced(s)
        yield "proof", f"{_many(len(rows), 'row')} that balance each other: {first_few(rows)}"


def _balanced(s: Separability) -> list[int]:
    """The rows of all relations: those of counts above zero balance themselves already."""
    return sorted({term.row for relation in s.certificate.relations for term in relation})


def _separated(s: Separability) -> Iterator[tuple[str, str]]:
    """Of a quasi verdict, which rows are separated, or for many classes which pairs, and which rows are not."""
    if s.verdict != "quasi":
        return
    if len(s.groups) > 2:
        yield "ahead", _ahead(s)
    yield "separated", first_few(s.question.names.row(i) for i in s.separated_rows.tolist())
    if s.certificate.maximal:
        yield "boundary", first_few(s.question.names.row(i) for i in s.boundary_rows.tolist())


def _ahead(s: Separability) -> str:
    """The classes of which rows are separated from a rival, in whole or in part."""
    ahead, sizes = rows_ahead(s)
    order = sorted(zip(*np.nonzero(ahead), strict=True), key=lambda pair: -ahead[pair])
    names = [group_name(group) for group in s.groups]
    some = {(k, j): "all" if ahead[k, j] == sizes[k] else f"{ahead[k, j]:,} of" for k, j in order}
    return first_few(f"{some[k, j]} {_many(sizes[k], 'row')} of {names[k]} against {names[j]}" for k, j in order)


def _support(s: Separability, support: Iterable[Support]) -> Iterable[str]:
    for row, label, weight in support:
        group = label if isinstance(label, tuple) else (label,)
        exact = str(weight) if weight.denominator < 10**6 else f"{float(weight):.6g}"
        yield f"{s.question.names.row(row)} ({group_name(group)}) x {exact}"


def _point(point: tuple[Any, ...], names: list[str] | None) -> str:
    values = [f"{float(value):.6g}" for value in point[:FEW]]
    told = values if names is None else [f"{name} {value}" for name, value in zip(names, values, strict=False)]
    return f"({', '.join(told)}{', …' if len(point) > FEW else ''})"


def _plane(s: Separability) -> str:
    """w₀ + w₁x₁ + …, the largest terms first."""
    plane: Any = s.hyperplane
    size = np.abs(plane.w).max() or 1.0
    order = np.argsort(-np.abs(plane.w), kind="stable")
    terms = [f"{plane.w[j] / size:+.4g} {s.question.names.column(int(j))}" for j in order if plane.w[j]]
    first = [f"{plane.w0 / size:+.6g}"] if plane.w0 else []
    return f"{' '.join([*terms[:FEW], *(['…'] if len(terms) > FEW else []), *first])} = 0"


# --- coefficients


def coefficients(s: Separability, seconds: float) -> dict[Any, str]:
    """Where each coefficient goes, as far as that is known after so many seconds."""
    found = s._signs
    found.work(seconds)
    dropped = set(found.aliases.dropped) if found.aliases else set()
    names, signs = s._named_signs()
    words = {}
    for block, own in zip(signs.tolist(), s.groups[1:] or [("",)], strict=True):
        for place, (name, sign) in enumerate(zip(names, block, strict=True)):
            key = (own[0], name) if len(s.groups) > 2 else name
            words[key] = "aliased" if place in dropped else WAYS.get(sign, "undetermined")
    return words


class Way(NamedTuple):
    """Where a coefficient goes in the model without aliased columns, and whether it is the same with them."""

    word: str
    unique: bool  # False where columns depend on each other, between which the coefficient can be shifted


def each_way(s: Separability, seconds: float) -> list[list[Way]]:
    """For each block the way of every place of b, as far as it is known after so many seconds."""
    with suppress(OutOfTime):  # what was found stays
        s._signs.work(seconds)
    names, signs = s._named_signs()
    found = s._signs.aliases
    alone = set(range(len(names))) if found is None else found.alone
    dropped = set() if found is None else set(found.dropped)
    return [
        [
            Way("aliased" if place in dropped else WAYS.get(sign, "undetermined"), place in alone)
            for place, sign in enumerate(block)
        ]
        for block in signs.tolist()
    ]


def _coefficients(s: Separability, hints: Hints, seconds: float) -> Iterator[tuple[str, str]]:
    """Those that go to infinity first; the finite ones are counted."""
    with suppress(OutOfTime):
        s._signs.work(seconds)
    words = coefficients(s, 0.0)
    if s.verdict != "overlap":
        told = [first_few(f"{_coefficient(key)} {way}" for key, way in words.items() if way.endswith("inf"))]
        both = [_coefficient(key) for key, way in words.items() if way == "undetermined"]
        told.append(f"{_few_or_count(both, len(words))} undetermined" if both else "")
        more = f": {hints.coefficients}" if s.certificate.maximal else ""
        for way, hint in (("finite", ""), ("not computed", more)):
            count = sum(found == way for found in words.values())
            told.append(f"{count:,} {way}{hint}" if count else "")
        yield "coefficients", "; ".join(filter(None, told))
    names = _dropped(s)
    if names:
        depend, it = ("depends", "it") if len(names) == 1 else ("depend", "them")
        without = "" if s.verdict == "overlap" else f"; the signs are those without {it}"
        yield "aliased", f"{first_few(names)} {depend} on earlier columns and cannot be estimated{without}"


def _few_or_count(names: list[str], total: int) -> str:
    return "all" if len(names) == total else f"{len(names):,}" if len(names) > FEW else first_few(names)


def _coefficient(key: Any) -> str:
    return f"{key[1]} of {key[0]}" if isinstance(key, tuple) else str(key)


def _dropped(s: Separability) -> list[str]:
    """The columns that depend on earlier ones, as far as they are known."""
    found = s._signs.aliases
    return [s.question.names.column(place - s._system.intercept) for place in found.dropped] if found else []


def _scale(s: Separability) -> str:
    """A word on columns of very different size, over which a solver may stumble where the estimate is finite."""
    X = s._system.X
    if X.shape[0] * X.shape[1] > SMALL:
        return ""
    size = np.abs(X.toarray() if hasattr(X, "indptr") else X).astype(np.float64).max(axis=0)
    some = np.flatnonzero(size)
    if not some.size or size[some].max() <= UNEVEN * size[some].min():
        return ""
    low, high = int(some[size[some].argmin()]), int(some[size[some].argmax()])
    name = s.question.names.column
    return (
        f"{name(low)} is at most {size[low]:.3g} and {name(high)} up to {size[high]:.3g}: standardize for a fit, or it "
        "may not converge (not for this test)"
    )
