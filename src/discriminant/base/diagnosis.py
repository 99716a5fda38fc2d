"""What the verdict of ``separability`` means for a fit: the facts that ``diagnose`` adds to its report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..exceptions import UndecidedError

if TYPE_CHECKING:
    from ..separation.verdict import Separability

SENTENCES = {
    "complete": "complete: planes without errors exist",
    "quasi": "quasi: no plane separates strictly, though one has no pattern on the wrong side",
    "overlap": "overlap: no plane separates, not even weakly",
}
BEYOND = (
    "No weights reach zero errors: look at the rows of the proof, add features, take a procedure for overlapping "
    "classes, or see minimum_removals(X, y)."
)
CURVED = (
    "The verdict is on planes; this procedure has other surfaces, which part all patterns but equal ones of two "
    "classes: try a richer kernel or more pieces."
)
APART = (
    "One discriminant for each class against the rest cannot reach zero errors, but one linear machine can: take "
    "multiclass='kesler' or 'one-vs-one' where the procedure has it."
)
WITHIN = (
    "Zero errors can be reached: by an error-correcting procedure with iterations enough, or by "
    "separability(X, y).hyperplane."
)
LONGER = "To know whether zero errors can be reached, ask separability(X, y), or give diagnose more max_seconds."


def diagnosis(found: Separability, multiclass: str, is_plane: bool, clean: bool) -> dict[str, Any]:
    """Verdict, proof and remedy, as plain data; or what is known of them when the time of the question is over.

    Parameters
    ----------
    found : Separability
        The verdict on the data.
    multiclass : str
        How the fit treats many classes: the verdict is that on the same problems.
    is_plane : bool
        Whether the fit parts the classes by planes among the patterns.
    clean : bool
        Whether it made no errors.
    """
    try:
        with found.question.meter:  # all that is asked shares its seconds
            return _decided(found, multiclass, is_plane, clean)
    except UndecidedError as error:
        verdict = f"undecided: no verdict was found within {error.seconds:g} s"
        return {"verdict": verdict, "proof": None, "remedy": LONGER, "separability": []}


def _decided(found: Separability, multiclass: str, is_plane: bool, clean: bool) -> dict[str, Any]:
    asked: Any = found
    if multiclass in ("one-vs-rest", "one-vs-one"):
        asked = found.total if multiclass == "one-vs-rest" else found.pairwise
    parts, verdict = {"all classes": found} if asked is found else asked, asked.verdict
    worst = next(part for part in parts.values() if part.verdict == verdict)
    remedy = None if clean else WITHIN if verdict == "complete" else BEYOND
    if remedy is BEYOND and multiclass == "one-vs-rest" and found.verdict == "complete":
        remedy = APART
    if remedy is not None and not is_plane:
        remedy = CURVED
    return {
        "verdict": SENTENCES[verdict],
        "proof": worst.evidence(),
        "remedy": remedy,
        "separability": [
            {"of": str(key), "verdict": part.verdict, "certificate": json.loads(part.certificate.to_json())}
            for key, part in parts.items()
        ],
    }
