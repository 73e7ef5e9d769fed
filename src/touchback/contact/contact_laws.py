"""Laws of compliant contacts: what every one says of itself, and each of them. A new normal law is
a class here and one more name in AnyLaw; friction is apart, since exact stick and slip belong to
rigid contacts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from touchback.errors import ModelError
from touchback.model import (
    Data,
    Mechanics,
    Value,
    check_positive,
    is_number,
    is_zero,
    power_law_units,
    value,
)
from touchback.numbers import Scalar

Own = Mapping[str, Scalar]


"""A law's own states by name."""


@dataclass(frozen=True)
class LawState:
    """An internal state of a law: its initial value, its rate for a depth [m] and the law's own
    states, its unit."""

    initial: float
    rate: Callable[[Mechanics, Scalar, Own], Scalar]
    unit: str = ""


class ContactLaw(Data, frozen=True, tag_field="kind"):
    """A normal force of depth and its rate: zero where nothing touches, and it never pulls.

    Numbers may be live expressions."""

    def force(self, mechanics: Mechanics, depth: Scalar, rate: Scalar, own: Own) -> Scalar:
        """Normal force [N] for a depth [m] (negative: apart), its rate [m/s], and the law's own
        states by name."""
        raise NotImplementedError(type(self).__name__)

    def energy(self, mechanics: Mechanics, depth: Scalar, own: Own) -> Scalar:
        """What the law stores [J]."""
        raise NotImplementedError(type(self).__name__)

    def states(self) -> dict[str, LawState]:
        """States of its own by name, which become those of the contact."""
        return {}


def in_contact(mechanics: Mechanics, depth: Scalar, given: Scalar) -> Scalar:
    """What is given where d > 0, else zero: also its slopes, though roots have infinite ones at
    0."""
    k = mechanics.k
    return k.select(k.less(0, depth), given, 0)


def elastic_energy(
    mechanics: Mechanics, depth: Scalar, stiffness: Scalar, exponent: Scalar
) -> Scalar:
    """K dⁿ⁺¹/(n + 1), that of the spring K dⁿ [J]."""
    k = mechanics.k
    power = k.add(exponent, 1)
    stored = k.div(k.mul(stiffness, k.pow(depth, power)), power)
    return in_contact(mechanics, depth, stored)


class UnilateralSpring(ContactLaw, frozen=True, tag="unilateral-spring"):
    """max(0, K dⁿ + c ḋ) for depths d > 0: `stiffness` K [N/mⁿ], `damping` c [N s/m], `exponent` n.

    The damper acts at once on touch, so that an impact begins with a jump of the force;
    `HuntCrossley` has none."""

    stiffness: Value
    damping: Value = 0.0
    exponent: Value = 1.0

    def __post_init__(self) -> None:
        check_positive("UnilateralSpring", stiffness=self.stiffness, exponent=self.exponent)
        check_positive("UnilateralSpring", zero=True, damping=self.damping)

    def field_units(self) -> dict[str, str]:
        return {**power_law_units(self.exponent), "damping": "N s/m", "exponent": "1"}

    def force(self, mechanics: Mechanics, depth: Scalar, rate: Scalar, own: Own) -> Scalar:
        k, value = mechanics.k, mechanics.value
        push = k.mul(value(self.stiffness), k.pow(depth, value(self.exponent)))
        if not is_zero(self.damping):
            push = k.maximum(k.add(push, k.mul(value(self.damping), rate)), 0)
        return in_contact(mechanics, depth, push)

    def energy(self, mechanics: Mechanics, depth: Scalar, own: Own) -> Scalar:
        value = mechanics.value
        return elastic_energy(mechanics, depth, value(self.stiffness), value(self.exponent))


