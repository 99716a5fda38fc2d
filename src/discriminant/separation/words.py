"""The verdict of ``separability`` in plain words.

Tests: ``tests/separation/test_verdict.py``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from .certificate import FEW, Support, first_few
from .margin import SMALL

if TYPE_CHECKING:
    from .parts import PartVerdicts
    from .verdict import Separability

CONSEQUENCES = {
    "complete": "Every error-correcting procedure ends without errors; logistic regression has no finite estimate.",
    "quasi": "No linear procedure ends without errors; logistic regression still has no finite estimate.",
    "overlap": "No linear procedure ends without errors; logistic regression has a finite estimate.",
}
REMEDIES = {
    "complete": "The plane of the largest margin; for logistic regression a penalty, ridge or Firth.",
    "quasi": "A penalty, ridge or Firth; or drop or merge the features or levels whose coefficients are infinite.",
    "overlap": "A procedure for overlapping classes (LeastSquares, Perceptron(pocket=True)), or more features.",
}
MACHINE = "The linear machine of .hyperplane; for logistic regression a penalty, ridge or Firth."
READ = {
    "decimal": "each number of X as its shortest decimal form",
    "float": "each number of X as the binary fraction that the machine holds",
}
COUNTS = {
    "complete": "every row is separated: all counts are zero, and so is every fitted mean in the limit.",
    "quasi": "some rows with count zero are separated: their fitted means go to zero, and no finite estimate exists.",
    "overlap": "no row is separated: Poisson regression has a finite estimate.",
}


def describe(s: Separability) -> str:
    """Verdict, evidence, consequence, remedy."""
    rows = _evidence(s)
    if s.groups:
        rows["consequence"] = CONSEQUENCES[s.verdict]
        rows["to try"] = MACHINE if len(s.groups) > 2 and s.verdict == "complete" else REMEDIES[s.verdict]
    elif s.verdict == "quasi":
        rows["to try"] = "Drop the separated rows (they tell nothing of the other coefficients), or take a penalty."
    if len(s.groups) > 2:
        rows["further"] = "total (each class against the rest) and pairwise have verdicts of their own."
    rows["reading"] = READ[s.question.reading]
    rows["note"] = " ".join(s.notes)
    return "\n".join([f"{s.verdict}: {headline(s)}", *(f"  {name:<14} {text}" for name, text in rows.items() if text)])


def evidence(s: Separability) -> str:
    """The proof in one sentence."""
    proof = s.certificate
    if s.verdict == "complete":
        return f"{s.hyperplane}, checked in whole numbers"
    rows = f"rows {first_few(str(term.row) for term in proof.support)}"
    if proof.point is None:
        return f"{rows} balance each other"
    return f"the weighted means of {rows} of either class meet in {_point(proof.point)}"


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
        return COUNTS[s.verdict]
    if len(s.groups) > 2:
        subject, what, where = "linear machine", f"the {len(s.groups)} classes", "tied"
    else:
        subject, what, where = "plane", f"the classes {_group(s.groups[0])} and {_group(s.groups[1])}", "on itself"
    n, m = s.separated_rows.size, s.boundary_rows.size
    return {
        "complete": f"a {subject} separates {what} strictly.",
        "quasi": f"a {subject} has {_many(n, 'row')} of {what} on their sides and {m:,} {where}; "
        "none separates strictly.",
        "overlap": f"no {subject} separates {what}, not even weakly.",
    }[s.verdict]


def _group(group: tuple[Any, ...]) -> str:
    return str(group[0]) if len(group) == 1 else f"{{{', '.join(map(str, group[:FEW]))}}}"


def _evidence(s: Separability) -> dict[str, str]:
    rows: dict[str, str] = {}
    proof = s.certificate
    if s.verdict != "overlap" and len(s.groups) == 2:
        rows["plane"] = _plane(s)
    if s.verdict == "complete":
        if len(s.groups) == 2:
            small = s._system.n * s._system.d <= SMALL
            rows["margin"] = f"{s.margin}, the largest there is" if small else "the largest is computed by .margin"
        bits = max(map(abs, proof.direction)).bit_length()
        rows["proof"] = f"weights of at most {bits} bits, for which every row is positive in whole numbers"
        rows["coefficients"] = _coefficients(s) if s._system.n * s._system.d <= SMALL else "see .infinite_"
        return rows
    if proof.point is not None:
        rows["shared point"] = f"{_point(proof.point)} lies in the convex hulls of both classes"
        if not proof.intercept:
            rows["shared point"] = f"{_point(proof.point)} lies in the cones of both classes"
    if proof.support and s.groups:
        rows["proof"] = f"{_many(len(proof.support), 'row')}: {first_few(_support(s, proof.support))}"
    elif proof.relations:
        terms = {term.row for relation in proof.relations for term in relation}
        rows["proof"] = f"{_many(len(terms), 'row')} that balance each other: {first_few(map(str, sorted(terms)))}"
    if s.verdict == "quasi":
        rows["separated"] = first_few(s.question.names.row(i) for i in s.separated_rows.tolist())
        rows["boundary"] = first_few(s.question.names.row(i) for i in s.boundary_rows.tolist())
        rows["coefficients"] = _coefficients(s)
    return rows


def _support(s: Separability, support: Iterable[Support]) -> Iterable[str]:
    for row, label, weight in support:
        group = label if isinstance(label, tuple) else (label,)
        exact = str(weight) if weight.denominator < 10**6 else f"{float(weight):.6g}"
        yield f"{s.question.names.row(row)} ({_group(group)}) x {exact}"


def _point(point: tuple[Any, ...]) -> str:
    return f"({', '.join(f'{float(value):.6g}' for value in point[:FEW])}{', …' if len(point) > FEW else ''})"


def _plane(s: Separability) -> str:
    """w₀ + w₁x₁ + …, the largest terms first."""
    plane: Any = s.hyperplane
    size = np.abs(plane.w).max() or 1.0
    order = np.argsort(-np.abs(plane.w), kind="stable")
    terms = [f"{plane.w[j] / size:+.4g} {s.question.names.column(int(j))}" for j in order if plane.w[j]]
    first = [f"{plane.w0 / size:+.6g}"] if plane.w0 else []
    return f"{' '.join([*terms[:FEW], *(['…'] if len(terms) > FEW else []), *first])} = 0"


def _coefficients(s: Separability) -> str:
    """Which coefficients go to infinity."""
    if s.infinite_.ndim > 1:
        return f"{int((s.infinite_ == 0).sum())} of {s.infinite_.size} stay finite (see infinite_)"
    words = {1.0: "+inf", -1.0: "-inf", 0.0: "finite"}
    return first_few(
        f"{s.question.names.column(j)} {words.get(v, 'undetermined')}" for j, v in enumerate(s.infinite_.tolist())
    )
