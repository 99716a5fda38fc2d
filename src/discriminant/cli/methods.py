"""``discriminant methods``: every procedure with what it does, in a line."""

from __future__ import annotations

from typing import Any

from ..comparison.methods import kebab
from ._methods import PROCEDURES, REGRESSORS, find, short_name
from ._options import Json, Quiet
from ._output import echo_list


def methods(json: Json = False, quiet: Quiet = False) -> None:
    """List the procedures that `fit --method` takes; `compare` runs those for classes."""
    facts = [_facts(name) | (_parameters(name) if json else {"what it does": _told(name)}) for name in PROCEDURES]
    echo_list("methods", facts, ("name", "short", "what it does"), json)


def _facts(name: str) -> dict[str, Any]:
    """What can be told of a procedure without importing it."""
    procedure = find(name)
    return {
        "name": name,
        "short": short_name(name),
        "class": procedure.kind,
        "makes": str(procedure),
        "task": "regression" if name in REGRESSORS else "classification",
        "summary": procedure.summary,
    }


def _told(name: str) -> str:
    """What a procedure does; of a variant, what it stands for."""
    procedure = find(name)
    settings = " ".join(f"--set {key}={_plain(value)}" for key, value in procedure.parameters.items())
    return f"{kebab(procedure.kind)} with {settings}" if settings else procedure.summary


def _plain(value: Any) -> str:
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _parameters(name: str) -> dict[str, Any]:
    return {"parameters": find(name)().get_params(deep=False)}
