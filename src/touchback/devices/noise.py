"""White noise of a sensor, inside a model that runs at ticks."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from touchback.errors import InputError
from touchback.model import Model
from touchback.model.value import Value
from touchback.numbers import check_fields
from touchback.spatial.vectors import Scalar
from touchback.symbolic.expression import Expr
from touchback.symbolic.functions import cos, floor, log, select, sqrt

# Two recurrences of third order: modulus, and what multiplies the last number but one (or the last)
# and the last but two. Every product and difference stays below 2⁵³, so doubles hold it exactly.
_FIRST = 4294967087.0, 1403580.0, 810728.0
_SECOND = 4294944443.0, 527612.0, 1370589.0
_STEP = 1.0 / (_FIRST[0] + 1.0)  # from one uniform number to the next


@dataclass(frozen=True)
class Noise:
    """Independent normal numbers of mean 0 and a standard `deviation`, the same ones for the same
    `seed`: two draws of L'Ecuyer's generator MRG32k3a (1999), of period 2¹⁹¹, turned by Box and
    Muller's method (1958). Its lines run on numbers, arrays and expressions alike."""

    deviation: float
    seed: int = 1

    def __post_init__(self) -> None:
        check_fields(self)
        if not (math.isfinite(self.deviation) and self.deviation >= 0.0):
            raise InputError(f"Noise: its deviation is {self.deviation}; give zero or more.")
        if not isinstance(self.seed, int):
            raise InputError(f"Noise: its seed is {self.seed!r}; give a whole number.")

    def start(self) -> tuple[float, ...]:
        """The six numbers from which a seed starts."""
        draw = random.Random(self.seed)
        moduli = (_FIRST[0],) * 3 + (_SECOND[0],) * 3
        return tuple(float(draw.randrange(1, int(modulus))) for modulus in moduli)

    def step(self, memory: Sequence[Scalar]) -> tuple[Sequence[Scalar], Scalar]:
        """The six numbers after a sample, and the sample."""
        memory, radius = uniform(memory)
        memory, angle = uniform(memory)
        size = sqrt(-2.0 * log(radius)) * self.deviation
        return memory, size * cos(2.0 * math.pi * angle)


def uniform(memory: Sequence[Scalar]) -> tuple[Sequence[Scalar], Scalar]:
    """MRG32k3a: the six numbers after a draw, and the draw, between 0 and 1, both left out."""
    a, b, c, d, e, f = memory
    modulus, forward, back = _FIRST
    first = _remainder(forward * b - back * a, modulus)
    modulus, forward, back = _SECOND
    second = _remainder(forward * f - back * d, modulus)
    difference = first - second
    drawn = select(difference > 0.0, difference, difference + _FIRST[0])
    return (b, c, first, e, f, second), drawn * _STEP


def noise(model: Model, name: str, deviation: float, seed: int = 1) -> Expr:
    """Put noise into a model: a memory that takes a new sample at each tick. The generator's own
    memory is in the model as "name.0" to "name.5"; give two sensors two seeds. Copies of a model
    start alike: for other noise in each, start those states elsewhere."""
    source = Noise(deviation, seed)
    after, first = source.step(source.start())
    memory = [model.memory(f"{name}.{i}", float(value)) for i, value in enumerate(after)]
    after, sample = source.step(memory)
    for i, value in enumerate(after):
        model.set_update(f"{name}.{i}", value)
    return model.memory(name, float(first), update=sample)


def _remainder(number: Value, modulus: float) -> Value:
    """From 0 to the modulus. A quotient that rounds to the next whole number is one too many, and
    is put right."""
    left = number - modulus * floor(number * (1.0 / modulus))
    left = select(left < 0.0, left + modulus, left)
    return select(left < modulus, left, left - modulus)
