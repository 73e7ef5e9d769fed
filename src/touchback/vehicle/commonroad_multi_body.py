"""CommonRoad's multi-body car (MB): a sprung mass and two axles on tyres, 29 states; its tyre is a
Magic Formula without scales, pressure or turn slip.

Althoff and Würsching, "CommonRoad: Vehicle models", 2020, section 9 and table 7; its z points down.
With operators over any number."""

from dataclasses import astuple, dataclass
from math import inf

from msgspec import structs

from touchback import Expr, Model, atan, cos, maximum, select, sign, sin, sqrt, tan
from touchback.errors import ModelError
from touchback.model import Data, Value, check_positive, check_values, number
from touchback.numbers import Scalar, as_float
from touchback.vehicle.car_part import FromZero, Length, Number, Part, Positive, Share, Size
from touchback.vehicle.single_track import SingleTrack, SingleTrackState

_GRAVITY = 9.81  # m/s²
_SLOWEST = 0.1  # m/s: below this speed the car goes where its wheels point
_LEAST = 1e-6  # m/s, of a wheel that slips


class CommonRoadTyre(Data, frozen=True, kw_only=True):
    """Coefficients by their names in the Magic Formula."""

    p_cx1: Value = 1.6411
    p_dx1: Value = 1.1739
    p_dx3: Value = 0.0
    p_ex1: Value = 0.46403
    p_kx1: Value = 22.303
    p_hx1: Value = 0.0012297
    p_vx1: Value = -8.8098e-06
    r_bx1: Value = 13.276
    r_bx2: Value = -13.778
    r_cx1: Value = 1.2568
    r_ex1: Value = 0.65225
    r_hx1: Value = 0.0050722
    p_cy1: Value = 1.3507
    p_dy1: Value = 1.0489
    p_dy3: Value = -2.8821
    p_ey1: Value = -0.0074722
    p_ky1: Value = -21.92
    p_hy1: Value = 0.0026747
    p_hy3: Value = 0.031415
    p_vy1: Value = 0.037318
    p_vy3: Value = -0.32931
    r_by1: Value = 7.1433
    r_by2: Value = 9.1916
    r_by3: Value = -0.027856
    r_cy1: Value = 1.0719
    r_ey1: Value = -0.27572
    r_hy1: Value = 5.7448e-06
    r_vy1: Value = -0.027825
    r_vy3: Value = -0.27568
    r_vy4: Value = 12.12
    r_vy5: Value = 1.9
    r_vy6: Value = -10.704

    def __post_init__(self) -> None:
        check_values("CommonRoadTyre", **structs.asdict(self))
        shapes = {name: getattr(self, name) for name in ("p_cx1", "p_dx1", "p_cy1", "p_dy1")}
        check_positive("CommonRoadTyre", **shapes)  # stiffnesses are divided by them

    def forces(
        self, slip: Scalar, angle: Scalar, camber: Scalar, load: Scalar
    ) -> tuple[Scalar, Scalar]:
        """Along and to the left [N] at a slip 1 − R ω/u (positive: braked), a slip angle to the
        left, a camber to the right [rad] and a load [N]."""
        grip_x = self.p_dx1 * (1.0 - self.p_dx3 * camber * camber)
        # CommonRoad adds the vertical shift to the argument of the sine
        along = (
            grip_x
            * load
            * sin(
                self.p_cx1
                * _bent(self.p_kx1 / (self.p_cx1 * grip_x) * (self.p_hx1 - slip), self.p_ex1)
                + load * self.p_vx1
            )
        )
        side, lean = sign(camber), abs(camber)
        grip_y = self.p_dy1 * (1.0 - self.p_dy3 * camber * camber)
        shifted = angle + side * (self.p_hy1 + self.p_hy3 * lean)
        across = grip_y * load * sin(
            self.p_cy1 * _bent(self.p_ky1 / (self.p_cy1 * grip_y) * shifted, self.p_ey1)
        ) + side * load * (self.p_vy1 + self.p_vy3 * lean)
        B = self.r_bx1 * cos(atan(self.r_bx2 * slip))
        along = along * _weight(B, self.r_cx1, self.r_ex1, self.r_hx1, angle)
        B = self.r_by1 * cos(atan(self.r_by2 * (angle - self.r_by3)))
        across = across * _weight(B, self.r_cy1, self.r_ey1, self.r_hy1, slip)
        induced = grip_y * load * (self.r_vy1 + self.r_vy3 * camber)
        induced = induced * cos(atan(self.r_vy4 * angle))
        return along, across + induced * sin(self.r_vy5 * atan(self.r_vy6 * slip))


