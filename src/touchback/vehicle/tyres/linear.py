"""The linear tyre: forces in proportion to slip and load, for small slips."""

from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum
from touchback.vehicle.part import Length, Positive
from touchback.vehicle.tyres.base import Contact, Grip, sense
from touchback.vehicle.tyres.simple import SimpleTyre


class LinearTyre(SimpleTyre, frozen=True, kw_only=True, tag="linear-tyre"):
    """F_x = c_κ F_z κ, F_y = −c_α F_z α, M_z = −t F_y, with the coefficients `slip_coefficient`
    c_κ [-] and `cornering_coefficient` c_α [1/rad] and the `trail` t [m]; backward it is −t, and at
    rest there is none. Nothing limits the forces: it is for small slips, and for comparison with
    linear models."""

    slip_coefficient: Positive = 20.0
    cornering_coefficient: Positive = 20.0
    trail: Length = 0.03

    def grip(self, contact: Contact) -> Grip:
        along, across = self.stiffness(contact)
        fy = -across * contact.slip_angle
        return Grip(
            along * contact.slip, fy, mz=-self.trail * sense(contact.speed, self.slow()) * fy
        )

    def stiffness(self, contact: Contact) -> tuple[Scalar, Scalar]:
        load = maximum(contact.load, 0.0)
        return self.slip_coefficient * load, self.cornering_coefficient * load
