"""The one call that runs a compiled system offline.

A run's metadata hold the call that repeats it, as a line of Python after `import touchback as tb`.
It names `system`, and `run` where samples of inputs are in the run's metadata. What can't be
written, such as functions of Python's, it takes from a mapping `given`: the run's metadata say
under the same word what has to stand there.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial, reduce
from numbers import Integral, Real
from operator import or_
from typing import Unpack

import msgspec
from numpy.typing import ArrayLike

from touchback.model import BodyHandle, Data, Frame, Model
from touchback.native import Formulation, Listening
from touchback.numbers import InputData
from touchback.progress import Progress
from touchback.recording import Run
from touchback.simulate.constraint_switching import Switch, read_events, simulate_switched
from touchback.simulate.drive_jumps import (
    RateJump,
    find_rate_jumps,
    parting_refusal,
    warn_of_ground_jumps,
    warn_of_jumps,
)
from touchback.simulate.event_monitor import Event
from touchback.simulate.input_sampling_check import InputTrace, warn_of_inputs
from touchback.simulate.run_diagnostics import (
    add_rating_diagnostics,
    warn_when_astray,
    warn_when_open,
)
from touchback.simulate.run_failure import interrupted, raise_failure
from touchback.simulate.run_protocols import Numbers, StateData
from touchback.simulate.run_spec import RunSpec
from touchback.simulate.run_stepper import record_run
from touchback.simulate.solver_choice import formulation_for, solver_for
from touchback.simulate.solvers import METHODS, Capability, Options, Solver
from touchback.simulate.solvers.fixed_step_solvers import FixedStep
from touchback.simulate.unsupported_features import refuse
from touchback.system import Expr, System, to_text

Described = Event | Switch | Formulation


_FROM_THE_FACE = {"touchback.simulate": "tb", "touchback.native": "tb"}


def settings(spec: RunSpec, solver: Solver, events: Sequence[Event | Switch]) -> dict[str, object]:
    """What was asked of a run, as plain data, and the call that repeats it."""
    options, start = solver.options(), spec.x0.tolist()
    contacts = options.pop("contacts", None)
    plain = {
        "duration": spec.span.duration,
        "method": solver.word,
        **options,
        "start": spec.span.start or None,
    }
    writer = _Writer(spec.system.replica.model)
    written = {name: writer.text(name, given) for name, given in plain.items() if given is not None}
    if type(METHODS.get(solver.word)) is not type(solver):  # no name stands for it
        written = {name: text for name, text in written.items() if name not in options}
        written["method"] = writer.text("method", solver)
    written |= writer.argument("constraints", spec.constraints)
    if spec.inputs.texts:
        written["inputs"] = _inputs(writer, spec.inputs.texts)
    parameters = spec.system.changed_parameters(spec.parameters)
    written |= writer.argument("parameters", parameters)
    written |= writer.argument("events", tuple(events))
    written |= writer.argument("contacts", contacts)
    written |= writer.argument("energy_balance", spec.energy_balance)
    call = ", ".join(f"{name}={text}" for name, text in written.items())
    return {
        "model": spec.system.name,
        **plain,
        "inputs": spec.inputs.texts,
        "parameters": parameters,
        "initial_state": start,
        "repro_call": f"tb.simulate(system, {start!r}, {call})",
        **({"given": writer.given} if writer.given else {}),
    }


def _inputs(writer: _Writer, told: Mapping[str, object]) -> str:
    """The argument that gives these inputs again; samples stay in the metadata of the run."""
    texts = {}
    for name, each in told.items():
        match each:
            case list():
                texts[name] = f"run.metadata['inputs'][{name!r}]"
            case str():
                texts[name] = writer.taken(f"input {name}", each)
            case _:
                texts[name] = repr(each)
    return "{" + ", ".join(f"{name!r}: {text}" for name, text in texts.items()) + "}"


class _Writer:
    """Writes Python source; `given` tells of what it can't write, by the word under which the
    source takes it."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.given: dict[str, str] = {}

    def argument(self, name: str, given: object) -> dict[str, str]:
        """The text of an argument, where there is anything to give."""
        return {name: self.text(name, given)} if given else {}

    def taken(self, word: str, told: str) -> str:
        """What has to be given again."""
        self.given[word] = told
        return f"given[{word!r}]"

    def text(self, word: str, given: object) -> str:
        """What was given; `word` stands for it where it can't be written."""
        match given:
            case None | bool() | str():
                return repr(given)
            case Integral():
                return repr(int(given))
            case Real():
                return repr(float(given))
            case Expr():
                return self._expression(word, given)
            case BodyHandle():
                return self.text(word, Frame(given.name))
            case Mapping():
                items = [f"{key!r}: {self.text(f'{word} {key}', x)}" for key, x in given.items()]
                return "{" + ", ".join(items) + "}"
            case tuple() | list():
                items = [self.text(f"{word} {i}", x) for i, x in enumerate(given)]
                return f"({', '.join(items)}{',' * (len(items) == 1)})"
            case Event():
                return self._made(f"event {given.name}", given)
            case Data() | Switch() | Formulation():
                return self._made(word, given)
        kind = "a function" if callable(given) else f"an object of type {type(given).__name__}"
        return self.taken(word, kind)

    def _made(self, word: str, given: Data | Described) -> str:
        """The call of a class that rooms of ours export; what is as usual is left away."""
        kind, room = type(given), ".".join(type(given).__module__.split(".")[:2])
        if getattr(sys.modules.get(room), kind.__name__, None) is not kind:
            return self.taken(word, f"an object of type {kind.__name__}")
        found = []
        for name, usual in _default_fields(given).items():
            value = getattr(given, name)
            if value is not usual and (text := self.text(f"{word} {name}", value)) != repr(usual):
                found.append(f"{name}={text}")
        home = _FROM_THE_FACE.get(room, room.replace("touchback", "tb", 1))
        return f"{home}.{kind.__name__}({', '.join(found)})"

    def _expression(self, word: str, given: Expr) -> str:
        """By its text, unless that is too long for one line or looks things up in tables that have
        no name."""
        names = {id(table): name for name, table in self._model.tables.items()}
        try:
            shared, (text,) = to_text(given.tape, [given.id], table=lambda x: names[id(x)])
        except KeyError:
            shared, text = {"": ""}, ""
        if shared:
            return self.taken(word, "an expression of the model")
        return f"system.model.expression({text!r})"


