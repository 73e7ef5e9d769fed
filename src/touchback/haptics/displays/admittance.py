"""Force in, motion out: the admittance display, with its inner servo (Gillespie 1996, 4.1.3)."""

from dataclasses import dataclass

from touchback.haptics.displays.hold import hold
from touchback.model import Model
from touchback.model.forces import JointEffort
from touchback.model.value import Value, check_values
from touchback.symbolic.expression import Expr


@dataclass(frozen=True)
class AdmittanceDisplay:
    """The force that a sensor feels between hand and device moves a virtual mechanism; a servo
    (proportional, derivative, integral gains) makes the device follow it."""

    proportional: Value
    derivative: Value = 0.0
    integral: Value = 0.0

    def __post_init__(self) -> None:
        check_values("AdmittanceDisplay", **vars(self))

    def add(
        self,
        model: Model,
        name: str,
        force: Value,
        position: Value,
        velocity: Value,
        joint: str,
        period: float,
        index: int = 0,
        delay: int = 0,
    ) -> Expr:
        """Let the sensed `force` act on a coordinate of the virtual mechanism, and the device
        follow it; returns the held command. `period` is the time between ticks [s]."""
        felt = model.memory(f"{name}.force", update=force)
        model.force(f"{name} hand", JointEffort(joint, felt, index))
        error = model.coordinate(joint, index) - position
        slip = model.rate(joint, index) - velocity
        sum_name = f"{name}.integral"
        total = model.memory(sum_name)
        model.set_update(sum_name, total + error * period)
        command = error * self.proportional + slip * self.derivative + total * self.integral
        return hold(model, f"{name}.command", command, delay)
