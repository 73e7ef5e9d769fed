"""A string drawn aside at one point and let go, as a harpsichord's plectrum does."""

import numpy as np

from touchback.devices.sound.string_motion import StringMotion
from touchback.devices.sound.strings import String
from touchback.errors import InputError


def pluck(string: String, force: float, point: float | None = None) -> StringMotion:
    """The string when a plectrum that held it with `force` [N] at the share `point` of its length
    slips off: each mode where the force had drawn it, at rest."""
    point = string.strike_point if point is None else point
    if not 0.0 < point < 1.0:
        raise InputError(f"The plectrum is at {point} of the string; give a share between 0 and 1.")
    mass = string.density * string.length / 2.0
    position = force * string.shape(point * string.length) / (mass * string.pulsation**2)
    return StringMotion(string, position, np.zeros_like(position))
