"""One scalar constraint: h(q, t) = 0, J v = b, J a + γ = 0."""

from dataclasses import dataclass, field

from touchback.model.frame import Frame
from touchback.spatial.vectors import Scalar, Vector

Effect = tuple[Vector, Vector]  # force and torque of a unit multiplier at a frame's origin


@dataclass
class Action:
    """What a unit multiplier does to a body: force and torque at a frame's origin, along the axes
    of the link `common` (−1: the ground)."""

    frame: Frame
    common: int
    force: Vector
    torque: Vector


@dataclass
class Row:
    """One scalar constraint. `h` is None for a constraint on velocities only."""

    name: str
    unit: str
    h: Scalar | None
    J: dict[int, Scalar]  # freedom → entry; entries not there are zero
    b: Scalar = 0  # J v = b
    gamma: Scalar = 0  # J a + γ = 0
    through: dict[int, Scalar] = field(default_factory=dict)  # where the multiplier acts, if not Jᵀ
    actions: list[Action] = field(default_factory=list)  # of a closure: on its two bodies