# Damping that grows with the depth, so that forces begin and end at zero: K. H. Hunt and F. R. E.
# Crossley, Coefficient of restitution interpreted as damping in vibroimpact, J. Applied Mechanics
# 42 (1975) 440–445.
class HuntCrossley(ContactLaw, frozen=True, tag="hunt-crossley"):
    """K dⁿ max(0, 1 + 3/2 c ḋ): `stiffness` K [N/mⁿ], `damping` c [s/m], `exponent` n (3/2: Hertz).

    An impact at the speed v on a body that stands still has the restitution e ≈ 1 − c v for small
    c v, whatever the mass, K and n."""

    stiffness: Value
    damping: Value = 0.0
    exponent: Value = 1.5

    def __post_init__(self) -> None:
        check_positive("HuntCrossley", stiffness=self.stiffness, exponent=self.exponent)
        check_positive("HuntCrossley", zero=True, damping=self.damping)

    def field_units(self) -> dict[str, str]:
        return {**power_law_units(self.exponent), "damping": "s/m", "exponent": "1"}

    def force(self, mechanics: Mechanics, depth: Scalar, rate: Scalar, own: Own) -> Scalar:
        k, value = mechanics.k, mechanics.value
        push = k.mul(value(self.stiffness), k.pow(depth, value(self.exponent)))
        if not is_zero(self.damping):
            slope = k.mul(k.const(1.5), value(self.damping))
            push = k.mul(push, k.maximum(k.add(1, k.mul(slope, rate)), 0))
        return in_contact(mechanics, depth, push)

    def energy(self, mechanics: Mechanics, depth: Scalar, own: Own) -> Scalar:
        value = mechanics.value
        return elastic_energy(mechanics, depth, value(self.stiffness), value(self.exponent))


# A power law with hysteresis and memory, as of piano hammers and their cushions: A. Stulov,
# Hysteretic model of the grand piano hammer felt, J. Acoust. Soc. Am. 97 (1995) 2577–2585; both
# forms also in J. O. Smith, Physical Audio Signal Processing, "Including Hysteresis".
class Felt(ContactLaw, frozen=True, tag="felt"):
    """max(0, K [ξᵖ + α d(ξᵖ)/dt] − ε w) for the depth ξ, with τ₀ ẇ = K ξᵖ − w.

    `stiffness` K [N/mᵖ] at quick compression, `exponent` p > 1, `hysteresis` α [s], `memory` ε (0
    to below 1: the part of the force that felt loses when it is held down), `memory_time` τ₀ [s].
    With memory the contact has the state "memory" w [N], and
    F = K [ξᵖ − (ε/τ₀) ∫ ξᵖ(s) e^((s−t)/τ₀) ds]."""

    stiffness: Value
    exponent: Value = 2.5
    hysteresis: Value = 0.0
    memory: Value = 0.0
    memory_time: Value = 1e-3

    def __post_init__(self) -> None:
        check_positive("Felt", stiffness=self.stiffness, memory_time=self.memory_time)
        check_positive("Felt", zero=True, hysteresis=self.hysteresis, memory=self.memory)
        exponent = value("Felt: exponent", self.exponent)
        if is_number(exponent) and not exponent > 1.0:
            raise ModelError(
                f"Felt: its exponent is {self.exponent}; felt stiffens, give one above 1 (usually "
                "2 to 4), or use tb.contact.UnilateralSpring."
            )
        if is_number(self.memory) and not self.memory < 1.0:
            raise ModelError(
                f"Felt: its memory is {self.memory}; it is the part of the force that relaxes, "
                "give one from 0 to below 1."
            )

    def field_units(self) -> dict[str, str]:
        own = {"exponent": "1", "hysteresis": "s", "memory": "1", "memory_time": "s"}
        return {**power_law_units(self.exponent), **own}

    def force(self, mechanics: Mechanics, depth: Scalar, rate: Scalar, own: Own) -> Scalar:
        k, value = mechanics.k, mechanics.value
        power = self._power(mechanics, depth)
        push = k.mul(power, depth)
        if not is_zero(self.hysteresis):
            # α d(ξᵖ)/dt = α p ξᵖ⁻¹ ξ̇
            factor = k.mul(value(self.hysteresis), value(self.exponent))
            push = k.add(push, k.mul(power, k.mul(factor, rate)))
        if not is_zero(self.memory):
            push = k.sub(push, k.mul(value(self.memory), own["memory"]))
        if not (is_zero(self.hysteresis) and is_zero(self.memory)):
            push = k.maximum(push, 0)
        return in_contact(mechanics, depth, push)

    def energy(self, mechanics: Mechanics, depth: Scalar, own: Own) -> Scalar:
        """K [ξᵖ⁺¹/(p+1) − ε ω ξ + ε p/(p+1) ω^(1+1/p)], ω = w/K, with ξ not below (ε ω)^(1/p), to
        which the felt itself is still pressed in where it no longer pushes.

        Its slope by ξ is the force, and what it loses by ω, K ε (ξ − ω^(1/p)) (ξᵖ − ω)/τ₀, is never
        negative: memory takes energy and gives none."""
        k, value = mechanics.k, mechanics.value
        K, p, epsilon = value(self.stiffness), value(self.exponent), value(self.memory)
        if is_zero(self.memory):
            return elastic_energy(mechanics, depth, K, p)
        omega = k.div(k.maximum(own["memory"], 0), K)
        root = k.div(1, p)
        pressed = k.maximum(depth, k.pow(k.mul(epsilon, omega), root))
        held = k.mul(k.div(p, k.add(p, 1)), k.pow(omega, k.add(1, root)))
        bound = k.mul(k.mul(K, epsilon), k.sub(held, k.mul(omega, pressed)))
        return k.add(elastic_energy(mechanics, pressed, K, p), bound)

    def states(self) -> dict[str, LawState]:
        if is_zero(self.memory):
            return {}
        return {"memory": LawState(0.0, self._memory_rate, "N")}

    def _memory_rate(self, mechanics: Mechanics, depth: Scalar, own: Own) -> Scalar:
        k = mechanics.k
        spring = in_contact(mechanics, depth, k.mul(self._power(mechanics, depth), depth))
        return k.div(k.sub(spring, own["memory"]), mechanics.value(self.memory_time))

    def _power(self, mechanics: Mechanics, depth: Scalar) -> Scalar:
        """K ξᵖ⁻¹: the one power that spring and hysteresis share."""
        k, value = mechanics.k, mechanics.value
        power = k.pow(depth, k.sub(value(self.exponent), 1))
        return k.mul(value(self.stiffness), power)