def _bent(x: Scalar, curvature: Value) -> Scalar:
    """atan(x − E (x − atan x))."""
    return atan(x - curvature * (x - atan(x)))


def _weight(B: Scalar, shape: Value, curvature: Value, shift: Value, at: Scalar) -> Scalar:
    """What is left of a force under the other slip: cos(C …(at + S))/cos(C …(S))."""
    full = cos(shape * _bent(B * shift, curvature))
    return cos(shape * _bent(B * (at + shift), curvature)) / full


@dataclass(frozen=True)
class MultiBodyState:
    """x, y [m], steering angle, speed ahead, yaw and its rate, roll and pitch with their rates,
    speed to the left, z and its rate, of the car; roll, its rate, speed to the left, z and its
    rate of the front and the rear axle; spins of the wheels; shifts of the axles [m]. Or rates."""

    x: Scalar = 0.0
    y: Scalar = 0.0
    steer: Scalar = 0.0
    speed: Scalar = 0.0
    yaw: Scalar = 0.0
    yaw_rate: Scalar = 0.0
    roll: Scalar = 0.0
    roll_rate: Scalar = 0.0
    pitch: Scalar = 0.0
    pitch_rate: Scalar = 0.0
    aside: Scalar = 0.0
    z: Scalar = 0.0
    z_rate: Scalar = 0.0
    front_roll: Scalar = 0.0
    front_roll_rate: Scalar = 0.0
    front_aside: Scalar = 0.0
    front_z: Scalar = 0.0
    front_z_rate: Scalar = 0.0
    rear_roll: Scalar = 0.0
    rear_roll_rate: Scalar = 0.0
    rear_aside: Scalar = 0.0
    rear_z: Scalar = 0.0
    rear_z_rate: Scalar = 0.0
    front_left_spin: Scalar = 0.0
    front_right_spin: Scalar = 0.0
    rear_left_spin: Scalar = 0.0
    rear_right_spin: Scalar = 0.0
    front_shift: Scalar = 0.0
    rear_shift: Scalar = 0.0


class MultiBodyAxle(Part, frozen=True, kw_only=True):
    """Mass [kg] and roll inertia of an axle, its track and how far ahead of the centre of mass it
    is [m], stiffness and damping of a spring, torsion of its bar [N m/rad], camber per travel
    [rad/m], height of its roll axis [m]."""

    mass: Positive = 63.7921826056784
    inertia: Positive = 30.673279563178017
    ahead: Length = 1.1561957064
    track: Size = 1.38684
    spring: FromZero = 24453.137879749014
    damper: FromZero = 1786.2441002440723
    torsion: Number = -6914.881688272133
    camber: Number = -0.39370078740157477
    roll_axis: Length = 0.0


_REAR = MultiBodyAxle(
    inertia=29.670408143156248, ahead=-1.4227170936, track=1.36398, spring=19635.504745231297,
    damper=1649.0833034887382, torsion=-2643.6009520155308, camber=-0.905511811023622,
)  # fmt: skip


