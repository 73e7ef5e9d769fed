"""Steering by wire: a motor turns the road wheels after the steering wheel's encoder, another one
lets the hand feel them."""

from __future__ import annotations

from dataclasses import dataclass, field

from touchback.devices.motor import Motor
from touchback.devices.sensors import Encoder
from touchback.errors import InputError
from touchback.estimate.checks import check_finite, check_period
from touchback.model import Model
from touchback.model.value import Value
from touchback.symbolic.expression import Expr
from touchback.symbolic.functions import maximum, minimum


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
        inertia = m.inertia + m.motor.reflected_inertia
        self.model.set_rate(f"{self.name} angle", self.rate)
        self.model.set_rate(f"{self.name} rate", given * (1.0 / inertia))


@dataclass(frozen=True)
class RoadWheelMotor:
    """A motor that turns the road wheels (`inertia` [kg m²], `damping` [N m s/rad], `range` ±[rad])
    to where the steering wheel's encoder shows, over a `ratio`. Its own encoder closes the loop,
    whose natural frequency is `bandwidth` [rad/s], critically damped, with an integral part that
    holds against a lasting load; its current follows a torque within the motor's limit."""

    motor: Motor = field(default_factory=lambda: Motor(0.1, 20.0, gearing=100.0, inertia=2e-5))
    inertia: float = 1.2
    damping: float = 20.0
    ratio: float = 15.0
    range: float = 0.6
    bandwidth: float = 40.0
    encoder: Encoder = field(default_factory=lambda: Encoder(500, gearing=10.0))

    def __post_init__(self) -> None:
        numbers = {n: getattr(self, n) for n in ("inertia", "ratio", "range", "bandwidth")}
        check_finite("RoadWheelMotor", damping=self.damping, **numbers)
        if not (min(numbers.values()) > 0.0 and self.damping >= 0.0):
            raise InputError(
                f"RoadWheelMotor: {numbers}, damping {self.damping}; all must be above zero."
            )

    def add(self, model: Model, name: str, demand: Value, tick: float) -> WiredRoadWheel:
        """Puts it into a model that ticks every `tick` seconds: it follows a steering wheel's angle
        [rad]. Say afterwards what it is `loaded` with."""
        check_period("RoadWheelMotor", tick)
        if self.bandwidth * tick > 0.2:
            raise InputError(
                f"RoadWheelMotor: a loop of {self.bandwidth:g} rad/s needs ticks of "
                f"{0.2 / self.bandwidth:g} s at most, got {tick:g}."
            )
        angle = model.state(f"{name} angle", 0.0, unit="rad")
        rate = model.state(f"{name} rate", 0.0, unit="rad/s")
        wanted = maximum(-self.range, minimum(self.range, demand * (1.0 / self.ratio)))
        measured = self.encoder.quantity(self.encoder.reading(angle))
        off, w = wanted - measured, self.bandwidth
        inertia = self.inertia + self.motor.reflected_inertia
        before = model.memory(f"{name} before", 0.0, update=measured)
        speed = (measured - before) * (1.0 / tick)
        most = 0.5 * self.motor.largest_torque
        held = model.memory(f"{name} held", 0.0)  # what lasts, at most half of what there is
        kept = maximum(-most, minimum(most, held + (0.25 * inertia * w**3 * tick) * off))
        model.set_update(f"{name} held", kept)
        torque = kept + inertia * (w**2 * off - 2.0 * w * speed)
        current = model.memory(f"{name} current", 0.0, update=self.motor.current(torque))
        return WiredRoadWheel(angle, rate, current, name, self, model)


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
