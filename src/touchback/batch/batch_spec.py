"""What is asked of a batch: a run, and what differs from instance to instance, as arrays that
kernels of any machine read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from touchback.batch.batch_inputs import BatchInputs, Floats, room_for
from touchback.errors import InputError
from touchback.native import Formulation, formulation_of
from touchback.native.batch.native_batch import BatchSeries
from touchback.simulate import (
    Capability,
    FixedStep,
    RateJump,
    RunSpec,
    Solver,
    Span,
    find_rate_jumps,
    prescribed_motions,
    steps_between,
)
from touchback.system import System


class HasBlocks(Protocol):
    """A function, or several on one parameter block."""

    def block_for(self, values: Floats) -> Floats: ...


def recordable_signals(system: System) -> list[str]:
    """What a batch can record: states, then sensors."""
    return [*system.state_names, *system.layout.outputs]


def sensor_number(place: int, states: int) -> int | None:
    """Which sensor a place among the `recordable_signals` is, behind so many states; None: a
    state."""
    return place - states if place >= states else None


def has_sensors(places: Sequence[int], states: int) -> bool:
    """Whether sensors are among such places."""
    return any(sensor_number(place, states) is not None for place in places)


@dataclass(frozen=True)
class BatchSpec:
    """What is asked of a batch, read and checked.

    `run`: what all instances have in common: system, span [s], formulation, signals to record.
    `solver`: how each is run. `instances`: state, parameters and inputs of each, in SI units.
    `threads`: how many of the processor at most. `on`: "cpu" or "gpu". `real`: the type of numbers
    on a graphics card, "double" or "float". `x0_on_device`: states that lie on the card, a row of
    each, where some do."""

    run: RunSpec
    solver: Solver
    instances: BatchInputs
    threads: int
    on: str = "cpu"
    real: str = "double"
    x0_on_device: Any = None

    @property
    def system(self) -> System:
        """What each instance is one of."""
        return self.run.system

    @property
    def span(self) -> Span:
        """The time of the run."""
        return self.run.span

    @property
    def count(self) -> int:
        """How many instances there are."""
        return self.instances.count

    @cached_property
    def formulation(self) -> Formulation:
        """How constraints are enforced."""
        return formulation_of(self.run.constraints)

    @cached_property
    def signals(self) -> list[str]:
        """Those that can be recorded."""
        return recordable_signals(self.system)

    @property
    def names(self) -> Sequence[str]:
        """The signals that are recorded."""
        return self.signals if self.run.outputs is None else self.run.outputs

    @cached_property
    def places(self) -> list[int]:
        """Those of the recorded signals in [states, sensors]."""
        known = self.signals
        return [known.index(name) for name in self.names]

    @cached_property
    def measures(self) -> bool:
        """Whether sensors are recorded."""
        return has_sensors(self.places, len(self.system.state_names))

    @property
    def fixed_step(self) -> FixedStep:
        """The solver, for back ends that take equal steps alone."""
        if not isinstance(self.solver, FixedStep):
            raise AssertionError("a back end for equal steps is asked for others")
        return self.solver

    @property
    def whole_steps(self) -> int:
        """As many as a run of a batch makes; refused where the duration holds none."""
        span, step = self.span, self.fixed_step.step
        steps = int(np.floor(span.duration / step + 1e-9))
        if not steps:
            raise InputError(
                f"duration {span.duration:g} s holds no step of {step:g} s; give a shorter step."
            )
        return steps

    @property
    def duration(self) -> float:
        """That of each run [s]: without what isn't a whole step where C makes such."""
        if Capability.BATCHES not in self.solver.can:
            return self.span.duration
        return self.whole_steps * self.fixed_step.step

    @property
    def steps_between_ticks(self) -> int:
        """How many steps there are from tick to tick of discrete states."""
        return steps_between(self.system, self.fixed_step) or 1

    def constants(self) -> Floats:
        """[t, inputs…], a row of each or one for all."""
        names, given = self.system.input_names, self.instances
        several = any(len(each) > 1 for each in given.constants.values())
        u = np.empty((given.count if several else 1, 1 + len(names)))
        u[:, 0], u[:, 1:] = 0.0, self.system.input_defaults
        for name, each in given.constants.items():
            u[:, 1 + list(names).index(name)] = each
        return u if several else u[0]

    def blocks(self, own: HasBlocks | None = None) -> Floats:
        """Parameter blocks, a row of each or one for all, of functions of its `own`, else those
        that act."""
        system, given = self.system, self.instances.parameters
        several = {name: each for name, each in given.items() if len(each) > 1}
        single = {name: float(each[0]) for name, each in given.items() if len(each) == 1}
        values = system.parameter_values(single)
        varied = system.layout.varied(values, several) if several else values
        own = own or system.dynamics.active_equations(system.key).functions
        return np.ascontiguousarray(own.block_for(varied), dtype=float)

    def series(self) -> BatchSeries:
        """Inputs with samples, spread evenly over the run."""
        given, span = self.instances.samples, self.span
        names, each = list(self.system.input_names), list(given.values())
        counts = [one.shape[1] for one in each]
        rows = self.count if any(len(one) > 1 for one in each) else 1
        grids = [np.linspace(span.start, span.end, count) for count in counts]
        values = [
            np.broadcast_to(one, (rows, count)) for one, count in zip(each, counts, strict=True)
        ]
        laid = np.concatenate([np.empty((rows, 0)), *values], axis=1)
        return BatchSeries(
            [1 + names.index(name) for name in given], counts,
            np.concatenate([np.empty(0), *grids]), laid if rows > 1 else laid[0],
        )  # fmt: skip

    def assembled(self) -> BatchSpec:
        """With the states in which instances begin, closed loops and all: found once where all are
        alike, else of each."""
        given, system, span = self.instances, self.system, self.span
        if given.x0 is not None or not system.constrained:
            return self
        several = (*given.parameters.values(), *given.constants.values(), *given.samples.values())
        rows = []
        for i in range(given.count if any(len(each) > 1 for each in several) else 1):
            _, parameters, inputs = given.of(i, span)
            one = RunSpec.read(
                system, span.duration, start=span.start, inputs=inputs, parameters=parameters
            )
            rows.append(one.from_state(None).x0)
        return replace(self, instances=replace(given, x0=np.array(rows)))

    @cached_property
    def rate_jumps(self) -> list[list[RateJump]]:
        """Of each instance where prescribed rates jump on its way, at the model's initial state;
        empty where none of any does. Raises `InputError` where positions jump."""
        system, given, span = self.system, self.instances, self.span
        moving = frozenset(
            {0, *(1 + list(system.input_names).index(name) for name in given.samples)}
        )
        known = frozenset(range(1 + len(system.input_names)))
        motions = prescribed_motions(system, {})
        functions = [each for one in motions for each in (one.positions, one.rates)]
        if not any(each.switches(moving, known) for each in functions):
            return []
        read = sorted({i for each in functions for i in each.parameters_in_time(moving)})
        rows = [np.atleast_2d(self.blocks())[:, read], np.atleast_2d(self.constants())]
        rows += [np.atleast_2d(each) for each in given.samples.values()]
        several = [each for each in rows if len(each) > 1]
        alike = np.zeros(self.count, dtype=int)
        if several:
            alike = np.unique(np.hstack(several), axis=0, return_inverse=True)[1].reshape(-1)
        start, found = system.initial_state().x, {}
        for i in np.unique(alike, return_index=True)[1].tolist():
            _, parameters, inputs = given.of(i, span)
            one = RunSpec.read(
                system, span.duration, start=span.start, inputs=inputs, parameters=parameters
            )
            found[int(alike[i])] = find_rate_jumps(replace(one, x0=start), self.solver)
        return [found[int(i)] for i in alike] if any(found.values()) else []

    def states(self) -> Floats:
        """A row of each, where it starts."""
        if self.instances.x0 is None:
            raise AssertionError("instances begin somewhere")
        rows = room_for(self.system, self.count)
        rows[:] = self.instances.x0
        return rows


def refuse_unknown_modes(system: System, x0: Floats) -> None:
    """Raise where the numbers of a row name no mode."""
    places = [system.state_names.index(name) for name in system.modes]
    _, one_of_each = np.unique(x0[:, places], axis=0, return_index=True)
    for i in one_of_each:
        system.mode_of(x0[i])
