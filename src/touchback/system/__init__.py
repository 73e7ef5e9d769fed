"""Compiled models: names, sizes, parameters and functions on arrays."""

# What runs need of the mechanics and of the expressions behind a system.
from touchback.dynamics import (
    INERTIAL as INERTIAL,
    Instant as Instant,
    configuration_rate as configuration_rate,
    constraint_rows as constraint_rows,
    default_stops as default_stops,
    float_instant as float_instant,
    initial_coordinates as initial_coordinates,
    position_rows as position_rows,
    size_of as size_of,
)
from touchback.symbolic import (
    Expr as Expr,
    Switches as Switches,
    Tape as Tape,
    gradient as gradient,
    jvp as jvp,
    kinks as kinks,
    lower as lower,
    to_text as to_text,
)
from touchback.system.active_equations import (
    ActiveEquations as ActiveEquations,
    At as At,
    Key as Key,
)
from touchback.system.array_arguments import filled as filled
from touchback.system.compile_model import compile_model, copies as copies
from touchback.system.compiled_function import Function as Function, FunctionSet as FunctionSet
from touchback.system.constraint_functions import (
    ConstraintLayout as ConstraintLayout,
    Pattern as Pattern,
)
from touchback.system.contact_equations import (
    STEPPED as STEPPED,
    ContactEquations as ContactEquations,
    ContactLayout as ContactLayout,
)
from touchback.system.degrees_of_freedom import (
    Freedoms as Freedoms,
    freedoms_of as freedoms_of,
    null_space as null_space,
)
from touchback.system.derivation import (
    Derivation as Derivation,
    solved_arguments as solved_arguments,
)
from touchback.system.dynamics_derivatives import LoopedDerivatives as LoopedDerivatives
from touchback.system.energy_balance_functions import (
    BASE as BASE,
    DISSIPATED as DISSIPATED,
    KINETIC as KINETIC,
    WORK as WORK,
    Line as Line,
    PowerSet as PowerSet,
    power_set as power_set,
    power_set_of_modes as power_set_of_modes,
    power_set_with as power_set_with,
)
from touchback.system.function_definitions import Recipe as Recipe
from touchback.system.function_source import PRINTERS as PRINTERS
from touchback.system.implicit_equations import (
    Blocks as Blocks,
    Point as Point,
    motion_equations as motion_equations,
)
from touchback.system.integration_problem import (
    IntegrationProblem as IntegrationProblem,
    ModalProblem as ModalProblem,
)
from touchback.system.mode_equations import (
    Exit as Exit,
    SystemMode as SystemMode,
)
from touchback.system.model_checks import (
    check_model as check_model,
    check_numbers as check_numbers,
)
from touchback.system.signal_layout import Values as Values, fill as fill
from touchback.system.state_assembly import (
    StateAssembler as StateAssembler,
    found_states as found_states,
    with_found_states as with_found_states,
)
from touchback.system.system import System
from touchback.system.system_state import (
    State,
    elements_of as elements_of,
    finite_elements as finite_elements,
)
from touchback.system.undetermined_forces import (
    undetermined_forces_text as undetermined_forces_text,
)

# Submodules that other rooms import by themselves: nothing else needs them at once.
PUBLIC_SUBMODULES = (
    "body_poses",
    "natural_coordinates",
    "port_wrenches",
    "saltation",
    "variational_equations",
    "velocity_projection",
)

__all__ = ["State", "System", "compile_model"]
