"""Cars by wire: stepper, servo and road-wheel motor on a single-track car or on the whole one,
after the counts of a driver's block, or of one that was recorded."""

from __future__ import annotations

from dataclasses import dataclass, field, replace as changed
from typing import NamedTuple

from msgspec.structs import replace

import touchback as tb
from touchback import Expr, Model, Signal, maximum, sqrt
from touchback.errors import ModelError
from touchback.model import Value, check_positive, number
from touchback.numbers import Scalar, positive_number, whole_within
from touchback.vehicle.car import Car, add_car
from touchback.vehicle.driveline import RPM, DiscBrake, Engine, Gearbox, line_pressure
from touchback.vehicle.driven_cars import motion_of
from touchback.vehicle.single_track import SingleTrack, SingleTrackState, add_single_track

_GRAVITY = 9.81  # m/s²
_SLOW = 0.05  # m/s: below it brakes hold softly
_SLOWEST = 0.1  # m/s: below it tyres don't push sideways
Shown = dict[str, tuple[Value, str]]  # what a car shows, with units


class CarInputs(NamedTuple):
    """What comes to a car: opening of its throttle (0 to 1), pressure in its brake line [Pa], angle
    of the steering wheel [rad]."""

    opening: Value
    pressure: Value
    wheel: Value


@dataclass(frozen=True)
class Wires:
    """What moves a car's throttle, brake and wheels, and what its driver turns."""

    throttle: tb.devices.by_wire.ThrottleStepper = field(
        default_factory=tb.devices.by_wire.ThrottleStepper
    )
    brake: tb.devices.by_wire.BrakeServo = field(default_factory=tb.devices.by_wire.BrakeServo)
    road_wheel: tb.devices.by_wire.RoadWheelMotor = field(
        default_factory=tb.devices.by_wire.RoadWheelMotor
    )
    steering_wheel: tb.devices.by_wire.SteeringWheelMotor = field(
        default_factory=tb.devices.by_wire.SteeringWheelMotor
    )

    def __post_init__(self) -> None:
        self.check_kinds(
            throttle=tb.devices.by_wire.ThrottleStepper,
            brake=tb.devices.by_wire.BrakeServo,
            road_wheel=tb.devices.by_wire.RoadWheelMotor,
            steering_wheel=tb.devices.by_wire.SteeringWheelMotor,
        )

    def check_kinds(self, **kinds: type) -> None:
        """Refuse parts that are something else."""
        for name, kind in kinds.items():
            if not isinstance(getattr(self, name), kind):
                raise ModelError(
                    f"{type(self).__name__}: its {name} is {getattr(self, name)!r}; give a "
                    f"{kind.__name__}."
                )

    def counts(self) -> int:
        """Of the throttle's encoder when it is full."""
        raise NotImplementedError(type(self).__name__)

    def drive(
        self, model: Model, given: CarInputs, speed: float, tick: float
    ) -> tuple[Shown, Value]:
        """Put the car into a model that ticks every `tick` seconds, at a `speed` [m/s]. Tells what
        it shows, and the road's torque on the front wheels about their own axis [N m]."""
        raise NotImplementedError(type(self).__name__)


