#!/usr/bin/env python3
"""Draw docs/guide/books.rst, where each item of the books is, from docs/books.toml: `python tools/books.py`.

It fails where a name, a script, a page or a label that is named does not exist. tests/test_repository.py draws it again
and compares.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache

from rooms import ROOT

import discriminant

PAGE = "docs/guide/books.rst"
HEAD = """The books, item by item
=======================

Every section, algorithm, theorem, figure, table, problem, exercise and worked example of the documents that this
package is made from, and where it is: a name of the package, a script of the gallery, a page, a solution. Where the
print has a slip, :doc:`errata` says which.
"""
# What an item's name begins with, and the heading under which it stands.
KINDS = {
    "Problem": "Problems",
    "Computer exercise": "Computer exercises",
    "Exercise": "Exercises",
    "§": "Sections",
    "Algorithm": "Algorithms",
    "Theorem": "Theorems, definitions, remarks",
    "Definition": "Theorems, definitions, remarks",
    "Remark": "Theorems, definitions, remarks",
    "Example": "Examples",
    "Figure": "Figures",
    "Table": "Tables",
}


@cache
def labels() -> frozenset[str]:
    """What `.. _label:` of the pages can be linked to."""
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*/*.rst")]
    return frozenset(label for text in texts for label in re.findall(r"^\.\. _([\w-]+):$", text, re.MULTILINE))


def place(text: str) -> str:
    """One place as a link; ValueError where there is nothing."""
    if text.startswith("`"):
        name = text.strip("`")
        if name not in discriminant.__all__:
            raise ValueError(f"{name} is no public name")
        return f":obj:`~discriminant.{name}`"
    if text.startswith("@"):
        if text[1:] not in labels():
            raise ValueError(f"no page has the label {text[1:]}")
        return f":ref:`solution <{text[1:]}>`"
    if text.startswith("plot_"):
        if not (ROOT / "examples" / f"{text}.py").exists():
            raise ValueError(f"there is no script examples/{text}.py")
        return f":ref:`sphx_glr_auto_examples_{text}.py`"
    if not (ROOT / "docs" / f"{text}.rst").exists():
        raise ValueError(f"there is no page docs/{text}.rst")
    return f":doc:`/{text}`"


def row(item: str, places: str, about: str | None) -> list[str]:
    """An item, what it is where that is told, and where it is."""
    reason = places.partition("none: ")[2]
    links = reason or ", ".join(place(text) for text in places.split(", "))
    told = [] if about is None else [f"     - {about}".rstrip()]
    return [f"   * - {item}", *told, f"     - {links}"]


def kind(item: str) -> str:
    """The heading of an item."""
    return next((heading for begin, heading in KINDS.items() if item.startswith(begin)), "Topics")


def drawn_book(book: dict[str, dict[str, str]], number: int) -> dict[str, list[str]]:
    """Heading → the lines of its table, for each kind of item that a book has."""
    items, about = book["items"], book.get("about", {})
    if unused := set(about) - set(items):
        raise ValueError(f"[book.about] has {sorted(unused)}, which are no items")
    tables = {}
    for heading in dict.fromkeys([*KINDS.values(), "Topics"]):
        if chosen := [item for item in items if kind(item) == heading]:
            lines = [f".. _{label(heading, number)}:", "", heading, "~" * len(heading), ""]
            told = any(item in about for item in chosen)  # a topic says by its name what it is
            lines += [".. list-table::", f"   :widths: {'22 34 44' if told else '55 45'}", ""]
            rows = [row(item, items[item], about.get(item, "") if told else None) for item in chosen]
            tables[heading] = lines + [line for each in rows for line in each]
    return tables


def label(heading: str, number: int) -> str:
    """What a heading of a book is linked by."""
    return f"book-{number}-{heading.split(',')[0].lower().replace(' ', '-')}"


def drawn() -> str:
    """The page as it should be: first the headings, then the tables of each book."""
    books = tomllib.loads((ROOT / "docs" / "books.toml").read_text(encoding="utf-8"))["book"]
    contents, lines = [], []
    for number, book in enumerate(books, 1):
        tables = drawn_book(book, number)
        links = (f":ref:`{heading.lower()} <{label(heading, number)}>`" for heading in tables)
        contents += [f"- *{book['title']}*: {', '.join(links)}"]
        lines += [book["title"], "-" * len(book["title"]), ""]
        lines += [line for table in tables.values() for line in [*table, ""]]
    return "\n".join([HEAD, *contents, "", *lines]).rstrip() + "\n"


if __name__ == "__main__":
    (ROOT / PAGE).write_text(drawn(), encoding="utf-8")