@dataclass(frozen=True)
class _Sums:
    """What an axle does: forces ahead, yaw moment, and forces and moments on the sprung mass and
    on itself; forces of its wheels ahead; rate of its shift."""

    ahead: Scalar
    yaw: Scalar
    joint: Scalar
    springs: Scalar
    roll: Scalar
    own_roll: Scalar
    own_z: Scalar
    own_aside: Scalar
    wheels: tuple[Scalar, Scalar]
    shift: Scalar


class MultiBodyCar(Part, frozen=True, kw_only=True):
    """Numbers of CommonRoad's vehicle 2, a BMW 320i; limits of steering and engine are those of
    `limits`. `brake_share` and `engine_share` are the front axle's.

    It only goes ahead: the published formulas have wheels that never turn back, and in reverse
    their slip would push it ever faster. Its limits begin at a speed of 0."""

    limits: SingleTrack = SingleTrack(speed_range=(0.0, 50.8))
    front: MultiBodyAxle = MultiBodyAxle()
    rear: MultiBodyAxle = _REAR
    tyre: CommonRoadTyre = CommonRoadTyre()
    sprung_mass: Positive = 965.7108098804363
    roll_inertia: Positive = 207.26524557936952
    pitch_inertia: Positive = 1565.8178787125541
    height: Size = 0.61373004
    radius: Size = 0.344
    wheel_inertia: Positive = 1.7
    tyre_stiffness: Positive = 158294.1398119115
    side_stiffness: FromZero = 175186.65943700788
    side_damping: FromZero = 10215.732056044453
    side_compliance: FromZero = 1.6430724599974725e-05
    brake_share: Share = 0.66
    engine_share: Share = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.limits.speed_range[0] < 0.0:
            raise ModelError(
                f"MultiBodyCar: its limits reach down to {self.limits.speed_range[0]:g} m/s, but "
                "it can't reverse; give them a speed_range from 0."
            )

    def at_rest(self, speed: float = 0.0) -> MultiBodyState:
        """Straight ahead, springs and tyres under its weight."""
        _check_ahead(speed)
        base = self.front.ahead - self.rear.ahead
        sinks = [
            (self.sprung_mass * share / base + axle.mass) * _GRAVITY / (2 * self.tyre_stiffness)
            for axle, share in ((self.front, -self.rear.ahead), (self.rear, self.front.ahead))
        ]
        spin = speed / self.radius
        return MultiBodyState(
            speed=speed, front_z=sinks[0], rear_z=sinks[1], front_left_spin=spin,
            front_right_spin=spin, rear_left_spin=spin, rear_right_spin=spin,
        )  # fmt: skip

    def rates(self, at: MultiBodyState, steer_rate: Scalar, acceleration: Scalar) -> MultiBodyState:
        """Rates of the state at a steering rate and an acceleration that are asked for."""
        turn = self.limits.steering(at.steer, steer_rate)
        a = self.limits.acceleration(at.speed, acceleration)
        front, rear = self._axle(at, "front"), self._axle(at, "rear")
        ahead, yaw = front.ahead + rear.ahead, front.yaw + rear.yaw
        joints, springs = front.joint + rear.joint, front.springs + rear.springs
        f, r = self.front, self.rear
        pitch = f.ahead * front.springs + r.ahead * rear.springs + ahead * (self.height - at.z)
        slow = abs(at.speed) < _SLOWEST
        course = at.yaw + atan(at.aside / select(slow, 1.0, at.speed))
        pace = sqrt(at.speed * at.speed + at.aside * at.aside)
        slip = atan(tan(at.steer) * -r.ahead / (f.ahead - r.ahead))
        rolled = self.limits.rates(
            SingleTrackState(at.x, at.y, at.steer, at.speed, at.yaw, at.yaw_rate, slip), turn, a
        )
        drag = at.yaw_rate * at.speed
        fl, fr, rl, rr = self._spins(at, front, rear, a)
        side = joints * cos(at.roll) + springs * sin(at.roll)
        lift = springs * cos(at.roll) - joints * sin(at.roll)
        return MultiBodyState(
            select(slow, rolled.x, cos(course) * pace), select(slow, rolled.y, sin(course) * pace),
            turn, select(slow, a, ahead / self.limits.mass + at.yaw_rate * at.aside),
            select(slow, rolled.yaw, at.yaw_rate),
            select(slow, rolled.yaw_rate, yaw / self.limits.yaw_inertia),
            at.roll_rate, (front.roll + rear.roll) / self.roll_inertia,
            at.pitch_rate, pitch / self.pitch_inertia, side / self.sprung_mass - drag,
            at.z_rate, _GRAVITY - lift / self.sprung_mass,
            at.front_roll_rate, front.own_roll / f.inertia, front.own_aside / f.mass - drag,
            at.front_z_rate, _GRAVITY - front.own_z / f.mass,
            at.rear_roll_rate, rear.own_roll / r.inertia, rear.own_aside / r.mass - drag,
            at.rear_z_rate, _GRAVITY - rear.own_z / r.mass,
            fl, fr, rl, rr, front.shift, rear.shift,
        )  # fmt: skip

    def _spins(self, at: MultiBodyState, front: _Sums, rear: _Sums, a: Scalar) -> list[Scalar]:
        """Angular accelerations of the wheels, which never turn back."""
        torque = self.limits.mass * self.radius * a
        share = select(a > 0.0, self.engine_share, self.brake_share)
        found = []
        for end, part, sums in (("front", share, front), ("rear", 1.0 - share, rear)):
            for side, along in zip(("left", "right"), sums.wheels, strict=True):
                rate = (0.5 * part * torque - self.radius * along) / self.wheel_inertia
                spin = getattr(at, f"{end}_{side}_spin")
                found.append(select(spin < 0.0, 0.0, rate))
        return found

    def _axle(self, at: MultiBodyState, end: str) -> _Sums:
        """Forces of an axle: its tyres, its springs, and the compliant pin that holds it aside."""
        axle = self.front if end == "front" else self.rear
        own, steer = _own(at, end), at.steer if end == "front" else 0.0
        half, R = 0.5 * axle.track, self.radius
        lean, leaning = at.roll - own["roll"], at.roll_rate - own["roll_rate"]
        gap, closing = self.height - R + own["z"] - at.z, own["z_rate"] - at.z_rate
        sideways = at.aside + axle.ahead * at.yaw_rate
        wheels = [self._wheel(at, end, s) for s in (1.0, -1.0)]
        loads, springs, along, across = zip(*wheels, strict=True)
        arm, moved = axle.roll_axis - R, sideways - own["aside"]
        off = gap * sin(at.roll) - own["shift"] * cos(at.roll) - arm * sin(lean)
        speed = (
            (gap * cos(at.roll) + own["shift"] * sin(at.roll)) * at.roll_rate
            + closing * sin(at.roll) - moved * cos(at.roll) - arm * cos(lean) * leaning
        )  # fmt: skip
        pin = off * self.side_stiffness + speed * self.side_damping
        X = (along[0] + along[1]) * cos(steer) - (across[0] + across[1]) * sin(steer)
        Y = (across[0] + across[1]) * cos(steer) + (along[0] + along[1]) * sin(steer)
        twist = half * ((along[0] - along[1]) * cos(steer) - (across[0] - across[1]) * sin(steer))
        carried, uneven = springs[0] + springs[1], half * (springs[0] - springs[1])
        tipping = sum(
            load * (R * sin(own["roll"]) + s * half * cos(own["roll"]) - self.side_compliance * y)
            for load, y, s in zip(loads, across, (1.0, -1.0), strict=True)
        )
        return _Sums(
            ahead=X, yaw=axle.ahead * Y + twist, joint=pin, springs=carried,
            roll=uneven - pin / cos(at.roll) * (gap - arm * cos(own["roll"])),
            own_roll=tipping - uneven - pin * arm - Y * (R - own["z"]),
            own_z=loads[0] + loads[1] + pin * sin(at.roll) - carried * cos(at.roll),
            own_aside=Y - pin * cos(at.roll) - carried * sin(at.roll),
            wheels=(along[0], along[1]), shift=moved,
        )  # fmt: skip

    def _wheel(self, at: MultiBodyState, end: str, s: float) -> tuple[Scalar, ...]:
        """Load, spring force, force ahead and to the left of a wheel, the left one for s = 1."""
        axle, other = (self.front, self.rear) if end == "front" else (self.rear, self.front)
        own, steer = _own(at, end), at.steer if end == "front" else 0.0
        half, R = 0.5 * axle.track, self.radius
        lean, leaning = at.roll - own["roll"], at.roll_rate - own["roll_rate"]
        sunk = own["z"] + R * (cos(own["roll"]) - 1.0) - s * half * sin(own["roll"])
        gap, closing = self.height - R + own["z"] - at.z, own["z_rate"] - at.z_rate
        travel = gap / cos(at.roll) - self.height + R + axle.ahead * at.pitch + s * half * lean
        rate = closing + axle.ahead * at.pitch_rate + s * half * leaning
        weight = self.sprung_mass * _GRAVITY * abs(other.ahead) / abs(axle.ahead - other.ahead)
        spring = 0.5 * weight - travel * axle.spring - rate * axle.damper
        spring = spring + s * lean * axle.torsion / axle.track
        passing = at.speed + s * half * at.yaw_rate
        sideways = at.aside + axle.ahead * at.yaw_rate
        rolling = maximum(passing * cos(steer) + sideways * sin(steer), _LEAST)
        slow = abs(at.speed) < _SLOWEST
        spin = getattr(at, f"{end}_{'left' if s > 0.0 else 'right'}_spin")
        slip = select(slow, 0.0, 1.0 - R * spin / rolling)
        drift = sideways - own["roll_rate"] * (R - own["z"])
        angle = select(slow, 0.0, atan(drift / select(slow, 1.0, passing)) - steer)
        load, camber = sunk * self.tyre_stiffness, at.roll + s * axle.camber * travel
        return load, spring, *self.tyre.forces(slip, angle, camber, load)


