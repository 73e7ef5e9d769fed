"""The brush tyre: bristles stick until friction lets them go (Fiala 1954; Pacejka 2012, 3.2)."""

from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum, minimum, select, sqrt, tan
from touchback.vehicle.part import Positive, Size
from touchback.vehicle.tyres.base import Contact, Grip, sense
from touchback.vehicle.tyres.simple import SimpleTyre

_LOCKED = 1e-3  # of 1 + κ: below it the wheel stands, and all bristles slide


class BrushTyre(SimpleTyre, frozen=True, kw_only=True, tag="brush-tyre"):
    """Bristles under a parabolic pressure, with `slip_stiffness` C_κ [N] and `cornering_stiffness`
    C_α [N/rad] at the `nominal_load` [N], in proportion to the load, and a `friction` μ that falls
    to `sliding_friction` at a slip of 1 (as in Adams' Fiala tyre; None: it stays).

    With σ_x = κ/(1 + κ), σ_y = tan α/(1 + κ), G = (C_κ σ_x, −C_α σ_y) and ρ = |G|/(3 μ F_z): F = G
    (1 − ρ + ρ²/3) where ρ < 1, else the whole patch slides, |F| = μ F_z. The trail of a patch of
    half length `patch` a [m] is a/3 (1 − ρ)³/(1 − ρ + ρ²/3). At κ = 0 this is Fiala's tyre. Rolling
    backward all is mirrored: 1 − κ, and the trail ahead of the axle; at rest there is none."""

    slip_stiffness: Positive = 80000.0
    cornering_stiffness: Positive = 60000.0
    nominal_load: Positive = 4000.0
    friction: Positive = 1.0
    sliding_friction: Positive | None = None
    patch: Size = 0.06

    def grip(self, contact: Contact) -> Grip:
        load = maximum(contact.load, 0.0)
        along, across = self.stiffness(contact)
        rolls = sense(contact.speed, self.slow())
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
        return Grip(share * gx, fy, mz=-trail * rolls * fy)

    def _friction(self, slip: Scalar) -> Scalar:
        if self.sliding_friction is None:
            return self.friction
        return self.friction + (self.sliding_friction - self.friction) * minimum(slip, 1.0)

    def stiffness(self, contact: Contact) -> tuple[Scalar, Scalar]:
        share = maximum(contact.load, 0.0) / self.nominal_load
        return self.slip_stiffness * share, self.cornering_stiffness * share
