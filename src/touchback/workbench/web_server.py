"""The web server of a workbench: one port in a thread of its own, its routes (files of the page,
the wire, downloads) and its connections."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import logging
import math
import os
import secrets
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from http import HTTPStatus
from pathlib import Path
from typing import cast
from urllib.parse import parse_qs, unquote, urlsplit

from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers, MultipleValuesError
from websockets.http11 import Request, Response

from touchback.errors import InputError, TouchbackError
from touchback.native.front.connection_gate import GROUPS, WEB, Front
from touchback.realtime.control.control_messages import LONGEST
from touchback.workbench.page_hub import MOST_CLIENTS, Hub
from touchback.workbench.page_scene import MESHES, mesh_file
from touchback.workbench.wire_format import Content, File

STRANGERS = 256  # connections at a time without a wire: who fetches files, or says nothing


GREETING = 5.0  # seconds in which a request must be whole, from its connection on


_SILENCE = 5.0  # seconds that a connection has to end


_BACKLOG = 128  # connections that wait to be accepted


_PING = 20.0


_NO_FAMILY = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)  # of addresses: no IPv6 here, say


_NO_GROUP = GROUPS - 1  # of clients whose stops go through their hub alone


_NO_SUCH_RUN = 4004  # a WebSocket's code, of those that are ours to give


# Nothing that clients send is logged: a request holds the token.
_QUIET = logging.getLogger("touchback.workbench.web_server")


_QUIET.addHandler(logging.NullHandler())


_QUIET.propagate = False


_QUIET.setLevel(logging.CRITICAL)


def _mend(failed: BaseException) -> str:
    """What to do about a place that can't be listened at."""
    elsewhere = isinstance(failed, OSError) and failed.errno not in (errno.EADDRINUSE, errno.EACCES)
    if elsewhere or isinstance(failed, socket.gaierror | ValueError):
        return "Give a host that is this machine: 127.0.0.1, 0.0.0.0, or an address of its own."
    return "Choose another port (0: any that is free)."


