"""A torsional (or, in a prismatic joint, linear) spring and damper in a joint."""

from typing import ClassVar

from touchback.model.forces.base import ForceKind
from touchback.model.mechanics import Forces, Mechanics
from touchback.model.value import Value
from touchback.spatial.vectors import Scalar


class TorsionSpring(ForceKind, frozen=True, tag="torsion-spring"):
    """Effort −k (q − rest) − c v + preload on coordinate `index` of a joint."""

    UNITS: ClassVar[dict[str, str]] = {
        "stiffness": "{effort}/{position}",
        "damping": "{effort} s/{position}",
        "rest": "{position}",
        "preload": "{effort}",
    }
    joint: str
    stiffness: Value = 0.0
    damping: Value = 0.0
    rest: Value = 0.0
    preload: Value = 0.0
    index: int = 0

    def apply(self, mechanics: Forces) -> None:
        k, value = mechanics.k, mechanics.value
        stretch = k.sub(mechanics.coordinate(self.joint, self.index), value(self.rest))
        spring = k.mul(value(self.stiffness), stretch)
        damper = k.mul(value(self.damping), mechanics.rate(self.joint, self.index))
        effort = k.sub(value(self.preload), k.add(spring, damper))
        mechanics.add_effort(self.joint, self.index, effort)

    def potential(self, mechanics: Mechanics) -> Scalar:
        k, value = mechanics.k, mechanics.value
        q = mechanics.coordinate(self.joint, self.index)
        x = k.sub(q, value(self.rest))
        stored = k.mul(k.mul(k.const(0.5), value(self.stiffness)), k.mul(x, x))
        return k.sub(stored, k.mul(value(self.preload), q))
