"""Another structure for a live run: derived beside it, taken over at a tick (live/swap.h)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from touchback.errors import InputError
from touchback.model import (
    Closure,
    Model,
    flatten,
    switched_constraints,
)
from touchback.names import unknown_name
from touchback.native import Formulation, Pace
from touchback.native.live.live_loop import LiveLoop
from touchback.native.live.structure_swap import (
    NO_MODE,
    NOT_FINITE,
    OPEN,
    PARAMETERS,
    STATE,
    CarriedState,
    ModeRenumbering,
    StagedFunction,
    Swap,
)
from touchback.numbers import shown
from touchback.realtime.live_spec import LiveSpec, make_loop, settled_near, stages_of
from touchback.realtime.shared_memory import OwnPorts
from touchback.realtime.structure_mapping import (
    STATE as IN_STATE,
    KnownJoint,
    Source,
    Structure,
    follow,
)
from touchback.recording import CarriedData
from touchback.simulate import Solver
from touchback.system import System, compile_model, float_instant, size_of
from touchback.system.velocity_projection import body_velocities, projected_momentum

Changes = tuple[float | None, str | Solver | None, str | Formulation | None]


"""Another rate, method and formulation; None: as it was."""


_REFUSED = {
    NOT_FINITE: "the new structure's velocities aren't finite there",
    OPEN: "the new constraints can't be met from there",
    NO_MODE: "the run was in mode '{mode}' by then, which the new structure doesn't have",
}


@dataclass
class SwapReport:
    """A change of structure: how long it took to prepare [s]; once a tick has taken it, which one
    was the first of the new structure, how long the change itself took [s], how late that tick
    and the next one were [s], the energy before and after [J], how far new constraints moved a
    position, and where frozen freedoms stand. `state` is "waiting", "taken", or says why not."""

    model: str
    prepared: float
    state: str = "waiting"
    tick: int | None = None
    duration: float | None = None
    lateness: list[float] = field(default_factory=list)
    energy_before: float | None = None
    energy_after: float | None = None
    moved: float = 0.0
    frozen: dict[str, float] = field(default_factory=dict)

    @property
    def energy_lost(self) -> float | None:
        """What the change took out of the mechanism [J]; None before it happened."""
        if self.energy_before is None or self.energy_after is None:
            return None
        return self.energy_before - self.energy_after

    def as_dict(self) -> dict[str, object]:
        """Plain data."""
        return {**vars(self), "energy_lost": self.energy_lost}


@dataclass
class RunSnapshot:
    """Where a run is about: time, state, parameters and inputs by name."""

    time: float
    state: dict[str, float]
    parameters: dict[str, float]

    def __call__(self, source: Source) -> float:
        known = self.state if source.kind == IN_STATE else self.parameters
        return known[source.name]


@dataclass
class Pending:
    """A structure on offer, and everything that follows once it is taken."""

    report: SwapReport
    system: System
    spec: LiveSpec
    pace: Pace
    loop: LiveLoop
    swap: Swap
    joints: dict[str, KnownJoint]
    guess: np.ndarray
    carried: CarriedData
    frozen: Sequence[str]

    def refusal(self) -> str:
        """Why the tick went on with the old structure."""
        why = _REFUSED[self.swap.state]
        return f"refused: {why.format(mode=self.swap.lost_mode) if '{' in why else why}"


def structure_of(
    known: dict[str, KnownJoint], given: Model | System, now: RunSnapshot, begin: Mapping[str, str]
) -> tuple[Structure, System]:
    """The structure that follows, and the system compiled for it; `begin` as in `Live.swap`."""
    if not isinstance(given, Model | System):
        raise InputError(f"A model or a compiled system is expected, got {shown(given)}.")
    model = given if isinstance(given, Model) else given.model
    flat = flatten(model.described or model)  # all modes, not the present one
    structure = follow(known, flat, now)
    for name, source in begin.items():
        if name not in flat.states:
            raise unknown_name("state", name, flat.states)
        if source not in now.state:
            raise unknown_name("state of the run", source, now.state)
        structure.states[name] = Source(IN_STATE, source)
    if isinstance(given, System) and not structure.frozen:
        system = given
    else:
        system = compile_model(structure.model)
    return structure, system


def guess_for(
    system: System,
    structure: Structure,
    spec: LiveSpec,
    now: RunSnapshot,
    modes: Mapping[str, float],
) -> np.ndarray:
    """The state that the new structure will start from about; refused when it can't be met."""
    start = system.initial_state()
    layout = system.layout
    q = [
        now(structure.positions[name])
        if name in structure.positions
        else structure.neutral.get(name, value)
        for name, value in zip(layout.q, start.q)
    ]
    names = dict(zip(layout.v, system.state_names[len(layout.q) :]))
    v = [now.state.get(names[name], value) for name, value in zip(layout.v, start.v)]
    known = {**now.state, **modes}
    z = [
        now(structure.states[name]) if name in structure.states else known.get(name, value)
        for name, value in zip(layout.z, start.z)
    ]
    x = np.array([*q, *v, *z], dtype=float)
    return settled_near(spec, now.time, x)


