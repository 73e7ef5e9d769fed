"""Solids, one file each: what bodies look like, and what floats. A new kind is a new file and one
more name in AnySolid."""

from touchback.model.frame import Frame
from touchback.model.solids.base import SolidKind, Wet
from touchback.model.solids.box import Box
from touchback.model.solids.cylinder import Cylinder
from touchback.model.solids.ellipsoid import Ellipsoid, Sphere
from touchback.model.value import Data

AnySolid = Sphere | Ellipsoid | Box | Cylinder


class Look(Data, frozen=True):
    """How a body looks: a solid at one of its frames. Pictures draw it; nothing else asks."""

    frame: Frame
    solid: AnySolid


__all__ = ["AnySolid", "Box", "Cylinder", "Ellipsoid", "Look", "SolidKind", "Sphere", "Wet"]
