"""Implicit surfaces, one equation each. A new one is a subclass of `Surface` with its `level`."""

from touchback.contact.surfaces.base import Shape, Surface, has_hidden, refined, shape_at
from touchback.contact.surfaces.ready import Ball, Barrel, Ellipsoid, Pipe, Plane, Torus
from touchback.contact.surfaces.roller import Roller
from touchback.contact.surfaces.written import Written

#: Every surface that a model file can hold.
AnySurface = Plane | Ball | Pipe | Ellipsoid | Torus | Barrel | Roller | Written
"""What files know."""

__all__ = [
    "AnySurface",
    "Ball",
    "Barrel",
    "Ellipsoid",
    "Pipe",
    "Plane",
    "Roller",
    "Shape",
    "Surface",
    "Torus",
    "Written",
    "has_hidden",
    "refined",
    "shape_at",
]
