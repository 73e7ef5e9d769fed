"""What the linear tyre and the brush have in common: a spring for a carcass."""

from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum
from touchback.vehicle.part import FromZero, Positive, Size
from touchback.vehicle.tyres.base import Contact, Tyre


class SimpleTyre(Tyre, frozen=True, kw_only=True):
    """A tyre of `unloaded_radius` [m] on a spring of `vertical_stiffness` [N/m] and
    `vertical_damping` [N s/m], whose slips follow over the lengths `relaxation_x` and
    `relaxation_y` [m]. It rolls like a wheel of radius R − ρ/3, ρ its deflection."""

    unloaded_radius: Size = 0.3
    vertical_stiffness: Positive = 2e5
    vertical_damping: FromZero = 500.0
    relaxation_x: Size = 0.1
    relaxation_y: Size = 0.4

    def free_radius(self) -> float:
        return self.unloaded_radius

    def damping(self) -> float:
        return self.vertical_damping

    def load(self, deflection: Scalar, spin: Scalar, camber: Scalar, pressure: Scalar) -> Scalar:
        return self.vertical_stiffness * maximum(deflection, 0.0)

    def rolling_radius(self, load: Scalar, spin: Scalar, pressure: Scalar) -> Scalar:
        return self.unloaded_radius - load / (3.0 * self.vertical_stiffness)

    def relaxation(self, contact: Contact) -> tuple[Scalar, Scalar]:
        return self.relaxation_x, self.relaxation_y
