"""What a terminal shows: lines of its width, broken between words; data stay as they are."""

import json
import re
from collections.abc import Callable

import pytest

from discriminant.cli._output import aligned, folded

from .conftest import Outcome, on_terminal

LINE = "  proof          6 rows: 68 (versicolor) x 18/133, 70 (versicolor) x 227/931"
TABLE = "1 (tie)  fisher-discriminant  2.0 %  2.0 % ± 0.8  -0.1043  –  0.001  converged"


def test_a_line_hangs_where_its_text_begins() -> None:
    assert folded(LINE, 44).split("\n") == [
        "  proof          6 rows: 68 (versicolor) x",
        "                 18/133, 70 (versicolor) x",
        "                 227/931",
    ]
    assert folded("one two three", 8) == "one two\nthree"
    assert folded("  g(x) = +1.5 length +2.5 width", 20) == "  g(x) = +1.5 length\n      +2.5 width"


@pytest.mark.parametrize("text", [TABLE, "short", "a-word-that-is-longer-than-the-line", ""])
def test_what_is_not_broken(text: str) -> None:
    assert folded(text, 20) == text
    assert folded(LINE, None) == LINE


def test_the_last_column_of_a_list_fits() -> None:
    rows = [["iris", 150, "150 flowers of three kinds, four lengths each"]]
    assert aligned(["name", "rows", "description"], rows, 40).split("\n")[1:] == [
        "iris  150   150 flowers of three kinds,",
        "            four lengths each",
    ]
    assert aligned(["name", "rows", "description"], rows, 30).split("\n")[1:] == [
        "iris  150",
        "    150 flowers of three",
        "    kinds, four lengths each",
    ]
    assert aligned(["name", "rows", "description"], rows).endswith("  150 flowers of three kinds, four lengths each")


def lines(*arguments: str, width: int) -> list[str]:
    shown = on_terminal(*arguments, COLUMNS=str(width), NO_COLOR="1").decode().replace("\r\n", "\n")
    return re.sub(r"\x1b\[[\d?;]*[a-zA-Z]|.*\r", "", shown).splitlines()


@pytest.mark.parametrize("command", ["check iris", "methods", "datasets no-such"])
def test_a_terminal_of_sixty_columns(command: str) -> None:
    found = lines(*command.split(), width=60)
    assert max(map(len, found)) <= 60
    assert len(found) > 1


def test_json_on_a_terminal_is_one_line() -> None:
    shown = lines("check", "xor", "--json", width=40)
    assert json.loads("".join(shown))["verdict"] == "overlap"
    assert len(shown) == 1


def test_methods_are_told_without_python(inside: Callable[..., Outcome]) -> None:
    out = inside("methods").out
    assert re.search(r"^perceptron-slack +perceptron with --set slack=3.0 --set multiclass=one-vs-rest$", out, re.M)
    assert re.search(r"^logistic-discriminant-unpenalized +logistic-discriminant with --set penalty=none$", out, re.M)
    assert not re.search(r"[a-z]\(|True|None|='", out.replace("g(x)", ""))
