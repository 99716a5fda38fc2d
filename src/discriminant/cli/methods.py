"""``discriminant methods``: every procedure with what it does, in a line."""

from __future__ import annotations

from typing import Any

from ._methods import PROCEDURES, REGRESSORS, find, parameters, short_name
from ._options import Json, Quiet
from ._output import aligned, echo, echo_json


def methods(json: Json = False, quiet: Quiet = False) -> None:
    """List the procedures that `fit --method` takes; `compare` runs those for classes."""
    facts = [_facts(name) for name in PROCEDURES]
    if json:
        echo_json("methods", {"methods": facts})
    else:
        heads = ("name", "short", "makes", "summary")
        echo(aligned(heads, [[fact[head] or "" for head in heads] for fact in facts]), heading=True)


def _facts(name: str) -> dict[str, Any]:
    procedure = find(name)
    return {
        "name": name,
        "short": short_name(name),
        "class": procedure.kind,
        "makes": str(procedure),
        "task": "regression" if name in REGRESSORS else "classification",
        "summary": procedure.summary,
        "parameters": parameters(procedure()),
    }
