"""The state from which a run starts, offline and live."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.native import Formulation, formulation_of
from touchback.numbers import shown
from touchback.simulate.inputs import Inputs
from touchback.simulate.protocol import Floats, HasState, Numbers, Settle, StateData
from touchback.system import State, System
from touchback.system.reading import read_array


def initial_state(
    system: System,
    x0: StateData | ArrayLike | None,
    start: float,
    inputs: Inputs,
    parameters: Numbers | None,
) -> Floats:
    """A state as it is given, checked; without one the initial state, loops closed."""
    x = read_state(system, _begun(system, start, inputs, parameters) if x0 is None else x0)
    for name, value in zip(system.state_names, x):
        if not np.isfinite(value):
            raise InputError(f"{system.name}: the initial value of {name!r} is {value}.")
    system.mode_of(x)  # refused when its modes have no such number
    return x


def read_state(system: System, given: HasState | StateData | ArrayLike) -> Floats:
    """The elements of a state, or of what has one, as many as the system has; a copy."""
    names = list(system.state_names)
    state = getattr(given, "state", given)
    try:
        x = read_array("state", getattr(state, "x", state)).copy()
    except InputError:
        raise InputError(
            f"{system.name}: a state is an array of {len(names)} numbers, or what "
            f"`system.assemble(name=value)` gives, got {shown(given)}."
        ) from None
    if x.shape != (len(names),):
        raise InputError(
            f"{system.name}: the state has {len(names)} elements ({', '.join(names[:6])}"
            f"{', …' if len(names) > 6 else ''}), got an array of shape {x.shape}."
        )
    _refuse_foreign(system, state)
    return x


def _refuse_foreign(system: System, state: object) -> None:
    """A state that was made for other elements than the system has."""
    own, foreign = system.state_names, list(getattr(state, "names", ()))
    if not isinstance(state, State) or not foreign or foreign == own:
        return
    k, theirs = next((k, name) for k, name in enumerate(foreign) if name != own[k])
    raise InputError(
        f"{system.name}: the state is that of another system: element {k} is {theirs!r} there and "
        f"{own[k]!r} here; assemble one here (`system.assemble(name=value)`), or give its numbers "
        "as an array (`state.x`) if they are meant."
    )


def consistency(
    system: System, constraints: str | Formulation | None, inputs: Inputs, parameters: Numbers
) -> Settle | None:
    """What makes a state consistent from which a run goes on with the constraints that act now;
    None where the run does so itself."""
    if not system.constrained or formulation_of(constraints).settles:
        return None
    own = system.apart()
    for name, number in parameters.items():
        own[name] = number
    return lambda t, x: own.consistent(x, t, inputs.at(t, x)[1:])[0]


def _begun(system: System, t: float, inputs: Inputs, parameters: Numbers | None) -> StateData:
    """The initial state, with constraints met under the parameters and inputs of the run, in the
    modes that the model begins in; the system stays as it was."""
    first = system.initial_state()
    if not system.constrained:
        return first
    own = system.apart()
    for name, number in (parameters or {}).items():
        own[name] = number
    own.enter(*own.initial_modes)
    return own.assemble(t=t, inputs=inputs.at(t, first.x)[1:])
