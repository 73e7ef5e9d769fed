"""What is asked of a live run, and what can't be."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import cast

import numpy as np

from touchback.errors import InputError
from touchback.names import unknown_name
from touchback.native import Formulation, Guard, Measured, Pace, formulation_of
from touchback.native.live.live_loop import LiveLoop, RunMemory
from touchback.native.live.structure_swap import StagedFunction
from touchback.numbers import LEAST, number_within, shown, whole_within
from touchback.realtime.port_guards import STOP_PORT, EnergyObserver, GuardedOutput, WatchedInput
from touchback.simulate import (
    Capability,
    FixedStep,
    RateJump,
    RunSpec,
    Solver,
    Span,
    TooManyKnots,
    find_rate_jumps,
    formulation_for,
    newton_for,
    solver_for,
    warn_of_ground_jumps,
)
from touchback.system import System

_LOOKED_AHEAD = 600.0  # s of the model's time in which instants are found where drives switch
_LOOKED_NEARBY = 6.0  # s, where they are too many
_MOST_AHEAD = 500_000  # jumps of rates that are kept


_SLOWEST = 1e-6  # of real time: a tick of 1 s then takes eleven days


_FASTEST = 1e6  # of real time: faster than any clock


_MOST_CPUS = 65_535


_LONGEST_SPIN = 200e-6  # seconds: a longer one starves others, and the kernel throttles it


MOST_SUBSTEPS = 100_000  # of 1 µs each they take 0.1 s


_OF_THE_CLOCK = ("step", "rate", "output_step")  # options of solvers that a live run decides


@dataclass
class LiveSpec:
    """What is asked of a live run: a `run`, one tick of which is repeated by a clock.

    `solver`: steps of a tick. `rate`: ticks a second of the model's time. `speed`: that of the
    model's time, 1.0 is real time (None: as fast as possible). `inputs`: how inputs are watched.
    `outputs`: how sensors are guarded. `energy`: pairs of both that must stay passive. `max_speed`
    [m/s, rad/s]: velocities beyond it are a fault. `max_slip` [s]: left-out periods beyond it are
    one."""

    run: RunSpec
    solver: FixedStep
    rate: float
    speed: float | None
    inputs: dict[str, WatchedInput] = field(default_factory=dict)
    outputs: dict[str, GuardedOutput] = field(default_factory=dict)
    energy: dict[str, EnergyObserver] = field(default_factory=dict)
    max_speed: float = math.inf
    max_slip: float = math.inf

    def __post_init__(self) -> None:
        bound = "max_speed is a positive number of m/s or rad/s, or infinite for no bound"
        self.rate = read_rate(self.rate)
        self.max_speed = number_within(bound, self.max_speed, LEAST)
        slip = "max_slip is a positive number of seconds, or infinite for no bound"
        self.max_slip = number_within(slip, self.max_slip, LEAST)

    @classmethod
    def read(
        cls,
        system: System,
        solver: FixedStep,
        rate: float,
        speed: float | None,
        constraints: str | Formulation | None,
        parameters: Mapping[str, float] | None,
    ) -> LiveSpec:
        """What a user asks of a system; ports and bounds are added by `replace`."""
        rate = read_rate(rate)
        run = RunSpec.read(system, 1.0 / rate, constraints=constraints, parameters=parameters)
        return cls(run, solver, rate, speed)

    @property
    def system(self) -> System:
        """What runs."""
        return self.run.system

    @property
    def constraints(self) -> str | Formulation | None:
        """The formulation that enforces constraints."""
        return self.run.constraints

    @property
    def parameters(self) -> dict[str, float]:
        """Values that replace compiled ones."""
        return self.run.parameters

    def with_parameters(self, values: Mapping[str, float]) -> LiveSpec:
        """The same with other values of parameters."""
        return replace(self, run=replace(self.run, parameters=dict(values)))

    @property
    def substeps(self) -> int:
        """Steps in a tick."""
        return 1 if self.solver.substeps is None else read_substeps(self.solver.substeps)

    @property
    def stiffness(self) -> bool:
        """Whether the formulation is a step of its own, which needs more of the equations."""
        return formulation_of(self.constraints).step

    def check(self) -> None:
        """Refuses what can't run."""
        if self.speed is not None:
            self.speed = read_speed(self.speed, ", or None for as fast as possible")
        read_substeps(self.substeps)
        self._check_ports()

    def _check_ports(self) -> None:
        system = self.system
        for name in self.inputs:
            if name not in system.input_names:
                raise unknown_name("input", name, system.input_names)
        for name in self.outputs:
            if name not in system.output_names:
                raise unknown_name("output", name, system.output_names)
        self._check_kinds()
        for name, observer in self.energy.items():
            if name in (*system.output_names, *system.state_names, *system.input_names):
                raise InputError(f"Energy '{name}': a signal has that name; choose another.")
            observer.check(name, system.input_names, system.output_names, self.outputs)
        if STOP_PORT in system.input_names:
            raise InputError(
                f"Input '{STOP_PORT}': that name is the live run's own; choose another."
            )

    def _check_kinds(self) -> None:
        for name, watched in self.inputs.items():
            if not isinstance(watched, WatchedInput):
                raise InputError(
                    f"Input '{name}': `inputs` of a live run says how it is watched, "
                    f"tb.devices.WatchedInput(…), got {shown(watched)}; its value is given while "
                    f"the run goes on, by live[{name!r}] = 1.0 or a device."
                )
        for name, guarded in self.outputs.items():
            if not isinstance(guarded, GuardedOutput):
                raise InputError(
                    f"Output '{name}': `outputs` says how it is guarded, "
                    f"tb.devices.GuardedOutput(…), got {shown(guarded)}."
                )
        for name, observer in self.energy.items():
            if not isinstance(observer, EnergyObserver):
                raise InputError(
                    f"Energy '{name}': tb.haptics.EnergyObserver(…) is expected, got "
                    f"{shown(observer)}."
                )

    def for_structure(
        self,
        system: System,
        known: Mapping[str, float],
        rate: float | None,
        method: str | Solver | None,
        constraints: str | Formulation | None,
        substeps: int,
    ) -> LiveSpec:
        """The same for another structure: with the parameters that it knows, and what is asked to
        change."""
        asked = formulation_for(method, constraints) or self.constraints
        enforced = asked if system.constrained else None
        if method is None and not (formulation_of(enforced).step or self.stiffness):
            method = replace(self.solver, substeps=None)
        solver = live_solver(system, method, enforced)
        if solver.substeps is not None:
            raise InputError(
                f"{solver}: the run goes on with {substeps} substeps; leave them away, and change "
                "them by `live.set_substeps`."
            )
        shared = {name: value for name, value in known.items() if name in system.parameters}
        new = LiveSpec.read(
            system, replace(solver, substeps=substeps), self.rate if rate is None else rate,
            self.speed, enforced, {**system.parameters, **shared},
        )  # fmt: skip
        new = replace(self, run=new.run, solver=new.solver, rate=new.rate)
        new.check()
        return new


