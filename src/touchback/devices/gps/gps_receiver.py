"""A receiver: which satellites it tracks at a place and time, and where it believes to be."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from touchback import Run
from touchback.devices.gps.almanac import OLDEST, WEEK_1886, Almanac, gps_time, read_almanac, utc
from touchback.devices.gps.geodesy import Site
from touchback.devices.gps.urban_canyon import Building, detours, hidden
from touchback.errors import InputError, SolveError
from touchback.numbers import Floats, as_float, number_within


@dataclass(frozen=True)
class Dilution:
    """Standard deviations for a unit one of each range: of the place, horizontally, vertically, of
    the clock (PDOP, HDOP, VDOP, TDOP)."""

    position: float
    horizontal: float
    vertical: float
    time: float


def dilution(directions: Sequence[tuple[float, float]]) -> Dilution:
    """Of satellites at these elevations and azimuths [rad]: square roots of sums over the diagonal
    of (GᵀG)⁻¹, with a row (east, north, up, 1) of G for each."""
    rows = [
        (math.cos(e) * math.sin(a), math.cos(e) * math.cos(a), math.sin(e), 1.0)
        for e, a in directions
    ]
    if len(rows) < 4 or np.linalg.matrix_rank(rows, tol=1e-8) < 4:
        raise SolveError(
            f"GPS: {len(rows)} satellite(s) determine no place; four that stand apart are needed."
        )
    g = np.array(rows)
    east, north, up, time = np.diag(np.linalg.inv(g.T @ g))
    return Dilution(
        math.sqrt(east + north + up), math.sqrt(east + north), math.sqrt(up), math.sqrt(time)
    )


WAVE = 299792458.0 / 1575.42e6  # of L1 [m]


CHIP = 299792458.0 / 1.023e6  # of the C/A code [m]


@dataclass(frozen=True)
class Correlator:
    """A receiver's code loop beside walls of one reflectivity (amplitude, 0 to below 1); its early
    and late copies are `spacing` chips apart, 0.1 in a narrow one."""

    reflectivity: float = 0.5
    spacing: float = 0.1

    def __post_init__(self) -> None:
        if not 0.0 <= as_float(self.reflectivity) < 1.0:
            raise InputError(
                f"Receiver: its reflectivity is {self.reflectivity!r}; give 0 to below 1."
            )
        if not 0.0 < as_float(self.spacing) <= 1.0:
            raise InputError(f"Receiver: its spacing is {self.spacing!r} chips; give above 0 to 1.")

    @property
    def loss(self) -> float:
        """Of strength on a wall [dB], below zero."""
        return 20.0 * math.log10(self.reflectivity) if self.reflectivity > 0.0 else -math.inf

    def error(self, detour: float) -> float:
        """ε [m] for a detour δ [m]; infinite detours are no reflection."""
        half = self.spacing * CHIP / 2
        if not detour < CHIP + half:
            return 0.0
        pull = self.reflectivity * math.cos(math.tau * detour / WAVE + math.pi)
        return pull * min(detour / (1 + pull), half, (CHIP + half - detour) / (2 - pull))


_CHANNELS = 12  # as NMEA's GSA has room for


_ENOUGH = 4  # satellites for three coordinates and a clock


@dataclass(frozen=True)
class VisibleSatellite:
    """A satellite above the horizon: its number, elevation and azimuth (from north over east)
    [rad], whether the straight line to it is free, its carrier to noise density [dB Hz] or None
    where it isn't tracked, and the error of its range by reflections [m]."""

    prn: int
    elevation: float
    azimuth: float
    direct: bool
    strength: float | None = None
    bias: float = 0.0


