"""What a receiver says on its line: sentences of NMEA 0183 (GGA, GSA, GSV, RMC; version 2.3 and
later)."""

import math
from typing import TextIO

import numpy as np

from touchback.devices.gps.geodesy import Site
from touchback.devices.gps.gps_receiver import Fix, Receiver, VisibleSatellite
from touchback.errors import InputError

_KNOT = 1852.0 / 3600.0  # m/s


def checksum(words: str) -> str:
    """Two hexadecimal digits: all characters between $ and *, by exclusive or."""
    total = 0
    for character in words:
        total ^= ord(character)
    return f"{total:02X}"


def sentence(*fields: str) -> str:
    """A sentence of some fields, with its end of line."""
    words = ",".join(fields)
    return f"${words}*{checksum(words)}\r\n"


def sentences(fix: Fix) -> list[str]:
    """All that is said of a fix: GGA, GSA, as many GSV as its satellites need, RMC."""
    return [gga(fix), gsa(fix), *gsv(fix), rmc(fix)]


def gga(fix: Fix) -> str:
    """Time, place, how many satellites, HDOP, height. Heights are those above the ellipsoid: the
    separation of the geoid is left blank."""
    if fix.place is None or fix.dilution is None:
        return sentence("GPGGA", _clock(fix), *4 * ("",), "0", "00", "", "", "M", "", "M", "", "")
    return sentence(
        "GPGGA", _clock(fix), *_where(fix.place), "1", f"{len(fix.tracked):02d}",
        f"{fix.dilution.horizontal:.1f}", f"{fix.place.height:.1f}", "M", "", "M", "", "",
    )  # fmt: skip


def gsa(fix: Fix) -> str:
    """The satellites in use, and PDOP, HDOP, VDOP."""
    used = [f"{one.prn:02d}" for one in fix.tracked] if fix.dilution else []
    used += [""] * (12 - len(used))
    if fix.dilution is None:
        return sentence("GPGSA", "A", "1", *used, "", "", "")
    d = fix.dilution
    dops = (f"{number:.1f}" for number in (d.position, d.horizontal, d.vertical))
    return sentence("GPGSA", "A", "3", *used, *dops)


def gsv(fix: Fix) -> list[str]:
    """The satellites in view, four a sentence: number, elevation, azimuth [°], strength."""
    groups = [fix.satellites[i : i + 4] for i in range(0, len(fix.satellites), 4)] or [()]
    return [
        sentence(
            "GPGSV", str(len(groups)), str(i), f"{len(fix.satellites):02d}",
            *(field for one in group for field in _in_view(one)),
        )
        for i, group in enumerate(groups, 1)
    ]  # fmt: skip


def rmc(fix: Fix) -> str:
    """Time, place, speed [knots], course [°] and date."""
    date = f"{fix.time:%d%m%y}"
    if fix.place is None:
        return sentence("GPRMC", _clock(fix), "V", "", "", "", "", "", "", date, "", "", "N")
    speed = course = ""
    if fix.velocity is not None:
        east, north, _ = fix.velocity
        speed = f"{math.hypot(east, north) / _KNOT:.1f}"
        course = f"{_round_angle(math.atan2(east, north), 1):.1f}"
    return sentence("GPRMC", _clock(fix), "A", *_where(fix.place), speed, course, date, "", "", "A")


class NmeaTransmitter:
    """A receiver that rides along in a live run and speaks to a stream: `live.tap(speaker)`. It
    takes its position from a sensor and says its sentences `rate` times a second of the run."""

    def __init__(
        self, receiver: Receiver, stream: TextIO, sensor: str = "position", rate: float = 1.0
    ) -> None:
        if not (math.isfinite(rate) and rate > 0.0):
            raise InputError(
                f"NmeaTransmitter: its rate is {rate} a second; give a positive number."
            )
        self._receiver, self._stream, self._rate = receiver, stream, rate
        self._columns = ["time", *(f"{sensor}.{axis}" for axis in "xyz")]
        self._said = -1

    def __call__(self, rows: np.ndarray, columns: tuple[str, ...]) -> None:
        missing = [name for name in self._columns if name not in columns]
        if missing:
            raise InputError(
                f"NmeaTransmitter: the run has no '{missing[0]}'; add a sensor Position."
            )
        for time, *position in rows[:, [columns.index(name) for name in self._columns]]:
            turn = math.floor(time * self._rate + 1e-9)
            if turn > self._said:
                self._said = turn
                for line in sentences(self._receiver.fix(float(time), position)):
                    self._stream.write(line)
                self._stream.flush()


def _clock(fix: Fix) -> str:
    return f"{fix.time:%H%M%S}.{fix.time.microsecond // 10000:02d}"


def _where(place: Site) -> tuple[str, str, str, str]:
    """Degrees and minutes, with letters."""
    north = _degrees(place.latitude, 2), "N" if place.latitude >= 0 else "S"
    return *north, _degrees(place.longitude, 3), "E" if place.longitude >= 0 else "W"


def _degrees(angle: float, digits: int) -> str:
    tiny = round(abs(angle) * 600000.0)  # ten-thousandths of a minute, so that none are 60.0000
    degrees, rest = divmod(tiny, 600000)
    return f"{degrees:0{digits}d}{rest // 10000:02d}.{rest % 10000:04d}"


def _round_angle(angle: float, digits: int = 0) -> float:
    """[°], from 0 to below 360 after rounding."""
    return round(math.degrees(angle) % 360.0, digits) % 360.0


def _in_view(one: VisibleSatellite) -> tuple[str, str, str, str]:
    strength = "" if one.strength is None else f"{round(one.strength):02d}"
    elevation, azimuth = round(math.degrees(one.elevation)), _round_angle(one.azimuth)
    return f"{one.prn:02d}", f"{elevation:02d}", f"{azimuth:03.0f}", strength