def read_rate(rate: float) -> float:
    """Ticks a second; refuses what no live run has."""
    return number_within("rate: a live run has 1 to 10 000 ticks a second", rate, 1.0, 10_000.0)


def live_solver(
    system: System,
    method: str | Solver | None,
    constraints: str | Formulation | None,
    substeps: int | None = None,
) -> FixedStep:
    """The solver of a live run; refused where it can't run against a clock."""
    solver = cast(
        FixedStep,  # that is what can
        solver_for(system, method, constraints, Capability.LIVE, {"substeps": substeps}),
    )
    usual = {each.name: each.default for each in fields(solver)}
    for name in _OF_THE_CLOCK:
        if solver.options()[name] is not usual[name]:  # given, be it the usual number
            raise InputError(
                f"A live run has `rate` ticks a second and `substeps` steps in each; leave {name} "
                f"of {solver} away."
            )
    return solver


def pace_of_run(spec: LiveSpec, spin: float, priority: int, cpu: int | None) -> Pace:
    """The pace of a run, and its thread; refused where a clock's can't have it."""
    spin = number_within(f"spin is 0 to {_LONGEST_SPIN:g} s", spin, 0.0, _LONGEST_SPIN)
    priority, place = own_thread(priority, cpu)
    spin = min(spin, 0.25 / spec.rate)
    return Pace(
        spec.rate, spec.speed, spec.substeps, spin, priority=priority, cpu=place,
        max_slip=spec.max_slip,
    )  # fmt: skip


def own_thread(priority: int, cpu: int | None = None) -> tuple[int, int]:
    """Priority (0: none is asked for) and processor (−1: any) of a thread of C."""
    priority = whole_within("priority is 0 to 99", priority, 0, 99)
    sentence = "cpu is the number of a processor, or None for any"
    return priority, -1 if cpu is None else whole_within(sentence, cpu, 0, _MOST_CPUS)


def read_speed(speed: float, otherwise: str = "") -> float:
    """A speed; refuses what no clock can have."""
    sentence = f"speed is 1.0 for real time, {_SLOWEST:g} to {_FASTEST:g} of it{otherwise}"
    return number_within(sentence, speed, _SLOWEST, _FASTEST)


def read_substeps(substeps: int) -> int:
    """Steps in a tick; refuses what none can hold."""
    return whole_within(f"A tick has 1 to {MOST_SUBSTEPS} substeps", substeps, 1, MOST_SUBSTEPS)


Floats = np.ndarray


_RING_SECONDS = 2.0


_RING_BYTES = 1 << 22


