"""From the throttle and the brake line to the wheels: engine, gearbox, differential and disc
brakes.

Engine and gearbox have the numbers of Gallo's buggy (2012, §4.2.1, table 3.1 and appendix E; the
engine's map is Naya's, 2007)."""

from dataclasses import dataclass
from math import pi
from typing import Annotated, ClassVar

from msgspec import Meta

from touchback import Expr, ForceKind, InternalState, JointEffort, Model, maximum, minimum, select
from touchback.errors import ModelError
from touchback.model import Forces, Mechanics, Value, check_positive, number
from touchback.numbers import Scalar
from touchback.vehicle.car_part import FromZero, Number, Part, Positive
from touchback.vehicle.scalar_operators import as_numbers, as_scalars
from touchback.vehicle.tyres.base import between

#: Revolutions per minute in a rad/s (4.6).
RPM = 60.0 / (2.0 * pi)
_LAG = 2e-3  # s: pads follow no faster, so that a step of 1 ms can
_DAMPED = 5e-3  # s: of the pads' own twist, so that a wheel comes to rest on them
#: A bar [Pa].
BAR = 1e5


class Engine(Part, frozen=True):
    """Torque of a speed n [rpm] and a throttle f from 0 to 1: T_a f + T_b (1 − f) (4.11), with
    T_a = c₀ + c₁ n + c₂ n² + c₃ n³ at full throttle (`full`), T_b = −`drag` n when released.

    The numbers are those of appendix E: 96, 137 and 0 N m at 1000, 3000 and 6000 rpm. (Eq. 4.4
    prints 10⁻³ n² for 10⁻⁶ n².) The pedal's encoder counts to `counts`."""

    UNITS: ClassVar[dict[str, str]] = {"drag": "N m/rpm"}

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


class Gearbox(Part, frozen=True):
    """Gears and a differential, without losses (4.7–4.8), and the map by which an automatic one
    shifts. Numbers of the buggy's three gears (table 3.1).

    Gallo leaves shifting out and stays in the second gear; this map is ours: up above
    `up` = (n at no throttle, n at full throttle), down below `down`, linear between them [rpm]."""

    UNITS: ClassVar[dict[str, str]] = {
        "ratios": "1",
        "differential": "1",
        "up": "rpm",
        "down": "rpm",
    }

    ratios: tuple[Positive, ...] = (2.475, 1.475, 1.0)
    differential: Positive = 3.673
    up: tuple[FromZero, FromZero] = (2500.0, 5000.0)
    down: tuple[FromZero, FromZero] = (1200.0, 2500.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.ratios:
            raise self.wrong("ratios", "it has no gear; give at least one ratio.")
        for low, high in zip(self.ratios[1:], self.ratios, strict=False):
            for throttle, up, down in zip(("no", "full"), self.up, self.down, strict=True):
                if not up * low / high > down:
                    raise self.wrong(
                        "up",
                        f"at {throttle} throttle it shifts up at {up:g} rpm, which the next gear "
                        f"makes {up * low / high:g}, and down below {down:g}: it would hunt. "
                        "Raise `up`, or lower `down`.",
                    )

    def ratio(self, gear: Scalar) -> Scalar:
        """τ = ρ_gb ρ_d of a gear, from 1 (4.8)."""
        found: Scalar = self.ratios[-1]
        for i in range(len(self.ratios) - 1, 0, -1):
            found = select(gear < i + 0.5, self.ratios[i - 1], found)
        return found * self.differential

    def shifted(self, gear: Scalar, n: Scalar, throttle: Scalar) -> Scalar:
        """The gear after this one, at n [rpm] and a throttle from 0 to 1: one up, one down, or the
        same."""
        f = minimum(maximum(throttle, 0.0), 1.0)
        up = self.up[0] + (self.up[1] - self.up[0]) * f
        down = self.down[0] + (self.down[1] - self.down[0]) * f
        higher = minimum(gear + 1.0, float(len(self.ratios)))
        lower = maximum(gear - 1.0, 1.0)
        return select(n > up, higher, select(n < down, lower, gear))


@dataclass(frozen=True)
class Driveline:
    """What a driveline tells: speed of the engine n [rpm], gear, and torque on all driven wheels
    [N m]."""

    speed: Expr
    gear: Expr | float
    torque: Expr


def add_driveline(
    model: Model,
    wheels: tuple[str, ...],
    throttle: Expr,
    engine: Engine | None = None,
    gearbox: Gearbox | None = None,
    gear: int | None = None,
    name: str = "driveline",
    clutch: Expr | float = 0.0,
) -> Driveline:
    """Drive the joints of these wheels, which turn forward about their coordinate, with a throttle
    from 0 to 1. An open differential: n is that of the wheels' mean speed (4.9–4.10), and each gets
    the same share of the torque T τ (4.14). With a `gear` it stays engaged; otherwise a memory
    "`name` gear" shifts at ticks, as the gearbox's map says. A `clutch` that is pressed, 0 to 1,
    takes this share of the torque away."""
    motor, box = engine or Engine(), gearbox or Gearbox()
    if not wheels:
        raise ModelError(f"Driveline '{name}': it drives no wheel; name their joints.")
    if gear is not None and not 1 <= gear <= len(box.ratios):
        raise ModelError(
            f"Driveline '{name}': it has no gear {gear}; its gears are 1 to {len(box.ratios)}."
        )
    mean = sum((model.rate(wheel) for wheel in wheels[1:]), model.rate(wheels[0])) / len(wheels)
    engaged: Expr | float
    if gear is None:
        engaged = model.memory(f"{name} gear", 1.0)
        n = mean * box.ratio(engaged) * RPM
        model.set_update(f"{name} gear", box.shifted(engaged, n, throttle))
    else:
        engaged = float(gear)
        n = mean * (box.ratio(engaged) * RPM)
    torque = motor.torque(n, throttle) * box.ratio(engaged) * (1.0 - clutch)
    for wheel in wheels:
        model.force(f"{name} {wheel}", JointEffort(wheel, torque / len(wheels)))
    return Driveline(n, engaged, torque)


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

    UNITS: ClassVar[dict[str, str]] = {
        "pressure": "Pa",
        "piston_area": "m²",
        "pad_friction": "1",
        "radius": "m",
        "twist": "rad",
    }
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
