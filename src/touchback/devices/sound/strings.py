"""The strings and hammers of a grand piano, note by note.

A string is stiff, damped and simply supported: its mode k turns at
ω_k = k ω_1 √(1 + B k²)/√(1 + B) and decays at σ_k = b1 + b3 ω_k² (Chaigne & Askenfelt 1994)."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from touchback.errors import InputError

STEEL_DENSITY, STEEL_MODULUS = 7850.0, 2.0e11  # [kg/m³], [Pa]
LOWEST, HIGHEST = 21, 108  # A0 and C8, the keys of a piano
TENSION = 670.0  # [N], C4 of Chaigne & Askenfelt 1994
THICKEST_CORE = 1.1e-3  # [m]; heavier strings are wound round a core of about this
HIGHEST_HEARD = 16000.0  # [Hz]

# MIDI notes C2, C4, C7. Felt, hammer mass, strike point: reference table "Hammer felt" (Chaigne &
# Askenfelt 1994; Woodhouse, Euphonics 12.2.1). Lengths: C4 of the same table; the others are usual
# for a medium grand.
NOTES = (36.0, 60.0, 96.0)
LENGTH = (1.45, 0.62, 0.09)  # [m]
STRIKE_POINT = (0.135, 0.125, 0.090)  # of the length
STIFFNESS = (4e8, 4.5e9, 1e12)  # [N/m^p]
EXPONENT = (2.3, 2.5, 3.0)
HAMMER_MASS = (11e-3, 9e-3, 6e-3)  # [kg], on all strings of a note


@dataclass(frozen=True)
class String:
    """One string: `frequency` of its first mode [Hz], `length` [m], `tension` [N], `inharmonicity`
    B, decay rates `b1` [1/s] and `b3` [s], and where it is struck, as a share of the length."""

    frequency: float
    length: float
    tension: float
    inharmonicity: float
    b1: float = 0.5
    b3: float = 6.25e-9
    strike_point: float = 0.12

    @cached_property
    def density(self) -> float:
        """Mass per length [kg/m], from f_1 = √(T/μ)/(2 L) √(1 + B)."""
        wave_speed = 2.0 * self.length * self.frequency / math.sqrt(1.0 + self.inharmonicity)
        return self.tension / wave_speed**2

    @cached_property
    def modes(self) -> np.ndarray:
        """Numbers k = 1, 2, … of the modes that can be heard."""
        k = np.arange(1, int(HIGHEST_HEARD / self.frequency) + 2)
        return k[self._frequencies(k) < HIGHEST_HEARD]

    @cached_property
    def pulsation(self) -> np.ndarray:
        """ω_k of the modes [rad/s]."""
        return 2.0 * np.pi * self._frequencies(self.modes)

    @cached_property
    def decay(self) -> np.ndarray:
        """σ_k of the modes [1/s]."""
        return self.b1 + self.b3 * self.pulsation**2

    def _frequencies(self, k: np.ndarray) -> np.ndarray:
        stretched = np.sqrt((1.0 + self.inharmonicity * k**2) / (1.0 + self.inharmonicity))
        return self.frequency * k * stretched

    def shape(self, x: float) -> np.ndarray:
        """sin(k π x/L) of the modes at the distance x [m] from the agraffe."""
        return np.sin(self.modes * np.pi * x / self.length)


@dataclass(frozen=True)
class Hammer:
    """A hammer's share of mass on one string [kg] and its felt F = K ξ^p."""

    mass: float
    stiffness: float
    exponent: float


def piano_string(note: int) -> String:
    """A string of the MIDI note, equally tempered, A4 = 440 Hz."""
    _check(note)
    frequency = 440.0 * 2.0 ** ((note - 69) / 12)
    length = math.exp(_along(note, np.log(LENGTH)))
    density = TENSION / (2.0 * length * frequency) ** 2
    wire = math.sqrt(4.0 * density / (np.pi * STEEL_DENSITY))
    core = min(wire, THICKEST_CORE)
    B = np.pi**3 * STEEL_MODULUS * core**4 / (64.0 * TENSION * length**2)
    return String(frequency, length, TENSION, B, strike_point=_along(note, STRIKE_POINT))


def piano_hammer(note: int) -> Hammer:
    """The hammer of the MIDI note, as one of its one, two or three strings meets it."""
    _check(note)
    strings = 1 if note < 33 else 2 if note < 45 else 3
    stiffness = math.exp(_along(note, np.log(STIFFNESS)))
    return Hammer(_along(note, HAMMER_MASS) / strings, stiffness, _along(note, EXPONENT))


def _along(note: float, values: tuple[float, ...] | np.ndarray) -> float:
    """Straight lines through the three notes, carried on beyond the outer two."""
    line = 0 if note < NOTES[1] else 1
    slope = (values[line + 1] - values[line]) / (NOTES[line + 1] - NOTES[line])
    return float(values[line] + slope * (note - NOTES[line]))


def _check(note: int) -> None:
    if not LOWEST <= note <= HIGHEST:
        raise InputError(
            f"Note {note} has no string: a piano's notes are the MIDI numbers {LOWEST} (A0) to "
            f"{HIGHEST} (C8)."
        )
