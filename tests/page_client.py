"""A client of a workbench that is no browser."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from websockets.asyncio import client
from websockets.asyncio.client import ClientConnection

from touchback.workbench import Workbench
from touchback.workbench.wire_format import unframed
from waiting import PATIENCE

T = TypeVar("T")

#: As websockets has it, with the patience of tests.
connect = partial(client.connect, open_timeout=PATIENCE, ping_timeout=PATIENCE)


def run_async(play: Coroutine[Any, Any, T]) -> T:
    """What a coroutine gives, in a thread of its own: in this one a loop runs from the first test
    with a browser on, playwright's."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, play).result()


def wire_of(bench: Workbench) -> str:
    """The address of the wire of a workbench."""
    server, query = bench.url.replace("http", "ws", 1).split("?")
    return f"{server[: server.index('/', 5 + 2)]}/wire?{query}"


class Page:
    """What a page does, in Python."""

    def __init__(self, wire: ClientConnection) -> None:
        self.wire, self._number = wire, 0

    async def send(self, **message: Any) -> dict[str, Any]:
        """A message, and its answer."""
        self._number += 1
        await self.wire.send(json.dumps({**message, "id": self._number}))
        return await self.told("answer", lambda each: each["id"] == self._number)

    async def told(
        self, kind: str, which: Callable[[dict[str, Any]], bool] = lambda _: True
    ) -> dict[str, Any]:
        """The next text of a kind."""
        async for data in self.wire:
            if isinstance(data, str):
                found: dict[str, Any] = json.loads(data)
                if found["tell"] == kind and which(found):
                    return found
        raise AssertionError(f"the wire ended before '{kind}'")

    async def frame(self) -> tuple[int, int, int, float, Any]:
        """The next binary frame."""
        async for data in self.wire:
            if isinstance(data, bytes):
                return unframed(data)
        raise AssertionError("the wire ended before a frame")


def on_page(bench: Workbench, play: Callable[[Page], Awaitable[T]]) -> T:
    """Connects, plays and disconnects."""

    async def run() -> T:
        async with asyncio.timeout(PATIENCE), connect(wire_of(bench), compression=None) as wire:
            return await play(Page(wire))

    return run_async(run())
