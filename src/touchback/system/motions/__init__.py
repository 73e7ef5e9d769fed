"""How mechanisms move: by a tree of joints, under constraints, in modes, or as a row of copies."""

from touchback.system.motions.acting import Acting, At, Key
from touchback.system.motions.constrained import Constrained
from touchback.system.motions.copies import Copies
from touchback.system.motions.motion import Motion
from touchback.system.motions.tree import Tree
from touchback.system.motions.with_modes import WithModes

__all__ = ["Acting", "At", "Constrained", "Copies", "Key", "Motion", "Tree", "WithModes"]
