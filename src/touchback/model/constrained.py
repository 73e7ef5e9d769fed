"""The part of a model that describes constraints: closures, couplings, written ones and drives."""

from collections.abc import Callable
from typing import Any, TypeVar

from touchback.errors import ModelError
from touchback.model.closures import AnyClosure, Closure, ClosureKind, closure_equations
from touchback.model.couplings import AnyCoupling, CouplingKind
from touchback.model.frame import as_frame
from touchback.model.joints import Joint, JointKind
from touchback.model.names import check_name, unknown
from touchback.model.value import Data, Value, value
from touchback.model.walk import normalised
from touchback.symbolic.expression import Expr

_T = TypeVar("_T")


class Constraint(Data, frozen=True):
    """A constraint written as an expression: `position` = h(q, t) or `velocity` = φ(q, v, t),
    linear in v, kept at zero. With `through` (joint, index) it is a servo-constraint: the effort
    of that coordinate keeps it, instead of an ideal constraint force."""

    position: Value | None = None
    velocity: Value | None = None
    through: tuple[str, int] | None = None
    unit: str = ""


class Drive(Data, frozen=True):
    """Prescribed motion of coordinate `index` of a joint: an expression of time and inputs. Rates
    that are not given are derived (inputs count as constant)."""

    joint: str
    position: Value
    velocity: Value | None = None
    acceleration: Value | None = None
    index: int = 0


class Constrained:
    """What `Model` inherits for constraints."""

    name: str
    joints: dict[str, Joint]
    time: Any
    _own: Callable[[str, _T], _T]
    _refuse_known: Callable[[str, str, Any], None]

    def __init__(self) -> None:
        self.closures: dict[str, Closure] = {}
        self.couplings: dict[str, AnyCoupling] = {}
        self.constraints: dict[str, Constraint] = {}
        self.drives: dict[str, Drive] = {}

    def close(self, name: str, kind: AnyClosure, a: Any, b: Any) -> None:
        """Close a loop: tie frame `b` to frame `a` by a point closure (tb.PointInPlane, tb.Rod, …)
        or by a joint used as a closure (tb.Spherical() is a ball, tb.Revolute("z") a pin, …)."""
        label = f"Closure '{name}'"
        check_name("Closure", name)
        self._refuse_known("closure", name, self.closures)
        if not isinstance(kind, ClosureKind | JointKind):
            raise ModelError(
                f"{label}: a closure such as tb.Spherical() is expected, got {kind!r}."
            )
        frames = as_frame(f"{label}: a", a), as_frame(f"{label}: b", b)
        closure = Closure(normalised(label, kind), *frames)
        closure_equations(closure)  # refuses joints that can't close a loop
        self.closures[name] = self._own(label, closure)

    def couple(self, name: str, kind: AnyCoupling) -> None:
        """Tie joint coordinates: tb.Gear, tb.Rack, tb.ScrewCoupling, tb.Differential."""
        label = f"Coupling '{name}'"
        check_name("Coupling", name)
        self._refuse_known("coupling", name, self.couplings)
        if not isinstance(kind, CouplingKind):
            raise ModelError(f"{label}: a coupling such as tb.Gear(…) is expected, got {kind!r}.")
        checked = self._own(label, normalised(label, kind))
        for joint, index, _ in checked.terms():
            self._check_plain(label, joint, index)
        self.couplings[name] = checked

    def constrain(
        self,
        name: str,
        position: Any = None,
        velocity: Any = None,
        through: Any = None,
        unit: str = "",
    ) -> None:
        """Keep an expression at zero: `position` h(q, t), or `velocity` φ(q, v, t), linear in v
        (rolling, a skate). `through="joint"` or ("joint", index) makes it a servo-constraint."""
        label = f"Constraint '{name}'"
        check_name("Constraint", name)
        self._refuse_known("constraint", name, self.constraints)
        if (position is None) == (velocity is None):
            raise ModelError(f"{label}: give either `position` or `velocity`, one of the two.")
        given = position if velocity is None else velocity
        if not isinstance(given, Expr):
            raise ModelError(f"{label}: an expression of coordinates is expected, got {given!r}.")
        if through is not None:
            through = (through, 0) if isinstance(through, str) else tuple(through)
            self._check_plain(label, *through)
        made = Constraint(position, velocity, through, unit)
        self.constraints[name] = self._own(label, made)

    def drive(
        self,
        joint: str,
        motion: Any,
        velocity: Any = None,
        acceleration: Any = None,
        index: int = 0,
        name: str | None = None,
    ) -> None:
        """Prescribe a coordinate: `motion` is an expression of time and inputs, or a function of
        time such as tb.Sine(…). The effort that it takes comes back (`tb.DriveEffort(name)`)."""
        name = joint if name is None else name
        label = f"Drive '{name}'"
        check_name("Drive", name)
        self._refuse_known("drive", name, self.drives)
        self._check_plain(label, joint, index)
        position = motion(self.time) if callable(motion) else motion
        rates = [
            None if rate is None else value(f"{label}: {word}", rate)
            for word, rate in (("velocity", velocity), ("acceleration", acceleration))
        ]
        made = Drive(joint, value(f"{label}: motion", position), rates[0], rates[1], index)
        self.drives[name] = self._own(label, made)

    def _check_plain(self, label: str, joint: str, index: int) -> None:
        if joint not in self.joints:
            raise unknown("joint", joint, self.joints, where=label)
        kind = self.joints[joint].kind
        if kind.nq != kind.nv:
            raise ModelError(
                f"{label}: joint '{joint}' has a quaternion; a coupling or drive needs plain "
                "coordinates."
            )
        if not 0 <= index < kind.nv:
            raise ModelError(
                f"{label}: joint '{joint}' has {kind.nv} coordinates; there is none numbered "
                f"{index}."
            )
