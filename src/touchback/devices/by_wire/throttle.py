"""Throttle by wire: a geared stepper, and an encoder that says where it is."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from touchback.devices.sensors import Encoder
from touchback.errors import InputError
from touchback.estimate.checks import check_finite, check_period
from touchback.model import Model
from touchback.model.value import Value
from touchback.symbolic.functions import floor, maximum, minimum


@dataclass(frozen=True)
class WiredThrottle:
    """The throttle's angle [rad], the same from 0 (released) to 1, and what its encoder shows."""

    angle: Value
    opening: Value
    measured: Value


@dataclass(frozen=True)
class ThrottleStepper:
    """A stepper of `steps` a turn behind a gear of `gearing` : 1, that makes up to `fastest` steps
    a second, and turns the throttle from 0 to `most` [rad]. The loop is closed on the throttle's
    own encoder, so that steps which the motor lost are made up for (Gallo: 420 counts, 75.6°)."""

    steps: int = 200
    gearing: float = 10.0
    fastest: float = 4000.0
    most: float = math.radians(75.6)
    encoder: Encoder = field(default_factory=lambda: Encoder(500))

    def __post_init__(self) -> None:
        check_finite("ThrottleStepper", steps=self.steps, gearing=self.gearing, most=self.most)
        if not (min(self.steps, self.gearing, self.most) > 0.0 and self.fastest > 0.0):
            raise InputError(
                f"ThrottleStepper: {self.steps} steps a turn, a gear of {self.gearing}, "
                f"{self.fastest} steps a second and {self.most} rad; all must be above zero."
            )

    @property
    def step_angle(self) -> float:
        """Of the throttle, by a step [rad]."""
        return 2.0 * math.pi / (self.steps * self.gearing)

    def add(
        self, model: Model, name: str, demand: Value, tick: float, slipped: Value = 0.0
    ) -> WiredThrottle:
        """Puts it into a model that ticks every `tick` seconds: it follows a demand [rad].
        `slipped` steps were commanded but not made."""
        check_period("ThrottleStepper", tick)
        most = math.floor(self.fastest * tick)
        if most < 1:
            raise InputError(
                f"ThrottleStepper: {self.fastest:g} steps a second are less than one in a tick of "
                f"{tick:g} s; tick more slowly."
            )
        commanded = model.memory(f"{name} steps", 0.0)
        angle = (commanded - slipped) * self.step_angle
        measured = self.encoder.quantity(self.encoder.reading(angle))
        wanted = maximum(0.0, minimum(self.most, demand))
        off = (wanted - measured) * (1.0 / self.step_angle)
        moves = maximum(-float(most), minimum(float(most), floor(off + 0.5)))
        model.set_update(f"{name} steps", commanded + moves)
        opening = maximum(0.0, minimum(1.0, angle * (1.0 / self.most)))
        return WiredThrottle(angle, opening, measured)
