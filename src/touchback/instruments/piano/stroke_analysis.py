"""Analysis of strokes: one stroke, played from rest, with what a listener, a camera and a load cell
would say of it; a meter of the strike's speed; and the force at the key front over its depth.

The force curve is that of a key that is slowly pressed and released (Docquier 2021, fig. 24).
Stages of the way down, as found from what touches: A, the key lifts whippen and hammer; B, the
damper too; C, let-off: the jack's toe is on its button or the lever on its drop screw, until the
hammer turns back because the jack has slipped from the knuckle; D, aftertouch and key bed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from touchback import Expr, Model, Run, System, select, simulate
from touchback.errors import InputError
from touchback.instruments.piano.action_specification import Specification
from touchback.instruments.piano.finger_motions import ConstantSpeedTouch
from touchback.instruments.piano.piano_action import grand_piano_action

# ---- one stroke ----------------------------------------------------------------------------------

SETTLE = 0.3  # before a touch begins the action comes to rest for so long [s]
TOUCHES = 1e-3  # a contact that carries more than this is one [N]


@dataclass(frozen=True)
class MeasuredStroke:
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


def stroke_of(run: Run) -> MeasuredStroke | None:
    """The first strike of a run, if there is one."""
    strike = crossing(run.time, run["string gap"])
    if strike is None:
        return None
    before = (run.time >= 0.0) & (run.time < strike)
    pushed = before & ((run["jack force"] > TOUCHES) | (run["lever force"] > TOUCHES))
    bottom = crossing(run.time, run["key bed gap"])
    left = float(run.time[pushed][-1]) if pushed.any() else 0.0
    return MeasuredStroke(
        run,
        strike,
        float(np.interp(strike, run.time, run["hammer velocity.z"])),
        float("nan") if bottom is None else bottom - strike,
        strike - left,
    )


def strike_times(run: Run, signal: str = "string gap") -> list[float]:
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
) -> MeasuredStroke:
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


# ---- strike meter --------------------------------------------------------------------------------

#: The name of the memory.
METER = "strike speed"


def add_strike_meter(m: Model) -> Expr:
    """A memory "strike speed" [m/s] of an action: the crown's speed where it first met the string,
    zero before, linear between the ticks around it. So a batch of which only that matters records
    nothing."""
    gap, speed = m.signal("string gap"), m.signal("hammer velocity.z")
    gap_before = m.memory("string gap before", update=gap, unit="m")
    speed_before = m.memory("hammer speed before", update=speed, unit="m/s")
    met = speed_before + (speed - speed_before) * gap_before / (gap_before - gap)

    def updated(before: Expr) -> Expr:
        first = select(before <= 0.0, met, before)
        return select(gap <= 0.0, select(gap_before > 0.0, first, before), before)

    return m.memory(METER, update=updated, unit="m/s")


# ---- force curve ---------------------------------------------------------------------------------

GRAM = 9.81e-3  # weight of a gram [N]
STAGES = ("A", "B", "C", "D")
PEDALLED = {"pedal lift": 0.008}  # dampers lifted, as where weights are measured
WEIGHED = (1e-3, 6e-3)  # depths between which they are, at most [m]
LEAST = 0.2e-3  # of these: less is no stroke [m]


@dataclass(frozen=True)
class ForceCurve:
    """Depth [m] and force [N] at the key front on the way down and up; where each stage begins on
    the way down [m], of those that do; where the jack has slipped from the knuckle, and carries it
    no more [m], infinity for nowhere."""

    run: Run
    down: tuple[np.ndarray, np.ndarray]
    up: tuple[np.ndarray, np.ndarray]
    stages: dict[str, float]
    slips: float

    def force(self, low: float, high: float) -> float:
        """Mean force on the way down between two depths [N]."""
        return float(np.interp(np.linspace(low, high, 101), *self.down).mean())

    @property
    def let_off(self) -> tuple[float, float] | None:
        """Depth [m] and force [N] of the let-off's peak, until the jack has slipped: with a button
        that is low the lever carries the hammer on. None where the key bed comes first, or where
        the jack never slips: its button is too high, or it never carried."""
        depth, force = self.down
        if "C" not in self.stages or self.slips == np.inf:
            return None
        last = min(self.slips, self.stages["D"])
        inside = np.flatnonzero((depth >= self.stages["C"]) & (depth <= last))
        if not inside.size:
            return None
        peak = int(inside[np.argmax(force[inside])])
        return float(depth[peak]), float(force[peak])

    @property
    def weighed(self) -> tuple[float, float]:
        """Depths [m] between which weights are taken: before damper, let-off and key bed."""
        low, high = WEIGHED
        return low, min(high, *(begin for name, begin in self.stages.items() if name != "A"))

    @property
    def weights(self) -> tuple[float, float] | None:
        """Down weight and up weight [kg]: the most that is needed on the way down and the least on
        the way up, where it is `weighed`; none where damper, let-off or key bed begin at once."""
        low, high = self.weighed
        if high - low < LEAST:
            return None
        down, up = (
            force[(depth > low) & (depth < high)] / 9.81 for depth, force in (self.down, self.up)
        )
        return float(down.max()), float(up.min())


def slow_press(specification: Specification | None = None, speed: float = 0.010) -> System:
    """An action that is pressed and released at a constant speed [m/s]."""
    return grand_piano_action("motion", ConstantSpeedTouch(speed), specification).compile()


def force_curve(
    system: System, parameters: Mapping[str, float] | None = None, front: float = 0.2595
) -> ForceCurve:
    """The curve of a system from `slow_press`."""
    given = {**system.parameters, **(parameters or {})}
    bottom = given["key dip"] + 0.4e-3
    stroke = bottom / given["touch speed"]
    run = play(system, 2 * stroke + given["hold"], parameters, output_step=1e-3)
    t, depth, force = run.time, run["key depth"], run["touch effort"] / front
    down = (t > 0.0) & (t <= stroke)
    up = t > stroke + given["hold"]
    return ForceCurve(
        run,
        (depth[down], force[down]),
        (depth[up][::-1], force[up][::-1]),
        _stages(run, down),
        _slips(run, down),
    )


def _stages(run: Run, down: np.ndarray) -> dict[str, float]:
    depth = run["key depth"][down]
    above_bed = np.where(run["key bed gap"][down] > 0.0, run["string gap"][down], np.inf)
    begun = {"B": run["damper lift force"][down] > TOUCHES, "C": _held(run, down)}
    found = {name: float(depth[np.argmax(at)]) for name, at in begun.items() if at.any()}
    return {"A": 0.0, **found, "D": float(depth[np.argmin(above_bed)])}


def _slips(run: Run, down: np.ndarray) -> float:
    """Where the jack, out from under the middle of the knuckle, no longer carries it; the bottom,
    if it went out but carries on to the bed. One whose screw has it stand out at rest is let off
    alike."""
    depth, out = run["key depth"][down], run["jack overlap"][down] < 0.0
    carries, above = run["jack force"][down] > TOUCHES, run["key bed gap"][down] > 0.0
    left = out & above & ~carries & np.logical_or.accumulate(carries & _held(run, down))
    if left.any():
        return float(depth[np.argmax(left)])
    return float(depth[-1]) if out.any() and not out[0] else np.inf


def _held(run: Run, down: np.ndarray) -> np.ndarray:
    """Whether the jack's toe is on its button, or the lever on its drop screw."""
    touching = (run[f"{name} force"][down] > TOUCHES for name in ("button", "drop screw"))
    return np.logical_or(*touching)


def key_weights(
    system: System, parameters: Mapping[str, float] | None = None
) -> tuple[float, float] | None:
    """Down weight and up weight [kg] with the damper lifted (`ForceCurve.weights`)."""
    return force_curve(system, {**PEDALLED, **(parameters or {})}).weights
