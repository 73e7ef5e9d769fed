"""The walls of the laboratory as displays: one wall (`WallDisplay`), or all of them, chosen and
tuned while they are played (`ChosenWall`)."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from touchback import Expr, Model, maximum, minimum, select
from touchback.errors import InputError
from touchback.haptics.displays.sample_and_hold import (
    Sampling,
    remembered,
    sampled_at,
    since_sample,
    update,
)
from touchback.haptics.wall.laws import (
    Adaptive,
    AsMeasured,
    CountIntervalEstimator,
    Deadbeat,
    Differences,
    EnergyBalanced,
    HalfSample,
    KalmanEstimator,
    Law,
    Motion,
    PolePlacement,
    Sense,
    Stamp,
    Standard,
    WallSample,
)
from touchback.haptics.wall.wall_plant import (
    MOST_DAMPING,
    STIFFEST,
    Device,
    Finger,
    Plant,
    check_numbers,
)
from touchback.model import Value, choice_name, is_number
from touchback.names import suggestion
from touchback.numbers import number_within

#: The walls that a device can be, by name: what makes the law for a device and a finger on it.
WALLS: dict[str, Callable[[Device, Finger | None], Law]] = {
    "standard": lambda device, finger: Standard(),
    "half-sample": lambda device, finger: HalfSample(),
    "z-plane": lambda device, finger: PolePlacement(),
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
    sense: Sense = field(default_factory=AsMeasured)
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
        sample = WallSample(
            position, velocity, held, assumed_plant(self.device, self.finger), bias, self.stiffness,
            self.damping, sampling.period,
            since_sample(model, f"{name}.stamp", stamp, sampling, ticks),
        )  # fmt: skip
        sensed = remembered(model, f"{name}.sense", self.sense.start)
        after, known = self.sense.step(sensed, sample)
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


def assumed_plant(device: Device, finger: Finger | None) -> Motion:
    """What a law believes it pushes: the device, with the finger if one is known."""
    motion = Plant(device, finger).motion
    return Motion(motion.mass, motion.damping, motion.stiffness)


LIVE_SLOWEST, LIVE_FASTEST = 100.0, 4000.0  # samples a second of a live wall


LIVE_STIFFEST, LIVE_HEAVIEST = 1e6, 1e4  # N/m, N s/m that a live wall can be asked for


@dataclass(frozen=True)
class ChosenWall:
    """All walls in one display, alternatives of the control "name", which is the standard wall:
    `live.choose(name, "deadbeat")` takes another one within a tick, `live.choose(name, name)` the
    standard one again. What they are told is chosen alike: `live.choose("name sense",
    "differences")`. Where the `resolution` of an encoder [m] is given there are an "observer" and
    "counting" (`CountIntervalEstimator`) too, and the wall "balanced" (`EnergyBalanced`), which
    belongs to it. Where counts are stamped "counting" is told, and there is a "stamped-observer".

    Live parameters: "name stiffness" [N/m], "name damping" [N s/m], "name rate" [Hz]. A wall that
    is chosen in the midst of a contact compensates its crossings from the next one on."""

    stiffness: float = 2000.0
    damping: float = 0.0
    device: Device = field(default_factory=Device)
    finger: Finger | None = None
    resolution: float = 0.0
    limit: float = math.inf
    """Of the motor [N]."""
    further: Mapping[str, Law] = field(default_factory=dict)
    """Laws of one's own, by name."""

    def __post_init__(self) -> None:
        check_wall("ChosenWall", self.stiffness, self.damping, self.limit)
        check_numbers("ChosenWall", resolution=(self.resolution, 1.0))

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
        """The force [N] from the tick at hand on, outwards; the memory "name force" holds it. The
        arguments are those of `WallDisplay.fresh`."""
        usual = min(max(ticks, LIVE_SLOWEST), LIVE_FASTEST)
        rate = model.parameter(f"{name} rate", usual, unit="Hz", min=LIVE_SLOWEST, max=LIVE_FASTEST)
        sampling = sampled_at(model, name, ticks, rate)
        held = model.memory(f"{name} force", unit="N")
        K = model.parameter(
            f"{name} stiffness", self.stiffness, unit="N/m", min=0.0, max=LIVE_STIFFEST
        )
        B = model.parameter(
            f"{name} damping", self.damping, unit="N s/m", min=0.0, max=LIVE_HEAVIEST
        )
        plant = assumed_plant(self.device, self.finger)
        last = since_sample(model, f"{name}.stamp", stamp, sampling, ticks)
        sample = WallSample(position, velocity, held, plant, bias, K, B, sampling.period, last)
        known = self._sense(model, f"{name} sense", sample, sampling)
        force = self._choose(model, name, known, sampling)
        fresh = select(sampling.due, within(force, self.limit), held)
        model.set_update(f"{name} force", fresh)
        return fresh

    def _sense(self, model: Model, name: str, sample: WallSample, sampling: Sampling) -> WallSample:
        """What the laws are told, as it is chosen; what isn't chosen goes on beside it."""
        plain, size = replace(sample, stamp=None), self.resolution
        senses: dict[str, tuple[Sense, WallSample]] = {
            name: (AsMeasured(), plain),
            "differences": (Differences(), plain),
        }
        if size:
            senses["observer"] = KalmanEstimator(size), plain
            senses["observer-of-hand"] = KalmanEstimator(size, feeds=True), plain
            senses["counting"] = CountIntervalEstimator(size), sample
        if size and sample.stamp is not None:
            stamped = KalmanEstimator(size, hand_rate=100.0, slack=0.25)  # the laboratory's
            senses["stamped-observer"] = stamped, sample
        targets = [f"{name} {word}" for word in ("position", "velocity", "bias")]
        for target in targets:
            model.input(target)
        for label, (sense, read) in senses.items():
            memory = remembered(model, f"{name}.{label}", sense.start)
            after, known = sense.step(memory, read)
            update(model, f"{name}.{label}", memory, after, sampling)
            _control(model, name, label, (known.y, known.v, known.bias), targets)
        y, v, bias = (model.signal(target) for target in targets)
        return replace(plain, y=y, v=v, bias=bias)

    def _choose(self, model: Model, name: str, sample: WallSample, sampling: Sampling) -> Value:
        """The force of the law that is chosen; the others are idle."""
        laws = {
            name if label == "standard" else label: wall_law(label, self.device, self.finger)
            for label in WALLS
        }
        if self.resolution:
            laws["balanced"] = EnergyBalanced(HalfSample(), self.resolution)
        laws |= self.further
        target = f"{name} asked"
        model.input(target, unit="N")
        steps = {}
        for label, law in laws.items():
            memory = remembered(model, f"{name}.{label}", law.start)
            known = sample.expressible() if law.compensates else sample
            after, force = law.step(memory, known)
            steps[label] = memory, after, law.idle(memory, known)
            _control(model, name, label, (force,), [target])
        choice = model.signal(choice_name(name))
        for number, (label, (memory, after, idle)) in enumerate(steps.items()):
            chosen = select(choice > number - 0.5, choice < number + 0.5, 0.0)
            kept = [select(chosen, a, b) for a, b in zip(after, idle, strict=True)]
            update(model, f"{name}.{label}", memory, kept, sampling)
        return model.signal(target)


def _control(
    model: Model, first: str, label: str, values: Sequence[Value], targets: list[str]
) -> None:
    """A control, or one instead of the first."""
    instead_of = None if label == first else first
    model.control(label, lambda: list(values), of=[], to=targets, instead_of=instead_of)
