"""A string that vibrates freely, as amplitudes of its modes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from touchback.errors import InputError
from touchback.native.sound.hammer_strike import strike_modes

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


DAMPER_DECAY = 25.0  # [1/s] added to every mode's decay when a damper lies on the string with all


# its weight; with a share of it, that share (chosen)


@dataclass(frozen=True)
class StringMotion:
    """Displacements q_k [m] and velocities [m/s] of a string's modes at one instant."""

    string: String
    position: np.ndarray
    velocity: np.ndarray

    @property
    def energy(self) -> float:
        """Kinetic and elastic energy [J] of all modes; each has half the string's mass."""
        mass = self.string.density * self.string.length / 2.0
        squares = self.velocity**2 + (self.string.pulsation * self.position) ** 2
        return float(mass / 2.0 * np.sum(squares))

    def scaled(self, share: float) -> "StringMotion":
        """A share of this motion."""
        return StringMotion(self.string, share * self.position, share * self.velocity)

    def after(self, time: float, extra_decay: float = 0.0) -> "StringMotion":
        """The same string `time` seconds later, by the closed form of a damped mode."""
        sigma = self.string.decay + extra_decay
        omega = np.sqrt(self.string.pulsation**2 - sigma**2)
        c, s = np.cos(omega * time), np.sin(omega * time)
        fade = np.exp(-sigma * time)
        drift = (self.velocity + sigma * self.position) / omega
        position = fade * (self.position * c + drift * s)
        velocity = fade * (omega * (drift * c - self.position * s)) - sigma * position
        return StringMotion(self.string, position, velocity)

    def bridge_amplitudes(self) -> tuple[np.ndarray, np.ndarray]:
        """What the modes bring to the bridge [N] from now on: w (q cos ωt + (q̇ + σ q)/ω sin ωt),
        fading with σ; cosine and sine amplitudes."""
        string = self.string
        omega = np.sqrt(string.pulsation**2 - string.decay**2)
        weight = string.bridge_weight
        drift = (self.velocity + string.decay * self.position) / omega
        return weight * self.position, weight * drift

    def bridge_force(self, rate: int, samples: int, extra_decay: float = 0.0) -> np.ndarray:
        """Force on the bridge [N] at `rate` per second."""
        from scipy.signal import lfilter  # only where sound is made: SciPy takes long to import

        string = self.string
        weight = string.bridge_weight
        sigma = string.decay + extra_decay
        omega = np.sqrt(string.pulsation**2 - sigma**2)
        next_sample = self.after(1.0 / rate, extra_decay).position
        radius, turn = np.exp(-sigma / rate), np.cos(omega / rate)
        total, impulse = np.zeros(samples), np.zeros(samples)
        impulse[:1] = 1.0
        for k in range(len(string.modes)):  # two samples start each mode's recursion exactly
            poles = [1.0, -2.0 * radius[k] * turn[k], radius[k] ** 2]
            start = [self.position[k], next_sample[k] + poles[1] * self.position[k]]
            total += weight[k] * lfilter(start, poles, impulse)
        return total


def pluck(string: String, force: float, point: float | None = None) -> StringMotion:
    """The string when a plectrum that held it with `force` [N] at the share `point` of its length
    slips off: each mode where the force had drawn it, at rest."""
    point = string.strike_point if point is None else point
    if not 0.0 < point < 1.0:
        raise InputError(f"The plectrum is at {point} of the string; give a share between 0 and 1.")
    mass = string.density * string.length / 2.0
    position = force * string.shape(point * string.length) / (mass * string.pulsation**2)
    return StringMotion(string, position, np.zeros_like(position))


STEPS_PER_SECOND = 8 * 44100
LONGEST_CONTACT = 0.03  # [s]; a hammer that stays longer has been checked and does not matter


@dataclass(frozen=True)
class Strike:
    """What a strike leaves: the string's vibration when the hammer has gone, the contact's
    `duration` [s], the hammer's `rebound` speed [m/s], and the `force` [N] at every step `step`
    [s]."""

    vibration: StringMotion
    duration: float
    rebound: float
    force: np.ndarray
    step: float = 1.0 / STEPS_PER_SECOND


def strike(string: String, hammer: Hammer, speed: float) -> Strike:
    """Let the hammer meet the resting string at `speed` [m/s].

    Modes are stepped exactly under a force that is constant over a step; the hammer by Störmer's
    rule, so that the contact keeps its energy, but what felt takes, to the second order of the
    step. The strike ends when they part; a string that catches up with its hammer again is not
    followed."""
    if not speed > 0.0:
        raise InputError(f"The hammer's speed is {speed} m/s; it must move towards the string.")
    h = 1.0 / STEPS_PER_SECOND
    shape = string.shape(string.strike_point * string.length)
    advance, push = _exact_step(string, shape, h)
    felt = hammer.mass, hammer.stiffness, hammer.exponent, hammer.delay
    most = int(LONGEST_CONTACT / h)
    modes, rebound, forces = strike_modes(advance, push, shape, felt, speed, h, most)
    duration = h * np.count_nonzero(forces)
    return Strike(StringMotion(string, *modes), duration, rebound, forces)


def _exact_step(string: String, shape: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Each mode's transition over a step, and what a force of 1 N held over it adds."""
    zeros, ones = np.zeros_like(shape), np.ones_like(shape)
    by_position = StringMotion(string, ones, zeros).after(h)
    by_velocity = StringMotion(string, zeros, ones).after(h)
    advance = np.array(
        [
            [by_position.position, by_velocity.position],
            [by_position.velocity, by_velocity.velocity],
        ]
    )
    mass = string.density * string.length / 2.0
    rest = shape / (mass * string.pulsation**2)  # where the force would hold the mode
    push = np.array([rest * (1.0 - by_position.position), -rest * by_position.velocity])
    return advance, push
