"""What every kind of closure says of itself."""

from touchback.model.closures.equations import Along, Equation, Meet, Square
from touchback.model.value import Data

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
TOGETHER = (Meet(0), Meet(1), Meet(2))
UNIT = (X, Y, Z)


class ClosureKind(Data, frozen=True, tag_field="kind"):
    """A kind of closure: the equations it puts between two frames A and B."""

    def equations(self) -> tuple[Equation, ...]:
        """In order; each has a multiplier."""
        raise NotImplementedError(type(self).__name__)


def parallel(axis: int) -> tuple[Equation, ...]:
    """The coordinate axis of A and that of B stay parallel."""
    u, v = UNIT[(axis + 1) % 3], UNIT[(axis + 2) % 3]
    return Square(u, UNIT[axis]), Square(v, UNIT[axis])


def across(axis: int) -> tuple[Equation, ...]:
    """The origin of B stays on the coordinate axis of A."""
    return Along(UNIT[(axis + 1) % 3]), Along(UNIT[(axis + 2) % 3])
