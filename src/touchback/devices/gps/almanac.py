"""Where the satellites are: an almanac's orbits, by the algorithm of IS-GPS-200, table 20-IV."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from touchback.devices.gps.clock import WEEK, utc
from touchback.errors import InputError
from touchback.simulate.protocol import Floats

_GRAVITY = 3.986005e14  # μ [m³/s²], and the Earth's rate [rad/s], as IS-GPS-200 has them
EARTH_RATE = 7.2921151467e-5
_ROLLOVER = 1024  # weeks: almanacs count ten bits of them
OLDEST = 180.0  # days from its own date for which an almanac is taken


@dataclass(frozen=True)
class Orbit:
    """One satellite's line of an almanac: its number (PRN), its health (0: healthy), and a Kepler
    orbit with a node that drifts. Angles [rad], √a [√m], rate of the node [rad/s]; the node is
    that at the beginning of the almanac's week. Its clock is off by bias [s] and drift."""

    prn: int
    health: int
    eccentricity: float
    inclination: float
    node_rate: float
    root_axis: float
    node: float
    perigee: float
    anomaly: float
    clock_bias: float = 0.0
    clock_drift: float = 0.0


@dataclass(frozen=True)
class Almanac:
    """Orbits of all satellites at one instant: `week` of GPS time, as the file counts it (often
    modulo 1024), and `seconds` into it."""

    name: str
    week: int
    seconds: float
    orbits: tuple[Orbit, ...]

    def age(self, time: float) -> float:
        """Seconds from the almanac's instant to a GPS time, which tells the 1024 weeks that the
        file leaves open; refused beyond 180 days."""
        away, cycle = time - self.week * WEEK - self.seconds, _ROLLOVER * WEEK
        age = away - cycle * round(away / cycle)
        if not abs(age) <= OLDEST * 86400.0:
            raise InputError(
                f"Almanac '{self.name}' is of {utc(time - age):%d %B %Y}, {abs(age) / 86400:.0f} "
                f"days from {utc(time):%d %B %Y}; give one within {OLDEST:.0f} days, or a nearer "
                "date."
            )
        return age

    def positions(self, time: float) -> Floats:
        """Of the satellites at a GPS time, (n, 3), fixed to the Earth (WGS 84) [m]."""
        age = self.age(time)
        e, inclination, rate, root, node, perigee, anomaly = self._columns
        axis = root**2
        mean = anomaly + np.sqrt(_GRAVITY / axis**3) * age
        eccentric = kepler(mean, e)
        true = np.arctan2(np.sqrt(1 - e**2) * np.sin(eccentric), np.cos(eccentric) - e)
        latitude, radius = true + perigee, axis * (1 - e * np.cos(eccentric))
        along, across = radius * np.cos(latitude), radius * np.sin(latitude)
        # The Earth has turned since the week began, not only since the almanac's instant.
        turned = node + (rate - EARTH_RATE) * age - EARTH_RATE * self.seconds
        c, s = np.cos(turned), np.sin(turned)
        lifted, tilted = across * np.sin(inclination), across * np.cos(inclination)
        return np.stack([along * c - tilted * s, along * s + tilted * c, lifted], axis=-1)

    def clocks(self, time: float) -> Floats:
        """How far the satellites' clocks are ahead at a GPS time (n,) [s]."""
        age = self.age(time)
        return np.array([o.clock_bias + o.clock_drift * age for o in self.orbits])

    @cached_property
    def _columns(self) -> Floats:
        return np.array(
            [
                (o.eccentricity, o.inclination, o.node_rate, o.root_axis, o.node, o.perigee,
                 o.anomaly)
                for o in self.orbits
            ]
        ).T  # fmt: skip


def kepler(mean: Floats, eccentricity: Floats) -> Floats:
    """The eccentric anomaly E of E − e sin E = M, by Newton's method."""
    mean = np.remainder(mean, math.tau)
    found = mean + eccentricity * np.sin(mean)
    for _ in range(8):  # it squares the error: from e²/2 < 0.13 to the last digit in four
        found -= (found - eccentricity * np.sin(found) - mean) / (1 - eccentricity * np.cos(found))
    return found
