"""Forces, one file each. A new kind is a new file and one more name in AnyForce."""

from touchback.model.forces.base import ForceKind, InternalState
from touchback.model.forces.buoyancy import Buoyancy
from touchback.model.forces.bushing import Bushing
from touchback.model.forces.compliant_contact import CompliantContact
from touchback.model.forces.drag import Drag
from touchback.model.forces.joint_effort import JointEffort
from touchback.model.forces.profile_contact import ProfileContact
from touchback.model.forces.sphere_on_plane import SphereOnPlane
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
    | Buoyancy
    | Drag
    | SphereOnPlane
    | ProfileContact
)

__all__ = [
    "AnyForce",
    "Buoyancy",
    "Bushing",
    "CompliantContact",
    "Drag",
    "ForceKind",
    "InternalState",
    "JointEffort",
    "LinkForce",
    "ProfileContact",
    "SphereOnPlane",
    "SpringDamper",
    "TorsionSpring",
    "Wrench",
]
