"""What every law of a compliant contact says of itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from touchback.model.mechanics import Mechanics
from touchback.model.value import Data
from touchback.spatial.vectors import Scalar

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


def where_touching(mechanics: Mechanics, depth: Scalar, given: Scalar) -> Scalar:
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
    return where_touching(mechanics, depth, stored)
