"""What every kind of rigid contact says of itself."""

from touchback.model.described_values import Data
from touchback.model.mechanics_protocol import Mechanics
from touchback.model.visual_shapes import Shapes
from touchback.numbers import Scalar


class ContactKind(Data, frozen=True, tag_field="kind"):
    """A rigid contact: its gap, its slip speeds, and the fields `restitution` (of the normal speed,
    or of the impulse) and `friction` (Coulomb's coefficient). Where there is a field
    `static_friction`, that is the coefficient while nothing slips (None: the same); event-driven
    runs know the difference."""

    def gap(self, mechanics: Mechanics) -> Scalar:
        """Distance [m] (or an angle [rad]), a function of the positions; negative when overlapping.
        The normal speed is its rate."""
        raise NotImplementedError(type(self).__name__)

    def slip(self, mechanics: Mechanics) -> list[Scalar]:
        """Slip speeds along none, one or two tangents, linear in the velocities [m/s]."""
        raise NotImplementedError(type(self).__name__)

    def shapes(self) -> Shapes:
        """What pictures show of it."""
        return []

    def roll(self, mechanics: Mechanics) -> list[Scalar]:
        """Turning speeds that rolling friction resists, none, one or two [rad/s]; its arm [m] is
        the field `rolling`."""
        return []
