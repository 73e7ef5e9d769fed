"""What a reflection does to a range that also comes straight.

A receiver's loop holds its copy of the code where an early and a late correlation are equal. The
reflection, of relative amplitude α and a detour δ, pulls at it with a = α cos φ, where the phase
φ = 2π δ/λ + π counts the waves of the detour and the half wave that a wall adds. With triangular
correlations, their distance 2 s and the chip T (all in metres), the loop rests at

    ε = a min(δ/(1 + a), s, (T + s − δ)/(2 − a)),    0 beyond δ = T + s

(Van Dierendonck, Fenton and Ford 1992: the coherent early-minus-late envelope)."""

import math
from dataclasses import dataclass

from touchback.errors import InputError
from touchback.numbers import as_float

WAVE = 299792458.0 / 1575.42e6  # of L1 [m]
CHIP = 299792458.0 / 1.023e6  # of the C/A code [m]


@dataclass(frozen=True)
class Correlator:
    """A receiver's code loop beside walls of one reflectivity (amplitude, 0 to below 1); its early
    and late copies are `spacing` chips apart, 0.1 in a narrow one."""

    reflectivity: float = 0.5
    spacing: float = 0.1

    def __post_init__(self) -> None:
        if not 0.0 <= as_float(self.reflectivity) < 1.0:
            raise InputError(
                f"Receiver: its reflectivity is {self.reflectivity!r}; give 0 to below 1."
            )
        if not 0.0 < as_float(self.spacing) <= 1.0:
            raise InputError(f"Receiver: its spacing is {self.spacing!r} chips; give above 0 to 1.")

    @property
    def loss(self) -> float:
        """Of strength on a wall [dB], below zero."""
        return 20.0 * math.log10(self.reflectivity) if self.reflectivity > 0.0 else -math.inf

    def error(self, detour: float) -> float:
        """ε [m] for a detour δ [m]; infinite detours are no reflection."""
        half = self.spacing * CHIP / 2
        if not detour < CHIP + half:
            return 0.0
        pull = self.reflectivity * math.cos(math.tau * detour / WAVE + math.pi)
        return pull * min(detour / (1 + pull), half, (CHIP + half - detour) / (2 - pull))
