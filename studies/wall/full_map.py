"""The full return map: an analog wall that is switched only at samples (Gillespie 1996, 6.14–6.34).

This isolates the crossings between samples from the zero-order hold. The map goes from one exit of
the wall (its time and speed) to the next.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from touchback.haptics.wall.closed_form_oscillator import Oscillator, State


class Exit(NamedTuple):
    """A crossing of y = 0 upwards: time [s] and velocity [m/s]."""

    time: float
    speed: float


class Switch(NamedTuple):
    """A change of the wall at a sample: time, state there, and whether the wall is on from now."""

    time: float
    state: State
    on: bool


@dataclass(frozen=True)
class LateWall:
    """Model I outside, model II inside, both under one force; switched at multiples of a period."""

    free: Oscillator
    touching: Oscillator
    force: float
    period: float

    def next_exit(self, leaving: Exit) -> Exit | None:
        """The map F = F₂ ∘ F₁; None if the ball stays on one side."""
        entry = self._cross(self.touching, self.free, leaving)  # (6.23–6.26), from x_off
        return entry and self._cross(self.free, self.touching, entry)  # (6.27–6.30)

    def _cross(self, before: Oscillator, after: Oscillator, crossing: Exit) -> Exit | None:
        """From one crossing to the next: the old model to the next sample, then the new one."""
        switched = self.switching_time(crossing.time)
        state = before.after(State(0.0, crossing.speed), switched - crossing.time, self.force)
        lasts = after.time_to_cross(state, self.force)
        if math.isinf(lasts):
            return None
        return Exit(switched + lasts, after.after(state, lasts, self.force).v)

    def switching_time(self, crossing: float) -> float:
        """The first sample after a crossing (6.23, 6.27)."""
        return self.period * (1 + math.floor(crossing / self.period))

    def strikes(self, first: Exit, count: int) -> list[Exit]:
        """So many exits, the first included; fewer if the ball comes to rest."""
        exits = [first]
        while len(exits) < count and (following := self.next_exit(exits[-1])) is not None:
            exits.append(following)
        return exits


def largest_exit_speed(wall: LateWall, speed: float, strikes: int = 40) -> float:
    """The largest of so many exit speeds (Fig. 6.9) [m/s]."""
    return max(leaving.speed for leaving in wall.strikes(Exit(0.0, speed), strikes))


def late_history(
    wall: LateWall, start: State, duration: float, points: int, *, late: bool = True
) -> dict[str, np.ndarray]:
    """Motion and energies over time (Fig. 6.10; Fig. 6.11 with `late=False`).

    Kinetic, potential (wall spring while on, the free model's spring, bias) and dissipated energy.
    """
    times = np.linspace(0.0, duration, points)
    columns: dict[str, list[float]] = {
        name: [] for name in ("y", "v", "kinetic", "potential", "dissipated")
    }
    time, state, on, dissipated = 0.0, start, start.y < 0.0, 0.0
    index = 0
    while index < points:
        model = wall.touching if on else wall.free
        crossing = time + model.time_to_cross(state, wall.force)
        until = wall.switching_time(crossing) if late and math.isfinite(crossing) else crossing
        entered = model.energy(state, wall.force)
        while index < points and times[index] <= until:
            now = model.after(state, times[index] - time, wall.force)
            held = model.energy(now, wall.force)
            kinetic = 0.5 * model.mass * now.v**2
            row = (now.y, now.v, kinetic, held - kinetic, dissipated + entered - held)
            for name, value in zip(columns, row):
                columns[name].append(value)
            index += 1
        if math.isinf(until):
            break
        state = model.after(state, until - time, wall.force)
        dissipated += entered - model.energy(state, wall.force)
        if not late:
            state = State(0.0, state.v)
        time, on = until, not on
    return {"time": times, **{name: np.array(values) for name, values in columns.items()}}
