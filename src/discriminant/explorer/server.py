"""The server of the explorer: one page, one socket for each, and guards around both.

It is for the person at this machine: it listens to 127.0.0.1, asks for a random token, and refuses requests that name
another host (DNS rebinding) or come from another page (cross-site WebSockets). What it serves is the files of the
folder ``static``; no other path leads anywhere.
"""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import json
import re
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from .messages import LONGEST, Json
from .pool import SECONDS, STARTING, Pool
from .session import Session

STATIC = Path(__file__).parent / "static"
KINDS = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
LARGEST_UPLOAD = 5 * 2**20
LARGEST_MESSAGE = 2 * 2**20
MOST_SOCKETS = 64
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
LOCAL = ("127.0.0.1", "localhost", "::1")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Guard:
    """Lets a request pass that names this server and comes from its own page; adds the headers that protect the page.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    host : str
        What the server listens to; any address of the machine where it is not the machine itself.
    """

    def __init__(self, app: ASGIApp, host: str) -> None:
        self.app, self.host = app, host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        foreign = not self._is_own(host, scope) or (origin is not None and origin != f"http://{host}")
        if foreign and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "another host or page"})
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                told = MutableHeaders(scope=message)
                told["content-security-policy"] = POLICY.format(host=host if not foreign else "127.0.0.1")
                told["referrer-policy"] = "no-referrer"
                told["x-content-type-options"] = "nosniff"
                told["cross-origin-resource-policy"] = "same-origin"
                told["cache-control"] = "no-store"
            await send(message)

        app = PlainTextResponse("another host or page", 403) if foreign else self.app
        await app(scope, receive, sent)

    def _is_own(self, host: str, scope: Scope) -> bool:
        """Whether a Host header names this server: by an address, which nobody can rebind, or by its own name."""
        name, _, port = host.rpartition(":") if re.search(r":\d+$", host) else (host, "", "80")
        name = name.strip("[]").lower()
        if port != str(scope["server"][1]):
            return False
        if name in LOCAL or name == self.host.lower():
            return True
        if self.host in LOCAL:
            return False
        with suppress(ValueError):
            return ipaddress.ip_address(name) is not None
        return name == socket.gethostname().lower()


