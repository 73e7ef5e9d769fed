"""The narrow tilting vehicle, whose motor leans it into turns (Docquier 2021, section 5.3).

Two rear wheels stand on a parallelogram: a beam across, on the tilting shaft under the body, an
upright at either end, and two rods from the uprights' tops to the body. The beam stays level
between its two tyres; body and wheels lean as those of a motorcycle do. Numbers are our own, of a
small-scale demonstrator such as Docquier 2021, section 5.3 shows.

Direct tilt control: a motor on the tilting shaft turns the body to where gravity and the turn's
acceleration add up to a push straight into the seat, tan θ = v² κ/g; steering stays the driver's.
The tilt is a Kalman filter's of two sensors, neither of which would do: the potentiometer on the
shaft is coarse and noisy, the gyroscope of the IMU has a bias, so that its sum runs away. (The
accelerometers don't tell the tilt: in a turn as it should be they feel the same as upright.)
"""

from dataclasses import dataclass, field
from math import pi, sqrt

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment
from touchback.model import BodyHandle, Place, check_positive
from touchback.numbers import Scalar

# ---- mechanism -----------------------------------------------------------------------------------

TILT = "tilt"  # the shaft's joint: how far the body leans to the left [rad]
OUT = 0.24, 0.20  # m: how wide and how high outriggers end, on which it lies once it has fallen
SPINS = ("rear left spin", "rear right spin", "front spin")


def _tyre() -> tb.vehicle.BrushTyre:
    return tb.vehicle.BrushTyre(
        unloaded_radius=0.1008, vertical_stiffness=6e4, vertical_damping=60.0, relaxation_x=0.02,
        relaxation_y=0.05, slip_stiffness=1000.0, cornering_stiffness=750.0, nominal_load=50.0,
        friction=1.0, patch=0.01,
    )  # fmt: skip


@dataclass(frozen=True)
class Tilting:
    """Lengths [m], masses [kg], moments about the centres of mass [kg m²]. The origin is on the
    road under the rear axle; wheels' centres are at `radius`, where the beam is too; `link` is how
    far above it the rods are."""

    wheelbase: float = 0.70
    half_track: float = 0.14
    radius: float = 0.10
    link: float = 0.06
    mass: float = 12.0
    com: tuple[float, float, float] = (0.30, 0.0, 0.26)
    inertia: tuple[float, float, float] = (0.15, 0.50, 0.45)
    beam_mass: float = 0.6
    upright_mass: float = 0.3
    fork_mass: float = 0.4
    wheel: tb.vehicle.Wheel = field(
        default_factory=lambda: tb.vehicle.Wheel(mass=0.5, spin_inertia=0.004, cross_inertia=0.0022)
    )
    tyre: tb.vehicle.AnyTyre = field(default_factory=_tyre)

    def __post_init__(self) -> None:
        lengths = {
            name: getattr(self, name) for name in ("wheelbase", "half_track", "radius", "link")
        }
        check_positive("Tilting", **lengths, mass=self.mass)
        if self.com[1] != 0.0:
            raise tb.ModelError(
                f"Tilting: the body's centre of mass is {self.com[1]} m off its middle; it would "
                "not stand upright. Give y = 0."
            )


def add_tilting(model: tb.Model, plan: Tilting, speed: float = 0.0) -> BodyHandle:
    """Put it on the level road z = 0, upright and ahead with `speed` [m/s]: its body. Joints are
    "tilt" of the beam on the body, "steer" of the fork, and the `SPINS`."""
    body = model.body("body", plan.mass, plan.com, plan.inertia)
    model.joint("body", tb.Free(), model.ground, body, velocity=[speed, 0.0, 0.0, 0.0, 0.0, 0.0])
    wide, slim = plan.half_track, plan.link
    across = plan.beam_mass * wide**2 / 3.0
    beam = model.body("beam", plan.beam_mass, inertia=(across, across / 20.0, across))
    shaft = body.at(0.0, 0.0, plan.radius)
    model.joint(TILT, tb.Revolute("x"), shaft, beam, limits=(-0.7, 0.7), stop=(400.0, 4.0))
    spin = speed / plan.radius
    for word, sign in (("left", 1.0), ("right", -1.0)):
        moment = plan.upright_mass * slim**2 / 3.0
        upright = model.body(
            f"{word} upright", plan.upright_mass, inertia=(moment, moment, moment / 10.0)
        )
        model.joint(f"{word} upright", tb.Revolute("x"), beam.at(0.0, sign * wide, 0.0), upright)
        ends = body.at(0.0, 0.0, plan.radius + slim), upright.at(0.0, 0.0, slim)
        model.close(f"{word} rod", tb.Rod(wide), *ends)
        _add_wheel(model, plan, upright.at(0.0, 0.0, 0.0), f"rear {word}", spin)
    fork = model.body("fork", plan.fork_mass, inertia=(1e-3, 1e-3, 4e-4))
    model.joint("steer", tb.Revolute("z"), body.at(plan.wheelbase, 0.0, plan.radius), fork)
    _add_wheel(model, plan, fork.at(0.0, 0.0, 0.0), "front", spin)
    for word, sign in (("left", 1.0), ("right", -1.0)):
        model.force(f"{word} outrigger", tb.contact.SphereOnPlane(
            body.at(plan.com[0], sign * OUT[0], OUT[1]), radius=0.02, stiffness=1e5, damping=2.0,
            friction=0.3, slip_speed=0.05,
        ))  # fmt: skip
    low, length = plan.radius + 0.02, plan.wheelbase
    model.shape("floor", body.at(0.4 * length, 0, low), tb.Box((0.8 * length, 0.12, 0.03)))
    model.shape("steering head", fork.at(0, 0, 0.12), tb.Sphere(0.02))
    model.shape("driver", body.at(plan.com[0] - 0.07, 0, low + 0.2), tb.Capsule(0.05, 0.2))
    return body


