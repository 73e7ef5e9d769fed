"""What numbers rigid contacts take."""

from touchback.errors import ModelError
from touchback.model.contact_kind import ContactKind
from touchback.model.value import Value, is_number, value

__all__ = ["ContactKind", "check_coefficients", "check_static"]


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
