"""The string felt in the key: after a strike its lowest modes shake the key, until it is damped.

Of real pianos: peaks of 13 to 35 µm on a grand and up to 80 µm, most of it below 500 Hz (Flückiger,
Grosshauser & Tröster 2018), felt from the bass to about D5 (Fontana et al. 2017)."""

from math import exp, pi

import numpy as np

from touchback import Model, cos, maximum, minimum, select, sin
from touchback.instruments.sound import Note, piano_string
from touchback.instruments.sound.vibrating_strings import DAMPER
from touchback.model.value import Value

LEVEL = "vibration"  # live: the share of the bridge's force that reaches the key front
MODES = 3
HIGHEST = 500.0  # Hz: faster ones are hardly felt
FASTEST = 1.0 / 3.0  # of the ticks a second: what held forces can show
STRONGEST = 3.0  # N at the key front, whatever was played
_SPEED = 1.5  # m/s, for which a string's amplitudes are taken
_FREQUENCY = "string frequency"
_PUSHES = tuple(f"string push {k + 1}" for k in range(MODES))


def strings_felt(note: int) -> dict[str, float]:
    """The parameters of a key for the string of its note: the frequency [Hz], and what its lowest
    modes bring to the bridge for each m/s of the hammer [N s/m]."""
    cosine, sine = Note(0.0, note, speed=_SPEED).vibration().bridge_amplitudes()
    pushes = np.zeros(MODES)
    found = np.hypot(cosine, sine)[:MODES] / _SPEED
    pushes[: len(found)] = found
    values = {_FREQUENCY: piano_string(note).frequency}
    return values | dict(zip(_PUSHES, pushes.tolist(), strict=True))


def add_vibration(m: Model, rate: float, note: int = 60) -> Value:
    """The force at the key front [N] of a string that the strikes of the key have sounded: sensors
    "notes", "loudness" and "ringing" tell of them, a tick later. Nothing unless the live parameter
    "vibration" is turned up. The force follows no motion, and is bounded: it can feed a finger
    only what a string would."""
    usual = strings_felt(note)
    level = m.parameter(LEVEL, 0.0, min=0.0, max=1.0)
    frequency = m.parameter(_FREQUENCY, usual[_FREQUENCY], unit="Hz", min=20.0, max=5000.0)
    count = m.signal("notes")
    struck = count > m.memory("notes felt", update=count) + 0.5
    blow = select(struck, m.signal("loudness"), 0.0)
    free = minimum(maximum(m.signal("ringing"), 0.0), 1.0)  # less as far as a damper lies on it
    fade = 1.0 - (1.0 - exp(-DAMPER / rate)) * (1.0 - free)
    sigma = piano_string(note).decay[0]
    total: Value = 0.0
    for k, name in enumerate(_PUSHES):
        push = m.parameter(name, usual[name], unit="N s/m", min=0.0, max=100.0)
        pitch = (k + 1) * frequency
        shown = select(pitch < min(HIGHEST, FASTEST * rate), push, 0.0)
        turn, wind = cos(pitch * (2.0 * pi / rate)), sin(pitch * (2.0 * pi / rate))
        even, odd = m.memory(f"felt even {k + 1}"), m.memory(f"felt odd {k + 1}")
        kept = exp(-float(sigma) / rate) * fade
        m.set_update(f"felt even {k + 1}", kept * (turn * even - wind * odd))
        m.set_update(f"felt odd {k + 1}", kept * (wind * even + turn * odd) + blow * shown)
        total = total + even
    return minimum(maximum(level * total, -STRONGEST), STRONGEST)