@dataclass(frozen=True)
class ByWireCar(Wires):
    """A single-track car by wire. Engine, gears and brakes have Gallo's numbers and stay in the
    second gear, as his do; `radius` [m] is that of his 155/80 R13 tyres. The single-track car has
    CommonRoad's, the buggy's own masses not being published; `trail` [m] of its front tyres and
    `drag` [N s²/m²] are ours."""

    car: SingleTrack = field(default_factory=lambda: SingleTrack(steer_rate_range=(-20.0, 20.0)))
    engine: Engine = field(default_factory=Engine)
    gearbox: Gearbox = field(default_factory=Gearbox)
    disc: DiscBrake = field(default_factory=lambda: DiscBrake(joint="wheel", pressure=0.0))
    gear: int = 2
    radius: float = 0.286
    trail: float = 0.04
    drag: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_kinds(car=SingleTrack, engine=Engine, gearbox=Gearbox, disc=DiscBrake)
        check_positive("ByWireCar", radius=self.radius)
        check_positive("ByWireCar", zero=True, drag=self.drag)
        number("ByWireCar: trail", self.trail)
        gears = len(self.gearbox.ratios)
        whole_within(f"ByWireCar: its gear must be 1 to {gears}", self.gear, 1, gears)

    def acceleration(self, speed: Scalar, opening: Scalar, pressure: Scalar) -> Scalar:
        """The acceleration [m/s²] by engine (4.11, 4.14), four brakes and air."""
        ratio = self.gearbox.ratio(float(self.gear))
        n = speed * (ratio * RPM / self.radius)
        against = speed / sqrt(speed * speed + _SLOW**2)
        brakes = 4.0 * self.disc.per_pressure() * maximum(pressure, 0.0) * against
        force = (self.engine.torque(n, opening) * ratio - brakes) / self.radius
        return (force - self.drag * speed * abs(speed)) / self.car.mass

    def aligning(self, at: SingleTrackState) -> Scalar:
        """The road's torque on the front wheels [N m]: their side force at its trail."""
        car = self.car
        load = car.mass * _GRAVITY * car.rear / car.wheelbase
        moving = maximum(abs(at.speed), _SLOWEST)
        slip = at.steer - at.slip - car.front * at.yaw_rate / moving
        grip = at.speed * at.speed / (at.speed * at.speed + _SLOWEST)  # none at a standstill
        return -self.trail * car.friction * car.cornering[0] * load * slip * grip

    def counts(self) -> int:
        return self.engine.counts

    def drive(
        self, model: Model, given: CarInputs, speed: float, tick: float
    ) -> tuple[Shown, Value]:
        turned = self.road_wheel.add(model, "road wheel", given.wheel, tick)
        car = add_single_track(
            model, self.car, turned.rate,
            lambda at: self.acceleration(at.speed, given.opening, given.pressure),
            SingleTrackState(0.0, 0.0, 0.0, speed, 0.0),
        )  # fmt: skip
        torque = self.aligning(car)
        turned.loaded(torque)
        shown: Shown = {
            "x": (car.x, "m"), "y": (car.y, "m"), "speed": (car.speed, "m/s"),
            "yaw": (car.yaw, "rad"), "yaw rate": (car.yaw_rate, "rad/s"),
            "steer": (car.steer, "rad"),
        }  # fmt: skip
        return shown, torque


