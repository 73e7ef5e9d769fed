"""Closures of loops: joints used as closures, point closures, rolling and skates."""

from touchback.model.closures.base import ClosureKind
from touchback.model.closures.closure import AnyClosure, Closure
from touchback.model.closures.points import PointInPlane, PointOnLine, PointOnPlane, Rod
from touchback.model.closures.rolling import Rolling, Skate

__all__ = [
    "AnyClosure",
    "Closure",
    "ClosureKind",
    "PointInPlane",
    "PointOnLine",
    "PointOnPlane",
    "Rod",
    "Rolling",
    "Skate",
]
