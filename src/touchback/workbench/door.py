"""Who gets in: files of the page for everybody who knows the server's name, the wire and what it
shows only for those who know the token."""

from __future__ import annotations

import asyncio
import ipaddress
import math
import secrets
import socket
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path
from typing import cast
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers, MultipleValuesError
from websockets.http11 import Request, Response

from touchback.errors import TouchbackError
from touchback.workbench.line import Line, deliver
from touchback.workbench.meshes import MESHES, mesh_file
from touchback.workbench.wire import File

WIRE = "/wire"
TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png",
    ".json": "application/json", ".wav": "audio/wav", ".woff2": "font/woff2",
    ".bin": "application/octet-stream",
}  # fmt: skip
_PACKAGE = Path(__file__).parents[1]
_FOLDERS = {"/": _PACKAGE / "workbench" / "page", "/draw/": _PACKAGE / "draw"}
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
DOWNLOADS = 16  # at a time, of what is made when it is asked for
_READERS = 2  # threads that read files, piece by piece
_MEANT = "text/plain; charset=utf-8"

Answered = Response | None | Awaitable[Response | None]


def page_files() -> dict[str, Path]:
    """The files of the page by their paths on the server; no other file is ever given."""
    found: dict[str, Path] = {}
    for prefix, folder in _FOLDERS.items():
        for path in sorted(folder.rglob("*")):
            if path.suffix in TYPES and path.is_file() and not path.is_symlink():
                found[prefix + path.relative_to(folder).as_posix()] = path
    return found


class Door:
    """Answers requests: with a file, with a refusal, or lets a wire through."""

    def __init__(
        self,
        host: str,
        token: str,
        first: str,
        room: Callable[[], bool],
        trust: Callable[[Line], None] = lambda line: None,
    ) -> None:
        """`host` is what the server listens on, `first` the page at "/"; `room` tells whether one
        more client may come, and `trust` is told of a connection that gave the token."""
        self._token, self._room, self._trust = token.encode(), room, trust
        self.files = page_files()
        self.files["/"] = self.files[f"/{first}"]
        self.made: dict[str, Callable[[], File]] = {}  # what is made when asked for, by path
        self.asked = -math.inf  # when a file of the page was asked for last, by `time.monotonic`
        self._fetching: set[Line] = set()
        self._readers = ThreadPoolExecutor(_READERS, "touchback-files")
        self._anywhere = host not in _LOOPBACK
        self._names = {"localhost", host.lower(), socket.gethostname().lower()}

    def __call__(self, connection: ServerConnection, request: Request) -> Answered:
        line = cast(Line, connection)  # of our server
        try:
            host = request.headers["Host"]
            origin = request.headers.get("Origin")
        except (KeyError, MultipleValuesError):
            return refusal(HTTPStatus.BAD_REQUEST, "A request has one Host and one Origin.")
        if not self._is_ours(host):
            return refusal(HTTPStatus.FORBIDDEN, "This server doesn't go by that name.")
        try:
            return self._answer(line, request, host, origin)
        except ValueError:  # of what reads addresses
            return refusal(HTTPStatus.BAD_REQUEST, "That is no address of this server.")

    def _answer(self, line: Line, request: Request, host: str, origin: str | None) -> Answered:
        asked = urlsplit(request.path)
        if asked.path == WIRE:
            return self._wire(request, host, origin, asked.query)
        if asked.path in self.files:
            path, self.asked = self.files[asked.path], time.monotonic()
            return self._given(line, lambda: (TYPES[path.suffix], path), host)
        make = self.made.get(asked.path)
        if make is None and not asked.path.startswith(MESHES):
            return refusal(HTTPStatus.NOT_FOUND, "There is no such page.")
        if not self._knows(asked.query):
            return _without_token()
        self._trust(line)
        if make is None:
            return self._given(line, lambda: mesh_file(asked.path), host)
        if len(self._fetching) >= DOWNLOADS:
            return refusal(
                HTTPStatus.SERVICE_UNAVAILABLE, "Others fetch files just now; try again soon."
            )
        self._fetching.add(line)
        return self._given(line, make, host)

    async def _given(self, line: Line, make: Callable[[], File], host: str) -> Response:
        """A file, which neither is made in the thread that serves the others nor waits in memory
        for who fetches it."""
        try:
            kind, content = await asyncio.to_thread(make)
            return await deliver(line, content, lambda size: head(kind, size, host), self._readers)
        except TouchbackError as error:
            return refusal(HTTPStatus.NOT_FOUND, str(error))
        except FileNotFoundError:
            return refusal(HTTPStatus.NOT_FOUND, "That file is gone; ask the page for it again.")

    def lost(self, line: Line) -> None:
        """Of a connection that ended."""
        self._fetching.discard(line)

    def close(self) -> None:
        """When nobody is served any more."""
        self._readers.shutdown(wait=False, cancel_futures=True)

    def _wire(self, request: Request, host: str, origin: str | None, query: str) -> Response | None:
        if origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}"):
            return refusal(HTTPStatus.FORBIDDEN, "Pages of other servers can't connect here.")
        if not self._knows(query):
            return _without_token()
        if "Upgrade" not in request.headers:
            return refusal(HTTPStatus.UPGRADE_REQUIRED, "This is a WebSocket's address.")
        if not self._room():
            return refusal(HTTPStatus.SERVICE_UNAVAILABLE, "Too many pages look on already.")
        return None

    def _knows(self, query: str) -> bool:
        told = parse_qs(query, max_num_fields=20).get("token", [""])[0]
        return secrets.compare_digest(told.encode(), self._token)

    def _is_ours(self, host: str) -> bool:
        """Whether a Host header is a name of this server, not one that somebody else's name server
        gave our address (DNS rebinding): an address, or a name that was given to us."""
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:
            return False
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return name in (self._names if self._anywhere else _LOOPBACK)
        return self._anywhere or address.is_loopback


def head(kind: str, size: int, host: str) -> Response:
    """What stands before a file: what it is, and what browsers may do with it."""
    policy = "; ".join(
        (
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "font-src 'self'",
            "img-src 'self' data: blob:", "media-src 'self' blob:", "worker-src 'self' blob:",
            f"connect-src 'self' ws://{host} wss://{host}", "base-uri 'none'", "form-action 'none'",
            "frame-ancestors 'self' http://localhost:* http://127.0.0.1:* https://localhost:* "
            "https://127.0.0.1:*",  # notebooks of this machine
        )
    )  # fmt: skip
    return _response(HTTPStatus.OK, kind, size, {"Content-Security-Policy": policy})


def refusal(status: HTTPStatus, text: str) -> Response:
    """A refusal in words."""
    body = f"{text}\n".encode()
    return _response(status, _MEANT, len(body), {}, body)


def _without_token() -> Response:
    return refusal(
        HTTPStatus.UNAUTHORIZED, "The address lacks its token: use the one that was printed."
    )


def _response(
    status: HTTPStatus, kind: str, size: int, more: dict[str, str], body: bytes = b""
) -> Response:
    headers = Headers(
        {
            "Content-Type": kind, "Content-Length": str(size), "Connection": "close",
            "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin", **more,
        }
    )  # fmt: skip
    return Response(status.value, status.phrase, headers, body)
