"""When the count of a simulated encoder last changed, as a timer on it tells a display."""

from touchback.haptics.displays.slower import Sampling
from touchback.haptics.wall.laws import Stamp
from touchback.haptics.wall.laws.motion import passing
from touchback.model import Model
from touchback.model.value import Value
from touchback.symbolic.expression import Expr
from touchback.symbolic.functions import floor, maximum, select


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
    return Stamp(changed, place, (1.0 - passing(course, place)) * (1.0 / ticks))


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
