"""Replaying a recording: the same inputs and changes at the same ticks give the same bits."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from touchback.errors import InputError
from touchback.model.io import model_from_text
from touchback.native import PLACE_REFUSED, PLACED, ROW_HEAD, Pace, address_of, formulation_with
from touchback.native.live.live_loop import LiveLoop
from touchback.numbers import number_within, whole_within
from touchback.realtime.live_spec import (
    MOST_SUBSTEPS,
    LiveSpec,
    block_of,
    live_solver,
    make_loop,
)
from touchback.realtime.model_swap import make_swap
from touchback.realtime.tick_recorder import begin_at
from touchback.recording import CarriedData, Part, Recording, open_recording
from touchback.system import System, copies

_FLAGS = (1 << 31) - 1  # more than there are
_VERSIONS = 1 << 53  # that a double counts exactly
_RATES = 1.0, 10_000.0  # Hz, as of `tb.live`
_LATEST = 1e12  # s of a model's time: 30 000 years


@dataclass(frozen=True)
class Replay:
    """The states again, a row a tick and an array for each part of the recording, and whether each
    agrees with it bit for bit."""

    recording: Recording
    parts: list[np.ndarray]

    @property
    def states(self) -> np.ndarray:
        """The states, when the structure stayed the same."""
        if len(self.parts) > 1:
            raise InputError("The run changed its structure: look at `parts`.")
        return self.parts[0]

    @property
    def ticks(self) -> int:
        """How many ticks were run again."""
        return sum(map(len, self.parts))

    @property
    def compared(self) -> list[str]:
        """The columns whose bits are compared: the states. Inputs are what is given; outputs and
        energies are as guards let them pass, which a replay doesn't have."""
        names = (name for part in self.recording.parts for name in part.about["state_names"])
        return list(dict.fromkeys(names)) if self.ticks else []

    @property
    def same(self) -> bool:
        """Whether every bit of every state agrees."""
        return self.first_difference is None

    @property
    def first_difference(self) -> int | None:
        """The first tick whose state differs."""
        for part, states in zip(self.recording.parts, self.parts, strict=True):
            ours = np.ascontiguousarray(states).view(np.uint64)
            theirs = np.ascontiguousarray(part.states).view(np.uint64)
            differing = np.flatnonzero((ours != theirs).any(axis=1))
            if len(differing):
                return int(part.rows[differing[0], 0])
        return None


def replay(path: str | os.PathLike[str], system: System | Sequence[System] | None = None) -> Replay:
    """Runs a recording again; the system (one for each structure that the run had) comes from the
    file unless it is given."""
    return replay_recording(open_recording(path), system)


def replay_recording(
    recording: Recording, system: System | Sequence[System] | None = None
) -> Replay:
    """The same of one that is open."""
    return Replay(recording, run_again(recording, system)[0])


def run_again(
    recording: Recording, system: System | Sequence[System] | None = None
) -> tuple[list[np.ndarray], LiveLoop]:
    """The states of each part, and the loop after the last tick."""
    ticks = recording.column("tick")
    before_first = (recording.about["start"] or {"tick": 0})["tick"]
    if len(ticks) and not np.array_equal(ticks, before_first + np.arange(1, len(ticks) + 1)):
        raise InputError("The recording misses ticks, so that it can't be replayed.")
    given = [system] if isinstance(system, System) else list(system or [])
    parts: list[np.ndarray] = []
    before: tuple[System, LiveLoop] | None = None
    for place, part in enumerate(recording.parts):
        check_clock(part)
        own = system_in(part, given[place] if place < len(given) else None)
        spec = spec_in(own, part)
        check_rows(part, recording)
        loop = _begin(own, spec, part, before)
        parts.append(replay_part(spec, loop, part, recording))
        before = own, loop
    return parts, loop


def system_in(part: Part, given: System | None = None) -> System:
    """The system of a part: the one given, if it has the same signals, else from its model."""
    about, system = part.about, given
    if system is None:
        if not about["description"]:
            raise InputError(
                f"The recording doesn't hold its model, '{about['model']}', of kinds that files "
                "don't know: give the system to `replay`, or its name to `--model`."
            )
        system = model_from_text(about["description"], ".json").compile()
        if about["copies"]:
            system = copies(system, about["copies"], about["shared"])
    for kind, recorded, own in (
        ("state", about["state_names"], system.state_names),
        ("input", about["input_names"], system.input_names),
        ("output", about["output_names"], system.output_names),
    ):
        if recorded != own:
            whose = "the model in it has" if given is None else "the system given has"
            raise InputError(
                f"The recording is of '{about['model']}' with {kind}s {recorded}; {whose} {own}."
            )
    return system