def _listening(host: str, port: int) -> list[socket.socket]:
    """Sockets that listen at all addresses of a host, at one port (0: any that is free)."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    made: list[socket.socket] = []
    failed: OSError | None = None
    for family, kind, protocol, _, address in dict.fromkeys(found):
        try:
            each = socket.socket(family, kind, protocol)
        except OSError as error:  # a family that this machine doesn't have
            failed = error
            continue
        try:
            each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                each.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            each.bind((address[0], made[0].getsockname()[1] if made else port, *address[2:]))
            each.listen(_BACKLOG)
        except OSError as error:
            each.close()
            failed = error
        else:
            made.append(each)
    if failed is not None and (not made or failed.errno not in _NO_FAMILY):
        for each in made:
            each.close()
        raise failed
    return made


class Server:
    """Serves the pages of a hub from `start` to `stop`, and those of further hubs by their names
    (`add`): a page reaches them by "run=NAME" in its address."""

    def __init__(self, hub: Hub, host: str, port: int, token: str | None, page: str) -> None:
        if not host.strip():
            raise InputError(
                "The page's host is empty, which would be every network that this machine is on: "
                "give an address (127.0.0.1: this machine alone; 0.0.0.0: all)."
            )
        self.hub, self.host, self._port = hub, host, port
        self.token = secrets.token_urlsafe(24) if token is None else token
        self.port = 0
        self.request_handler = RequestHandler(host, self.token, page, self._has_room, self._trust)
        self._hubs: dict[str, Hub] = {"": hub}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._groups: dict[str, int] = {"": 0}  # of clients whose stops reach the same runs
        self._stops: dict[int, tuple[tuple[int, ...], bool]] = {}  # of groups, as `watch` was told
        self._front: Front | None = None
        self._thread = threading.Thread(target=self._run, name="touchback-page", daemon=True)
        self._ready = threading.Event()
        self._failed: BaseException | None = None
        self._stopping: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Returns when it listens."""
        self._thread.start()
        self._ready.wait()
        if self._failed is not None:
            self._thread.join()
            raise InputError(
                f"The page can't be served at {self.host}, port {self._port}: {self._failed}. "
                f"{_mend(self._failed)}"
            ) from self._failed

    def stop(self) -> None:
        """Ends all connections, then the thread; further calls do nothing. A thread that somebody's
        own source holds up ends with the process."""
        loop, stopping = self._loop, self._stopping
        if loop is not None and stopping is not None and self._thread.is_alive():
            loop.call_soon_threadsafe(stopping.set)
            self._thread.join(3.0 * _SILENCE)

    def add(self, name: str, hub: Hub) -> None:
        """Serves another hub on the same port, by its name, until `remove`."""
        if name in self._hubs:
            raise InputError(f"There is a run '{name}' on this port already; give another name.")
        self._hubs[name] = hub
        self.watch(name, ())
        self._soon(self._begin, name, hub)

    def remove(self, name: str) -> None:
        """Lets the pages of a further hub go."""
        hub = self._hubs.pop(name, None)
        if hub is not None:
            self.watch(name, ())
            self._groups.pop(name, None)
            self._soon(self._end, name, hub)

    def watch(self, name: str, runs: Iterable[int], answers: bool = True) -> None:
        """Which runs (`live.emergency_number`) the emergency stop of a hub's pages reaches: the
        front does it as it passes by, and `answers` it, whatever the pages let the interpreter
        do."""
        if name not in self._groups:
            free = set(range(1, _NO_GROUP)) - set(self._groups.values())
            if not free:  # their pages' stops go through the hub alone
                return
            self._groups[name] = min(free)
        group = self._groups[name]
        known, _ = self._stops[group] = (tuple(runs), answers)
        if self._front is not None:
            self._front.watch(known, group, answers)

    def _soon(self, function: Callable[[str, Hub], None], name: str, hub: Hub) -> None:
        loop, done = self._loop, threading.Event()

        def call() -> None:
            function(name, hub)
            done.set()

        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(call)
            done.wait(_SILENCE)

    def _begin(self, name: str, hub: Hub) -> None:
        self._running[name] = asyncio.get_running_loop().create_task(hub.run())

    def _end(self, name: str, hub: Hub) -> None:
        if (task := self._running.pop(name, None)) is not None:
            task.cancel()
        for client in list(hub.clients):
            client.cancel("the run ended")

    def _has_room(self) -> bool:
        return sum(len(hub.clients) for hub in list(self._hubs.values())) < MOST_CLIENTS

    def _trust(self, line: Line, run: str | None = None) -> None:
        """A connection that gave the token: it makes room for nobody. That of a page stops a `run`
        from its first message on."""
        if self._front is not None:
            group = _NO_GROUP if run is None else self._groups.get(run, _NO_GROUP)
            self._front.trust(line.file, group)

    async def _to_its_hub(self, connection: ServerConnection) -> None:
        path = connection.request.path if connection.request is not None else ""
        hub = self._hubs.get(_run_of(urlsplit(path).query))
        if hub is None:
            await connection.close(_NO_SUCH_RUN, "this run has ended")
            return
        await hub.serve(connection)

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except (OSError, OverflowError, ValueError) as error:  # a host may be no name at all
            self._failed = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        kind, plugged = lines(self.request_handler.lost)
        listeners = await asyncio.to_thread(_listening, self.host, self._port)
        self.port = listeners[0].getsockname()[1]
        self._front = Front(listeners, WEB, STRANGERS, GREETING)
        for group, (runs, answers) in self._stops.items():
            self._front.watch(runs, group, answers)
        async with serve(
            self._to_its_hub, sock=self._front, process_request=self.request_handler,
            create_connection=kind, compression=None, server_header=None,
            open_timeout=None,  # a large file takes its time; the front knows what is too long
            close_timeout=_SILENCE, ping_interval=_PING, ping_timeout=_PING,
            max_size=LONGEST, max_queue=8, logger=_QUIET,
        ):  # fmt: skip
            self._begin("", self.hub)
            self._ready.set()
            await self._stopping.wait()
            for name, hub in list(self._hubs.items()):
                self._end(name, hub)
            for line in list(plugged):  # those that fetch files, too
                line.transport.abort()
            self.request_handler.close()


PIECE = 64 << 10  # bytes: what is held of a file for whoever fetches it


PATIENCE = 30.0  # seconds in which it must take a piece


_OWED_BY_KERNEL = 128 << 10  # bytes each way: what is slow should wait here, not there


class Line(ServerConnection):
    """A connection that knows when what was written is taken, and keeps little in the kernel."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        wire = cast(asyncio.Transport, transport)
        line: socket.socket = wire.get_extra_info("socket")
        for way in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            line.setsockopt(socket.SOL_SOCKET, way, _OWED_BY_KERNEL)
        self._taken = asyncio.Event()
        self._taken.set()
        super().connection_made(transport)

    @property
    def file(self) -> int:
        """As the front knows it (native/front)."""
        wire: socket.socket = self.transport.get_extra_info("socket")
        return wire.fileno()

    def pause_writing(self) -> None:
        self._taken.clear()
        super().pause_writing()

    def resume_writing(self) -> None:
        self._taken.set()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._taken.set()
        super().connection_lost(exc)

    async def give(self, data: bytes | memoryview) -> bool:
        """Whether the kernel took all of it in time; who doesn't take it is let go."""
        self.transport.set_write_buffer_limits(high=0)  # paused as long as anything waits
        self.transport.write(data)
        try:
            async with asyncio.timeout(PATIENCE):
                await self._taken.wait()
        except TimeoutError:
            self.transport.abort()
        return not self.transport.is_closing()


