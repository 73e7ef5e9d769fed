"""The life of a live run: from its start to its end, whoever ends it."""

from __future__ import annotations

import os
import threading
import time
from contextlib import ExitStack
from types import TracebackType
from typing import Self

import numpy as np

from touchback.errors import InputError
from touchback.native import Listening
from touchback.native.live.emergency import add_emergency, remove_emergency
from touchback.native.live.wanted import Pace
from touchback.numbers import MOST_COUNTED, number_within
from touchback.realtime.blame import MachineWatch
from touchback.realtime.connections import Connections
from touchback.realtime.ending import WATCH, Elsewhere, to_its_end
from touchback.realtime.plan import LivePlan
from touchback.realtime.signals import Signals
from touchback.realtime.swap import Pending
from touchback.realtime.taps import Taps
from touchback.recording.live_about import StartData
from touchback.system import System


class Life(Signals):
    """A run that is new, running or stopped."""

    _state = "stopped"  # nothing to stop before everything is there
    _elsewhere: Elsewhere | None = None

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
        super().__init__(system, x0, plan, pace, record, share, start)
        self._connections, self._machine = Connections(self), MachineWatch()
        self._stopping = threading.Lock()
        self._supervisor: threading.Thread | None = None
        self._state = "new"
        self.emergency_number = add_emergency(self._loop.commands)
        """Which run it is to the fronts of servers (native/front), who stop it without Python."""
        WATCH.add(self)

    @property
    def state(self) -> str:
        """ "new", "running", "paused" or "stopped"."""
        if self._state == "running" and self._loop.commands.paused:
            return "paused"
        return self._state

    def start(self) -> None:
        """Starts the clock; unclocked runs wait for `run`."""
        self._check_here()
        if self._state != "new":
            raise InputError("A live run starts once; make another with `touchback.live`.")
        self._state = "running"
        self._machine.start()
        self._loop.prepare()
        if self.plan.speed is not None:
            self._supervisor = threading.Thread(target=self._supervise, daemon=True)
            self._supervisor.start()
            self._loop.start()

    def run(self, seconds: float) -> None:
        """Lets so many seconds of the model's time pass; a clocked run goes on afterwards."""
        self._check_running()
        most = MOST_COUNTED / self.plan.rate
        sentence = f"seconds: a live run goes on for a finite time, 0 to {most:.3g} s"
        seconds = number_within(sentence, seconds, 0.0, most)
        if self.state == "paused":
            raise InputError("The live run is paused: `go` on, or make single ticks by `step`.")
        ticks = round(seconds * self.plan.rate)
        self._keeper.refuse_excess(ticks)
        if self.plan.speed is not None:
            goal = self.ticks + ticks
            while self.ticks < goal and self._first.struct.thread:
                time.sleep(min(0.01, max(1e-4, (goal - self.ticks) / self.plan.rate / 2)))
            return
        while ticks > 0:
            loop = self._loop
            with Listening() as listening:
                ahead = self._parameters.ahead or ticks  # of a ramp only what is prepared
                done = loop.advance(min(ticks, ahead, int(loop.struct.ring.capacity)))
                self._drain(finish=True)
            self._taps.wait()
            ticks -= done
            if listening.asked:
                raise KeyboardInterrupt
            if not done and self._loop is loop:
                return

    def stop(self) -> None:
        """Ends the run: outputs become safe along their ramps, the recording whole; then Ctrl-C."""
        self._check_here()
        try:
            to_its_end(self._stop)
        finally:
            WATCH.forget_signals()  # here: they are the main thread's

    def _stop(self) -> None:
        with self._stopping, ExitStack() as steps:  # each is taken, whatever the one before did
            if self._state == "stopped":
                return
            was, self._state = self._state, "stopped"
            for step in (
                lambda: WATCH.remove(self),
                lambda: remove_emergency(self.emergency_number),
                self._free_memory,
                self._taps.close,
                self._keeper.close,
                self._drain,
                self._end_supervisor,
                self._connections.close,  # they get the safe values
                lambda: self._loop.close(),
                self._drain,  # a structure taken in the last tick
                self._machine.stop,
                self._first.stop,
                *([self._wind_down] if was == "running" else []),
            ):
                steps.callback(step)  # the last first

    def _adopt(self, pending: Pending) -> None:
        super()._adopt(pending)
        self._connections.follow()

    def _end_supervisor(self) -> None:
        self._draining.set()
        if self._supervisor is not None:
            self._supervisor.join()

    def _wind_down(self) -> None:
        if any(each.ramp > 0.0 for each in self.plan.outputs.values()):
            self._first.wind_down()
            ring = int(self._loop.struct.ring.capacity)
            while self.plan.speed is None and self._loop.advance(ring):
                self._drain()

    def __del__(self) -> None:
        """A run without a clock that nobody holds any more; one with a clock is never let go."""
        if self._elsewhere is None and self._state != "stopped":
            self._stop()  # here: the collector may have come within the start of a thread

    def leave_to(self, owner: int) -> None:
        """Lets go of everything, in a child process of the owner: nothing of the run is touched."""
        self._keeper.abandon()
        self._connections.abandon()
        self._elsewhere = Elsewhere(owner)
        for name in ("_loop", "_first", "_region", "_parameters", "_keeper", "_connections"):
            setattr(self, name, self._elsewhere)
        self._taps = Taps()
        self._memory, self._pending, self.keeping = None, None, threading.Lock()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._elsewhere is not None:
            return  # a child that leaves has nothing to stop
        try:
            self.stop()
        except KeyboardInterrupt:  # which may have come before anything was stopped
            if self._state != "stopped":
                self.stop()
            raise

    def _check_here(self) -> None:
        if self._elsewhere is not None:
            self._elsewhere.refuse()

    def _check_running(self) -> None:
        self._check_here()
        WATCH.wait()
        if self._state != "running":
            raise InputError(f"The live run is {self._state}; use it within `with live(…)`.")