def carried_over(
    old: System, new: System, structure: Structure, specs: tuple[LiveSpec, LiveSpec]
) -> CarriedData:
    """What the new structure takes over, as plain data: places by places."""
    states, parameters = list(old.state_names), list(old.parameters)

    def place(source: Source) -> tuple[int, int]:
        if source.kind == IN_STATE:
            return STATE, states.index(source.name)
        return PARAMETERS, parameters.index(source.name)

    nq, nv = len(new.layout.q), len(new.layout.v)
    old_v = dict(zip(old.layout.v, old.state_names[len(old.layout.q) :]))
    to_state = [
        (*place(structure.positions[name]), i)
        for i, name in enumerate(new.layout.q)
        if name in structure.positions
    ]
    to_state += [
        (STATE, states.index(old_v[structure.velocities[name]]), nq + i)
        for i, name in enumerate(new.layout.v)
        if name in structure.velocities
    ]
    to_state += [
        (*place(structure.states.get(name, Source(IN_STATE, name))), nq + nv + i)
        for i, name in enumerate(new.layout.z)
        if name in old.layout.z or name in structure.states
    ]
    to_parameters = [
        (*place(structure.frozen[name]), i)
        if name in structure.frozen
        else (PARAMETERS, parameters.index(name), i)
        for i, name in enumerate(new.parameters)
        if name in structure.frozen or name in parameters
    ]
    return {
        "to_state": to_state,
        "to_parameters": to_parameters,
        "inputs": [*_places(new.input_names, old.input_names), len(old.input_names)],
        "outputs": _places(new.output_names, old.output_names),
        "guards": _places(specs[1].outputs, specs[0].outputs),
        "energies": _places(specs[1].energy, specs[0].energy),
        "bodies": [name for name in new.model.bodies if name in old.model.bodies],
    }


def _places(new: Iterable[str], old: Iterable[str]) -> list[int]:
    known = list(old)
    return [known.index(name) if name in known else -1 for name in new]


def make_swap(
    old: tuple[System, LiveLoop],
    new: tuple[System, LiveLoop, LiveSpec],
    carried: CarriedData,
    directory: tuple[int, int],
    at: float | None,
) -> Swap:
    """The change of structure as the loop takes it."""
    bodies = tuple(carried["bodies"])
    both_have = set(old[0].model.bodies) & set(new[0].model.bodies)
    if len(set(bodies)) != len(bodies) or not set(bodies) <= both_have:
        raise InputError(
            f"What is carried over, bodies: {list(bodies)}, where '{old[0].name}' and "
            f"'{new[0].name}' share {sorted(both_have)}; each once at most."
        )
    velocities, transfer = body_velocities(old[0], bodies), projected_momentum(new[0], bodies)
    moving = len(new[0].layout.v) > 0 and len(bodies) > 0
    both = [
        StagedFunction(each.parameter_stage, each.block_size, each.compiled if moving else None)
        for each in (velocities, transfer)
    ]
    places = CarriedState(
        carried["to_state"], carried["to_parameters"], carried["inputs"], carried["outputs"],
        carried["guards"], carried["energies"], renumbered(old[0], new[0]),
    )  # fmt: skip
    return Swap(
        old[1], new[1], places,
        stages_of(new[2]), both[0], both[1], len(bodies),
        directory, -np.inf if at is None else at,
    )  # fmt: skip


def rehearse(system: System, guess: np.ndarray, spec: LiveSpec, pace: Pace) -> None:
    """A tick of a twin, so that code and memory are warm; refused when it goes wrong at once."""
    twin = make_loop(spec, guess, replace(pace, speed=None))
    twin.prepare()
    twin.repeat(np.array(system.input_defaults, dtype=float), pace.substeps, 0)
    if int(twin.struct.flags):
        raise InputError(
            f"{system.name}: as the run's new structure its first step fails; try it offline with "
            "`touchback.simulate` first."
        )


