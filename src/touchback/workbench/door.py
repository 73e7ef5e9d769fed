"""Who gets in: files of the page for everybody who knows the server's name, the wire and what it
shows only for those who know the token."""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
import socket
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers, MultipleValuesError
from websockets.http11 import Request, Response

from touchback.errors import TouchbackError
from touchback.workbench.meshes import MESHES, mesh_file

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
DOWNLOADS = 4  # at a time
_MEANT = "text/plain; charset=utf-8"

Answered = Response | None | Awaitable[Response | None]
File = tuple[str, bytes]  # its type, and what is in it


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

    def __init__(self, host: str, token: str, first: str, room: Callable[[], bool]) -> None:
        """`host` is what the server listens on, `first` the page at "/"; `room` tells whether one
        more client may come."""
        self._token, self._room = token.encode(), room
        self.files = page_files()
        self.files["/"] = self.files[f"/{first}"]
        self.made: dict[str, Callable[[], File]] = {}  # what is made when asked for, by path
        self._fetching: set[ServerConnection] = set()
        self._anywhere = host not in _LOOPBACK
        self._names = {"localhost", host.lower(), socket.gethostname().lower()}

    def __call__(self, connection: ServerConnection, request: Request) -> Answered:
        try:
            host = request.headers["Host"]
            origin = request.headers.get("Origin")
        except (KeyError, MultipleValuesError):
            return refusal(HTTPStatus.BAD_REQUEST, "A request has one Host and one Origin.")
        if not self._is_ours(host):
            return refusal(HTTPStatus.FORBIDDEN, "This server doesn't go by that name.")
        try:
            return self._answer(connection, request, host, origin)
        except ValueError:  # of what reads addresses
            return refusal(HTTPStatus.BAD_REQUEST, "That is no address of this server.")

    def _answer(
        self, connection: ServerConnection, request: Request, host: str, origin: str | None
    ) -> Answered:
        asked = urlsplit(request.path)
        if asked.path == WIRE:
            return self._wire(request, host, origin, asked.query)
        if asked.path in self.files:
            path = self.files[asked.path]
            return given((TYPES[path.suffix], path.read_bytes()), host)
        if asked.path in self.made:
            return self._download(connection, self.made[asked.path], host, asked.query)
        if asked.path.startswith(MESHES):
            return self._made(lambda: mesh_file(asked.path), host, asked.query)
        return refusal(HTTPStatus.NOT_FOUND, "There is no such page.")

    def _download(
        self, connection: ServerConnection, make: Callable[[], File], host: str, query: str
    ) -> Answered:
        """A file that may be large: few at a time are held for those who fetch them, and none is
        read in the thread that serves the others."""
        if not self._knows(query):
            return _without_token()
        if len(self._fetching) >= DOWNLOADS:
            return refusal(
                HTTPStatus.SERVICE_UNAVAILABLE, "Others fetch files just now; try again soon."
            )
        self._fetching.add(connection)
        return asyncio.to_thread(self._made, make, host, query)

    def lost(self, connection: ServerConnection) -> None:
        """Of a connection that ended."""
        self._fetching.discard(connection)

    def _made(self, make: Callable[[], File], host: str, query: str) -> Response:
        if not self._knows(query):
            return _without_token()
        try:
            return given(make(), host)
        except TouchbackError as error:
            return refusal(HTTPStatus.NOT_FOUND, str(error))

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


def given(file: File, host: str) -> Response:
    """A file, with what browsers may do with it."""
    kind, body = file
    policy = "; ".join(
        (
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "font-src 'self'",
            "img-src 'self' data: blob:", "media-src 'self' blob:", "worker-src 'self' blob:",
            f"connect-src 'self' ws://{host} wss://{host}", "base-uri 'none'", "form-action 'none'",
            "frame-ancestors 'self' http://localhost:* http://127.0.0.1:* https://localhost:* "
            "https://127.0.0.1:*",  # notebooks of this machine
        )
    )  # fmt: skip
    return _response(HTTPStatus.OK, kind, body, {"Content-Security-Policy": policy})


def refusal(status: HTTPStatus, text: str) -> Response:
    """A refusal in words."""
    return _response(status, _MEANT, f"{text}\n".encode(), {})


def _without_token() -> Response:
    return refusal(
        HTTPStatus.UNAUTHORIZED, "The address lacks its token: use the one that was printed."
    )


def _response(status: HTTPStatus, kind: str, body: bytes, more: dict[str, str]) -> Response:
    headers = Headers(
        {
            "Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close",
            "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin", **more,
        }
    )  # fmt: skip
    return Response(status.value, status.phrase, headers, body)
