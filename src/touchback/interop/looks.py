"""How shapes of other programs' files look that are given by their kind and half sizes [m]."""

from __future__ import annotations

from collections.abc import Callable

from touchback.model.solids import AnySeen, Box, Capsule, Cylinder, Ellipsoid, Sphere

LOOKS: dict[str, Callable[..., AnySeen]] = {
    "sphere": lambda r: Sphere(r),
    "capsule": lambda r, half: Capsule(r, 2.0 * half),
    "cylinder": lambda r, half: Cylinder(r, 2.0 * half),
    "ellipsoid": lambda a, b, c: Ellipsoid((a, b, c)),
    "box": lambda a, b, c: Box((2.0 * a, 2.0 * b, 2.0 * c)),
}