def prepare(
    run: tuple[System, LiveSpec, Pace, LiveLoop],
    known: dict[str, KnownJoint],
    given: Model | System,
    now: RunSnapshot,
    changes: Changes,
    region: OwnPorts,
    at: float | None,
    begin: Mapping[str, str],
) -> Pending:
    """Derives, compiles, builds and rehearses the new structure; nothing of the run is touched."""
    began = time.perf_counter()
    system, spec, pace, loop = run
    structure, new = structure_of(known, given, now, begin)
    frozen = {name: now(source) for name, source in structure.frozen.items()}
    substeps = int(loop.commands.substeps)
    # a name that was one frozen coordinate's may be another's now, so `now` stays as it is
    new_spec = spec.for_structure(new, {**now.parameters, **frozen}, *changes, substeps)
    modes = check_modes(system, new, now.state)
    guess = guess_for(new, structure, new_spec, now, modes)
    new_pace = replace(
        pace, rate=new_spec.rate, substeps=new_spec.substeps,
        spin=min(pace.spin, 0.25 / new_spec.rate),
    )  # fmt: skip
    rehearse(new, guess, new_spec, new_pace)
    for each in (
        system,
        new,
    ):  # derived here, so that the energy balance needs no time at the change
        each.function("energy")
    new_loop = make_loop(new_spec, guess, new_pace, loop.memory)
    carried = carried_over(system, new, structure, (spec, new_spec))
    published = (*new.output_names, *new.state_names, *new_spec.energy)
    word, boxes = region.place_ports(list(zip(new.input_names, new.input_units)), published)
    *inputs, last = boxes.values()
    new_loop.use_mailboxes(inputs, last, region.mirror)
    swap = make_swap(
        (system, loop), (new, new_loop, new_spec), carried, (region.word_address, word), at
    )
    report = SwapReport(new.name, time.perf_counter() - began)
    return Pending(
        report, new, new_spec, new_pace, new_loop, swap, structure.joints, guess, carried,
        list(frozen),
    )  # fmt: skip


_OPEN = 1e-2  # of the mechanism's size: points this far apart don't meet


_USUAL = 0.5  # m: the size of what has no lengths


def refuse_open_loops(
    system: System, model: Model, q: np.ndarray, t: float, z: np.ndarray,
    parameters: dict[str, float],
) -> None:  # fmt: skip
    """Refuses loops of a model that would act anew while their ends are apart, where its bodies are
    in a system now; those that modes switch act as the present one says."""
    old, switched = system.model.closures, switched_constraints(model)
    fresh = {
        name: loop
        for name, loop in model.closures.items()
        if loop.active and name not in switched and not (name in old and old[name].active)
    }
    if not fresh:
        return
    varied = None if parameters == system.parameters else parameters
    instant = float_instant(system.model, q, parameters)
    limit = _OPEN * (size_of(instant) or _USUAL)

    def gap(loop: Closure) -> float:
        """How far [m] its equations of lengths are from being met."""
        (R_Wa, p_Wa), (_, p_Wb) = (
            system.pose(frame, q, t=t, z=z, parameters=varied) for frame in (loop.a, loop.b)
        )
        offset = p_Wb - p_Wa
        found = [
            equation.length_error(offset, R_Wa.T @ offset, lambda x: float(instant.value(x)))
            for equation in loop.kind.equations()
        ]
        errors = [0.0, *(error for error in found if error is not None)]
        return float(np.linalg.norm(errors))

    for name, loop in fresh.items():
        apart = gap(loop)
        if apart > limit:
            raise InputError(
                f"Loop '{name}': its two points are {apart:.3g} m from where they meet, and "
                f"{limit:.2g} m are bridged at a tick; bring them together first, or close it as "
                "it is now."
            )


def renumbered(old: System, new: System) -> list[ModeRenumbering]:
    """The groups of modes that both have, with the numbers that the old modes have in the new. A
    group that is new begins in its first mode; one that is gone ruled what is gone with it."""
    names = list(new.state_names)
    return [
        ModeRenumbering(
            names.index(state),
            modes,
            tuple(
                new.modes[state].index(mode) if mode in new.modes[state] else -1 for mode in modes
            ),
        )
        for state, modes in old.modes.items()
        if state in new.modes
    ]


def check_modes(old: System, new: System, state: Mapping[str, float]) -> dict[str, float]:
    """The numbers of the new structure's modes for those that a state of the old one is in; refused
    where it has none of that name."""
    found = {}
    for group in renumbered(old, new):
        name = new.state_names[group.place]
        number = int(state[name])
        if group.numbers[number] < 0:
            raise no_mode(new.name, group.modes[number], new.modes[name])
        found[name] = float(group.numbers[number])
    return found


def no_mode(structure: str, mode: str, known: Sequence[str]) -> InputError:
    """Says which mode is missed."""
    return InputError(
        f"{structure}: the run is in mode '{mode}', which this structure doesn't have; it has "
        f"{', '.join(map(repr, known))}. Describe that mode there too, or change the structure "
        "while the run is in one of these."
    )
