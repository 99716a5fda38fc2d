"""The server of the explorer in a thread of this process, with real workers or stand-ins; and its page in a browser."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from explorer_cases import STUB
from websockets.sync.client import ClientConnection, connect

from discriminant.explorer import pool
from discriminant.explorer.server import Explorer, bound, server_of


@dataclass
class Served:
    """A server at work."""

    explorer: Explorer
    port: int
    http: httpx.Client

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, path: str = "/", token: str | None = None) -> str:
        return f"http://{self.host}{path}?token={self.explorer.token if token is None else token}"

    @contextmanager
    def page(self, **options: Any) -> Iterator[ClientConnection]:
        """A socket as a page opens it; its welcome has been read."""
        with connect(f"ws://{self.host}/socket?token={self.explorer.token}", max_size=None, **options) as page:
            assert json.loads(page.recv(timeout=120))["type"] == "welcome"
            yield page

    def raw(self, *lines: str, body: bytes = b"") -> tuple[int, str]:
        """The status and the text of the answer to a request that is written line by line."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as line:
            line.sendall("\r\n".join([*lines, "Connection: close", "", ""]).encode() + body)
            answer = b""
            while part := line.recv(65536):
                answer += part
        return int(answer.split()[1]), answer.decode(errors="replace")


def ask(page: ClientConnection, message: dict[str, Any]) -> list[dict[str, Any]]:
    """Send a message and read its answers to the last; that an earlier one was ended may still be told meanwhile."""
    page.send(json.dumps(message))
    told = answers(page)
    while told[-1]["type"] == "cancelled" and told[-1]["id"] != message.get("id"):
        told = answers(page)
    return told


def answers(page: ClientConnection) -> list[dict[str, Any]]:
    told = []
    while True:
        told.append(json.loads(page.recv(timeout=60)))
        if told[-1]["type"] in ("verdict", "data", "page", "error", "cancelled") or told[-1].get("last"):
            return told


def until(condition: Callable[[], Any], seconds: float = 10) -> None:
    """Wait until it holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(0.02)


def children() -> set[int]:
    """The processes that this one has started and that are there."""
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
            found.update(map(int, (task / "children").read_text().split()))
    return found


@contextmanager
def serving(seconds: float = 5) -> Iterator[Served]:
    """A server that leaves neither thread nor process behind."""
    threads, processes = set(threading.enumerate()), children()
    explorer, listener = Explorer(seconds=seconds), bound("127.0.0.1", 0)
    with listener:
        listener.listen()
        server = server_of(explorer)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            with httpx.Client(timeout=60) as http:
                yield Served(explorer, listener.getsockname()[1], http)
        finally:
            server.should_exit = True
            thread.join(10)
    until(lambda: set(threading.enumerate()) <= threads)
    assert children() <= processes


@pytest.fixture(scope="module")
def stubbed() -> Iterator[Served]:
    """A server whose workers are stand-ins; a run may take a second and a half."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "CODE", STUB.replace("{", "{{").replace("}", "}}"))
        with serving(seconds=1.5) as server:
            yield server


# --- the page in a browser


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where ``discriminant explore`` serves its page."""
    command = [sys.executable, "-m", "discriminant", "explore", "--no-browser", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        if not found:
            server.kill()
            pytest.fail("discriminant explore printed no address")
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
