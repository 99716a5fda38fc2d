"""What several estimators have in common is described once, on a base; each class shows all of it.

A class leaves out of its numpydoc docstring what a base describes as well as it could.  When it is made, its docstring
is completed: parameters in the order of ``__init__``, their defaults from the signature, their options from the table
``_parameters``; and of the bases' attributes those that the table ``_held`` says it has.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata
from typing import Any, ClassVar, TypeVar, dataclass_transform

from .._guards.held import held_by
from .._guards.parameters import FLAG, Choice, table_of

Entries = dict[str, str]  # the names that an entry describes, "coef_, intercept_", and its whole text

SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_OWN: dict[type, tuple[Entries, Entries]] = {}  # parameters and attributes as the class itself describes them
_WRITTEN: dict[type, str] = {}  # the docstrings before they were completed
K = TypeVar("K", bound=type)


@cache
def page_address() -> str:
    """Where the page of a procedure is, {page} for its name: in the documentation or the repository that the package
    declares; "" where it declares neither.
    """
    try:
        declared = metadata("discriminant").get_all("Project-URL", [])
    except PackageNotFoundError:  # the sources alone are on the path
        return ""
    known = {name: url.strip().rstrip("/") for name, url in (each.split(",", 1) for each in declared)}
    if "Documentation" in known:
        return f"{known['Documentation']}/procedures/{{page}}.html"
    return f"{known['Repository']}/blob/main/docs/procedures/{{page}}.rst" if "Repository" in known else ""


class DocumentedEstimator:
    """Base of the estimators, whose docstrings are completed; in a notebook they link to the documentation."""

    _page: ClassVar[str | None] = None  # the page in docs/procedures, where it has not the name of the file

    def _get_doc_link(self) -> str:
        """What scikit-learn's picture of an estimator links to: the page of its procedure."""
        room, *_, file = type(self).__module__.split(".")
        return page_address().format(page=self._page or file) if room == "discriminant" else ""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        inherit(cls)
        _describe_methods(cls)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def estimator(kind: K) -> K:
    """Make ``__init__`` of the annotated names in the body of a class, which are its parameters with their defaults.

    A derived class has those of its bases first.  Type checkers see the same signature; mypy takes unknown names too
    unless it follows the imports of scikit-learn, whose classes have no types.
    """
    dataclass(kw_only=True, eq=False, repr=False, match_args=False)(kind)
    for name in vars(kind).keys() & {each.name for each in fields(kind)}:
        delattr(kind, name)  # a model has values, its class has not
    inherit(kind)
    return kind


def inherit(kind: type) -> None:
    """Complete the docstring of a class, if it has sections at all."""
    summary, sections = _parted(_WRITTEN.setdefault(kind, kind.__doc__ or ""))
    taken = inspect.signature(kind).parameters if sections else None
    _OWN[kind] = _entries(sections.pop("Parameters", "")), _entries(sections.pop("Attributes", ""))
    if taken is None or not _OWN[kind][0].keys() <= taken.keys():  # a base describes what its subclasses take
        return
    bases = [_OWN[base] for base in kind.__mro__ if base in _OWN]
    known = {name: entry for parameters, _ in reversed(bases) for name, entry in parameters.items()}
    typed = [_typed(kind, name, known[name], taken[name].default) for name in taken if name in known]
    attributes = _attributes({line.rstrip("?") for line in held_by(kind)}, [own for _, own in bases])
    kind.__doc__ = _joined(summary, {"Parameters": "\n".join(typed), "Attributes": "\n".join(attributes), **sections})


def _describe_methods(kind: type) -> None:
    """Complete the docstrings of the public methods by the parameters that are not described there."""
    for name, member in vars(kind).items():
        method = getattr(member, "fn", member)  # of scikit-learn's available_if
        if not name.startswith("_") and inspect.isfunction(method) and method.__doc__:
            summary, sections = _parted(method.__doc__)
            known = SHARED | _entries(sections.pop("Parameters", ""))
            entries = [known[each] for each in inspect.signature(method).parameters if each in known]
            method.__doc__ = member.__doc__ = _joined(summary, {"Parameters": "\n".join(entries), **sections})


def _parted(doc: str) -> tuple[str, dict[str, str]]:
    summary, *parts = SECTION.split(inspect.cleandoc(doc))
    return summary, dict(zip(parts[::2], parts[1::2], strict=True))


def _joined(summary: str, sections: dict[str, str]) -> str:
    shown = [f"{title}\n{'-' * len(title)}\n{text.strip()}" for title, text in sections.items() if text]
    return "\n\n".join([summary.strip(), *shown]) + "\n"


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


SHARED = _entries("""
X : array, CSR matrix or data frame of shape (n, d)
    Patterns.
y : array of shape (n,)
    Labels.
classes : array of shape (c,), default=None
    All classes that will ever come; needed at the first call.
sample_weight : array of shape (n,), default=None
    Weights.
""")
