"""The motor behind a key or a wheel."""

from dataclasses import dataclass

from touchback import Expr, Model, maximum, minimum, sqrt
from touchback.errors import InputError
from touchback.model import Value
from touchback.numbers import check_finite


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


_ABOVE_ZERO = "constant", "resistance", "inductance", "current_limit", "supply", "loop"


@dataclass(frozen=True)
class LinearMotor:
    """A coil of `resistance` [Ω] and `inductance` [H] that pushes with `constant` [N/A], and is
    held back by the same constant [V s/m] when it moves: L di/dt = U − R i − K v.

    An amplifier of `supply` [V] brings the current to what is asked, never beyond `current_limit`
    [A], with the rate `loop` [1/s] as long as its voltage lasts. `mass` [kg] is what moves,
    `friction` [N] that of its bearing, which gives way below `friction_speed` [m/s]."""

    constant: float
    resistance: float
    inductance: float
    current_limit: float
    supply: float
    mass: float = 0.0
    friction: float = 0.0
    loop: float = 5000.0
    friction_speed: float = 1e-3

    def __post_init__(self) -> None:
        check_finite("LinearMotor", **vars(self))
        for name in (*_ABOVE_ZERO, "friction_speed"):
            if not getattr(self, name) > 0.0:
                raise InputError(
                    f"LinearMotor: its {name} is {getattr(self, name)}; it must be above zero."
                )
        if self.friction < 0.0 or self.mass < 0.0:
            raise InputError(
                f"LinearMotor: friction {self.friction} N, mass {self.mass} kg; neither can be "
                "negative."
            )

    @property
    def largest_force(self) -> float:
        """[N], without friction."""
        return self.constant * self.current_limit

    def voltage(self, force: Value, current: Value, velocity: Value) -> Value:
        """What the amplifier puts on the coil [V] for a force asked [N]: what the current asked
        needs at this velocity [m/s], and more as long as the current [A] isn't there. What isn't
        a number stays none, so that a run's guards see it: of two, minimum and maximum give the
        second unless the first is beyond it."""
        most = self.current_limit
        asked = minimum(most, maximum(-most, force * (1.0 / self.constant)))
        needed = self.resistance * asked + self.constant * velocity
        wanted = needed + self.inductance * self.loop * (asked - current)
        return minimum(self.supply, maximum(-self.supply, wanted))

    def current_rate(self, voltage: Value, current: Value, velocity: Value) -> Value:
        """di/dt [A/s]."""
        induced = self.constant * velocity
        return (voltage - self.resistance * current - induced) * (1.0 / self.inductance)

    def force(self, current: Value, velocity: Value = 0.0) -> Value:
        """What it gives to what it moves [N], less friction."""
        push = self.constant * current
        if self.friction == 0.0:
            return push
        return push - velocity * self.friction / sqrt(velocity * velocity + self.friction_speed**2)

    def add(self, m: Model, name: str, asked: Value, velocity: Value) -> Expr:
        """Put coil and amplifier into a model that asks for a force [N] of something that moves
        with a velocity [m/s]: the state "`name` current" [A], which it gives."""

        def rate(current: Value) -> Value:
            given = self.voltage(asked, current, velocity)
            return self.current_rate(given, current, velocity)

        return m.state(f"{name} current", rate=rate, unit="A")
