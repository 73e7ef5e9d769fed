"""How the tilting vehicle knows its tilt, and what it does with it.

Direct tilt control: a motor on the tilting shaft turns the body to where gravity and the turn's
acceleration add up to a push straight into the seat, tan θ = v² κ/g; steering stays the driver's.
The tilt is a Kalman filter's of two sensors, neither of which would do: the potentiometer on the
shaft is coarse and noisy, the gyroscope of the IMU has a bias, so that its sum runs away. (The
accelerometers don't tell the tilt: in a turn as it should be they feel the same as upright.)"""

from dataclasses import dataclass, field
from math import pi, sqrt

from touchback import Expr, JointEffort, Model, atan, cos, select, sin, tan
from touchback.devices.motors import Motor
from touchback.devices.sensors import Converter, Imu, Potentiometer, noise
from touchback.estimate import Kalman, gyro_fusion
from touchback.gallery.tilting.mechanism import SPINS, TILT, Tilting
from touchback.model.frame import Place
from touchback.numbers import Scalar

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

    potentiometer: Potentiometer = field(default_factory=lambda: Potentiometer(270.0 * _DEGREE))
    converter: Converter = field(default_factory=lambda: Converter(10, 0.0, 5.0))
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

    def fusion(self) -> Kalman:
        """The filter of tilt and bias."""
        return gyro_fusion(
            1.0 / RATE, self.angle_noise, self.rate_noise, self.bias_wander, self.sway
        )


@dataclass(frozen=True)
class Balance:
    """Stiffness [N m/rad] and damping [N m s/rad] about the wanted tilt, of a `motor` on the
    shaft; those of the steering servo, and of the wheels' hub motors [N m s/rad]."""

    sensors: TiltSensors = field(default_factory=TiltSensors)
    motor: Motor = field(default_factory=lambda: Motor(0.06, 5.0, gearing=30.0))
    stiffness: float = 120.0
    damping: float = 16.0
    steering: tuple[float, float] = (6.0, 1.6)
    hub: float = 0.2


def add_balance(model: Model, plan: Tilting, balance: Balance, seat: Place, speed: float) -> None:
    """Sensors, filter and controllers. Inputs: "speed" [m/s] and "steering" [rad], of the front
    wheel on the body. Signals: "potentiometer", "gyroscope", "estimated tilt", "estimated bias",
    "wanted tilt", "tilt torque", and "felt sideways", the acceleration into the driver's side."""
    wanted_speed = model.input("speed", unit="m/s", default=speed, min=0.0, max=6.0)
    handle = model.input("steering", unit="rad", min=-0.35, max=0.35)
    stiff, damped = balance.steering
    servo = stiff * (handle - model.coordinate("steer")) - damped * model.rate("steer")
    model.force("steering servo", JointEffort("steer", servo))
    rolled = [plan.radius * model.rate(spin) for spin in SPINS[:2]]
    going = 0.5 * (rolled[0] + rolled[1])
    for spin, v in zip(SPINS, rolled, strict=False):
        push = balance.hub * (wanted_speed - v) * (1.0 / plan.radius)
        model.force(f"{spin} motor", JointEffort(spin, push))
    tilt, rate = _estimates(model, balance.sensors, seat)
    per_slope = 1.0 / (plan.wheelbase * cos(tilt))  # curvature of a leaning wheel, over tan δ
    curvature = tan(model.coordinate("steer")) * per_slope
    nearer = 1.0 - curvature * plan.com[2] * sin(tilt)  # its seat's radius, over that of its wheels
    wanted = atan(going * going * curvature * nearer * (1.0 / _GRAVITY))
    wanted_rate = going * going * model.rate("steer") * per_slope * (1.0 / _GRAVITY)
    on = model.parameter("tilt control", 1.0, min=0.0, max=1.0)
    asked = balance.stiffness * (wanted - tilt) + balance.damping * (wanted_rate - rate)
    given = select(abs(tilt) < FALLEN, on * asked, 0.0)
    torque = balance.motor.torque(balance.motor.current(given))
    held = model.memory("tilt torque", update=torque, unit="N m")
    model.force("tilt motor", JointEffort(TILT, held))
    model.memory("wanted tilt", update=wanted, unit="rad")


def _estimates(model: Model, sensors: TiltSensors, seat: Place) -> tuple[Scalar, Scalar]:
    """The tilt and its rate that the tick at hand knows, of both sensors."""
    pot, adc = sensors.potentiometer, sensors.converter
    hiss = noise(model, "hiss", sensors.voltage_noise, sensors.seed)
    shown = pot.quantity(adc.quantity(adc.reading(pot.reading(model.coordinate(TILT)) + hiss)))
    felt, turning = Imu().add(model, "imu", seat)
    wander = noise(model, "bias drift", sensors.bias_wander / sqrt(RATE), sensors.seed + 2)
    drifting = model.memory("bias", sensors.bias, unit="rad/s")
    model.set_update("bias", drifting + wander)
    hum = noise(model, "gyroscope noise", sensors.rate_noise, sensors.seed + 1)
    seen = turning[0] + drifting + hum
    model.memory("potentiometer", update=shown, unit="rad")
    before = model.memory("gyroscope", sensors.bias, update=seen, unit="rad/s")
    model.memory("felt sideways", update=felt[1], unit="m/s^2")
    memory: list[Expr] = [
        model.memory("estimated tilt", unit="rad"), model.memory("estimated bias", unit="rad/s")
    ]  # fmt: skip
    (tilt, bias), _ = sensors.fusion().step(memory, shown, 0.5 * (before + seen))
    model.set_update("estimated tilt", tilt)
    model.set_update("estimated bias", bias)
    return tilt, seen - bias
