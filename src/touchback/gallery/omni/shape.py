"""The shape of an omni wheel: rollers that touch the floor one after the other.

Radius R, n rollers whose centres lie R₁ from the wheel's and whose axes are turned by ψ out of its
plane. A roller carries the wheel while the wheel turns by −α … α, α = π/n (Kosenko 2015, § 4–5).
"""

import math
from numbers import Integral

import numpy as np

from touchback import floor
from touchback.errors import ModelError
from touchback.model.value import Data, Value, check_positive, number


class WheelShape(Data, frozen=True):
    """`radius` R and `off` R₁ [m], `inclination` ψ [rad], the number of `rollers`.

    Rollers are pointed where R₁ = R cos α, else truncated at the half length L/2, where the next
    one takes over at the same height."""

    radius: float = 0.05
    rollers: int = 6
    off: float = 0.04
    inclination: float = 0.0

    def __post_init__(self) -> None:
        n, R, R1, psi = self.rollers, self.radius, self.off, self.inclination
        _check_rollers(n)
        check_positive("Omni wheel", radius=R, off=R1)
        if not abs(number("Omni wheel: inclination", psi)) < math.pi / 2 - 1e-6:
            raise ModelError(
                f"Omni wheel: its inclination is {psi} rad; it lies within ±π/2, where a roller's "
                "axis would be the wheel's own."
            )
        most = R * math.cos(self.half_sector)
        if most * (1 + 1e-14) < R1:
            raise ModelError(
                f"Omni wheel: its rollers' centres lie {R1} m from the wheel's; with {n} rollers "
                f"and the radius {R} m they reach the floor all the way round from above 0 to "
                f"R cos(π/n) = {most:.6g} m, where rollers are pointed."
            )

    @classmethod
    def pointed(cls, radius: float, rollers: int, inclination: float = 0.0) -> "WheelShape":
        """Rollers that end in a point: R₁ = R cos α."""
        _check_rollers(rollers)
        return cls(radius, rollers, radius * math.cos(math.pi / rollers), inclination)

    @property
    def half_sector(self) -> float:
        """α [rad]."""
        return math.pi / self.rollers

    @property
    def length(self) -> float:
        """L [m] = 2 (R cos ψ sin α + R₁ tan α sin²ψ/cos ψ); for pointed rollers this is Kosenko's
        2 R sin α/cos ψ."""
        return 2 * float(self.profile(self.half_sector)[0])

    def profile(self, q: float | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Place along the roller's axis and distance from it [m] of the point that touches where
        the wheel has turned by q [rad] from the middle of the roller."""
        sine, cosine = math.sin(self.inclination), math.cos(self.inclination)
        height = self.radius - self.off / np.cos(q)
        along = self.off * np.tan(q) * sine**2 / cosine + self.radius * cosine * np.sin(q)
        return along, height * np.sqrt(1 - (np.sin(q) * cosine) ** 2)

    def turned(self, angle: Value) -> Value:
        """q [rad]: how far a wheel at an angle has turned on the roller in contact, −α … α; a
        number, an array or an expression."""
        sector = 2 * self.half_sector
        return angle - sector * floor(angle / sector + 0.5)

    def track(self, q: float | np.ndarray) -> np.ndarray:
        """How far the point of contact lies out of the wheel's plane [m], along its axle:
        R₁ tan q tan ψ where the wheel has turned by q on it."""
        return self.off * np.tan(q) * math.tan(self.inclination)

    def roller_inertia(self, density: float) -> tuple[float, float, float]:
        """Mass [kg] of a solid roller, and its moments about its axis and across [kg m²]."""
        q, weights = np.polynomial.legendre.leggauss(80)
        q, weights = q * self.half_sector, weights * self.half_sector
        step = 1e-6
        slope = (self.profile(q + step)[0] - self.profile(q - step)[0]) / (2 * step)
        along, rho = self.profile(q)
        slices = weights * slope * density * math.pi * rho**2
        across = float(np.sum(slices * (rho**2 / 4 + along**2)))
        return float(np.sum(slices)), float(np.sum(slices * rho**2 / 2)), across


def _check_rollers(count: object) -> None:
    """At least three, in whole numbers."""
    if isinstance(count, bool) or not isinstance(count, Integral):
        raise ModelError(f"Omni wheel: {count!r} rollers; give a whole number, 3 or more.")
    if count < 3:
        raise ModelError(f"Omni wheel: {count} roller(s) can't go round a wheel; take 3 or more.")
