"""What is asked of a run: the one form in which `simulate`, `live`, `rollout`, batches and analyses
hold it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from touchback.native import Cells, Formulation, Knots
from touchback.numbers import Floats, InputData, by_name
from touchback.simulate.adaptive_step_limits import Evaluated, find_cells, step_limits
from touchback.simulate.event_monitor import Event, Sides
from touchback.simulate.initial_states import initial_state
from touchback.simulate.input_sampling_check import InputTrace
from touchback.simulate.input_signals import Inputs, read_inputs
from touchback.simulate.run_protocols import Numbers, StateData, StepOptions
from touchback.simulate.time_span import Span
from touchback.system import System


@dataclass(frozen=True)
class RunSpec:
    """What is asked of a run, read and checked. How it is run is the matter of a solver.

    `system`: what moves. `span`: from when, and for how long [s]; of a live run one tick, which
    its clock repeats. `inputs`: values of u = [t, inputs…], each in the unit of its input.
    `constraints`: the formulation that enforces closures, couplings and drives (None:
    partitioning). `parameters`: values that replace compiled ones, each in its unit. `events`: zero
    crossings to look for. `energy_balance`: whether the energy balance is kept. `x0`: the state at
    the start, [q, v, z], in SI units; empty where each instance of a batch, or each call of a
    rollout, brings its own. `outputs`: names of the signals to record (None: all).

    Of a part of a run, `sides` are those of events where the part before ended, and `trace` sums up
    what steps see of inputs."""

    system: System
    span: Span
    inputs: Inputs
    constraints: str | Formulation | None = None
    parameters: dict[str, float] = field(default_factory=dict)
    events: Sequence[Event] = ()
    energy_balance: bool = False
    x0: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    outputs: Sequence[str] | None = None
    sides: Sides = field(default_factory=dict)
    trace: InputTrace | None = None

    @classmethod
    def read(
        cls,
        system: System,
        duration: float,
        *,
        start: float = 0.0,
        constraints: str | Formulation | None = None,
        inputs: InputData | None = None,
        parameters: Numbers | None = None,
        events: Sequence[Event] = (),
        energy_balance: bool = False,
        outputs: Sequence[str] | None = None,
    ) -> RunSpec:
        """What a user asks, with arguments as in `tb.simulate`; raises `InputError` where they make
        no sense. The state is added by `from_state`."""
        span, replaced = Span(start, duration), by_name("parameters", parameters)
        given = read_inputs(system, inputs, span.end)
        return cls(
            system, span, given, constraints, replaced, events, energy_balance, outputs=outputs
        )

    def from_state(self, x0: StateData | ArrayLike | None) -> RunSpec:
        """The same from a state, assembled anew where parameters open its loops; from the initial
        one where none is given."""
        x = initial_state(self.system, x0, self.span.start, self.inputs, self.parameters)
        return replace(self, x0=x)

    @property
    def width(self) -> int:
        """How many numbers there are in a recorded row, at least."""
        system = self.system
        return len([*system.state_names, *system.input_names, *system.output_names])

    def knots(self, solver: StepOptions, evaluated: Evaluated | None = None) -> Knots | None:
        """Where steps of a solver that adapts end: by what functions switch that it evaluates, of
        the system unless others are given. The trace is told of them, and of the longest step."""
        if not solver.adaptive:
            return None
        functions = self.system.on_blocks(self.parameters) if evaluated is None else evaluated
        found = step_limits(
            self.span, self.inputs, functions, solver.step, solver.output_step,
            bool(self.system.names),
        )  # fmt: skip
        if self.trace:
            self.trace.knots = len(found.knots.at) if found.knots else 0
            self.trace.longest = found.longest
        return found.knots

    def cells(self, solver: StepOptions, evaluated: Evaluated | None = None) -> Cells | None:
        """In which of positions a solver that adapts has to look, likewise."""
        if not solver.adaptive or self.system.names:
            return None
        functions = self.system.on_blocks(self.parameters) if evaluated is None else evaluated
        return find_cells(functions, self.system.sizes[0])
