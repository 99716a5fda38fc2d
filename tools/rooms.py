#!/usr/bin/env python3
"""Draw the rooms of the package into CONTRIBUTING.md: `python tools/rooms.py`.

The files of each room and what it imports are read from the code, the order of the layers from the import contract in
pyproject.toml, which import-linter keeps. What only type checkers import does not count. The picture stands between two
marks, and tests/test_repository.py draws it again and compares.
"""

from __future__ import annotations

import ast
import re
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
VOCABULARY = "(root)"  # the files beside __init__: the vocabulary of the books, and the outcome of a fit


def layers(project: Path) -> list[list[str]]:
    """The rooms from the top layer down, as the contract lists them; what is planned stands in parentheses there."""
    contracts = tomllib.loads(project.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    lines = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [re.findall(r"\w+", re.sub(r"\(\w+\)", "", line)) for line in lines]


def files_of_rooms(package: Path) -> dict[str, list[Path]]:
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
            inside = path.parents[node.level - 1].relative_to(package).parts
            names = node.module.split(".")[:1] if node.module else [alias.name for alias in node.names]
            yield from inside[:1] or (room_of(name, package) for name in names)
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


def rooms(root: Path = ROOT) -> str:
    """The rooms by layers, the top first, each with its files and what it imports."""
    package = root / "src" / "discriminant"
    files, lines = files_of_rooms(package), []
    order = [
        list(dict.fromkeys(name if name in files else VOCABULARY for name in layer if name != "__main__"))
        for layer in layers(root / "pyproject.toml")
    ]
    order = [layer for layer in order if layer]
    for height, layer in zip(range(len(order), 0, -1), order, strict=True):
        for room in layer:
            stems = ", ".join(path.stem for path in files[room] if path.stem != "__init__")
            calls = {other for path in files[room] for other in imported(path, package)} - {room}
            below = [other for each in order for other in each if other in calls] or ["nothing of this package"]
            for text, opening in ((stems, f"{height:>2}  {room:<20}"), (", ".join(below), " " * 22 + "→ ")):
                lines += textwrap.wrap(text, 116, initial_indent=opening, subsequent_indent=" " * 24)
    return "\n".join(["```text", *lines, "```"]) + "\n"


def between(name: str, mark: str, picture: str, root: Path = ROOT) -> str:
    """The text of a document with the picture between its marks."""
    begin, end = f"<!-- {mark}: drawn by tools/{mark}.py -->\n", f"<!-- end of {mark} -->\n"
    before, found, rest = (root / name).read_text(encoding="utf-8").partition(begin)
    _, ended, after = rest.partition(end)
    if not found or not ended:
        raise SystemExit(f"{name} has lost its marks: put back {begin!r} and {end!r}")
    return before + begin + picture + end + after


def drawn(root: Path = ROOT) -> str:
    """CONTRIBUTING.md as it should be."""
    return between("CONTRIBUTING.md", "rooms", rooms(root), root)


if __name__ == "__main__":
    (ROOT / "CONTRIBUTING.md").write_text(drawn(), encoding="utf-8")
