"""Displays that are slower than the ticks: samples at every so many of them, held in between."""

from collections.abc import Sequence
from typing import NamedTuple

from touchback.model import Model
from touchback.model.value import Value
from touchback.numbers import positive_number
from touchback.symbolic.expression import Expr
from touchback.symbolic.functions import floor, maximum, minimum, select


class Sampling(NamedTuple):
    """Whether the tick at hand is a sample (1 or 0), and the time between samples [s]."""

    due: Value
    period: Value


def sampled_at(model: Model, name: str, ticks: float, rate: Value | None) -> Sampling:
    """Samples at a rate [Hz] in a model with so many ticks a second: at every n-th tick, n the
    whole number nearest to ticks/rate. Another rate acts from the next tick on, so that a slow
    display that is made fast doesn't first wait for its old sample."""
    ticks = positive_number(f"Display '{name}': its ticks a second", ticks)
    if rate is None:
        return Sampling(1.0, 1.0 / ticks)
    every = maximum(floor(ticks / rate + 0.5), 1.0)
    label = f"{name}.ticks left"
    left = model.memory(label)
    waiting = minimum(left, every - 1.0)
    due = select(waiting < 0.5, 1.0, 0.0)
    model.set_update(label, select(due, every - 1.0, waiting - 1.0))
    return Sampling(due, every * (1.0 / ticks))


def remembered(model: Model, name: str, start: Sequence[float]) -> list[Expr]:
    """Memories "name.0", "name.1", … that begin so."""
    return [model.memory(f"{name}.{i}", x) for i, x in enumerate(start)]


def update(
    model: Model, name: str, memory: list[Expr], after: Sequence[Value], sampling: Sampling
) -> None:
    """Let such memories change at samples."""
    for i, value in enumerate(after):
        model.set_update(f"{name}.{i}", select(sampling.due, value, memory[i]))
