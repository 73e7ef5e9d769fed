"""What becomes of the ticks that are drained from the ring: kept in memory, or in a file."""

from __future__ import annotations

import errno
import math
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace

import numpy as np

from touchback.errors import InputError, ModelError
from touchback.model import Model
from touchback.model.io import to_text
from touchback.native import LATCHED, MEMORY_HEAD, ROW_HEAD, formulation_of
from touchback.native.live.live_loop import LiveLoop
from touchback.numbers import shown
from touchback.realtime.fault_log import Fault
from touchback.realtime.live_parameters import Change, LiveParameters
from touchback.realtime.live_spec import LiveSpec
from touchback.realtime.pause_control import StateChange
from touchback.recording import (
    CarriedData,
    FaultData,
    LiveAbout,
    Part,
    Recorder,
    Recording,
    Run,
    StartData,
    columns_of,
    memory_of,
    run_of_recording,
    text_of,
)
from touchback.safe_files import check_output, explain_recording_failure
from touchback.simulate import MOST_NUMBERS
from touchback.system import System
from touchback.version import VERSION


@dataclass(frozen=True)
class RecordingStart:
    """A row after whose tick a recording may begin, and what it says of itself then."""

    row: np.ndarray
    about: LiveAbout
    version: int  # of its parameters

    @property
    def tick(self) -> int:
        return int(self.row[0])


