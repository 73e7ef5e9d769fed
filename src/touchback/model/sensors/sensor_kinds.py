"""Sensors: of the motion of points and bodies, of joints, contacts and signals, and matrices of the
equations of motion for laws. A new kind is a class here and one more name in AnySensor."""

from collections.abc import Sequence
from functools import cache
from typing import ClassVar, Self

import msgspec
import numpy as np

from touchback.errors import ModelError
from touchback.model.axis_between_frames import axis_displacement, axis_rotation
from touchback.model.forces.springs import line_between
from touchback.model.frame import AXES, GROUND, Frame, FrameField, as_frame
from touchback.model.joints.base import Axis, check_axis
from touchback.model.mechanics_protocol import Mechanics
from touchback.model.sensors.base import XYZ, SensorKind, Several
from touchback.model.value_or_expression import Value
from touchback.numbers import Scalar, is_one_of
from touchback.symbolic import Expr


class _VectorSensor(SensorKind[Several], frozen=True):
    """Three components along world axes. Each kind declares its frame itself: mypy reads an
    inherited `FrameField` as what it is given, not as the frame it holds."""

    def components(self) -> tuple[str, ...]:
        return XYZ


class Position(_VectorSensor, frozen=True, tag="position"):
    """Position of a frame's origin from the ground's [m]."""

    frame: FrameField

    def unit(self) -> str:
        return "m"

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return list(mechanics.position(self.frame))


class Velocity(_VectorSensor, frozen=True, tag="velocity"):
    """Velocity of a frame's origin [m/s]."""

    frame: FrameField

    def unit(self) -> str:
        return "m/s"

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return list(mechanics.velocity(self.frame))


class Acceleration(_VectorSensor, frozen=True, tag="acceleration"):
    """Acceleration of a frame's origin [m/s²] (gravity not included)."""

    frame: FrameField

    def unit(self) -> str:
        return "m/s^2"

    def kinematic(self) -> bool:
        return False

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return list(mechanics.acceleration(self.frame))


class Accelerometer(_VectorSensor, frozen=True, tag="accelerometer"):
    """What an accelerometer feels at a frame's origin [m/s²]: its acceleration less gravity's,
    along the frame's own axes ("body") or the "world"'s. At rest it tells g upwards."""

    frame: FrameField
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

    frame: FrameField

    def unit(self) -> str:
        return "rad/s"

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return list(mechanics.angular_velocity(self.frame))


class AngularAcceleration(_VectorSensor, frozen=True, tag="angular-acceleration"):
    """Angular acceleration of a frame's body [rad/s²]."""

    frame: FrameField

    def unit(self) -> str:
        return "rad/s^2"

    def kinematic(self) -> bool:
        return False

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return list(mechanics.angular_acceleration(self.frame))


class _Total(_VectorSensor, frozen=True):
    """Of a frame's body, wherever on it the frame lies."""

    frame: FrameField

    def __post_init__(self) -> None:
        kind = type(self).__name__
        if as_frame(kind, self.frame).body == GROUND:
            raise ModelError(f"{kind}: what acts on the ground moves nothing; name a body.")

    def kinematic(self) -> bool:
        return False


class TotalForce(_Total, frozen=True, tag="total-force"):
    """Everything that acts on a frame's body, weight and joints included [N]: m a of its centre of
    mass."""

    frame: FrameField

    def unit(self) -> str:
        return "N"

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        body = mechanics.body(self.frame)
        acceleration = mechanics.acceleration(Frame(self.frame.body, body.com))
        return list(mechanics.vectors.scale(mechanics.value(body.mass), acceleration))


class TotalTorque(_Total, frozen=True, tag="total-torque"):
    """The moment of everything that acts on a frame's body about its centre of mass [N m]:
    J ω̇ + ω × J ω."""

    frame: FrameField

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

    frame: FrameField
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

    a: FrameField
    b: FrameField

    def components(self) -> tuple[str, ...]:
        return ("length", "rate")

    def units(self) -> tuple[str, ...]:
        return ("m", "m/s")

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        length, rate, _ = line_between(mechanics, self.a, self.b)
        return [length, rate]


class AxisMotion(SensorKind[Several], frozen=True, tag="axis-motion"):
    """Position [m] of a frame's origin along an `axis` of `reference`, from its origin, and its
    rate [m/s], as seen from there; or, `turning`, the angle about it [rad], from −π to π, and its
    rate [rad/s]. An `AxisEffort` of the same fields works on just this rate.

    The angle is the twist that remains when the axis is swung to where it has gone by the shortest
    way, so that springs on it give back what they take; where the axis has swung by 180° there is
    none."""

    frame: FrameField
    reference: FrameField
    axis: Axis = "z"
    turning: bool = False

    def __post_init__(self) -> None:
        check_axis("AxisMotion", self.axis)

    def components(self) -> tuple[str, ...]:
        return ("position", "rate")

    def units(self) -> tuple[str, ...]:
        return ("rad", "rad/s") if self.turning else ("m", "m/s")

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        read = axis_rotation if self.turning else axis_displacement
        return list(read(mechanics, self.frame, self.reference, self.axis))


