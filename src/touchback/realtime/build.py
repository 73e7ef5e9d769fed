"""From a compiled system to the loop that runs it live."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.native.live.live import LiveLoop
from touchback.native.live.loop_memory import RunMemory
from touchback.native.live.swap import Staged
from touchback.native.live.wanted import Guard, Measured, Pace
from touchback.realtime.plan import LivePlan
from touchback.realtime.ports import WatchedInput
from touchback.simulate.initial_state import initial_state
from touchback.simulate.inputs import Inputs
from touchback.simulate.smooth_stepper import newton_for
from touchback.system import State, System

Floats = np.ndarray
_RING_SECONDS = 2.0
_RING_BYTES = 1 << 22


def state_of(
    system: System, x0: State | ArrayLike | None, parameters: Mapping[str, float]
) -> Floats:
    """The state to start from, checked; without one the initial state, loops closed."""
    given = Inputs(np.append(0.0, system.input_defaults))
    return initial_state(system, x0, 0.0, given, parameters)


def block_of(system: System, plan: LivePlan, parameters: Mapping[str, float]) -> Floats:
    """The parameter block of a run: of its functions, of the Jacobian that an implicit method
    takes, and the parameters themselves; refused when one is unknown or out of range."""
    values = system.parameter_values(parameters)
    parts = [system.parameter_block(parameters, plan.stiffness)]
    if plan.solver.implicit:
        parts.append(system.rate_jacobian(parameters)[1])
    block = np.concatenate([*parts, values])
    if not np.isfinite(block).all():
        given = ", ".join(f"{name} = {value:g}" for name, value in parameters.items())
        raise InputError(
            f"{system.name}: with {given} the equations have coefficients that aren't finite."
        )
    return block


def block_between(system: System, plan: LivePlan, values: Floats) -> Floats:
    """The same of values, in order, that lie between known ones: nothing is looked up or checked
    by name, for there are many of them."""
    parts = [system.motion.block(system.key, values, plan.stiffness)]
    if plan.solver.implicit:
        slopes = system.motion.slopes(system.key)
        parts += [] if slopes is None else [slopes[0].block_for(values)]
    return np.concatenate([*parts, values])


def stages_of(system: System, plan: LivePlan) -> list[tuple[Staged, int]]:
    """What computes a run's parameter block from its parameters: stages and their places in it."""
    stages, start = [], 0
    for function in system.stages(plan.stiffness, plan.solver.implicit):
        stages.append((Staged(function.parameter_stage, function.block_size), start))
        start += function.block_size
    return stages


def settled_near(system: System, plan: LivePlan, t: float, x: Floats) -> Floats:
    """A state that the constraints allow near one that they may not; refused when there is none."""
    posed = system.problem(None if plan.stiffness else plan.constraints, plan.parameters)
    settled = posed.settled(t, x)
    if posed.statistics.get("not_converged") or not np.isfinite(settled).all():
        raise InputError(
            f"{system.name}: its constraints {', '.join(posed.row_names)} can't all be met from "
            "where the mechanism is; bring it nearer first."
        )
    return settled


def make_loop(
    system: System, x0: Floats, plan: LivePlan, pace: Pace, memory: RunMemory | None = None
) -> LiveLoop:
    """The loop, ready to start; with the `memory` of a run that it is another structure of."""
    block_of(system, plan, plan.parameters)  # refused when not finite
    solver = plan.solver
    posed = system.problem(plan.constraints, plan.parameters, method=solver.word, clocked=True)
    posed.sample(system.memory_places, plan.substeps)
    newton = None
    if solver.implicit:
        newton = newton_for(system, posed.problem, solver.rtol, solver.atol, plan.parameters)
    watches = [
        plan.inputs.get(name, WatchedInput()).watch(plan.rate) for name in system.input_names
    ]
    guards: list[Guard] = [
        output.guard(list(system.output_names).index(name), plan.rate)
        for name, output in plan.outputs.items()
    ]
    energies = [each.port(system.input_names, system.output_names) for each in plan.energy.values()]
    count = len(system.output_names)
    measured = Measured(posed.outputs, count) if count and posed.outputs else None
    width = 8 * (16 + len(watches) + len(x0) + count)
    rows = int(np.clip(_RING_SECONDS * plan.rate, 256, max(256, _RING_BYTES // width)))
    return LiveLoop(
        posed.problem, solver.word, x0, pace, watches, measured, posed.solving, guards, energies,
        rows, newton, system.parameter_values(plan.parameters), memory, plan.max_speed,
    )  # fmt: skip
