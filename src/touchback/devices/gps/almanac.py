"""Where the satellites are: an almanac's orbits, by the algorithm of IS-GPS-200, table 20-IV."""

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path

import numpy as np

from touchback.errors import InputError
from touchback.names import first_repeated
from touchback.numbers import DECIMAL, Floats
from touchback.safe_files import read_regular

WEEK = 604800.0  # s


_EPOCH = datetime(1980, 1, 6, tzinfo=UTC)


# Days at whose beginning UTC had one more leap second than before (IERS, Bulletin C). None since.
_LEAPS = (
    (1981, 7), (1982, 7), (1983, 7), (1985, 7), (1988, 1), (1990, 1), (1991, 1), (1992, 7),
    (1993, 7), (1994, 7), (1996, 1), (1997, 7), (1999, 1), (2006, 1), (2009, 1), (2012, 7),
    (2015, 7), (2017, 1),
)  # fmt: skip


_STEPS = tuple(datetime(year, month, 1, tzinfo=UTC) for year, month in _LEAPS)


def leap_seconds(when: datetime) -> int:
    """GPS time less UTC at an instant [s]."""
    return sum(when >= step for step in _STEPS)


def gps_time(when: datetime) -> float:
    """Seconds of GPS time at an instant, which must say its time zone."""
    if when.tzinfo is None:
        raise InputError(
            f"GPS: the instant {when.isoformat()} doesn't say its time zone; give "
            "datetime(…, tzinfo=UTC)."
        )
    since = (when - _EPOCH).total_seconds()
    if since < 0.0:
        raise InputError(
            f"GPS: the instant {when.isoformat()} is before GPS time began, on {_EPOCH.date()}."
        )
    return since + leap_seconds(when)


def utc(seconds: float) -> datetime:
    """The instant of a GPS time; within a leap second, the one after it."""
    when = _EPOCH + timedelta(seconds=seconds)
    when -= timedelta(seconds=leap_seconds(when))
    # Near a step the first guess counts a leap second that was yet to come.
    return when + timedelta(seconds=seconds - gps_time(when))


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


LARGEST = 1 << 20  # bytes


#: The almanac that comes with the package: 31 satellites, GPS week 1886 (862 modulo 1024), 2 March
#: 2016 16:44:48 of GPS time, a SEM file of the U.S. Coast Guard's Navigation Center as Orekit's
#: tests keep it (src/test/resources/gnss/current.al3). Satellites 13 and 32 are not healthy in it.
WEEK_1886 = Path(__file__).with_name("week_1886.al3")


_YUMA = {
    "id": "prn", "health": "health", "eccentricity": "eccentricity",
    "time of applicability": "seconds", "orbital inclination": "inclination",
    "rate of right ascen": "node_rate", "sqrt": "root_axis", "right ascen at week": "node",
    "right ascen at toa": "node", "argument of perigee": "perigee", "mean anom": "anomaly",
    "af0": "clock_bias", "af1": "clock_drift", "week": "week",
}  # fmt: skip


# Least and most of what can be: a satellite's number, a semicircle, orbits above the Earth.
_RANGES = {
    "prn": (1, 210), "health": (0, 511), "eccentricity": (0.0, 0.5),
    "seconds": (0.0, 604800.0), "inclination": (-math.pi, math.pi), "node_rate": (-1e-5, 1e-5),
    "root_axis": (2540.0, 8192.0), "node": (-math.tau, math.tau), "perigee": (-math.tau, math.tau),
    "anomaly": (-math.tau, math.tau), "clock_bias": (-1.0, 1.0), "clock_drift": (-1e-3, 1e-3),
    "week": (0, 8191), "count": (1, 210), "svn": (0, 511), "accuracy": (0, 15), "make": (0, 15),
}  # fmt: skip


_WHOLE = ("prn", "health", "week", "count", "svn", "accuracy", "make")


_SEM = (  # of the nine numbers of a satellite: its name, and what makes it radians
    ("eccentricity", 1.0), ("inclination", math.pi), ("node_rate", math.pi), ("root_axis", 1.0),
    ("node", math.pi), ("perigee", math.pi), ("anomaly", math.pi), ("clock_bias", 1.0),
    ("clock_drift", 1.0),
)  # fmt: skip


_LEANING = 0.30  # semicircles, from which SEM counts inclinations


def read_almanac(path: str | os.PathLike[str]) -> Almanac:
    """The almanac in a file, YUMA or SEM, whichever it is."""
    file = Path(path)
    text = read_regular(file, LARGEST).decode("utf-8-sig", errors="replace")
    return (parse_yuma if "*" in text else parse_sem)(text, file.name)


