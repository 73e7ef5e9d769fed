"""The continuous ball on a continuous floor: what every sampled floor is measured against.

Gillespie 1996, table 5.3: evolve in closed form to the crossing, change the model, go on. For a
damped floor the contact ends where y = 0 again, as in his simulations.
"""

import math
from bisect import bisect_right
from typing import NamedTuple

from touchback.haptics.wall.oscillator import Oscillator, State
from touchback.haptics.wall.plant import Plant, Target


class Contact(NamedTuple):
    """When the floor was entered and left [s] and how fast; the exit is infinite if never."""

    entry: float
    entry_speed: float
    exit: float
    exit_speed: float


class ContinuousBall:
    """The exact motion from a start, extended on demand."""

    def __init__(self, free: Oscillator, touching: Oscillator, force: float, start: State) -> None:
        self.free, self.touching, self.force = free, touching, force
        inside = start.y < 0.0 or (start.y == 0.0 and start.v < 0.0)
        self.contacts: list[Contact] = []
        self._starts = [0.0]
        self._pieces = [(start, inside)]

    @classmethod
    def of(cls, plant: Plant, wall: Target, start: State) -> "ContinuousBall":
        """The motion of a plant that meets a wall."""
        return cls(plant.motion, wall.touching(plant.motion), plant.force, start)

    def state(self, time: float) -> State:
        """Position and velocity at a time [s] ≥ 0."""
        while self._starts[-1] <= time and self._extend():
            pass
        number = bisect_right(self._starts, time) - 1
        state, inside = self._pieces[number]
        return self._model(inside).after(state, time - self._starts[number], self.force)

    def contact(self, number: int) -> Contact | None:
        """The numbered contact, or None if the ball comes to rest before it."""
        while len(self.contacts) <= number and self._extend():
            pass
        return self.contacts[number] if number < len(self.contacts) else None

    def _model(self, inside: bool) -> Oscillator:
        return self.touching if inside else self.free

    def _extend(self) -> bool:
        """Adds the next piece; False when the present one lasts for ever."""
        began = self._starts[-1]
        state, inside = self._pieces[-1]
        model = self._model(inside)
        lasts = model.time_to_cross(state, self.force)
        if math.isinf(lasts):
            return False
        reached = State(0.0, model.after(state, lasts, self.force).v)
        if inside:
            self.contacts.append(Contact(began, abs(state.v), began + lasts, abs(reached.v)))
        self._starts.append(began + lasts)
        self._pieces.append((reached, not inside))
        return True
