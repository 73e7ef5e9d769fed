"""Natural coordinates: points and unit vectors that bodies share at their joints, instead of angles
(García de Jalón and Bayo 1994)."""

from touchback.system.natural.coordinates import NaturalCoordinates

__all__ = ["NaturalCoordinates"]