class Explorer:
    """The application: the pool, the open sockets, the token.

    Parameters
    ----------
    start : dict or None
        The state that the page begins with.
    host : str
        What the server listens to.
    seconds : float
        That a run may take.
    """

    def __init__(self, start: Json | None = None, host: str = "127.0.0.1", seconds: float = SECONDS) -> None:
        self.token = secrets.token_urlsafe(24)
        self.start, self.seconds = start, seconds
        self.pool: Pool
        self.sockets = 0
        self._welcome, self._greeted = "", asyncio.Lock()
        routes = [
            Route("/", self._page),
            Route("/static/{name}", self._static),
            Route("/table", self._table, methods=["POST"]),
            WebSocketRoute("/socket", self._socket),
        ]
        self.app: ASGIApp = Guard(Starlette(routes=routes, lifespan=self._life), host)

    @asynccontextmanager
    async def _life(self, app: Starlette) -> AsyncIterator[None]:
        with TemporaryDirectory(prefix="discriminant-", ignore_cleanup_errors=True) as folder:
            self.pool = Pool(self.seconds, folder=folder)
            greeting = asyncio.create_task(self._greeting())  # before anybody asks for it: it starts a worker
            try:
                yield
            finally:
                greeting.cancel()
                await asyncio.gather(greeting, return_exceptions=True)
                await self.pool.close()

    async def _greeting(self) -> str:
        """What every page is told first; it is made once, and again where that failed."""
        async with self._greeted:
            if not self._welcome:
                job = {"job": "welcome", "start": self.start, "seconds": self.seconds}
                answer = await self.pool.answer(job, STARTING)  # the first one of all may compile
                if json.loads(answer)["type"] == "error":
                    return answer
                self._welcome = answer
        return self._welcome

    def _knows(self, given: str | None) -> bool:
        return given is not None and secrets.compare_digest(given.encode(), self.token.encode())

    async def _page(self, request: Request) -> Response:
        if not self._knows(request.query_params.get("token")):
            return PlainTextResponse("Open the address that the terminal shows: it ends with the token.", 403)
        return _file("index.html")

    async def _static(self, request: Request) -> Response:
        return _file(request.path_params["name"])

    async def _table(self, request: Request) -> Response:
        if not self._knows(request.query_params.get("token")):
            return JSONResponse({"error": "The token is missing or wrong."}, 403)
        try:
            content = await _body(request)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody hears it
        if content is None:
            size = f"{LARGEST_UPLOAD // 2**20} MB"
            return JSONResponse({"error": f"The file is larger than {size}; take a part of it."}, 413)
        name = unquote(request.headers.get("x-filename", "table.csv"))[-LONGEST:]
        job = {"job": "table", "name": name, "content": base64.b64encode(content).decode()}
        told = json.loads(await self.pool.answer(job))
        if told["type"] == "error":
            return JSONResponse({"error": told["message"]}, 400)
        return JSONResponse(told)

    async def _socket(self, page: WebSocket) -> None:
        if not self._knows(page.query_params.get("token")):
            await page.close(1008, "the token is missing or wrong")
            return
        if self.sockets >= MOST_SOCKETS:
            await page.close(1013, "too many pages are open")
            return
        self.sockets += 1
        sending = asyncio.Lock()

        async def send(text: str) -> None:
            async with sending:
                await page.send_text(text)

        session = Session(self.pool, send)
        try:
            await page.accept()
            await send(await self._greeting())
            while True:
                await session.handle(await page.receive_text())
        except (WebSocketDisconnect, KeyError, RuntimeError):  # gone; or it sends bytes, which nobody asked for
            with suppress(RuntimeError, WebSocketDisconnect):
                await page.close(1003)
        finally:
            self.sockets -= 1
            await session.close()


async def _body(request: Request) -> bytes | None:
    """The body of a request; None as soon as it is too large."""
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > len(str(LARGEST_UPLOAD)) or int(length) > LARGEST_UPLOAD:
        return None
    content = bytearray()
    async for part in request.stream():
        content += part
        if len(content) > LARGEST_UPLOAD:
            return None
    return bytes(content)


def _file(name: str) -> Response:
    """A file of the folder ``static``, by its bare name."""
    kind = KINDS.get(Path(name).suffix)
    if kind is None or not NAME.fullmatch(name) or not (STATIC / name).is_file():
        return PlainTextResponse("There is no such file.", 404)
    return Response((STATIC / name).read_bytes(), media_type=kind)


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens there; OSError where another program does."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # so that asyncio sends without delay
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except BaseException:
        listener.close()
        raise
    return listener


def server_of(explorer: Explorer) -> uvicorn.Server:
    """What runs it; ``run(sockets=[bound(…)])`` serves until it is told to stop."""
    config = uvicorn.Config(
        explorer.app, log_level="error", access_log=False, server_header=False, ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False, timeout_graceful_shutdown=1, lifespan="on", limit_concurrency=256,
    )  # fmt: skip
    return uvicorn.Server(config)


def serve(
    start: Json | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    opened: Callable[[str], Any] = print,
) -> None:
    """Serve the explorer until Ctrl-C; ``opened`` is told its address as soon as it can be opened."""
    explorer = Explorer(start, host)
    listener = bound(host, port)
    shown = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(host, host)
    address = f"http://{f'[{shown}]' if ':' in shown else shown}:{listener.getsockname()[1]}/?token={explorer.token}"
    with listener:
        listener.listen()
        opened(address)
        with suppress(KeyboardInterrupt):
            server_of(explorer).run(sockets=[listener])
