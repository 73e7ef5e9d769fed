"""Multipliers on index 1, and states projected onto the constraints after each step."""

from touchback.native.constrained.formulations.formulation import Formulation


class Projection(Formulation):
    """Accelerations meet the constraints, and accepted states are moved onto them."""

    word = "projection"
    rate, table, jacobian = "multipliers_rate", "projection_kind", "multipliers_jacobian"
    rank_tolerance = 1e-8
