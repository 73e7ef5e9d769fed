"""How processor time grows with the length of what a stranger sends: twice the length may take at
most 2.2 times as long, so that no limit on sizes is needed to keep a reader from hanging."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from touchback.errors import TouchbackError

T = TypeVar("T")

MOST = 2.2  # a sort (n log n) of 20 000 gives 2.14; quadratic work gives 4
NOTHING = 2e-3  # s of the processor: what takes less hangs nobody, and can't be measured well
ENOUGH = 0.1  # s, from which on no longer length is tried
_TRIES = 12  # how often a ratio beyond MOST is measured again, beside the load of other programs


def assert_linear(
    read: Callable[[T], object],
    make: Callable[[int], T],
    longest: int,
    shortest: int = 256,
    most: float = MOST,
) -> None:
    """Fails where reading `make(2 n)` takes more than `most` times the processor time of `make(n)`.

    Lengths are doubled from `shortest` up to `longest` (what the reader's own limit allows), or
    until one takes 0.1 s. `read` gets what `make` gives; our own errors (refusals) are results.
    """
    length, before = shortest, processor_time(read, make, shortest)
    first = before  # of half the length, so that a jump of memory or caches is told from growth
    while 2 * length <= longest and before < ENOUGH:
        now = processor_time(read, make, 2 * length)
        if now > NOTHING and now > most * before:
            for _ in range(_TRIES):
                before = min(before, processor_time(read, make, length))
                now = min(now, processor_time(read, make, 2 * length))
                if now <= most * before or (now < 3.0 * before and now <= most**2 * first):
                    break
            else:
                raise AssertionError(
                    f"{2 * length} take {1e3 * now:.3g} ms of the processor, "
                    f"{now / before:.3g} times as long as {length}; at most {most:g} is linear"
                )
        length, first, before = 2 * length, before, now


def processor_time(read: Callable[[T], object], make: Callable[[int], T], length: int) -> float:
    """Seconds of this thread's processor time that reading `make(length)` takes."""
    given = make(length)
    collected = gc.isenabled()
    gc.disable()
    try:
        start = time.thread_time()
        with suppress(TouchbackError):
            read(given)
        return time.thread_time() - start
    finally:
        if collected:
            gc.enable()
