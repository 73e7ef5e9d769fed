"""What becomes of the ticks that are drained from the ring: kept in memory, or in a file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict

import numpy as np

from touchback.errors import InputError, ModelError
from touchback.files import to_text
from touchback.model.model import Model
from touchback.native import formulation_of
from touchback.numbers import shown
from touchback.realtime.faults import Fault
from touchback.realtime.parameters import Change
from touchback.realtime.places import Place
from touchback.realtime.plan import LivePlan
from touchback.realtime.take import Take
from touchback.recording import Run
from touchback.recording.live_about import (
    CarriedData,
    FaultData,
    LiveAbout,
    StartData,
    columns_of,
)
from touchback.recording.live_file import Part, Recorder, Recording
from touchback.regular_file import begun, check_output
from touchback.simulate.span import MOST_NUMBERS
from touchback.system import System
from touchback.version import VERSION


def describe(
    system: System,
    x0: np.ndarray,
    plan: LivePlan,
    parameters: dict[str, float],
    carried: CarriedData | None = None,
    start: StartData | None = None,
) -> LiveAbout:
    """What a replay needs besides the ticks; plain data. `carried` tells what a structure took over
    from the one before (swap.py), `start` where it began if not at time 0."""
    kinds = (system.input_names, system.state_names, system.output_names, plan.energy)
    units = (system.input_units, system.state_units, system.output_units, ["J"] * len(plan.energy))
    formulation = formulation_of(plan.constraints)
    one = system.one  # when it is a row of copies
    text = one.motion.once(("description", one.key), lambda: _description(one.model))
    return {
        "model": system.name,
        "description": text,
        "copies": list(system.names),
        "shared": list(system.shared),
        "initial_state": x0.tolist(),
        "parameters": parameters,
        "rate": plan.rate,
        "speed": plan.speed,
        "substeps": plan.substeps,
        "method": plan.solver.word,
        "rtol": plan.solver.rtol,
        "atol": plan.solver.atol,
        "constraints": None if plan.constraints is None else formulation.word,
        "settings": asdict(formulation),
        "max_speed": plan.max_speed if np.isfinite(plan.max_speed) else None,
        "input_names": list(system.input_names),
        "state_names": list(system.state_names),
        "output_names": list(system.output_names),
        "energy_names": list(plan.energy),
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


class Keeper:
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
            with begun(self._path):
                self._recorder = Recorder(self._path, about, self.columns)
        self._versions = 0
        self._room = MOST_NUMBERS  # numbers that memory still takes
        self._faults: list[FaultData] = []
        self.failure: OSError | None = None  # what ended the recording before the run
        self._told = False  # whether the run has said that
        self.takes: list[Take] = []  # recordings that began meanwhile
        self.last_row: np.ndarray | None = None  # of the present structure

    def restructure(self, about: LiveAbout, started: Change) -> None:
        """Rows that follow are of another structure, which started with these parameters."""
        self.columns, self.last_row = columns_of(about), None
        if self._parts is not None:
            self._parts.append((about, []))
        for take in self.takes:
            take.restructure(about, started)
        with self._writing() as recorder:
            if recorder is not None:
                recorder.write_structure(about, self.columns)
                recorder.write_parameters(started.version, started.values)

    def keep(self, rows: np.ndarray, changes: Mapping[int, Change]) -> None:
        """Rows of ticks, after the parameters that they may name."""
        if len(rows):
            self.last_row = rows[-1].copy()
        for take in self.takes:
            take.keep(rows, changes)
        if self._parts is not None:
            self._parts[-1][1].append(rows[: self._rows_left])
            self._room -= rows.size
        with self._writing() as recorder:
            while recorder is not None and self._versions in changes:
                recorder.write_parameters(self._versions, changes[self._versions].values)
                self._versions += 1
            if recorder is not None:
                recorder.write(rows)

    def keep_place(self, place: Place) -> None:
        """A state that a tick was offered, before the row of that tick."""
        for take in self.takes:
            take.keep_place(place)
        with self._writing() as recorder:
            if recorder is not None:
                recorder.write_place(place.data())

    def keep_memory(self, memory: StartData) -> None:
        """What is remembered after a tick, before the row of the next one."""
        for take in self.takes:
            take.keep_memory(memory)
        with self._writing() as recorder:
            if recorder is not None and "memory" in memory:
                recorder.write_memory(memory)

    def keep_speed(self, tick: int, speed: float) -> None:
        """Another speed, after a tick."""
        for take in self.takes:
            take.keep_speed(tick, speed)
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
        for take in self.takes:
            take.note(fault)
        if self._parts is not None:
            self._faults.append(fault.as_dict())
        with self._writing() as recorder:
            if recorder is not None:
                recorder.write_fault(fault.as_dict())

    def finish_chunk(self) -> None:
        """Lets files have what was kept so far."""
        for take in self.takes:
            take.finish_chunk()
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
        return Recording(parts, faults=self._faults).as_run()

    def complaints(self) -> list[str]:
        """Which recordings have ended early since the last call, in words."""
        texts = []
        for take in self.takes:
            if take.failure is not None and not take.complained:
                take.complained = True
                texts.append(f"the recording {take.ending}")
        if self.failure is not None and not self._told:
            self._told = True
            why = self.failure.strerror or self.failure
            texts.append(f"the recording {self._path} ended early: {why}")
        return texts

    @property
    def keeps(self) -> bool:
        """Whether ticks are to be kept anywhere."""
        return self._parts is not None or self._path is not None or bool(self.takes)

    @property
    def status(self) -> str:
        """Where the ticks went, in words."""
        if self.failure is not None:
            return f"recording ended early ({self.failure.strerror or self.failure})"
        paths = [] if self._path is None else [self._path]
        paths += [take.path for take in self.takes if take.failure is None]
        if paths:
            return f"recorded in {', '.join(paths)}"
        if self._parts is not None and self._room < 0:
            return f"kept in memory until {MOST_NUMBERS} numbers were full; record into a file"
        return "kept in memory" if self._parts is not None else "not recorded"

    def abandon(self) -> None:
        """Leaves the files to the process that this one is a child of."""
        for take in self.takes:
            take.abandon()
        if self._recorder is not None:
            self._recorder.abandon()

    def close(self) -> None:
        """Finishes the files."""
        for take in self.takes:
            take.close()
        self.takes.clear()
        with self._writing() as recorder:
            if recorder is not None:
                recorder.close()
        self._recorder = None
