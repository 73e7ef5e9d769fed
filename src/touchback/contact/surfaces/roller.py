"""The roller of an omni or Mecanum wheel whose axis is inclined.

The wheel's radius is R, the roller's centre lies R₁ from the wheel's, and its axis is turned by ψ
out of the wheel's plane. It must touch the floor while the upright wheel, at the height R, turns by
−α … α. Where the wheel has turned by q the point of contact lies (Kosenko 2015, § 5.2)

    s = R₁ tan q sin²ψ/cos ψ + R cos ψ sin q      along the axis from the centre,
    ρ = (R − R₁/cos q) √(1 − sin²q cos²ψ)         off the axis.

This is the convex body whose support in the direction d is H(d) = R |d| − R₁ √(d² − (d·i)²/cos²ψ)
with i along its axis: its gradient is the point that touches, whatever the wheel's tilt.
"""

import math
from typing import ClassVar

from touchback.contact.surfaces.base import Surface, ValueOf
from touchback.contact.surfaces.ready import check_lengths, check_off
from touchback.errors import ModelError
from touchback.model.value import Value, is_number
from touchback.model.value import value as as_value
from touchback.spatial.vectors import Scalar, Vector
from touchback.symbolic.scalars import Scalars


class Roller(Surface, frozen=True, tag="roller"):
    """A roller about x for a wheel of `radius` R, its centre at the distance `off` R₁ from the
    wheel's [m], its axis inclined by `inclination` ψ [rad]. The hidden coordinate is w = sin q; at
    ψ = 0 this is `Barrel`."""

    UNITS: ClassVar[dict[str, str]] = {"radius": "m", "off": "m", "inclination": "rad"}
    radius: Value
    off: Value
    inclination: Value = 0.0

    def __post_init__(self) -> None:
        check_lengths("Roller", radius=self.radius, off=self.off)
        check_off("Roller", self.radius, self.off)
        inclination = as_value("Roller: inclination", self.inclination)
        if is_number(inclination) and not abs(inclination) < math.pi / 2:
            raise ModelError(
                f"Roller: its inclination is {self.inclination} rad; it must be below a quarter "
                "turn (π/2)."
            )

    def level(self, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Scalar:
        """√(y² + z²) − ρ(w): linear off the axis, so that Newton's method comes far."""
        R, R1 = value(self.radius), value(self.off)
        cosine_psi = k.cos(value(self.inclination))
        slant = k.mul(hidden, cosine_psi)
        height = k.sub(R, k.div(R1, _cosine(k, hidden)))
        rho = k.mul(height, _cosine(k, slant))
        return k.sub(k.sqrt(k.add(k.mul(r[1], r[1]), k.mul(r[2], r[2]))), rho)

    def hidden(self, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Scalar:
        """s(w) − x."""
        sine, cosine = k.sincos(value(self.inclination))
        a = k.div(k.mul(value(self.off), k.mul(sine, sine)), cosine)
        b = k.mul(value(self.radius), cosine)
        s = k.mul(hidden, k.add(k.div(a, _cosine(k, hidden)), b))
        return k.sub(s, r[0])


def _cosine(k: Scalars, sine: Scalar) -> Scalar:
    return k.sqrt(k.sub(1, k.mul(sine, sine)))