def _own(at: MultiBodyState, end: str) -> dict[str, Scalar]:
    """What the state says of an axle."""
    words = ("roll", "roll_rate", "aside", "z", "z_rate", "shift")
    return {word: getattr(at, f"{end}_{word}") for word in words}


def _check_ahead(speed: object) -> None:
    if not 0.0 <= as_float(speed) < inf:
        raise ModelError(
            f"MultiBodyCar: its speed is {speed!r} m/s, but its wheels only turn ahead; give a "
            "number from 0, or reverse a SingleTrack or a whole car."
        )


def add_multi_body_car(
    model: Model,
    car: MultiBodyCar,
    steer_rate: Expr,
    acceleration: Expr,
    start: MultiBodyState | None = None,
    name: str = "car",
) -> MultiBodyState:
    """The model MB as extra states "`name` x" … "`name` rear shift" of a model, which a steering
    rate [rad/s] and an acceleration [m/s²] drive; gives them as expressions."""
    first = car.at_rest() if start is None else start
    if not isinstance(first, MultiBodyState):
        raise ModelError(f"add_multi_body_car: it starts at {first!r}; give a MultiBodyState.")
    _check_ahead(first.speed)
    words = [field.replace("_", " ") for field in MultiBodyState.__dataclass_fields__]
    made = [
        model.state(f"{name} {word}", number(f"MultiBodyState: its {word}", value))
        for word, value in zip(words, astuple(first), strict=True)
    ]
    state = MultiBodyState(*made)
    rates = car.rates(state, steer_rate, acceleration)
    for word, field in zip(words, MultiBodyState.__dataclass_fields__, strict=True):
        model.set_rate(f"{name} {word}", getattr(rates, field))
    return state
