"""A closure of a model: its kind and the two frames it ties."""

from touchback.model.closures.base import ClosureKind
from touchback.model.closures.points import PointInPlane, PointOnLine, PointOnPlane, Rod
from touchback.model.closures.rolling import Rolling, Skate
from touchback.model.frame import Frame
from touchback.model.joints import AnyJoint, JointKind
from touchback.model.value import Data

AnyClosure = PointInPlane | PointOnPlane | PointOnLine | Rod | Skate | Rolling | AnyJoint


class Closure(Data, frozen=True):
    """Ties frame `b` to frame `a`; its multipliers are the force (and torque) on b's body. While it
    isn't `active` it ties nothing."""

    kind: ClosureKind | JointKind
    a: Frame
    b: Frame
    active: bool = True
