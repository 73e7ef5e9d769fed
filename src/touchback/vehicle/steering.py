"""A steering wheel on a column with a torsion bar, a pinion on the rack, and an assist."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from touchback import ForceKind, JointEffort, Model, Multiplier, Prismatic, Revolute, maximum
from touchback.errors import ModelError
from touchback.model import BodyHandle, Forces, Mechanics, Value
from touchback.numbers import Scalar
from touchback.vehicle.car_part import FromZero, Length, Number, Part, Positive
from touchback.vehicle.piecewise_linear import check_curve, curve
from touchback.vehicle.scalar_operators import as_numbers, as_scalars

_SLIDING = 5e-3  # m/s of the rack, over which its friction comes up: slow enough for 1 ms
_TURNING = 0.05  # rad/s, likewise of the steering wheel
_MOST_FRICTION = 2e3  # N, live
_SOFTEST, _STIFFEST = 5.0, 1e3  # N m/rad, live


class Steering(Part, frozen=True, kw_only=True):
    """A rack and its column. `pinion` [m/rad] moves the rack to the left when the wheel turns to
    the left; negative where tie rods stand behind the axle. `torsion` [N m/rad] and
    `torsion_damping` [N m s/rad] are the torsion bar's; `friction` [N] and `damping` [N s/m] the
    rack's; `column_friction` [N m] the steering wheel's. The assist pushes the rack with
    `assist_force` [N] over the bar's torque `assist_torque` [N m], from 0 on and alike to both
    sides."""

    UNITS: ClassVar[dict[str, str]] = {
        "pinion": "m/rad",
        "rack_mass": "kg",
        "friction": "N",
        "damping": "N s/m",
        "wheel_inertia": "kg m²",
        "column_friction": "N m",
        "torsion": "N m/rad",
        "torsion_damping": "N m s/rad",
        "assist_torque": "N m",
        "assist_force": "N",
    }

    pinion: Length = -0.0075
    rack_mass: Positive = 2.5
    friction: Annotated[float, Meta(ge=0.0, le=_MOST_FRICTION)] = 120.0
    damping: FromZero = 300.0
    wheel_inertia: Positive = 0.035
    column_friction: FromZero = 0.3
    torsion: Annotated[float, Meta(ge=_SOFTEST, le=_STIFFEST)] = 115.0
    torsion_damping: FromZero = 0.3
    assist_torque: tuple[FromZero, ...] = (0.0, 1.5, 3.0, 6.0)
    assist_force: tuple[Number, ...] = (0.0, 200.0, 900.0, 3200.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pinion == 0.0:
            raise self.wrong("pinion", "its pinion is 0 m/rad and moves no rack; give another.")
        check_curve("Steering", assist_torque=self.assist_torque, assist_force=self.assist_force)
        if self.assist_torque[0] != 0.0:
            raise self.wrong(
                "assist_torque",
                f"its assist_torque begins at {self.assist_torque[0]:g} N m; it must begin at 0.",
            )

    @property
    def rack_stiffness(self) -> float:
        """Of the rack when the steering wheel is held, without assist [N/m]."""
        return self.torsion / self.pinion**2


class Column(ForceKind, frozen=True, kw_only=True, tag="steering-column"):
    """The torsion bar between the joints of a `wheel` and a `rack`: T = k φ + c φ̇ of its twist
    φ = θ − y/r; T acts back on the wheel, T/r and the assist F(|T|) sgn T `gain` on the rack."""

    UNITS: ClassVar[dict[str, str]] = {
        "pinion": "m/rad",
        "torsion": "N m/rad",
        "damping": "N m s/rad",
        "assist_torque": "N m",
        "assist_force": "N",
        "gain": "1",
    }
    NAMES: ClassVar[tuple[str, ...]] = ("wheel", "rack")
    wheel: str
    rack: str
    pinion: Value
    torsion: Value
    damping: Value
    assist_torque: tuple[float, ...]
    assist_force: tuple[Value, ...]
    gain: Value = 1.0

    def apply(self, mechanics: Forces) -> None:
        k = mechanics.k
        torque, r, gain = self.torque(mechanics)
        knots = as_numbers(k, map(mechanics.value, self.assist_force))
        # an odd curve without a jump: one half acts at a time
        up = curve(self.assist_torque, knots, maximum(torque, 0.0))
        down = curve(self.assist_torque, knots, maximum(-torque, 0.0))
        sense = r / abs(r)  # the assist helps the hands, whichever way the pinion turns
        pushed = torque / r + gain * sense * (up - down)
        for joint, effort in ((self.wheel, -torque), (self.rack, pushed)):
            mechanics.add_effort(joint, 0, as_scalars(k, [effort])[0])

    def torque(self, mechanics: Mechanics) -> tuple[Scalar, Scalar, Scalar]:
        """T [N m], and the pinion's radius and the assist's gain as numbers."""
        k, ask = mechanics.k, mechanics
        angle, way = ask.coordinate(self.wheel), ask.coordinate(self.rack)
        turning, moving = ask.rate(self.wheel), ask.rate(self.rack)
        given = map(ask.value, (self.pinion, self.torsion, self.damping, self.gain))
        theta, y, omega, v = as_numbers(k, (angle, way, turning, moving))
        r, stiffness, damping, gain = as_numbers(k, given)
        return stiffness * (theta - y / r) + damping * (omega - v / r), r, gain

    def potential(self, mechanics: Mechanics) -> Scalar:
        k = mechanics.k
        r, stiffness = as_numbers(k, map(mechanics.value, (self.pinion, self.torsion)))
        angle, way = mechanics.coordinate(self.wheel), mechanics.coordinate(self.rack)
        theta, y = as_numbers(k, (angle, way))
        twist = theta - y / r
        return as_scalars(k, [0.5 * stiffness * twist * twist])[0]


@dataclass(frozen=True)
class SteeringParts:
    """The rack's body, and the joints of the rack and of the steering wheel."""

    rack: BodyHandle
    rack_joint: str
    wheel_joint: str


