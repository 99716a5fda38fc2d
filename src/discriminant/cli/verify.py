"""``discriminant verify``: check a proof of separability against the data, in whole numbers."""

from __future__ import annotations

import json as json_format
from typing import TYPE_CHECKING, Annotated, Any

from ._errors import ANOTHER_QUESTION, REFUSED, CommandError, shortened
from ._options import (
    Family,
    FamilyOption,
    FormulaOption,
    Intercept,
    Json,
    LevelsOption,
    Quiet,
    Reading,
    ReadingOption,
    Rows,
    argument,
    holds_numbers,
    option,
    taking,
)
from ._output import echo, echo_json
from ._tables import asked_of, in_order, standard_input, tell_reading, text_of

if TYPE_CHECKING:
    from ..separation.certificate import Certificate

Plain = Annotated[bool, option("Check number by number, by the short reference; this takes longer.", "--plain")]
PROOF = "the proof that `discriminant check --json` printed"


@taking(Rows)
def verify(
    given: Rows,
    proof: Annotated[str, argument("PROOF", "What `check --json` printed; - for standard input.")],
    intercept: Intercept = True,
    reading: ReadingOption = Reading.DECIMAL,
    plain: Plain = False,
    family: FamilyOption = Family.CLASSES,
    levels: LevelsOption = None,
    formula: FormulaOption = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Check a proof of separability against the data, with the same options that `check` had.

    The first line is the question that was proved. Exit code 0 if the proof holds and answers what `check` would ask of
    this table with these options, 5 if it is refused, 6 if it holds but answers another question. It is checked in
    whole numbers, without the solver that made it: by products of matrices, or with --plain number by number.
    """
    from .. import Certificate

    standard_input(proof, given.data)
    text = text_of(proof, PROOF)
    _must_be_a_proof(proof, text)
    asked = asked_of(given, formula, intercept or formula is None, counts=holds_numbers(family, levels))
    tell_reading(asked.reading)
    y = in_order(asked, family, levels)
    certificate, differences, reason = None, None, None
    method = "plain" if plain else "fast"
    try:
        certificate = Certificate.from_json(text)
        # a proof with an intercept leaves out the reference level of each factor
        X = asked.all_levels if certificate.n_features == asked.all_levels.shape[1] else asked.X
        certificate.verify(X, y, method=method)
        differences = certificate.differences(y, intercept=intercept, reading=reading.value, family=family.value)
    except ValueError as error:
        reason = shortened(str(error).removeprefix("the certificate fails: "))
    if json:
        echo_json("verification", _content(certificate, differences, reason) | {"method": method})
    else:
        echo(_told(certificate, differences, reason, method), prose=True)
    return REFUSED if reason is not None else ANOTHER_QUESTION if differences else 0


def _content(certificate: Certificate | None, differences: list[str] | None, reason: str | None) -> dict[str, Any]:
    names = ("kind", "groups", "others", "intercept", "reading")
    question = (
        {"text": certificate.question} | {name: getattr(certificate, name) for name in names} if certificate else None
    )
    return {
        "holds": reason is None,
        "verdict": None if certificate is None else certificate.verdict,
        "reason": reason,
        "question": question,
        "same_question": None if differences is None else not differences,
        "differences": differences,
    }


def _told(certificate: Certificate | None, differences: list[str] | None, reason: str | None, method: str) -> str:
    """The question in the first line, the answer in the second."""
    lines = [] if certificate is None else [f"Question: {shortened(certificate.question)}."]
    if reason is not None:
        lines.append(f"The proof is refused: {reason} Give the table and the options that `discriminant check` had.")
    elif certificate is not None:
        lines.append(f"The proof holds: {certificate.verdict} ({method} check).")
    if differences:
        lines.append(f"This is not what the table asks: {shortened('; '.join(differences))}.")
    return "\n".join(lines)


def _must_be_a_proof(source: str, text: str) -> None:
    """Refuse a file that does not even claim to be a proof: bad input, not a bad proof."""
    from ..separation.proof_file import FORMAT

    try:
        content = json_format.loads(text, parse_int=len)  # whatever the number is: a long one would take its time
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{source!r} is not JSON ({shortened(str(error), 200)}): give {PROOF}.") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise CommandError(f"{source!r} holds no proof: give {PROOF}.")
