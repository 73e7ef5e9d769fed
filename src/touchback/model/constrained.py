"""The part of a model that describes constraints: closures, couplings, written ones and drives."""

from collections.abc import Callable
from typing import Any, ClassVar

from msgspec.structs import replace

from touchback.arguments import check_takes
from touchback.errors import ModelError
from touchback.model.closures import Closure, ClosureKind
from touchback.model.couplings import AnyCoupling, CouplingKind, coordinate_of
from touchback.model.description import Description
from touchback.model.frame import Place, as_frame
from touchback.model.joints import JointKind
from touchback.model.names import check_name, check_unit, unknown
from touchback.model.value import Components, Data, Value, is_number, is_zero, listed, value
from touchback.model.walk import normalised, truth
from touchback.symbolic.expression import Expr


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


class Constrained(Description):
    """A description with constraints: closed loops, couplings, written ones, prescribed motions."""

    def __init__(self, name: str, gravity: Components) -> None:
        super().__init__(name, gravity)
        self.closures: dict[str, Closure] = {}
        self.couplings: dict[str, AnyCoupling] = {}
        self.constraints: dict[str, Constraint] = {}
        self.drives: dict[str, Drive] = {}

    def close(
        self, name: str, kind: ClosureKind | JointKind, a: Place, b: Place, active: bool = True
    ) -> None:
        """Close a loop: tie frame `b` to frame `a` by a point closure (tb.PointInPlane, tb.Rod, …),
        by a joint used as a closure (tb.Spherical() is a ball, tb.Revolute("z") a pin, …), or by
        their velocities (tb.Skate, tb.Rolling)."""
        label = self._new_constraint("closure", name)
        if not isinstance(kind, ClosureKind | JointKind):
            raise ModelError(
                f"{label}: a closure such as tb.Spherical() is expected, got {kind!r}."
            )
        frames = as_frame(f"{label}: a", a), as_frame(f"{label}: b", b)
        closure = Closure(normalised(label, kind), *frames, truth(f"{label}: active", active))
        try:
            closure.kind.equations()
        except ModelError as error:
            raise ModelError(f"{label}: {error}") from None
        self.closures[name] = self._own(label, closure)

    def couple(self, name: str, kind: AnyCoupling, active: bool = True) -> None:
        """Tie joint coordinates: tb.Gear, tb.Rack, tb.ScrewCoupling, tb.Differential."""
        label = self._new_constraint("coupling", name)
        if not isinstance(kind, CouplingKind):
            raise ModelError(f"{label}: a coupling such as tb.Gear(…) is expected, got {kind!r}.")
        checked = self._own(label, normalised(label, kind))
        met: set[tuple[str, int]] = set()
        for named, place, _ in checked.terms():
            joint, index = self._check_plain(label, named, place)
            if (joint, index) in met:
                raise ModelError(f"{label}: it names joint '{joint}' twice; name each once.")
            met.add((joint, index))
        if not truth(f"{label}: active", active):
            checked = replace(checked, active=False)
        self.couplings[name] = checked

    def constrain(
        self,
        name: str,
        position: Expr | None = None,
        velocity: Expr | None = None,
        through: str | tuple[str, int] | None = None,
        unit: str = "",
        active: bool = True,
        friction: Value = 0.0,
        slides: Value | None = None,
        slip_speed: Value = 1e-3,
    ) -> None:
        """Keep an expression at zero: `position` h(q, t), or `velocity` φ(q, v, t), linear in v.
        `through="joint"` or ("joint", index) makes it a servo-constraint.

        With `friction` μ the force that keeps it rubs where it `slides`: an expression of the
        sliding velocity [m/s], linear in v, of a position that is a distance [m]. Friction is
        regularised below `slip_speed` [m/s]."""
        label = self._new_constraint("constraint", name)
        if (position is None) == (velocity is None):
            raise ModelError(f"{label}: give either `position` or `velocity`, one of the two.")
        given = position if velocity is None else velocity
        if not isinstance(given, Expr):
            raise ModelError(f"{label}: an expression of coordinates is expected, got {given!r}.")
        servo = None
        if through is not None:
            pair = (through, 0) if isinstance(through, str) else self._pair(label, through)
            servo = self._check_plain(label, *pair)
        rubbing = _rubbing(label, friction, slides, slip_speed, servo)
        made = Constraint(
            position, velocity, servo, check_unit(label, unit), truth(f"{label}: active", active),
            *rubbing,
        )  # fmt: skip
        self.constraints[name] = self._own(label, made)

    def drive(
        self,
        joint: str,
        motion: Value | Callable[[Expr], Value],
        velocity: Value | None = None,
        acceleration: Value | None = None,
        index: int = 0,
        name: str | None = None,
        active: bool = True,
    ) -> None:
        """Prescribe a coordinate: `motion` is an expression of time and inputs, or a function of
        time such as tb.Sine(…). The effort that it takes comes back (`tb.Multiplier(name)`)."""
        name = joint.replace("/", " ") if name is None and isinstance(joint, str) else name
        label = self._new_constraint("drive", name)
        joint, index = self._check_plain(label, joint, index)
        for other, known in self.drives.items():
            if (known.joint, known.index) == (joint, index):
                raise ModelError(
                    f"{label}: coordinate {index} of joint '{joint}' is driven by drive '{other}' "
                    "already; a coordinate has one drive."
                )
        if callable(motion):
            check_takes(f"{label}: its motion", motion, ["time"], ModelError)
            motion = motion(self.time)
        optional = [
            None if rate is None else value(f"{label}: {word}", rate)
            for word, rate in (("velocity", velocity), ("acceleration", acceleration))
        ]
        made = Drive(
            joint,
            value(f"{label}: motion", motion),
            optional[0],
            optional[1],
            index,
            truth(f"{label}: active", active),
        )
        self.drives[name] = self._own(label, made)

    def constraint_rows(self) -> dict[str, tuple[str, ...]]:
        """The names of the rows of every constraint, active or not, in order: closures, couplings,
        written constraints, drives."""
        rows: dict[str, tuple[str, ...]] = {}
        for name, closure in self.closures.items():
            count = len(closure.kind.equations())
            rows[name] = tuple(f"{name}.{i + 1}" for i in range(count)) if count > 1 else (name,)
        rows.update({name: (name,) for name in (*self.couplings, *self.constraints, *self.drives)})
        return rows

    def _new_constraint(self, kind: str, name: Any) -> str:
        """The label of a new constraint; all four kinds share their names, and those of rows."""
        check_name(kind.capitalize(), name)
        for other in ("closure", "coupling", "constraint", "drive"):
            if name in getattr(self, f"{other}s"):
                raise ModelError(
                    f"{kind.capitalize()} '{name}': there is a {other} of this name already; "
                    "closures, couplings, constraints and drives share their names."
                )
        for other, rows in self.constraint_rows().items():
            if name in rows:
                raise ModelError(
                    f"{kind.capitalize()} '{name}': this is the name of a row of closure '{other}'."
                )
        return f"{kind.capitalize()} '{name}'"

    def _pair(self, label: str, given: object) -> tuple[str, int]:
        items = listed(given)
        if items is None or len(items) != 2 or not isinstance(items[1], int):
            raise ModelError(
                f"{label}: `through` is a joint, or a joint and the index of its coordinate, got "
                f"{given!r}."
            )
        return str(items[0]), items[1]

    def _check_plain(self, label: str, name: str, place: int) -> tuple[str, int]:
        """The joint and index of a coordinate, which must be a plain one."""
        joints = self.all_joints()
        joint, index = coordinate_of(joints, name, place)
        if joint not in joints:
            raise unknown("joint", joint, joints, where=label)
        kind = joints[joint].kind
        if kind.nq != kind.nv:
            raise ModelError(
                f"{label}: joint '{joint}' has a quaternion; couplings, drives and servo-"
                "constraints need plain coordinates."
            )
        if not 0 <= index < kind.nv:
            raise ModelError(
                f"{label}: joint '{joint}' has {kind.nv} coordinate(s), numbered from 0; there is "
                f"none numbered {index}."
            )
        return joint, index


def _rubbing(
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
            f"{label}: the effort of joint '{through[0]}' keeps it, which rubs nowhere; leave "
            "either `through` or `friction` away."
        )
    return given, slides, slow
