"""Coulomb's friction made smooth: it creeps at slip speeds far below u₀ instead of sticking."""

from collections.abc import Sequence

from touchback.model.mechanics import Mechanics
from touchback.model.value import Value, is_zero
from touchback.spatial.vectors import Scalar


def regularised_coulomb(
    mechanics: Mechanics,
    friction: Value,
    slip_speed: Value,
    normal: Scalar,
    slip: Sequence[Scalar],
) -> list[Scalar]:
    """−μ N u/√(u² + u₀²) for the slip velocity u [m/s], component by component [N]."""
    k = mechanics.k
    if is_zero(friction):
        return [0 for _ in slip]
    limit, u0 = k.mul(mechanics.value(friction), normal), mechanics.value(slip_speed)
    squares = k.mul(u0, u0)
    for u in slip:
        squares = k.add(squares, k.mul(u, u))
    drag = -k.div(limit, k.sqrt(squares))
    return [k.mul(drag, u) for u in slip]
