"""The parts of a live run, and the keeping of its ticks: the ring is drained into a recording, and
changes of structure are followed."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from dataclasses import replace

import numpy as np

from touchback.native.live.swap import TAKEN, WAITING
from touchback.native.live.wanted import Pace
from touchback.realtime.build import make_loop
from touchback.realtime.faults import Faults, words
from touchback.realtime.parameters import BOOKED_AT_ONCE, LiveParameters
from touchback.realtime.places import PLACES, Place
from touchback.realtime.plan import LivePlan
from touchback.realtime.ports import WatchedInput
from touchback.realtime.record import Keeper, describe
from touchback.realtime.region import PUBLISHED, create
from touchback.realtime.structure import KnownJoint
from touchback.realtime.swap import Pending, Swapped
from touchback.realtime.take import begin_at, noted
from touchback.realtime.taps import Taps
from touchback.recording.live_about import StartData
from touchback.system import System

_DRAIN = 0.1  # seconds between drains of the ring, and of a chunk of a recording
_TAPPED = 1.0 / 60  # seconds between drains while somebody taps
_CHUNKS = 36_000  # a chunk of a recording is not shorter than this part of it, see _supervise


class Kept:
    """A loop with its ports, parameters and recording, and whoever keeps what its ticks leave."""

    def __init__(
        self,
        system: System,
        x0: np.ndarray,
        plan: LivePlan,
        pace: Pace,
        record: bool | str | os.PathLike[str],
        share: str | None,
        start: StartData | None = None,
    ) -> None:
        self.system, self.plan, self._pace = system, plan, pace
        self._start = dict(zip(system.state_names, map(float, x0)))  # what `reset` goes back to
        self._loop = self._first = make_loop(system, x0, plan, pace)
        if start is not None:
            begin_at(self._loop, x0, start)
        self._parameters = LiveParameters(system, self._loop, plan)
        named = list(zip(system.input_names, system.input_units))
        published = (*system.output_names, *system.state_names, *plan.energy)
        self._region, self._memory, self._region_lock = create(named, published, share)
        self._use_region()
        about = describe(system, x0, plan, self._parameters.values, start=start)
        try:
            self._keeper = Keeper(about, record)
        except BaseException:
            self._free_memory()
            raise
        self._faults, self._taps = Faults(), Taps()
        self._gains: dict[str, float] = {}
        self._watched: dict[str, WatchedInput] = {}  # since the run began
        self._joints: dict[str, KnownJoint] | None = None  # of a structure that was taken
        self._modes: dict[tuple[int, tuple[str, ...]], System] = {}  # compiled sets of constraints
        self._pending: Pending | None = None
        self._swap_lock, self._place_lock = threading.Lock(), threading.Lock()
        self._rest_lock = threading.Lock()
        self.structures: list[Swapped] = []  # changes of structure, refused ones included
        self.places: deque[Place] = deque(maxlen=PLACES)  # states that were put, likewise
        self._draining = threading.Event()
        self.keeping = threading.Lock()

    def _use_region(self) -> None:
        boxes = self._region.mailboxes
        inputs = [boxes[name] for name in self._region.inputs]
        self._loop.use_mailboxes(inputs, boxes[PUBLISHED], self._region.mirror)

    def _free_memory(self) -> None:
        """What was read last stays readable, here and in children."""
        if self._memory is not None:
            self._region = self._region.moved()
            self._use_region()
            self._memory.close()
            self._memory.unlink()
            self._memory = None
        for memory in (self._region, self._first.arena, self._loop.arena, self._loop.memory.arena):
            memory.keep_in_children()

    def note(self, text: str) -> None:
        """A fault of the run in words, for its report and its recording; any thread."""
        now = self._region.published()[0]
        self._faults.note(int(now["tick"]), now["time"], text)

    # ---- ticks and structures ------------------------------------------------------------------

    def _supervise(self) -> None:
        """Drains the ring. Each drain is a chunk of the recording in the first hour; chunks then
        grow in proportion to its length: so their index in memory grows by its logarithm only."""
        began = last = time.monotonic()
        while not self._draining.wait(self._between_drains()):
            now = time.monotonic()
            finish = now - last >= max(_DRAIN, (now - began) / _CHUNKS)
            try:
                self._drain(finish)
            except Exception as error:  # the ticks go on, and so must their keeping
                self.note(f"ticks could not be kept: {words(error)}")
            last = now if finish else last

    def _between_drains(self) -> float:
        ramping = self._parameters.ahead is not None  # steps are prepared then, too
        return _TAPPED if ramping or self._taps.open else _DRAIN

    def _drain(self, finish: bool = False) -> None:
        """Keeps what ticks left, and follows a change of structure; `finish` also makes it a chunk
        of the recording: rarely, for each stays in the index."""
        with self.keeping:
            self._keep()
            pending = self._pending
            if pending is not None and pending.swap.state != WAITING:
                self._pending = None
                self._adopt(pending)
                self._keep()
            self._parameters.fill()
            for text in self._parameters.complaints():
                self.note(text)
            if self._region.newly_lost():
                self._loop.fail()
                self.note("another process cut the run's shared memory short")
            if finish:
                self._keeper.finish_chunk()
            for text in self._keeper.complaints():
                self.note(text)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of what a row of a tick has, also before there is one."""
        return tuple(self._keeper.columns)

    def _keep(self) -> None:
        """Rows first, and again between pieces of the books: those can wait, a full ring can't."""
        more = True
        while more:
            self._keep_rows()
            more = self._parameters.book(BOOKED_AT_ONCE)

    def _keep_rows(self) -> None:
        rows, last = self._loop.drain(), self._parameters.last
        self._keep_places()  # those of these rows at least
        for row in self._loop.drain_memories():
            self._keeper.keep_memory(noted(row))
        self._keeper.keep(rows, self._parameters.changes)
        self._faults.see(rows, self.system, self._loop)
        self._taps.offer(rows, self._keeper.columns)
        for fault in self._faults.take():
            self._keeper.note(fault)
        self._parameters.forget(last)
        if self.structures and len(self.structures[-1].lateness) < 2:
            known = self.structures[-1].lateness
            known += [1e-9 * float(row[6]) for row in rows[: 2 - len(known)]]

    def _keep_places(self) -> None:
        for row in self._loop.drain_places():
            place = Place.of(row, self.system, self._parameters.known(int(row[0])))
            self._keeper.keep_place(place)
            self.places.append(place)

    def _adopt(self, pending: Pending) -> None:
        """Follows the loop, which has taken or refused another structure."""
        swap, report = pending.swap, pending.report
        report.tick, report.duration = int(swap.struct.tick), 1e-9 * swap.struct.duration
        self.structures.append(report)
        if swap.state != TAKEN:
            report.state = pending.refusal()
            self.note(f"structure '{report.model}' {report.state}; the run goes on as it was")
            return
        self._keep()  # ticks of the old structure since
        before = dict(zip(self.system.parameters, map(float, self._loop.parameters)))
        old = self._loop.struct.run
        now = old.t0 + old.steps * old.h
        report.energy_before = self.system.stored_energy(self._loop.x, before, now)
        started = self._parameters.follow(pending)
        report.energy_after = pending.system.stored_energy(swap.after, started.values, now)
        report.moved = float(swap.struct.moved)
        report.frozen = {name: started.values[name] for name in pending.frozen}
        about = describe(
            pending.system, pending.guess, pending.plan, pending.plan.parameters, pending.carried
        )
        self._keeper.restructure(about, started)
        pending.plan.speed = self.plan.speed  # which may have changed meanwhile
        self.system, self.plan = pending.system, pending.plan
        self._pace = replace(pending.pace, speed=self.plan.speed)
        self._loop, self._joints = pending.loop, pending.joints
        for name, gain in dict(self._gains).items():  # to which another thread may add
            if name in self.system.output_names:
                self._loop.set_gain(list(self.system.output_names).index(name), gain)
        for name, watched in dict(self._watched).items():
            if name in self.system.input_names:
                self._loop.watch(
                    list(self.system.input_names).index(name), watched.watch(self.plan.rate)
                )
        report.state = "taken"
