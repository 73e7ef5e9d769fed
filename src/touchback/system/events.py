"""Event functions of a run: expressions of a model, and signals by name, as one function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from touchback.dynamics.constraints import apply_multipliers, constraint_rows
from touchback.errors import InputError
from touchback.model.check import all_contacts
from touchback.model.names import unknown
from touchback.symbolic.expression import Expr
from touchback.symbolic.stages import split_many
from touchback.system.derivation import Derivation
from touchback.system.function import Function
from touchback.system.functions import rate_equations

if TYPE_CHECKING:
    from touchback.system.system import System


def event_function(system: System, wanted: Sequence[Expr | str]) -> Function:
    """The values of expressions of the model, of states, inputs and sensors by name, and of the
    gaps of contacts by theirs."""
    d, sensors = _derivation(system, any(name in system.layout.outputs for name in wanted))
    values = [_value(system, d, sensors, item) for item in wanted]
    first, seconds = split_many(d.tape, {"events": values}, d.parameters, d.places())
    _refuse_forces(system, d, wanted, values)
    return Function("events", first, seconds["events"], (len(values),), system._backend)


def _derivation(system: System, with_sensors: bool) -> tuple[Derivation, list[int]]:
    """A derivation and, where they are wanted, its sensors' components.

    Accelerations and multipliers of a constrained system are known only after solving its
    equations: they are further arguments."""
    rows = system.constraint_names
    extra = (*(f"a:{name}" for name in system.layout.v), *(f"lambda:{name}" for name in rows))
    d = Derivation(
        system.model, system.layout, extra if rows else (), system.plan.frame_pass,
        system._merge_fixed,
    )  # fmt: skip
    if not with_sensors:
        return d, []
    if not rows:
        return d, rate_equations(d, system.plan.algorithm)[2]
    n = len(system.layout.v)
    d.instant.a = d.extra[:n]
    apply_multipliers(d.instant, constraint_rows(d.instant), d.extra[n:])
    return d, [x for name in system.model.outputs() for x in d.instant.measure(name)]


def _value(system: System, d: Derivation, sensors: Sequence[int], item: Expr | str) -> int:
    if isinstance(item, Expr):
        if item.tape is not system.model.tape:
            raise InputError(f"The event function {item} belongs to another model.")
        return d.instant.value(item)
    layout = system.layout
    if item in layout.outputs:
        return sensors[layout.outputs.index(item)]
    signals = dict(zip([*layout.state_names, *layout.inputs], [*d.q, *d.v, *d.z, *d.u]))
    if item in signals:
        return signals[item]
    contacts = all_contacts(system.model)
    if item in contacts:
        return d.instant.force(item).gap(d.instant)
    raise InputError(str(unknown("signal", item, [*signals, *layout.outputs, *contacts])))


def _refuse_forces(
    system: System, d: Derivation, wanted: Sequence[Expr | str], values: Sequence[int]
) -> None:
    places = d.places()
    known = 1 + len(system.layout.inputs)
    for item, value in zip(wanted, values):
        _, program = split_many(d.tape, {"": [value]}, d.parameters, places)
        if program[""].size("u") > known:
            raise InputError(
                f"{system.name}: the event function '{item}' depends on accelerations or "
                "constraint forces, which a constrained system gives only after its equations "
                "are solved; give a function of (t, x) instead."
            )
