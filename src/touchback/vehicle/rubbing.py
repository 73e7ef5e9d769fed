"""Friction along kerbs and walls."""

from touchback.spatial.vectors import Scalar, Vector, Vectors
from touchback.symbolic.functions import sqrt
from touchback.symbolic.scalars import Operators

_VECTORS = Vectors(Operators())
_SLOW = 0.05  # m/s, below which friction gives way


def rubbing(friction: Scalar, normal: Scalar, slip: Vector, steepest: float) -> Vector:
    """Coulomb's force −μ N u/√(u² + u₀²) against a slip velocity u [m/s], as of soft contacts, but
    with u₀ = 0.05 m/s + μ N/D: its slope at rest is at most D = `steepest` [N s/m], however hard
    the impact is, so that steps of 1 ms don't throw the slip from side to side."""
    limit = friction * normal
    gives = _SLOW + limit / steepest
    speed = sqrt(_VECTORS.dot(slip, slip) + gives * gives)
    return _VECTORS.scale(-limit / speed, slip)
