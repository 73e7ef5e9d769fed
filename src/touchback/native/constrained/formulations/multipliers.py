"""Lagrange multipliers on index 1, nothing else."""

from touchback.native.constrained.formulations.formulation import Formulation


class Multipliers(Formulation):
    """Accelerations meet the constraints; positions and velocities drift."""

    word = "multipliers"
    rate, table, jacobian = "multipliers_rate", "multipliers_kind", "multipliers_jacobian"
