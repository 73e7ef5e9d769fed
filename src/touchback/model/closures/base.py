"""What every kind of closure says of itself."""

from touchback.model.equations import Direction, Equation
from touchback.model.value import Data


class ClosureKind(Data, frozen=True, tag_field="kind"):
    """A kind of closure: the equations it puts between two frames A and B."""

    def equations(self) -> tuple[Equation, ...]:
        """In order; each has a multiplier."""
        raise NotImplementedError(type(self).__name__)

    def shared_axes(self) -> tuple[Direction, ...]:
        """Axes that the two frames share in the branch that is meant, not the wrong way round."""
        return ()