def spec_in(system: System, part: Part) -> LiveSpec:
    """What was asked of the run, as far as a replay needs it."""
    about = part.about
    constraints = about["constraints"] and formulation_with(about["constraints"], about["settings"])
    solver = live_solver(system, about["method"], constraints, about["substeps"])
    solver = replace(solver, rtol=about["rtol"], atol=about["atol"])
    spec = LiveSpec.read(system, solver, about["rate"], None, constraints, about["parameters"])
    spec = replace(spec, max_speed=about["max_speed"] or np.inf)  # none in older ones
    spec.check()
    return spec


def check_clock(part: Part) -> None:
    """Refuses a rate, substeps, a start or times that no run has written: ticks are counted by
    them."""
    about, damaged = part.about, "The recording is damaged: its"
    number_within(f"{damaged} rate is 1 to 10 000 ticks a second", about["rate"], *_RATES)
    whole_within(
        f"{damaged} substeps are 1 to {MOST_SUBSTEPS}", about["substeps"], 1, MOST_SUBSTEPS
    )
    if about["start"] is not None:
        number_within(f"{damaged} start is a time [s]", about["start"]["t0"], -_LATEST, _LATEST)
    times = part.column("time")
    wrong = np.flatnonzero(~(np.abs(times) <= _LATEST))
    if len(wrong):
        raise InputError(
            f"{damaged} time is {times[wrong[0]]:g} s at row {wrong[0]}; it is a number up to "
            f"{_LATEST:g}."
        )


def check_rows(part: Part, recording: Recording) -> None:
    """Refuses numbers of ticks that no run has written: the loop takes them as they are."""
    parameters = recording.parameters
    for name, low, high in (
        ("tick", 0, _VERSIONS), ("flags", 0, _FLAGS), ("version", 0, _VERSIONS),
        ("offered", 0, _VERSIONS), ("substeps", 1, MOST_SUBSTEPS),
    ):  # fmt: skip
        column = part.column(name)
        bad = ~((column >= low) & (column <= high) & (column == np.floor(column)))
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            raise InputError(
                f"The recording is damaged: at tick {part.column('tick')[row]:g} '{name}' is "
                f"{column[row]:g}; it is a whole number from {low} to {high}."
            )
    for version in np.unique(part.column("offered")):
        if version and int(version) not in parameters:
            raise InputError(
                f"The recording is damaged: a tick names version {int(version)} of the "
                "parameters, which isn't in it."
            )
    placed = part.column("flags").astype(int) & (PLACED | PLACE_REFUSED) != 0
    for tick in part.column("tick")[placed]:
        state = recording.places.get(int(tick), [])
        if len(state) != len(part.about["state_names"]) or not np.isfinite(state).all():
            raise InputError(
                f"The recording is damaged: tick {tick:g} was offered a state that isn't in it, or "
                "not whole."
            )


def _begin(
    system: System, spec: LiveSpec, part: Part, before: tuple[System, LiveLoop] | None
) -> LiveLoop:
    """The loop of a part, where its first tick begins."""
    loop = make_loop(
        spec, spec.run.from_state(part.about["initial_state"]).x0,
        Pace(spec.rate, None, spec.substeps), before[1].memory if before else None,
    )  # fmt: skip
    given = part.about["carried"]
    if before is None or given is None:
        if part.about["start"] is not None:
            begin_at(loop, np.array(part.about["initial_state"]), part.about["start"])
        loop.prepare()
        return loop
    directory = np.zeros(1, dtype=np.uint64)  # of ports that a replay doesn't have
    carried: CarriedData = {**given, "guards": [], "energies": []}  # nor guards
    swap = make_swap(before, (system, loop, spec), carried, (address_of(directory), 0), None)
    if not swap.take():
        raise InputError(
            f"The structure '{system.name}' can't be taken over here, as it was when recorded; "
            "replay with the version and on the kind of machine that recorded it."
        )
    return loop


def replay_part(spec: LiveSpec, loop: LiveLoop, part: Part, recording: Recording) -> np.ndarray:
    """The states of a part's ticks."""
    states = np.empty_like(part.states)
    capacity = int(loop.struct.ring.capacity)
    inputs = np.ascontiguousarray(part.inputs)
    start = ROW_HEAD + inputs.shape[1]
    done = 0
    for k, row in enumerate(part.rows):
        flags, offered, substeps = int(row[2]), int(row[4]), int(row[5])
        if offered:
            values = recording.parameters[offered]
            loop.offer(block_of(spec, values), offered)
        if flags & (PLACED | PLACE_REFUSED):
            loop.place(np.array(recording.places[int(row[0])]))
            loop.drain_places()  # room for more
        loop.repeat(inputs[k], substeps, flags)
        if (k + 1) % capacity == 0 or k + 1 == len(part.rows):
            rows = loop.drain()
            states[done : done + len(rows)] = rows[:, start : start + states.shape[1]]
            done += len(rows)
    return states
