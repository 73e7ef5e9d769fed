"""The linear tyre: forces in proportion to slip and load, for small slips."""

from touchback.model.value import check_positive
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum
from touchback.vehicle.tyres.base import Contact, Grip
from touchback.vehicle.tyres.simple import SimpleTyre


class LinearTyre(SimpleTyre, frozen=True, kw_only=True, tag="linear-tyre"):
    """F_x = c_κ F_z κ, F_y = −c_α F_z α, M_z = −t F_y, with the coefficients `slip_coefficient`
    c_κ [-] and `cornering_coefficient` c_α [1/rad] and the `trail` t [m]. Nothing limits the
    forces: it is for small slips, and for comparison with linear models."""

    slip_coefficient: float = 20.0
    cornering_coefficient: float = 20.0
    trail: float = 0.03

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(
            "LinearTyre", slip_coefficient=self.slip_coefficient,
            cornering_coefficient=self.cornering_coefficient,
        )  # fmt: skip

    def grip(self, contact: Contact) -> Grip:
        along, across = self.stiffness(contact)
        fy = -across * contact.slip_angle
        return Grip(along * contact.slip, fy, mz=-self.trail * fy)

    def stiffness(self, contact: Contact) -> tuple[Scalar, Scalar]:
        load = maximum(contact.load, 0.0)
        return self.slip_coefficient * load, self.cornering_coefficient * load
