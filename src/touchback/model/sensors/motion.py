"""Sensors of a point's motion: position, velocity, acceleration, direction, distance; of a body:
angular velocity and acceleration, and what acts on it in all."""

from touchback.errors import ModelError
from touchback.model.forces.spring_damper import line_between
from touchback.model.frame import AXES, GROUND, Frame, as_frame
from touchback.model.mechanics import Mechanics
from touchback.model.sensors.base import XYZ, SensorKind, Several
from touchback.numbers import is_one_of
from touchback.spatial.vectors import Scalar


class _VectorSensor(SensorKind[Several], frozen=True):
    """Three components along world axes."""

    frame: Frame

    def components(self) -> tuple[str, ...]:
        return XYZ


class Position(_VectorSensor, frozen=True, tag="position"):
    """Position of a frame's origin from the ground's [m]."""

    def unit(self) -> str:
        return "m"

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return list(mechanics.position(self.frame))


class Velocity(_VectorSensor, frozen=True, tag="velocity"):
    """Velocity of a frame's origin [m/s]."""

    def unit(self) -> str:
        return "m/s"

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return list(mechanics.velocity(self.frame))


class Acceleration(_VectorSensor, frozen=True, tag="acceleration"):
    """Acceleration of a frame's origin [m/s²] (gravity not included)."""

    def unit(self) -> str:
        return "m/s^2"

    def kinematic(self) -> bool:
        return False

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return list(mechanics.acceleration(self.frame))


class Accelerometer(_VectorSensor, frozen=True, tag="accelerometer"):
    """What an accelerometer feels at a frame's origin [m/s²]: its acceleration less gravity's,
    along the frame's own axes ("body") or the "world"'s. At rest it tells g upwards."""

    axes: str = "body"

    def __post_init__(self) -> None:
        if not is_one_of(self.axes, ("world", "body")):
            raise ModelError(
                f"Accelerometer: its axes must be 'world' or 'body', got {self.axes!r}."
            )

    def unit(self) -> str:
        return "m/s^2"

    def kinematic(self) -> bool:
        return False

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        vectors = mechanics.vectors
        felt = vectors.sub(mechanics.acceleration(self.frame), mechanics.gravity())
        if self.axes == "body":
            felt = vectors.apply_transposed(mechanics.rotation(self.frame), felt)
        return list(felt)


class AngularVelocity(_VectorSensor, frozen=True, tag="angular-velocity"):
    """Angular velocity of a frame's body [rad/s]."""

    def unit(self) -> str:
        return "rad/s"

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return list(mechanics.angular_velocity(self.frame))


class AngularAcceleration(_VectorSensor, frozen=True, tag="angular-acceleration"):
    """Angular acceleration of a frame's body [rad/s²]."""

    def unit(self) -> str:
        return "rad/s^2"

    def kinematic(self) -> bool:
        return False

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return list(mechanics.angular_acceleration(self.frame))


class _Total(_VectorSensor, frozen=True):
    """Of a frame's body, wherever on it the frame lies."""

    def __post_init__(self) -> None:
        kind = type(self).__name__
        if as_frame(kind, self.frame).body == GROUND:
            raise ModelError(f"{kind}: what acts on the ground moves nothing; name a body.")

    def kinematic(self) -> bool:
        return False


class TotalForce(_Total, frozen=True, tag="total-force"):
    """Everything that acts on a frame's body, weight and joints included [N]: m a of its centre of
    mass."""

    def unit(self) -> str:
        return "N"

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        body = mechanics.body(self.frame)
        acceleration = mechanics.acceleration(Frame(self.frame.body, body.com))
        return list(mechanics.vectors.scale(mechanics.value(body.mass), acceleration))


class TotalTorque(_Total, frozen=True, tag="total-torque"):
    """The moment of everything that acts on a frame's body about its centre of mass [N m]:
    J ω̇ + ω × J ω."""

    def unit(self) -> str:
        return "N m"

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        vectors, frame = mechanics.vectors, Frame(self.frame.body)
        R = mechanics.rotation(frame)
        tensor = mechanics.body(frame).tensor()
        J = [[mechanics.value(entry) for entry in row] for row in tensor]
        omega = vectors.apply_transposed(R, mechanics.angular_velocity(frame))
        alpha = vectors.apply_transposed(R, mechanics.angular_acceleration(frame))
        gyroscopic = vectors.cross(omega, vectors.apply(J, omega))
        return list(vectors.apply(R, vectors.add(vectors.apply(J, alpha), gyroscopic)))


class Direction(SensorKind[Several], frozen=True, tag="direction"):
    """World components of one axis ('x', 'y' or 'z') of a frame."""

    frame: Frame
    axis: str = "z"

    def __post_init__(self) -> None:
        if not is_one_of(self.axis, AXES):
            raise ModelError(f"Direction: its axis must be 'x', 'y' or 'z', got {self.axis!r}.")

    def components(self) -> tuple[str, ...]:
        return XYZ

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        R = mechanics.rotation(self.frame)
        return [R[i][AXES[self.axis]] for i in range(3)]


class Distance(SensorKind[Several], frozen=True, tag="distance"):
    """Distance of two frames' origins [m] and its rate [m/s]."""

    a: Frame
    b: Frame

    def components(self) -> tuple[str, ...]:
        return ("length", "rate")

    def units(self) -> tuple[str, ...]:
        return ("m", "m/s")

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        length, rate, _ = line_between(mechanics, self.a, self.b)
        return [length, rate]
