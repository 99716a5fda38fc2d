"""``discriminant verify``: check a proof of separability against the data, in whole numbers."""

from __future__ import annotations

import json as json_format
from typing import Annotated

import typer

from ._errors import REFUSED, CommandError, shortened
from ._options import Json, Quiet, Rows, taking
from ._output import echo, echo_json
from ._tables import learnable, standard_input, text_of

PROOF = "the proof that `discriminant check --json` printed"


@taking(Rows)
def verify(
    given: Rows,
    proof: Annotated[
        str,
        typer.Argument(metavar="PROOF", help="What `check --json` printed; - for standard input.", show_default=False),
    ],
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Check a proof of separability against the data, with the same options that `check` had.

    Exit code 0 if the proof holds, 5 if it is refused. It is checked in whole numbers, without the solver that made it.
    """
    from .. import Certificate

    standard_input(proof, given.data)
    text = text_of(proof, PROOF)
    _must_be_a_proof(proof, text)
    _, X, y, _ = learnable(given)
    verdict, reason = None, None
    try:
        certificate = Certificate.from_json(text)
        verdict = certificate.verdict
        certificate.verify(X, y)
    except ValueError as error:
        reason = shortened(str(error))
    if json:
        echo_json("verification", {"holds": reason is None, "verdict": verdict, "reason": reason})
    else:
        echo(f"The proof holds: {verdict}." if reason is None else f"The proof is refused: {reason}")
    return 0 if reason is None else REFUSED


def _must_be_a_proof(source: str, text: str) -> None:
    """Refuse a file that does not even claim to be a proof: bad input, not a bad proof."""
    from ..certificate import FORMAT

    try:
        content = json_format.loads(text)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{source!r} is not JSON ({shortened(str(error), 200)}): give {PROOF}.") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise CommandError(f"{source!r} holds no proof: give {PROOF}.")
