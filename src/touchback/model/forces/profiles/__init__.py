"""Planar profiles, one file each. A new one is a new file and one more name in AnyProfile."""

from touchback.model.forces.profiles.arc import Arc
from touchback.model.forces.profiles.base import Nearest, Profile
from touchback.model.forces.profiles.circle import Circle
from touchback.model.forces.profiles.line import Line
from touchback.model.forces.profiles.outline import Outline

AnyProfile = Circle | Line | Arc | Outline

__all__ = ["AnyProfile", "Arc", "Circle", "Line", "Nearest", "Outline", "Profile"]
