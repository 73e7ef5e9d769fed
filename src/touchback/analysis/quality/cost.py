"""What a simulated second costs: the compiled stepping alone, without setting up.

Processor time, not time on the wall: other programs on the machine don't count.
"""

import time
from collections.abc import Callable

import numpy as np

REPEATS = 5


def load(run: Callable[[float], object], long: float, short: float) -> float:
    """Seconds of computing per simulated second: the median of runs of `long` seconds less that of
    runs of `short` ones, in which only setting up matters."""
    taken: dict[float, list[float]] = {long: [], short: []}
    for _ in range(REPEATS):
        for duration, seconds in taken.items():  # in turns: both meet the same disturbances
            began = time.thread_time()
            run(duration)
            seconds.append(time.thread_time() - began)
    rise = float(np.median(taken[long]) - np.median(taken[short]))
    return max(rise, 0.0) / (long - short)
