"""The explorer in a browser: one server and one chromium for the tests of the page."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's chromium; without it the tests of the page are skipped, and fail where CI promises that they run."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        reason = "THE PAGE OF THE EXPLORER IS NOT TESTED: there is no chromium here; run tools/chromium.sh"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where ``discriminant explore`` serves its page."""
    command = [sys.executable, "-m", "discriminant", "explore", "--no-browser", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found
        yield found[0]
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0


def is_complaint(told: Any) -> bool:
    """Whether a line of the console is one; chromium logs each refused table, whatever the page does."""
    refused = "status of 400" in told.text and "/table?" in told.location["url"]
    return told.type in ("error", "warning") and not refused


@pytest.fixture
def opened(browser: Any, address: str) -> Iterator[Callable[..., Any]]:
    """Opens the page, or another, with options of a browser's context; none may complain or ask elsewhere."""
    contexts, complaints = [], []

    def open_page(url: str = address, **options: Any) -> Any:
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | options))
        contexts.append(context)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("pageerror", lambda error: complaints.append(f"{error}\n{error.stack}"))
        page.on("console", lambda told: complaints.append(told.text) if is_complaint(told) else None)
        own = ("data:", "blob:", "file:", address.partition("?")[0], address.partition("?")[0].replace("http", "ws"))
        page.on("request", lambda asked: None if asked.url.startswith(own) else complaints.append(asked.url))
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not complaints
