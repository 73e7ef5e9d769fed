"""What every kind of force says of itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from touchback.model.mechanics import Forces, Mechanics
from touchback.model.shapes import Shapes
from touchback.model.value import Data
from touchback.spatial.vectors import Scalar


@dataclass(frozen=True)
class InternalState:
    """A state that a force owns: its initial value, its rate at an instant, its unit."""

    initial: float
    rate: Callable[[Mechanics], Scalar]
    unit: str = ""


class ForceKind(Data, frozen=True, tag_field="kind"):
    """A kind of force. Fields called `joint` name a joint; places are frames (`Frame`); numbers
    may be expressions. One that `TOUCHES` is a contact: it also has a gap and a normal force."""

    TOUCHES: ClassVar[bool] = False

    def apply(self, mechanics: Forces) -> None:
        """Push bodies and add joint efforts."""
        raise NotImplementedError(type(self).__name__)

    def potential(self, mechanics: Mechanics) -> Scalar:
        """Energy stored in this force [J]; nothing unless it is a spring."""
        return 0

    def begin(self, mechanics: Mechanics) -> dict[str, float]:
        """Initial values of own states, by name, that follow from where the bodies are: asked over
        floats wherever a state is assembled. The others keep their `initial`."""
        return {}

    def shapes(self) -> Shapes:
        """What pictures show of it."""
        return []

    def states(self) -> dict[str, InternalState]:
        """States of its own by name: memory, temperature. A force called "pad" with a state "heat"
        gives the model a state "pad.heat"; the force itself asks
        `mechanics.state(self, "heat")`."""
        return {}
