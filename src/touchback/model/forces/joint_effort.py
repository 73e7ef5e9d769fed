"""An effort in a joint: a motor, or any law."""

from typing import ClassVar

from touchback.model.forces.base import ForceKind
from touchback.model.mechanics import Forces
from touchback.model.value import Value


class JointEffort(ForceKind, frozen=True, tag="joint-effort"):
    """`effort` [N, N m] on coordinate `index` of a joint, positive in the direction of the
    coordinate."""

    UNITS: ClassVar[dict[str, str]] = {"effort": "{effort}"}
    joint: str
    effort: Value
    index: int = 0

    def apply(self, mechanics: Forces) -> None:
        mechanics.add_effort(self.joint, self.index, mechanics.value(self.effort))
