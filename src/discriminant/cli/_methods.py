"""The procedures by their names on the command line: class names in kebab-case, variants of them, and short names.

Tests: ``tests/cli/test_command.py``.
"""

from __future__ import annotations

import ast
from typing import Any

import discriminant

from ..comparison.methods import ALIASES, METHODS, Procedure, kebab
from ._errors import CommandError, nearest

WORDS = {"none": None, "null": None, "true": True, "false": False, "inf": float("inf"), "infinity": float("inf")}
REGRESSORS = {kebab(name): Procedure(name) for name in discriminant.__all__ if name.endswith("Regressor")}
DEFAULT = "logistic"  # serves whether the classes overlap or not, and has probabilities
PROCEDURES: dict[str, Procedure] = METHODS | REGRESSORS


def complete_methods(incomplete: str) -> list[str]:
    return [name for name in [*ALIASES, *PROCEDURES] if name.startswith(incomplete)]


def short_name(name: str) -> str | None:
    return next((short for short, long in ALIASES.items() if long == name and len(short) < len(long)), None)


def find(method: str | None, option: str = "--method") -> Procedure:
    """The procedure of a name, or of none. The name of a class stands for it as it is, with its own defaults."""
    method = method or DEFAULT
    wanted = method.strip().lower().replace("_", "-")
    wanted = ALIASES.get(wanted, wanted)
    if wanted not in PROCEDURES:
        hint = nearest(wanted, [*ALIASES, *PROCEDURES])
        raise CommandError(f"{option} {method!r} is no procedure. {hint} `discriminant methods` lists them.")
    found = PROCEDURES[wanted]
    return Procedure(found.kind) if kebab(found.kind) == wanted else found


def make(procedure: Procedure, settings: list[str] | None, seed: int) -> Any:
    """An estimator with its parameters; one that draws at random gets the seed."""
    model = procedure()
    known = model.get_params(deep=False)
    given = dict(_setting(text, procedure.kind, known) for text in settings or ())
    if "random_state" in known:
        given.setdefault("random_state", seed)
    return model.set_params(**given)


def _setting(text: str, kind: str, known: dict[str, Any]) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise CommandError(f"--set {text!r} is no setting; write NAME=VALUE, such as C=10.")
    if name not in known:
        raise CommandError(f"--set {text!r}: {kind} has no parameter {name!r}. {nearest(name, known)}".rstrip())
    return name, value_of(value)


def value_of(text: str) -> Any:
    """A number, a list, True, None, inf; else the text itself."""
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
