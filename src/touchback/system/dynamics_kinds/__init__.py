"""How mechanisms move: by a tree of joints, under constraints, in modes, or as a row of copies."""

from touchback.system.active_equations import ActiveEquations, At, Key
from touchback.system.dynamics_kinds.base import DynamicsKind, TreeDynamics
from touchback.system.dynamics_kinds.constrained_dynamics import ConstrainedDynamics
from touchback.system.dynamics_kinds.modal_dynamics import ModalDynamics
from touchback.system.dynamics_kinds.replicated_dynamics import ReplicatedDynamics

__all__ = [
    "ActiveEquations",
    "At",
    "ConstrainedDynamics",
    "DynamicsKind",
    "Key",
    "ModalDynamics",
    "ReplicatedDynamics",
    "TreeDynamics",
]
