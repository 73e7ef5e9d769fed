"""The walls of the laboratory as displays: sampled, compensated, compiled into the tick."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from touchback.errors import InputError
from touchback.haptics.displays.slower import remembered, sampled_at, update
from touchback.haptics.displays.stamps import since_sample
from touchback.haptics.wall.laws import (
    Adaptive,
    Deadbeat,
    Given,
    HalfSample,
    Law,
    Motion,
    Placed,
    Sense,
    Stamp,
    Standard,
    Told,
)
from touchback.haptics.wall.plant import (
    MOST_DAMPING,
    STIFFEST,
    Device,
    Finger,
    Plant,
    check_numbers,
)
from touchback.model import Model
from touchback.model.names import suggestion
from touchback.model.value import Value, is_number
from touchback.numbers import number_within
from touchback.symbolic.expression import Expr
from touchback.symbolic.functions import maximum, minimum, select

#: The walls that a device can be, by name: what makes the law for a device and a finger on it.
WALLS: dict[str, Callable[[Device, Finger | None], Law]] = {
    "standard": lambda device, finger: Standard(),
    "half-sample": lambda device, finger: HalfSample(),
    "z-plane": lambda device, finger: Placed(),
    "deadbeat": lambda device, finger: Deadbeat(),
    "deadbeat-throughout": lambda device, finger: Deadbeat(throughout=True),
    "adaptive": lambda device, finger: Adaptive(Deadbeat(), device, finger or Finger()),
}


def wall_law(name: str, device: Device, finger: Finger | None = None) -> Law:
    """The wall of a name, as a law."""
    if name not in WALLS:
        raise InputError(f"There is no wall '{name}'; {suggestion(name, WALLS)}")
    return WALLS[name](device, finger)


@dataclass(frozen=True)
class WallDisplay:
    """A wall that fills position < 0 and pushes outwards: a `law` (a name of `WALLS`, or one of
    one's own) for a device and the finger believed to be on it.

    `stiffness` [N/m], `damping` [N s/m] and `rate` [Hz] may be expressions, such as live
    parameters. The rate is that of the display, at most that of the ticks: a wall at 100 Hz can be
    felt in a run of 4 kHz. It becomes the ticks' rate over the nearest whole number; without
    one the wall runs at every tick. Compensating walls are as stiff as a contact of two
    samples, if more is asked for."""

    stiffness: Value
    damping: Value = 0.0
    law: str | Law = "half-sample"
    device: Device = field(default_factory=Device)
    finger: Finger | None = None
    rate: Value | None = None
    sense: Sense = field(default_factory=Given)
    limit: float = math.inf
    """Of the motor [N]: what it can't give isn't asked for, and no law believes that it acts."""

    def __post_init__(self) -> None:
        check_wall("WallDisplay", self.stiffness, self.damping, self.limit)
        if self.rate is not None and is_number(self.rate):
            number_within("WallDisplay: its rate is 1 to 1e6 Hz", self.rate, 1.0, 1e6)

    def fresh(
        self,
        model: Model,
        name: str,
        position: Value,
        velocity: Value,
        ticks: float,
        bias: Value = 0.0,
        stamp: Stamp | None = None,
    ) -> Value:
        """The force [N] from the tick at hand on, for a law that goes on with it; the memory "name"
        holds it from then on. `ticks` is how many there are a second, `bias` a force on the
        device that is known, `stamp` the last change of the position's count since the tick
        before, where it has counts and a timer (`timed_counts`)."""
        law = self.law
        if isinstance(law, str):
            law = wall_law(law, self.device, self.finger)
        sampling = sampled_at(model, name, ticks, self.rate)
        held = model.memory(name, unit="N")
        told = Told(
            position, velocity, held, believed(self.device, self.finger), bias, self.stiffness,
            self.damping, sampling.period,
            since_sample(model, f"{name}.stamp", stamp, sampling, ticks),
        )  # fmt: skip
        sensed = remembered(model, f"{name}.sense", self.sense.start)
        after, known = self.sense.step(sensed, told)
        update(model, f"{name}.sense", sensed, after, sampling)
        memory = remembered(model, f"{name}.law", law.start)
        after, force = law.step(memory, known.expressible() if law.compensates else known)
        update(model, f"{name}.law", memory, after, sampling)
        fresh = select(sampling.due, within(force, self.limit), held)
        model.set_update(name, fresh)
        return fresh

    def add(
        self,
        model: Model,
        name: str,
        position: Value,
        velocity: Value,
        ticks: float,
        bias: Value = 0.0,
        stamp: Stamp | None = None,
    ) -> Expr:
        """Put it into a model; returns the held force [N], outwards, to be given to the motor."""
        self.fresh(model, name, position, velocity, ticks, bias, stamp)
        return model.signal(name)


def check_wall(owner: str, stiffness: Value, damping: Value, limit: float) -> None:
    """Refuse numbers of a wall that would end as forces that are none; what is live has a span."""
    given = {"stiffness": (stiffness, STIFFEST), "damping": (damping, MOST_DAMPING)}
    plain = {name: each for name, each in given.items() if is_number(each[0])}
    check_numbers(owner, **plain, limit=(limit, math.inf))


def within(force: Value, limit: float) -> Value:
    """What a motor gives of a force; of one that isn't a number, none (as `Motor` does)."""
    return force if math.isinf(limit) else minimum(limit, maximum(-limit, force))


def believed(device: Device, finger: Finger | None) -> Motion:
    """What a law believes it pushes: the device, with the finger if one is known."""
    motion = Plant(device, finger).motion
    return Motion(motion.mass, motion.damping, motion.stiffness)
