"""Units as other programs write them, and what they are in SI."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from touchback import units
from touchback.errors import InputError
from touchback.units import Unit

#: Spellings in files of others, without blanks, dots and carets, and what `touchback.units` calls
#: them: a file's heading is no unit only because it could be read as a product of some.
_SAME = (
    "1", "-", "%", "s", "sec", "ms", "us", "ns", "min", "h", "m", "km", "cm", "mm", "um", "ft",
    "inch", "m/s", "mm/s", "mph", "km/h", "kmh", "kph", "m/s2", "rad", "mrad", "deg", "degree",
    "degrees", "rad/s", "deg/s", "dps", "rad/s2", "deg/s2", "rpm", "1/min", "r/min", "rev/min",
    "U/min", "Pa", "hPa", "kPa", "MPa", "mbar", "bar", "psi", "N", "mN", "daN", "kN", "Nm", "kNm",
    "mNm", "Nmm", "Ncm", "kg", "t", "J", "kJ", "W", "kW", "V", "mV", "A", "mA", "Hz", "kHz", "K",
    "degC",
)  # fmt: skip
KNOWN: dict[str, Unit] = {text: found for text in _SAME if (found := units.unit_of(text))}
KNOWN["g"] = replace(KNOWN["m/s2"], factor=9.80665)  # of acceleration, as accelerometers have it
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
