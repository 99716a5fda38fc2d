"""``discriminant methods``: every procedure with what it does, in a line."""

from __future__ import annotations

from typing import Any

from ._methods import PROCEDURES, REGRESSORS, find, short_name
from ._options import Json, Quiet
from ._output import echo_list


def methods(json: Json = False, quiet: Quiet = False) -> None:
    """List the procedures that `fit --method` takes; `compare` runs those for classes."""
    echo_list("methods", [_facts(name) for name in PROCEDURES], ("name", "short", "makes", "summary"), json)


def _facts(name: str) -> dict[str, Any]:
    procedure = find(name)
    return {
        "name": name,
        "short": short_name(name),
        "class": procedure.kind,
        "makes": str(procedure),
        "task": "regression" if name in REGRESSORS else "classification",
        "summary": procedure.summary,
        "parameters": procedure().get_params(deep=False),
    }