def lines(lost: Callable[[Line], None]) -> tuple[type[Line], set[Line]]:
    """A kind of connections that know each other, and those there are. They know it by themselves:
    what the library knows of them has other names from version to version."""
    plugged: set[Line] = set()

    class Known(Line):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            plugged.add(self)
            super().connection_made(transport)

        def connection_lost(self, exc: Exception | None) -> None:
            plugged.discard(self)
            lost(self)
            super().connection_lost(exc)

    return Known, plugged


class Sent(Response):
    """A response that went out already: the library has nothing left to send."""

    def serialize(self) -> bytes:
        return b""


async def deliver(
    line: Line, content: Content, head: Callable[[int], Response], readers: Executor
) -> Response:
    """Sends a head for so many bytes, and the content piece by piece, as fast as it is taken; files
    are read by `readers`, beside the thread that serves others."""
    loop = asyncio.get_running_loop()
    with ExitStack() as until_sent:
        if isinstance(content, Path):
            file = await loop.run_in_executor(readers, content.open, "rb", 0)
            until_sent.callback(file.close)
            size = os.fstat(file.fileno()).st_size
        else:
            whole = memoryview(content)
            size = len(whole)
        first = head(size)
        going = await line.give(first.serialize())
        for start in range(0, size, PIECE):
            wanted = min(PIECE, size - start)
            if not going:
                break
            piece: bytes | memoryview
            if isinstance(content, Path):
                piece = await loop.run_in_executor(readers, file.read, wanted)
            else:
                piece = whole[start : start + wanted]
            if len(piece) < wanted:  # it was cut meanwhile: better no file than half of one
                line.transport.abort()
                break
            going = await line.give(piece)
    return Sent(first.status_code, first.reason_phrase, first.headers)


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


def _run_of(query: str) -> str:
    """The run that a page's address names."""
    return parse_qs(query, max_num_fields=20).get("run", [""])[0]


class RequestHandler:
    """Answers requests: with a file, with a refusal, or lets a wire through."""

    def __init__(
        self,
        host: str,
        token: str,
        first: str,
        room: Callable[[], bool],
        trust: Callable[[Line, str | None], None] = lambda line, run: None,
    ) -> None:
        """`host` is what the server listens on, `first` the page at "/"; `room` tells whether one
        more client may come, and `trust` gets a connection that gave the token, with the name of
        the run that a page asks for."""
        self._token, self._room, self._trust = token.encode(), room, trust
        self.files = page_files()
        self.files["/"] = self.files[f"/{first}"]
        self.generated_files: dict[
            str, Callable[[], File]
        ] = {}  # what is made when asked for, by path
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
            return self._wire(line, request, host, origin, asked.query)
        if asked.path in self.files:
            path, self.asked = self.files[asked.path], time.monotonic()
            return self._deliver_file(line, lambda: (TYPES[path.suffix], path), host)
        # by their names, which addresses hold percent-encoded; ones that are no UTF-8 are refused
        make = self.generated_files.get(unquote(asked.path, errors="strict"))
        if make is None and not asked.path.startswith(MESHES):
            return refusal(HTTPStatus.NOT_FOUND, "There is no such page.")
        if not self._knows(asked.query):
            return _without_token()
        self._trust(line, None)
        if make is None:
            return self._deliver_file(line, lambda: mesh_file(asked.path), host)
        if len(self._fetching) >= DOWNLOADS:
            return refusal(
                HTTPStatus.SERVICE_UNAVAILABLE, "Others fetch files just now; try again soon."
            )
        self._fetching.add(line)
        return self._deliver_file(line, make, host)

    async def _deliver_file(self, line: Line, make: Callable[[], File], host: str) -> Response:
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

    def _wire(
        self, line: Line, request: Request, host: str, origin: str | None, query: str
    ) -> Response | None:
        if origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}"):
            return refusal(HTTPStatus.FORBIDDEN, "Pages of other servers can't connect here.")
        if not self._knows(query):
            return _without_token()
        if "Upgrade" not in request.headers:
            return refusal(HTTPStatus.UPGRADE_REQUIRED, "This is a WebSocket's address.")
        if not self._room():
            return refusal(HTTPStatus.SERVICE_UNAVAILABLE, "Too many pages look on already.")
        self._trust(
            line, _run_of(query)
        )  # before the page may send: a stop doesn't wait for Python
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