def _default_fields(given: Data | Described) -> dict[str, object]:
    """Fields with what they are when they aren't given."""
    each_of = msgspec.structs.fields(given) if isinstance(given, Data) else fields(given)
    return {each.name: each.default for each in each_of}


def simulate(
    system: System,
    x0: StateData | ArrayLike | None = None,
    duration: float = 1.0,
    *,
    method: str | Solver | None = None,
    constraints: str | Formulation | None = None,
    inputs: InputData | None = None,
    parameters: Numbers | None = None,
    events: Sequence[Event | Switch] = (),
    start: float = 0.0,
    energy_balance: bool = False,
    progress: bool | Callable[[float], None] = True,
    **options: Unpack[Options],
) -> Run:
    """The run of a system from a state at time `start`, for `duration` seconds; without a state
    from the initial one, with loops closed.

    `method` is a solver, such as `tb.Dopri5(rtol=1e-9)`, or its name with `options` of it beside:
    `method="dopri5", rtol=1e-9, step=0.01, output_step=0.1`. Without one the model chooses:
    "event-driven" with rigid contacts, "rk4" with memories, else "dopri5".

    `constraints` says how closures, couplings and drives are enforced: "partitioning" (default),
    "multipliers", "baumgarte", "penalty", "projection", "linear-implicit" or "augmented-lagrangian"
    (the last two are fixed-step methods too), or with settings: `tb.Baumgarte`, `tb.Penalty`,
    `tb.AugmentedLagrangian`.

    `inputs` maps names to numbers, to samples (a sequence spread evenly over the duration, or a
    pair of times and values; linear in between), or to functions of time; `parameters` maps names
    to values that replace the compiled ones. `events` are looked for along the run and kept in
    `run.events`; a `tb.Switch` among them turns constraints on and off. `energy_balance` keeps
    `run.energy_balance`: work in = stored + dissipated + impacts, line by line (with rigid contacts
    always). `progress` shows a bar on runs of more than a second; a function gets the fraction done
    instead.

    What can't be trusted of a run is said in `run.metadata["diagnostics"]`. A NaN or a step that
    fails raises `RunFailed`, Ctrl-C `RunInterrupted` (a KeyboardInterrupt): their `run` holds
    everything up to there.
    """
    events = read_events(events)
    watched = [each for each in events if isinstance(each, Event)]
    switched = len(watched) < len(events)
    if switched:
        refuse("tb.simulate with switches", system)
    wanted = _required_abilities(constraints is not None, bool(watched), switched, energy_balance)
    constraints = formulation_for(method, constraints)
    solver = solver_for(system, method, constraints, wanted, options)
    spec = RunSpec.read(
        system, duration, start=start, constraints=constraints, inputs=inputs,
        parameters=parameters, events=watched, energy_balance=energy_balance,
    )  # fmt: skip
    solver.refuse_excess(spec.span.duration, spec.width)
    spec = spec.from_state(x0)
    warn_of_ground_jumps(spec)
    jumps = _parting_jumps(spec, solver)
    if switched or jumps:
        about = settings(spec, solver, events)
        part = partial(_run, solver=solver, progress=progress)
        later = partial(_parting_jumps, solver=solver)
        fixed = solver if isinstance(solver, FixedStep) else None
        grid = {fixed.step, fixed.output_step or fixed.step} if fixed else set()
        return simulate_switched(part, spec, events, inputs, about, jumps, later, grid)
    return _run(spec, solver, progress)


