"""Closures of loops: joints used as closures, and point closures."""

from touchback.model.closures.base import ClosureKind
from touchback.model.closures.closure import AnyClosure, Closure, closure_equations
from touchback.model.closures.points import PointInPlane, PointOnLine, PointOnPlane, Rod

__all__ = [
    "AnyClosure",
    "Closure",
    "ClosureKind",
    "PointInPlane",
    "PointOnLine",
    "PointOnPlane",
    "Rod",
    "closure_equations",
]
