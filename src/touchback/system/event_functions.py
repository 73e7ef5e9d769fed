"""Event functions of a run: expressions of a model, and signals by name, as one function."""

from __future__ import annotations

from collections.abc import Sequence

from touchback.dynamics import constraint_rows
from touchback.errors import InputError
from touchback.model import all_contacts
from touchback.names import unknown
from touchback.symbolic import Expr
from touchback.system.active_equations import Key
from touchback.system.compiled_function import Function
from touchback.system.derivation import Derivation, solved_arguments
from touchback.system.dynamics_kinds import DynamicsKind
from touchback.system.function_definitions import rate_equations


def event_function(dynamics: DynamicsKind, key: Key, wanted: Sequence[Expr | str]) -> Function:
    """The values of expressions of the model, of states, inputs and sensors by name, and of the
    gaps of contacts by theirs."""
    dynamics.refuse("events", wanted[0])
    d, sensors = _derivation(dynamics, key, any(name in dynamics.layout.outputs for name in wanted))
    values = [_value(dynamics, key, d, sensors, item) for item in wanted]
    _refuse_forces(dynamics, d, wanted, values)
    return d.functions({"events": values})["events"]


def _derivation(
    dynamics: DynamicsKind, key: Key, with_sensors: bool
) -> tuple[Derivation, list[int]]:
    """A derivation and, where they are wanted, its sensors' components.

    Accelerations and multipliers of a constrained system are known only after solving its
    equations: they are further arguments."""
    rows = dynamics.rows(key).names
    d = dynamics.derive(
        dynamics.model(key), solved_arguments(dynamics.layout, rows) if rows else ()
    )
    if not with_sensors:
        return d, []
    if not rows:
        return d, rate_equations(d, dynamics.plan.algorithm)[2]
    d.solved(constraint_rows(d.instant))
    return d, d.outputs()


def _value(
    dynamics: DynamicsKind, key: Key, d: Derivation, sensors: Sequence[int], item: Expr | str
) -> int:
    if isinstance(item, Expr):
        if item.tape is not dynamics.model(key).tape:
            raise InputError(f"The event function {item} belongs to another model.")
        return d.instant.value(item)
    layout = dynamics.layout
    if item in layout.outputs:
        return sensors[layout.outputs.index(item)]
    signals = dict(zip([*layout.state_names, *layout.inputs], [*d.q, *d.v, *d.z, *d.u]))
    if item in signals:
        return signals[item]
    contacts = all_contacts(dynamics.model(key))
    if item in contacts:
        return d.instant.force(item).gap(d.instant)
    raise InputError(str(unknown("signal", item, [*signals, *layout.outputs, *contacts])))


def _refuse_forces(
    dynamics: DynamicsKind, d: Derivation, wanted: Sequence[Expr | str], values: Sequence[int]
) -> None:
    known = 1 + len(dynamics.layout.inputs)
    for item, value in zip(wanted, values):
        if d.functions({"": [value]})[""].second.size("u") > known:
            raise InputError(
                f"{dynamics.name}: the event function '{item}' depends on accelerations or "
                "constraint forces, which a constrained system gives only after its equations "
                "are solved; give a function of (t, x) instead."
            )
