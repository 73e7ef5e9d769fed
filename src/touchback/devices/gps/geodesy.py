"""The Earth as WGS 84 has it: places by latitude, longitude and height, and level axes there."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from touchback.numbers import Floats, number_within

_AXIS = 6378137.0  # of the equator [m], and the flattening
_FLAT = 1.0 / 298.257223563
_E2 = _FLAT * (2.0 - _FLAT)


@dataclass(frozen=True)
class Site:
    """Where a model's origin stands: latitude (north) and longitude (east) [°], height above the
    ellipsoid [m]. There x points east, y north and z up; positions are from it."""

    latitude: float
    longitude: float
    height: float = 0.0

    def __post_init__(self) -> None:
        number_within(
            "Site: its latitude must be a number from −90 to 90 °", self.latitude, -90, 90
        )
        number_within(
            "Site: its longitude must be a number from −180 to 180 °", self.longitude, -180, 180
        )
        number_within(
            "Site: its height must be a number from −1e4 to 1e6 m", self.height, -1e4, 1e6
        )

    @cached_property
    def origin(self) -> Floats:
        """Fixed to the Earth [m]."""
        latitude, longitude = math.radians(self.latitude), math.radians(self.longitude)
        c, s = math.cos(latitude), math.sin(latitude)
        normal = _AXIS / math.sqrt(1.0 - _E2 * s * s)
        out = (normal + self.height) * c
        return np.array(
            [
                out * math.cos(longitude),
                out * math.sin(longitude),
                (normal * (1.0 - _E2) + self.height) * s,
            ]
        )

    @cached_property
    def axes(self) -> Floats:
        """East, north and up as rows, fixed to the Earth: R_LE."""
        latitude, longitude = math.radians(self.latitude), math.radians(self.longitude)
        c, s, cl, sl = (
            math.cos(latitude), math.sin(latitude), math.cos(longitude), math.sin(longitude),
        )  # fmt: skip
        return np.array([[-sl, cl, 0.0], [-s * cl, -s * sl, c], [c * cl, c * sl, s]])

    def local(self, place: Floats) -> Floats:
        """East, north and up of places (…, 3) that are fixed to the Earth [m]."""
        return (np.asarray(place) - self.origin) @ self.axes.T

    def earth_fixed(self, position: Floats) -> Floats:
        """The way back."""
        return np.asarray(position) @ self.axes + self.origin

    def at(self, position: Floats) -> "Site":
        """The site at a local position."""
        return geodetic(self.earth_fixed(position))


def geodetic(place: Floats) -> Site:
    """Latitude, longitude and height of a place that is fixed to the Earth [m]."""
    x, y, z = (float(value) for value in place)
    out = math.hypot(x, y)
    latitude = math.atan2(z, out * (1.0 - _E2))
    for _ in range(6):  # each time the error shrinks by e² = 0.0067
        s = math.sin(latitude)
        normal = _AXIS / math.sqrt(1.0 - _E2 * s * s)
        latitude = math.atan2(z + _E2 * normal * s, out)
    c, s = math.cos(latitude), math.sin(latitude)
    normal = _AXIS / math.sqrt(1.0 - _E2 * s * s)
    height = out * c + z * s - normal * (1.0 - _E2 * s * s)
    return Site(math.degrees(latitude), math.degrees(math.atan2(y, x)), height)
