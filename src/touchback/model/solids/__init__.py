"""Solids, one file each: what bodies look like, and what floats. A new kind is a new file and one
more name in AnySolid."""

from touchback.model.solids.base import SolidKind, Wet
from touchback.model.solids.box import Box
from touchback.model.solids.cylinder import Cylinder
from touchback.model.solids.ellipsoid import Ellipsoid, Sphere

AnySolid = Sphere | Ellipsoid | Box | Cylinder

__all__ = ["AnySolid", "Box", "Cylinder", "Ellipsoid", "SolidKind", "Sphere", "Wet"]
