"""The motor behind a key or a wheel."""

from dataclasses import dataclass

from touchback.errors import InputError
from touchback.estimate.checks import check_finite
from touchback.model.value import Value
from touchback.symbolic.functions import maximum, minimum, sqrt


@dataclass(frozen=True)
class Motor:
    """A motor driven by a current amplifier through a gear of `gearing` : 1 (or a capstan).

    `torque_constant` [N m/A], `current_limit` [A], `friction` and `inertia` of the rotor [N m],
    [kg m²], all at the motor's own shaft."""

    torque_constant: float
    current_limit: float
    gearing: float = 1.0
    friction: float = 0.0
    inertia: float = 0.0
    friction_speed: float = 0.1  # [rad/s] of the rotor, below which friction gives way

    def __post_init__(self) -> None:
        check_finite("Motor", **vars(self))
        for name in ("torque_constant", "current_limit", "friction_speed"):
            if not getattr(self, name) > 0.0:
                raise InputError(
                    f"Motor: its {name} is {getattr(self, name)}; it must be above zero."
                )
        if self.gearing == 0.0 or self.friction < 0.0 or self.inertia < 0.0:
            raise InputError(
                f"Motor: gearing {self.gearing}, friction {self.friction} N m, inertia "
                f"{self.inertia} kg m²; gearing can't be zero, the others not negative."
            )

    @property
    def largest_torque(self) -> float:
        """At the output [N m], without friction."""
        return self.torque_constant * self.current_limit * abs(self.gearing)

    @property
    def reflected_inertia(self) -> float:
        """Of the rotor, as felt at the output [kg m²]."""
        return self.inertia * self.gearing**2

    def current(self, torque: Value) -> Value:
        """The current [A] to command for a torque at the output [N m], within its limit."""
        wanted = torque * (1.0 / (self.torque_constant * self.gearing))
        return self._within(wanted)

    def _within(self, current: Value) -> Value:
        """What isn't a number stays none, so that a run's guards see it instead of a full force: of
        two, minimum and maximum give the second unless the first is beyond it."""
        return minimum(self.current_limit, maximum(-self.current_limit, current))

    def torque(self, current: Value, velocity: Value = 0.0) -> Value:
        """Torque at the output [N m] of a current [A], less friction at the output's velocity
        [rad/s]."""
        pull = self._within(current) * (self.torque_constant * self.gearing)
        if self.friction == 0.0:
            return pull
        rotor = velocity * self.gearing
        size = sqrt(rotor * rotor + self.friction_speed**2)
        return pull - rotor * (self.friction * self.gearing) / size
