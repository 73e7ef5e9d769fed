"""One stroke: played from rest, and what a listener, a camera and a load cell would say of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from touchback import Run, System, simulate
from touchback.errors import InputError

SETTLE = 0.3  # before a touch begins the action comes to rest for so long [s]
TOUCHES = 1e-3  # a contact that carries more than this is one [N]


@dataclass(frozen=True)
class Stroke:
    """Times [s] count from the first motion of the finger. `speed` is the crown's at the string
    [m/s]; `bottom` is when the key meets its bed after the strike (negative: before it); `free`
    is how long before the strike nothing pushes the hammer any more."""

    run: Run
    strike: float
    speed: float
    bottom: float
    free: float


def play(
    system: System,
    duration: float,
    parameters: Mapping[str, float] | None = None,
    output_step: float = 1e-4,
    **options: Any,
) -> Run:
    """A run of a driven action from rest: the touch begins at time 0."""
    settings: dict[str, Any] = {"rtol": 1e-6, "atol": 1e-9, "progress": False, **options}
    return simulate(
        system, duration=SETTLE + duration, start=-SETTLE, output_step=output_step,
        parameters=parameters, **settings,
    )  # fmt: skip


def stroke_of(run: Run) -> Stroke | None:
    """The first strike of a run, if there is one."""
    strike = crossing(run.time, run["string gap"])
    if strike is None:
        return None
    before = (run.time >= 0.0) & (run.time < strike)
    pushed = before & ((run["jack force"] > TOUCHES) | (run["lever force"] > TOUCHES))
    bottom = crossing(run.time, run["key bed gap"])
    left = float(run.time[pushed][-1]) if pushed.any() else 0.0
    return Stroke(
        run,
        strike,
        float(np.interp(strike, run.time, run["hammer velocity.z"])),
        float("nan") if bottom is None else bottom - strike,
        strike - left,
    )


def strikes(run: Run, signal: str = "string gap") -> list[float]:
    """The times at which the hammer met the string [s]."""
    return crossings(run.time, run[signal])


def crossings(time: np.ndarray, signal: np.ndarray, level: float = 0.0) -> list[float]:
    """When a signal falls to a level from above, linear between samples."""
    at = np.flatnonzero((signal[:-1] > level) & (signal[1:] <= level))
    share = (signal[at] - level) / (signal[at] - signal[at + 1])
    return [float(t) for t in time[at] + share * (time[at + 1] - time[at])]


def crossing(time: np.ndarray, signal: np.ndarray, level: float = 0.0) -> float | None:
    """When a signal first falls to a level from above, after the touch began."""
    return next((t for t in crossings(time, signal, level) if t > 0.0), None)


def stroke_at(
    system: System, hammer_speed: float, parameters: Mapping[str, float] | None = None
) -> Stroke:
    """The stroke of a touch that makes the hammer meet the string at a speed [m/s], within half a
    percent: by secants in the logarithms, kept between touches that are too slow and too fast."""
    low, high = np.log(0.02), np.log(20.0)
    at, slope, target = float(np.log(hammer_speed / 5.0)), 1.0, float(np.log(hammer_speed))
    last: tuple[float, float] | None = None
    for _ in range(40):
        given = {**(parameters or {}), "touch speed": float(np.exp(at))}
        found = stroke_of(play(system, 0.05 + 0.012 / np.exp(at) + 0.1, given))
        if found is not None and abs(found.speed / hammer_speed - 1.0) < 5e-3:
            return found
        reached = -np.inf if found is None else float(np.log(found.speed))
        low, high = (at, high) if reached < target else (low, at)
        if found is None:
            at = (at + high) / 2
            continue
        if last is not None and reached != last[1]:
            slope = max((reached - last[1]) / (at - last[0]), 0.3)
        last = at, reached
        step = at + (target - reached) / slope
        at = step if low < step < high else (low + high) / 2
    raise InputError(f"No touch of {system.name!r} strikes at {hammer_speed} m/s.")
