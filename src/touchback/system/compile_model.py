"""From a model to a system."""

import warnings
from collections.abc import Iterable, Sequence
from typing import get_args

from touchback.codegen import Backend
from touchback.errors import InputError, ModelError, SolveError, UnitNotice
from touchback.model import Model, check_units, flatten, place_in_file, unknown_units
from touchback.names import check_name, first_repeated, unknown_name
from touchback.numbers import shown
from touchback.system.derivation_plan import make_plan
from touchback.system.dynamics_kinds import (
    ConstrainedDynamics,
    ModalDynamics,
    ReplicatedDynamics,
    TreeDynamics,
)
from touchback.system.mode_equations import holding_modes
from touchback.system.model_checks import check_constraints, check_model, check_modes
from touchback.system.signal_layout import layout_of
from touchback.system.system import System
from touchback.system.undetermined_forces import caller_stack_level


def compile_model(model: Model, backend: Backend = "machine") -> System:
    """Check a model, choose frames and algorithms, and derive its equations.

    `backend`: "machine" (ours), "c" (through the system's compiler) or "interpreter"."""
    if not isinstance(backend, str) or backend not in get_args(Backend):
        raise unknown_name("back end", backend, get_args(Backend))
    try:
        return _compiled(model, backend)
    except (ModelError, SolveError) as error:
        if place := place_in_file(model, str(error)):
            error.args = (f"{place}: {error}", *error.args[1:])
        raise


def _compiled(model: Model, backend: Backend) -> System:
    check_units(model)
    for told in unknown_units(model):
        warnings.warn(f"{model.name}: {told}", UnitNotice, stacklevel=caller_stack_level())
    flat = flatten(model)
    if flat.modes:
        flat = holding_modes(flat)
    checked = check_model(flat)
    layout = layout_of(flat)
    plan = make_plan(flat, layout, checked.tree)
    if flat.modes:
        system = System(ModalDynamics(flat, plan, backend))
        check_modes(system)
    elif flat.constraint_rows():
        system = System(ConstrainedDynamics(flat, plan, backend))
        check_constraints(system)
    else:
        system = System(TreeDynamics(flat, plan, backend))
    return system


def copies(system: System, names: Sequence[str], shared: Sequence[str] = ()) -> System:
    """A row of copies of a compiled system, with a name each, to simulate or to run live. Names of
    signals are "copy/name"; `one` is the system of each, `states_of(x)` has a row for each.

    Inputs named in `shared`, the first that the model has, are one input of all copies, with its
    own name."""
    if not isinstance(system, System) or system.names:
        raise InputError(
            f"copies: a compiled system of one mechanism is expected, got {shown(system)}."
        )
    each = list(names) if isinstance(names, Iterable) and not isinstance(names, str | bytes) else []
    if not each or first_repeated(name for name in each if isinstance(name, str)) is not None:
        raise InputError(
            f"{system.name}: copies need names, each once, as ['left', 'right']; got "
            f"{shown(names)}."
        )
    for name in each:
        check_name("Copy", name)
    if system.dynamics.constrained:
        raise InputError(
            f"{system.name}: it has constraints or modes, which are solved for each mechanism "
            "alone; put copies of it into one model by `m.add`."
        )
    common = tuple(shared)
    if common != system.layout.inputs[: len(common)]:
        raise InputError(
            f"{system.name}: its copies can share its first inputs only, in their order: "
            f"{', '.join(system.layout.inputs) or 'it has none'}; got {', '.join(common)}."
        )
    row = ReplicatedDynamics(system.dynamics, system.initial_state, each, common)
    return System(row, system)
