"""Converters between voltages and numbers."""

import math
from dataclasses import dataclass

from touchback.errors import InputError
from touchback.model.value import Value
from touchback.numbers import check_fields
from touchback.symbolic.functions import floor, maximum, minimum


@dataclass(frozen=True)
class Converter:
    """An ADC or a DAC of so many `bits` from `low` to `high` [V]: values are clipped and rounded to
    the nearest of its steps. What a DAC puts out is held until the next tick."""

    bits: int = 16
    low: float = -10.0
    high: float = 10.0

    def __post_init__(self) -> None:
        check_fields(self)
        if not (isinstance(self.bits, int) and 1 <= self.bits <= 32):
            raise InputError(f"Converter: {self.bits!r} bits; give a whole number from 1 to 32.")
        if not (math.isfinite(self.high - self.low) and self.low < self.high):
            raise InputError(f"Converter: its range is {self.low} to {self.high} V; swap the ends?")

    @property
    def resolution(self) -> float:
        """Volts from one code to the next."""
        return (self.high - self.low) / (2**self.bits - 1)

    def reading(self, voltage: Value) -> Value:
        """The code of a voltage, 0 to 2^bits − 1."""
        code = floor((voltage - self.low) * (1.0 / self.resolution) + 0.5)
        return minimum(maximum(code, 0.0), float(2**self.bits - 1))

    def quantity(self, code: Value) -> Value:
        """The voltage of a code."""
        return self.low + code * self.resolution
