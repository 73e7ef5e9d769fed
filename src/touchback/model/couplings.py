"""Couplings between joint coordinates: gear, rack, screw, differential.

All are linear: Σ factor · q = offset.
"""

from touchback.errors import ModelError
from touchback.model.value import Data, Value

Term = tuple[str, int, Value]  # joint, index of its coordinate, factor


class CouplingKind(Data, frozen=True, tag_field="kind"):
    """A linear relation between coordinates; `offset` is its right-hand side."""

    def terms(self) -> tuple[Term, ...]:
        """Joints, coordinate indices and factors."""
        raise NotImplementedError(type(self).__name__)


class Gear(CouplingKind, frozen=True, tag="gear"):
    """second = ratio · first + offset: a negative ratio for external gears."""

    first: str
    second: str
    ratio: Value = -1.0
    offset: Value = 0.0

    def terms(self) -> tuple[Term, ...]:
        return (self.second, 0, 1.0), (self.first, 0, _negative(self.ratio))


class Rack(CouplingKind, frozen=True, tag="rack"):
    """slide = radius · turn + offset: a pinion of that radius [m] rolls the rack."""

    pinion: str
    rack: str
    radius: Value = 0.0
    offset: Value = 0.0

    def terms(self) -> tuple[Term, ...]:
        return (self.rack, 0, 1.0), (self.pinion, 0, _negative(self.radius))


class ScrewCoupling(CouplingKind, frozen=True, tag="screw-coupling"):
    """slide = pitch · turn + offset, within a cylindrical joint (slide, turn); pitch in m/rad."""

    joint: str
    pitch: Value = 0.0
    offset: Value = 0.0

    def terms(self) -> tuple[Term, ...]:
        return (self.joint, 0, 1.0), (self.joint, 1, _negative(self.pitch))


class Differential(CouplingKind, frozen=True, tag="differential"):
    """carrier = (left + right)/2 + offset."""

    carrier: str
    left: str
    right: str
    offset: Value = 0.0

    def terms(self) -> tuple[Term, ...]:
        return (self.carrier, 0, 1.0), (self.left, 0, -0.5), (self.right, 0, -0.5)


AnyCoupling = Gear | Rack | ScrewCoupling | Differential


def _negative(value: Value) -> Value:
    return -value


def check_joints(name: str, kind: CouplingKind, joints: object) -> None:
    """Refuse a coupling of joints that aren't there."""
    for joint, _, _ in kind.terms():
        if joint not in joints:  # type: ignore[operator]
            raise ModelError(f"Coupling '{name}': there is no joint '{joint}'.")
