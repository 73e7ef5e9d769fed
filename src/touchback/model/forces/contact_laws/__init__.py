"""Normal forces of soft contacts, one file each. A new law is a new file and one line here.

Each takes depth [m], its rate [m/s], stiffness K, exponent n and damping c, and gives a force [N]
that is zero where nothing touches and never pulls. What it stores is K dⁿ⁺¹/(n + 1)."""

from collections.abc import Callable

from touchback.model.forces.contact_laws.hunt_crossley import hunt_crossley
from touchback.model.forces.contact_laws.spring_damper import spring_damper
from touchback.spatial.vectors import Scalar

LAWS: dict[str, Callable[..., Scalar]] = {
    "hunt-crossley": hunt_crossley,
    "spring-damper": spring_damper,
}

__all__ = ["LAWS", "hunt_crossley", "spring_damper"]
