"""The server: who is let in, what is refused, what is left over.  Stand-ins do the work of the workers."""

from __future__ import annotations

import gc
import json
import logging
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from explorer_cases import malformed, message
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from discriminant.explorer import server as room
from discriminant.explorer.pool import MOST_IDLE
from discriminant.explorer.session import Session

from .conftest import Served, ask, children, until

UPGRADE = (
    "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
)  # fmt: skip
FOREIGN = ("evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", "")


def test_the_page_and_its_headers(stubbed: Served) -> None:
    found = stubbed.http.get(stubbed.url())
    assert found.status_code == 200
    assert "text/html" in found.headers["content-type"]
    policy = found.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    assert f"ws://{stubbed.host}" in policy
    assert found.headers["referrer-policy"] == "no-referrer"
    assert found.headers["x-content-type-options"] == "nosniff"
    assert found.headers["cross-origin-resource-policy"] == "same-origin"
    assert "server" not in found.headers
    script = stubbed.http.get(f"http://{stubbed.host}/static/main.js")
    assert (script.status_code, script.headers["content-type"].partition(";")[0]) == (200, "text/javascript")


@pytest.mark.parametrize("token", ["", "wrong", "ä", "0" * 32])
def test_nobody_gets_in_without_the_token(stubbed: Served, token: str) -> None:
    assert stubbed.http.get(stubbed.url(token=token)).status_code == 403
    assert stubbed.http.post(stubbed.url("/table", token=token), content=b"a,b\n1,2\n").status_code == 403
    with (
        pytest.raises(InvalidStatus, match="403"),
        connect(f"ws://{stubbed.host}/socket?{httpx.QueryParams(token=token)}"),
    ):
        pass
    assert stubbed.http.get(f"http://{stubbed.host}/").status_code == 403


@pytest.mark.parametrize("host", FOREIGN)
def test_another_host_is_refused(stubbed: Served, host: str) -> None:
    """A name that an attacker has bound to 127.0.0.1 is not the name of this server."""
    named = f"Host: {host.format(port=stubbed.port)}"
    path = f"/?token={stubbed.explorer.token}"
    assert stubbed.raw(f"GET {path} HTTP/1.1", named)[0] == 403
    assert stubbed.raw("GET /static/main.js HTTP/1.1", named)[0] == 403
    assert stubbed.raw(f"GET /socket{path[1:]} HTTP/1.1", named, *UPGRADE)[0] == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1"])
def test_another_page_is_refused(stubbed: Served, origin: str) -> None:
    """Any page may open a socket to 127.0.0.1; its Origin tells that it is not ours."""
    origin = origin.format(port=stubbed.port)
    with pytest.raises(InvalidStatus, match="403"), stubbed.page(origin=origin):
        pass
    posted = stubbed.http.post(stubbed.url("/table"), content=b"a\n1\n", headers={"Origin": origin})
    assert posted.status_code == 403


def test_its_own_page_is_let_in_by_every_name(stubbed: Served) -> None:
    with stubbed.page(origin=f"http://{stubbed.host}"):  # type: ignore[arg-type]
        pass
    assert stubbed.raw(f"GET /?token={stubbed.explorer.token} HTTP/1.1", f"Host: localhost:{stubbed.port}")[0] == 200


def test_a_server_for_others_knows_its_addresses_and_no_foreign_names() -> None:
    guard = room.Guard(lambda *_: None, "0.0.0.0")  # type: ignore[arg-type,return-value]
    scope: dict[str, Any] = {"server": ("192.168.1.5", 80)}
    assert guard._is_own("192.168.1.5", scope)
    assert guard._is_own("[fe80::1]:80", scope)
    assert guard._is_own(socket.gethostname(), scope)
    assert not guard._is_own("evil.example", scope)


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py", "/static/..%2fserver.py", "/static/%2e%2e/server.py", "/static//etc/passwd",
        "/etc/passwd", "/static/..%5cserver.py", "/static/main.js%00.html", "/static/", "/static/.hidden.js",
        "/server.py", "/static", "/static/%2fetc%2fpasswd", "//static/../../../../etc/passwd",
    ],
)  # fmt: skip
def test_no_path_of_the_machine_can_be_read(stubbed: Served, path: str) -> None:
    status, text = stubbed.raw(f"GET {path} HTTP/1.1", f"Host: {stubbed.host}")
    assert status in (403, 404)
    assert "root:" not in text
    assert "import" not in text


def test_only_files_of_the_page_are_served(stubbed: Served) -> None:
    for path in sorted(room.STATIC.iterdir()):
        assert stubbed.http.get(f"http://{stubbed.host}/static/{path.name}").status_code == 200, path.name
    assert all(path.suffix in room.KINDS for path in room.STATIC.iterdir())


def test_the_wheel_brings_the_page() -> None:
    """A package without its page would start and show nothing."""
    from hatchling.builders.wheel import WheelBuilder

    root = Path(__file__).parents[2]
    shipped = {Path(file.relative_path).as_posix() for file in WheelBuilder(str(root)).recurse_included_files()}
    pages = {f"src/discriminant/explorer/static/{path.name}" for path in room.STATIC.iterdir()}
    assert len(pages) > 5
    assert pages <= shipped


def test_uploads_are_bounded_before_they_are_read(stubbed: Served) -> None:
    assert stubbed.http.post(stubbed.url("/table"), content=b"a,b\n1,2\n").json()["type"] == "table"
    path = f"POST /table?token={stubbed.explorer.token} HTTP/1.1"
    told = stubbed.raw(path, f"Host: {stubbed.host}", f"Content-Length: {room.LARGEST_UPLOAD + 1}")
    assert told[0] == 413
    assert "larger than 5 MB" in told[1]

    def endless() -> Any:
        for _ in range(200):
            yield b"x" * 65536

    try:
        assert stubbed.http.post(stubbed.url("/table"), content=endless()).status_code == 413
    except httpx.TransportError:  # the server hangs up while the rest is still being sent
        assert stubbed.http.get(stubbed.url()).status_code == 200
    assert stubbed.raw(path, f"Host: {stubbed.host}", "Content-Length: many")[0] == 400


