"""The strings and hammers of a grand piano, note by note.

A string is stiff, damped and simply supported: its mode k turns at
ω_k = k ω_1 √(1 + B k²)/√(1 + B) and decays at σ_k = b1 + b3 ω_k² (Chaigne & Askenfelt 1994)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from touchback.errors import InputError

STEEL_DENSITY, STEEL_MODULUS = 7850.0, 2.0e11  # [kg/m³], [Pa]
LOWEST, HIGHEST = 21, 108  # A0 and C8, the keys of a piano
HIGHEST_HEARD = 16000.0  # [Hz]

# What is graded from bass to treble, by MIDI note; straight lines between, of logarithms where
# said. **CA94**: Chaigne & Askenfelt 1994, with Woodhouse, Euphonics 12.2.1. **PTG**: technicians'
# lists (moypiano.com/ptg, my.ptg.org).
Graded = Mapping[int, float]
# [m], logarithms. C4: CA94. From B2 up: a Steinway M of 1936 (PTG, Stewart 2019). A0: usual for two
# metres of grand (PTG, Delacour 2001).
LENGTH: Graded = {
    21: 1.40, 47: 1.009, 54: 0.900, 60: 0.62, 66: 0.456, 72: 0.340, 78: 0.245, 84: 0.176,
    90: 0.129, 96: 0.090, 102: 0.064, 108: 0.050,
}  # fmt: skip
# [N] A0: 200 to 220 lbf (PTG, Delacour 2001). C4: CA94, kept to the top.
TENSION: Graded = {21: 934.0, 60: 670.0, 108: 670.0}
# [m] round which heavier strings are wound. A0: No. 25 (PTG, Delacour 2001).
THICKEST_CORE: Graded = {21: 1.5e-3, 47: 1.1e-3, 108: 1.1e-3}
# Of the length. A little less than 1/8 in the bass, falling gradually to A4, then fast to between
# 1/12 and 1/17 at C8 (Conklin, Five lectures on the acoustics of the piano, KTH 1990); C4: CA94.
STRIKE_POINT: Graded = {21: 0.123, 60: 0.120, 69: 0.117, 108: 0.071}
STIFFNESS: Graded = {36: 4e8, 60: 4.5e9, 96: 1e12}  # [N/m^p], logarithms: CA94
EXPONENT: Graded = {36: 2.3, 60: 2.5, 96: 3.0}  # CA94
# [kg] A0, C8: Conklin, as above. A1, A6: PTG, Spurlock 1995.
HAMMER_HEAD: Graded = {21: 11e-3, 33: 9e-3, 93: 4e-3, 108: 3.5e-3}
# [s] by which felt is behind, F = K (ξ^p + delay d(ξ^p)/dt). Stulov 2003 by a quotation (the paper
# itself wasn't at hand): 248 + 1.83 n − 0.055 n² µs of key n, a quarter millisecond in bass and
# middle, and next to nothing at the top. There it is kept (chosen): with elastic felt a contact
# of some whole periods leaves a short string at rest, and faster hammers sounded softer.
FELT_DELAY = 0.25e-3
UNA_CORDA = 0.5  # of the felt's stiffness that is left beside the grooves of strings (chosen)
SHANK = 2e-3  # [kg] of it that count at the head (PTG, Hartman 1995)


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

    @cached_property
    def bridge_weight(self) -> np.ndarray:
        """Force on the bridge, −T ∂y/∂x at the string's end, for each mode's displacement [N/m]."""
        return -self.tension * self.modes * np.pi / self.length * (-1.0) ** self.modes

    def _frequencies(self, k: np.ndarray) -> np.ndarray:
        stretched = np.sqrt((1.0 + self.inharmonicity * k**2) / (1.0 + self.inharmonicity))
        return self.frequency * k * stretched

    def shape(self, x: float) -> np.ndarray:
        """sin(k π x/L) of the modes at the distance x [m] from the agraffe."""
        return np.sin(self.modes * np.pi * x / self.length)


@dataclass(frozen=True)
class Hammer:
    """A hammer's share of mass on one string [kg] and its felt F = K (ξ^p + delay d(ξ^p)/dt), which
    never pulls."""

    mass: float
    stiffness: float
    exponent: float
    delay: float = 0.0


def piano_string(note: int) -> String:
    """A string of the MIDI note, equally tempered, A4 = 440 Hz."""
    _check(note)
    frequency = 440.0 * 2.0 ** ((note - 69) / 12)
    length, tension = by_ratios(note, LENGTH), along(note, TENSION)
    density = tension / (2.0 * length * frequency) ** 2
    wire = math.sqrt(4.0 * density / (np.pi * STEEL_DENSITY))
    core = min(wire, along(note, THICKEST_CORE))
    B = np.pi**3 * STEEL_MODULUS * core**4 / (64.0 * tension * length**2)
    return String(frequency, length, tension, B, strike_point=along(note, STRIKE_POINT))


def piano_hammer(note: int, una_corda: bool = False) -> Hammer:
    """The hammer of the MIDI note, as one of the strings that it strikes meets it."""
    _check(note)
    mass = (along(note, HAMMER_HEAD) + SHANK) / strings_of(note, una_corda)
    softer = UNA_CORDA if una_corda else 1.0
    stiffness = softer * by_ratios(note, STIFFNESS)
    return Hammer(mass, stiffness, along(note, EXPONENT), FELT_DELAY)


def strings_of(note: int, una_corda: bool = False) -> int:
    """How many strings of a note are struck: one less where hammers are shifted, but of the single
    strings in the bass."""
    strings = 1 if note < 33 else 2 if note < 45 else 3
    return max(strings - una_corda, 1)


def along(note: float, values: Graded) -> float:
    """Straight lines between notes, carried on beyond the outer two."""
    notes = list(values)
    line = next((i for i, above in enumerate(notes[1:-1]) if note < above), len(notes) - 2)
    low, high = notes[line], notes[line + 1]
    slope = (values[high] - values[low]) / (high - low)
    return values[low] + slope * (note - low)


def by_ratios(note: float, values: Graded) -> float:
    """The same with equal ratios between notes."""
    return math.exp(along(note, {key: math.log(each) for key, each in values.items()}))


def _check(note: int) -> None:
    if not LOWEST <= note <= HIGHEST:
        raise InputError(
            f"Note {note} has no string: a piano's notes are the MIDI numbers {LOWEST} (A0) to "
            f"{HIGHEST} (C8)."
        )
