"""From a compiled system to the loop that runs it live."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.native import FunctionData, Newton, Problem, RateSlopes
from touchback.native.integrate.sampler import Sampler
from touchback.native.live.live import LiveLoop
from touchback.native.live.loop_memory import RunMemory
from touchback.native.live.swap import Staged
from touchback.native.live.wanted import Guard, Measured, Pace
from touchback.realtime.energy import EnergyObserver
from touchback.realtime.ports import STOP_PORT, GuardedOutput, WatchedInput
from touchback.recording import unknown_name
from touchback.simulate.constrained import DEFAULT, IMPLICIT, Enforced, own_step, problem_for
from touchback.simulate.episodes.course import enforce_episodes
from touchback.simulate.features import refuse_model, refuse_run
from touchback.simulate.inputs import Inputs
from touchback.simulate.solvers import INTEGRATORS, Can
from touchback.simulate.start import initial_state
from touchback.system import System
from touchback.system.function import Function
from touchback.system.function_set import FunctionSet
from touchback.system.state import State

FIXED_STEP = [name for name, each in INTEGRATORS.items() if Can.LIVE in each.can]
Floats = np.ndarray
_SLOWEST = 1e-6  # of real time: a tick of 1 s then takes eleven days
_RING_SECONDS = 2.0
_RING_BYTES = 1 << 22
_LONGEST_SPIN = 200e-6  # seconds: a longer one starves others, and the kernel throttles it
MOST_SUBSTEPS = 100_000  # of 1 µs each they take 0.1 s


@dataclass
class Plan:
    """What was asked of a live run."""

    rate: float
    speed: float | None
    method: str
    constraints: str | None
    substeps: int
    inputs: dict[str, WatchedInput]
    outputs: dict[str, GuardedOutput]
    parameters: dict[str, float]
    energy: dict[str, EnergyObserver] = field(default_factory=dict)
    max_speed: float = np.inf


def check_thread(spin: float, priority: int) -> None:
    """Refuse what a clock's thread can't have."""
    if not 0.0 <= spin <= _LONGEST_SPIN:
        raise InputError(f"spin is 0 to {_LONGEST_SPIN:g} s, got {spin!r}.")
    if not 0 <= priority <= 99:
        raise InputError(f"priority is 0 to 99, got {priority!r}.")


def check_substeps(substeps: int) -> None:
    """Refuses what no tick can hold."""
    if not 1 <= substeps <= MOST_SUBSTEPS:
        raise InputError(f"A tick has 1 to {MOST_SUBSTEPS} substeps, got {substeps}.")


def check_plan(system: System, plan: Plan) -> None:
    """Refuses what can't run."""
    if plan.method not in FIXED_STEP:
        raise unknown_name("fixed-step method", plan.method, FIXED_STEP)
    refuse_model("a live run", system)
    refuse_run(INTEGRATORS[plan.method], system, Can.LIVE)
    if not (np.isfinite(plan.rate) and 1.0 <= plan.rate <= 10_000.0):
        raise InputError(f"A live run has 1 to 10 000 ticks a second, got rate={plan.rate!r}.")
    if plan.speed is not None and not (np.isfinite(plan.speed) and plan.speed >= _SLOWEST):
        raise InputError(
            f"speed is 1.0 for real time, a fraction of it from {_SLOWEST:g} on, or None for as "
            f"fast as possible; got {plan.speed!r}."
        )
    check_substeps(plan.substeps)
    if not plan.max_speed > 0.0:
        raise InputError(
            f"max_speed is a positive number of m/s or rad/s, or infinite for no bound; got "
            f"{plan.max_speed!r}."
        )
    for name in plan.inputs:
        if name not in system.input_names:
            raise unknown_name("input", name, system.input_names)
    for name in plan.outputs:
        if name not in system.output_names:
            raise unknown_name("output", name, system.output_names)
    for name, observer in plan.energy.items():
        if name in (*system.output_names, *system.state_names, *system.input_names):
            raise InputError(f"Energy '{name}': a signal has that name; choose another.")
        observer.check(name, system.input_names, system.output_names, plan.outputs)
    if STOP_PORT in system.input_names:
        raise InputError(f"Input '{STOP_PORT}': that name is the live run's own; choose another.")


def method_of(method: str | None, constraints: str | None) -> str:
    """RK4 unless said otherwise; an implicit formulation is its own method."""
    if not isinstance(constraints, str | None):
        raise InputError(
            f"A live run records its formulation as a word, such as 'baumgarte', got {constraints}."
        )
    return own_step(method, constraints) or "rk4"


