"""All walls in one display: chosen and tuned while it is played."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from touchback.haptics.displays.slower import Sampling, remembered, sampled_at, update
from touchback.haptics.displays.stamps import since_sample
from touchback.haptics.displays.walls import WALLS, believed, check_wall, wall_law, within
from touchback.haptics.wall.laws import (
    Balanced,
    Counting,
    Differences,
    Given,
    HalfSample,
    Law,
    Observing,
    Sense,
    Stamp,
    Told,
)
from touchback.haptics.wall.plant import Device, Finger, check_numbers
from touchback.model import Model
from touchback.model.signals import choice_name
from touchback.model.value import Value
from touchback.symbolic.functions import select

SLOWEST, FASTEST = 100.0, 4000.0  # samples a second of a live wall
STIFFEST, HEAVIEST = 1e6, 1e4  # N/m, N s/m that a live wall can be asked for


@dataclass(frozen=True)
class ChosenWall:
    """All walls in one display, alternatives of the control "name", which is the standard wall:
    `live.choose(name, "deadbeat")` takes another one within a tick, `live.choose(name, name)` the
    standard one again. What they are told is chosen alike: `live.choose("name sense",
    "differences")`. Where the `resolution` of an encoder [m] is given there are an "observer" and
    "counting" (`Counting`) too, and the wall "balanced" (`Balanced`), which belongs to it. Where
    counts are stamped "counting" is told, and there is a "stamped-observer".

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
        usual = min(max(ticks, SLOWEST), FASTEST)
        rate = model.parameter(f"{name} rate", usual, unit="Hz", min=SLOWEST, max=FASTEST)
        sampling = sampled_at(model, name, ticks, rate)
        held = model.memory(f"{name} force", unit="N")
        K = model.parameter(f"{name} stiffness", self.stiffness, unit="N/m", min=0.0, max=STIFFEST)
        B = model.parameter(f"{name} damping", self.damping, unit="N s/m", min=0.0, max=HEAVIEST)
        plant = believed(self.device, self.finger)
        last = since_sample(model, f"{name}.stamp", stamp, sampling, ticks)
        told = Told(position, velocity, held, plant, bias, K, B, sampling.period, last)
        known = self._sense(model, f"{name} sense", told, sampling)
        force = self._choose(model, name, known, sampling)
        fresh = select(sampling.due, within(force, self.limit), held)
        model.set_update(f"{name} force", fresh)
        return fresh

    def _sense(self, model: Model, name: str, told: Told, sampling: Sampling) -> Told:
        """What the laws are told, as it is chosen; what isn't chosen goes on beside it."""
        plain, size = replace(told, stamp=None), self.resolution
        senses: dict[str, tuple[Sense, Told]] = {
            name: (Given(), plain),
            "differences": (Differences(), plain),
        }
        if size:
            senses["observer"] = Observing(size), plain
            senses["observer-of-hand"] = Observing(size, feeds=True), plain
            senses["counting"] = Counting(size), told
        if size and told.stamp is not None:
            stamped = Observing(size, hand_rate=100.0, slack=0.25)  # the laboratory's
            senses["stamped-observer"] = stamped, told
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

    def _choose(self, model: Model, name: str, told: Told, sampling: Sampling) -> Value:
        """The force of the law that is chosen; the others are idle."""
        laws = {
            name if label == "standard" else label: wall_law(label, self.device, self.finger)
            for label in WALLS
        }
        if self.resolution:
            laws["balanced"] = Balanced(HalfSample(), self.resolution)
        laws |= self.further
        target = f"{name} asked"
        model.input(target, unit="N")
        steps = {}
        for label, law in laws.items():
            memory = remembered(model, f"{name}.{label}", law.start)
            known = told.expressible() if law.compensates else told
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
