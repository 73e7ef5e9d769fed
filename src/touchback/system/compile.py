"""From a model to a system."""

import warnings

from touchback.codegen import Backend
from touchback.errors import UnitNotice
from touchback.model.flatten import flatten
from touchback.model.model import Model
from touchback.model.unit_check import check_units, unknown_units
from touchback.system.checks import check_model
from touchback.system.constraint_checks import check_constraints, check_modes
from touchback.system.layout import layout_of
from touchback.system.mode_derivation import holding_modes
from touchback.system.motions import Constrained, Tree, WithModes
from touchback.system.plan import make_plan
from touchback.system.system import System
from touchback.system.undetermined import levels_up


def compile_model(model: Model, backend: Backend = "machine") -> System:
    """Check a model, choose frames and algorithms, and derive its equations.

    `backend`: "machine" (ours), "c" (through the system's compiler) or "interpreter"."""
    check_units(model)
    for told in unknown_units(model):
        warnings.warn(f"{model.name}: {told}", UnitNotice, stacklevel=levels_up())
    flat = flatten(model)
    if flat.modes:
        flat = holding_modes(flat)
    checked = check_model(flat)
    layout = layout_of(flat)
    plan = make_plan(flat, layout, checked.tree)
    if flat.modes:
        system = System(WithModes(flat, plan, backend))
        check_modes(system)
    elif flat.constraint_rows():
        system = System(Constrained(flat, plan, backend))
        check_constraints(system)
    else:
        system = System(Tree(flat, plan, backend))
    return system