class Effort(SensorKind[Expr], frozen=True, tag="effort"):
    """Total effort of coordinate `index` of a joint: motors, springs, friction [N, N m]."""

    joint: str
    index: int = 0

    def kinematic(self) -> bool:
        return False

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return [mechanics.joint_effort(self.joint, self.index)]


class Reaction(SensorKind[Several], frozen=True, tag="reaction"):
    """Force [N] and moment [N m] that the parent exerts on the child, at and along the joint's
    child frame; of a closure, that a's body exerts on b's, at and along frame b."""

    joint: str

    def components(self) -> tuple[str, ...]:
        return ("fx", "fy", "fz", "mx", "my", "mz")

    def units(self) -> tuple[str, ...]:
        return ("N",) * 3 + ("N m",) * 3

    def kinematic(self) -> bool:
        return False

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        force, moment = mechanics.reaction(self.joint)
        return [*force, *moment]


class Multiplier(SensorKind[Expr], frozen=True, tag="multiplier"):
    """What keeps a constraint row: the effort of a drive or coupling [N, N m], or one component of
    a closure's force on its second body (row "name.1", "name.2", …; "name" when it has one row)."""

    NAMES: ClassVar[tuple[str, ...]] = ("row",)
    row: str

    def kinematic(self) -> bool:
        return False

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return [mechanics.multiplier(self.row)]


class _ContactSensor(SensorKind[Expr], frozen=True):
    """One number of a contact, which is a force of the model."""

    NAMES: ClassVar[tuple[str, ...]] = ("contact",)
    contact: str

    def unit(self) -> str:
        return "N"


class Gap(_ContactSensor, frozen=True, tag="gap"):
    """Distance of the surfaces of a contact [m]; negative where they press into each other."""

    def unit(self) -> str:
        return "m"

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return [mechanics.force(self.contact).gap(mechanics)]


class ContactForce(_ContactSensor, frozen=True, tag="contact-force"):
    """Normal force of a contact [N]; zero while its surfaces are apart, never negative."""

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return [mechanics.force(self.contact).normal_force(mechanics)]


class FrictionForce(_ContactSensor, frozen=True, tag="friction-force"):
    """Friction of a contact [N], on the circle, along y × n: n is the normal out of the other
    profile, y the hinge axis."""

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return [mechanics.force(self.contact).friction_force(mechanics)]


class Signal(SensorKind[Expr], frozen=True, tag="signal"):
    """Any expression of parameters, inputs, states, coordinates and other sensors."""

    expression: Value
    measured_in: str = ""

    def unit(self) -> str:
        return self.measured_in

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return [mechanics.value(self.expression)]


class Readout(SensorKind[Expr], frozen=True, tag="readout"):
    """What the present mode says that it shows: `m.mode(…, readouts={"name": expression})`; zero in
    modes that say nothing. The expression may use sensors of forces."""

    measured_in: str = ""

    def unit(self) -> str:
        return self.measured_in

    def kinematic(self) -> bool:
        return False

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        raise ModelError("A readout needs modes that say what it shows: m.mode(…, readouts=…).")


class Energy(SensorKind[Expr], frozen=True, tag="energy"):
    """Kinetic energy, potential energy (of gravity and of joint springs), or their sum [J]."""

    which: str = "total"

    def __post_init__(self) -> None:
        if not is_one_of(self.which, ("kinetic", "potential", "total")):
            raise ModelError(
                f"Energy: 'kinetic', 'potential' or 'total' is expected, got {self.which!r}."
            )

    def unit(self) -> str:
        return "J"

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return [mechanics.energy(self.which)]


# What control laws are built of: mass matrix, bias and gravity efforts, Jacobian of a frame.
#
# Most are of the tree of bodies by itself. Nothing that acts on it counts: no forces, inputs and
# controllers, no springs, dampers, friction and stops of joints, no closures, couplings and drives.
# So a law made of them can't feed on itself. `HoldingEffort` and a reflected mass matrix know some
# of these, but neither inputs and states nor contacts.

_TWIST = (*(f"w{axis}" for axis in XYZ), *XYZ)  # turning, then moving


class _LawSensor(SensorKind[np.ndarray], frozen=True):
    """An array of expressions. No output of the system unless `m.report` names it."""

    NAMES: ClassVar[tuple[str, ...]] = ("joints",)
    FOR_LAWS: ClassVar[bool] = True

    def arranged(self, signals: Sequence[Expr]) -> np.ndarray:
        return np.array(signals, dtype=object)


