"""Replaying a recording: the same inputs and changes at the same ticks give the same bits."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError
from touchback.model.files import model_from_text
from touchback.native.live import Pace
from touchback.native.live_structs import ROW_HEAD
from touchback.realtime.build import Plan, block_of, make_loop
from touchback.realtime.recording import Recording, open_recording
from touchback.system import System


@dataclass(frozen=True)
class Replay:
    """The states again, a row a tick, and whether each agrees with the recording bit for bit."""

    recording: Recording
    states: np.ndarray

    @property
    def same(self) -> bool:
        """Whether every bit of every state agrees."""
        return self.first_difference is None

    @property
    def first_difference(self) -> int | None:
        """The first tick whose state differs."""
        ours = np.ascontiguousarray(self.states).view(np.uint64)
        theirs = np.ascontiguousarray(self.recording.states).view(np.uint64)
        differing = np.flatnonzero((ours != theirs).any(axis=1))
        return int(self.recording.rows[differing[0], 0]) if len(differing) else None


def replay(path: str | os.PathLike[str], system: System | None = None) -> Replay:
    """Runs a recording again; the system comes from the file unless it is given."""
    recording = open_recording(path)
    about = recording.about
    if system is None:
        if not about["description"]:
            raise InputError("The recording doesn't hold its model: give the system to `replay`.")
        system = model_from_text(about["description"], ".json").compile()
    if list(system.state_names) != about["state_names"]:
        raise InputError(
            f"The recording is of '{about['model']}' with states {about['state_names']}; the "
            f"system given has {list(system.state_names)}."
        )
    plan = Plan(
        about["rate"], None, about["method"], about["constraints"], about["substeps"], {}, {},
        about["parameters"],
    )  # fmt: skip
    ticks = recording.column("tick")
    if len(ticks) and not np.array_equal(ticks, np.arange(1, len(ticks) + 1)):
        raise InputError("The recording misses ticks, so that it can't be replayed.")
    loop = make_loop(
        system, np.array(about["initial_state"]), plan, Pace(plan.rate, None, plan.substeps)
    )
    loop.prepare()
    states = np.empty_like(recording.states)
    capacity = int(loop.struct.ring.capacity)
    inputs = np.ascontiguousarray(recording.inputs)
    start = ROW_HEAD + inputs.shape[1]
    done = 0
    for k, row in enumerate(recording.rows):
        flags, offered, substeps = int(row[2]), int(row[4]), int(row[5])
        if offered:
            values = recording.parameters[offered]
            loop.offer(block_of(system, plan.method, plan.constraints, values), offered)
        loop.repeat(inputs[k], substeps, flags)
        if (k + 1) % capacity == 0 or k + 1 == len(ticks):
            rows = loop.drain()
            states[done : done + len(rows)] = rows[:, start : start + states.shape[1]]
            done += len(rows)
    return Replay(recording, states)