def _parting_jumps(spec: RunSpec, solver: Solver) -> list[RateJump]:
    """Where a run is parted by jumps of prescribed rates; warns where it can't be."""
    jumps = find_rate_jumps(spec, solver)
    if jumps and (why := parting_refusal(spec.system, solver, len(jumps))):
        warn_of_jumps(spec.system.name, jumps, why, above=2)
        return []
    return jumps


def _required_abilities(
    formulation: bool, events: bool, switches: bool, energy_balance: bool
) -> Capability:
    """What a solver has to do for a run."""
    flags = (
        Capability.FORMULATIONS,
        Capability.EVENTS,
        Capability.SWITCHES,
        Capability.ENERGY_BALANCE,
    )
    wanted = zip(flags, (formulation, events, switches, energy_balance), strict=True)
    return reduce(or_, (flag for flag, given in wanted if given), Capability(0))


def _run(spec: RunSpec, solver: Solver, progress: bool | Callable[[float], None]) -> Run:
    """The run from a state, recorded and judged: the same for every way to run."""
    trace = InputTrace(spec.inputs)
    spec = replace(spec, trace=trace)
    name, x, stepper = spec.system.name, spec.x0, solver.stepper(spec)
    warn_when_open(name, stepper.gap(x))
    began = time.perf_counter()
    with Listening() as listening, Progress(f"{name}: {solver.word}", progress) as shown:
        trajectory = stepper.run(x, shown)
    trajectory.statistics["seconds"] = time.perf_counter() - began
    stepper.problem.ask_again()
    with Listening() as again:
        run = record_run(stepper, trajectory, settings(spec, solver, spec.events))
    run.model = None if spec.system.names else spec.system.model  # copies have none of their own
    raise_failure(name, solver.word, spec.span, run, stepper.problem, trajectory.failure)
    if listening.asked or again.asked:
        raise interrupted(name, run)
    warn_when_astray(name, run.metadata)
    warn_of_inputs(name, trace.tell(run, spec.system, spec.span, solver))
    add_rating_diagnostics(spec.system, run)
    return run
