"""Felt: a power law with hysteresis and memory, as of piano hammers and their cushions.

Sources: A. Stulov, Hysteretic model of the grand piano hammer felt, J. Acoust. Soc. Am. 97 (1995)
2577–2585; both forms also in J. O. Smith, Physical Audio Signal Processing, "Including Hysteresis".
"""

from touchback.contact.laws.base import (
    ContactLaw,
    LawState,
    Own,
    elastic_energy,
    where_touching,
)
from touchback.errors import ModelError
from touchback.model.mechanics import Mechanics
from touchback.model.value import (
    Value,
    check_positive,
    is_number,
    is_zero,
    power_law_units,
    value,
)
from touchback.spatial.vectors import Scalar


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
        return where_touching(mechanics, depth, push)

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
        spring = where_touching(mechanics, depth, k.mul(self._power(mechanics, depth), depth))
        return k.div(k.sub(spring, own["memory"]), mechanics.value(self.memory_time))

    def _power(self, mechanics: Mechanics, depth: Scalar) -> Scalar:
        """K ξᵖ⁻¹: the one power that spring and hysteresis share."""
        k, value = mechanics.k, mechanics.value
        power = k.pow(depth, k.sub(value(self.exponent), 1))
        return k.mul(value(self.stiffness), power)
