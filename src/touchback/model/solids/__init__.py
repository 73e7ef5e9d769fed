"""Solids: what bodies look like, and what floats. A new kind is a class in `solid_kinds.py` and one
more name in AnySolid, or in AnySeen where it is only looked at."""

from touchback.model.frame import Frame
from touchback.model.solids.base import SolidKind, SubmergedPart as SubmergedPart, VisualKind
from touchback.model.solids.solid_kinds import Box, Capsule, Cylinder, Ellipsoid, Eye, Sphere
from touchback.model.solids.visual_mesh import Mesh
from touchback.model.value_or_expression import Data

AnySolid = Sphere | Ellipsoid | Box | Cylinder
AnySeen = AnySolid | Capsule | Mesh | Eye


class Look(Data, frozen=True):
    """How a body looks: a solid at one of its frames. Pictures draw it; nothing else asks."""

    frame: Frame
    solid: AnySeen


__all__ = [
    "Box",
    "Capsule",
    "Cylinder",
    "Ellipsoid",
    "Eye",
    "Mesh",
    "SolidKind",
    "Sphere",
    "VisualKind",
]  # fmt: skip
