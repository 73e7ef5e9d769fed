"""By wire, as `tb.devices.by_wire`: what moves a throttle, a brake and the wheels instead of a
pedal's cable, a hose and a column, and what lets a hand feel the road (Gallo 2012, section 3.1.1).

Each is a controller, which works at ticks on what its own sensor shows, with the actuator behind it
as states of the model: in a car the controller alone is run, and the rest is there."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from touchback import Expr, Model, floor, maximum, minimum, select
from touchback.devices.motors import Motor
from touchback.devices.sensors import Converter, Encoder
from touchback.errors import InputError
from touchback.model import Value
from touchback.numbers import check_finite, check_period

__all__ = [
    "BrakeServo", "RoadWheelMotor", "SteeringWheelMotor", "ThrottleStepper", "WiredBrake",
    "WiredRoadWheel", "WiredSteeringWheel", "WiredThrottle",
]  # fmt: skip


@dataclass(frozen=True)
class WiredRoadWheel:
    """Angle and speed of the road wheels [rad, rad/s], and the motor's current [A]; `loaded` says
    what acts on them."""

    angle: Expr
    rate: Expr
    current: Expr
    name: str
    motor: RoadWheelMotor
    model: Model

    def loaded(self, torque: Value) -> None:
        """The road's torque on the wheels [N m] about their own axis, which closes the model."""
        m = self.motor
        given = m.motor.torque(self.current, self.rate) + torque - m.damping * self.rate
        self.model.set_rate(f"{self.name} angle", self.rate)
        self.model.set_rate(f"{self.name} rate", given * (1.0 / m.whole_inertia))


@dataclass(frozen=True)
class RoadWheelMotor:
    """A motor that turns the road wheels (`inertia` [kg m²], `damping` [N m s/rad], `range` ±[rad])
    to where the steering wheel's encoder shows, over a `ratio`. Its own encoder closes the loop,
    whose natural frequency is `bandwidth` [rad/s], critically damped where no column lies between,
    with an integral part that holds against a lasting load; its current follows a torque within the
    motor's limit.

    Between the motor and the wheels may lie a `column` of some stiffness, seen at the wheels
    [N m/rad]. The encoder is at the motor's end of it."""

    motor: Motor = field(default_factory=lambda: Motor(0.1, 20.0, gearing=100.0, inertia=2e-5))
    inertia: float = 1.2
    damping: float = 20.0
    ratio: float = 15.0
    range: float = 0.6
    bandwidth: float = 40.0
    encoder: Encoder = field(default_factory=lambda: Encoder(500, gearing=10.0))
    column: float = math.inf

    def __post_init__(self) -> None:
        numbers = {n: getattr(self, n) for n in ("inertia", "ratio", "range", "bandwidth")}
        check_finite("RoadWheelMotor", damping=self.damping, **numbers)
        if not (min(self.column, *numbers.values()) > 0.0 and self.damping >= 0.0):
            raise InputError(
                f"RoadWheelMotor: {numbers}, column {self.column}, damping {self.damping}; all "
                "must be above zero."
            )
        if self.column < math.inf and self.motor.inertia == 0.0:
            raise InputError(
                "RoadWheelMotor: on a column its rotor has an inertia of its own; give "
                "Motor(inertia=…)."
            )

    def fastest(self, tick: float) -> float:
        """The largest bandwidth ω [rad/s] with ticks of `tick` seconds: 0.2 a tick, or on a column
        as much as `resistance` still damps by 0.7, and a quarter of the frequency at which the
        wheels swing on a column that is held."""
        if self.column == math.inf:
            return 0.2 / tick
        damped = self._most_resistance(tick) / (1.4 * self.whole_inertia)
        return min(damped, 0.25 * math.sqrt(self.column / self.inertia))

    def resistance(self, tick: float) -> float:
        """What the loop gives against a speed [N m s/rad]: 2 ω J, critical for all of the inertia,
        but on a column at most 0.4 of what would stop its rotor within a tick. Above the resonance
        of rotor and column nothing else is there to resist it, and it comes a tick and a half late
        (by the difference of two counts, and the current): the rotor would chatter."""
        return min(2.0 * self.bandwidth * self.whole_inertia, self._most_resistance(tick))

    def _most_resistance(self, tick: float) -> float:
        if self.column == math.inf:
            return math.inf
        return 0.4 * self.motor.reflected_inertia / tick

    def add(self, model: Model, name: str, demand: Value, tick: float) -> WiredRoadWheel:
        """Puts it into a model that ticks every `tick` seconds, with road wheels that turn with it:
        it follows a steering wheel's angle [rad]. Say afterwards what it is `loaded` with."""
        angle = model.state(f"{name} angle", 0.0, unit="rad")
        rate = model.state(f"{name} rate", 0.0, unit="rad/s")
        current = self.follow(model, name, demand, angle, tick)
        return WiredRoadWheel(angle, rate, current, name, self, model)

    def follow(self, model: Model, name: str, demand: Value, angle: Value, tick: float) -> Expr:
        """The current [A] by which the motor, at an `angle` [rad] of the road wheels, follows a
        steering wheel's [rad]."""
        check_period("RoadWheelMotor", tick)
        if self.bandwidth > self.fastest(tick) * (1.0 + 1e-9):
            raise InputError(
                f"RoadWheelMotor: with ticks of {tick:g} s"
                + (f" and a column of {self.column:g} N m/rad" if self.column < math.inf else "")
                + f" its bandwidth is at most {self.fastest(tick):.3g} rad/s, got "
                f"{self.bandwidth:g}; give less, or tick faster."
            )
        wanted = maximum(-self.range, minimum(self.range, demand * (1.0 / self.ratio)))
        measured = self.encoder.quantity(self.encoder.reading(angle))
        off, w = wanted - measured, self.bandwidth
        before = model.memory(f"{name} before", 0.0, update=measured)
        speed = (measured - before) * (1.0 / tick)
        most = 0.5 * self.motor.largest_torque
        held = model.memory(f"{name} held", 0.0)  # what lasts, at most half of what there is
        kept = maximum(-most, minimum(most, held + (0.25 * self.whole_inertia * w**3 * tick) * off))
        model.set_update(f"{name} held", kept)
        torque = kept + (self.whole_inertia * w**2) * off - self.resistance(tick) * speed
        return model.memory(f"{name} current", 0.0, update=self.motor.current(torque))

    @property
    def whole_inertia(self) -> float:
        """Of the wheels and the rotor [kg m²]."""
        return self.inertia + self.motor.reflected_inertia


