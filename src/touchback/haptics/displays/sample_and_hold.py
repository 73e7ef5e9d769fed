"""Sample and hold of displays: samples at every so many ticks, the zero-order hold with its delay,
and the time stamps of an encoder's counts."""

from collections.abc import Sequence
from typing import NamedTuple

from touchback import Expr, Model, floor, maximum, minimum, select
from touchback.errors import InputError
from touchback.haptics.wall.laws import Stamp
from touchback.haptics.wall.laws.branchless_oscillator import polynomial_crossing
from touchback.model import Value
from touchback.numbers import positive_number


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


def hold(model: Model, name: str, value: Value, delay: int = 0) -> Expr:
    """`value` as it was at the last tick, or `delay` ticks before it: what a converter puts out."""
    if not (isinstance(delay, int) and delay >= 0):
        raise InputError(f"Hold '{name}': its delay is {delay!r}; give whole ticks, 0 or more.")
    for i in range(delay):
        value = model.memory(f"{name}.{i}", update=value)
    return model.memory(name, update=value)


def timed_counts(
    model: Model,
    name: str,
    position: Value,
    velocity: Value,
    resolution: float,
    ticks: float,
    edge: float = 0.0,
) -> Stamp:
    """The last change of a count between the tick before and the one at hand, in a model of so many
    ticks a second: counts of `resolution` [m] that change at an `edge` [m] and its neighbours.
    Where a position [m] and a velocity [m/s] are known at both ticks, the cubic through them tells
    the instant: forces are held in between, and its error is T⁴/384 of the fourth derivative. A
    count that was left and came back within the tick counts as none."""
    before, speed, begun = (model.memory(f"{name}.{i}") for i in range(3))
    for i, now in enumerate((position, velocity, 1.0)):
        model.set_update(f"{name}.{i}", now)
    was, count = (floor((each - edge) * (1.0 / resolution)) for each in (before, position))
    rose, fell = count > was, count < was
    place = edge + resolution * (count + select(rose, 0.0, 1.0))
    way, start, end = position - before, speed * (1.0 / ticks), velocity * (1.0 / ticks)
    course = [before, start, 3.0 * way - 2.0 * start - end, start + end - 2.0 * way]
    changed = select(begun, select(rose, 1.0, select(fell, 1.0, 0.0)), 0.0)
    return Stamp(changed, place, (1.0 - polynomial_crossing(course, place)) * (1.0 / ticks))


def since_sample(
    model: Model, name: str, stamp: Stamp | None, sampling: Sampling, ticks: float
) -> Stamp | None:
    """The last change since a display's own last sample, from those of its ticks."""
    if stamp is None or not isinstance(sampling.due, Expr):
        return stamp
    kept = Stamp(*(model.memory(f"{name}.{word}") for word in Stamp._fields))
    last = Stamp(
        maximum(kept.changed, stamp.changed),
        select(stamp.changed, stamp.edge, kept.edge),
        select(stamp.changed, stamp.ago, kept.ago + 1.0 / ticks),
    )
    after = last._replace(changed=select(sampling.due, 0.0, last.changed))
    for word, value in after._asdict().items():
        model.set_update(f"{name}.{word}", value)
    return last
