"""What every kind of sensor says of itself."""

from touchback.model.mechanics import Mechanics
from touchback.model.value import Data
from touchback.spatial.vectors import Scalar

XYZ = ("x", "y", "z")


class SensorKind(Data, frozen=True, tag_field="kind"):
    """A kind of sensor: what it measures, and the names and unit of its components ((“”,) for a
    single one)."""

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

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        """The components at this instant."""
        raise NotImplementedError(type(self).__name__)
