"""The web server of a workbench: one port, in a thread of its own."""

from __future__ import annotations

import asyncio
import errno
import logging
import secrets
import socket
import threading
from collections.abc import Callable, Iterable
from typing import cast
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.server import ServerConnection, serve

from touchback.errors import InputError
from touchback.native.front.front import GROUPS, WEB, Front
from touchback.realtime.control.messages import LONGEST
from touchback.workbench.door import Door
from touchback.workbench.hub import MOST_CLIENTS, Hub
from touchback.workbench.line import Line, lines

STRANGERS = 256  # connections at a time without a wire: who fetches files, or says nothing
GREETING = 5.0  # seconds in which a request must be whole, from its connection on
_SILENCE = 5.0  # seconds that a connection has to end
_BACKLOG = 128  # connections that wait to be accepted
_PING = 20.0
_NO_FAMILY = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)  # of addresses: no IPv6 here, say
_NO_GROUP = GROUPS - 1  # of clients whose stops go through their hub alone
_NO_SUCH_RUN = 4004  # a WebSocket's code, of those that are ours to give

# Nothing that clients send is logged: a request holds the token.
_QUIET = logging.getLogger("touchback.workbench.server")
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
        self.door = Door(host, self.token, page, self._has_room, self._trust)
        self._hubs: dict[str, Hub] = {"": hub}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._groups: dict[str, int] = {"": 0}  # of clients whose stops reach the same runs
        self._stops: dict[int, tuple[int, ...]] = {}  # of groups
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

    def watch(self, name: str, runs: Iterable[int]) -> None:
        """Which runs (`live.emergency_number`) the emergency stop of a hub's pages reaches: the
        front does it as it passes by, whatever the pages let the interpreter do."""
        if name not in self._groups:
            free = set(range(1, _NO_GROUP)) - set(self._groups.values())
            if not free:  # their pages' stops go through the hub alone
                return
            self._groups[name] = min(free)
        group = self._groups[name]
        self._stops[group] = tuple(runs)
        if self._front is not None:
            self._front.watch(self._stops[group], group)

    def _soon(self, function: Callable[[str, Hub], None], name: str, hub: Hub) -> None:
        loop, done = self._loop, threading.Event()

        def asked() -> None:
            function(name, hub)
            done.set()

        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(asked)
            done.wait(_SILENCE)

    def _begin(self, name: str, hub: Hub) -> None:
        self._running[name] = asyncio.get_running_loop().create_task(hub.run())

    def _end(self, name: str, hub: Hub) -> None:
        if (task := self._running.pop(name, None)) is not None:
            task.cancel()
        for client in list(hub.clients):
            client.end("the run ended")

    def _has_room(self) -> bool:
        return sum(len(hub.clients) for hub in list(self._hubs.values())) < MOST_CLIENTS

    def _trust(self, line: Line, group: int = _NO_GROUP) -> None:
        """A connection that gave the token: it makes room for nobody."""
        if self._front is not None:
            self._front.trust(line.file, group)

    async def _to_its_hub(self, connection: ServerConnection) -> None:
        path = connection.request.path if connection.request is not None else ""
        name = parse_qs(urlsplit(path).query).get("run", [""])[0]
        hub = self._hubs.get(name)
        if hub is None:
            await connection.close(_NO_SUCH_RUN, "this run has ended")
            return
        self._trust(cast(Line, connection), self._groups.get(name, _NO_GROUP))
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
        kind, plugged = lines(self.door.lost)
        listeners = await asyncio.to_thread(_listening, self.host, self._port)
        self.port = listeners[0].getsockname()[1]
        self._front = Front(listeners, WEB, STRANGERS, GREETING)
        for group, runs in self._stops.items():
            self._front.watch(runs, group)
        async with serve(
            self._to_its_hub, sock=self._front, process_request=self.door,
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
            self.door.close()
