"""What a user takes away from the page: Python, tables, pictures, a page of its own, a link."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from explorer_page import (
    LOOKS,
    Open,
    button,
    click,
    complaints_of_axe,
    numbers,
    place_two_classes,
    points,
    ready,
    settled,
    steps,
    to_the_end,
    verdict,
)
from playwright.sync_api import expect


def heard(page: Any) -> list[dict[str, Any]]:
    """What the server tells a page from now on."""
    messages: list[dict[str, Any]] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda text: messages.append(json.loads(text))))
    page.reload()
    return messages


@pytest.mark.ci
def test_the_copied_python_gives_the_same_weights(opened: Open) -> None:
    page = ready(opened())
    messages = heard(page)
    ready(page)
    button(page, "Copy Python").click()
    expect(page.get_by_role("status")).to_contain_text("clipboard")
    source = page.evaluate("navigator.clipboard.readText()")
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    shown = [message for message in messages if message["type"] == "frames"][-1]["steps"][-1][0]
    assert np.ravel(json.loads(done.stdout.splitlines()[-1])).tolist() == shown


def downloaded(page: Any, name: str) -> Path:
    with page.expect_download() as waiting:
        button(page, name).click()
    return Path(waiting.value.path())


@pytest.mark.ci
def test_pictures_and_points_are_taken_away(opened: Open) -> None:
    from PIL import Image

    page = ready(opened())
    rows = downloaded(page, "Download CSV").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "x1,x2,class"
    assert len(rows) == 21
    to_the_end(page)
    tree = ElementTree.fromstring(downloaded(page, "Download SVG").read_text(encoding="utf-8"))
    assert len([each for each in tree.iter() if each.tag.endswith("}path")]) > 30
    with Image.open(io.BytesIO(downloaded(page, "Download PNG").read_bytes())) as picture:
        assert picture.size[0] > 800
    with Image.open(io.BytesIO(downloaded(page, "Download GIF").read_bytes())) as film:
        assert film.n_frames == 34
        frames = []
        for k in (0, 10, 33):
            film.seek(k)
            frames.append(np.asarray(film.convert("RGB"), float))
    assert all(abs(one - two).mean() > 0.5 for one, two in pairwise(frames))
    assert frames[0].shape[1] == 480


@pytest.mark.ci
def test_the_saved_page_replays_without_a_network(opened: Open, tmp_path: Path) -> None:
    page = ready(opened())
    seen = []
    for k in range(5):
        steps(page, f"{k} of 33")
        seen.append(numbers(page))
        button(page, "Step").click()
    button(page, "Race").click()
    expect(page.locator("#race-rows")).to_contain_text("Relaxation127")
    saved = tmp_path / "run.html"
    saved.write_bytes(downloaded(page, "Download page").read_bytes())
    replay = opened(saved.as_uri(), offline=True)
    for k, told in enumerate(seen):
        steps(replay, f"{k} of 127")
        assert numbers(replay) == told
        button(replay, "Step").click()
    for _ in range(2):
        button(replay, "Back").click()
    steps(replay, "3 of 127")
    assert replay.locator(".racer").all_inner_texts() == ["Perceptron", "Relaxation"]
    expect(replay.locator("#race-rows tr")).to_have_count(2)
    expect(verdict(replay)).to_contain_text("A plane separates")
    assert numbers(replay) == seen[3]
    expect(button(replay, "Undo")).to_be_hidden()
    expect(replay.get_by_label("Procedure")).to_be_hidden()
    downloaded(replay, "Download SVG")
    assert not complaints_of_axe(replay)
    dark = opened(saved.as_uri(), offline=True, **LOOKS["dark"])
    steps(dark, "0 of 127")
    assert not complaints_of_axe(dark)


@pytest.mark.ci
def test_a_link_brings_everything_back(opened: Open) -> None:
    page = ready(opened())
    place_two_classes(page)
    page.get_by_label("Procedure").select_option("relaxation")
    page.get_by_label("margin", exact=True).fill("2")
    steps(page, "0 of 4")
    for _ in range(3):
        button(page, "Step").click()
    steps(page, "3 of 4")
    seen = numbers(page)
    button(page, "Share link").click()
    expect(page.get_by_role("status")).to_contain_text("the link is on the clipboard")
    again = opened(page.evaluate("navigator.clipboard.readText()"))
    steps(again, "3 of 4")
    assert numbers(again) == seen
    assert points(again) == 5
    expect(again.get_by_label("Procedure")).to_have_value("relaxation")
    expect(again.get_by_label("margin", exact=True)).to_have_value("2")
    check_larger_link(page, again)


def check_larger_link(page: Any, again: Any) -> None:
    """A race of three classes and one feature, in a page that is open already; then a link that is broken."""
    page.get_by_label("max iter").fill("3")
    page.get_by_role("checkbox", name="One feature").check()
    page.get_by_label("seed").fill("7")
    button(page, "Add a class").click()
    click(page, 300, 300)
    button(page, "Race").click()
    expect(page.locator("#race-rows")).to_have_text(re.compile("Relaxation.*Least squares.*"))
    settled(page)
    button(page, "Share link").click()
    expect(page.get_by_role("status")).to_contain_text("discriminant explore 'LINK'")
    again.evaluate("(hash) => { location.hash = hash; }", page.evaluate("location.hash"))
    expect(again.locator("#size")).to_have_text("6 points")
    expect(again.get_by_role("radio")).to_have_count(3)
    expect(again.get_by_role("checkbox", name="One feature")).to_be_checked()
    expect(again.get_by_label("seed")).to_have_value("7")
    expect(again.locator("#race-rows")).to_have_text(re.compile("Relaxation.*Least squares.*"))
    again.evaluate("() => { location.hash = '#s=AAAA'; }")
    expect(again.get_by_role("status")).to_contain_text("this link is broken")
    again.reload()
    steps(again, r"0 of \d+ · this link is broken")
    expect(again.locator("#size")).to_have_text("20 points")
