"""Sensors in joints: total effort and reaction."""

from typing import ClassVar

from touchback.model.mechanics import Mechanics
from touchback.model.sensors.base import SensorKind, Several
from touchback.spatial.vectors import Scalar
from touchback.symbolic.expression import Expr


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
