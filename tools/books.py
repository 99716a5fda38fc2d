#!/usr/bin/env python3
"""Draw docs/guide/books.rst, where each item of the books is, from docs/books.toml: `python tools/books.py`.

It fails where a name, a script or a page that is named does not exist. tests/test_repository.py draws it again and
compares.
"""

from __future__ import annotations

import tomllib

from rooms import ROOT

import discriminant

PAGE = "docs/guide/books.rst"
HEAD = """The books, item by item
=======================

Every algorithm, theorem, figure, computer exercise and worked example of the documents that this package is made from,
and where it is: a name of the package, a script of the gallery, a page. Where the print has a slip, :doc:`errata` says
which.
"""


def place(text: str) -> str:
    """One place as a link; ValueError where there is nothing."""
    if text.startswith("`"):
        name = text.strip("`")
        if name not in discriminant.__all__:
            raise ValueError(f"{name} is no public name")
        return f":obj:`~discriminant.{name}`"
    if text.startswith("plot_"):
        if not (ROOT / "examples" / f"{text}.py").exists():
            raise ValueError(f"there is no script examples/{text}.py")
        return f":ref:`sphx_glr_auto_examples_{text}.py`"
    if not (ROOT / "docs" / f"{text}.rst").exists():
        raise ValueError(f"there is no page docs/{text}.rst")
    return f":doc:`/{text}`"


def rows(items: dict[str, str]) -> list[str]:
    """The rows of one book."""
    drawn = []
    for item, places in items.items():
        reason = places.partition("none: ")[2]
        links = reason or ", ".join(place(text) for text in places.split(", "))
        drawn += [f"   * - {item}", f"     - {links}"]
    return drawn


def drawn() -> str:
    """The page as it should be."""
    books = tomllib.loads((ROOT / "docs" / "books.toml").read_text(encoding="utf-8"))["book"]
    lines = [HEAD]
    for book in books:
        lines += [book["title"], "-" * len(book["title"]), "", ".. list-table::", "   :widths: 30 70", ""]
        lines += [*rows(book["items"]), ""]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    (ROOT / PAGE).write_text(drawn(), encoding="utf-8")
