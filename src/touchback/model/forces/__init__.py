"""Forces, one file each. A new kind is a new file and one more name in AnyForce; contacts that give
way are in the room of contacts."""

from touchback.model.forces.axis_effort import AxisEffort
from touchback.model.forces.base import ForceKind, InternalState
from touchback.model.forces.box_drag import BoxDrag
from touchback.model.forces.buoyancy import Buoyancy
from touchback.model.forces.bushing import Bushing
from touchback.model.forces.drag import Drag
from touchback.model.forces.hand import Hand
from touchback.model.forces.immersed import Immersed
from touchback.model.forces.joint_effort import JointEffort
from touchback.model.forces.spring_damper import LinkForce, SpringDamper
from touchback.model.forces.torsion_spring import TorsionSpring
from touchback.model.forces.wrench import Wrench

AnyForce = (
    Wrench
    | SpringDamper
    | LinkForce
    | TorsionSpring
    | Bushing
    | JointEffort
    | AxisEffort
    | Buoyancy
    | BoxDrag
    | Drag
    | Hand
    | Immersed
)

__all__ = [
    "AnyForce",
    "AxisEffort",
    "BoxDrag",
    "Buoyancy",
    "Bushing",
    "Drag",
    "ForceKind",
    "Hand",
    "Immersed",
    "InternalState",
    "JointEffort",
    "LinkForce",
    "SpringDamper",
    "TorsionSpring",
    "Wrench",
]
