"""Sensors of expressions and of energy."""

from touchback.errors import ModelError
from touchback.model.mechanics import Mechanics
from touchback.model.sensors.base import SensorKind
from touchback.model.value import Value
from touchback.numbers import is_one_of
from touchback.spatial.vectors import Scalar
from touchback.symbolic.expression import Expr


class Signal(SensorKind[Expr], frozen=True, tag="signal"):
    """Any expression of parameters, inputs, states, coordinates and other sensors."""

    expression: Value
    measured_in: str = ""

    def unit(self) -> str:
        return self.measured_in

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return [mechanics.value(self.expression)]


class Readout(SensorKind[Expr], frozen=True, tag="readout"):
    """What the present mode says that it shows: `m.mode(…, readouts={"name": expression})`; zero in
    modes that say nothing. The expression may use sensors of forces."""

    measured_in: str = ""

    def unit(self) -> str:
        return self.measured_in

    def kinematic(self) -> bool:
        return False

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        raise ModelError("A readout needs modes that say what it shows: m.mode(…, readouts=…).")


class Energy(SensorKind[Expr], frozen=True, tag="energy"):
    """Kinetic energy, potential energy (of gravity and of joint springs), or their sum [J]."""

    which: str = "total"

    def __post_init__(self) -> None:
        if not is_one_of(self.which, ("kinetic", "potential", "total")):
            raise ModelError(
                f"Energy: 'kinetic', 'potential' or 'total' is expected, got {self.which!r}."
            )

    def unit(self) -> str:
        return "J"

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return [mechanics.energy(self.which)]
