"""Brake by wire: an actuator on the servo, and a sensor of the pressure that it makes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from touchback.devices.converter import Converter
from touchback.errors import InputError
from touchback.estimate.checks import check_finite, check_period
from touchback.model import Model
from touchback.model.value import Value
from touchback.symbolic.expression import Expr
from touchback.symbolic.functions import maximum, minimum, select


@dataclass(frozen=True)
class WiredBrake:
    """Travel of the rod [m], pressure in the line [Pa], and what its sensor shows."""

    travel: Expr
    pressure: Value
    measured: Value


@dataclass(frozen=True)
class BrakeServo:
    """An actuator that pushes the servo's rod at up to `fastest` [m/s] over a `stroke` [m]. Beyond
    some `play` [m] the line answers by `stiffness` [Pa/m], which wears with the pads.

    By="pressure": the loop is closed on the line's own sensor (`sensor`: its converter, from no
    pressure to its largest [Pa]; `lag` [s]). By="position": on the rod's place, as if the line were
    as stiff as when it was new, which is why Gallo's buggy has the sensor."""

    fastest: float = 0.1
    stroke: float = 0.03
    play: float = 0.003
    stiffness: float = 40e5 / 0.02
    lag: float = 0.01
    settle: float = 0.04  # s in which the loop comes to a demand
    sensor: Converter = field(default_factory=lambda: Converter(14, 0.0, 40e5))
    by: Literal["pressure", "position"] = "pressure"

    def __post_init__(self) -> None:
        if self.by not in ("pressure", "position"):
            raise InputError(f"BrakeServo: by is 'pressure' or 'position', not {self.by!r}.")
        numbers = {
            name: getattr(self, name)
            for name in ("fastest", "stroke", "play", "stiffness", "lag", "settle")
        }
        check_finite("BrakeServo", **numbers)
        if not (min(numbers.values()) > 0.0 and self.play < self.stroke):
            raise InputError(f"BrakeServo: {numbers}; all must be above zero, play below stroke.")
        if self.settle < 3.0 * self.lag:
            raise InputError(
                f"BrakeServo: a loop that settles in {self.settle:g} s swings behind a sensor that "
                f"lags by {self.lag:g} s; give three times as long at least."
            )

    def add(
        self, model: Model, name: str, demand: Value, tick: float, wear: Value = 1.0
    ) -> WiredBrake:
        """Puts it into a model that ticks every `tick` seconds: it follows a demand of pressure
        [Pa]. The line is `wear` times as stiff as it was."""
        check_period("BrakeServo", tick)
        travel = model.state(f"{name} travel", 0.0, unit="m")
        seen = model.state(f"{name} sensed", 0.0, unit="Pa")
        pressure = maximum(travel - self.play, 0.0) * self.stiffness * wear
        model.set_rate(f"{name} sensed", (pressure - seen) * (1.0 / self.lag))
        measured = self.sensor.quantity(self.sensor.reading(seen))
        wanted = maximum(0.0, minimum(self.sensor.high, demand))
        short = wanted - measured
        if self.by == "position":
            short = wanted - maximum(travel - self.play, 0.0) * self.stiffness
        push = short * (1.0 / (self.stiffness * self.settle))
        # Released it goes home; not yet there, it takes up the play as fast as it can.
        push = select(wanted <= self.sensor.resolution, -self.fastest, push)
        touching = select(travel < 0.9 * self.play, self.fastest, push)
        push = select(wanted <= self.sensor.resolution, push, touching)
        speed = model.memory(
            f"{name} push", 0.0, update=maximum(-self.fastest, minimum(self.fastest, push))
        )
        held = select(travel >= self.stroke, minimum(speed, 0.0), speed)
        model.set_rate(f"{name} travel", select(travel <= 0.0, maximum(held, 0.0), held))
        return WiredBrake(travel, pressure, measured)
