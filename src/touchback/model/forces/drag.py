"""Quadratic drag in a still or flowing fluid."""

from typing import ClassVar

from touchback.model.forces.base import ForceKind
from touchback.model.frame import Frame
from touchback.model.mechanics import Forces
from touchback.model.value import Triple, Value


class Drag(ForceKind, frozen=True, tag="drag"):
    """Force −½ ρ c A |u| u at the frame's origin, u = its velocity − `flow` (world axes) [m/s];
    `area` A [m²]."""

    UNITS: ClassVar[dict[str, str]] = {
        "area": "m²",
        "coefficient": "1",
        "density": "kg/m³",
        "flow": "m/s",
    }
    frame: Frame
    area: Value
    coefficient: Value = 1.0
    density: Value = 1.2
    flow: Triple = (0.0, 0.0, 0.0)

    def apply(self, mechanics: Forces) -> None:
        k, vectors, value = mechanics.k, mechanics.vectors, mechanics.value
        flow = [value(component) for component in self.flow]
        u = vectors.sub(mechanics.velocity(self.frame), flow)
        half = k.mul(k.const(0.5), k.mul(value(self.density), value(self.area)))
        factor = k.mul(k.mul(half, value(self.coefficient)), vectors.norm(u))
        mechanics.push(self.frame, vectors.scale(-factor, u))
