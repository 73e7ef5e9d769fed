"""The interface of a tyre, its inputs and its outputs: written with operators over any number
(floats, arrays, duals, expressions), so that the same lines check with floats and run in the tick.

Axes are those of ISO 8855's tyre system W: x forward along the wheel's plane, y to the left, z up
along the road's normal. Forces and moments act on the wheel, at the point of contact."""

from dataclasses import dataclass, replace
from math import pi

from touchback import atan, maximum, minimum, select, sin, tan
from touchback.numbers import Scalar
from touchback.vehicle.car_part import Part


@dataclass(frozen=True)
class Contact:
    """How a tyre meets the road: the load F_z [N]; slip κ = −V_sx/|V_x| and slip angle
    α = atan(V_sy/|V_x|) [rad] of the slip velocity V_s; camber γ [rad], positive with the wheel's
    top to the right; turn slip φ_t = ψ̇/V [1/m], positive to the left; forward speed V_x and
    rolling speed R_e Ω [m/s]; inflation pressure [Pa] (None: the tyre's own); and by what the
    road's grip differs from that which the tyre was measured on."""

    load: Scalar
    slip: Scalar = 0.0
    slip_angle: Scalar = 0.0
    camber: Scalar = 0.0
    turn_slip: Scalar = 0.0
    speed: Scalar = 16.7
    rolling: Scalar = 16.7
    pressure: Scalar | None = None
    grip: Scalar = 1.0

    def slowed(self, slow: float) -> "Contact":
        """The same with slips that vanish with the speed below `slow` [m/s]: κ = −V_sx/slow there,
        and α in proportion to |V_x| + |V_sy|. (That of a rolling tyre; one with relaxation lengths
        needs no such thing.)"""
        v = abs(self.speed)
        share = minimum(v / slow, 1.0)
        total = minimum((v + abs(tan(self.slip_angle) * self.speed)) / slow, 1.0)
        return replace(
            self,
            slip=self.slip * share,
            slip_angle=self.slip_angle * total,
            turn_slip=self.turn_slip * share,
        )


@dataclass(frozen=True)
class ContactPatchWrench:
    """What the road does to the wheel at the point of contact, along W: forces [N], moments
    [N m]."""

    fx: Scalar
    fy: Scalar
    mx: Scalar = 0.0
    my: Scalar = 0.0
    mz: Scalar = 0.0


class Tyre(Part, frozen=True, tag_field="kind"):
    """A tyre: forces of slips, load of deflection, radii and relaxation lengths."""

    def free_radius(self) -> float:
        """Radius without load [m]."""
        raise NotImplementedError(type(self).__name__)

    def grip(self, contact: Contact) -> ContactPatchWrench:
        """Forces and moments for the slips of a contact, as they are."""
        raise NotImplementedError(type(self).__name__)

    def load(self, deflection: Scalar, spin: Scalar, camber: Scalar, pressure: Scalar) -> Scalar:
        """Vertical force [N] of a deflection [m], spinning at [rad/s]; zero off the road."""
        raise NotImplementedError(type(self).__name__)

    def radius(self, spin: Scalar) -> Scalar:
        """Radius without load, spinning at [rad/s] [m]."""
        return self.free_radius()

    def rolling_radius(self, load: Scalar, spin: Scalar, pressure: Scalar) -> Scalar:
        """Effective rolling radius R_e [m]: the speed of a free-rolling wheel over its spin."""
        raise NotImplementedError(type(self).__name__)

    def relaxation(self, contact: Contact) -> tuple[Scalar, Scalar]:
        """Relaxation lengths along and across [m], by which slips lag behind."""
        raise NotImplementedError(type(self).__name__)

    def stiffness(self, contact: Contact) -> tuple[Scalar, Scalar]:
        """Of the forces along and across, per slip and per radian, at none; both positive [N]."""
        raise NotImplementedError(type(self).__name__)

    def damping(self) -> float:
        """Of the vertical force [N s/m]."""
        return 0.0

    def inflation(self) -> float:
        """Its own inflation pressure [Pa]."""
        return 220000.0

    def slow(self) -> float:
        """The speed below which a tyre stands rather than rolls [m/s]."""
        return 1.0


def between(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """x, no less than low and no more than high."""
    return minimum(maximum(x, low), high)


def rolling_direction(speed: Scalar, slow: float) -> Scalar:
    """Which way a tyre rolls: 1 forward, −1 backward, through 0 at rest, below `slow` [m/s]."""
    return sin(pi / 2.0 * between(speed / slow, -1.0, 1.0))


def sign_of(x: Scalar) -> Scalar:
    """−1 below zero, else 1: so that what is divided by it is finite at rest too."""
    return select(x < 0.0, -1.0, 1.0)


def away_from_zero(x: Scalar, by: float = 1e-6) -> Scalar:
    """x + ε sgn x, ε at zero (Pacejka 2012, after 4.E6)."""
    return x + by * sign_of(x)


def magic_formula_arctangent(b: Scalar, e: Scalar, x: Scalar) -> Scalar:
    """atan(B x − E (B x − atan B x)), the inner of every Magic Formula."""
    bx = b * x
    return atan(bx - e * (bx - atan(bx)))
