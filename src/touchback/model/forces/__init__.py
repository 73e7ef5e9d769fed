"""Forces. A new kind is a class in the file of its family and one more name in AnyForce; contacts
that give way are in the room of contacts."""

from touchback.model.forces.applied_loads import AxisEffort, Hand, JointEffort, Wrench
from touchback.model.forces.base import ForceKind, InternalState
from touchback.model.forces.fluid_forces import BoxDrag, Buoyancy, Drag, Immersed
from touchback.model.forces.springs import Bushing, LinkForce, SpringDamper, TorsionSpring

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
