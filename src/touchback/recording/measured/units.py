"""Units as other programs write them, and what they are in SI."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError


@dataclass(frozen=True)
class Unit:
    """A unit in SI: a number of it is `factor` times as many of `si`, and `zero` more."""

    si: str
    factor: float = 1.0
    zero: float = 0.0


_TURN = 2.0 * math.pi
#: Spellings without blanks, dots and carets. g is that of acceleration, as accelerometers have it
#: (9.80665 m/s²: 3rd CGPM, 1901); pound-force on a square inch by the international pound and yard.
KNOWN = {
    "1": Unit("1"), "-": Unit("1"), "%": Unit("1", 0.01),
    "s": Unit("s"), "sec": Unit("s"), "ms": Unit("s", 1e-3), "us": Unit("s", 1e-6),
    "ns": Unit("s", 1e-9), "min": Unit("s", 60.0), "h": Unit("s", 3600.0),
    "m": Unit("m"), "km": Unit("m", 1e3), "cm": Unit("m", 1e-2), "mm": Unit("m", 1e-3),
    "um": Unit("m", 1e-6), "ft": Unit("m", 0.3048), "inch": Unit("m", 0.0254),
    "m/s": Unit("m/s"), "mm/s": Unit("m/s", 1e-3), "mph": Unit("m/s", 0.44704),
    **dict.fromkeys(("km/h", "kmh", "kph"), Unit("m/s", 1 / 3.6)),
    "m/s2": Unit("m/s²"), "g": Unit("m/s²", 9.80665),
    "rad": Unit("rad"), "mrad": Unit("rad", 1e-3), "deg": Unit("rad", _TURN / 360),
    "degree": Unit("rad", _TURN / 360), "degrees": Unit("rad", _TURN / 360),
    "rad/s": Unit("rad/s"), "deg/s": Unit("rad/s", _TURN / 360), "dps": Unit("rad/s", _TURN / 360),
    "rad/s2": Unit("rad/s²"), "deg/s2": Unit("rad/s²", _TURN / 360),
    **dict.fromkeys(("rpm", "1/min", "r/min", "rev/min", "U/min"), Unit("rad/s", _TURN / 60)),
    "Pa": Unit("Pa"), "hPa": Unit("Pa", 1e2), "kPa": Unit("Pa", 1e3), "MPa": Unit("Pa", 1e6),
    "mbar": Unit("Pa", 1e2), "bar": Unit("Pa", 1e5),
    "psi": Unit("Pa", 0.45359237 * 9.80665 / 0.0254**2),
    "N": Unit("N"), "mN": Unit("N", 1e-3), "daN": Unit("N", 10.0), "kN": Unit("N", 1e3),
    "Nm": Unit("N m"), "kNm": Unit("N m", 1e3), "mNm": Unit("N m", 1e-3),
    "Nmm": Unit("N m", 1e-3), "Ncm": Unit("N m", 1e-2),
    "kg": Unit("kg"), "t": Unit("kg", 1e3), "J": Unit("J"), "kJ": Unit("J", 1e3),
    "W": Unit("W"), "kW": Unit("W", 1e3), "V": Unit("V"), "mV": Unit("V", 1e-3),
    "A": Unit("A"), "mA": Unit("A", 1e-3), "Hz": Unit("Hz"), "kHz": Unit("Hz", 1e3),
    "K": Unit("K"), "degC": Unit("K", 1.0, 273.15),
}  # fmt: skip
_SPELLING = str.maketrans({
    " ": "", "·": "", "*": "", "^": "", "²": "2", "µ": "u", "μ": "u", "°": "deg", "º": "deg",
})  # fmt: skip


def unit_of(text: str) -> Unit | None:
    """The unit that a text means; None when it isn't known."""
    plain = _plain(text)
    if len(plain) > 2 and plain not in KNOWN:  # RPM, Deg, BAR; MPa stays apart from mPa
        plain = plain.lower()
    return KNOWN.get(plain)


def in_unit(label: str, values: np.ndarray, given: str, wanted: str) -> np.ndarray:
    """Numbers of one unit in another; as they are where one of the two isn't said. Refused where
    nothing is known of how they go together."""
    if not given or not wanted or _plain(given) == _plain(wanted):
        return values
    here, there = unit_of(given), unit_of(wanted)
    if here is None or there is None or here.si != there.si:
        raise InputError(
            f"{label} is in '{given}', which can't be turned into '{wanted}'; convert it, or mend "
            "its unit."
        )
    if (here.factor, here.zero) == (there.factor, there.zero):
        return values
    return (values * here.factor + (here.zero - there.zero)) / there.factor


def _plain(text: str) -> str:
    return text.strip().strip("[]()").translate(_SPELLING)
