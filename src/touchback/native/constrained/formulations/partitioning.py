"""Coordinate partitioning (Wehage and Haug 1982; Docquier 2021, eq. 5-8)."""

from touchback.native.constrained.formulations.formulation import Formulation


class Partitioning(Formulation):
    """Dependent positions and velocities are solved for: constraints are met to rounding."""

    word = "partitioning"
    rate, table, jacobian = "partitioning_rate", "partitioning_kind", "partitioning_jacobian"
    rank_tolerance = 1e-8
