"""Couplings between joint coordinates: gear, rack, screw, differential.

All are linear: Σ factor · q = offset. A joint with several coordinates is named with the one that
is meant, as "joint.turn"; its name alone means the first.
"""

from collections.abc import Mapping
from typing import ClassVar

from touchback.errors import ModelError
from touchback.model.joints.joint import Joint
from touchback.model.value import Data, Value

Term = tuple[str, int, Value]  # joint, index of its coordinate, factor


class CouplingKind(Data, frozen=True, tag_field="kind", kw_only=True):
    """A linear relation between coordinates; `offset` is its right-hand side. While it isn't
    `active` it ties nothing."""

    active: bool = True

    def terms(self) -> tuple[Term, ...]:
        """Joints, coordinate indices and factors; the first factor is 1, so that the multiplier is
        the effort on that coordinate."""
        raise NotImplementedError(type(self).__name__)


class Gear(CouplingKind, frozen=True, tag="gear"):
    """second = ratio · first + offset: a negative ratio for external gears."""

    UNITS: ClassVar[dict[str, str]] = {"ratio": "{second}/{first}", "offset": "{second}"}
    NAMES: ClassVar[tuple[str, ...]] = ("first", "second")
    first: str
    second: str
    ratio: Value = -1.0
    offset: Value = 0.0

    def __post_init__(self) -> None:
        _refuse_zero("Gear", "ratio", self.ratio)

    def terms(self) -> tuple[Term, ...]:
        return (self.second, 0, 1.0), (self.first, 0, -self.ratio)


class Rack(CouplingKind, frozen=True, tag="rack"):
    """slide = radius · turn + offset: a pinion of that radius [m] moves the rack."""

    UNITS: ClassVar[dict[str, str]] = {"radius": "{rack}/{pinion}", "offset": "{rack}"}
    NAMES: ClassVar[tuple[str, ...]] = ("pinion", "rack")
    pinion: str
    rack: str
    radius: Value
    offset: Value = 0.0

    def __post_init__(self) -> None:
        _refuse_zero("Rack", "radius", self.radius)

    def terms(self) -> tuple[Term, ...]:
        return (self.rack, 0, 1.0), (self.pinion, 0, -self.radius)


class ScrewCoupling(CouplingKind, frozen=True, tag="screw-coupling"):
    """slide = pitch · turn + offset, within a cylindrical joint (slide, turn); pitch in m/rad."""

    UNITS: ClassVar[dict[str, str]] = {"pitch": "m/rad", "offset": "m"}
    joint: str
    pitch: Value
    offset: Value = 0.0

    def __post_init__(self) -> None:
        _refuse_zero("ScrewCoupling", "pitch", self.pitch)

    def terms(self) -> tuple[Term, ...]:
        return (self.joint, 0, 1.0), (self.joint, 1, -self.pitch)


class Differential(CouplingKind, frozen=True, tag="differential"):
    """carrier = (left + right)/2 + offset."""

    UNITS: ClassVar[dict[str, str]] = {"offset": "{carrier}"}
    NAMES: ClassVar[tuple[str, ...]] = ("carrier", "left", "right")
    carrier: str
    left: str
    right: str
    offset: Value = 0.0

    def terms(self) -> tuple[Term, ...]:
        return (self.carrier, 0, 1.0), (self.left, 0, -0.5), (self.right, 0, -0.5)


def coordinate_of(joints: Mapping[str, Joint], name: str, index: int = 0) -> tuple[str, int]:
    """The joint and index of a coordinate: "joint", or "joint.coordinate", as signals are called;
    a name that is neither stays as it is."""
    if name not in joints and isinstance(name, str):
        joint = name.rpartition(".")[0]
        if joint in joints and name in (names := joints[joint].velocity_names(joint)):
            return joint, names.index(name)
    return name, index


AnyCoupling = Gear | Rack | ScrewCoupling | Differential


def _refuse_zero(kind: str, word: str, factor: Value) -> None:
    if isinstance(factor, int | float) and factor == 0.0:
        raise ModelError(
            f"{kind}: its {word} is 0, which would only lock a coordinate; a drive with a constant "
            "motion does that."
        )
