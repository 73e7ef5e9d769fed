"""Which forces of a model are motors: efforts in proportion to one input."""

from __future__ import annotations

from typing import Any

from touchback.interop.robot_files.links import Mechanism
from touchback.model.signals import in_si
from touchback.model.value import Value
from touchback.symbolic.expression import Expr
from touchback.symbolic.scalars import Operators
from touchback.symbolic.translate import Translator

_TRIALS = (0.0, 1.0, -2.5)


class _Other(Exception):
    """It depends on more than parameters and one input."""


def motor_of(mechanism: Mechanism, effort: Value) -> tuple[str, float] | None:
    """The input and the gear with effort = gear · input; None for other laws."""
    if not isinstance(effort, Expr):
        return None
    met: set[str] = set()
    model = mechanism.model

    def at(trial: float) -> float:
        def number(symbol: object) -> float:
            name = str(symbol)
            if name in model.parameters:
                given = model.parameters[name]
                return in_si(given.unit, given.default)
            if name not in model.inputs or name in model.driven_inputs():
                raise _Other
            met.add(name)
            return in_si(model.inputs[name].unit, trial)

        found: Any = Translator(effort.tape, Operators(), number)(effort.id)
        return float(found)

    try:
        none, one, other = (at(trial) for trial in _TRIALS)
    except _Other:
        return None
    if len(met) != 1 or none != 0.0 or abs(other - _TRIALS[2] * one) > 1e-12 * abs(one):
        return None
    return met.pop(), one
