"""Constraints between coordinates: couplings, user constraints and drives.

Couplings (gear, rack, screw, differential) are linear: Σ factor · q = offset. A joint with several
coordinates is named with the one that is meant, as "joint.turn"; its name alone means the first. A
user constraint keeps an expression at zero, a drive prescribes a coordinate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from touchback.errors import ModelError
from touchback.model.joints.joint import Joint
from touchback.model.mechanics_protocol import Mechanics
from touchback.model.value_or_expression import Data, Value, is_number, is_zero, value
from touchback.model.visual_shapes import Shapes
from touchback.numbers import Scalar
from touchback.symbolic import Expr, select, sin

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


class Constraint(Data, frozen=True):
    """A constraint written as an expression: `position` = h(q, t) or `velocity` = φ(q, v, t),
    linear in v, kept at zero. With `through` (joint, index) it is a servo-constraint: the effort
    of that coordinate keeps it, instead of an ideal constraint force. With `friction` μ the force λ
    that keeps it rubs: −μ |λ| u/√(u² + u₀²) along the sliding velocity u = `slides`, with u₀ =
    `slip_speed` [m/s]. While it isn't `active` it ties nothing."""

    NAMES: ClassVar[tuple[str, ...]] = ("through",)
    position: Value | None = None
    velocity: Value | None = None
    through: tuple[str, int] | None = None
    unit: str = ""
    active: bool = True
    friction: Value = 0.0
    slides: Value | None = None
    slip_speed: Value = 1e-3


class Drive(Data, frozen=True):
    """Prescribed motion of coordinate `index` of a joint: an expression of time and inputs. Rates
    that are not given are derived (inputs count as constant). While it isn't `active` the
    coordinate is free."""

    joint: str
    position: Value
    velocity: Value | None = None
    acceleration: Value | None = None
    index: int = 0
    active: bool = True


def friction_of(
    label: str,
    friction: Value,
    slides: Value | None,
    slip_speed: Value,
    through: tuple[str, int] | None,
) -> tuple[Value, Value | None, Value]:
    """Coefficient, sliding velocity and slip speed of a constraint, checked."""
    given = value(f"{label}: friction", friction)
    slow = value(f"{label}: slip_speed", slip_speed)
    if is_number(given) and not given >= 0.0:
        raise ModelError(f"{label}: its friction is {given}; a coefficient is zero or positive.")
    if is_number(slow) and not slow > 0.0:
        raise ModelError(
            f"{label}: its slip_speed is {slow} m/s; give a small positive one: friction is full "
            "well above it."
        )
    if slides is None and not is_zero(given):
        raise ModelError(
            f"{label}: friction needs a sliding velocity; give `slides`, such as "
            "slides=m.rate('joint')."
        )
    if slides is None:
        return given, None, slow
    if not isinstance(slides, Expr):
        raise ModelError(
            f"{label}: `slides` is an expression of rates, such as m.rate('joint'); got {slides!r}."
        )
    if through is not None:
        raise ModelError(
            f"{label}: the effort of joint '{through[0]}' keeps it, which has no friction; leave "
            "either `through` or `friction` away."
        )
    return given, slides, slow


_TWO_PI = 6.283185307179586


@dataclass(frozen=True)
class Sine:
    """offset + amplitude · sin(2π frequency t + phase); frequency in hertz."""

    amplitude: Value
    frequency: Value = 1.0
    phase: Value = 0.0
    offset: Value = 0.0

    def __call__(self, time: Value) -> Value:
        return self.offset + self.amplitude * sin(_TWO_PI * self.frequency * time + self.phase)


@dataclass(frozen=True)
class Ramp:
    """start + speed · t."""

    speed: Value
    start: Value = 0.0

    def __call__(self, time: Value) -> Value:
        return self.start + self.speed * time


@dataclass(frozen=True)
class SmoothStep:
    """From `start` to `stop` between the times `begin` and `end`, with continuous acceleration:
    the cycloid s − sin(2π s)/2π."""

    start: Value
    stop: Value
    begin: Value = 0.0
    end: Value = 1.0

    def __call__(self, time: Value) -> Value:
        s = (time - self.begin) / (self.end - self.begin)
        inside = s - sin(_TWO_PI * s) / _TWO_PI
        fraction = select(s < 0.0, 0.0, select(s < 1.0, inside, 1.0))
        return self.start + (self.stop - self.start) * fraction


class ContactKind(Data, frozen=True, tag_field="kind"):
    """A rigid contact: its gap, its slip speeds, and the fields `restitution` (of the normal speed,
    or of the impulse) and `friction` (Coulomb's coefficient). Where there is a field
    `static_friction`, that is the coefficient while nothing slips (None: the same); event-driven
    runs know the difference."""

    def gap(self, mechanics: Mechanics) -> Scalar:
        """Distance [m] (or an angle [rad]), a function of the positions; negative when overlapping.
        The normal speed is its rate."""
        raise NotImplementedError(type(self).__name__)

    def slip(self, mechanics: Mechanics) -> list[Scalar]:
        """Slip speeds along none, one or two tangents, linear in the velocities [m/s]."""
        raise NotImplementedError(type(self).__name__)

    def shapes(self) -> Shapes:
        """What pictures show of it."""
        return []

    def roll(self, mechanics: Mechanics) -> list[Scalar]:
        """Turning speeds that rolling friction resists, none, one or two [rad/s]; its arm [m] is
        the field `rolling`."""
        return []


def regularised_coulomb(
    mechanics: Mechanics,
    friction: Value,
    slip_speed: Value,
    normal: Scalar,
    slip: Sequence[Scalar],
) -> list[Scalar]:
    """−μ N u/√(u² + u₀²) for the slip velocity u [m/s], component by component [N]."""
    k = mechanics.k
    if is_zero(friction):
        return [0 for _ in slip]
    limit, u0 = k.mul(mechanics.value(friction), normal), mechanics.value(slip_speed)
    squares = k.mul(u0, u0)
    for u in slip:
        squares = k.add(squares, k.mul(u, u))
    drag = -k.div(limit, k.sqrt(squares))
    return [k.mul(drag, u) for u in slip]
