"""One scalar constraint: h(q, t) = 0, J v = b, J a + γ = 0."""

from dataclasses import dataclass, field

from touchback.model import Frame
from touchback.numbers import Scalar, Vector
from touchback.symbolic import Scalars

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
class RowFriction:
    """Friction of the force λ that keeps a row: `share` |λ| along a sliding velocity."""

    share: Scalar  # −μ u/√(u² + u₀²)
    slip: Scalar  # u [m/s]
    moving: Scalar  # u where nothing else moves: of surfaces that slide by themselves [m/s]
    slopes: dict[int, Scalar]  # ∂u/∂v: freedom → entry


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
    actions: list[Action] = field(default_factory=list)  # of a closure: on its bodies, b's last
    friction: RowFriction | None = None

    def multiplier_forces(self, k: Scalars) -> dict[int, Scalar]:
        """Generalised forces of a unit multiplier, its friction included."""
        found = dict(self.through or self.J)
        if self.friction is not None:
            for freedom, slope in self.friction.slopes.items():
                found[freedom] = k.add(found.get(freedom, 0), k.mul(self.friction.share, slope))
        return found
