"""What forces and sensors may ask of the mechanism, whatever the scalars: a protocol that
`dynamics` fulfils."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from touchback.model.body import Body
from touchback.model.frame import Frame
from touchback.model.value_or_expression import Value
from touchback.numbers import Matrix, Scalar, Vector
from touchback.spatial import Vectors
from touchback.symbolic import Scalars

ValueOf = Callable[[Value], Scalar]  # a described value as a scalar


class Unforced(Protocol):
    """The tree of bodies by itself, without what acts on it, and what laws need to hold it."""

    @property
    def mass_matrix(self) -> Mapping[tuple[int, int], Scalar]:
        """Entries by places in v; what isn't there is zero."""
        ...

    @property
    def bias(self) -> list[Scalar]:
        """c of M v̇ + c."""
        ...

    @property
    def gravity_effort(self) -> list[Scalar]:
        """c at rest."""
        ...

    @property
    def static_effort(self) -> list[Scalar]:
        """The same with springs of joints and forces that depend on positions alone."""
        ...

    def transmission(self, held: Sequence[str]) -> Mapping[int, Mapping[int, Scalar]]:
        """How fast coordinates that nothing holds follow those that are held, by places in v."""
        ...

    def places(self, joints: Sequence[str]) -> list[int]:
        """Where velocity coordinates stand in v."""
        ...

    def jacobian(self, frame: Frame) -> list[list[Scalar]]:
        """Angular velocity (three rows) and velocity of a frame's origin by v."""
        ...

    def bias_acceleration(self, frame: Frame) -> list[Scalar]:
        """ω̇ (three) and acceleration of a frame's origin while v̇ is zero."""
        ...


class Mechanics(Protocol):
    """The mechanism at one instant. Vectors are along world axes unless said otherwise."""

    k: Scalars
    vectors: Vectors

    @property
    def unforced(self) -> Unforced:
        """What laws may use of the equations of motion."""
        ...

    def value(self, given: Value) -> Scalar:
        """A described value (number or expression) as a scalar."""
        ...

    def position(self, frame: Frame) -> Vector:
        """p_WF_W [m]."""
        ...

    def rotation(self, frame: Frame) -> Matrix:
        """R_WF."""
        ...

    def velocity(self, frame: Frame) -> Vector:
        """Velocity of the frame's origin [m/s]."""
        ...

    def angular_velocity(self, frame: Frame) -> Vector:
        """[rad/s]"""
        ...

    def acceleration(self, frame: Frame) -> Vector:
        """Acceleration of the frame's origin [m/s²]; not available to forces."""
        ...

    def angular_acceleration(self, frame: Frame) -> Vector:
        """ω̇ of the frame's body [rad/s²]; not available to forces."""
        ...

    def body(self, frame: Frame) -> Body:
        """The body that a frame lies on."""
        ...

    def coordinate(self, joint: str, index: int = 0) -> Scalar:
        """A position coordinate of a joint."""
        ...

    def rate(self, joint: str, index: int = 0) -> Scalar:
        """A velocity coordinate of a joint."""
        ...

    def force(self, name: str) -> Any:
        """A force of the model by name."""
        ...

    def state(self, force: object, name: str) -> Scalar:
        """An internal state of a force, which asks with itself."""
        ...

    def gravity(self) -> Vector:
        """[m/s²]"""
        ...

    def joint_effort(self, joint: str, index: int) -> Scalar:
        """Total effort of a joint coordinate [N, N m]; not available to forces."""
        ...

    def reaction(self, joint: str) -> tuple[Vector, Vector]:
        """Force and moment that the parent exerts on the child, at and along the joint's child
        frame."""
        ...

    def multiplier(self, row: str) -> Scalar:
        """The force, torque or effort that keeps a constraint row; not available to forces."""
        ...

    def energy(self, which: str) -> Scalar:
        """'kinetic', 'potential' or 'total' [J]."""
        ...


class Forces(Mechanics, Protocol):
    """What a force may do besides asking."""

    def push(self, frame: Frame, force: Vector, torque: Vector | None = None) -> None:
        """Apply a force [N] at the frame's origin and a torque [N m] to its body."""
        ...

    def add_effort(self, joint: str, index: int, effort: Scalar) -> None:
        """Add to the effort of a joint coordinate [N, N m]."""
        ...