_LEAST = 1e-300  # N, beside a force that a depth is divided by


# Pressed in along one line and coming back along a steeper one, so that most of an impact's energy
# and of its depth stay: O. R. Walton and R. L. Braun, Viscosity, granular-temperature, and stress
# calculations for shearing assemblies of inelastic, frictional disks, J. Rheology 30 (1986)
# 949–980: two straight lines, whose stiffnesses are as 1 to 1/e².
class Crush(ContactLaw, frozen=True, tag="crush"):
    """F(p) = K p + K₂ max(0, p − L) at a depth p that was never reached before, and behind it
    F(p) max(0, 1 − (p − d)/r), over the way back r = 2 e² U/F, where U is the work up to p.

    `stiffness` K [N/m]; `restitution` e, from above 0 to 1, which an impact has at any speed; the
    `length` L [m] that crumples easily, and what the `core` behind it adds, K₂ [N/m] (0: nothing).
    The contact has the state "deepest", p [m]: it follows the depth within the time `lag` [s],
    which is to be short beside an impact, π/2 √(m/K), and no shorter than a fixed step."""

    UNITS: ClassVar[dict[str, str]] = {
        "stiffness": "N/m",
        "restitution": "1",
        "length": "m",
        "core": "N/m",
        "lag": "s",
    }
    stiffness: Value
    restitution: Value = 0.15
    length: Value = 0.6
    core: Value = 0.0
    lag: Value = 1e-3

    def __post_init__(self) -> None:
        check_positive("Crush", stiffness=self.stiffness, length=self.length, lag=self.lag)
        check_positive("Crush", restitution=self.restitution)
        check_positive("Crush", zero=True, core=self.core)
        if is_number(self.restitution) and not self.restitution <= 1.0:
            raise ModelError(
                f"Crush: its restitution is {self.restitution}; more than 1 would give energy, "
                "take one from above 0 to 1."
            )

    def force(self, mechanics: Mechanics, depth: Scalar, rate: Scalar, own: Own) -> Scalar:
        pressed = self._pressed(mechanics, mechanics.k.maximum(depth, own["deepest"]))
        push = mechanics.k.mul(pressed.force, pressed.left(mechanics, depth))
        return in_contact(mechanics, depth, push)

    def energy(self, mechanics: Mechanics, depth: Scalar, own: Own) -> Scalar:
        """e² U(p) along the way back, and before the deepest depth follows, U(d) − U(p): the law
        loses (1 − e²) F ṗ, and never gains."""
        k = mechanics.k
        deepest = k.maximum(own["deepest"], 0)
        ahead = self._pressed(mechanics, k.maximum(depth, deepest))
        before = self._pressed(mechanics, deepest)
        left = ahead.left(mechanics, depth)
        stored = k.mul(k.mul(k.const(0.5), k.mul(before.force, before.back)), k.mul(left, left))
        return in_contact(mechanics, depth, k.add(k.sub(ahead.work, before.work), stored))

    def states(self) -> dict[str, LawState]:
        return {"deepest": LawState(0.0, self.deepening, "m")}

    def deepening(self, mechanics: Mechanics, depth: Scalar, own: Own) -> Scalar:
        """The rate of the deepest depth [m/s]."""
        k = mechanics.k
        ahead = k.maximum(k.sub(depth, own["deepest"]), 0)
        return in_contact(mechanics, depth, k.div(ahead, mechanics.value(self.lag)))

    def remaining(self, mechanics: Mechanics, own: Own) -> Scalar:
        """The depth that doesn't come back [m]."""
        k = mechanics.k
        deepest = k.maximum(own["deepest"], 0)
        return k.sub(deepest, self._pressed(mechanics, deepest).back)

    def _pressed(self, mechanics: Mechanics, deepest: Scalar) -> "_Pressed":
        k, value = mechanics.k, mechanics.value
        e = value(self.restitution)
        force = k.mul(value(self.stiffness), deepest)
        twice = k.mul(force, deepest)
        if not is_zero(self.core):
            further = k.maximum(k.sub(deepest, value(self.length)), 0)
            added = k.mul(value(self.core), further)
            force, twice = k.add(force, added), k.add(twice, k.mul(added, further))
        back = k.div(k.mul(k.mul(e, e), twice), k.add(force, k.const(_LEAST)))
        return _Pressed(deepest, force, k.mul(k.const(0.5), twice), back)


