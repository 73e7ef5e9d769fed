"""The state from which a run starts, offline and live."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.native import Formulation, formulation_of
from touchback.numbers import Floats
from touchback.simulate.input_signals import Inputs
from touchback.simulate.run_protocols import HasState, Numbers, Settle, StateData
from touchback.system import State, System, elements_of


def initial_state(
    system: System,
    x0: StateData | ArrayLike | None,
    start: float,
    inputs: Inputs,
    parameters: Numbers | None,
) -> Floats:
    """A state as it is given, checked, and assembled anew where parameters of the run open its
    loops; without one the initial state, loops closed."""
    if isinstance(x0, State) and x0.assembly is not None and system.constrained:
        read_state(system, x0)  # refuses what isn't a state of this system
        x0 = _system_for_run(system, x0, parameters).reassembled(
            x0, start, inputs.at(start, x0.x)[1:]
        )
    x = read_state(
        system, _assembled_initial_state(system, start, inputs, parameters) if x0 is None else x0
    )
    for name, value in zip(system.state_names, x):
        if not np.isfinite(value):
            raise InputError(f"{system.name}: the initial value of {name!r} is {value}.")
    system.mode_of(x)  # refused when its modes have no such number
    return x


def read_state(system: System, given: HasState | StateData | ArrayLike) -> Floats:
    """The elements of a state, or of what has one, as many as the system has; a copy."""
    return elements_of(system.name, system.state_names, system.sizes, given)


def consistency(
    system: System, constraints: str | Formulation | None, inputs: Inputs, parameters: Numbers
) -> Settle | None:
    """What makes a state consistent from which a run goes on with the constraints that act now;
    None where the run does so itself."""
    if not system.constrained or formulation_of(constraints).settles:
        return None
    own = system.independent_copy(parameters)
    return lambda t, x: own.consistent(x, t, inputs.at(t, x)[1:])[0]


def _system_for_run(system: System, state: State, parameters: Numbers | None) -> System:
    """The system with the parameters of a run, in the modes of its first state."""
    own = system.independent_copy(parameters)
    if own.modes:
        own.enter(*own.dynamics.modes.every[own.mode_of(state)].names)
    return own


def _assembled_initial_state(
    system: System, t: float, inputs: Inputs, parameters: Numbers | None
) -> StateData:
    """The initial state, with constraints met under the parameters and inputs of the run, in the
    modes that the model begins in; the system stays as it was."""
    if not system.constrained:
        return system.dynamics.initial({**system.parameters, **(parameters or {})})
    first, own = system.initial_state(), system.independent_copy(parameters)
    own.enter(*own.initial_modes)
    return own.assemble(t=t, inputs=inputs.at(t, first.x)[1:])
