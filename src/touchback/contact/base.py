"""What every kind of rigid contact says of itself."""

from touchback.errors import ModelError
from touchback.model.mechanics import Mechanics
from touchback.model.value import Data, Value, is_number, value
from touchback.spatial.vectors import Scalar


class ContactKind(Data, frozen=True, tag_field="kind"):
    """A rigid contact: its gap, its slip speeds, and the fields `restitution` (of the normal speed,
    or of the impulse) and `friction` (Coulomb's coefficient). Where there is a field
    `static_friction`, that is the coefficient while nothing slips (None: the same); event-driven
    runs know the difference."""

    def gap(self, mechanics: Mechanics) -> Scalar:
        """Distance [m] (or an angle [rad]), a function of the positions; negative when overlapping.
        The normal speed is its rate."""
        raise NotImplementedError(type(self).__name__)

    def slip(self, mechanics: Mechanics) -> list[Scalar]:
        """Slip speeds along none, one or two tangents, linear in the velocities [m/s]."""
        raise NotImplementedError(type(self).__name__)

    def roll(self, mechanics: Mechanics) -> list[Scalar]:
        """Turning speeds that rolling friction resists, none, one or two [rad/s]; its arm [m] is
        the field `rolling`."""
        return []


def check_coefficients(
    kind: str, restitution: Value, friction: Value, rolling: Value = 0.0
) -> None:
    """Refuse numbers that no contact has; expressions are taken as they come."""
    e = value(f"{kind}: restitution", restitution)
    if is_number(e) and not 0.0 <= e <= 1.0:
        raise ModelError(f"{kind}: its restitution is {restitution}; it lies between 0 and 1.")
    mu, arm = value(f"{kind}: friction", friction), value(f"{kind}: rolling", rolling)
    if is_number(mu) and not mu >= 0.0:
        raise ModelError(f"{kind}: its friction is {friction}; a coefficient is not negative.")
    if is_number(arm) and not arm >= 0.0:
        raise ModelError(f"{kind}: its rolling is {rolling} m; the arm is not negative.")


def check_static(kind: str, friction: Value, static: Value | None) -> None:
    """Refuse a static coefficient below that of slipping."""
    if static is None:
        return
    holds = value(f"{kind}: static_friction", static)
    if is_number(holds) and is_number(friction) and holds < friction:
        raise ModelError(
            f"{kind}: its static_friction {static} is below its friction {friction}; what sticks "
            "holds at least as much as what slips."
        )
