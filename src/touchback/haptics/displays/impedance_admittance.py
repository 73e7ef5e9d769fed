"""Impedance displays (motion in, force out) and the admittance display (force in, motion out), with
its inner servo (Gillespie 1996, section 4.1)."""

from dataclasses import dataclass

from touchback import Expr, JointEffort, Model
from touchback.haptics.displays.sample_and_hold import hold
from touchback.model import Value, check_values


@dataclass(frozen=True)
class ImpedanceControl:
    """A law without memory, f = −K x_k − B v_k: springs and dampers, no virtual masses.
    `stiffness` and `damping` may be expressions, such as live parameters."""

    stiffness: Value
    damping: Value = 0.0

    def __post_init__(self) -> None:
        check_values("ImpedanceControl", stiffness=self.stiffness, damping=self.damping)

    def force(self, position: Value, velocity: Value = 0.0) -> Value:
        """What the motor shall give at a sampled position and velocity."""
        return -(position * self.stiffness + velocity * self.damping)

    def add(
        self, model: Model, name: str, position: Value, velocity: Value, delay: int = 0
    ) -> Expr:
        """Put it into a model; returns the held command, to be given to the motor."""
        return hold(model, name, self.force(position, velocity), delay)


@dataclass(frozen=True)
class ImpedanceDisplay:
    """A virtual mechanism held to the device by a coupling spring and damper: the device's sampled
    motion moves the mechanism, the coupling's force comes back. The mechanism has its own states,
    so that masses and contacts can be felt."""

    stiffness: Value
    damping: Value = 0.0

    def __post_init__(self) -> None:
        check_values("ImpedanceDisplay", stiffness=self.stiffness, damping=self.damping)

    def add(
        self,
        model: Model,
        name: str,
        position: Value,
        velocity: Value,
        joint: str,
        index: int = 0,
        delay: int = 0,
    ) -> Expr:
        """Couple a coordinate of the virtual mechanism to the device; returns the held command.

        `position` and `velocity` are the device's, as its sensors show them; between ticks the
        mechanism feels the last sample."""
        x = model.memory(f"{name}.position", update=position)
        v = model.memory(f"{name}.velocity", update=velocity)
        y, w = model.coordinate(joint, index), model.rate(joint, index)
        coupling = ImpedanceControl(self.stiffness, self.damping)
        pull = coupling.force(y - x, w - v)
        model.force(f"{name} coupling", JointEffort(joint, pull, index))
        return coupling.add(model, f"{name}.command", position - y, velocity - w, delay)


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
