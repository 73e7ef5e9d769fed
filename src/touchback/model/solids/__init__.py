"""Solids, one file each: what bodies look like, and what floats. A new kind is a new file and one
more name in AnySolid, or in AnySeen where it is only looked at."""

from touchback.model.frame import Frame
from touchback.model.solids.base import SeenKind, SolidKind, Wet
from touchback.model.solids.box import Box
from touchback.model.solids.capsule import Capsule
from touchback.model.solids.cylinder import Cylinder
from touchback.model.solids.ellipsoid import Ellipsoid, Sphere
from touchback.model.solids.eye import Eye
from touchback.model.solids.mesh import Mesh
from touchback.model.value import Data

AnySolid = Sphere | Ellipsoid | Box | Cylinder
AnySeen = AnySolid | Capsule | Mesh | Eye


class Look(Data, frozen=True):
    """How a body looks: a solid at one of its frames. Pictures draw it; nothing else asks."""

    frame: Frame
    solid: AnySeen


__all__ = [
    "AnySeen", "AnySolid", "Box", "Capsule", "Cylinder", "Ellipsoid", "Eye", "Look", "Mesh",
    "SeenKind", "SolidKind", "Sphere", "Wet",
]  # fmt: skip
