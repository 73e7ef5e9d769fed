"""What instances are given, as arrays that kernels of any machine read."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np

from touchback.batch.batch_inputs import BatchInputs, Floats, room_for
from touchback.errors import InputError
from touchback.native.batch.native_batch import BatchSeries
from touchback.simulate.initial_state import initial_state
from touchback.simulate.inputs import read_inputs
from touchback.simulate.solvers.fixed_step_solvers import FixedStep
from touchback.simulate.span import Span
from touchback.system import System


def constants_of(system: System, given: BatchInputs) -> Floats:
    """[t, inputs…], a row of each or one for all."""
    names = system.input_names
    several = any(len(each) > 1 for each in given.constants.values())
    u = np.empty((given.count if several else 1, 1 + len(names)))
    u[:, 0], u[:, 1:] = 0.0, system.input_defaults
    for name, each in given.constants.items():
        u[:, 1 + list(names).index(name)] = each
    return u if several else u[0]


class HasBlocks(Protocol):
    """A function, or several on one parameter block."""

    def block_for(self, values: Floats) -> Floats: ...


def blocks_of(system: System, given: BatchInputs, own: HasBlocks | None = None) -> Floats:
    """Parameter blocks, a row of each or one for all, of functions of its `own`, else those that
    act."""
    several = {name: each for name, each in given.parameters.items() if len(each) > 1}
    single = {name: float(each[0]) for name, each in given.parameters.items() if len(each) == 1}
    values = system.parameter_values(single)
    varied = system.layout.varied(values, several) if several else values
    own = own or system.dynamics.acting(system.key).functions
    return np.ascontiguousarray(own.block_for(varied), dtype=float)


def whole_steps(solver: FixedStep, span: Span) -> int:
    """As many as a run of a batch makes."""
    steps = int(np.floor(span.duration / solver.step + 1e-9))
    if not steps:
        raise InputError(
            f"duration {span.duration:g} s holds no step of {solver.step:g} s; give a shorter step."
        )
    return steps


def series_of(system: System, given: BatchInputs, span: Span) -> BatchSeries:
    """Each with its own samples, spread evenly over the run."""
    names, each = list(system.input_names), list(given.samples.values())
    counts = [one.shape[1] for one in each]
    rows = given.count if any(len(one) > 1 for one in each) else 1
    grids = [np.linspace(span.start, span.end, count) for count in counts]
    values = [np.broadcast_to(one, (rows, count)) for one, count in zip(each, counts, strict=True)]
    laid = np.concatenate([np.empty((rows, 0)), *values], axis=1)
    return BatchSeries(
        [1 + names.index(name) for name in given.samples], counts,
        np.concatenate([np.empty(0), *grids]), laid if rows > 1 else laid[0],
    )  # fmt: skip


def with_states(system: System, given: BatchInputs, span: Span) -> BatchInputs:
    """With the states in which instances begin, closed loops and all: found once where all are
    alike, else of each."""
    if given.x0 is not None or not system.constrained:
        return given
    several = (*given.parameters.values(), *given.constants.values(), *given.samples.values())
    rows = []
    for i in range(given.count if any(len(each) > 1 for each in several) else 1):
        _, parameters, inputs = given.of(i, span)
        at = read_inputs(system, inputs, span.end)
        rows.append(initial_state(system, None, span.start, at, parameters))
    return replace(given, x0=np.array(rows))


def refuse_unknown_modes(system: System, x0: Floats) -> None:
    """Raise where the numbers of a row name no mode."""
    places = [system.state_names.index(name) for name in system.modes]
    _, one_of_each = np.unique(x0[:, places], axis=0, return_index=True)
    for i in one_of_each:
        system.mode_of(x0[i])


def states_in(system: System, given: BatchInputs) -> Floats:
    """A row of each, where it starts."""
    if given.x0 is None:
        raise AssertionError("instances begin somewhere")
    rows = room_for(system, given.count)
    rows[:] = given.x0
    return rows
