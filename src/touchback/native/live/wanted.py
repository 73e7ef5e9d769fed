"""What a live run is asked for: its pace, its sensors, and what guards its ports."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchback.native.record import FunctionData


@dataclass(frozen=True)
class Guard:
    """What stands between an output and its device (live/safety.h), in units of ticks."""

    output: int
    low: float = -np.inf
    high: float = np.inf
    slew: float = np.inf  # a tick
    safe: float | None = 0.0  # None: hold the last good value
    fall: float = 1.0  # of the blend, a tick
    rise: float = 1.0
    trips: bool = False


@dataclass(frozen=True)
class EnergyPort:
    """A port whose energy is watched (live/energy.h): places of forces among the outputs and of
    motions in u; without damping the limit trips."""

    forces: Sequence[int]
    motions: Sequence[int]
    limit: float
    by_position: bool = False
    damping: float = 0.0
    trip: float = np.inf


@dataclass(frozen=True)
class Measured:
    """The sensors of a system: their function and how many there are."""

    function: FunctionData
    count: int


@dataclass(frozen=True)
class Watch:
    """Of an input: ticks without a message that may pass (−1: any number), and its value while it
    is silent for longer, NaN for what it said last."""

    quiet_limit: int = -1
    safe: float = np.nan


@dataclass(frozen=True)
class Pace:
    """The clock: ticks a second of the model, how fast its time goes (None: unclocked), substeps
    of a tick, what the thread asks for, and how many seconds of periods it may leave out."""

    rate: float
    speed: float | None = 1.0
    substeps: int = 1
    spin: float = 20e-6
    catch_up: int = 10
    priority: int = 0
    cpu: int = -1
    max_slip: float = np.inf
