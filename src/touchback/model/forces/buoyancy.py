"""Buoyancy of a submerged volume (Archimedes)."""

from typing import ClassVar

from touchback.model.forces.base import ForceKind
from touchback.model.frame import Frame
from touchback.model.mechanics import Forces
from touchback.model.value import Value


class Buoyancy(ForceKind, frozen=True, tag="buoyancy"):
    """Force −ρ V g at the centre of the displaced volume (the origin of `frame`); ρ [kg/m³], V
    [m³]."""

    UNITS: ClassVar[dict[str, str]] = {"volume": "m³", "density": "kg/m³"}
    frame: Frame
    volume: Value
    density: Value = 1000.0

    def apply(self, mechanics: Forces) -> None:
        k = mechanics.k
        displaced = k.mul(mechanics.value(self.density), mechanics.value(self.volume))
        mechanics.push(self.frame, mechanics.vectors.scale(-displaced, mechanics.gravity()))
