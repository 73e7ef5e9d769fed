"""The zero-order hold at the end of every controller, with the time that computing takes."""

from touchback.errors import InputError
from touchback.model import Model
from touchback.model.value import Value
from touchback.symbolic.expression import Expr


def hold(model: Model, name: str, value: Value, delay: int = 0) -> Expr:
    """`value` as it was at the last tick, or `delay` ticks before it: what a converter puts out."""
    if not (isinstance(delay, int) and delay >= 0):
        raise InputError(f"Hold '{name}': its delay is {delay!r}; give whole ticks, 0 or more.")
    for i in range(delay):
        value = model.memory(f"{name}.{i}", update=value)
    return model.memory(name, update=value)
