"""The single-track car: both wheels of an axle in one (CommonRoad's models KS and ST).

Althoff and Würsching, "CommonRoad: Vehicle models", 2020; with operators over any number."""

from collections.abc import Callable
from dataclasses import dataclass

from touchback import Expr, Model, cos, maximum, minimum, select, sin, tan
from touchback.callback_signature import check_takes
from touchback.errors import ModelError
from touchback.model import Data, check_positive, pair
from touchback.numbers import Scalar

_GRAVITY = 9.81  # m/s²
_SLOWEST = 0.1  # m/s: below this speed the car goes where its wheels point


@dataclass(frozen=True)
class SingleTrackState:
    """Position of the centre of mass (x, y) [m], steering angle δ of the front wheel [rad], speed v
    [m/s], yaw ψ [rad] and yaw rate [rad/s], slip angle β of the centre of mass [rad]; or the rates
    of all of them."""

    x: Scalar
    y: Scalar
    steer: Scalar
    speed: Scalar
    yaw: Scalar
    yaw_rate: Scalar = 0.0
    slip: Scalar = 0.0


class SingleTrack(Data, frozen=True):
    """Masses [kg, kg m²], distances of the axles and height of the centre of mass [m], cornering
    stiffness of each axle per load [1/rad], friction, and what steering and engine can do.

    The numbers are CommonRoad's vehicle 2, a BMW 320i: `height` is its h_s, `cornering`
    −p_ky1/p_dy1 and `friction` p_dy1 of its tyre."""

    mass: float = 1093.2952334674046
    yaw_inertia: float = 1791.5995300122856
    front: float = 1.1561957064
    rear: float = 1.4227170936
    height: float = 0.61373004
    cornering: tuple[float, float] = (21.92 / 1.0489, 21.92 / 1.0489)
    friction: float = 1.0489
    steer_range: tuple[float, float] = (-1.066, 1.066)
    steer_rate_range: tuple[float, float] = (-0.4, 0.4)
    speed_range: tuple[float, float] = (-13.9, 50.8)
    acceleration_most: float = 11.5
    switching_speed: float = 7.319

    def __post_init__(self) -> None:
        check_positive(
            "SingleTrack", mass=self.mass, yaw_inertia=self.yaw_inertia, front=self.front,
            rear=self.rear, friction=self.friction, acceleration_most=self.acceleration_most,
            switching_speed=self.switching_speed,
        )  # fmt: skip
        check_positive("SingleTrack", zero=True, height=self.height)
        coefficients = pair("SingleTrack: cornering", self.cornering)
        for axle, coefficient in zip(("front", "rear"), coefficients, strict=True):
            check_positive(f"SingleTrack: {axle}", cornering=coefficient)
        for word in ("steer_range", "steer_rate_range", "speed_range"):
            low, high = pair(f"SingleTrack: {word}", getattr(self, word))
            if not low < high:
                raise ModelError(
                    f"SingleTrack: its {word} goes from {low} to {high}; give the lower one first."
                )

    @property
    def wheelbase(self) -> float:
        """Distance of the axles [m]."""
        return self.front + self.rear

    def steering(self, angle: Scalar, rate: Scalar) -> Scalar:
        """The rate that steering can have: none beyond its range."""
        (low, high), (slowest, fastest) = self.steer_range, self.steer_rate_range
        held = minimum(maximum(rate, slowest), fastest)
        held = select(angle <= low, maximum(held, 0.0), held)
        return select(angle >= high, minimum(held, 0.0), held)

    def acceleration(self, speed: Scalar, asked: Scalar) -> Scalar:
        """The acceleration that the engine can give: a_max, falling with 1/v above the switching
        speed; none beyond the range of speeds."""
        low, high = self.speed_range
        most = self.acceleration_most * minimum(
            self.switching_speed / maximum(speed, self.switching_speed), 1.0
        )
        held = minimum(maximum(asked, -self.acceleration_most), most)
        held = select(speed <= low, maximum(held, 0.0), held)
        return select(speed >= high, minimum(held, 0.0), held)

    def kinematic(
        self, at: SingleTrackState, steer_rate: Scalar, acceleration: Scalar
    ) -> SingleTrackState:
        """Rates of the model KS: the rear axle (x, y) goes where its wheel points."""
        return SingleTrackState(
            at.speed * cos(at.yaw), at.speed * sin(at.yaw), self.steering(at.steer, steer_rate),
            self.acceleration(at.speed, acceleration), at.speed / self.wheelbase * tan(at.steer),
        )  # fmt: skip

    def rates(
        self, at: SingleTrackState, steer_rate: Scalar, acceleration: Scalar
    ) -> SingleTrackState:
        """Rates of the model ST: axles push sideways in proportion to slip angle and load, which an
        acceleration shifts from one to the other; below 0.1 m/s the car goes where its wheels
        point."""
        turn, a = self.steering(at.steer, steer_rate), self.acceleration(at.speed, acceleration)
        moving = select(abs(at.speed) < _SLOWEST, _SLOWEST, at.speed)
        load = self.mass / self.wheelbase
        load_front = load * (_GRAVITY * self.rear - a * self.height)
        load_rear = load * (_GRAVITY * self.front + a * self.height)
        slip_front = at.steer - at.slip - self.front * at.yaw_rate / moving
        slip_rear = self.rear * at.yaw_rate / moving - at.slip
        side_front = self.friction * self.cornering[0] * load_front * slip_front
        side_rear = self.friction * self.cornering[1] * load_rear * slip_rear
        torque = self.front * side_front - self.rear * side_rear
        slow = abs(at.speed) < _SLOWEST
        rolled = self._rolled(at, turn, a)
        slip_rate = (side_front + side_rear) / (self.mass * moving) - at.yaw_rate
        course = at.yaw + at.slip
        return SingleTrackState(
            at.speed * cos(course), at.speed * sin(course), turn, a,
            select(slow, at.speed * cos(at.slip) * tan(at.steer) / self.wheelbase, at.yaw_rate),
            select(slow, rolled[0], torque / self.yaw_inertia),
            select(slow, rolled[1], slip_rate),
        )  # fmt: skip

    def _rolled(self, at: SingleTrackState, turn: Scalar, a: Scalar) -> tuple[Scalar, Scalar]:
        """Rates of ψ̇ = v cos β tan δ/l and β = atan(l_r/l tan δ), of a car that only rolls."""
        slope, share = tan(at.steer), self.rear / self.wheelbase
        steeper = turn * (1.0 + slope * slope)
        slip = share * steeper / (1.0 + share * share * slope * slope)
        along = a * cos(at.slip) * slope - at.speed * sin(at.slip) * slip * slope
        return (along + at.speed * cos(at.slip) * steeper) / self.wheelbase, slip


