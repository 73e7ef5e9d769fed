"""A queue of messages that wait until they are taken, as many as memory has room for."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

Item = TypeVar("Item")
_MOST, _BYTES = 5000, 1 << 26  # that wait


class MessageQueue(Generic[Item]):
    """Calls `take` with one after the other, in a thread of its own. Where they come faster, the
    oldest are left out, and `tell` is called with each: neither memory nor the age of what is
    taken grows without end."""

    def __init__(self, take: Callable[[Item], None], tell: Callable[[], None]) -> None:
        self._take, self._tell = take, tell
        self._waiting: deque[tuple[Item, int]] = deque()
        self._bytes, self._open = 0, True
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="touchback ros2", daemon=True)
        self._thread.start()

    def put(self, item: Item, size: int) -> None:
        """Another one, of so many bytes."""
        left_out = 0
        with self._changed:
            self._waiting.append((item, size))
            self._bytes += size
            while len(self._waiting) > _MOST or self._bytes > _BYTES:
                self._bytes -= self._waiting.popleft()[1]
                left_out += 1
            self._changed.notify()
        for _ in range(left_out):
            self._tell()

    def _work(self) -> None:
        while True:
            with self._changed:
                while self._open and not self._waiting:
                    self._changed.wait()
                if not self._open:
                    return
                item, size = self._waiting.popleft()
                self._bytes -= size
            self._take(item)

    def close(self) -> None:
        """What waits is dropped."""
        with self._changed:
            self._open = False
            self._changed.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join()
