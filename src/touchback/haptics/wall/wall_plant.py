"""What the wall pushes: a device with its motor, with or without a finger on it, or the bouncing
ball, with the continuous solution that every sampled floor is measured against."""

import math
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from touchback.errors import InputError
from touchback.haptics.wall.closed_form_oscillator import Oscillator, State
from touchback.numbers import number_within

# What hands, devices and walls can be: beyond, squares and quotients of them overflow.
LIGHTEST, HEAVIEST = 1e-12, 1e12  # kg


MOST_DAMPING, STIFFEST = 1e12, 1e12  # N s/m, N/m


# Where a wall this soft would let a hand rest is told to rounding; of a softer one it isn't.
SOFTEST = 1e-3  # N/m: 10 µN at 10 mm


def check_numbers(owner: str, **given: tuple[object, float]) -> None:
    """Refuse numbers that aren't from 0 to the most of each, by name."""
    for name, (number, most) in given.items():
        number_within(f"{owner}: its {name} is 0 to {most:g}", number, 0.0, most)


@dataclass(frozen=True)
class Finger:
    """A finger or arm that keeps its grip: m* s² + b* s + k* (Gillespie 1996, eq. 6.8).

    The defaults are his table for Fig. 6.7 (after Hajian & Howe): kg, N s/m, N/m.
    """

    mass: float = 0.02
    damping: float = 3.75
    stiffness: float = 257.0

    def __post_init__(self) -> None:
        check_numbers(
            "Finger", mass=(self.mass, HEAVIEST), damping=(self.damping, MOST_DAMPING),
            stiffness=(self.stiffness, STIFFEST),
        )  # fmt: skip


@dataclass(frozen=True)
class Device:
    """The moving part of the display: mass [kg] and inherent damping [N s/m] (eq. 6.1).

    Eq. 6.1 is printed as 1/(s²(ms+b)); the plant from force to position is 1/(s(ms+b)). The mass is
    Gillespie's (table for Fig. 6.7); the damping is the quantity that he sizes.
    """

    mass: float = 0.30
    damping: float = 0.0

    def __post_init__(self) -> None:
        sentence = f"Device: its mass is {LIGHTEST:g} to {HEAVIEST:g} kg"
        number_within(sentence, self.mass, LIGHTEST, HEAVIEST)
        least, most = -MOST_DAMPING, MOST_DAMPING  # what a finger damps may be fed back
        number_within(f"Device: its damping is {least:g} to {most:g}", self.damping, least, most)


@dataclass(frozen=True)
class Plant:
    """A device and a finger rigidly coupled (eq. 6.9), under a constant bias force [N].

    The finger's spring rests at `anchor` [m]; the wall fills y < 0.
    """

    device: Device
    finger: Finger | None = None
    bias: float = 0.0
    anchor: float = 0.0

    @property
    def motion(self) -> Oscillator:
        """The plant without the wall."""
        if self.finger is None:
            return Oscillator(self.device.mass, self.device.damping)
        return Oscillator(
            self.device.mass + self.finger.mass,
            self.device.damping + self.finger.damping,
            self.finger.stiffness,
        )

    @property
    def force(self) -> float:
        """The constant force on the plant: the bias, and the finger's spring at y = 0 [N]."""
        pull = self.finger.stiffness * self.anchor if self.finger else 0.0
        return self.bias + pull


@dataclass(frozen=True)
class Target:
    """The wall that a controller is to render: stiffness [N/m] and damping [N s/m]."""

    stiffness: float
    damping: float = 0.0

    def in_contact(self, motion: Oscillator) -> Oscillator:
        """The plant in contact with the continuous wall (eq. 5.8)."""
        return Oscillator(
            motion.mass, motion.damping + self.damping, motion.stiffness + self.stiffness
        )


def ball(mass: float = 1.0, gravity: float = 1.0) -> Plant:
    """The bouncing ball of Gillespie's section 5.3: gravity stands for the hand's bias force."""
    return Plant(Device(mass), bias=-mass * gravity)


@dataclass(frozen=True)
class Motor:
    """At most `limit` [N], in whole steps of `step` [N] (0: none), times `gain` (its constant over
    the one that is believed in)."""

    limit: float = math.inf
    gain: float = 1.0
    step: float = 0.0

    def __post_init__(self) -> None:
        if not (self.limit > 0.0 and self.gain > 0.0 and self.step >= 0.0):
            raise InputError(
                f"A motor's limit ({self.limit} N) and gain ({self.gain}) must be positive, its "
                f"step ({self.step} N) zero or more."
            )

    def force(self, asked: float) -> float:
        """What acts when this is asked for [N]."""
        given = min(max(asked, -self.limit), self.limit)
        if self.step:
            given = self.step * round(given / self.step)
        return self.gain * given


IDEAL_MOTOR = Motor()


class Contact(NamedTuple):
    """When the floor was entered and left [s] and how fast; the exit is infinite if never."""

    entry: float
    entry_speed: float
    exit: float
    exit_speed: float

    def samples_inside(self, period: float, late: float = 0.0) -> int:
        """How many samples fall into it, one every period [s], the first so late [s]."""
        return math.floor((self.exit - late) / period) - math.floor((self.entry - late) / period)


class ContinuousBall:
    """The exact motion from a start, extended on demand."""

    def __init__(
        self, free: Oscillator, in_contact: Oscillator, force: float, start: State
    ) -> None:
        self.free, self.in_contact, self.force = free, in_contact, force
        inside = start.y < 0.0 or (start.y == 0.0 and start.v < 0.0)
        self.contacts: list[Contact] = []
        self._starts = [0.0]
        self._pieces = [(start, inside)]

    @classmethod
    def of(cls, plant: Plant, wall: Target, start: State) -> "ContinuousBall":
        """The motion of a plant that meets a wall."""
        return cls(plant.motion, wall.in_contact(plant.motion), plant.force, start)

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
        return self.in_contact if inside else self.free

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


def continuous_samples(
    free: Oscillator, in_contact: Oscillator, state: State, force: float, period: float, count: int
) -> list[State]:
    """The continuous motion under a force [N] at so many samples after a state, a period [s] apart
    (5.7, 5.11, 5.16), with every crossing of the wall between them."""
    inside, flow = [state], in_contact.flow(period)
    for _ in range(count):
        inside.append(flow(inside[-1], force))
    if _stays_inside(inside, in_contact, period):
        return inside[1:]
    continuous = ContinuousBall(free, in_contact, force, state)
    return [continuous.state(number * period) for number in range(1, count + 1)]


def _stays_inside(samples: list[State], in_contact: Oscillator, period: float) -> bool:
    """Whether a contact that is inside at its samples was not outside between two of them: it turns
    at most once a period, and never from up to down."""
    if any(each.y >= 0.0 for each in samples):
        return False
    slow = in_contact.square * period**2 < math.pi**2
    return slow and not any(a.v > 0.0 > b.v for a, b in pairwise(samples))
