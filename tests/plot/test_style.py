"""Legends and names have the room that they need."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from discriminant.plot._style import add_legend, literal

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


def test_a_legend_names_the_classes_as_far_as_there_is_room() -> None:
    ax = Figure(layout="constrained").add_subplot()
    for k in range(40):
        ax.plot([0], [k], label=f"class {k}")
    add_legend(ax)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert (names[0], names[-1], len(names)) == ("class 0", "… and 17 more", 24)


def test_names_are_drawn_in_one_line_of_letters() -> None:
    assert literal("a\x1b[31m\n\tb\u202e$") == r"a�[31m b�\$"
    assert literal("x" * 99) == "x" * 39 + "…"
