#!/usr/bin/env python3
"""Draw the rooms of the package into CONTRIBUTING.md: what lies in each, and which room imports which.

    python tools/rooms.py            # writes the picture between its two marks
    python tools/rooms.py --print    # shows it

Files and imports are read from the code, the order of the layers from the import contract in pyproject.toml, which
import-linter keeps. What is imported for type checkers alone does not count.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- rooms: drawn by tools/rooms.py -->\n", "<!-- end of rooms -->\n"
VOCABULARY = "(root)"  # the files beside __init__: the vocabulary of the books, and the outcome of a fit


def layers(project: Path) -> list[list[str]]:
    """The rooms from the top layer down, as the contract lists them; what is planned stands in parentheses there."""
    contracts = tomllib.loads(project.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    lines = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [re.findall(r"\w+", re.sub(r"\(\w+\)", "", line)) for line in lines]


def rooms(package: Path) -> dict[str, list[Path]]:
    """The files of each room; those of the root are one room."""
    found: dict[str, list[Path]] = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).parts
        if parts[0] not in ("__init__.py", "__main__.py"):
            found.setdefault(parts[0] if len(parts) > 1 else VOCABULARY, []).append(path)
    return found


def imported(path: Path, package: Path) -> Iterator[str]:
    """The rooms that a file imports, at its top or inside a function."""
    for node in run_by_python(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = path.parents[node.level - 1]
            names = node.module.split(".")[:1] if node.module else [alias.name for alias in node.names]
            parts = above.relative_to(package).parts
            yield from [parts[0]] if parts else [room_of(name, package) for name in names]
        elif isinstance(node, ast.ImportFrom | ast.Import):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            yield from (room_of(name.split(".")[1], package) for name in names if name.startswith(f"{package.name}."))


def room_of(name: str, package: Path) -> str:
    return name if (package / name).is_dir() else VOCABULARY


def run_by_python(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those for type checkers."""
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)):
            yield child
            yield from run_by_python(child)


def picture(root: Path = ROOT) -> str:
    """The picture as text, the top layer first."""
    package = root / "src" / "discriminant"
    inside, lines = rooms(package), []
    contract = layers(root / "pyproject.toml")
    order = [[name if name in inside else VOCABULARY for name in layer if name != "__main__"] for layer in contract]
    order = [list(dict.fromkeys(layer)) for layer in order if layer]
    for height, layer in zip(range(len(order), 0, -1), order, strict=True):
        for room in layer:
            files = ", ".join(path.stem for path in inside[room] if path.stem != "__init__")
            calls = {other for path in inside[room] for other in imported(path, package)} - {room}
            below = (
                ", ".join(other for layer in order for other in layer if other in calls) or "nothing of this package"
            )
            lines += textwrap.wrap(files, 116, initial_indent=f"{height:>2}  {room:<20}", subsequent_indent=" " * 24)
            lines += textwrap.wrap(below, 116, initial_indent=" " * 22 + "→ ", subsequent_indent=" " * 24)
    return "\n".join(["```text", *lines, "```"]) + "\n"


def drawn(text: str, root: Path = ROOT) -> str:
    """The text with the picture between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"CONTRIBUTING.md has lost the marks of the picture: {BEGIN!r} and {END!r}")
    return before + BEGIN + picture(root) + END + after


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        print(picture(), end="")
    else:
        page = ROOT / "CONTRIBUTING.md"
        page.write_text(drawn(page.read_text(encoding="utf-8")), encoding="utf-8")
