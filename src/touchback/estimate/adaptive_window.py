"""Velocity from quantised positions with a window that is long when moving slowly."""

from collections.abc import Sequence
from dataclasses import dataclass

from touchback.errors import InputError
from touchback.estimate.checks import check_period
from touchback.model.value import Value
from touchback.numbers import check_fields
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum, minimum, select


@dataclass(frozen=True)
class AdaptiveWindow:
    """First-order adaptive windowing, end-fit: the slope of the longest line from the newest sample
    back to an older one that passes all samples in between within `noise` (half the step of an
    encoder, or the peak of the noise), over at most `longest` periods.

    Janabi-Sharifi, Hayward & Chen, IEEE Trans. Control Systems Technology 8(6), 2000."""

    period: float
    noise: float
    longest: int = 16

    def __post_init__(self) -> None:
        check_fields(self)
        check_period("AdaptiveWindow", self.period)
        if not self.noise >= 0.0:
            raise InputError(f"AdaptiveWindow: its noise is {self.noise}; it can't be negative.")
        if not (isinstance(self.longest, int) and 1 <= self.longest <= 64):
            raise InputError(
                f"AdaptiveWindow: its longest window is {self.longest!r} samples; give a whole "
                "number from 1 to 64."
            )

    def at_rest(self, sample: float) -> tuple[float, ...]:
        return (sample,) * self.longest

    def step(self, memory: Sequence[Scalar], sample: Scalar) -> tuple[Sequence[Scalar], Scalar]:
        window = (sample, *memory)
        estimate = (window[0] - window[1]) * (1.0 / self.period)
        margin: Value = 1.0  # how far inside the noise every line so far has stayed
        for n in range(2, self.longest + 1):
            rise = (window[0] - window[n]) * (1.0 / n)
            for i in range(1, n):
                off = window[0] - rise * float(i) - window[i]
                margin = minimum(margin, self.noise - maximum(off, -off))
            estimate = select(margin >= 0.0, rise * (1.0 / self.period), estimate)
        return window[:-1], estimate
