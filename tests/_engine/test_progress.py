"""The bar in a terminal: shown when asked for, wiped in the end, with the time left."""

from __future__ import annotations

import pytest

from discriminant._engine import progress
from discriminant._engine.progress import TerminalBar


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.0)


def test_a_bar_is_drawn_and_wiped(capsys: pytest.CaptureFixture[str]) -> None:
    with TerminalBar("counting", shown=True) as tell:
        tell("sheep", 0.0)
        assert capsys.readouterr().err == f"\rcounting [{'.' * 24}] sheep"
        tell("", 0.5)
        assert capsys.readouterr().err.startswith(f"\rcounting [{'#' * 12}{'.' * 12}] sheep, ")
    wiped = capsys.readouterr().err
    assert wiped.strip() == ""
    assert wiped.endswith("\r")


@pytest.mark.parametrize("shown", [False, None])  # no terminal here
def test_nothing_is_drawn_unasked(shown: bool | None, capsys: pytest.CaptureFixture[str]) -> None:
    with TerminalBar("counting", shown) as tell:
        tell("sheep", 0.5)
    assert capsys.readouterr().err == ""
