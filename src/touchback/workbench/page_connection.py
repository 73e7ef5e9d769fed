"""One connected page, and its queue of messages to send, whose length is bounded."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Collection, Hashable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager

import msgspec
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from touchback.errors import NO_JSON
from touchback.realtime.control import Answer
from touchback.workbench.wire_format import encode_message

MOST_QUEUED = 4 << 20  # bytes of text that wait for a client before it is let go
CROWDED = 256 << 10  # bytes from which on no message of it is read
PATIENCE = 30.0  # seconds in which it must take something
MOST_ASKED = 512 << 10  # bytes of its messages that wait for their turn before no more are read
MESSAGES, AT_ONCE = 2000.0, 500.0  # a second, and at once: beyond, its messages are read slower


class Peek(msgspec.Struct):
    """What is known of a message before it is read."""

    do: str = ""
    id: int | str | None = None


def peek(data: bytes) -> Peek:
    """What can be known of a message without reading it."""
    try:
        return msgspec.json.decode(data, type=Peek)
    except NO_JSON:
        return Peek()


class Client:
    """A connection with its queues. Frames of a stream push out older ones of the same stream;
    texts are kept, and too many of them end the connection. In the hub's thread only."""

    def __init__(self, connection: ServerConnection, name: str) -> None:
        self.connection, self.name = connection, name
        self.poses = 0.0  # frames a second
        self.due = 0.0  # when the next of them is
        self.sent = -math.inf  # when the last was
        self.queued_bytes = 0  # bytes of text
        self.dropped = 0  # frames
        self._texts: deque[bytes] = deque()
        self._streams: dict[Hashable, deque[bytes]] = {}
        self._latest: dict[str, bytes] = {}
        self._values: dict[str, float] = {}
        self._asked: deque[tuple[Peek, bytes]] = deque()
        self._asking = 0  # bytes of them
        self._more, self._less = asyncio.Event(), asyncio.Event()
        self.working: Future[Answer] | None = None  # what a thread does for it, in turn
        self.stopping = b""  # its emergency stop, of the time of what is being answered
        self._wake, self._room = asyncio.Event(), asyncio.Event()
        self._room.set()
        self._tokens, self._since = AT_ONCE, asyncio.get_running_loop().time()
        self.closed_reason = ""  # why it was let go
        self.serving: asyncio.Task[None] | None = None

    # ---- what it is told ------------------------------------------------------------------------

    def queue_text(self, data: bytes) -> None:
        """A text that must arrive."""
        if self.closed_reason:
            return
        self._texts.append(data)
        self.queued_bytes += len(data)
        if self.queued_bytes > CROWDED:
            self._room.clear()
        if self.queued_bytes > MOST_QUEUED:
            self.abort(f"{self.queued_bytes} bytes waited")
        self._wake.set()

    def queue_values(self, changed: Mapping[str, float]) -> None:
        """Values that changed: what it hasn't seen of before is forgotten."""
        self._values.update(changed)
        self._wake.set()

    def queue_latest(self, kind: str, data: bytes) -> None:
        """A text of which only the newest of its kind matters."""
        self._latest[kind] = data
        self._wake.set()

    def queue_frame(self, key: Hashable, data: bytes, keep: int = 1) -> None:
        """A binary frame of a stream, of which the newest few are kept."""
        if self.closed_reason:
            return
        waiting = self._streams.setdefault(key, deque())
        while len(waiting) >= keep:
            waiting.popleft()
            self.dropped += 1
        waiting.append(data)
        self._wake.set()

    def end_stream(self, key: Hashable) -> None:
        """Forgets a stream."""
        self._streams.pop(key, None)

    def abort(self, why: str) -> None:
        """Ends the connection at once, without a word."""
        self.closed_reason = self.closed_reason or why
        self._texts.clear()
        self._values.clear()
        self._streams.clear()
        self._latest.clear()
        self.queued_bytes = 0
        self._room.set()
        self.connection.transport.abort()

    def cancel(self, why: str) -> None:
        """Lets it go, and doesn't wait for what it asked for."""
        self.abort(why)
        if self.serving is not None:
            self.serving.cancel()

    # ---- what it asks ---------------------------------------------------------------------------

    async def queue_message(self, peeked: Peek, data: bytes) -> None:
        """Lets a message wait for its turn; where much waits already, until there is room."""
        self._asked.append((peeked, data))
        self._asking += len(data)
        self._more.set()
        while self._asking > MOST_ASKED:
            self._less.clear()
            await self._less.wait()

    async def next_message(self) -> tuple[Peek, bytes]:
        """The next of its messages."""
        while not self._asked:
            self._more.clear()
            await self._more.wait()
        peeked, data = self._asked.popleft()
        self._asking -= len(data)
        self._less.set()
        return peeked, data

    def drop_messages(self) -> list[Peek]:
        """Gives up what waits for its turn."""
        left = [peeked for peeked, _ in self._asked]
        self._asked.clear()
        self._asking = 0
        self._less.set()
        return left

    @contextmanager
    def abort_on_error(self, beside: Collection[asyncio.Task[None]] = ()) -> Iterator[None]:
        """Lets go of it where it can't be answered; what went on beside ends too."""
        try:
            yield
        except Exception:
            self.cancel("it could not be answered")
            raise
        finally:
            for task in list(beside):
                task.cancel()

    # ---- its two tasks --------------------------------------------------------------------------

    async def write(self) -> None:
        """Sends what waits, as fast as it is taken: texts first."""
        try:
            await self._write()
        except Exception as error:
            self.abort(f"could not be told: {error}")
            raise
        finally:
            self._room.set()  # whoever waits for it finds the connection closed

    async def _write(self) -> None:
        while True:
            await self._wake.wait()
            data, text = self._next()
            if not data:
                self._wake.clear()
                continue
            try:
                async with asyncio.timeout(PATIENCE):
                    await self.connection.send(data, text=text)
            except TimeoutError:
                self.abort(f"took nothing for {PATIENCE:g} s")
            except ConnectionClosed:
                self.closed_reason = self.closed_reason or "closed"
            if self.closed_reason:
                return

    def _next(self) -> tuple[bytes, bool]:
        if self._texts:
            data = self._texts.popleft()
            self.queued_bytes -= len(data)
            if self.queued_bytes <= CROWDED:
                self._room.set()
            return data, True
        if self._values:
            changed, self._values = self._values, {}
            return encode_message("values", {"values": changed}), True
        for kind in list(self._latest):
            return self._latest.pop(kind), True
        for key, waiting in self._streams.items():
            if waiting:
                self._streams[key] = self._streams.pop(key)  # the others' turn is next
                return waiting.popleft(), False
        return b"", False

    async def may_ask(self) -> None:
        """Waits until another of its messages may be read."""
        await self._room.wait()
        now = asyncio.get_running_loop().time()
        self._tokens = min(AT_ONCE, self._tokens + MESSAGES * (now - self._since))
        self._since = now
        self._tokens -= 1.0
        if self._tokens < 0.0:
            await asyncio.sleep(-self._tokens / MESSAGES)