@dataclass(frozen=True)
class Fix:
    """What a receiver says at an instant. `position` (east, north, up from the site) [m], `place`
    and `dilution` are None without a fix; `velocity` [m/s] is from the fix before."""

    time: datetime
    satellites: tuple[VisibleSatellite, ...]
    position: Floats | None = None
    place: Site | None = None
    dilution: Dilution | None = None
    velocity: Floats | None = None

    @property
    def tracked(self) -> tuple[VisibleSatellite, ...]:
        """The satellites that it uses."""
        return tuple(one for one in self.satellites if one.strength is not None)


class Receiver:
    """A GPS receiver on a model whose origin is at a `site`, from an instant `start` on.

    A satellite is tracked when it is healthy, above the `mask` [rad], and either the straight line
    to it is free of the `town`, or a wall reflects it strongly enough: the strength of a signal is
    36 + 14 sin(elevation) dB Hz, of a reflected one by 20 log₁₀(reflectivity) less, and the
    `weakest` that is tracked is 33. A reflected range is too long by its detour; one that comes on
    both ways is off by what a `Correlator` makes of them. Each range has white `noise` [m], too.

    The position is the least squares' of at most 12 ranges, the strongest; there is no fix where
    they fit no place, or one more than 10 km below or 1000 km above the ellipsoid. Orbits,
    satellites' clocks, ionosphere and troposphere are taken as known: the errors that remain are
    noise and walls."""

    def __init__(
        self,
        site: Site,
        start: datetime,
        town: Sequence[Building] = (),
        *,
        almanac: Almanac | None = None,
        mask: float = math.radians(5.0),
        noise: float = 1.0,
        reflectivity: float = 0.5,
        weakest: float = 33.0,
        seed: int = 1,
    ) -> None:
        self.site, self.town = site, tuple(town)
        self.almanac = read_almanac(WEEK_1886) if almanac is None else almanac
        self._start = gps_time(start)
        self.almanac.age(self._start)
        self.mask = number_within(
            "Receiver: its mask must be an angle from 0 to π/2", mask, 0.0, math.pi / 2
        )
        self.noise = number_within("Receiver: its noise must be 0 to 1e6 m", noise, 0.0, 1e6)
        self.weakest = number_within("Receiver: its weakest must be 0 to 60 dB Hz", weakest, 0, 60)
        self._correlator = Correlator(reflectivity)
        self._random = np.random.default_rng(seed)
        self._before: tuple[float, Floats] | None = None

    def look(
        self, seconds: float, position: Sequence[float] | Floats
    ) -> tuple[VisibleSatellite, ...]:
        """The satellites above the horizon so many seconds after the start, highest first, from a
        position (east, north, up) [m]."""
        place = _place(position)
        ways = self._ways(_instant(seconds), place)
        up = np.flatnonzero(ways[:, 2] > 0.0)
        ways = ways[up]
        direct = ~hidden(self.town, place, ways)
        longer = detours(self.town, place, ways)
        seen = []
        for i in np.argsort(-ways[:, 2], kind="stable"):
            orbit, way = self.almanac.orbits[up[i]], ways[i]
            strength, bias = self._signal(float(way[2]), bool(direct[i]), float(longer[i]))
            lost = orbit.health != 0 or way[2] < math.sin(self.mask)
            seen.append(
                VisibleSatellite(
                    orbit.prn, math.asin(way[2]), math.atan2(way[0], way[1]) % math.tau,
                    bool(direct[i]), None if lost else strength, 0.0 if lost else bias,
                )
            )  # fmt: skip
        return self._in_channels(seen)

    def fix(self, seconds: float, position: Sequence[float] | Floats) -> Fix:
        """What it says so many seconds after the start, at a position (east, north, up) [m]."""
        place = _place(position)
        satellites = self.look(seconds, place)
        when = utc(self._start + float(seconds))
        used = [one for one in satellites if one.strength is not None]
        if len(used) < _ENOUGH:
            self._before = None
            return Fix(when, satellites)
        at = self._positions(seconds)
        numbers = [orbit.prn for orbit in self.almanac.orbits]
        sources = self.site.local(at[[numbers.index(one.prn) for one in used]])
        errors = np.array([one.bias for one in used])
        errors += self.noise * self._random.standard_normal(len(used))
        ranges = np.linalg.norm(sources - place, axis=1) + errors
        try:
            found = solve_position(sources, ranges, place)
            precision = dilution([(one.elevation, one.azimuth) for one in used])
            where = self.site.at(found)
        except (SolveError, InputError):  # no place, or none on Earth
            self._before = None
            return Fix(when, satellites)
        velocity = None
        if self._before is not None and seconds > self._before[0]:
            velocity = (found - self._before[1]) / (seconds - self._before[0])
        self._before = seconds, found
        return Fix(when, satellites, found, where, precision, velocity)

    def follow(self, run: Run, sensor: str = "position", rate: float = 1.0) -> list[Fix]:
        """The fixes along a run, `rate` of them a second, at what its sensor of a position says."""
        track = np.column_stack([run[f"{sensor}.{axis}"] for axis in "xyz"])
        count = int((run.time[-1] - run.time[0]) * rate + 1e-9)
        return [
            self.fix(float(seconds), [np.interp(seconds, run.time, track[:, i]) for i in range(3)])
            for seconds in run.time[0] + np.arange(count + 1) / rate
        ]

    def _positions(self, seconds: float) -> Floats:
        return self.almanac.positions(self._start + seconds)

    def _ways(self, seconds: float, place: Floats) -> Floats:
        """To all satellites, of length one."""
        away = self.site.local(self._positions(seconds)) - place
        return away / np.linalg.norm(away, axis=1, keepdims=True)

    def _signal(self, rise: float, direct: bool, longer: float) -> tuple[float | None, float]:
        """Strength [dB Hz], or None, and the range's error [m]."""
        strength = 36.0 + 14.0 * rise
        if direct:
            return strength, self._correlator.error(longer)
        alone = strength + self._correlator.loss
        if not math.isfinite(longer) or alone < self.weakest:
            return None, 0.0
        return alone, longer

    def _in_channels(self, seen: list[VisibleSatellite]) -> tuple[VisibleSatellite, ...]:
        """No more tracked than there are channels: the strongest stay."""
        tracked = sorted(
            (s for s in seen if s.strength is not None), key=lambda s: -(s.strength or 0)
        )
        for one in tracked[_CHANNELS:]:
            seen[seen.index(one)] = VisibleSatellite(
                one.prn, one.elevation, one.azimuth, one.direct
            )
        return tuple(seen)


