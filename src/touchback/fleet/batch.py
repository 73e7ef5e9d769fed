"""Many instances of one system, run at once: states, inputs and parameters of each."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Unpack

from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.fleet.batch_run import BatchRun
from touchback.fleet.given import read_given
from touchback.fleet.lanes import run_in_lanes
from touchback.fleet.one_by_one import run_one_by_one
from touchback.native import Formulation
from touchback.numbers import whole_within
from touchback.recording import unknown_name
from touchback.simulate.choice import formulation_for, solver_for
from touchback.simulate.features import COPIES
from touchback.simulate.progress import Progress
from touchback.simulate.solvers import Can, Options, Solver
from touchback.simulate.solvers.euler import Euler
from touchback.simulate.solvers.rk4 import RK4
from touchback.simulate.span import Span
from touchback.system import System
from touchback.system.state import State

_MOST = 1 << 40


class Batch:
    """So many instances of a system. `run` lets them move at once; the functions of the system
    itself (`forward_dynamics`, …) take arrays of states and parameters too."""

    def __init__(self, system: System, count: int) -> None:
        if COPIES.names(system):
            raise InputError(f"{system.name}: a batch is of one mechanism; {COPIES.mend}.")
        sentence = "A batch has a whole number of instances, at least one"
        self.system, self.count = system, whole_within(sentence, count, 1, _MOST)

    def __repr__(self) -> str:
        return f"<{self.count} × {self.system.name}>"

    def run(
        self,
        x0: State | Mapping[str, ArrayLike] | ArrayLike | None = None,
        duration: float = 1.0,
        *,
        method: str | Solver | None = "rk4",
        constraints: str | Formulation | None = None,
        inputs: Mapping[str, ArrayLike] | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
        record: Sequence[str] | None = None,
        start: float = 0.0,
        threads: int | None = None,
        progress: bool | Callable[[float], None] = True,
        **options: Unpack[Options],
    ) -> BatchRun:
        """Every instance from its state at time `start`, for `duration` seconds.

        `x0` is one state for all, an array with a row of each, or a mapping of names of states to
        numbers or to an array with one of each; what isn't given is that of the model. `inputs`
        maps names to a number, to an array with one for each instance, or to samples spread evenly
        over the duration and linear in between: (1, samples) for all or (instances, samples).
        `parameters` maps names to numbers or to an array with one for each. `record` names the
        states and sensors that are kept (all), each `output_step` seconds (each step).

        Trees by "rk4" and "euler" (semi-implicit) run side by side in the lanes of vector
        registers, on `threads` (one for each core), as many whole steps as the duration holds; each
        gives the bits of a run of its own.
        Others, with constraints, modes or contacts, are runs of `tb.simulate` on threads. An
        instance that becomes no number stops there, and the others don't know (`failed`)."""
        system = self.system
        formulation = formulation_for(method, constraints)
        asked = Can(0) if formulation is None else Can.FORMULATIONS
        solver = solver_for(system, method, formulation, asked, options)
        span = Span(start, duration)
        names = self._recorded(record)
        given = read_given(system, self.count, x0, inputs, parameters)
        crew = _threads(threads)
        with Progress(f"{self.count} × {system.name}", progress) as shown:
            if isinstance(solver, RK4 | Euler) and not (system.constrained or system.modes):
                solver.refuse_excess(span.duration, self.count * len(names))
                return run_in_lanes(system, solver, span, given, names, crew, shown)
            return run_one_by_one(system, solver, constraints, span, given, names, crew, shown)

    def _recorded(self, record: Sequence[str] | None) -> list[str]:
        known = [*self.system.state_names, *self.system.layout.outputs]
        if isinstance(record, str):
            raise InputError(f"record: names are expected, as [{record!r}], got {record!r}.")
        for name in record or ():
            if name not in known:
                raise unknown_name("signal", name, known)
        return known if record is None else list(record)


def _threads(given: int | None) -> int:
    if given is None:
        return len(os.sched_getaffinity(0))
    return whole_within("threads must be a whole number above 0", given, 1, 1 << 16)