@dataclass(frozen=True)
class _Pressed:
    """Where a law was pressed to: that depth [m], its force [N], the work up to there [J], and the
    way back to no force [m]."""

    deepest: Scalar
    force: Scalar
    work: Scalar
    back: Scalar

    def left(self, mechanics: Mechanics, depth: Scalar) -> Scalar:
        """Which part of the force is left at a depth, 0 to 1."""
        k = mechanics.k
        gone = k.div(k.sub(self.deepest, depth), k.add(self.back, k.const(_LEAST)))
        return k.maximum(k.sub(1, gone), 0)


def rolling_friction(
    mechanics: Mechanics,
    coefficient: Value,
    slip_speed: Value,
    normal: Scalar,
    radius: Scalar,
    spin: Scalar,
) -> Scalar:
    """−c N r ω/√(ω² + ω₀²) [N m] for the relative spin ω [rad/s] of a circle of radius r, with
    ω₀ = u₀/r: it gives way where the rim is slower than the `slip_speed` u₀."""
    k = mechanics.k
    if is_zero(coefficient):
        return 0
    limit = k.mul(k.mul(mechanics.value(coefficient), normal), radius)
    rim, u0 = k.mul(radius, spin), mechanics.value(slip_speed)
    return -k.div(k.mul(limit, rim), k.sqrt(k.add(k.mul(rim, rim), k.mul(u0, u0))))


#: Every law that a model file can hold.
AnyLaw = UnilateralSpring | HuntCrossley | Felt | Crush
__all__ = [
    "AnyLaw",
    "ContactLaw",
    "Crush",
    "Felt",
    "HuntCrossley",
    "LawState",
    "UnilateralSpring",
    "rolling_friction",
]
