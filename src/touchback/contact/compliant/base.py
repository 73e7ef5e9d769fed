"""Contacts as forces: what sensors and events may ask of each of them."""

from typing import ClassVar

from touchback.contact.laws import ContactLaw, LawState
from touchback.errors import ModelError
from touchback.model.forces.base import ForceKind, InternalState
from touchback.model.mechanics import Mechanics
from touchback.spatial.vectors import Scalar


class CompliantContact(ForceKind, frozen=True):
    """A force between two surfaces that gives way: it is zero while they are apart."""

    TOUCHES: ClassVar[bool] = True

    def normal_law(self) -> ContactLaw:
        """The law of its normal force."""
        raise NotImplementedError(type(self).__name__)

    def gap(self, mechanics: Mechanics) -> Scalar:
        """Distance of the surfaces [m]; negative where they press into each other."""
        raise NotImplementedError(type(self).__name__)

    def normal_force(self, mechanics: Mechanics) -> Scalar:
        """Force that presses the surfaces apart [N], never negative."""
        raise NotImplementedError(type(self).__name__)

    def friction_force(self, mechanics: Mechanics) -> Scalar:
        """Force along the surfaces [N]."""
        raise ModelError(
            f"{type(self).__name__} is not planar, so its friction has no one direction; measure "
            "that of a tb.contact.ProfileContact."
        )

    def potential(self, mechanics: Mechanics) -> Scalar:
        return self.normal_law().energy(mechanics, -self.gap(mechanics), self._own(mechanics))

    def states(self) -> dict[str, InternalState]:
        return {name: self._internal(state) for name, state in self.normal_law().states().items()}

    def _internal(self, state: LawState) -> InternalState:
        def rate(mechanics: Mechanics) -> Scalar:
            return state.rate(mechanics, -self.gap(mechanics), self._own(mechanics))

        return InternalState(state.initial, rate, state.unit)

    def _own(self, mechanics: Mechanics) -> dict[str, Scalar]:
        """The law's states at this instant."""
        return {name: mechanics.state(self, name) for name in self.normal_law().states()}
