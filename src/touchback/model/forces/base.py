"""What every kind of force says of itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from touchback.model.frame import Frame
from touchback.model.mechanics_protocol import Forces, Mechanics, ValueOf
from touchback.model.value_or_expression import Data
from touchback.model.visual_shapes import Shapes
from touchback.numbers import Scalar, Vector
from touchback.symbolic import Scalars


@dataclass(frozen=True)
class InternalState:
    """A state that a force owns: its initial value, its rate at an instant, its unit."""

    initial: float
    rate: Callable[[Mechanics], Scalar]
    unit: str = ""


@dataclass(frozen=True)
class CarriedFluid:
    """Fluid that a body carries along: masses along and moments about the axes of a frame [kg, kg
    m²], and how the fluid flows by itself (world axes) [m/s]."""

    frame: Frame
    mass: Vector
    inertia: Vector
    flow: Vector


class ForceKind(Data, frozen=True, tag_field="kind"):
    """A kind of force. Fields called `joint` name a joint; places are frames (`Frame`); numbers
    may be expressions. One that `TOUCHES` is a contact: it also has a gap and a normal force."""

    TOUCHES: ClassVar[bool] = False
    SHOWS_BODY: ClassVar[bool] = False  # whether its shapes are those of its bodies

    def apply(self, mechanics: Forces) -> None:
        """Push bodies and add joint efforts."""
        raise NotImplementedError(type(self).__name__)

    def potential(self, mechanics: Mechanics) -> Scalar:
        """Energy stored in this force [J]; nothing unless it is a spring."""
        return 0

    def carries(self, k: Scalars, value: ValueOf) -> Sequence[CarriedFluid]:
        """Fluid that bodies carry along: inertia without weight; nothing unless there is some."""
        return ()

    def begin(self, mechanics: Mechanics) -> dict[str, float]:
        """Initial values of own states, by name, that follow from where the bodies are: asked over
        floats wherever a state is assembled. The others keep their `initial`."""
        return {}

    def shapes(self) -> Shapes:
        """What pictures show of it."""
        return []

    def shown_at(self, mechanics: Mechanics) -> Vector | None:
        """The point of the world where pictures show its push, such as that of a contact; None: at
        the origins of the frames that it pushes."""
        return None

    def states(self) -> dict[str, InternalState]:
        """States of its own by name: memory, temperature. A force called "pad" with a state "heat"
        gives the model a state "pad.heat"; the force itself asks
        `mechanics.state(self, "heat")`."""
        return {}
