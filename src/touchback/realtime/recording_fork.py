"""Forks: a live run that goes on from an instant of a recording."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

import numpy as np

from touchback.errors import InputError
from touchback.native import HELD, LATCHED, Pace
from touchback.native.live.live_loop import LiveLoop
from touchback.numbers import MOST, number_within
from touchback.realtime.live import Live
from touchback.realtime.live_replay import (
    check_clock,
    check_rows,
    replay_part,
    run_again,
    spec_in,
    system_in,
)
from touchback.realtime.live_report import flag_names
from touchback.realtime.live_spec import LiveSpec, make_loop
from touchback.realtime.tick_recorder import begin_at
from touchback.recording import (
    Part,
    Recording,
    StartData,
    latest,
    memory_of,
    open_recording,
    place_at,
    text_of,
)
from touchback.system import System

COMPARED = 2000  # ticks after the instant that are run again to compare them


@dataclass(frozen=True)
class Fork:
    """A live run, not yet started, that begins at an instant of a recording: with its structure,
    state, parameters and inputs, at its tick and time, and with what the mechanism remembered then
    beside its state.

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
    inputs: dict[str, float]
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
    for part in known.parts:
        check_clock(part)
    at = _instant(known, time)
    own = system_in(at.part, system)
    spec = _spec_at(own, at)
    at, lacking = _remembering(known, own, spec, at)
    compared, different = _compare(known, own, spec, at, lacking)
    spec = replace(spec, speed=speed)
    spec.check()
    pace = Pace(spec.rate, speed, at.substeps, min(20e-6, 0.25 / spec.rate), priority=priority)
    live = Live(own, at.state, spec, pace, record, None, at.start)
    for name, value in at.inputs.items():
        live[name] = value
    return Fork(live, at.start["tick"], at.time, compared, not different, different)


def _spec_at(system: System, at: _Instant) -> LiveSpec:
    spec = spec_in(system, at.part).with_parameters(at.parameters)
    spec = replace(spec, solver=replace(spec.solver, substeps=at.substeps))
    spec.check()
    return spec


def _instant(recording: Recording, time: float) -> _Instant:
    time = number_within("A fork begins at a time of the recording", time, -MOST, MOST)
    place, row = place_at(recording, time)
    if row >= 0:
        return _after(recording, place, row)
    first = _first(recording)
    if latest(time) < first.time:
        raise InputError(f"The recording begins at {first.time:g} s; {time:g} s is before it.")
    return first


def _after(recording: Recording, place: int, row: int) -> _Instant:
    """What there is after the tick of a row."""
    part = recording.parts[place]
    numbers = part.rows[row]
    check_rows(replace(part, rows=part.rows[row : row + 1]), recording)
    values = recording.parameters.get(int(numbers[3]), part.about["parameters"])
    inputs = dict(zip(part.about["input_names"], part.inputs[row].tolist()))
    return _Instant(
        part, row, part.states[row].copy(), inputs, values, int(numbers[5]),
        _start(recording, place, row), int(numbers[2]),
    )  # fmt: skip


def _first(recording: Recording) -> _Instant:
    """Before the first tick there is what the run began with, and the inputs that this tick got,
    be it one of a later structure."""
    part = recording.parts[0]
    about = part.about
    start: StartData = about["start"] or {"tick": 0, "t0": 0.0, "steps": 0}
    ticked = next((each for each in recording.parts if len(each.rows)), None)
    got = dict(zip(ticked.about["input_names"], ticked.inputs[0].tolist())) if ticked else {}
    inputs = {name: got[name] for name in about["input_names"] if name in got}
    state = np.array(about["initial_state"])
    return _Instant(
        part, -1, state, inputs, about["parameters"], about["substeps"], {**start, "flags": 0},
        start.get("flags", 0),
    )  # fmt: skip


def _start(recording: Recording, place: int, row: int) -> StartData:
    """The tick and the model's time of a row, as t0 + steps · h to the bit: t0 is where the part,
    or its last number of substeps, began."""
    part = recording.parts[place]
    times, substeps = part.column("time"), part.column("substeps")
    time, h = float(times[row]), 1.0 / part.about["rate"] / float(substeps[row])
    changed = np.flatnonzero(np.diff(substeps[: row + 1])).tolist()
    begun = recording.about["start"] if place == 0 else None
    candidates = [float(times[each]) for each in reversed(changed)]
    ticked = [each for each in recording.parts[:place] if len(each.rows)]
    if ticked:
        candidates.append(float(ticked[-1].column("time")[-1]))
    elif place:
        candidates.append(_first(recording).time)
    candidates.append(begun["t0"] if begun else 0.0)
    for t0 in candidates:
        steps = round((time - t0) / h)
        if t0 + steps * h == time:
            return {"tick": int(part.rows[row, 0]), "t0": t0, "steps": steps}
    return {"tick": int(part.rows[row, 0]), "t0": time, "steps": 0}


