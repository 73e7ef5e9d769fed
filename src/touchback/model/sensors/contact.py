"""Sensors of compliant contacts."""

from typing import ClassVar

from touchback.model.mechanics import Mechanics
from touchback.model.sensors.base import SensorKind
from touchback.spatial.vectors import Scalar
from touchback.symbolic.expression import Expr


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
