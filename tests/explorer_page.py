"""How a user handles the page of the explorer: buttons, the plane, tables; and what it says then."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from axe_playwright_python.base import AXE_FILE_PATH
from playwright.sync_api import expect

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
    plane, corner = page.get_by_role("region", name="Plane"), None
    while corner != (corner := plane.bounding_box()):  # sentences that come late move the plane
        page.wait_for_timeout(100)
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
