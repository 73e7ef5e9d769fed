"""A meter at the string: how fast the hammer meets it, found while an action runs."""

from touchback import Expr, Model, select

#: The name of the memory.
METER = "strike speed"


def add_strike_meter(m: Model) -> Expr:
    """A memory "strike speed" [m/s] of an action: the crown's speed where it first met the string,
    zero before, linear between the ticks around it. So a batch of which only that matters records
    nothing."""
    gap, speed = m.signal("string gap"), m.signal("hammer velocity.z")
    gap_before = m.memory("string gap before", update=gap, unit="m")
    speed_before = m.memory("hammer speed before", update=speed, unit="m/s")
    met = speed_before + (speed - speed_before) * gap_before / (gap_before - gap)

    def updated(before: Expr) -> Expr:
        first = select(before <= 0.0, met, before)
        return select(gap <= 0.0, select(gap_before > 0.0, first, before), before)

    return m.memory(METER, update=updated, unit="m/s")
