"""How mechanisms move: by a tree of joints, under constraints, in modes, or as a row of copies."""

from touchback.system.motions.constrained import Constrained
from touchback.system.motions.copies import Copies
from touchback.system.motions.motion import Acting, At, Key, Motion
from touchback.system.motions.phased import Phased
from touchback.system.motions.tree import Tree

__all__ = ["Acting", "At", "Constrained", "Copies", "Key", "Motion", "Phased", "Tree"]
