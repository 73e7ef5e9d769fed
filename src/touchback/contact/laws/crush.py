"""What crumples: it is pressed in along one line and comes back along a steeper one, so that most
of an impact's energy and of its depth stay.

Source: O. R. Walton and R. L. Braun, Viscosity, granular-temperature, and stress calculations for
shearing assemblies of inelastic, frictional disks, J. Rheology 30 (1986) 949–980: two straight
lines, whose stiffnesses are as 1 to 1/e².
"""

from dataclasses import dataclass
from typing import ClassVar

from touchback.contact.laws.base import ContactLaw, LawState, Own, where_touching
from touchback.errors import ModelError
from touchback.model.mechanics import Mechanics
from touchback.model.value import Value, check_positive, is_number, is_zero
from touchback.spatial.vectors import Scalar

_LEAST = 1e-300  # N, beside a force that a depth is divided by


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
        return where_touching(mechanics, depth, push)

    def energy(self, mechanics: Mechanics, depth: Scalar, own: Own) -> Scalar:
        """e² U(p) along the way back, and before the deepest depth follows, U(d) − U(p): the law
        loses (1 − e²) F ṗ, and never gains."""
        k = mechanics.k
        deepest = k.maximum(own["deepest"], 0)
        ahead = self._pressed(mechanics, k.maximum(depth, deepest))
        before = self._pressed(mechanics, deepest)
        left = ahead.left(mechanics, depth)
        stored = k.mul(k.mul(k.const(0.5), k.mul(before.force, before.back)), k.mul(left, left))
        return where_touching(mechanics, depth, k.add(k.sub(ahead.work, before.work), stored))

    def states(self) -> dict[str, LawState]:
        return {"deepest": LawState(0.0, self.deepening, "m")}

    def deepening(self, mechanics: Mechanics, depth: Scalar, own: Own) -> Scalar:
        """The rate of the deepest depth [m/s]."""
        k = mechanics.k
        ahead = k.maximum(k.sub(depth, own["deepest"]), 0)
        return where_touching(mechanics, depth, k.div(ahead, mechanics.value(self.lag)))

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
