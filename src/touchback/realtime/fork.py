"""Forks: a live run that goes on from an instant of a recording."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

import numpy as np

from touchback.errors import InputError
from touchback.native.live.layout import LATCHED
from touchback.native.live.wanted import Pace
from touchback.numbers import MOST, number_within
from touchback.realtime.build import make_loop
from touchback.realtime.live import Live
from touchback.realtime.plan import LivePlan
from touchback.realtime.replay import check_rows, plan_in, repeated, replay_recording, system_in
from touchback.realtime.take import begin_at
from touchback.recording.live_about import StartData
from touchback.recording.live_file import Part, Recording, open_recording
from touchback.system import System

COMPARED = 2000  # ticks after the instant that are run again to compare them
REPLAYED = 100_000  # ticks that are run again at most to tell why bits differ


@dataclass(frozen=True)
class Fork:
    """A live run, not yet started, that begins at an instant of a recording: with its structure,
    state, parameters and inputs, at its tick and time.

    With the inputs and changes that were recorded it gives the same bits over `compared` ticks
    (`same`), or `why` says from when on it doesn't, how much, and for which reason."""

    live: Live
    tick: int
    time: float
    compared: int
    same: bool
    why: str = ""


@dataclass(frozen=True)
class _Instant:
    """A tick of a part, after which a fork begins; `row` −1: before its first."""

    part: Part
    row: int
    state: np.ndarray
    inputs: np.ndarray
    parameters: dict[str, float]
    substeps: int
    start: StartData
    flags: int = 0

    @property
    def time(self) -> float:
        return self.start["t0"] + self.start["steps"] / (self.part.about["rate"] * self.substeps)


def fork(
    recording: Recording | str | os.PathLike[str],
    time: float,
    *,
    speed: float | None = 1.0,
    record: bool | str | os.PathLike[str] = False,
    system: System | None = None,
    priority: int = 70,
) -> Fork:
    """A live run that goes on from the last tick of a recording at or before a time [s] of its
    model; enter `fork.live` to start it. What guards its ports are, and what it displays, isn't in
    a recording: connect it anew. `system` is that of the part, where the recording doesn't hold
    its model."""
    known = recording if isinstance(recording, Recording) else open_recording(recording)
    at = _instant(known, time)
    own = system_in(at.part, system)
    plan = replace(plan_in(own, at.part), speed=speed, parameters=at.parameters)
    plan = replace(plan, solver=replace(plan.solver, substeps=at.substeps))
    plan.check(own)
    compared, different = _compare(known, own, plan, at)
    pace = Pace(plan.rate, speed, at.substeps, min(20e-6, 0.25 / plan.rate), priority=priority)
    live = Live(own, at.state, plan, pace, record, None, at.start)
    for name, value in zip(own.input_names, at.inputs, strict=True):
        live[name] = float(value)
    return Fork(live, at.start["tick"], at.time, compared, not different, different)


def _instant(recording: Recording, time: float) -> _Instant:
    time = number_within("A fork begins at a time of the recording", time, -MOST, MOST)
    place, row = 0, -1
    for number, part in enumerate(recording.parts):
        half = 0.5 / part.about["rate"]
        before = int(np.searchsorted(part.column("time"), time + half, "right")) - 1
        if before >= 0:
            place, row = number, before
    part = recording.parts[place]
    if row < 0:
        return _first(part, time)
    numbers = part.rows[row]
    values = recording.parameters.get(int(numbers[3]), part.about["parameters"])
    return _Instant(
        part, row, part.states[row].copy(), part.inputs[row].copy(), values, int(numbers[5]),
        _start(recording, place, row), int(numbers[2]),
    )  # fmt: skip


def _first(part: Part, time: float) -> _Instant:
    """Before the first tick there is what the run began with."""
    about = part.about
    start = about["start"] or {"tick": 0, "t0": 0.0, "steps": 0}
    if not len(part.rows) or time < start["t0"] - 1.0 / about["rate"]:
        raise InputError(f"The recording begins at {start['t0']:g} s; {time:g} s is before it.")
    inputs = part.inputs[0].copy()
    state = np.array(about["initial_state"])
    return _Instant(part, -1, state, inputs, about["parameters"], about["substeps"], start)