def _add_wheel(model: tb.Model, plan: Tilting, hub: tb.Frame, name: str, spin: float) -> None:
    w = plan.wheel
    inertia = (w.cross_inertia, w.spin_inertia, w.cross_inertia)
    wheel = model.body(f"{name} wheel", w.mass, inertia=inertia)
    model.joint(f"{name} spin", tb.Revolute("y"), hub, wheel, velocity=[spin])
    model.force(f"{name} tyre", tb.vehicle.TyreOnRoad(wheel=wheel.at(0, 0, 0), tyre=plan.tyre))
    model.sensor(name, tb.vehicle.TyreForces(f"{name} tyre"))
    model.shape(
        f"{name} wheel", wheel.at(0, 0, 0, turn=("x", pi / 2)), tb.Cylinder(plan.radius, 0.02)
    )


# ---- tilt control --------------------------------------------------------------------------------

RATE = 1000.0  # ticks a second
FALLEN = 0.6  # rad of tilt from which nothing is left to save
_GRAVITY = 9.81  # m/s²
_DEGREE = pi / 180.0


@dataclass(frozen=True)
class TiltSensors:
    """A potentiometer behind a converter, with noise [V] of one deviation, and an IMU whose rates
    have noise [rad/s] and, about the axis of tilt, a `bias` [rad/s] at first that nobody knows and
    that wanders [rad/s per √s]. The filter believes the same, and that the beam sways on its tyres
    [rad per √s]."""

    potentiometer: tb.devices.Potentiometer = field(
        default_factory=lambda: tb.devices.Potentiometer(270.0 * _DEGREE)
    )
    converter: tb.devices.Converter = field(
        default_factory=lambda: tb.devices.Converter(10, 0.0, 5.0)
    )
    voltage_noise: float = 0.01
    rate_noise: float = 0.3 * _DEGREE
    bias: float = 2.0 * _DEGREE
    bias_wander: float = 0.05 * _DEGREE
    sway: float = 4e-4
    seed: int = 1

    @property
    def angle_noise(self) -> float:
        """Of a sample of the potentiometer [rad]; a converter's step Δ counts as Δ/√12."""
        volts = sqrt(self.voltage_noise**2 + self.converter.resolution**2 / 12.0)
        return volts * self.potentiometer.travel / self.potentiometer.supply

    def fusion(self) -> tb.estimate.Kalman:
        """The filter of tilt and bias."""
        return tb.estimate.gyro_fusion(
            1.0 / RATE, self.angle_noise, self.rate_noise, self.bias_wander, self.sway
        )


@dataclass(frozen=True)
class Balance:
    """Stiffness [N m/rad] and damping [N m s/rad] about the wanted tilt, of a `motor` on the
    shaft; those of the steering servo, and of the wheels' hub motors [N m s/rad]."""

    sensors: TiltSensors = field(default_factory=TiltSensors)
    motor: tb.devices.Motor = field(
        default_factory=lambda: tb.devices.Motor(0.06, 5.0, gearing=30.0)
    )
    stiffness: float = 120.0
    damping: float = 16.0
    steering: tuple[float, float] = (6.0, 1.6)
    hub: float = 0.2