def add_single_track(
    model: Model,
    car: SingleTrack,
    steer_rate: Expr,
    acceleration: Expr | Callable[[SingleTrackState], Scalar],
    start: SingleTrackState | None = None,
    name: str = "car",
) -> SingleTrackState:
    """The model ST as extra states "`name` x" … "`name` slip" of a model, which a steering rate
    [rad/s] and an acceleration [m/s²], or a law that gives it, drive; gives them as expressions."""
    if callable(acceleration):
        check_takes(f"{name}: its acceleration", acceleration, ["the state"], ModelError)
    state = place_single_track(model, start, name)
    asked = acceleration(state) if callable(acceleration) else acceleration
    drive_single_track(model, car, state, steer_rate, asked, name)
    return state


def place_single_track(
    model: Model, start: SingleTrackState | None = None, name: str = "car"
) -> SingleTrackState:
    """Its states alone, as expressions, for a driver who looks at them before he drives."""
    first = start or SingleTrackState(0.0, 0.0, 0.0, 0.0, 0.0)
    units = {"x": "m", "y": "m", "speed": "m/s", "yaw_rate": "rad/s"}
    return SingleTrackState(
        **{
            field: model.state(
                _called(name, field), float(getattr(first, field)), unit=units.get(field, "rad")
            )
            for field in SingleTrackState.__dataclass_fields__
        }
    )


def drive_single_track(
    model: Model,
    car: SingleTrack,
    state: SingleTrackState,
    steer_rate: Expr,
    acceleration: Scalar,
    name: str = "car",
) -> SingleTrackState:
    """Gives placed states their rates, which it returns."""
    rates = car.rates(state, steer_rate, acceleration)
    for field in SingleTrackState.__dataclass_fields__:
        model.set_rate(_called(name, field), getattr(rates, field))
    return rates


def _called(name: str, field: str) -> str:
    return f"{name} {field.replace('_', ' ')}"
