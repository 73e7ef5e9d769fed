"""Work in C taken in chunks: Python answers to Ctrl-C, and shows progress, in between."""

import time
from collections.abc import Iterator


class Chunks:
    """How much to do in C at a time: enough to be cheap, little enough for Ctrl-C; `even` ones do
    as much each time."""

    LONG, SHORT = 0.1, 0.03  # seconds

    def __init__(self, even: int | None = None) -> None:
        self.size = even or 32
        self._even = even is not None
        self._began = time.monotonic()

    def next(self) -> int:
        """The size of the next chunk, from the time that the last one took."""
        if self._even:
            return self.size
        now = time.monotonic()
        took, self._began = now - self._began, now
        if took < self.SHORT:
            self.size *= 2
        elif took > self.LONG:
            self.size = max(1, self.size // 2)
        return self.size


def slices(count: int) -> Iterator[slice]:
    """So many rows in chunks."""
    chunks, start = Chunks(), 0
    chunks.size = 256  # rows are cheap: most runs take two chunks
    while start < count:
        end = min(count, start + chunks.next())
        yield slice(start, end)
        start = end
