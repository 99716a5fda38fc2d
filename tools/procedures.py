#!/usr/bin/env python3
"""Draw the table of the procedures into README.md: `python tools/procedures.py`.

Each page in docs/procedures that opens with the fields of a procedure is a row, in the order of the registry, which is
the table in src/discriminant/__init__.py. tests/test_repository.py draws it again and compares.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from rooms import ROOT, between


def fields(page: Path) -> dict[str, str]:
    """The fields that a page opens with, ``:ends: at a clean pass``; Sphinx keeps them and shows nothing of them."""
    opening = page.read_text(encoding="utf-8").partition("\n\n")[0]
    return dict(re.findall(r"^:(\w+): (.*)$", opening, re.MULTILINE))


def pages(root: Path) -> str:
    """Where the files of the repository can be read: a package index shows the README alone."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return f"{project['urls']['Repository']}/blob/main"


def procedures(root: Path = ROOT) -> str:
    """The table of the procedures, a row for each page."""
    registry = re.findall(r'"(\w+)"', (root / "src" / "discriminant" / "__init__.py").read_text(encoding="utf-8"))
    rows = []
    for page in (root / "docs" / "procedures").glob("*.rst"):
        if "procedure" in (found := fields(page)):
            link = f"[{code(found['procedure'])}]({page.relative_to(root).as_posix()})"
            name = f"{link}, {code(found['also'])}" if "also" in found else link
            place = registry.index(re.match(r"\w+", found["procedure"])[0])
            row = f"| {name} | {found['minimizes']} | {found['ends']} | {found['source']} |"
            rows.append((place, found["procedure"], row))
    head = ["| name | minimizes | ends | source |", "|---|---|---|---|"]
    table = "\n".join([*head, *(row for *_, row in sorted(rows))]) + "\n"
    return table.replace("](docs/", f"]({pages(root)}/docs/")


def code(names: str) -> str:
    """Names in backticks; a comma between parentheses parts none."""
    return ", ".join(f"`{name}`" for name in re.split(r", (?![^(]*\))", names))


def drawn(root: Path = ROOT) -> str:
    """README.md as it should be."""
    return between("README.md", "procedures", procedures(root), root)


if __name__ == "__main__":
    (ROOT / "README.md").write_text(drawn(), encoding="utf-8")