def test_500_malformed_messages(stubbed: Served) -> None:
    faults = 0
    with stubbed.page() as page:
        for text in malformed(seed=1, count=500):
            page.send(text)
        page.send(json.dumps(message("dataset", 424242)))
        while (told := json.loads(page.recv(timeout=30)))["id"] != 424242:
            assert told["v"] == 1
            faults += told["type"] == "error"
        assert told["type"] == "data"
    assert faults > 350
    until(lambda: stubbed.explorer.sockets == 0)


def test_messages_are_bounded_and_texts(stubbed: Served) -> None:
    for text in ("x" * (room.LARGEST_MESSAGE + 1), b"\x00\x01"):
        with stubbed.page() as page:
            with suppress(ConnectionClosed):  # the server may end it before all of it is sent
                page.send(text)
            with pytest.raises(ConnectionClosed):
                page.recv(timeout=10)
    with stubbed.page() as page:
        assert ask(page, message("run"))[-1]["type"] == "frames"


def test_50_clients_at_once(stubbed: Served) -> None:
    def visit(k: int) -> list[str]:
        with stubbed.page() as page:
            told = ask(page, message("run", k, slot=k % 4)) + ask(page, message("verdict", k))
            assert all(each["id"] == k for each in told)
            return [each["type"] for each in told if each["type"] not in ("waiting", "progress")]

    with ThreadPoolExecutor(50) as clients:
        found = list(clients.map(visit, range(50)))
    assert found == [["started", "recording", "frames", "verdict"]] * 50
    until(lambda: stubbed.explorer.sockets == 0)
    until(lambda: len(stubbed.explorer.pool.workers) <= MOST_IDLE)
    until(lambda: gc.collect() >= 0 and not [each for each in gc.get_objects() if type(each) is Session])


def test_there_is_an_end_to_open_pages(stubbed: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST_SOCKETS", 3)
    with ExitStack() as pages:
        for _ in range(3):
            pages.enter_context(stubbed.page())
        with pytest.raises(InvalidStatus, match="403"), stubbed.page():
            pass
    until(lambda: stubbed.explorer.sockets == 0)
    with stubbed.page():
        assert stubbed.explorer.sockets == 1


@pytest.mark.ci
def test_a_run_that_takes_too_long_is_ended(stubbed: Served) -> None:
    with stubbed.page() as page:
        told = ask(page, message("run", 3, seed=60))
        assert (told[0]["type"], told[-1]["type"]) == ("started", "error")
        assert "progress" in [each["type"] for each in told]
        assert "ended after 1.5 seconds" in told[-1]["message"]
        assert ask(page, message("run", 4))[-1]["type"] == "frames"


def test_a_client_that_vanishes_ends_its_run(stubbed: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = stubbed.explorer.pool
    monkeypatch.setattr(pool, "seconds", 60.0)  # it is not its time that ends the run
    with stubbed.page() as page:
        page.send(json.dumps(message("run", 1, seed=60)))
        until(lambda: json.loads(page.recv(timeout=10))["type"] == "started")
        until(lambda: pool.workers and pool._idle.empty())  # one is at work on it
        before = children()
        page.socket.shutdown(socket.SHUT_RDWR)  # no farewell
        until(lambda: stubbed.explorer.sockets == 0)
        until(lambda: not before <= children())
    with stubbed.page() as page:
        assert ask(page, message("run", 2))[-1]["type"] == "frames"


def test_a_page_of_the_last_run(stubbed: Served) -> None:
    with stubbed.page() as page:
        ask(page, message("run", 1))
        assert json.loads(ask(page, message("page", 2))[-1]["html"])[0]["steps"] == [1]


def test_a_port_in_use_is_an_error() -> None:
    with room.bound("127.0.0.1", 0) as taken:
        taken.listen()
        with pytest.raises(OSError, match="in use"):
            room.bound("127.0.0.1", taken.getsockname()[1])


@pytest.mark.parametrize(("host", "shown"), [("::", "[::1]"), ("0.0.0.0", "127.0.0.1"), ("::1", "[::1]")])
def test_the_address_that_is_told_can_be_opened(monkeypatch: pytest.MonkeyPatch, host: str, shown: str) -> None:
    monkeypatch.setattr(room, "bound", lambda host, port: socket.create_server(("127.0.0.1", 0)))
    monkeypatch.setattr(room.uvicorn.Server, "run", lambda *_, **__: None)
    told: list[str] = []
    room.serve(host=host, opened=told.append)
    assert told[0].startswith(f"http://{shown}:")


def test_a_file_that_stops_in_the_midst_is_no_fault(stubbed: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    read, ended, faults = room._body, [], []

    async def body(request: Any) -> Any:
        try:
            return await read(request)
        finally:
            ended.append(request)

    monkeypatch.setattr(room, "_body", body)
    monkeypatch.setattr(logging.getLogger("uvicorn.error"), "error", lambda *told, **_: faults.append(told))
    with socket.create_connection(("127.0.0.1", stubbed.port)) as line:
        path = f"/table?token={stubbed.explorer.token}"
        line.sendall(f"POST {path} HTTP/1.1\r\nHost: {stubbed.host}\r\nContent-Length: 100\r\n\r\na,b\n".encode())
    until(lambda: ended)
    assert stubbed.http.get(stubbed.url()).status_code == 200
    assert not faults
