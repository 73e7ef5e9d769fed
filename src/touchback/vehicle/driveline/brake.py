"""Disc brakes: torque of a line pressure, that slides or holds."""

from touchback.model.forces.base import ForceKind, InternalState
from touchback.model.mechanics import Forces, Mechanics
from touchback.model.value import Value, check_positive, number
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum
from touchback.vehicle.numbers import as_numbers, as_scalars
from touchback.vehicle.tyres.base import between

_LAG = 2e-3  # s: pads follow no faster, so that a step of 1 ms can
_DAMPED = 5e-3  # s: of the pads' own twist, so that a wheel comes to rest on them
#: A bar [Pa].
BAR = 1e5


def line_pressure(count: Scalar, bits: int = 15, full: float = 40.0 * BAR) -> Scalar:
    """Pressure [Pa] of the count of an analog input (Gallo 2012, 4.19 and appendix F): 40 bar at
    32767, none below 0."""
    return maximum(count, 0.0) * (full / (2**bits - 1))


class DiscBrake(ForceKind, frozen=True, kw_only=True, tag="disc-brake"):
    """A disc between two pads in a `joint` (coordinate 0): T = 2 μ p A r of the line `pressure` p
    [Pa], `pad_friction` μ, `piston_area` A on each side [m²] and mean `radius` r of the pads [m].

    Sliding, T acts against the turning; at a standstill the pads hold like a spring that gives way
    at T, after a turn of `twist` z_m [rad]. With the twist z of the pads, s = z_m + |ω| τ and τ = 2
    ms: ż = ω − |ω| z/s, torque −T (z + τ_d ż)/s within ±T, τ_d = 5 ms. (Dahl's friction with
    LuGre's damping; without τ a fast disc would be stiff.)"""

    joint: str
    pressure: Value
    piston_area: Value = 22.9e-4
    pad_friction: Value = 0.38
    radius: Value = 0.115
    twist: float = 5e-3

    def __post_init__(self) -> None:
        check_positive(
            "DiscBrake", piston_area=self.piston_area, pad_friction=self.pad_friction,
            radius=self.radius, twist=self.twist,
        )  # fmt: skip

    def per_pressure(self) -> float:
        """T/p [N m/Pa] of plain numbers."""
        mu = number("DiscBrake: pad_friction", self.pad_friction)
        area = number("DiscBrake: piston_area", self.piston_area)
        return 2.0 * mu * area * number("DiscBrake: radius", self.radius)

    def lock_up_pressure(self, force: float, radius: float, rolling: float = 0.0) -> float:
        """The pressure [Pa] above which a wheel locks, whose tyre bears at most this `force` [N] at
        its loaded `radius` [m] and has a `rolling` resistance [N m], which brakes besides."""
        return (force * radius - rolling) / self.per_pressure()

    def states(self) -> dict[str, InternalState]:
        return {"twist": InternalState(0.0, self._rate, "rad")}

    def apply(self, mechanics: Forces) -> None:
        k = mechanics.k
        omega, z, most = self._now(mechanics)
        held = between(z / most, -1.0, 1.0)
        held = held + _DAMPED * (omega - abs(omega) * held) / most
        given = (self.pressure, self.piston_area, self.pad_friction, self.radius)
        p, area, mu, r = as_numbers(k, map(mechanics.value, given))
        torque = 2.0 * mu * maximum(p, 0.0) * area * r
        effort = -torque * between(held, -1.0, 1.0)
        mechanics.add_effort(self.joint, 0, as_scalars(k, [effort])[0])

    def _now(self, mechanics: Mechanics) -> tuple[Scalar, Scalar, Scalar]:
        """Speed, twist, and the twist of a sliding disc at this speed."""
        k = mechanics.k
        omega, z = as_numbers(k, [mechanics.rate(self.joint), mechanics.state(self, "twist")])
        return omega, z, self.twist + abs(omega) * _LAG

    def _rate(self, mechanics: Mechanics) -> Scalar:
        omega, z, most = self._now(mechanics)
        return as_scalars(mechanics.k, [omega - abs(omega) * z / most])[0]
