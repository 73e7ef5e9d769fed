"""A car by wire: stepper, servo and road-wheel motor on a single-track car, after the counts of a
driver's block, or of one that was recorded."""

from __future__ import annotations

from dataclasses import dataclass, field

from touchback.devices.by_wire import (
    BrakeServo,
    RoadWheelMotor,
    SteeringWheelMotor,
    ThrottleStepper,
)
from touchback.model.model import Model
from touchback.model.sensors import Signal
from touchback.model.value import Value
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum, sqrt
from touchback.vehicle.driveline import RPM, DiscBrake, Engine, Gearbox, line_pressure
from touchback.vehicle.single_track import SingleTrack, SingleTrackState, add_single_track

_GRAVITY = 9.81  # m/s²
_SLOW = 0.05  # m/s: below it brakes hold softly
_SLOWEST = 0.1  # m/s: below it tyres don't push sideways


@dataclass(frozen=True)
class ByWireCar:
    """What a car by wire is made of. Engine, gears and brakes have Gallo's numbers and stay in the
    second gear, as his do; `radius` [m] is that of his 155/80 R13 tyres. The single-track car has
    CommonRoad's, the buggy's own masses not being published; `trail` [m] of its front tyres and
    `drag` [N s²/m²] are ours."""

    throttle: ThrottleStepper = field(default_factory=ThrottleStepper)
    brake: BrakeServo = field(default_factory=BrakeServo)
    road_wheel: RoadWheelMotor = field(default_factory=RoadWheelMotor)
    steering_wheel: SteeringWheelMotor = field(default_factory=SteeringWheelMotor)
    car: SingleTrack = field(default_factory=lambda: SingleTrack(steer_rate_range=(-20.0, 20.0)))
    engine: Engine = field(default_factory=Engine)
    gearbox: Gearbox = field(default_factory=Gearbox)
    disc: DiscBrake = field(default_factory=lambda: DiscBrake(joint="wheel", pressure=0.0))
    gear: int = 2
    radius: float = 0.286
    trail: float = 0.04
    drag: float = 0.5

    def pull(self, speed: Scalar, opening: Scalar, pressure: Scalar) -> Scalar:
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


def by_wire_car(
    rate: float = 1000.0, parts: ByWireCar | None = None, speed: float = 0.0, driver: bool = False
) -> Model:
    """A model that ticks `rate` times a second and starts at a `speed` [m/s]. Its inputs are the
    counts of Gallo's block: "throttle" (420 at full), "brake" (32767 at 40 bar) and "steering"
    (2000 a turn of the steering wheel). All of them go through the actuators.

    With a `driver` the steering wheel is there as well: the input "hand" [N m] turns it, its motor
    gives it the road's feel, and its encoder, the sensor "steering", replaces that input. What such
    a run shows of throttle, brake and steering repeats it without a driver."""
    p, tick, m = parts or ByWireCar(), 1.0 / rate, Model("car by wire")
    demand = m.input("throttle") * (p.throttle.most / p.engine.counts)
    opened = p.throttle.add(m, "throttle stepper", demand, tick)
    braked = p.brake.add(m, "brake servo", line_pressure(m.input("brake")), tick)
    load = m.memory("road load", 0.0, unit="N m") if driver else None
    if load is not None:
        wheel = p.steering_wheel.add(m, "steering wheel", m.input("hand"), load, tick)
        counts: Value = wheel.counts
        m.sensor("felt", Signal(wheel.felt, "N m"))
        m.sensor("steering", Signal(counts, ""))
    else:
        counts = m.input("steering")
    turned = p.road_wheel.add(m, "road wheel", p.steering_wheel.encoder.quantity(counts), tick)
    car = add_single_track(
        m, p.car, turned.rate, lambda at: p.pull(at.speed, opened.opening, braked.pressure),
        SingleTrackState(0.0, 0.0, 0.0, speed, 0.0),
    )  # fmt: skip
    torque = p.aligning(car)
    turned.loaded(torque)
    if load is not None:
        m.set_update("road load", torque * (1.0 / p.road_wheel.ratio))
    shown = {
        "x": (car.x, "m"), "y": (car.y, "m"), "speed": (car.speed, "m/s"), "yaw": (car.yaw, "rad"),
        "yaw rate": (car.yaw_rate, "rad/s"), "steer": (car.steer, "rad"),
        "pressure": (braked.pressure, "Pa"), "opening": (opened.opening, ""),
        "aligning torque": (torque, "N m"),
    }  # fmt: skip
    for name, (value, unit) in shown.items():
        m.sensor(name, Signal(value, unit))
    return m
