"""The page in a browser, as its user sees it: pointer, keys, time, verdict, race, light and dark, speed."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import numpy as np
import pytest
from explorer_page import (
    LOOKS,
    Open,
    button,
    click,
    complaints_of_axe,
    drag,
    numbers,
    place_two_classes,
    points,
    ready,
    settled,
    steps,
    table,
    to_the_end,
    upload,
    verdict,
)
from playwright.sync_api import expect
from portions import rest_in_ci

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


@pytest.mark.ci
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


@pytest.mark.ci
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
    expect(page.get_by_role("status")).to_contain_text("step 0 of")  # else it may come after what is asked next
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


@pytest.mark.ci
def test_dragging_a_point_changes_the_verdict_and_the_run(opened: Open) -> None:
    page = ready(opened())
    place_two_classes(page)
    expect(verdict(page)).to_contain_text("A plane separates")
    to_the_end(page)
    settled(page)
    before = numbers(page)
    drag(page, (450, 200), (200, 190))
    expect(verdict(page)).to_contain_text("No plane separates")
    expect(page.locator("#numbers")).not_to_have_text(before)
    told = re.match(r"step ([\d,]+) of ([\d,]+) ", page.get_by_role("status").inner_text())
    assert told
    assert told[1] == told[2]  # the slider stays at the end
    drag(page, (200, 190), (450, 200))
    expect(verdict(page)).to_contain_text("A plane separates")


@pytest.mark.ci
def test_a_table_is_loaded_and_its_columns_picked(opened: Open) -> None:
    page = ready(opened())
    upload(page, "boxes.csv", table(40))
    expect(page.locator("#size")).to_have_text("40 points")
    expect(verdict(page)).to_contain_text("classes a and b")
    page.get_by_label("Second feature").select_option("width")
    button(page, "Use these columns").click()
    expect(page.locator("#plane")).not_to_contain_text("height")
    expect(verdict(page)).to_contain_text("classes a and b")
    upload(page, "numbered.csv", b"id,one,two,kind\n1,2,5,a\n2,7,3,b\n3,4,5,b\n4,6,7,a\n")
    expect(page.get_by_label("First feature")).to_have_value("one")
    expect(page.get_by_label("Second feature")).to_have_value("two")
    upload(page, "boxes.pdf", b"%PDF")
    expect(page.get_by_role("status")).to_contain_text("is no CSV file")
    upload(page, "names.csv", b"first,last\nAnn,Lee\nBob,Ray\n")
    expect(page.get_by_role("status")).to_contain_text("names.csv has no column of numbers")
    upload(page, "gaps.csv", b"one,two,kind\n1,2,a\n,3,b\n4,5,b\n6,7,a\n")
    expect(page.locator("#size")).to_have_text("3 points")
    expect(page.locator("#dataset-description")).to_have_text("from: gaps.csv, without 1 row that lacks a value")


@pytest.mark.ci
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


@pytest.mark.ci
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


@pytest.mark.ci
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


@pytest.mark.ci
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


@pytest.mark.ci
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


@pytest.mark.ci
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


@pytest.mark.ci
def test_what_was_corrected_is_ringed(opened: Open) -> None:
    """One pattern by Winnow, two by the Adatron, which moves pairs; each has an arrow."""
    page = ready(opened())
    for name, ring in (("balanced-winnow", 1), ("adatron", 2)):
        page.get_by_label("Procedure").select_option(name)
        settled(page)
        page.get_by_role("slider", name="Step").fill("2")
        steps(page, "2 of .*corrected by row" + ".*, and row" * (ring - 1))
        expect(page.locator('#plane path[d^="M11 0A11"]')).to_have_count(ring)
    assert re.search(r"xᵢ − xⱼ\s+\(8.2, 11.4\), rows 1 and 11\s+δ\(2\)\s+0.02619", numbers(page))


@pytest.mark.ci
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


@pytest.mark.ci
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


# --- for everybody


@pytest.mark.parametrize("look", rest_in_ci(LOOKS))
def test_axe_has_nothing_to_complain_of(look: str, opened: Open) -> None:
    page = ready(opened(**LOOKS[look]))
    button(page, "Lesson").click()
    expect(page.locator("#lesson-title")).not_to_be_empty()
    button(page, "Race").click()
    expect(page.locator("#race-rows")).to_contain_text("Relaxation")
    button(page, "Step").click()
    assert not complaints_of_axe(page)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.ci
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
  const canvas = CanvasRenderingContext2D.prototype;
  const { putImageData } = canvas;
  let painted = 0;
  canvas.putImageData = function (...image) {
    painted += 1;
    putImageData.apply(this, image);
  };
  const begin = performance.now();
  let frames = 0;
  for (; performance.now() - begin < 1500; frames += 1) {
    send("pointermove", x + 20 + (frames % 60), y + (frames % 40));
    await new Promise(requestAnimationFrame);
  }
  send("pointerup", x, y);
  canvas.putImageData = putImageData;
  return [frames, (performance.now() - begin) / 1000, painted];
}
"""
SELECTED = """
() => {
  const frame = document.querySelector('#plane path[d="M-10-10H10V10H-10Z"]');
  return frame?.getAttribute("transform").match(/[\\d.-]+/g).map(Number);
}
"""


def filmed(page: Any, button: int, start: list[float]) -> tuple[str, float]:
    """Frames a second of a drag, and what a frame takes of the page's thread, whatever else the machine does.

    The second is how often in a frame all points were painted.
    """
    tools = page.context.new_cdp_session(page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        found = {each["name"]: each["value"] for each in tools.send("Performance.getMetrics")["metrics"]}
        return float(found["TaskDuration"])

    before = busy()
    frames, seconds, painted = page.evaluate(FILM, [button, start])
    cost = f"{1000 * (busy() - before) / frames:.0f} ms of processor time each"
    return f"{frames / seconds:.0f} frames a second ({cost})", painted / frames


@pytest.mark.ci
def test_five_thousand_points_can_be_dragged(opened: Open, capsys: pytest.CaptureFixture[str]) -> None:
    page = ready(opened())
    page.get_by_label("Procedure").select_option("least-squares")  # the page is measured, not the procedure
    upload(page, "many.csv", table(5000))
    expect(page.locator("#size")).to_have_text("5,000 points")
    settled(page)
    panned, painted = filmed(page, 2, [300, 200])
    assert painted > 0.9
    page.get_by_role("button", name="Fit view").click()
    page.get_by_role("region", name="Plane").focus()
    page.keyboard.press("]")
    page.wait_for_function(SELECTED)
    start = page.evaluate(SELECTED)
    dragged, painted = filmed(page, 0, start)
    assert painted < 0.5  # only the point that moves is drawn anew
    assert points(page) == 5000
    assert abs(page.evaluate(SELECTED)[0] - start[0]) > 10
    button(page, "Undo").click()
    page.wait_for_function(f"() => Math.abs(({SELECTED})()[0] - {start[0]}) < 2")  # of many there, any point
    with capsys.disabled():
        print(f"\n5,000 points: panned at {panned}, dragged at {dragged}")


@pytest.mark.ci
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