def add_steering(
    model: Model,
    steering: Steering,
    chassis: BodyHandle,
    at: float = 0.0,
    hands: Literal["angle", "torque"] = "angle",
) -> SteeringParts:
    """A rack at the axle whose middle is `at` [m] ahead of the chassis's origin, and a steering
    wheel. With `hands` "angle" the wheel is a driven coordinate, by inputs "steering angle", "…
    rate" and "… acceleration", and its torque, the driver's, is a sensor "steering torque"; with
    "torque" that torque is an input, and the wheel turns as it will."""
    if hands not in ("angle", "torque"):
        raise ModelError(f"Steering: hands give an 'angle' or a 'torque', got {hands!r}.")
    live = model.parameter
    rack = model.body("rack", steering.rack_mass)
    friction = live("steering friction", steering.friction, "N", 0.0, _MOST_FRICTION)
    model.joint(
        "rack", Prismatic("y"), chassis.at(at, 0, 0), rack, damping=steering.damping,
        friction=friction, friction_speed=_SLIDING,
    )  # fmt: skip
    wheel = model.body("steering wheel", inertia=(0.0, 0.0, steering.wheel_inertia))
    model.joint(
        "steering wheel", Revolute("z"), chassis, wheel, friction=steering.column_friction,
        friction_speed=_TURNING,
    )  # fmt: skip
    model.force("steering column", Column(
        wheel="steering wheel", rack="rack", pinion=steering.pinion,
        torsion=live("torsion bar", steering.torsion, "N m/rad", _SOFTEST, _STIFFEST),
        damping=steering.torsion_damping, gain=live("assist", 1.0, "", 0.0, 3.0),
        assist_torque=steering.assist_torque, assist_force=steering.assist_force,
    ))  # fmt: skip
    if hands == "torque":
        given = model.input("steering torque", unit="N m")
        model.force("hands", JointEffort("steering wheel", given))
    else:
        angle = model.input("steering angle", unit="rad")
        rate = model.input("steering rate", unit="rad/s")
        acceleration = model.input("steering acceleration", unit="rad/s^2")
        model.drive("steering wheel", angle, rate, acceleration, name="hands")
        model.sensor("steering torque", Multiplier("hands"))
    return SteeringParts(rack, "rack", "steering wheel")