def solve_position(sources: Floats, ranges: Floats, guess: Floats) -> Floats:
    """The place from which ranges to `sources` (n, 3), all longer by one unknown clock, fit best
    [m]: Gauss's and Newton's least squares."""
    place, clock = np.array(guess, dtype=float), 0.0
    for _ in range(20):
        away = place - sources
        far = np.linalg.norm(away, axis=1)
        rows = np.column_stack([away / far[:, None], np.ones(len(far))])
        step, _, rank, _ = np.linalg.lstsq(rows, ranges - far - clock, rcond=1e-10)
        if rank < _ENOUGH:
            raise SolveError(f"GPS: {len(far)} satellites stand so that they determine no place.")
        place, clock = place + step[:3], clock + step[3]
        if np.abs(step).max() < 1e-6:
            return place
    raise SolveError(f"GPS: ranges to {len(far)} satellites fit no place within 20 steps.")


def _instant(seconds: float) -> float:
    """Finite, and not beyond what any almanac is good for."""
    most = 2.0 * OLDEST * 86400.0
    return number_within(
        f"Receiver: seconds after its start must be a number within ±{most:g}", seconds, -most, most
    )


def _place(position: Sequence[float] | Floats) -> Floats:
    place = np.asarray(position, dtype=float)
    if place.shape != (3,) or not np.isfinite(place).all():
        raise InputError(
            f"Receiver: a position is three numbers (east, north, up), got {position}."
        )
    return place
