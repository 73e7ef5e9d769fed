"""What every kind of force says of itself."""

from touchback.model.mechanics import Forces, Mechanics
from touchback.model.value import Data
from touchback.spatial.vectors import Scalar


class ForceKind(Data, frozen=True, tag_field="kind"):
    """A kind of force. Fields called `joint` name a joint; frames are `Frame`s; numbers may be
    expressions."""

    def apply(self, mechanics: Forces) -> None:
        """Push bodies and add joint efforts."""
        raise NotImplementedError(type(self).__name__)

    def potential(self, mechanics: Mechanics) -> Scalar:
        """Energy stored in this force [J]; nothing unless it is a spring."""
        return 0
