"""Recordings that begin while a run goes on, and where they, or runs, begin."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from touchback.native.live.live import LiveLoop
from touchback.realtime.faults import Fault
from touchback.realtime.parameters import Change
from touchback.realtime.places import Place
from touchback.recording.live_about import LiveAbout, StartData, columns_of
from touchback.recording.live_file import Recorder


class Take:
    """A file that gets ticks from an instant of a run on: a recording as any other, that says in
    which state, with which parameters and at which tick it begins."""

    def __init__(self, path: str | os.PathLike[str], about: LiveAbout, version: int) -> None:
        """`version` is that of the parameters that it begins with."""
        self.path = os.fspath(path)
        self.ticks = 0  # so far
        self.failure: OSError | None = None  # what ended it early
        self._recorder: Recorder | None = Recorder(path, about, columns_of(about))
        self._recorder.write_parameters(version, about["parameters"])
        self._next = version + 1

    @contextmanager
    def _writing(self) -> Iterator[Recorder | None]:
        """The recorder, while it can write: a full disk must not end the run."""
        try:
            yield self._recorder if self.failure is None else None
        except OSError as error:
            self.failure = error

    def keep(self, rows: np.ndarray, changes: Mapping[int, Change]) -> None:
        """Rows of ticks, after the parameters that they may name."""
        with self._writing() as recorder:
            while recorder is not None and self._next in changes:
                recorder.write_parameters(self._next, changes[self._next].values)
                self._next += 1
            if recorder is not None:
                recorder.write(rows)
                self.ticks += len(rows)

    def restructure(self, about: LiveAbout, started: Change) -> None:
        """Rows that follow are of another structure."""
        with self._writing() as recorder:
            if recorder is not None:
                recorder.write_structure(about, columns_of(about))
                recorder.write_parameters(started.version, started.values)

    def note(self, fault: Fault) -> None:
        """A fault of the run, in words."""
        with self._writing() as recorder:
            if recorder is not None:
                recorder.write_fault(fault.as_dict())

    def keep_place(self, place: Place) -> None:
        """A state that a tick was offered."""
        with self._writing() as recorder:
            if recorder is not None:
                recorder.write_place(place.data())

    def keep_speed(self, tick: int, speed: float) -> None:
        """Another speed, after a tick."""
        with self._writing() as recorder:
            if recorder is not None:
                recorder.write_speed({"tick": tick, "speed": speed})

    def finish_chunk(self) -> None:
        """Lets the file have what was kept so far."""
        with self._writing() as recorder:
            if recorder is not None:
                recorder.finish_chunk()

    def abandon(self) -> None:
        """Leaves the file to the process that this one is a child of."""
        if self._recorder is not None:
            self._recorder.abandon()

    def close(self) -> None:
        """Finishes the file."""
        with self._writing() as recorder:
            if recorder is not None:
                recorder.close()
        self._recorder = None


def start_of(loop: LiveLoop, row: np.ndarray) -> StartData:
    """Where what follows the tick of a row begins. The model's time is t0 + steps · h, to the bit
    where the loop still counts from the same t0."""
    tick, time, substeps = int(row[0]), float(row[1]), int(row[5])
    t0, h = float(loop.struct.run.t0), float(loop.struct.tick_length) / substeps
    steps = round((time - t0) / h)
    if steps < 0 or t0 + steps * h != time:
        t0, steps = time, 0
    return {"tick": tick, "t0": t0, "steps": steps}


def begin_at(loop: LiveLoop, x: np.ndarray, start: StartData) -> None:
    """Lets a loop that hasn't ticked yet begin in a state as it was recorded, bit for bit, at
    another tick and time than the first."""
    loop.x[:] = x
    run = loop.struct.run
    run.t0, run.steps = start["t0"], start["steps"]
    loop.struct.tick = start["tick"]
