"""The potentiometer: an angle as a share of a supply's voltage."""

from dataclasses import dataclass

from touchback.errors import InputError
from touchback.estimate.checks import check_finite
from touchback.model.value import Value
from touchback.symbolic.functions import maximum, minimum


@dataclass(frozen=True)
class Potentiometer:
    """U = supply (θ/travel + 1/2), between 0 and the supply [V]: its middle is at zero angle, its
    track is `travel` long [rad]; an end isn't passed."""

    travel: float
    supply: float = 5.0

    def __post_init__(self) -> None:
        check_finite("Potentiometer", travel=self.travel, supply=self.supply)
        if not (self.travel > 0.0 and self.supply > 0.0):
            raise InputError(
                f"Potentiometer: a track of {self.travel} rad at {self.supply} V; both must be "
                "above zero."
            )

    def reading(self, angle: Value) -> Value:
        """Voltage [V] at an angle [rad]."""
        share = angle * (1.0 / self.travel) + 0.5
        return minimum(maximum(share, 0.0), 1.0) * self.supply

    def quantity(self, voltage: Value) -> Value:
        """Angle [rad] of a voltage [V]."""
        return (voltage * (1.0 / self.supply) - 0.5) * self.travel
