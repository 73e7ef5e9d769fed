"""What every kind of sensor says of itself."""

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar

from touchback.model.mechanics_protocol import Mechanics
from touchback.model.value_or_expression import Data
from touchback.numbers import Scalar
from touchback.symbolic import Expr

XYZ = ("x", "y", "z")


Measured = TypeVar("Measured", covariant=True)
Several = tuple[Expr, ...]


class SensorKind(Data, Generic[Measured], frozen=True, tag_field="kind"):
    """A kind of sensor: what it measures, and the names and unit of its components ((“”,) for a
    single one). `Measured` is what `Model.sensor` gives of it: an expression, or several."""

    FOR_LAWS: ClassVar[bool] = False
    """Whether it is no output unless `m.report` names it."""

    def components(self) -> tuple[str, ...]:
        """Names of the components."""
        return ("",)

    def unit(self) -> str:
        """Unit of the components that share one."""
        return ""

    def units(self) -> tuple[str, ...]:
        """Unit of each component."""
        return (self.unit(),) * len(self.components())

    def kinematic(self) -> bool:
        """Whether it depends on positions and velocities only, so that laws and controllers may use
        it."""
        return True

    def completed(self, coordinates: Sequence[str]) -> Self:
        """The same with what it leaves to the model, whose velocity coordinates have these
        names."""
        return self

    def arranged(self, signals: Sequence[Expr]) -> Measured:
        """The components as `Model.sensor` gives them."""
        measured: Any = signals[0] if len(signals) == 1 else tuple(signals)
        return measured

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        """The components at this instant."""
        raise NotImplementedError(type(self).__name__)
