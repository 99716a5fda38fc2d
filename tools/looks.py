"""Look at every built page as a reader does, after `make docs`: `python tools/looks.py [words of a page's name …]`.

Chromium opens each page 1,280 and 375 pixels wide, from the disk and without a network. No page may be wider than the
screen, and on the wide one no code, formula or table may be cut off. With --pictures FOLDER it photographs them too, in
light, dark and on the phone.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any

PAGES = Path(__file__).parents[1] / "docs" / "_build" / "html"
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 375, "height": 740}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": WIDE},
    "dark": {"viewport": WIDE, "color_scheme": "dark"},
    "phone": {"viewport": NARROW, "has_touch": True},
}
TOO_WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
# What scrolls by itself, with its first words.
CUT_OFF = """() => [...document.querySelectorAll("article pre, article .formula, article table")]
    .map((box) => box.closest(".pst-scrollable-table-container") ?? box)
    .filter((box) => box.scrollWidth > box.clientWidth + 1)
    .map((box) => `${box.scrollWidth - box.clientWidth} pixels of ${box.textContent.trim().slice(0, 60)}`)"""


def faults(page: Any, look: str) -> list[str]:
    """What is wrong with the page that is open."""
    beyond = page.evaluate(TOO_WIDE)
    found = [f"{beyond} pixels wider than the screen"] if beyond > 0 else []
    return found + ([f"cut off: {words}" for words in page.evaluate(CUT_OFF)] if look == "light" else [])


def look_at(paths: list[Path], pictures: Path | None) -> int:
    """Open each page in each look; give the number of faults."""
    from playwright.sync_api import sync_playwright

    seen = 0
    with sync_playwright() as playwright:
        found = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        for look, options in LOOKS.items():
            if look == "dark" and pictures is None:
                continue  # as wide as the light one
            context = browser.new_context(**options)
            context.route("http*://**", lambda route: route.abort())
            page = context.new_page()
            for path in paths:
                page.goto(path.as_uri())
                name = path.relative_to(PAGES).with_suffix("").as_posix()
                if pictures is not None:
                    page.screenshot(path=pictures / f"{look}-{name.replace('/', '-')}.png", full_page=True)
                for fault in faults(page, look):
                    print(f"{look} {name}: {fault}".replace("\n", " "))
                    seen += 1
        browser.close()
    return seen


def main() -> None:
    """Choose the pages, look at them, and fail where one has a fault."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="only pages whose name has one of these words in it")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER")
    chosen = parser.parse_args()
    if chosen.pictures is not None:
        chosen.pictures.mkdir(parents=True, exist_ok=True)
    paths = [path for path in sorted(PAGES.rglob("*.html")) if "_static" not in path.parts]
    paths = [path for path in paths if not chosen.words or any(word in path.as_posix() for word in chosen.words)]
    if not paths:
        sys.exit(f"there is no such page in {PAGES}; run make docs")
    sys.exit(1 if look_at(paths, chosen.pictures) else 0)


if __name__ == "__main__":
    main()
