"""Hammer speed as MIDI velocity, and back.

The curve is that of a Disklavier grand, velocity = 57.96 + 71.3 log10(speed [m/s]) (Goebl & Bresin,
MOSART 2001, fig. 3): 40 ↔ 0.56 m/s, 64 ↔ 1.22 m/s, 100 ↔ 3.89 m/s. MIDI itself fixes no curve."""

import math

from touchback.errors import InputError

AT_ONE_METRE_PER_SECOND = 57.96
PER_DECADE = 71.3


def velocity_of(speed: float) -> int:
    """MIDI velocity, 1 to 127, of a hammer that meets its string at `speed` [m/s]."""
    if not (speed > 0.0 and math.isfinite(speed)):
        raise InputError(
            f"A hammer speed of {speed} m/s has no velocity; only a hammer that moves towards its "
            "string sounds."
        )
    return min(127, max(1, round(AT_ONE_METRE_PER_SECOND + PER_DECADE * math.log10(speed))))


def speed_of(velocity: float) -> float:
    """Hammer speed [m/s] that a velocity stands for, the inverse of `velocity_of`."""
    if not 1 <= velocity <= 127:
        raise InputError(f"MIDI velocity {velocity}: velocities lie between 1 and 127.")
    return float(10.0 ** ((velocity - AT_ONE_METRE_PER_SECOND) / PER_DECADE))
