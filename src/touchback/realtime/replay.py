"""Replaying a recording: the same inputs and changes at the same ticks give the same bits."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError
from touchback.model.files import model_from_text
from touchback.native.library import address_of
from touchback.native.live import LiveLoop, Pace
from touchback.native.live_structs import ROW_HEAD
from touchback.realtime.build import Plan, block_of, make_loop
from touchback.realtime.swap import make_swap
from touchback.recording.live_file import Part, Recording, open_recording
from touchback.system import System
from touchback.system.copies import copies


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
    recording = open_recording(path)
    ticks = recording.column("tick")
    if len(ticks) and not np.array_equal(ticks, np.arange(1, len(ticks) + 1)):
        raise InputError("The recording misses ticks, so that it can't be replayed.")
    given = [system] if isinstance(system, System) else list(system or [])
    parts: list[np.ndarray] = []
    before: tuple[System, LiveLoop] | None = None
    for place, part in enumerate(recording.parts):
        own = _system(part, given[place] if place < len(given) else None)
        loop = _begin(own, part, before)
        parts.append(_repeat(own, loop, part, recording.parameters))
        before = own, loop
    return Replay(recording, parts)


def _system(part: Part, given: System | None) -> System:
    about = part.about
    if given is None:
        if not about["description"]:
            raise InputError("The recording doesn't hold its model: give the system to `replay`.")
        system = model_from_text(about["description"], ".json").compile()
        names = about.get("copies")
        return copies(system, names) if names else system
    if list(given.state_names) != about["state_names"]:
        raise InputError(
            f"The recording is of '{about['model']}' with states {about['state_names']}; the "
            f"system given has {list(given.state_names)}."
        )
    return given


def _plan(part: Part) -> Plan:
    about = part.about
    return Plan(
        about["rate"], None, about["method"], about["constraints"], about["substeps"], {}, {},
        about["parameters"],
    )  # fmt: skip


def _begin(system: System, part: Part, before: tuple[System, LiveLoop] | None) -> LiveLoop:
    """The loop of a part, where its first tick begins."""
    plan = _plan(part)
    loop = make_loop(
        system, np.array(part.about["initial_state"]), plan, Pace(plan.rate, None, plan.substeps),
        before[1].memory if before else None,
    )  # fmt: skip
    if before is None:
        loop.prepare()
        return loop
    directory = np.zeros(1, dtype=np.uint64)  # of ports that a replay doesn't have
    swap = make_swap(
        before, (system, loop, plan), part.about["carried"], (address_of(directory), 0), None
    )
    if not swap.take():
        raise InputError(
            f"The structure '{system.name}' can't be taken over here, as it was when recorded; "
            "replay with the version and on the kind of machine that recorded it."
        )
    return loop


def _repeat(
    system: System, loop: LiveLoop, part: Part, parameters: dict[int, dict[str, float]]
) -> np.ndarray:
    """The states of a part's ticks."""
    plan = _plan(part)
    states = np.empty_like(part.states)
    capacity = int(loop.struct.ring.capacity)
    inputs = np.ascontiguousarray(part.inputs)
    start = ROW_HEAD + inputs.shape[1]
    done = 0
    for k, row in enumerate(part.rows):
        flags, offered, substeps = int(row[2]), int(row[4]), int(row[5])
        if offered:
            values = parameters[offered]
            loop.offer(block_of(system, plan.method, plan.constraints, values), offered)
        loop.repeat(inputs[k], substeps, flags)
        if (k + 1) % capacity == 0 or k + 1 == len(part.rows):
            rows = loop.drain()
            states[done : done + len(rows)] = rows[:, start : start + states.shape[1]]
            done += len(rows)
    return states