class OfJoints(_LawSensor, frozen=True, kw_only=True):
    """By velocity coordinates: joints, or "joint.coordinate" of those that have several; without
    any, all that the model has when the sensor is described."""

    joints: tuple[str, ...] = ()

    def completed(self, coordinates: Sequence[str]) -> Self:
        return self if self.joints else msgspec.structs.replace(self, joints=tuple(coordinates))

    def components(self) -> tuple[str, ...]:
        return tuple(str(i + 1) for i in range(len(self.joints)))


class MassMatrix(OfJoints, frozen=True, tag="mass-matrix"):
    """M of M v̇ + c = τ, armature included: its rows and columns for some joints, in their order.
    Of a mechanism with loops that of its tree, as if they were open; `reflected`: with what all
    other joints, which have no effort, add to it where closures and couplings make them follow.

    Components: "2 by 1" is the effort of the second joint for the first one's acceleration."""

    reflected: bool = False

    def components(self) -> tuple[str, ...]:
        return tuple(f"{i + 1} by {j + 1}" for i, j in self._pairs())

    def _pairs(self) -> list[tuple[int, int]]:
        return [(i, j) for i in range(len(self.joints)) for j in range(i + 1)]

    def arranged(self, signals: Sequence[Expr]) -> np.ndarray:
        M = np.empty((len(self.joints),) * 2, dtype=object)
        for (i, j), signal in zip(self._pairs(), signals, strict=True):
            M[i, j] = M[j, i] = signal
        return M

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        places, k = mechanics.unforced.places(self.joints), mechanics.k
        M = mechanics.unforced.mass_matrix
        T = mechanics.unforced.transmission(self.joints) if self.reflected else {}

        @cache
        def along(place: int, held: int) -> Scalar:
            """M T of a passive joint that moves, or a held one, by the motion of a held one."""
            total: Scalar = 0
            for i, row in T.items():
                total = k.add(total, k.mul(M.get((place, i), 0), row.get(held, 0)))
            return total

        def reflected(p: int, q: int) -> Scalar:
            """Mₚq + (M T)ₚq + (M T)qₚ + (Tᵀ M T)ₚq."""
            total = k.add(M.get((p, q), 0), k.add(along(p, q), along(q, p)))
            for i, row in T.items():
                total = k.add(total, k.mul(row.get(p, 0), along(i, q)))
            return total

        return [reflected(places[i], places[j]) for i, j in self._pairs()]


class BiasEffort(OfJoints, frozen=True, tag="bias-effort"):
    """c of M v̇ + c = τ: what some joints need against gravity, centrifugal and Coriolis forces
    when nothing accelerates [N, N m]."""

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        unforced = mechanics.unforced
        return [unforced.bias[place] for place in unforced.places(self.joints)]


class GravityEffort(OfJoints, frozen=True, tag="gravity-effort"):
    """What some joints need to hold the mechanism at rest against gravity [N, N m]."""

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        unforced = mechanics.unforced
        return [unforced.gravity_effort[place] for place in unforced.places(self.joints)]


class HoldingEffort(OfJoints, frozen=True, tag="holding-effort"):
    """What some joints need to hold the mechanism at rest [N, N m] against gravity, springs of
    joints, and forces that follow from positions, time and parameters (no contacts, nothing that
    reads inputs or states); with what closures and couplings pass on to them from all other joints,
    which have no effort. Freedoms that these joints don't rule stay as they are: they may fall."""

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        unforced, k = mechanics.unforced, mechanics.k
        effort, found = unforced.static_effort, list[Scalar]()
        T = unforced.transmission(self.joints)
        for place in unforced.places(self.joints):
            total = effort[place]
            for i, row in T.items():
                total = k.add(total, k.mul(row.get(place, 0), effort[i]))
            found.append(total)
        return found


class Jacobian(OfJoints, frozen=True, tag="jacobian"):
    """Six rows J, one column a joint, along world axes: angular velocity of a frame [rad/s], then
    velocity of its origin [m/s], for unit velocities of the joints.

    Components: "wx by 2" is the first row's entry for the second joint, "x by 2" the fourth's."""

    frame: FrameField

    def components(self) -> tuple[str, ...]:
        return tuple(f"{row} by {j + 1}" for row in _TWIST for j in range(len(self.joints)))

    def arranged(self, signals: Sequence[Expr]) -> np.ndarray:
        return super().arranged(signals).reshape(6, len(self.joints))

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        places = mechanics.unforced.places(self.joints)
        return [row[place] for row in mechanics.unforced.jacobian(self.frame) for place in places]


class BiasAcceleration(_LawSensor, frozen=True, tag="bias-acceleration"):
    """J̇ v: angular acceleration of a frame [rad/s²] and acceleration of its origin [m/s²] while no
    joint accelerates, six components along world axes."""

    frame: FrameField

    def components(self) -> tuple[str, ...]:
        return _TWIST

    def units(self) -> tuple[str, ...]:
        return ("rad/s^2",) * 3 + ("m/s^2",) * 3

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return list(mechanics.unforced.bias_acceleration(self.frame))
