"""The quadrature encoder, and counters that overflow."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from touchback.errors import InputError
from touchback.model.value import Value
from touchback.numbers import check_fields
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import floor


@dataclass(frozen=True)
class Encoder:
    """An incremental encoder of `lines` a turn, counted at all four edges, that turns `gearing`
    times as fast as the axis. Gillespie 1996, section 4.2: 512 lines, 24 · 8 : 1."""

    lines: int
    gearing: float = 1.0

    def __post_init__(self) -> None:
        check_fields(self)
        if not (isinstance(self.lines, int) and self.lines > 0):
            raise InputError(f"Encoder: {self.lines!r} lines; give a whole number above zero.")
        if not (math.isfinite(self.gearing) and self.gearing != 0.0):
            raise InputError(f"Encoder: its gearing is {self.gearing}; it can't be zero.")

    @property
    def resolution(self) -> float:
        """The axis' angle from one count to the next [rad]."""
        return 2.0 * math.pi / (4.0 * self.lines * abs(self.gearing))

    def reading(self, angle: Scalar) -> Scalar:
        """Counts at an angle [rad] of the axis, a whole number."""
        return floor(angle * (4.0 * self.lines * self.gearing / (2.0 * math.pi)))

    def quantity(self, counts: Value) -> Value:
        """The angle [rad] in the middle of a count: at most half a resolution off."""
        return (counts + 0.5) * (2.0 * math.pi / (4.0 * self.lines * self.gearing))


@dataclass(frozen=True)
class Unwrap:
    """The running count behind a counter of few `bits`, such as the 16 of a DAQ card (Gallo 2012,
    section 4.3): each difference is taken as the shortest way round. A filter: correct while fewer
    than half of all counts pass between two samples."""

    bits: int = 16

    def __post_init__(self) -> None:
        if not (isinstance(self.bits, int) and 2 <= self.bits <= 48):
            raise InputError(f"Unwrap: {self.bits!r} bits; counters have 2 to 48.")

    def at_rest(self, sample: float) -> tuple[float, ...]:
        return (sample, sample)

    def step(self, memory: Sequence[Scalar], sample: Scalar) -> tuple[Sequence[Scalar], Scalar]:
        before, total = memory
        size = float(2**self.bits)
        difference = sample - before
        total = total + difference - size * floor(difference * (1.0 / size) + 0.5)
        return (sample, total), total