def _start(recording: Recording, place: int, row: int) -> StartData:
    """The tick and the model's time of a row, as t0 + steps · h to the bit: t0 is where the part,
    or its last number of substeps, began."""
    part = recording.parts[place]
    times, substeps = part.column("time"), part.column("substeps")
    time, h = float(times[row]), 1.0 / part.about["rate"] / float(substeps[row])
    changed = np.flatnonzero(np.diff(substeps[: row + 1])).tolist()
    begun = recording.about["start"] if place == 0 else None
    candidates = [float(times[each]) for each in reversed(changed)]
    if place:
        candidates.append(float(recording.parts[place - 1].column("time")[-1]))
    candidates.append(begun["t0"] if begun else 0.0)
    for t0 in candidates:
        steps = round((time - t0) / h)
        if t0 + steps * h == time:
            return {"tick": int(part.rows[row, 0]), "t0": t0, "steps": steps}
    return {"tick": int(part.rows[row, 0]), "t0": time, "steps": 0}


def _compare(recording: Recording, system: System, plan: LivePlan, at: _Instant) -> tuple[int, str]:
    """Runs what follows the instant again, from it alone; how many ticks were compared, and where
    the bits differ, in words."""
    rows = at.part.rows[at.row + 1 : at.row + 1 + COMPARED]
    if not len(rows):
        return 0, ""
    gaps = np.flatnonzero(rows[:, 0] != at.start["tick"] + 1 + np.arange(len(rows)))
    if len(gaps):
        known = int(rows[gaps[0], 0])
        rows = rows[: gaps[0]]
        missing = at.start["tick"] + 1 + len(rows)
        if not len(rows):
            return 0, (
                f"Ticks {missing} to {known - 1} aren't in the recording: there is nothing right "
                "after the instant to compare with."
            )
    if at.flags & LATCHED:
        return 0, (
            f"At tick {at.start['tick']} the recorded run was held by a fault; the fork goes on "
            "without it."
        )
    rest = Part(at.part.about, at.part.columns, rows)
    check_rows(rest, recording)
    loop = make_loop(system, at.state, plan, Pace(plan.rate, None, at.substeps))
    begin_at(loop, at.state, at.start)
    loop.prepare()
    states = repeated(system, plan, loop, rest, recording)
    differing = (states.view(np.uint64) != np.ascontiguousarray(rest.states).view(np.uint64)).any(1)
    if not differing.any():
        return len(rows), ""
    first = int(differing.argmax())
    far = float(np.nanmax(np.abs(states - rest.states)))
    why = _reason(recording, system, at, len(rows))
    return len(rows), (
        f"From tick {int(rows[first, 0])} on the states differ from the recorded ones, within "
        f"{len(rows)} ticks by up to {far:.2g}: {why}."
    )


def _reason(recording: Recording, system: System, at: _Instant, count: int) -> str:
    """Why ticks after an instant, run from its state alone, don't have the recorded bits: whether
    a replay from the recording's beginning has them tells."""
    remembers = (
        "a step of this mechanism remembers more than its state (which coordinates depend on the "
        "others, the multipliers that it begins with), and a fork begins that anew"
    )
    other = "another version or machine recorded it"
    place = next(k for k, part in enumerate(recording.parts) if part is at.part)
    part = Part(at.part.about, at.part.columns, at.part.rows[: at.row + 1 + count])
    whole = replace(recording, parts=[*recording.parts[:place], part])
    if sum(len(each.rows) for each in whole.parts) > REPLAYED:
        return f"{remembers}, or {other} (a replay from its beginning tells)"
    try:
        again = replay_recording(whole, system if len(whole.parts) == 1 else None)
    except InputError as error:
        return f"{remembers}, or {other} (it can't be replayed from its beginning: {error})"
    return (
        f"{remembers}; a replay from its beginning has the recorded bits" if again.same else other
    )
