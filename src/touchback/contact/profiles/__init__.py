"""Planar profiles, one file each. A new one is a new file and one more name in AnyProfile."""

from touchback.contact.profiles.arc import Arc
from touchback.contact.profiles.base import Nearest, Profile
from touchback.contact.profiles.circle import Circle
from touchback.contact.profiles.line import Line
from touchback.contact.profiles.outline import Outline

#: Every profile that a model file can hold.
AnyProfile = Circle | Line | Arc | Outline

__all__ = ["AnyProfile", "Arc", "Circle", "Line", "Nearest", "Outline", "Profile"]
