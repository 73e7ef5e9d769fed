"""The one call that runs a compiled system offline."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.native import Listening, Problem
from touchback.recording import Run, unknown_name
from touchback.simulate.books import keeper_for
from touchback.simulate.constrained import (
    Assembling,
    Formulation,
    enforce,
    free_problem,
    method_for,
)
from touchback.simulate.episodes import EpisodeRun, EpisodicSystem, is_episodic
from touchback.simulate.event import Event
from touchback.simulate.failure import RunFailed, interrupted
from touchback.simulate.features import refuse
from touchback.simulate.fixed_step import DEFAULT_STEP
from touchback.simulate.implicit import add_counts, newton_for
from touchback.simulate.inputs import Inputs, read_inputs
from touchback.simulate.methods import FIXED_STEP, IMPLICIT, METHODS
from touchback.simulate.plan import Failure, Plan
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import CompiledSystem, Floats, StateData
from touchback.simulate.ratings import add_rating_remarks
from touchback.simulate.record import make_run
from touchback.simulate.remarks import remarks, warn_when_astray, warn_when_open
from touchback.simulate.switching import Switch, simulate_switched
from touchback.simulate.ticks import default_method, use_ticks
from touchback.simulate.watch import ADAPTIVE_SAMPLES, FIXED_SAMPLES, Watch


def simulate(
    system: CompiledSystem,
    x0: StateData | ArrayLike | None = None,
    duration: float = 1.0,
    *,
    method: str | None = None,
    constraints: Formulation | None = None,
    step: float | None = None,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    output_step: float | None = None,
    inputs: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    events: Sequence[Event] = (),
    switches: Sequence[Switch] = (),
    start: float = 0.0,
    step_limit: int = 10_000_000,
    rate: float | None = None,
    books: bool = False,
    progress: bool | Callable[[float], None] = True,
) -> Run:
    """The run of a system from a state at time `start`, for `duration` seconds; without a state
    from the initial one, with loops closed.

    `method`: "dopri5" (adaptive, default) or, for stiff problems, "radau5"; "rk4", "euler"
    (semi-implicit), "implicit-euler" and "trapezoidal" with fixed steps; or SciPy's "RK23", "RK45",
    "DOP853", "Radau", "BDF", "LSODA". `step` is the fixed step (1 ms), or the longest that an
    adaptive method may take. `output_step` is the time between recorded instants: every step of a
    fixed-step method, else a thousandth of the duration.

    `inputs` maps names to numbers, to samples (a sequence spread evenly over the duration, or a
    pair of times and values; linear in between), or to functions of time. `parameters` maps names
    to values that replace the compiled ones.

    `constraints` says how closures, couplings and drives are enforced: "partitioning" (default),
    "multipliers", "baumgarte", "projection", or the implicit "linear-implicit" and
    "augmented-lagrangian", which are fixed-step methods of their own; `tb.Baumgarte(alpha, beta)`
    is "baumgarte" with another feedback, `tb.AugmentedLagrangian(penalty)` has another penalty. The
    multiplier of each constraint row is recorded under the row's name. What can't be trusted of
    such a run is said in `run.metadata["remarks"]`, and a warning where it left the constraints by
    more than 1e-6 m. There also stand joints of an imported robot with more effort or velocity than
    they are rated for.

    `events` are looked for along the run and kept in `run.events`; they may end the run or restart
    it from another state.

    `switches` turn constraints on and off while the run goes on.

    `rate` is the number of ticks a second at which memories of the model change; it needs a method
    with fixed steps ("rk4" by default), and a step that divides the time between ticks.

    `books` keeps energy books, `run.books`: work in = stored + dissipated + impacts, line by line,
    to the integrator's order. The motion stays the same to the bit.

    `progress` shows a bar on runs of more than a second; a function gets the fraction done instead.

    A NaN or a step that fails raises `RunFailed`, Ctrl-C `RunInterrupted` (a KeyboardInterrupt):
    their `run` holds everything up to there.
    """
    refuse("tb.simulate with switches" if switches else "tb.simulate", system)
    method = method_for(default_method(system, method, constraints), constraints)
    if method not in METHODS:
        raise unknown_name("method", method, METHODS)
    plan = Plan(method, duration, step, rtol, atol, output_step, step_limit, start)
    width = len([*system.state_names, *system.input_names, *system.output_names])
    plan.refuse_excess(width, DEFAULT_STEP if method in FIXED_STEP else None)
    given = read_inputs(system.input_names, system.input_defaults, inputs, plan.end)
    state = initial_state(system, x0, start, given, parameters)
    if switches:
        options = {
            "method": method, "constraints": constraints, "step": step, "rtol": rtol, "atol": atol,
            "output_step": output_step, "inputs": inputs, "parameters": parameters,
            "step_limit": step_limit, "books": books, "progress": progress,
        }  # fmt: skip
        return simulate_switched(
            simulate, system, state, duration, start, switches, events, options
        )
    changed = dict(parameters) if parameters else None
    if is_episodic(system):
        if not isinstance(constraints, str | None):
            raise InputError(
                "A run with modes takes its formulation as a word, such as 'baumgarte', got "
                f"{constraints}."
            )
        episodes = EpisodeRun(
            system, plan, given, constraints, changed, events, progress, rate, books
        )
        warn_when_open(system.name, episodes.gap(state))
        run = _run_episodes(episodes, state, parameters)
        warn_when_astray(system.name, run.metadata["remarks"], run.metadata["statistics"])
        add_rating_remarks(system, run)
        return run
    enforced = enforce(system, constraints, given, changed)
    if enforced:
        warn_when_open(system.name, enforced.gap(plan.start, state))
    problem = enforced.problem if enforced else free_problem(system, given, changed)
    use_ticks(system, problem, plan, rate, enforced)
    newton = newton_for(system, problem, plan, changed) if method in IMPLICIT else None
    watch = _watch(system, problem, plan, events, changed)
    keeper = keeper_for(system, constraints, given, changed, method) if books else None
    if keeper:
        keeper.open(problem, plan.start, state)
    began = time.perf_counter()
    with Listening() as listening, Progress(f"{system.name}: {method}", progress) as shown:
        trajectory = METHODS[method](problem, list(system.state_names), state, plan, shown, watch)
    trajectory.statistics["seconds"] = time.perf_counter() - began
    about = _metadata(system, plan, given, parameters, state, events, constraints, rate)
    if watch:
        about["events"] = [record.as_data() for record in watch.records]
    if keeper:
        about["books"] = keeper.close(trajectory, watch.records if watch else ()).as_data()
    if newton:
        add_counts(trajectory, newton)
    if enforced:
        kept = enforced.constrained
        formulation, counts = kept.formulation, kept.statistics
        said = remarks(formulation, counts, kept.functions.rubbing, kept.shared)
        about |= {"constraints": formulation, "remarks": said}
        trajectory.statistics.update(counts)
    with Listening() as again:
        run = make_run(system, problem, trajectory, about, enforced)
    _raise_failure(system.name, plan, run, problem, trajectory.failure)
    if listening.asked or again.asked:
        raise interrupted(system.name, run)
    if enforced:
        warn_when_astray(system.name, about["remarks"], counts)
    add_rating_remarks(system, run)
    return run


def _raise_failure(
    name: str, plan: Plan, run: Run, problem: Problem, failure: Failure | None
) -> None:
    """Raises what ended a run before its time, if anything did."""
    raised = problem.raised
    if raised is not None:
        if isinstance(raised, KeyboardInterrupt):  # inside an input function
            raise interrupted(name, run) from raised
        if not isinstance(raised, Exception):
            raise raised
        raise RunFailed(
            f"{name}: an input function raised {type(raised).__name__} ({raised}) after "
            f"t = {run.time[-1]:.6g} s; mend the function. "
            "The run up to there is kept in `.run`.",
            run,
        ) from raised
    if failure is not None:
        raise RunFailed(
            f"{name}: {plan.method} stopped at t = {failure.time:.6g} s of {plan.duration:g} s: "
            f"{failure.what}; {failure.mend}. The run up to there is kept in `.run`.",
            run,
        ) from failure.cause


def _run_episodes(episodes: EpisodeRun, state: Floats, parameters: Mapping[str, Any] | None) -> Run:
    """The run of a system with modes."""
    system, plan = episodes.system, episodes.plan
    began = time.perf_counter()
    with Listening() as listening:
        episodes.run(state)
    told = episodes.told
    told.statistics["seconds"] = time.perf_counter() - began
    about = _metadata(
        system, plan, episodes.given, parameters, state, episodes.events, rate=episodes.rate
    )
    run = episodes.as_run(about)
    _raise_failure(system.name, plan, run, episodes.problem, told.failure)
    if listening.asked:
        raise interrupted(system.name, run)
    return run


def _watch(
    system: CompiledSystem,
    problem: Problem,
    plan: Plan,
    events: Sequence[Event],
    parameters: dict[str, Any] | None,
) -> Watch | None:
    if not events:
        return None
    samples = FIXED_SAMPLES if plan.method in FIXED_STEP else ADAPTIVE_SAMPLES
    return Watch(system, problem, events, parameters, (plan.rtol, plan.atol), samples)


def initial_state(
    system: CompiledSystem,
    x0: StateData | ArrayLike | None,
    start: float,
    inputs: Inputs,
    parameters: Mapping[str, Any] | None,
) -> Floats:
    """A state as it is given, checked; without one the initial state, loops closed."""
    begun: Any = _begun(system, start, inputs, parameters) if x0 is None else x0
    names = list(system.state_names)
    try:
        x = np.array(getattr(begun, "x", begun), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{system.name}: a state is an array of {len(names)} numbers, or what "
            f"`system.assemble(name=value)` gives, got {begun!r}."
        ) from None
    if x.shape != (len(names),):
        raise InputError(
            f"{system.name}: the state has {len(names)} elements ({', '.join(names[:6])}"
            f"{', …' if len(names) > 6 else ''}), got an array of shape {x.shape}."
        )
    for name, value in zip(names, x):
        if not np.isfinite(value):
            raise InputError(f"{system.name}: the initial value of {name!r} is {value}.")
    if isinstance(system, EpisodicSystem):
        system.phase_of(x)  # refused when its modes have no such number
    return x


def _begun(
    system: CompiledSystem, t: float, inputs: Inputs, parameters: Mapping[str, Any] | None
) -> StateData:
    """The initial state, with constraints met under the parameters and inputs of the run, in the
    modes that the model begins in; the system stays as it was."""
    first = system.initial_state()
    if not isinstance(system, Assembling):
        return first
    own = system.apart()
    for name, number in (parameters or {}).items():
        own[name] = number
    modes = {"mode": own.initial_modes} if isinstance(own, EpisodicSystem) else {}
    return own.assemble(t=t, inputs=inputs.at(t, first.x)[1:], **modes)


def _metadata(
    system: CompiledSystem,
    plan: Plan,
    given: Inputs,
    parameters: Mapping[str, Any] | None,
    start: Floats,
    events: Sequence[Event],
    constraints: Formulation | None = None,
    rate: float | None = None,
) -> dict[str, Any]:
    settings = {
        "duration": plan.duration,
        "method": plan.method,
        "step": plan.step,
        "rtol": plan.rtol,
        "atol": plan.atol,
        "output_step": plan.output_step,
        "step_limit": plan.step_limit,
        "start": plan.start or None,
        "rate": rate,
    }
    arguments = {name: repr(value) for name, value in settings.items() if value is not None}
    if constraints is not None:
        arguments["constraints"] = repr(constraints)
    if given.texts:
        arguments["inputs"] = given.text
    if parameters:
        arguments["parameters"] = repr(dict(parameters))
    if events:
        arguments["events"] = repr([event.text for event in events])
    call = ", ".join(f"{name}={text}" for name, text in arguments.items())
    return {
        "model": system.name,
        **settings,
        "inputs": given.texts,
        "parameters": dict(parameters or {}),
        "initial_state": start.tolist(),
        "repeat": f"touchback.simulate(system, {start.tolist()!r}, {call})",
    }