def block_of(spec: LiveSpec, parameters: Mapping[str, float]) -> Floats:
    """The parameter block of a run: of its functions, of the Jacobian that an implicit method
    takes, and the parameters themselves; refused when one is unknown or out of range."""
    system = spec.system
    values = system.parameter_values(parameters)
    parts = [system.parameter_block(parameters, spec.stiffness)]
    if spec.solver.implicit:
        parts.append(system.rate_jacobian(parameters)[1])
    block = np.concatenate([*parts, values])
    if not np.isfinite(block).all():
        given = ", ".join(f"{name} = {value:g}" for name, value in parameters.items())
        raise InputError(
            f"{system.name}: with {given} the equations have coefficients that aren't finite."
        )
    return block


def block_between(spec: LiveSpec, values: Floats) -> Floats:
    """The same of values, in order, that lie between known ones: nothing is looked up or checked
    by name, for there are many of them."""
    system = spec.system
    parts = [system.dynamics.block(system.key, values, spec.stiffness)]
    if spec.solver.implicit:
        jacobian = system.dynamics.rate_jacobian(system.key)
        parts += [] if jacobian is None else [jacobian[0].block_for(values)]
    return np.concatenate([*parts, values])


def stages_of(spec: LiveSpec) -> list[tuple[StagedFunction, int]]:
    """What computes a run's parameter block from its parameters: stages and their places in it."""
    stages, start = [], 0
    for function in spec.system.stages(spec.stiffness, spec.solver.implicit):
        stages.append((StagedFunction(function.parameter_stage, function.block_size), start))
        start += function.block_size
    return stages


def settled_near(spec: LiveSpec, t: float, x: Floats) -> Floats:
    """A state that the constraints allow near one that they may not; refused when there is none."""
    system = spec.system
    posed = system.problem(None if spec.stiffness else spec.constraints, spec.parameters)
    settled = posed.settled(t, x)
    if posed.statistics.get("not_converged") or not np.isfinite(settled).all():
        raise InputError(
            f"{system.name}: its constraints {', '.join(posed.row_names)} can't all be met from "
            "where the mechanism is; bring it nearer first."
        )
    return settled


def _rate_jumps_ahead(run: RunSpec, solver: Solver) -> list[RateJump]:
    """Where prescribed rates jump in the first ten minutes; where that is very often, in the first
    seconds, with a warning."""

    def found(duration: float) -> list[RateJump] | None:
        try:
            return find_rate_jumps(replace(run, span=Span(0.0, duration)), solver)
        except TooManyKnots:
            return None

    with suppress(TooManyKnots):
        warn_of_ground_jumps(replace(run, span=Span(0.0, _LOOKED_AHEAD)), above=4)
    near = found(_LOOKED_NEARBY)
    often = near is None or len(near) * _LOOKED_AHEAD / _LOOKED_NEARBY > _MOST_AHEAD
    far = None if often else found(_LOOKED_AHEAD)
    if far is not None:
        return far
    if near is None or near:
        until = _LOOKED_NEARBY if near else 0.0
        warnings.warn(
            f"{run.system.name}: rates that drives prescribe jump so often that their impulses act "
            f"up to t = {until:g} s only; give a motion whose rate is continuous.",
            RuntimeWarning, stacklevel=5,
        )  # fmt: skip
    return near or []


def make_loop(spec: LiveSpec, x0: Floats, pace: Pace, memory: RunMemory | None = None) -> LiveLoop:
    """The loop, ready to start; with the `memory` of a run that it is another structure of."""
    block_of(spec, spec.parameters)  # refused when not finite
    system, solver = spec.system, spec.solver
    posed = system.problem(spec.constraints, spec.parameters, method=solver.word, clocked=True)
    posed.sample(system.memory_places, spec.substeps)
    newton = None
    if solver.implicit:
        newton = newton_for(system, posed.problem, solver.rtol, solver.atol, spec.parameters)
    watches = [
        spec.inputs.get(name, WatchedInput()).watch(spec.rate) for name in system.input_names
    ]
    guards: list[Guard] = [
        output.guard(list(system.output_names).index(name), spec.rate)
        for name, output in spec.outputs.items()
    ]
    energies = [each.port(system.input_names, system.output_names) for each in spec.energy.values()]
    count = len(system.output_names)
    measured = Measured(posed.outputs, count) if count and posed.outputs else None
    jumps = [
        (each.time, each.before) for each in _rate_jumps_ahead(replace(spec.run, x0=x0), solver)
    ]
    width = 8 * (16 + len(watches) + len(x0) + count)
    rows = int(np.clip(_RING_SECONDS * spec.rate, 256, max(256, _RING_BYTES // width)))
    return LiveLoop(
        posed.problem, solver.word, x0, pace, watches, measured, posed.solving, guards, energies,
        rows, newton, system.parameter_values(spec.parameters), memory, spec.max_speed,
        jumps,
    )  # fmt: skip