def parse_yuma(text: str, name: str = "almanac") -> Almanac:
    """The almanac of a text in YUMA's form; what can't be is refused by line."""
    rows: list[dict[str, float]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip().startswith("*"):
            rows.append({})
        elif ":" in line:
            word, _, given = line.partition(":")
            key = _YUMA.get(word.partition("(")[0].strip().lower())
            if key is None or not rows:
                raise InputError(
                    f"{name}, line {number}: '{word.strip()[:40]}' is nothing that a satellite of "
                    "a YUMA almanac has; each begins with a line of asterisks."
                )
            if key in rows[-1]:
                raise InputError(f"{name}, line {number}: '{word.strip()}' is given twice.")
            rows[-1][key] = _number(name, number, key, given.strip())
        elif line.strip():
            raise InputError(
                f"{name}, line {number}: '{line.strip()[:40]}' has no colon; YUMA has "
                "'Eccentricity: 0.51E-002'."
            )
    for i, row in enumerate(rows, 1):
        missing = [word for word, key in _YUMA.items() if key not in row]
        if missing:
            raise InputError(f"{name}: satellite {i} of the file lacks '{missing[0]}'.")
    return _make_almanac(name, rows)


def parse_sem(text: str, name: str = "almanac") -> Almanac:
    """The almanac of a text in SEM's form; what can't be is refused by line."""
    lines = enumerate(text.splitlines(), 1)
    words = iter([(i, line) for i, line in lines if line.strip()])
    number, head = _line(name, words)
    count = _number(name, number, "count", head.split()[0])
    number, head = _line(name, words)
    week, seconds = _row(name, number, head, ("week", "seconds"))
    rows = []
    for _ in range(int(count)):
        row = {"week": week, "seconds": seconds}
        (row["prn"],) = _row(name, *_line(name, words), ("prn",))
        for key in ("svn", "accuracy"):
            _row(name, *_line(name, words), (key,))
        for i in range(0, 9, 3):
            keys = [key for key, _ in _SEM[i : i + 3]]
            row |= zip(keys, _row(name, *_line(name, words), keys, _SEM[i : i + 3]), strict=True)
        (row["health"],) = _row(name, *_line(name, words), ("health",))
        _row(name, *_line(name, words), ("make",))
        rows.append(row)
    if (more := next(words, None)) is not None:
        raise InputError(
            f"{name}, line {more[0]}: {int(count)} satellites were promised, but '{more[1][:40]}' "
            "follows them."
        )
    return _make_almanac(name, rows)


def _line(name: str, words: Iterator[tuple[int, str]]) -> tuple[int, str]:
    found = next(words, None)
    if found is None:
        raise InputError(f"{name} ends amid its satellites; give the whole file.")
    return found


def _row(
    name: str,
    line: int,
    text: str,
    keys: "list[str] | tuple[str, ...]",
    scaled: tuple[tuple[str, float], ...] = (),
) -> list[float]:
    """The numbers of a row, in SI."""
    found = text.split()
    if len(found) != len(keys):
        raise InputError(
            f"{name}, line {line}: {len(keys)} number(s) belong here, got '{text.strip()[:60]}'."
        )
    units = dict(scaled)
    return [
        _number(name, line, key, word, units.get(key, 1.0))
        for key, word in zip(keys, found, strict=True)
    ]


def _number(name: str, line: int, key: str, word: str, unit: float = 1.0) -> float:
    if not DECIMAL.fullmatch(word):
        raise InputError(f"{name}, line {line}: '{word[:40]}' is no number for {key}.")
    number = float(word)
    if key == "inclination" and unit != 1.0:
        number += _LEANING
    number *= unit
    least, most = _RANGES[key]
    if not least <= number <= most or (key in _WHOLE and number != int(number)):
        whole = "whole numbers " if key in _WHOLE else ""
        raise InputError(
            f"{name}, line {line}: its {key} is {word[:40]}; it goes from {whole}{least:g} to "
            f"{most:g}."
        )
    return number


def _make_almanac(name: str, rows: list[dict[str, float]]) -> Almanac:
    if not rows:
        raise InputError(f"{name} has no satellites; give an almanac in YUMA's or SEM's form.")
    dates = {(int(row["week"]), row["seconds"]) for row in rows}
    if len(dates) > 1:
        raise InputError(
            f"{name}: its satellites are of {len(dates)} different instants; give an almanac of "
            "one."
        )
    twice = first_repeated(int(row["prn"]) for row in rows)
    if twice is not None:
        raise InputError(f"{name}: satellite {twice} is in it twice.")
    orbits = tuple(
        Orbit(
            int(row["prn"]), int(row["health"]),
            **{key: value for key, value in row.items() if key not in (*_WHOLE, "seconds")},
        )
        for row in sorted(rows, key=lambda row: row["prn"])
    )  # fmt: skip
    (week, seconds), *_ = dates
    return Almanac(name, week, seconds, orbits)
