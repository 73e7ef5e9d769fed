"""How processor time grows with the length of what a stranger sends: twice the length may take at
most 2.2 times as long, so that no limit on sizes is needed to keep a reader from hanging."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from typing import TypeVar

from touchback.errors import TouchbackError

T = TypeVar("T")

MOST = 2.2  # a sort (n log n) of 20 000 gives 2.14; quadratic work gives 4
NOTHING = 2e-3  # s of the processor: what takes less at the longest length hangs nobody
MEASURED = 0.02  # s of the processor, in one reading or several, from which on a ratio is judged
ENOUGH = 0.05  # s, from which on no longer length is tried
JUMP = 3.0  # what memory and caches that are outgrown multiply at most, in one doubling
_TRIES = 12  # how often a ratio beyond MOST is measured again, beside the load of other programs


def assert_linear(
    read: Callable[[T], object],
    make: Callable[[int], T],
    longest: int,
    shortest: int = 256,
    most: float = MOST,
) -> None:
    """Fails where reading `make(2 n)` takes more than `most` times the processor time of `make(n)`,
    and so in the two doublings before: a cache that is outgrown, or a table that is laid out anew,
    shows in one or two of them, work of a higher power in all. Three times fail at once.

    Lengths are doubled from `shortest` up to `longest` (what the reader's own limit allows), or
    until one takes 0.05 s. `read` gets what `make` gives; our own errors (refusals) are results.
    """
    length, before = shortest, processor_time(read, make, shortest)
    while 2 * length <= longest and before < ENOUGH:
        length *= 2
        now = processor_time(read, make, length)
        # What is too short to be measured is judged at a longer length, where one can be tried:
        # what explodes takes for ever there.
        later = 2 * length <= longest and now < JUMP * before
        if now > (MEASURED if later else NOTHING) and now > most * before:
            _judge(read, make, length, most, repeats=math.ceil(MEASURED / now))
        before = now


def _judge(
    read: Callable[[T], object], make: Callable[[int], T], length: int, most: float, repeats: int
) -> None:
    """Compares the least times of four lengths, measured in turn: a load that comes and goes is
    beside all of them."""
    lengths = [length // 2**k for k in (3, 2, 1, 0)]
    least = [math.inf] * 4
    for _ in range(_TRIES):
        for k, each in enumerate(lengths):
            least[k] = min(least[k], processor_time(read, make, each, repeats))
        ratios = [now / before for before, now in pairwise(least)]
        if ratios[-1] < JUMP and min(ratios) <= most:
            return
    raise AssertionError(
        f"{length} take {1e3 * least[-1]:.3g} ms of the processor, {ratios[-1]:.3g} times as long "
        f"as {lengths[-2]} ({ratios[1]:.3g} and {ratios[0]:.3g} times in the doublings before); "
        f"at most {most:g} is linear"
    )


def processor_time(
    read: Callable[[T], object], make: Callable[[int], T], length: int, repeats: int = 1
) -> float:
    """Seconds of this thread's processor time that reading `make(length)` takes, on average."""
    given = make(length)
    collected = gc.isenabled()
    gc.disable()
    try:
        start = time.thread_time()
        for _ in range(repeats):
            with suppress(TouchbackError):
                read(given)
        return (time.thread_time() - start) / repeats
    finally:
        if collected:
            gc.enable()
