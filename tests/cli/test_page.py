"""The page on the command line: its examples run as printed, its lists of JSON fields are complete."""

import doctest
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Outcome, shell

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "command_line.rst").read_text(encoding="utf-8")
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def blocks(head: str) -> list[tuple[str, str]]:
    """The caption and the text of each code block of a language."""
    pattern = rf"^\.\. code-block:: {head}\n(?:   :caption: (\S+)\n)?\n((?:   .*\n|\n)+)"
    return [(found[1], re.sub("^   ", "", found[2], flags=re.MULTILINE)) for found in re.finditer(pattern, PAGE, re.M)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files that the page shows."""
    for name, text in blocks("text"):
        (tmp_path / name).write_text(f"{text.strip()}\n")
    return tmp_path


@pytest.mark.ci
def test_examples_print_what_the_page_says(
    inside: Callable[..., Outcome], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    checker, seen = doctest.OutputChecker(), 0
    for _, text in blocks("console"):
        for example in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            line, _, expected = example.partition("\n")
            line, _, target = line.partition(" > ")
            found = shell(line, folder) if "|" in line else inside(*line.removeprefix("discriminant ").split())
            if target:
                (folder / target).write_text(found.out)
                found.out = ""
            assert found.code == 0, found.err
            assert checker.check_output(f"{expected.rstrip()}\n", found.out, FLAGS), f"{line}\n{found.out}"
            seen += 1
    assert seen == 10


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("check", "check xor"),
        ("verify", "verify proof.json xor"),
        ("fit", "fit or-function -o model.json"),
        ("predict", "predict model.json or-function --scores --probabilities"),
        ("score", "score model.json or-function"),
        ("explain", "explain model.json"),
        ("compare", "compare or-function --methods perceptron --cv 0 --jobs 1"),
        ("plot", "plot or-function -o picture.svg"),
        ("export", "export model.json model.onnx"),
        ("datasets", "datasets"),
        ("datasets", "datasets xor"),
        ("methods", "methods"),
    ],
    ids=str,
)
def test_fields_are_listed(
    inside: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    inside("check", "xor", "-o", "proof.json")
    inside("fit", "or-function", "-o", "model.json")
    found = inside(*line.split(), "--json").json
    place = rf"^   \* - ``{command}``\n     - (.*?)(?=^   \* - |\n\n)"
    row = re.search(place, PAGE.partition("\nJSON\n")[2], re.MULTILINE | re.DOTALL)
    assert row is not None
    listed = set(re.findall(r"``(\w+)``", row[1]))
    inner = [entry for value in found.values() if isinstance(value, list) for entry in value if isinstance(entry, dict)]
    names = set(found).union(*inner) if command not in ("fit", "compare") else set(found)
    assert names - {"format", "version"} <= listed
    assert found["version"] == 1
    assert found["format"].startswith("discriminant")
