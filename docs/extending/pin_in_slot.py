"""A pin in a slot: the child slides along the parent's x axis and turns about z."""

from touchback.model import (
    UNIT,
    Direction,
    Equation,
    JointKind,
    SlideAlong,
    Step,
    TurnAbout,
    ZeroOffsetAlong,
    parallel,
)


class PinInSlot(JointKind, frozen=True, tag="pin-in-slot"):
    """Coordinates `slide` [m] along x of the parent, then `turn` [rad] about z, right-handed; at
    zero the two frames coincide."""

    def steps(self) -> list[Step]:
        return [SlideAlong(0), TurnAbout(2)]

    def position_names(self) -> tuple[str, ...]:
        return ("slide", "turn")

    def position_units(self) -> tuple[str, ...]:
        return ("m", "rad")

    def equations(self) -> tuple[Equation, ...]:
        """As a closure: on the slot, in its plane, and the pin stays upright."""
        _, y, z = UNIT
        return (ZeroOffsetAlong(y), ZeroOffsetAlong(z), *parallel("z"))

    def shared_axes(self) -> tuple[Direction, ...]:
        return (UNIT[2],)