def add_balance(
    model: tb.Model, plan: Tilting, balance: Balance, seat: Place, speed: float
) -> None:
    """Sensors, filter and controllers. Inputs: "speed" [m/s] and "steering" [rad], of the front
    wheel on the body. Signals: "potentiometer", "gyroscope", "estimated tilt", "estimated bias",
    "wanted tilt", "tilt torque", and "felt sideways", the acceleration into the driver's side."""
    wanted_speed = model.input("speed", unit="m/s", default=speed, min=0.0, max=6.0)
    handle = model.input("steering", unit="rad", min=-0.35, max=0.35)
    stiff, damped = balance.steering
    servo = stiff * (handle - model.coordinate("steer")) - damped * model.rate("steer")
    model.force("steering servo", tb.JointEffort("steer", servo))
    rolled = [plan.radius * model.rate(spin) for spin in SPINS[:2]]
    going = 0.5 * (rolled[0] + rolled[1])
    for spin, v in zip(SPINS, rolled, strict=False):
        push = balance.hub * (wanted_speed - v) * (1.0 / plan.radius)
        model.force(f"{spin} motor", tb.JointEffort(spin, push))
    tilt, rate = _estimates(model, balance.sensors, seat)
    per_slope = 1.0 / (plan.wheelbase * tb.cos(tilt))  # curvature of a leaning wheel, over tan δ
    curvature = tb.tan(model.coordinate("steer")) * per_slope
    nearer = 1.0 - curvature * plan.com[2] * tb.sin(
        tilt
    )  # its seat's radius, over that of its wheels
    wanted = tb.atan(going * going * curvature * nearer * (1.0 / _GRAVITY))
    wanted_rate = going * going * model.rate("steer") * per_slope * (1.0 / _GRAVITY)
    on = model.parameter("tilt control", 1.0, min=0.0, max=1.0)
    asked = balance.stiffness * (wanted - tilt) + balance.damping * (wanted_rate - rate)
    given = tb.select(abs(tilt) < FALLEN, on * asked, 0.0)
    torque = balance.motor.torque(balance.motor.current(given))
    held = model.memory("tilt torque", update=torque, unit="N m")
    model.force("tilt motor", tb.JointEffort(TILT, held))
    model.memory("wanted tilt", update=wanted, unit="rad")


def _estimates(model: tb.Model, sensors: TiltSensors, seat: Place) -> tuple[Scalar, Scalar]:
    """The tilt and its rate that the tick at hand knows, of both sensors."""
    pot, adc = sensors.potentiometer, sensors.converter
    hiss = tb.devices.sensors.noise(model, "hiss", sensors.voltage_noise, sensors.seed)
    shown = pot.quantity(adc.quantity(adc.reading(pot.reading(model.coordinate(TILT)) + hiss)))
    felt, turning = tb.devices.Imu().add(model, "imu", seat)
    wander = tb.devices.sensors.noise(
        model, "bias drift", sensors.bias_wander / sqrt(RATE), sensors.seed + 2
    )
    drifting = model.memory("bias", sensors.bias, unit="rad/s")
    model.set_update("bias", drifting + wander)
    hum = tb.devices.sensors.noise(model, "gyroscope noise", sensors.rate_noise, sensors.seed + 1)
    seen = turning[0] + drifting + hum
    model.memory("potentiometer", update=shown, unit="rad")
    before = model.memory("gyroscope", sensors.bias, update=seen, unit="rad/s")
    model.memory("felt sideways", update=felt[1], unit="m/s^2")
    memory: list[tb.Expr] = [
        model.memory("estimated tilt", unit="rad"), model.memory("estimated bias", unit="rad/s")
    ]  # fmt: skip
    (tilt, bias), _ = sensors.fusion().step(memory, shown, 0.5 * (before + seen))
    model.set_update("estimated tilt", tilt)
    model.set_update("estimated bias", bias)
    return tilt, seen - bias


# ---- vehicle and experiment ----------------------------------------------------------------------

SPEED = 3.0  # m/s
# Left, right, and straight on: s, rad
STEERING = (0.0, 0.5, 0.8, 3.0, 3.6, 5.8, 6.1, 8.0), (0.0, 0.0, 0.25, 0.25, -0.25, -0.25, 0.0, 0.0)


def make(plan: Tilting | None = None, balance: Balance | None = None) -> tb.Model:
    """At 3 m/s on a level road; inputs "speed" [m/s] and "steering" [rad]."""
    plan, balance = plan or Tilting(), balance or Balance()
    m = tb.Model("tilting vehicle")
    body = add_tilting(m, plan, SPEED)
    # Its x backwards, y to the right: the gyroscope's rate is that of a tilt to the left.
    x, _, z = plan.com
    add_balance(m, plan, balance, body.at(x, 0.0, z, turn=("z", pi)), SPEED)
    return m


ENTRY = Entry(
    "tilting-vehicle",
    "a narrow vehicle that a motor leans into turns, by IMU and potentiometer together",
    make,
    Experiment(
        8.0, inputs={"steering": STEERING},
        signals=("tilt", "wanted tilt", "felt sideways", "tilt torque", "estimated bias"),
        rate=RATE,
    ),
    sentences=(
        "A narrow vehicle of three wheels would fall over; a motor on its tilting shaft balances "
        "it.",
        "Its tilt is estimated from a coarse potentiometer and a gyroscope with an unknown bias, "
        "and in a turn it leans until nothing pushes its driver sideways.",
        'Turn "steering" and change "speed", then set "tilt control" to zero and see it fall.',
    ),
)  # fmt: skip
__all__ = ["Balance", "TiltSensors", "Tilting", "add_balance", "add_tilting", "make"]
