"""The tachometer: an angular velocity as a voltage, with the ripple of its commutator."""

from dataclasses import dataclass

from touchback.errors import InputError
from touchback.estimate.checks import check_finite
from touchback.model.value import Value
from touchback.symbolic.functions import sin


@dataclass(frozen=True)
class Tachometer:
    """U = constant ω (1 + ripple sin(segments θ)); `constant` in V s/rad."""

    constant: float
    ripple: float = 0.0
    segments: int = 11

    def __post_init__(self) -> None:
        check_finite("Tachometer", constant=self.constant, ripple=self.ripple)
        if self.constant == 0.0:
            raise InputError(f"Tachometer: its constant is {self.constant}; it can't be zero.")

    def reading(self, velocity: Value, angle: Value = 0.0) -> Value:
        """Voltage [V] at an angular velocity [rad/s] and an angle [rad]."""
        if self.ripple == 0.0:
            return velocity * self.constant
        return velocity * self.constant * (1.0 + self.ripple * sin(angle * float(self.segments)))

    def quantity(self, voltage: Value) -> Value:
        """Angular velocity [rad/s] of a voltage [V], the ripple included."""
        return voltage * (1.0 / self.constant)
