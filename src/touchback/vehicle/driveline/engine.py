"""The engine of Gallo's buggy (2012, §4.2.1 and appendix E; its map is Naya's, 2007)."""

from math import pi
from typing import Annotated

from msgspec import Meta

from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum, minimum
from touchback.vehicle.part import FromZero, Number, Part

#: Revolutions per minute in a rad/s (4.6).
RPM = 60.0 / (2.0 * pi)


class Engine(Part, frozen=True):
    """Torque of a speed n [rpm] and a throttle f from 0 to 1: T_a f + T_b (1 − f) (4.11), with
    T_a = c₀ + c₁ n + c₂ n² + c₃ n³ at full throttle (`full`), T_b = −`drag` n when released.

    The numbers are those of appendix E: 96, 137 and 0 N m at 1000, 3000 and 6000 rpm. (Eq. 4.4
    prints 10⁻³ n² for 10⁻⁶ n².) The pedal's encoder counts to `counts`."""

    full: tuple[Number, Number, Number, Number] = (53.7, 0.046583, -3.2888e-6, -9.9444e-10)
    drag: FromZero = 15e-3
    counts: Annotated[int, Meta(ge=1, le=10**9)] = 420

    def throttle(self, count: Scalar) -> Scalar:
        """f of the encoder's count (4.13): count/420, from 0 to 1."""
        return minimum(maximum(count / float(self.counts), 0.0), 1.0)

    def at_full_throttle(self, n: Scalar) -> Scalar:
        """T_a [N m] (4.4); below 0 rpm that at 0."""
        forward = maximum(n, 0.0)
        c0, c1, c2, c3 = self.full
        return c0 + forward * (c1 + forward * (c2 + forward * c3))

    def released(self, n: Scalar) -> Scalar:
        """T_b [N m] (4.5), against the turning."""
        return -self.drag * n

    def torque(self, n: Scalar, throttle: Scalar) -> Scalar:
        """T_a f + T_b (1 − f) [N m] (4.11)."""
        f = minimum(maximum(throttle, 0.0), 1.0)
        return self.at_full_throttle(n) * f + self.released(n) * (1.0 - f)
