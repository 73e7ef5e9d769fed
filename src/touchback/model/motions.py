"""Prescribed motions: functions of time for drives and inputs."""

from dataclasses import dataclass

from touchback.model.value import Value
from touchback.symbolic.functions import select, sin

_TWO_PI = 6.283185307179586


@dataclass(frozen=True)
class Sine:
    """offset + amplitude · sin(2π frequency t + phase); frequency in hertz."""

    amplitude: Value
    frequency: Value = 1.0
    phase: Value = 0.0
    offset: Value = 0.0

    def __call__(self, time: Value) -> Value:
        return self.offset + self.amplitude * sin(_TWO_PI * self.frequency * time + self.phase)


@dataclass(frozen=True)
class Ramp:
    """start + speed · t."""

    speed: Value
    start: Value = 0.0

    def __call__(self, time: Value) -> Value:
        return self.start + self.speed * time


@dataclass(frozen=True)
class SmoothStep:
    """From `start` to `stop` between the times `begin` and `end`, with continuous acceleration:
    the cycloid s − sin(2π s)/2π."""

    start: Value
    stop: Value
    begin: Value = 0.0
    end: Value = 1.0

    def __call__(self, time: Value) -> Value:
        s = (time - self.begin) / (self.end - self.begin)
        inside = s - sin(_TWO_PI * s) / _TWO_PI
        fraction = select(s < 0.0, 0.0, select(s < 1.0, inside, 1.0))
        return self.start + (self.stop - self.start) * fraction