@dataclass(frozen=True)
class ByWireWholeCar(Wires):
    """The whole car by wire, a `car` of bodies and linkages: the road-wheel motor sits on its
    column where the steering wheel was, and turns the pinion through the torsion bar; nothing
    assists. The motor's encoder is on its rotor, and its loop as fast as rotor and bar allow at
    1 kHz (`RoadWheelMotor.fastest`). `ratio` and `inertia` of the front wheels are those of the
    usual car's linkage."""

    road_wheel: tb.devices.by_wire.RoadWheelMotor = field(
        default_factory=lambda: tb.devices.by_wire.RoadWheelMotor(
            inertia=1.2, ratio=16.8, bandwidth=40.0, encoder=tb.devices.Encoder(500, gearing=100.0)
        )
    )
    car: Car = field(default_factory=Car)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_kinds(car=Car)

    def counts(self) -> int:
        return self.car.engine.counts

    def drive(
        self, model: Model, given: CarInputs, speed: float, tick: float
    ) -> tuple[Shown, Value]:
        bar, ratio = self.car.steering, self.road_wheel.ratio
        motor = changed(self.road_wheel, column=bar.torsion * ratio**2)
        column = replace(
            bar, wheel_inertia=motor.motor.reflected_inertia / ratio**2,
            assist_force=tuple(0.0 for _ in bar.assist_force),
        )  # fmt: skip
        zero = 0.0 * model.time
        add_car(
            model, replace(self.car, steering=column), speed=speed, hands="torque",
            feet=(given.opening + zero, given.pressure + zero, zero),
        )  # fmt: skip
        angle, rate = model.coordinate("steering wheel"), model.rate("steering wheel")
        current = motor.follow(model, "road wheel", given.wheel, angle / ratio, tick)
        torque = motor.motor.torque(current, rate / ratio) / ratio
        model.control("road wheel motor", lambda: torque, of=[], to=["steering torque"])
        pinion, pinion_rate = model.coordinate("rack") / bar.pinion, model.rate("rack") / bar.pinion
        twisted = model.signal("torsion bar") * (angle - pinion)
        twisted = twisted + bar.torsion_damping * (rate - pinion_rate)
        seen = motion_of(model)
        shown: Shown = {
            "x": (seen.x, "m"), "y": (seen.y, "m"), "speed": (seen.speed, "m/s"),
            "yaw": (seen.yaw, "rad"), "yaw rate": (seen.yaw_rate, "rad/s"),
            "steer": (pinion / ratio, "rad"), "motor current": (current, "A"),
        }  # fmt: skip
        return shown, -ratio * twisted


def by_wire_car(
    rate: float = 1000.0, parts: Wires | None = None, speed: float = 0.0, driver: bool = False
) -> Model:
    """A model that ticks `rate` times a second and starts at a `speed` [m/s]: of a single-track car
    (`ByWireCar`), or of the whole one (`ByWireWholeCar`). Its inputs are the counts of Gallo's
    block: "throttle" (420 at full), "brake" (32767 at 40 bar) and "steering" (2000 a turn of the
    steering wheel). All of them go through the actuators.

    With a `driver` the steering wheel is there as well: the input "hand" [N m] turns it, its motor
    gives it the road's feel, and its encoder, the sensor "steering", replaces that input. What such
    a run shows of throttle, brake and steering repeats it without a driver."""
    p, m = ByWireCar() if parts is None else parts, Model("car by wire")
    if not isinstance(p, Wires):
        raise ModelError(f"by_wire_car: its parts are {p!r}; give a ByWireCar or ByWireWholeCar.")
    tick = 1.0 / positive_number("by_wire_car: its ticks a second", rate)
    speed = number("by_wire_car: its speed [m/s]", speed)
    pressed = m.input("throttle") * (p.throttle.most / p.counts())
    opened = p.throttle.add(m, "throttle stepper", pressed, tick)
    braked = p.brake.add(m, "brake servo", line_pressure(m.input("brake")), tick)
    load = m.memory("road load", 0.0, unit="N m") if driver else None
    counts = m.input("steering") if load is None else _steering_wheel(m, p, load, tick)
    wheel = p.steering_wheel.encoder.quantity(counts)
    shown, torque = p.drive(m, CarInputs(opened.opening, braked.pressure, wheel), speed, tick)
    if load is not None:
        m.set_update("road load", torque * (1.0 / p.road_wheel.ratio))
    shown |= {
        "pressure": (braked.pressure, "Pa"), "opening": (opened.opening, ""),
        "aligning torque": (torque, "N m"),
    }  # fmt: skip
    for name, (value, unit) in shown.items():
        m.sensor(name, Signal(value, unit))
    return m


def _steering_wheel(model: Model, parts: Wires, load: Expr, tick: float) -> Value:
    """A wheel for the driver's hand; gives its encoder's count."""
    hand = model.input("hand", unit="N m")
    wheel = parts.steering_wheel.add(model, "hand wheel", hand, load, tick)
    model.sensor("felt", Signal(wheel.felt, "N m"))
    model.sensor("steering", Signal(wheel.counts, ""))
    return wheel.counts