# ---- what is remembered beside the state ---------------------------------------------------------


def _remembering(
    recording: Recording, system: System, spec: LiveSpec, at: _Instant
) -> tuple[_Instant, str]:
    """The instant with what the mechanism remembered then: as the recording has it of the instant,
    or of an earlier tick from which it is run again, at the latest the first. Where that can't be,
    why."""
    if at.row < 0 or not make_loop(spec, at.state, Pace(spec.rate, None)).warm_start_size:
        return at, ""
    place = next(k for k, part in enumerate(recording.parts) if part is at.part)
    loop, states = _run_from_noted(recording, system, place, at.row)
    if loop is None:
        part = Part(at.part.about, at.part.columns, at.part.rows[: at.row + 1])
        whole = replace(recording, parts=[*recording.parts[:place], part])
        try:
            parts, loop = run_again(whole, system if not place else None)
        except InputError as error:
            return at, f"what a step of this mechanism remembers beside its state is lost: {error}"
        states = parts[-1]
    recorded = at.part.states[at.row + 1 - len(states) : at.row + 1]
    if not _same(states, recorded).all():
        return at, "another version or machine recorded it"
    run = loop.struct.run
    start: StartData = {"tick": at.start["tick"], "t0": run.t0, "steps": run.steps}
    return replace(at, start={**start, "memory": text_of(loop.save_warm_start())}), ""


def _run_from_noted(
    recording: Recording, system: System, place: int, last: int
) -> tuple[LiveLoop | None, np.ndarray]:
    """The loop after a row of a part, run again from the last tick before of which the recording
    has what was remembered, and the states on the way; None where there is no such tick since the
    last that was lost."""
    part = recording.parts[place]
    ticks = part.rows[: last + 1, 0]
    whole = np.flatnonzero(np.diff(ticks) != 1)
    for row in range(last, int(whole[-1]) if len(whole) else -1, -1):
        start = recording.memories.get(int(ticks[row]))
        if start is None:
            continue
        at = _after(recording, place, row)
        spec = _spec_at(system, at)
        loop = make_loop(spec, at.state, Pace(spec.rate, None, at.substeps))
        memory = memory_of(start)
        if memory is None or len(memory) != loop.warm_start_size:
            break  # of another version
        begin_at(loop, at.state, start)
        loop.u[1:] = list(at.inputs.values())
        loop.prepare()
        rest = Part(part.about, part.columns, part.rows[row + 1 : last + 1])
        check_rows(rest, recording)
        return loop, replay_part(spec, loop, rest, recording)
    return None, part.states[:0]


def _same(states: np.ndarray, recorded: np.ndarray) -> np.ndarray:
    """Which rows agree bit for bit."""
    ours, theirs = (np.ascontiguousarray(each).view(np.uint64) for each in (states, recorded))
    same: np.ndarray = (ours == theirs).all(axis=1)
    return same


# ---- what follows --------------------------------------------------------------------------------


def _compare(
    recording: Recording, system: System, spec: LiveSpec, at: _Instant, lacking: str
) -> tuple[int, str]:
    """Runs what follows the instant again, from it alone; how many ticks were compared, and where
    the bits differ, in words, with what was `lacking`."""
    if faults := flag_names(at.flags & LATCHED):
        was = "was held by" if at.flags & HELD else "had"
        return 0, (
            f"At tick {at.start['tick']} the recorded run {was} a fault ({', '.join(faults)}); "
            "the fork goes on without it."
        )
    rows = at.part.rows[at.row + 1 : at.row + 1 + COMPARED]
    if not len(rows):
        return 0, ""
    check_rows(Part(at.part.about, at.part.columns, rows), recording)
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
    rest = Part(at.part.about, at.part.columns, rows)
    loop = make_loop(spec, at.state, Pace(spec.rate, None, at.substeps))
    begin_at(loop, at.state, at.start)
    loop.prepare()
    states = replay_part(spec, loop, rest, recording)
    same = _same(states, rest.states)
    if same.all():
        return len(rows), ""
    first = int(same.argmin())
    far = float(np.nanmax(np.abs(states - rest.states)))
    return len(rows), (
        f"From tick {int(rows[first, 0])} on the states differ from the recorded ones, within "
        f"{len(rows)} ticks by up to {far:.2g}: "
        f"{lacking or 'another version or machine recorded it'}."
    )
