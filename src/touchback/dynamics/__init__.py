"""Mechanics, written once, over any scalar."""

from touchback.dynamics.constant_pose import frame_pose as frame_pose
from touchback.dynamics.constraint_row import Row as Row
from touchback.dynamics.constraints import (
    apply_multipliers as apply_multipliers,
    constraint_rows as constraint_rows,
    coupling_row as coupling_row,
    drive_row as drive_row,
    position_rows as position_rows,
)
from touchback.dynamics.crba import (
    Entries as Entries,
    dof_parents as dof_parents,
    root_columns as root_columns,
    world_poses as world_poses,
)
from touchback.dynamics.forward_dynamics import (
    ALGORITHMS as ALGORITHMS,
    applied_efforts as applied_efforts,
    configuration_rate as configuration_rate,
    dof_order as dof_order,
    factorise_mass_matrix as factorise_mass_matrix,
    mass_matrix_entries as mass_matrix_entries,
    solve_efforts as solve_efforts,
    with_armature as with_armature,
)
from touchback.dynamics.inverse_dynamics_derivatives import (
    InverseDynamicsDerivatives as InverseDynamicsDerivatives,
    SolvedColumn as SolvedColumn,
)
from touchback.dynamics.joint_stops import (
    default_stops as default_stops,
    initial_coordinates as initial_coordinates,
)
from touchback.dynamics.kinematic_tree import (
    Link as Link,
    Tree as Tree,
    coordinate_starts as coordinate_starts,
    isomorphic_branches as isomorphic_branches,
)
from touchback.dynamics.loop_closures import common_link as common_link
from touchback.dynamics.mechanical_power import (
    base_power as base_power,
    force_meter as force_meter,
    gravity_power as gravity_power,
    joint_power as joint_power,
    row_power as row_power,
    rubbing_powers as rubbing_powers,
)
from touchback.dynamics.mechanism_instant import (
    Coordinates,
    Instant,
    centre_of_mass as centre_of_mass,
    jacobian as jacobian,
    joint_potential as joint_potential,
    kinetic_energy as kinetic_energy,
    momentum as momentum,
    potential_energy as potential_energy,
)
from touchback.dynamics.numeric_inertia import is_numeric as is_numeric
from touchback.dynamics.numeric_instant import float_instant as float_instant, size_of as size_of
from touchback.dynamics.regressor import INERTIAL as INERTIAL

# The spatial algebra that equations of other rooms share with these.
from touchback.spatial import (
    ZERO as ZERO,
    Articulated as Articulated,
    Inertia as Inertia,
    Twist as Twist,
    Wrench as Wrench,
)

# Submodules that other rooms import by themselves: nothing else needs them at once.
PUBLIC_SUBMODULES = (
    "bond_graph",
    "constraints",
    "forward_dynamics",
    "multibond_graph",
    "port_equations",
    "regressor",
)

__all__ = ["Coordinates", "Instant"]
