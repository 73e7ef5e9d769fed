"""Solids: what bodies look like, and what floats. A new kind is a class in `solid_kinds.py` and one
more name in AnySolid, or in AnySeen where it is only looked at."""

import re

from touchback.errors import ModelError
from touchback.model.frame import Frame
from touchback.model.solids.base import (
    MassProperties as MassProperties,
    SolidKind,
    SubmergedPart as SubmergedPart,
    VisualKind,
)
from touchback.model.solids.solid_kinds import Box, Capsule, Cylinder, Ellipsoid, Eye, Sphere
from touchback.model.solids.visual_mesh import Mesh
from touchback.model.value_or_expression import Data
from touchback.numbers import shown

_COLOUR = "(#[0-9a-fA-F]{6})?"
AnySolid = Sphere | Ellipsoid | Box | Cylinder
AnySeen = AnySolid | Capsule | Mesh | Eye


class Look(Data, frozen=True):
    """How a body looks: a solid at one of its frames, in a colour ("#3d405b"; one of the picture's
    own without it). Pictures draw it; nothing else asks."""

    frame: Frame
    solid: AnySeen
    colour: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.colour, str) or not re.fullmatch(_COLOUR, self.colour):
            raise ModelError(
                f"Look: its colour is a text such as '#3d405b', got {shown(self.colour)}."
            )


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
