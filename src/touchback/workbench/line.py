"""Connections of the page's server, and files on their way through them: in pieces, each as soon as
the one before is taken."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import ExitStack
from pathlib import Path
from typing import cast

from websockets.asyncio.server import ServerConnection
from websockets.http11 import Response

from touchback.workbench.wire import Content

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