@dataclass(frozen=True)
class WiredSteeringWheel:
    """Angle and speed of the steering wheel [rad, rad/s], its encoder's count, and the torque that
    the hand feels [N m]."""

    angle: Expr
    rate: Expr
    counts: Value
    felt: Value


@dataclass(frozen=True)
class SteeringWheelMotor:
    """A steering wheel (`inertia` [kg m²]) that its motor turns back with a `share` of what the
    road-wheel motor works against, over the ratio, with `centring` [N m/rad] and `damping`
    [N m s/rad] of its own, within the motor's limit."""

    motor: Motor = field(default_factory=lambda: Motor(0.05, 10.0, gearing=10.0, friction=2e-3))
    inertia: float = 0.04
    share: float = 0.5
    centring: float = 0.3
    damping: float = 0.3
    encoder: Encoder = field(default_factory=lambda: Encoder(500))

    def __post_init__(self) -> None:
        numbers = {n: getattr(self, n) for n in ("share", "centring", "damping")}
        check_finite("SteeringWheelMotor", inertia=self.inertia, **numbers)
        if not (self.inertia > 0.0 and min(numbers.values()) >= 0.0):
            raise InputError(
                f"SteeringWheelMotor: inertia {self.inertia}, {numbers}; the first must be above "
                "zero, none of the others below it."
            )

    def add(
        self, model: Model, name: str, hand: Value, load: Value, tick: float
    ) -> WiredSteeringWheel:
        """Puts it into a model: a `hand`'s torque [N m] turns it, and it feels a `load` [N m], the
        road's at the steering wheel (torque at the road wheels over the ratio)."""
        check_period("SteeringWheelMotor", tick)
        angle = model.state(f"{name} angle", 0.0, unit="rad")
        rate = model.state(f"{name} rate", 0.0, unit="rad/s")
        back = self.share * load - self.centring * angle - self.damping * rate
        current = model.memory(f"{name} current", 0.0, update=self.motor.current(back))
        felt = self.motor.torque(current, rate)
        inertia = self.inertia + self.motor.reflected_inertia
        model.set_rate(f"{name} angle", rate)
        model.set_rate(f"{name} rate", (hand + felt) * (1.0 / inertia))
        return WiredSteeringWheel(angle, rate, self.encoder.reading(angle), felt)


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
