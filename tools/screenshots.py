"""Pictures of the explorer for the docs and the README: drives its page in chromium; run after a change of the page.

python tools/screenshots.py
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "docs" / "images"
LARGEST = 150_000  # bytes of a picture
STEP = 27  # where the perceptron errs still, and its arrow is long
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 860}},
    "dark": {"viewport": {"width": 1280, "height": 1000}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 375, "height": 780}, "device_scale_factor": 2},
}


def photograph(browser: Any, address: str, name: str, options: dict[str, Any]) -> Path:
    """The page at a step of the perceptron; in the dark, a race."""
    from playwright.sync_api import expect

    page = browser.new_page(**options)
    page.goto(address)
    status = page.get_by_role("status")
    expect(status).to_have_text(re.compile("^step 0 of 33 · nothing"), timeout=60_000)
    if name == "dark":
        page.get_by_role("button", name="Race").click()
        page.get_by_role("button", name="Add a procedure").click()
        page.get_by_role("button", name="Add a procedure").click()
        expect(page.locator("#race-rows")).not_to_contain_text(re.compile("–"), timeout=60_000)
    page.get_by_role("slider", name="Step").fill(str(STEP))
    expect(status).to_have_text(re.compile(f"^step {STEP} of"))
    page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
    path = FOLDER / f"explorer-{name}.png"
    path.write_bytes(smaller(page.screenshot()))
    page.close()
    return path


def smaller(picture: bytes) -> bytes:
    """The same with a palette of 256 colors, which is plenty for this page."""
    from io import BytesIO

    from PIL import Image

    with Image.open(BytesIO(picture)) as image, BytesIO() as file:
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
        return file.getvalue()


def main() -> None:
    """Serve, open, photograph."""
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "discriminant", "explore", "--no-browser", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as playwright:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        made = [photograph(browser, address, name, options) for name, options in LOOKS.items()]
        browser.close()
        server.send_signal(signal.SIGINT)
    for picture in made:
        size = picture.stat().st_size
        print(f"{picture.relative_to(FOLDER.parents[1])}: {size / 1000:.0f} kB")
        if size > LARGEST:
            raise SystemExit(f"{picture.name} is larger than {LARGEST / 1000:.0f} kB")


if __name__ == "__main__":
    main()
