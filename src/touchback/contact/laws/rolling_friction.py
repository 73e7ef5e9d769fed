"""Rolling friction made smooth."""

from touchback.model.mechanics import Mechanics
from touchback.model.value import Value, is_zero
from touchback.spatial.vectors import Scalar


def rolling_friction(
    mechanics: Mechanics,
    coefficient: Value,
    slip_speed: Value,
    normal: Scalar,
    radius: Scalar,
    spin: Scalar,
) -> Scalar:
    """−c N r ω/√(ω² + ω₀²) [N m] for the relative spin ω [rad/s] of a circle of radius r, with
    ω₀ = u₀/r: it gives way where the rim is slower than the `slip_speed` u₀."""
    k = mechanics.k
    if is_zero(coefficient):
        return 0
    limit = k.mul(k.mul(mechanics.value(coefficient), normal), radius)
    rim, u0 = k.mul(radius, spin), mechanics.value(slip_speed)
    return -k.div(k.mul(limit, rim), k.sqrt(k.add(k.mul(rim, rim), k.mul(u0, u0))))
