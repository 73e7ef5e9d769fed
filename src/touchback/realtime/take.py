"""Recordings that begin while a run goes on, and where they, or runs, begin."""

from __future__ import annotations

import errno
import math
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError
from touchback.native.live.layout import LATCHED, MEMORY_HEAD
from touchback.native.live.live import LiveLoop
from touchback.realtime.faults import Fault
from touchback.realtime.parameters import Change
from touchback.realtime.places import Place
from touchback.recording.live_about import (
    LiveAbout,
    StartData,
    columns_of,
    memory_of,
    text_of,
)
from touchback.recording.live_file import Recorder
from touchback.regular_file import begun


@dataclass(frozen=True)
class Beginning:
    """A row after whose tick a take may begin, and what it says of itself then."""

    row: np.ndarray
    about: LiveAbout
    version: int  # of its parameters

    @property
    def tick(self) -> int:
        return int(self.row[0])


class Take:
    """A file that gets ticks from an instant of a run on: a recording as any other, that says in
    which state, with which parameters and at which tick it begins.

    It begins after a tick of which the run told what it remembers beside its state: so a replay
    can repeat what follows bit for bit."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        at: Beginning,
        beginning: Callable[[np.ndarray, StartData | None], Beginning],
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
        self._told: StartData | None = None  # after a tick that it may begin after
        self._last = at.row
        self._early: list[Callable[[Recorder], None]] = []  # what is told before it has begun
        self._recorder: Recorder | None = None
        with begun(self.path):
            self._recorder = self._open(at)
        ask()

    @property
    def ending(self) -> str:
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

    def _open(self, at: Beginning) -> Recorder:
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
        if self._told is None or known[-1, 0] <= self._told["tick"]:
            return rows[:0]
        place = int(np.searchsorted(known[:, 0], self._told["tick"]))
        if (known[place : place + 2, 0] != self._told["tick"] + np.arange(2)).any():  # one was lost
            self._told = None
            self._ask()
            return rows[:0]
        self._begin(known[place], self._told)
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

    def keep_place(self, place: Place) -> None:
        """A state that a tick was offered."""
        self._tell(lambda recorder: recorder.write_place(place.data()))

    def keep_memory(self, memory: StartData) -> None:
        """What is remembered after a tick, before the row of the next one."""
        if not self._begun:
            self._told = memory
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
    if loop.begun is not None and len(loop.begun) != loop.remembered:
        raise InputError(
            f"The recording has {len(loop.begun)} numbers of what the mechanism remembered after "
            f"tick {start['tick']}, which here are {loop.remembered}: go on from it with the "
            "version that recorded it."
        )
