"""What control laws are built of: mass matrix, bias and gravity efforts, Jacobian of a frame.

All are of the tree of bodies by itself. Nothing that acts on it counts: no forces, inputs and
controllers, no springs, dampers, friction and stops of joints, no closures, couplings and drives.
So a law made of them can't feed on itself.
"""

from collections.abc import Sequence
from typing import ClassVar, Self

import msgspec
import numpy as np

from touchback.model.frame import Frame
from touchback.model.mechanics import Mechanics
from touchback.model.sensors.base import XYZ, SensorKind
from touchback.spatial.vectors import Scalar
from touchback.symbolic.expression import Expr

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
    Of a mechanism with loops that of its tree, as if they were open.

    Components: "2 by 1" is the effort of the second joint for the first one's acceleration."""

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
        places = mechanics.unforced.places(self.joints)
        M = mechanics.unforced.mass_matrix
        return [M.get((places[i], places[j]), 0) for i, j in self._pairs()]


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


class Jacobian(OfJoints, frozen=True, tag="jacobian"):
    """Six rows J, one column a joint, along world axes: angular velocity of a frame [rad/s], then
    velocity of its origin [m/s], for unit velocities of the joints.

    Components: "wx by 2" is the first row's entry for the second joint, "x by 2" the fourth's."""

    frame: Frame

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

    frame: Frame

    def components(self) -> tuple[str, ...]:
        return _TWIST

    def units(self) -> tuple[str, ...]:
        return ("rad/s^2",) * 3 + ("m/s^2",) * 3

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return list(mechanics.unforced.bias_acceleration(self.frame))
