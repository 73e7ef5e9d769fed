"""Parameters on their way: each step of a ramp is a change of its own, prepared beside the run and
taken at its tick, so that it is checked, recorded, replayed and booked as any other."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from touchback.native.live.live import LiveLoop
from touchback.numbers import number_within

LONGEST = 600.0  # seconds
_STEPS = 1000.0  # a second: at higher rates a step is of several ticks

_WAITING = 255  # steps that may wait for their ticks, at most

Way = dict[str, float]


@dataclass(frozen=True)
class Ramp:
    """From a value to another one in so many steps, of which some are done."""

    begin: float
    end: float
    steps: int
    done: int = 0

    def stepped(self) -> Ramp:
        """A step further."""
        return Ramp(self.begin, self.end, self.steps, self.done + 1)

    @property
    def value(self) -> float:
        """Where it is; in the end exactly there."""
        if self.done >= self.steps:
            return self.end
        return self.begin + self.done / self.steps * (self.end - self.begin)


@dataclass(frozen=True)
class _Moment:
    """Values asked for and ramps on their way."""

    values: Way
    ramps: dict[str, Ramp]


@dataclass
class Ramps:
    """The ramps of a run's parameters, and which of their steps wait for their ticks."""

    active: dict[str, Ramp] = field(default_factory=dict)
    # of each step that was offered: what was before it
    _before: list[_Moment] = field(default_factory=list)

    @staticmethod
    def stride(rate: float) -> int:
        """Ticks between steps."""
        return max(1, math.ceil(rate / _STEPS))

    def begin(self, values: Way, wanted: Way, seconds: float, rate: float) -> None:
        """Ramps from values to those that are wanted."""
        steps = max(1, round(seconds * rate / self.stride(rate)))
        for name, end in wanted.items():
            self.active[name] = Ramp(values[name], end, steps)

    def next(self, values: Way) -> Way:
        """The values a step further; without a ramp as they are."""
        if not self.active:
            return values
        self._before = [*self._before[-_WAITING:], _Moment(values, self.active)]
        moved = {name: ramp.stepped() for name, ramp in self.active.items()}
        self.active = {name: ramp for name, ramp in moved.items() if ramp.done < ramp.steps}
        return {**values, **{name: ramp.value for name, ramp in moved.items()}}

    def pull_back(self, loop: LiveLoop, values: Way) -> Way:
        """Takes back the steps that no tick has taken; the values of the last one that was."""
        if not self._before:
            return values
        count = min(loop.withdraw(), len(self._before))
        if count:
            moment = self._before[-count]
            values, self.active = moment.values, moment.ramps
        self._before = []
        return values

    def end(self) -> None:
        """Ends all of them where they are."""
        self.active, self._before = {}, []

    def recent(self) -> Way:
        """Where those end, or ended, whose steps may still wait for their ticks."""
        begun = {name: ramp.end for each in self._before for name, ramp in each.ramps.items()}
        return {**begun, **self.targets}

    @property
    def targets(self) -> Way:
        """Where they end."""
        return {name: ramp.end for name, ramp in self.active.items()}


def read_seconds(name: str, seconds: float) -> float:
    """The seconds of a ramp; refuses what none can take."""
    sentence = f"Parameter '{name}': a ramp takes 0 to {LONGEST:g} s of the model's time"
    return number_within(sentence, seconds, 0.0, LONGEST)
