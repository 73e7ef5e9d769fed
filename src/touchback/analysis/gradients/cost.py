"""A cost at the end, with its derivatives: an expression of the model, or a state."""

from __future__ import annotations

from touchback.errors import InputError
from touchback.model.names import unknown
from touchback.numbers import shown
from touchback.symbolic.differentiate import gradient
from touchback.symbolic.expression import Expr
from touchback.system import System
from touchback.system.function import Function


def cost_function(system: System, cost: Expr | str, parameters: tuple[str, ...]) -> Function:
    """[value, derivatives by x, by the inputs and by some parameters] of x and [t, inputs…]."""
    d = system.derive()
    states = dict(zip(system.layout.state_names, [*d.q, *d.v, *d.z], strict=True))
    if isinstance(cost, Expr):
        if cost.tape is not system.model.tape:
            raise InputError(f"The cost {cost} belongs to another model than {system.name}.")
        value = d.instant.value(cost)
    elif not isinstance(cost, str):
        raise InputError(
            "cost: an expression of the model, such as -tb.cos(model.coordinate('turn')), or the "
            f"name of a state is expected, got {shown(cost)}."
        )
    elif cost in states:
        value = states[cost]
    else:
        raise InputError(str(unknown("state", cost, states)))
    known = dict(zip(system.layout.parameters, d.parameters, strict=True))
    variables = [*states.values(), *d.u, *(known[name] for name in parameters)]
    return d.functions({"cost": [value, *gradient(d.tape, value, variables)]})["cost"]
