"""What several estimators have in common is described once, on a base; each class shows all of it.

A class leaves out of its numpydoc docstring what a base describes as well as it could.  When it is made, its docstring
is completed: parameters in the order of ``__init__``, their defaults from the signature, their options from the table
``_parameters``; and of the bases' attributes those that the table ``_held`` says it has.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from .._guards.held import held_by
from .._guards.parameters import FLAG, Choice, table_of

Entries = dict[str, str]  # the names that an entry describes, "coef_, intercept_", and its whole text

SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_OWN: dict[type, tuple[Entries, Entries]] = {}  # parameters and attributes as the class itself describes them


class DocumentedEstimator:
    """Base of the estimators, whose docstrings are completed."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        inherit(cls)


def inherit(kind: type) -> None:
    """Complete the docstring of a class, if it has sections at all."""
    summary, *parts = SECTION.split(inspect.cleandoc(kind.__doc__ or ""))
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    _OWN[kind] = _entries(sections.pop("Parameters", "")), _entries(sections.pop("Attributes", ""))
    taken = inspect.signature(kind).parameters if parts else {}
    if not parts or not _OWN[kind][0].keys() <= taken.keys():  # a base describes what its subclasses take
        return
    bases = [_OWN[base] for base in kind.__mro__ if base in _OWN]
    known = {name: entry for parameters, _ in reversed(bases) for name, entry in parameters.items()}
    typed = [_typed(kind, name, known[name], taken[name].default) for name in taken if name in known]
    attributes = _attributes({line.rstrip("?") for line in held_by(kind)}, [own for _, own in bases])
    sections = {"Parameters": "\n".join(typed), "Attributes": "\n".join(attributes), **sections}
    shown = [f"{title}\n{'-' * len(title)}\n{text.strip()}" for title, text in sections.items() if text]
    kind.__doc__ = "\n\n".join([summary.strip(), *shown]) + "\n"


def _entries(section: str) -> Entries:
    """The entries of a section; each begins at the margin."""
    entries = re.split(r"\n(?=\S)", section.strip()) if section else []
    return {re.split(r" :|\n", entry, maxsplit=1)[0]: entry for entry in entries}


def _typed(kind: Any, name: str, entry: str, default: Any) -> str:
    """The entry with the options, where it names no type, and the default."""
    heading, _, text = entry.partition("\n")
    allowed = Choice(kind._strategies) if name == "multiclass" else table_of(kind).get(name)
    if " : " not in heading and isinstance(allowed, Choice):
        options = "bool" if allowed is FLAG else f"{{{', '.join(map(_literal, allowed.options))}}}"
        heading = f"{name} : {options}"
    if default is not inspect.Parameter.empty and "default=" not in heading:
        heading += f", default={_literal(default)}"
    return f"{heading}\n{text}"


def _literal(value: Any) -> str:
    """A value as the code has it: "text", 1e-8."""
    return f'"{value}"' if isinstance(value, str) else re.sub(r"e([+-])0", r"e\1", repr(value))


def _attributes(held: set[str], described: list[Entries]) -> list[str]:
    """The attributes that the class describes, and then those of its bases that it has, each name once."""
    entries = dict(described[0])
    for own in described[1:]:
        known = set(", ".join(entries).split(", "))
        for names, entry in own.items():
            if not known.isdisjoint(names.split(", ")) or held.isdisjoint(names.split(", ")):
                continue
            entries[names] = entry
    return list(entries.values())
