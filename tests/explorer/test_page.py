"""The page in a browser, as its user sees it: pointer, keys, time, verdict, race, and all that can be taken away."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.base import AXE_FILE_PATH
from playwright.sync_api import expect

pytestmark = pytest.mark.xdist_group("explorer-page")  # one server, one browser

expect.set_options(timeout=30_000)  # a busy machine is no fault of the page

Open = Callable[..., Any]
LOOKS = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 375, "height": 740}, "has_touch": True},
}


def button(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def steps(page: Any, pattern: str) -> None:
    """Wait until the status line says this of the step."""
    expect(page.get_by_role("status")).to_have_text(re.compile(f"^step {pattern}"))


def ready(page: Any) -> Any:
    """The page with its first data set, the perceptron at step 0."""
    steps(page, "0 of 33 · nothing decided")
    return page


def settled(page: Any) -> None:
    """Wait until what was changed just now has run."""
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    expect(page.get_by_role("status")).not_to_contain_text(re.compile("at work|place points"))


def numbers(page: Any) -> str:
    return str(page.locator("#numbers").inner_text())


def verdict(page: Any) -> Any:
    return page.get_by_role("region", name="Verdict")


def points(page: Any) -> int:
    return int(page.locator("#size").inner_text().split()[0].replace(",", ""))


def to_the_end(page: Any) -> None:
    page.get_by_role("slider", name="Step").focus()
    page.keyboard.press("End")


def click(page: Any, x: float, y: float) -> None:
    page.get_by_role("region", name="Plane").click(position={"x": x, "y": y})


def drag(page: Any, start: tuple[float, float], end: tuple[float, float], button: str = "left") -> None:
    corner = page.get_by_role("region", name="Plane").bounding_box()
    page.mouse.move(corner["x"] + start[0], corner["y"] + start[1])
    page.mouse.down(button=button)
    page.mouse.move(corner["x"] + end[0], corner["y"] + end[1], steps=8)
    page.mouse.up(button=button)


def place_two_classes(page: Any) -> None:
    """Three points of the first class about (200, 200), two of the second far right."""
    button(page, "Clear").click()
    for x, y in [(150, 150), (250, 150), (200, 260)]:
        click(page, x, y)
    page.get_by_role("radio").nth(1).check()
    for x, y in [(450, 200), (500, 300)]:
        click(page, x, y)
    expect(page.locator("#size")).to_have_text("5 points")


def table(rows: int, seed: int = 0) -> bytes:
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 2
    X = rng.standard_normal((rows, 2)).round(3) + 4 * y[:, None]
    lines = [f"{one},{two},{'ab'[k]}" for (one, two), k in zip(X.tolist(), y.tolist(), strict=True)]
    return "\n".join(["width,height,kind", *lines, ""]).encode()


def upload(page: Any, name: str, content: bytes) -> None:
    page.get_by_label("Load CSV").set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})


def complaints_of_axe(page: Any) -> list[str]:
    page.evaluate(AXE_FILE_PATH.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")
    assert len(found["passes"]) > 20
    return [f"{each['id']}: {node['html']}" for each in found["violations"] for node in each["nodes"]]


# --- points


def test_points_are_placed_moved_and_removed_with_the_mouse(opened: Open) -> None:
    page = ready(opened())
    place_two_classes(page)
    expect(verdict(page)).to_contain_text("A plane separates")
    drag(page, (450, 200), (460, 350))
    assert points(page) == 5
    page.keyboard.press("Delete")
    expect(page.locator("#size")).to_have_text("4 points")
    button(page, "Undo").click()
    expect(page.locator("#size")).to_have_text("5 points")
    button(page, "Redo").click()
    expect(page.locator("#size")).to_have_text("4 points")
    click(page, 250, 150)  # chosen, as a finger would
    button(page, "Remove point").click()
    expect(page.locator("#size")).to_have_text("3 points")
    expect(button(page, "Remove point")).to_be_disabled()


def test_undo_of_clear_brings_points_and_view_back(opened: Open) -> None:
    page = ready(opened())
    shown = page.locator("#plane").text_content()  # the numbers along the axes
    button(page, "Clear").click()
    expect(page.locator("#plane")).not_to_have_text(shown)
    button(page, "Undo").click()
    expect(page.locator("#size")).to_have_text("20 points")
    expect(page.locator("#plane")).to_have_text(shown)
    expect(verdict(page)).to_contain_text("A plane separates")
    button(page, "Redo").click()
    expect(page.locator("#size")).to_have_text("0 points")


def test_points_are_placed_moved_and_removed_with_keys(opened: Open) -> None:
    page = ready(opened())
    button(page, "Clear").press("Enter")
    expect(page.get_by_text("Click to place points")).to_be_visible()
    page.get_by_role("region", name="Plane").focus()
    page.keyboard.press("Enter")  # shows the cross
    page.keyboard.press("Enter")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.locator("#size")).to_have_text("2 points")
    expect(verdict(page)).to_contain_text("A plane separates")
    page.keyboard.press("[")
    expect(page.get_by_role("status")).to_contain_text("row 0 of 2")
    for _ in range(4):
        page.keyboard.press("Shift+ArrowRight")  # upon the other one
    expect(verdict(page)).to_contain_text("No plane separates")
    page.keyboard.press("Delete")
    expect(page.locator("#size")).to_have_text("1 point")
    for _ in range(5):
        page.keyboard.press("Control+z")
    expect(page.locator("#size")).to_have_text("2 points")
    page.keyboard.press("Control+y")
    expect(verdict(page)).to_contain_text("A plane separates")
    page.get_by_role("region", name="Plane").hover()
    for _ in range(8):
        page.mouse.wheel(0, -3000)  # nearer than numbers are fine
    page.get_by_role("region", name="Plane").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("status")).to_have_text(re.compile(r"cursor at \([\d.e−-]+, [\d.e−-]+\)"))


def test_dragging_a_point_changes_the_verdict_and_the_run(opened: Open) -> None:
    page = ready(opened())
    place_two_classes(page)
    expect(verdict(page)).to_contain_text("A plane separates")
    to_the_end(page)
    before = numbers(page)
    drag(page, (450, 200), (200, 190))
    expect(verdict(page)).to_contain_text("No plane separates")
    expect(page.locator("#numbers")).not_to_have_text(before)
    told = re.match(r"step ([\d,]+) of ([\d,]+) ", page.get_by_role("status").inner_text())
    assert told
    assert told[1] == told[2]  # the slider stays at the end
    drag(page, (200, 190), (450, 200))
    expect(verdict(page)).to_contain_text("A plane separates")


def test_a_table_is_loaded_and_its_columns_picked(opened: Open) -> None:
    page = ready(opened())
    upload(page, "boxes.csv", table(40))
    expect(page.locator("#size")).to_have_text("40 points")
    expect(verdict(page)).to_contain_text("classes a and b")
    page.get_by_label("Second feature").select_option("width")
    button(page, "Use these columns").click()
    expect(page.locator("#plane")).not_to_contain_text("height")
    expect(verdict(page)).to_contain_text("classes a and b")
    upload(page, "boxes.pdf", b"%PDF")
    expect(page.get_by_role("status")).to_contain_text("is no CSV file")
    upload(page, "names.csv", b"first,last\nAnn,Lee\nBob,Ray\n")
    expect(page.get_by_role("status")).to_contain_text("names.csv has no column of numbers")
    upload(page, "gaps.csv", b"one,two,kind\n1,2,a\n,3,b\n4,5,b\n6,7,a\n")
    expect(page.locator("#size")).to_have_text("3 points")
    expect(page.locator("#dataset-description")).to_have_text("from: gaps.csv, without 1 row that lacks a value")


def test_a_generator_has_sliders(opened: Open) -> None:
    page = ready(opened())
    choices = page.get_by_label("Data set").locator("optgroup[label=Generators] option")
    page.get_by_label("Data set").select_option(value=choices.first.get_attribute("value"))
    expect(page.locator("#size")).to_have_text("60 points")
    page.locator("#generate-count").press("Home")
    expect(page.locator("#size")).to_have_text("6 points")
    button(page, "Lesson").click()
    expect(page.get_by_label("Data set")).to_have_value("")
    expect(page.locator("#generate-count")).to_have_count(0)


# --- procedures and time


ENDS = {"relaxation": "a(128)", "ho-kashyap": "a(2)"}


def test_procedures_run_and_show_their_answers(opened: Open) -> None:
    page = ready(opened())
    for name in ("relaxation", "least-squares", "ho-kashyap", "support-vector-machine", "fisher-discriminant"):
        page.get_by_label("Procedure").select_option(name)
        kind = name.title().replace("-", "")
        settled(page)
        to_the_end(page)
        expect(page.get_by_role("status")).to_contain_text(f"{kind}: ")
        expect(page.locator("#numbers")).to_contain_text(ENDS.get(name, "the answer"))
    page.get_by_label("Procedure").select_option("kernel-perceptron")
    page.get_by_label("kernel").select_option(label="gaussian")
    settled(page)
    to_the_end(page)
    expect(page.get_by_role("status")).to_contain_text("KernelPerceptron: ")
    expect(page.locator("#numbers")).to_contain_text("see the regions")


def test_steps_back_show_the_weights_of_the_steps_forward(opened: Open) -> None:
    page = ready(opened())
    seen = [numbers(page)]
    for k in range(1, 13):
        button(page, "Step").click()
        steps(page, f"{k} of 33")
        seen.append(numbers(page))
    assert len(set(seen)) == len(seen)
    for k in range(11, -1, -1):
        button(page, "Back").click()
        steps(page, f"{k} of 33")
        assert numbers(page) == seen[k]
    assert "η(1)" not in seen[0]
    assert re.search(r"a\(1\)\s*\(0, 0, 0\)", seen[1])
    to_the_end(page)
    steps(page, "33 of 33 · 0 wrong")
    button(page, "Rewind").click()
    steps(page, "0 of 33")


def test_playing_moves_to_the_end_and_is_not_read_out(opened: Open) -> None:
    page = ready(opened(reduced_motion="reduce"))
    page.get_by_label("Speed").press("Home")
    button(page, "Play").click()
    expect(page.get_by_role("status")).to_have_attribute("aria-live", "off")
    button(page, "Pause").click()
    expect(page.get_by_role("status")).to_have_attribute("aria-live", "polite")
    page.get_by_label("Speed").press("End")
    button(page, "Play").click()
    steps(page, "33 of 33")
    expect(button(page, "Play")).to_be_enabled()


def test_a_wrong_parameter_is_told_beside_it(opened: Open) -> None:
    page = ready(opened())
    page.get_by_role("slider", name="Step").fill("5")
    page.get_by_label("margin", exact=True).fill("-1")
    expect(page.get_by_role("status")).to_contain_text("margin=-1")
    expect(page.locator("#parameter-margin-fault")).to_contain_text("margin=-1")
    expect(page.locator("#numbers")).to_have_text("a(1)appears with a run")  # and not the run before
    page.get_by_label("margin", exact=True).fill("1")
    expect(page.locator("#parameter-margin-fault")).to_be_empty()
    steps(page, r"5 of \d+ · corrected")  # time goes on where it was
    expect(page.locator("#equation")).to_contain_text("a(k+1) = a(k)")


def test_one_feature_shows_weight_space(opened: Open) -> None:
    page = ready(opened())
    page.get_by_role("checkbox", name="One feature").check()
    expect(page.get_by_role("img", name="Weight space")).to_be_visible()
    expect(verdict(page)).to_contain_text("No plane separates")
    check_thinned_run(page)


def check_thinned_run(page: Any) -> None:
    """Of a long run some steps are left out, yet a(k) + η(k)yᵏ = a(k+1) at each that is shown."""
    steps(page, "0 of 2,000")
    page.get_by_role("slider", name="Step").fill("1501")
    steps(page, r"1,501 of 2,000 · corrected by .*; correction \d,\d+ of \d+,\d+, of which 2,000 are shown")
    told = [line.replace("−", "-") for line in numbers(page).splitlines() if line]
    found = dict(zip(told[::2], told[1::2], strict=True))
    k = int(found["k"])
    assert k > 1501
    before, after = json.loads(f"[{found[f'a({k})'][1:-1]}]"), json.loads(f"[{found[f'a({k + 1})'][1:-1]}]")
    (name,) = [name for name in found if name.startswith("y")]
    pattern = json.loads(f"[{found[name].partition(')')[0][1:]}]")
    np.testing.assert_allclose(np.add(before, float(found[f"η({k})"]) * np.array(pattern)), after, rtol=2e-3)


def test_several_classes_are_told_by_their_discriminants(opened: Open) -> None:
    page = ready(opened())
    page.get_by_label("Data set").select_option("dataset:table")
    expect(page.locator("#size")).to_have_text("40 points")
    settled(page)
    page.get_by_role("slider", name="Step").fill("30")
    steps(page, "30 of")
    shown = numbers(page)
    assert len(re.findall(r"a[₁₂₃₄]\(30\)ᵗy³⁰", shown)) in (1, 2)
    assert re.search(r"changed\s+a[₁₂₃₄] \(ω\S\)", shown)


def test_a_race_shows_procedures_side_by_side(opened: Open) -> None:
    page = ready(opened())
    button(page, "Race").click()
    button(page, "Add a procedure").click()
    rows = page.locator("#race-rows tr")
    expect(rows).to_have_count(3)
    page.get_by_label("Contestant 3", exact=True).select_option("ho-kashyap")
    expect(rows.nth(0)).to_have_text(re.compile("Perceptron33.*0separated"))
    expect(rows.nth(1)).to_have_text(re.compile(r"Relaxation\d+.*separated"))
    expect(rows.nth(2)).to_have_text(re.compile("Ho-Kashyap"))
    expect(page.locator(".plane")).to_have_count(3)
    page.get_by_role("button", name="Race").click()  # the only name with this word
    expect(page.locator(".plane")).to_have_count(1)
    steps(page, r"\d+ of 33")


def test_the_lesson_has_eight_scenes(opened: Open) -> None:
    page = ready(opened())
    button(page, "Lesson").click()
    titles = []
    for scene in range(1, 9):
        expect(page.locator("#lesson-count")).to_have_text(f"Scene {scene} of 8")
        titles.append(page.locator("#lesson-title").inner_text())
        settled(page)
        expect(page.locator("#lesson-reply")).to_be_hidden()
        page.get_by_text("Answer", exact=True).click()
        expect(page.locator("#lesson-reply")).to_be_visible()
        if scene < 8:
            button(page, "Next scene").click()
    assert len(set(titles)) == 8
    expect(button(page, "Next scene")).to_be_disabled()


# --- take away


def heard(page: Any) -> list[dict[str, Any]]:
    """What the server tells a page from now on."""
    messages: list[dict[str, Any]] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda text: messages.append(json.loads(text))))
    page.reload()
    return messages


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


# --- for everybody


@pytest.mark.parametrize("look", LOOKS)
def test_axe_has_nothing_to_complain_of(look: str, opened: Open) -> None:
    page = ready(opened(**LOOKS[look]))
    button(page, "Lesson").click()
    expect(page.locator("#lesson-title")).not_to_be_empty()
    button(page, "Race").click()
    expect(page.locator("#race-rows")).to_contain_text("Relaxation")
    button(page, "Step").click()
    assert not complaints_of_axe(page)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_nothing_jumps_while_time_goes_on(opened: Open) -> None:
    page = ready(opened())
    expect(verdict(page)).to_contain_text("A plane separates")  # it may come later, and has more lines
    places = "[...document.querySelectorAll('section, .player, #status')].map((e) => e.getBoundingClientRect().top)"
    before = page.evaluate(places)
    for _ in range(3):
        button(page, "Step").click()
    steps(page, "3 of 33")
    assert page.evaluate(places) == before


FILM = """
async ([button, from]) => {
  const plane = document.getElementById("plane");
  const send = (type, x, y) => plane.dispatchEvent(Object.assign(
    new PointerEvent(type, { pointerId: 1, button, clientX: x, clientY: y, bubbles: true })));
  plane.setPointerCapture = () => {};
  const { left, top } = plane.getBoundingClientRect();
  const [x, y] = [left + from[0], top + from[1]];
  send("pointerdown", x, y);
  const begin = performance.now();
  let frames = 0;
  for (; performance.now() - begin < 1500; frames += 1) {
    send("pointermove", x + 20 + (frames % 60), y + (frames % 40));
    await new Promise(requestAnimationFrame);
  }
  send("pointerup", x, y);
  return [frames, (performance.now() - begin) / 1000];
}
"""
SELECTED = """
() => {
  const frame = document.querySelector('#plane path[d="M-10-10H10V10H-10Z"]');
  return frame?.getAttribute("transform").match(/[\\d.-]+/g).map(Number);
}
"""


def filmed(page: Any, button: int, start: list[float]) -> str:
    """Frames a second of a drag, and what a frame takes of the page's thread, whatever else the machine does."""
    tools = page.context.new_cdp_session(page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        found = {each["name"]: each["value"] for each in tools.send("Performance.getMetrics")["metrics"]}
        return float(found["TaskDuration"])

    before = busy()
    frames, seconds = page.evaluate(FILM, [button, start])
    return f"{frames / seconds:.0f} frames a second ({1000 * (busy() - before) / frames:.0f} ms of processor time each)"


def test_five_thousand_points_can_be_dragged(opened: Open, capsys: pytest.CaptureFixture[str]) -> None:
    page = ready(opened())
    page.get_by_label("Procedure").select_option("least-squares")  # the page is measured, not the procedure
    upload(page, "many.csv", table(5000))
    expect(page.locator("#size")).to_have_text("5,000 points")
    settled(page)
    panned = filmed(page, 2, [300, 200])
    page.get_by_role("button", name="Fit view").click()
    page.get_by_role("region", name="Plane").focus()
    page.keyboard.press("]")
    page.wait_for_function(SELECTED)
    start = page.evaluate(SELECTED)
    dragged = filmed(page, 0, start)
    assert points(page) == 5000
    assert abs(page.evaluate(SELECTED)[0] - start[0]) > 10
    button(page, "Undo").click()
    page.wait_for_function(f"() => Math.abs(({SELECTED})()[0] - {start[0]}) < 2")  # of many there, any point
    with capsys.disabled():
        print(f"\n5,000 points: panned at {panned}, dragged at {dragged}")


def test_the_verdict_follows_a_drag(opened: Open, capsys: pytest.CaptureFixture[str]) -> None:
    page = ready(opened())
    page.get_by_label("Procedure").select_option("least-squares")
    upload(page, "some.csv", table(500))
    expect(page.locator("#size")).to_have_text("500 points")
    expect(verdict(page)).to_contain_text("classes a and b")
    page.evaluate(
        """() => {
          new MutationObserver(() => { window.told = performance.now(); })
            .observe(document.getElementById("verdict"), { childList: true, subtree: true });
        }"""
    )
    page.get_by_role("region", name="Plane").focus()
    page.keyboard.press("]")
    seconds = []
    for _ in range(5):
        settled(page)
        page.evaluate("() => { window.asked = performance.now(); window.told = 0; }")
        begin = time.perf_counter()
        page.keyboard.press("Shift+ArrowRight")
        page.wait_for_function("() => window.told > window.asked")
        assert time.perf_counter() - begin < 20
        seconds.append(page.evaluate("window.told - window.asked"))
    with capsys.disabled():
        print(f"\n500 points: the verdict after a move comes in {np.median(seconds):.0f} ms (median of five)")
