"""Tyres of few numbers, with a spring for a carcass: the linear tyre, for small slips, and the
brush, whose bristles stick until friction lets them go (Fiala 1954; Pacejka 2012, 3.2)."""

from typing import ClassVar

from touchback import maximum, minimum, select, sqrt, tan
from touchback.numbers import Scalar
from touchback.vehicle.car_part import FromZero, Length, Positive, Size
from touchback.vehicle.tyres.base import Contact, ContactPatchWrench, Tyre, rolling_direction

_LOCKED = 1e-3  # of 1 + κ: below it the wheel stands, and all bristles slide


class SimpleTyre(Tyre, frozen=True, kw_only=True):
    """A tyre of `unloaded_radius` [m] on a spring of `vertical_stiffness` [N/m] and
    `vertical_damping` [N s/m], whose slips follow over the lengths `relaxation_x` and
    `relaxation_y` [m]. It rolls like a wheel of radius R − ρ/3, ρ its deflection."""

    UNITS: ClassVar[dict[str, str]] = {
        "unloaded_radius": "m",
        "vertical_stiffness": "N/m",
        "vertical_damping": "N s/m",
        "relaxation_x": "m",
        "relaxation_y": "m",
    }

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


class LinearTyre(SimpleTyre, frozen=True, kw_only=True, tag="linear-tyre"):
    """F_x = c_κ F_z κ, F_y = −c_α F_z α, M_z = −t F_y, with the coefficients `slip_coefficient`
    c_κ [-] and `cornering_coefficient` c_α [1/rad] and the `trail` t [m]; backward it is −t, and at
    rest there is none. Nothing limits the forces: it is for small slips, and for comparison with
    linear models."""

    UNITS: ClassVar[dict[str, str]] = {
        **SimpleTyre.UNITS,
        "slip_coefficient": "1",
        "cornering_coefficient": "1/rad",
        "trail": "m",
    }

    slip_coefficient: Positive = 20.0
    cornering_coefficient: Positive = 20.0
    trail: Length = 0.03

    def grip(self, contact: Contact) -> ContactPatchWrench:
        along, across = self.stiffness(contact)
        fy = -across * contact.slip_angle
        return ContactPatchWrench(
            along * contact.slip,
            fy,
            mz=-self.trail * rolling_direction(contact.speed, self.slow()) * fy,
        )

    def stiffness(self, contact: Contact) -> tuple[Scalar, Scalar]:
        load = maximum(contact.load, 0.0)
        return self.slip_coefficient * load, self.cornering_coefficient * load


class BrushTyre(SimpleTyre, frozen=True, kw_only=True, tag="brush-tyre"):
    """Bristles under a parabolic pressure, with `slip_stiffness` C_κ [N] and `cornering_stiffness`
    C_α [N/rad] at the `nominal_load` [N], in proportion to the load, and a `friction` μ that falls
    to `sliding_friction` at a slip of 1 (as in Adams' Fiala tyre; None: it stays).

    With σ_x = κ/(1 + κ), σ_y = tan α/(1 + κ), G = (C_κ σ_x, −C_α σ_y) and ρ = |G|/(3 μ F_z): F = G
    (1 − ρ + ρ²/3) where ρ < 1, else the whole patch slides, |F| = μ F_z. The trail of a patch of
    half length `patch` a [m] is a/3 (1 − ρ)³/(1 − ρ + ρ²/3). At κ = 0 this is Fiala's tyre. Rolling
    backward all is mirrored: 1 − κ, and the trail ahead of the axle; at rest there is none."""

    UNITS: ClassVar[dict[str, str]] = {
        **SimpleTyre.UNITS,
        "slip_stiffness": "N",
        "cornering_stiffness": "N/rad",
        "nominal_load": "N",
        "friction": "1",
        "sliding_friction": "1",
        "patch": "m",
    }

    slip_stiffness: Positive = 80000.0
    cornering_stiffness: Positive = 60000.0
    nominal_load: Positive = 4000.0
    friction: Positive = 1.0
    sliding_friction: Positive | None = None
    patch: Size = 0.06

    def grip(self, contact: Contact) -> ContactPatchWrench:
        load = maximum(contact.load, 0.0)
        along, across = self.stiffness(contact)
        rolls = rolling_direction(contact.speed, self.slow())
        rolled = maximum(abs(1.0 + rolls * contact.slip), _LOCKED)
        sideways = tan(contact.slip_angle)
        gx, gy = along * contact.slip / rolled, -across * sideways / rolled
        total = sqrt(contact.slip * contact.slip + sideways * sideways + 1e-300)
        limit = maximum(self._friction(total) * contact.grip * load, 1e-9)
        rho = sqrt(gx * gx + gy * gy + 1e-300) / (3.0 * limit)
        adhering = minimum(rho, 1.0)
        kept = 1.0 - adhering + adhering * adhering / 3.0
        share = select(rho < 1.0, kept, 1.0 / (3.0 * maximum(rho, 1.0)))
        left = 1.0 - adhering
        trail = self.patch / 3.0 * left * left * left / kept
        fy = share * gy
        return ContactPatchWrench(share * gx, fy, mz=-trail * rolls * fy)

    def _friction(self, slip: Scalar) -> Scalar:
        if self.sliding_friction is None:
            return self.friction
        return self.friction + (self.sliding_friction - self.friction) * minimum(slip, 1.0)

    def stiffness(self, contact: Contact) -> tuple[Scalar, Scalar]:
        share = maximum(contact.load, 0.0) / self.nominal_load
        return self.slip_stiffness * share, self.cornering_stiffness * share
