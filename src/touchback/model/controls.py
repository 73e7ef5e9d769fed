"""Controllers and their alternatives: which law drives an input is a live parameter.

A control declared `instead_of` another drives the same inputs. The first one's parameter "… choice"
says which acts: 0 the first, 1, 2, … the others in the order of description.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from touchback.errors import ModelError
from touchback.model.signals import Parameter
from touchback.model.value import Value
from touchback.symbolic.functions import select

if TYPE_CHECKING:
    from touchback.model.describe_signals import Signals


def choice_name(control: str) -> str:
    """The parameter that chooses among a control and its alternatives."""
    return f"{control} choice"


def alternatives(model: Signals, control: str) -> list[str]:
    """A control and those declared instead of it, in the order of their numbers."""
    others = [name for name, each in model.controls.items() if each.instead_of == control]
    return [control, *others]


def driven(model: Signals) -> dict[str, Value]:
    """What drives each driven input of a flat model."""
    found = {}
    for name, control in model.controls.items():
        if control.instead_of:
            continue
        laws = [model.controls[each].drives for each in alternatives(model, name)]
        for target in control.drives:
            law = laws[-1][target]
            for number in range(len(laws) - 2, -1, -1):
                chosen = model.signal(choice_name(name)) < number + 0.5
                law = select(chosen, laws[number][target], law)
            found[target] = law
    return found


def check_alternative(model: Signals, label: str, instead_of: str, targets: list[str]) -> None:
    """Refuse an alternative to what isn't there, or to itself an alternative, or with other
    inputs."""
    first = model.controls.get(instead_of)
    if first is None or first.instead_of:
        known = [name for name, each in model.controls.items() if not each.instead_of]
        raise ModelError(
            f"{label}: instead of {instead_of!r}, which is no control of its own; there are: "
            f"{', '.join(known) or 'none'}."
        )
    if set(targets) != set(first.drives):
        raise ModelError(
            f"{label}: it drives {', '.join(targets)}, but '{instead_of}', which it stands in for, "
            f"drives {', '.join(first.drives)}; drive the same inputs."
        )


def add_choice(model: Signals, control: str) -> None:
    """Lets the choice's parameter reach to the last alternative."""
    name, last = choice_name(control), len(alternatives(model, control)) - 1
    if name not in model.parameters:
        model.parameter(name, 0.0, min=0.0, max=float(last))
    elif (model.parameters[name].max or 0.0) < last:
        given: Parameter = model.parameters[name]
        model.parameters[name] = replace(given, max=float(last))
