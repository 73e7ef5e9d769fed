"""What every kind of closure says of itself."""

from touchback.model.closures.equations import Along, Equation, Meet
from touchback.model.value import Data

UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
TOGETHER = (Meet(0), Meet(1), Meet(2))


class ClosureKind(Data, frozen=True, tag_field="kind"):
    """A kind of closure: the equations it puts between two frames A and B."""

    def equations(self) -> tuple[Equation, ...]:
        """In order; each has a multiplier."""
        raise NotImplementedError(type(self).__name__)


def across(axis: int) -> tuple[Equation, ...]:
    """The origin of B stays on the coordinate axis of A."""
    return Along(UNIT[(axis + 1) % 3]), Along(UNIT[(axis + 2) % 3])