def state_of(
    system: System, x0: State | ArrayLike | None, parameters: Mapping[str, float]
) -> Floats:
    """The state to start from, checked; without one the initial state, loops closed."""
    given = Inputs(np.append(0.0, system.input_defaults))
    return initial_state(system, x0, 0.0, given, parameters)


def jacobian_of(
    system: System, method: str, parameters: Mapping[str, Any]
) -> tuple[FunctionData | RateSlopes | None, Floats]:
    """The Jacobian that an implicit method takes and its parameters; none: by differences."""
    derived = system.rate_jacobian(parameters) if INTEGRATORS[method].implicit else None
    return derived or (None, np.empty(0))


def block_of(
    system: System, method: str, constraints: str | None, parameters: Mapping[str, Any]
) -> Floats:
    """The parameter block of a run, refused when a parameter is unknown or out of range."""
    block = system.parameter_block(parameters, constraints in IMPLICIT)
    raw = list({**system.parameters, **parameters}.values())
    block = np.concatenate([block, jacobian_of(system, method, parameters)[1], raw])
    if not np.isfinite(block).all():
        given = ", ".join(f"{name} = {value:g}" for name, value in parameters.items())
        raise InputError(
            f"{system.name}: with {given} the equations have coefficients that aren't finite."
        )
    return block


def stages_of(system: System, method: str, constraints: str | None) -> list[tuple[Staged, int]]:
    """What computes a run's parameter block from its parameters: stages and their places in it."""
    acting = system.motion.acting(system.key, constraints in IMPLICIT)
    functions: list[Function | FunctionSet] = [acting.functions]
    if INTEGRATORS[method].implicit and not system.constrained:
        functions.append(system.function("rate jacobian"))
    stages, start = [], 0
    for function in functions:
        stages.append((Staged(function.parameter_stage, function.block_size), start))
        start += function.block_size
    return stages


def problem_of(
    system: System, method: str, constraints: str | None, parameters: Mapping[str, float]
) -> tuple[Problem, Enforced | None]:
    """The problem with constant inputs, and what enforces its constraints."""
    given = Inputs(np.append(0.0, system.input_defaults))
    if system.modes:
        enforced = enforce_episodes(system, method, constraints, given, dict(parameters))
        return enforced.problem, enforced
    return problem_for(system, constraints, given, dict(parameters))


def settled_near(system: System, plan: Plan, t: float, x: Floats) -> Floats:
    """A state that the constraints allow near one that they may not; refused when there is none."""
    formulation = DEFAULT if plan.constraints in IMPLICIT else plan.constraints
    problem, enforced = problem_of(system, plan.method, formulation, plan.parameters)
    if enforced is None:
        return x
    settled = problem.settle(t, x, accepted=True)
    if enforced.constrained.statistics["not_converged"] or not np.isfinite(settled).all():
        raise InputError(
            f"{system.name}: its constraints {', '.join(enforced.constrained.functions.names)} "
            "can't all be met from where the mechanism is; bring it nearer first."
        )
    return settled


def make_loop(
    system: System, x0: Floats, plan: Plan, pace: Pace, memory: RunMemory | None = None
) -> LiveLoop:
    """The loop, ready to start; with the `memory` of a run that it is another structure of."""
    block_of(system, plan.method, plan.constraints, plan.parameters)  # refused when not finite
    problem, enforced = problem_of(system, plan.method, plan.constraints, plan.parameters)
    functions: Any = enforced.functions(system) if enforced else system
    if system.memory_places:
        Sampler(
            problem, functions.updates, system.memory_places, plan.substeps,
            enforced.constrained if enforced else None,
        )  # fmt: skip
    newton = None
    if INTEGRATORS[plan.method].implicit:
        newton = Newton(problem, *jacobian_of(system, plan.method, plan.parameters))
    limits = [
        plan.inputs.get(name, WatchedInput()).quiet_limit(plan.rate) for name in system.input_names
    ]
    guards: list[Guard] = [
        output.guard(list(system.output_names).index(name), plan.rate)
        for name, output in plan.outputs.items()
    ]
    energies = [each.port(system.input_names, system.output_names) for each in plan.energy.values()]
    count = len(system.output_names)
    measured = Measured(functions.outputs, count) if count else None
    width = 8 * (16 + len(limits) + len(x0) + count)
    rows = int(np.clip(_RING_SECONDS * plan.rate, 256, max(256, _RING_BYTES // width)))
    constrained = enforced.constrained if enforced else None
    return LiveLoop(
        problem, plan.method, x0, pace, limits, measured, constrained, guards, energies, rows,
        newton, list({**system.parameters, **plan.parameters}.values()), memory, plan.max_speed,
    )  # fmt: skip