class ActiveRecording:
    """A file that gets ticks from an instant of a run on: a recording as any other, that says in
    which state, with which parameters and at which tick it begins.

    It begins after a tick of which the run told what it remembers beside its state: so a replay
    can repeat what follows bit for bit."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        at: RecordingStart,
        beginning: Callable[[np.ndarray, StartData | None], RecordingStart],
        ask: Callable[[], None],
        limit: float = math.inf,
    ) -> None:
        """`beginning` gives that of a row of the present structure, with what is remembered then;
        `ask` asks for that. It ends by itself when its file has `limit` bytes."""
        self.path = os.fspath(path)
        self.ticks = 0  # so far
        self.kept = 0  # of them that the file has for good
        self.bytes = 0  # that the file has for good
        self.limit = limit
        self.failure: OSError | None = None  # what ended it early
        self.complained = False  # whether the run has said that
        self._at, self._beginning, self._ask = at, beginning, ask
        self._begun = False
        self._noted_start: StartData | None = None  # after a tick that it may begin after
        self._last = at.row
        self._early: list[Callable[[Recorder], None]] = []  # what is told before it has begun
        self._recorder: Recorder | None = None
        with explain_recording_failure(self.path):
            self._recorder = self._open(at)
        ask()

    @property
    def early_end(self) -> str:
        """How it ended early, in words."""
        why = "" if self.failure is None else self.failure.strerror or self.failure
        kept = f"its first {self.kept} ticks are kept" if self.kept else "nothing of it is kept"
        full = self.bytes >= self.limit
        hint = (
            "record again into another file" if full else "make room on its disk and record again"
        )
        return f"{self.path} ended early, {kept}: {why}; {hint}"

    @property
    def room(self) -> float:
        """How many more bytes it may have: up to its limit, or that of its disk."""
        free = shutil.disk_usage(os.path.dirname(os.path.abspath(self.path))).free
        return max(0.0, min(self.limit - self.bytes, float(free)))

    def _open(self, at: RecordingStart) -> Recorder:
        recorder = Recorder(self.path, at.about, columns_of(at.about))
        recorder.write_parameters(at.version, at.about["parameters"])
        self._next = at.version + 1
        return recorder

    def _begin(self, row: np.ndarray, start: StartData | None) -> None:
        """The ticks after a row are its own; it was opened for those after an earlier one."""
        self._begun = True
        with self._writing() as recorder:
            if recorder is not None:
                recorder.close()
                self._recorder = recorder = self._open(self._beginning(row, start))
            for tell in self._early:
                if recorder is not None:
                    tell(recorder)
        self._early.clear()

    def _wait(self, rows: np.ndarray) -> np.ndarray:
        """The rows after the tick that it begins after, once the next one is there."""
        known = np.vstack([self._last, rows])
        self._last = rows[-1].copy()
        if self._noted_start is None or known[-1, 0] <= self._noted_start["tick"]:
            return rows[:0]
        place = int(np.searchsorted(known[:, 0], self._noted_start["tick"]))
        if (
            known[place : place + 2, 0] != self._noted_start["tick"] + np.arange(2)
        ).any():  # one was lost
            self._noted_start = None
            self._ask()
            return rows[:0]
        self._begin(known[place], self._noted_start)
        return known[place + 1 :]

    @contextmanager
    def _writing(self) -> Iterator[Recorder | None]:
        """The recorder, while it can write: a full disk must not end the run."""
        try:
            yield self._recorder if self.failure is None else None
        except OSError as error:
            self.failure = error

    def _tell(self, tell: Callable[[Recorder], None]) -> None:
        if not self._begun:
            self._early.append(tell)
            return
        with self._writing() as recorder:
            if recorder is not None:
                tell(recorder)

    def keep(self, rows: np.ndarray, changes: Mapping[int, Change]) -> None:
        """Rows of ticks, after the parameters that they may name."""
        if not self._begun and len(rows):
            rows = self._wait(rows)
        if not self._begun:
            return
        with self._writing() as recorder:
            while recorder is not None and self._next in changes:
                recorder.write_parameters(self._next, changes[self._next].values)
                self._next += 1
            if recorder is not None:
                recorder.write(rows)
                self.ticks += len(rows)

    def restructure(self, about: LiveAbout, started: Change) -> None:
        """Rows that follow are of another structure, which remembers nothing of the one before."""
        if not self._begun:
            self._begin(self._last, None)
        with self._writing() as recorder:
            if recorder is not None:
                recorder.write_structure(about, columns_of(about))
                recorder.write_parameters(started.version, started.values)

    def note(self, fault: Fault) -> None:
        """A fault of the run, in words."""
        self._tell(lambda recorder: recorder.write_fault(fault.as_dict()))

    def keep_place(self, place: StateChange) -> None:
        """A state that a tick was offered."""
        self._tell(lambda recorder: recorder.write_place(place.data()))

    def keep_memory(self, memory: StartData) -> None:
        """What is remembered after a tick, before the row of the next one."""
        if not self._begun:
            self._noted_start = memory
        elif "memory" in memory:
            self._tell(lambda recorder: recorder.write_memory(memory))

    def keep_speed(self, tick: int, speed: float) -> None:
        """Another speed, after a tick."""
        self._tell(lambda recorder: recorder.write_speed({"tick": tick, "speed": speed}))

    def finish_chunk(self) -> None:
        """Lets the file have what was kept so far."""
        with self._writing() as recorder:
            if recorder is not None:
                recorder.finish_chunk()
                self.kept, self.bytes = self.ticks, os.path.getsize(self.path)
                if self.bytes >= self.limit:
                    recorder.close()
                    self._recorder = None
                    raise OSError(errno.EFBIG, f"it has reached {self.limit / 2**20:.3g} MiB")

    def abandon(self) -> None:
        """Leaves the file to the process that this one is a child of."""
        if self._recorder is not None:
            self._recorder.abandon()

    def close(self) -> None:
        """Finishes the file."""
        with self._writing() as recorder:
            if recorder is not None:
                recorder.close()
                self.kept = self.ticks
        if self.failure is not None and self._recorder is not None:
            self._recorder.give_up(remove=not self.kept)
        self._recorder = None


def start_of(loop: LiveLoop, row: np.ndarray) -> StartData:
    """Where what follows the tick of a row begins. The model's time is t0 + steps · h, to the bit
    where the loop still counts from the same t0."""
    tick, time, substeps = int(row[0]), float(row[1]), int(row[5])
    t0, h = float(loop.struct.run.t0), float(loop.struct.tick_length) / substeps
    steps = round((time - t0) / h)
    if steps < 0 or t0 + steps * h != time:
        t0, steps = time, 0
    return {"tick": tick, "t0": t0, "steps": steps, "flags": int(row[2]) & LATCHED}


def noted(row: np.ndarray) -> StartData:
    """The same as a tick noted it (live.h), with what is remembered then."""
    tick, steps, flags = (int(row[k]) for k in (0, 2, 3))
    start: StartData = {"tick": tick, "t0": float(row[1]), "steps": steps, "flags": flags & LATCHED}
    return {**start, "memory": text_of(row[MEMORY_HEAD:])} if len(row) > MEMORY_HEAD else start


def begin_at(loop: LiveLoop, x: np.ndarray, start: StartData) -> None:
    """Lets a loop that hasn't ticked yet begin in a state as it was recorded, bit for bit, at
    another tick and time than the first, and with what was remembered then."""
    loop.x[:] = x
    run = loop.struct.run
    run.t0, run.steps = start["t0"], start["steps"]
    loop.struct.tick, loop.struct.flags = start["tick"], start.get("flags", 0) & LATCHED
    loop.begun = memory_of(start)
    if loop.begun is not None and len(loop.begun) != loop.warm_start_size:
        raise InputError(
            f"The recording has {len(loop.begun)} numbers of what the mechanism remembered after "
            f"tick {start['tick']}, which here are {loop.warm_start_size}: go on from it with the "
            "version that recorded it."
        )


def describe(
    system: System,
    x0: np.ndarray,
    spec: LiveSpec,
    parameters: dict[str, float],
    carried: CarriedData | None = None,
    start: StartData | None = None,
) -> LiveAbout:
    """What a replay needs besides the ticks; plain data. `carried` tells what a structure took over
    from the one before (model_swap.py), `start` where it began if not at time 0."""
    kinds = (system.input_names, system.state_names, system.output_names, spec.energy)
    units = (system.input_units, system.state_units, system.output_units, ["J"] * len(spec.energy))
    formulation = formulation_of(spec.constraints)
    one = system.replica  # when it is a row of copies
    text = one.dynamics.derive_once(("description", one.key), lambda: _description(one.model))
    return {
        "model": system.name,
        "description": text,
        "copies": list(system.names),
        "shared": list(system.shared),
        "initial_state": x0.tolist(),
        "parameters": parameters,
        "rate": spec.rate,
        "speed": spec.speed,
        "substeps": spec.substeps,
        "method": spec.solver.word,
        "rtol": spec.solver.rtol,
        "atol": spec.solver.atol,
        "constraints": None if spec.constraints is None else formulation.word,
        "settings": asdict(formulation),
        "max_speed": spec.max_speed if np.isfinite(spec.max_speed) else None,
        "input_names": list(system.input_names),
        "state_names": list(system.state_names),
        "output_names": list(system.output_names),
        "energy_names": list(spec.energy),
        "units": {name: unit for pair in zip(kinds, units) for name, unit in zip(*pair)},
        "versions": {"touchback": VERSION, "numpy": np.__version__},
        "carried": carried,
        "start": start,
    }


def _description(model: Model) -> str | None:
    """The model's file; None where a part is in it that files can't hold: replaying needs the
    system then."""
    try:
        return to_text(model, ".json")
    except ModelError:
        return None


def recording_start(
    row: np.ndarray,
    system: System,
    spec: LiveSpec,
    parameters: LiveParameters,
    loop: LiveLoop,
    noted: StartData | None = None,
) -> RecordingStart:
    """What a recording that begins after the tick of a row says of itself; with what the run has
    `noted` of that tick."""
    start = ROW_HEAD + len(system.input_names)
    x = row[start : start + len(system.state_names)]
    version = int(row[3])
    known = parameters.changes.get(version)
    values = parameters.values if known is None else known.values
    spec = replace(spec, solver=replace(spec.solver, substeps=int(row[5])))
    about = describe(system, x, spec, values, start=noted or start_of(loop, row))
    return RecordingStart(row.copy(), about, version)


def first_row(loop: LiveLoop) -> np.ndarray:
    """What a structure without a tick begins with; of others the loop's own would be read while
    ticks write it."""
    begun = [loop.struct.tick, loop.struct.run.t0 + loop.struct.run.steps * loop.struct.run.h,
             0, loop.struct.version, 0, loop.struct.steps_per_tick, 0, 0, 0]  # fmt: skip
    known = np.concatenate([begun, loop.u[1:], loop.x])
    later = int(loop.struct.ring.width) - len(known)  # outputs and energies: a tick's
    return np.concatenate([known, np.full(later, np.nan)])


class TickRecorder:
    """Keeps rows as asked: not at all, in memory, or in a file."""

    def __init__(self, about: LiveAbout, record: bool | str | os.PathLike[str]) -> None:
        if not isinstance(record, bool | str | os.PathLike):
            raise InputError(f"record is True, False or the path of a file, got {shown(record)}.")
        if not isinstance(record, bool):
            check_output(record, (".mcap",), "record")
        self.columns = columns_of(about)
        self._parts: list[tuple[LiveAbout, list[np.ndarray]]] | None = None
        if record is True:
            self._parts = [(about, [])]
        self._path = None if isinstance(record, bool) else os.fspath(record)
        self._recorder: Recorder | None = None
        if self._path is not None:
            with explain_recording_failure(self._path):
                self._recorder = Recorder(self._path, about, self.columns)
        self._versions = 0
        self._room = MOST_NUMBERS  # numbers that memory still takes
        self._faults: list[FaultData] = []
        self.failure: OSError | None = None  # what ended the recording before the run
        self._complained = False  # whether the run has said that
        self.active: list[ActiveRecording] = []  # recordings that began meanwhile
        self.last_row: np.ndarray | None = None  # of the present structure
        self.start_row: np.ndarray | None = None  # of the first structure, before its first tick

    def restructure(self, about: LiveAbout, started: Change) -> None:
        """Rows that follow are of another structure, which started with these parameters."""
        self.columns, self.last_row, self.start_row = columns_of(about), None, None
        if self._parts is not None:
            self._parts.append((about, []))
        for recording in self.active:
            recording.restructure(about, started)
        with self._writing() as recorder:
            if recorder is not None:
                recorder.write_structure(about, self.columns)
                recorder.write_parameters(started.version, started.values)

    def keep(self, rows: np.ndarray, changes: Mapping[int, Change]) -> None:
        """Rows of ticks, after the parameters that they may name."""
        if len(rows):
            self.last_row = rows[-1].copy()
        for recording in self.active:
            recording.keep(rows, changes)
        if self._parts is not None:
            self._parts[-1][1].append(rows[: self._rows_left])
            self._room -= rows.size
        with self._writing() as recorder:
            while recorder is not None and self._versions in changes:
                recorder.write_parameters(self._versions, changes[self._versions].values)
                self._versions += 1
            if recorder is not None:
                recorder.write(rows)

    def keep_place(self, place: StateChange) -> None:
        """A state that a tick was offered, before the row of that tick."""
        for recording in self.active:
            recording.keep_place(place)
        with self._writing() as recorder:
            if recorder is not None:
                recorder.write_place(place.data())

    def keep_memory(self, memory: StartData) -> None:
        """What is remembered after a tick, before the row of the next one."""
        for recording in self.active:
            recording.keep_memory(memory)
        with self._writing() as recorder:
            if recorder is not None and "memory" in memory:
                recorder.write_memory(memory)

    def keep_speed(self, tick: int, speed: float) -> None:
        """Another speed, after a tick."""
        for recording in self.active:
            recording.keep_speed(tick, speed)
        with self._writing() as recorder:
            if recorder is not None:
                recorder.write_speed({"tick": tick, "speed": speed})

    @contextmanager
    def _writing(self) -> Iterator[Recorder | None]:
        """The recorder, while there is one that can write: a full disk must not end the run."""
        try:
            yield self._recorder if self.failure is None else None
        except OSError as error:
            self.failure = error

    @property
    def _rows_left(self) -> int:
        return max(self._room, 0) // len(self.columns)

    def refuse_excess(self, ticks: int) -> None:
        """Refuse to go on for more ticks than memory takes, where they are kept there."""
        if self._parts is not None and ticks > self._rows_left:
            raise InputError(
                f"{ticks} more ticks of {len(self.columns)} numbers can't be kept in memory, which "
                f"takes {self._rows_left} more ({MOST_NUMBERS} numbers in all); record into a file "
                '(record="run.mcap"), or run for a shorter time.'
            )

    def note(self, fault: Fault) -> None:
        """A fault of the run, in words."""
        for recording in self.active:
            recording.note(fault)
        if self._parts is not None:
            self._faults.append(fault.as_dict())
        with self._writing() as recorder:
            if recorder is not None:
                recorder.write_fault(fault.as_dict())

    def finish_chunk(self) -> None:
        """Lets files have what was kept so far."""
        for recording in self.active:
            recording.finish_chunk()
        with self._writing() as recorder:
            if recorder is not None:
                recorder.finish_chunk()

    def as_run(self) -> Run:
        """Inputs, states and outputs by name over the model's time."""
        if self._parts is None:
            raise InputError("Nothing is kept in memory: ask for it by live(…, record=True).")
        parts = []
        for about, blocks in self._parts:
            columns = columns_of(about)
            parts.append(Part(about, columns, np.vstack([np.empty((0, len(columns))), *blocks])))
        return run_of_recording(Recording(parts, faults=self._faults))

    def complaints(self) -> list[str]:
        """Which recordings have ended early since the last call, in words."""
        texts = []
        for recording in self.active:
            if recording.failure is not None and not recording.complained:
                recording.complained = True
                texts.append(f"the recording {recording.early_end}")
        if self.failure is not None and not self._complained:
            self._complained = True
            why = self.failure.strerror or self.failure
            texts.append(f"the recording {self._path} ended early: {why}")
        return texts

    @property
    def keeps(self) -> bool:
        """Whether ticks are to be kept anywhere."""
        return self._parts is not None or self._path is not None or bool(self.active)

    @property
    def status(self) -> str:
        """Where the ticks went, in words."""
        if self.failure is not None:
            return f"recording ended early ({self.failure.strerror or self.failure})"
        paths = [] if self._path is None else [self._path]
        paths += [recording.path for recording in self.active if recording.failure is None]
        if paths:
            return f"recorded in {', '.join(paths)}"
        if self._parts is not None and self._room < 0:
            return f"kept in memory until {MOST_NUMBERS} numbers were full; record into a file"
        return "kept in memory" if self._parts is not None else "not recorded"

    def abandon(self) -> None:
        """Leaves the files to the process that this one is a child of."""
        for recording in self.active:
            recording.abandon()
        if self._recorder is not None:
            self._recorder.abandon()

    def close(self) -> None:
        """Finishes the files."""
        for recording in self.active:
            recording.close()
        self.active.clear()
        with self._writing() as recorder:
            if recorder is not None:
                recorder.close()
        self._recorder = None
