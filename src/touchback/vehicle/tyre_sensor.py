"""What a tyre does, as a sensor."""

from typing import ClassVar

from touchback.model.mechanics import Mechanics
from touchback.model.sensors.base import SensorKind, Several
from touchback.spatial.vectors import Scalar
from touchback.vehicle.numbers import as_scalars


class TyreForces(SensorKind[Several], frozen=True, tag="tyre-forces"):
    """Of the force `contact`, a `TyreOnRoad`: slip κ′, slip angle α′ [rad], load [N], forces along
    and across [N], aligning moment [N m], in the tyre's axes W."""

    NAMES: ClassVar[tuple[str, ...]] = ("contact",)
    contact: str

    def components(self) -> tuple[str, ...]:
        return ("slip", "slip angle", "load", "fx", "fy", "mz")

    def units(self) -> tuple[str, ...]:
        return ("", "rad", "N", "N", "N", "N m")

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        contact, grip = mechanics.force(self.contact).measured(mechanics)
        found = [contact.slip, contact.slip_angle, contact.load, grip.fx, grip.fy, grip.mz]
        return as_scalars(mechanics.k, found)
