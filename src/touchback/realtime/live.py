"""A live run: a compiled system against a clock, with ports, faults and changes at a tick."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError, SolveError
from touchback.model import Model
from touchback.model.controls import alternatives, choice_name
from touchback.model.switching import active_constraints, switched
from touchback.native import Formulation, Listening
from touchback.native.live.layout import LATCHED, STALE
from touchback.native.live.mailbox import Message
from touchback.native.live.swap import TAKEN, WAITING
from touchback.native.live.wanted import Pace
from touchback.realtime.blame import MachineWatch, blame_of
from touchback.realtime.build import make_loop, state_of
from touchback.realtime.connections import Connections
from touchback.realtime.devices import Service
from touchback.realtime.ending import WATCH, Elsewhere, to_its_end
from touchback.realtime.energy import EnergyObserver
from touchback.realtime.faults import Faults, words
from touchback.realtime.parameters import BOOKED_AT_ONCE, LiveParameters
from touchback.realtime.plan import LivePlan, check_substeps, check_thread, live_solver
from touchback.realtime.ports import STOP_PORT, GuardedOutput, WatchedInput, number_of
from touchback.realtime.record import Keeper, describe
from touchback.realtime.region import PUBLISHED, create
from touchback.realtime.report import (
    COUNTS,
    Report,
    energies_of,
    flag_names,
    histograms_of,
    memory_of,
    page_faults_of,
    scheduling_of,
    worst_of,
)
from touchback.realtime.structure import KnownJoint, joints_of
from touchback.realtime.swap import Now, Pending, Swapped, prepare
from touchback.realtime.udp import Receiver
from touchback.recording import Run, unknown_name
from touchback.simulate.solvers import Solver
from touchback.system import State, System
from touchback.system.compile import compile_model

_DRAIN = 0.1  # seconds between drains of the ring
_CHUNKS = 36_000  # a chunk of a recording is not shorter than this part of it, see _supervise
_MODES = 16  # sets of active constraints that stay compiled


def live(
    system: System,
    x0: State | ArrayLike | None = None,
    *,
    rate: float = 1000.0,
    speed: float | None = 1.0,
    method: str | Solver | None = None,
    constraints: str | Formulation | None = None,
    substeps: int | None = None,
    inputs: Mapping[str, WatchedInput] | None = None,
    outputs: Mapping[str, GuardedOutput] | None = None,
    energy: Mapping[str, EnergyObserver] | None = None,
    parameters: Mapping[str, float] | None = None,
    record: bool | str | os.PathLike[str] = False,
    share: str | None = None,
    max_speed: float = 1e6,
    priority: int = 70,
    cpu: int | None = None,
    spin: float = 20e-6,
) -> Live:
    """A live run of a system, from a state; without one from the initial state, with loops closed.
    It is a context manager.

    `rate`: ticks a second of the model's time, 1 to 10 000; each takes `substeps` steps (1) of a
    fixed-step `method`, by name ("rk4") or as a solver: `tb.RK4(substeps=4)`. `speed`: 1.0 is real
    time, 0.1 a tenth of it, None as fast as possible: then ticks happen only within `run`.
    `constraints` as in `simulate`.

    `inputs` declares which inputs are watched, `outputs` which outputs are guarded, `energy` which
    pairs of both must stay passive. `record` keeps every tick: in memory (True) or in an MCAP file
    (a path). `share` names the shared memory in which other processes find the ports.

    `max_speed` [m/s, rad/s] bounds what the model's velocities can be: beyond it the run has
    diverged, and is held at its last good state with a fault that says so (`math.inf`: never).

    `priority` is that of SCHED_FIFO (0: don't ask), `cpu` the processor for the thread, `spin` how
    many seconds before a tick sleeping becomes spinning. What wasn't permitted is in the report.
    """
    if not sys.platform.startswith("linux"):
        raise InputError(
            f"Live runs need Linux's clock and scheduler; on {sys.platform} use "
            "`touchback.simulate`."
        )
    plan = LivePlan(
        float(rate), speed, live_solver(system, method, constraints, substeps), constraints,
        dict(inputs or {}), dict(outputs or {}), dict(parameters or {}), dict(energy or {}),
        float(max_speed),
    )  # fmt: skip
    plan.check(system)
    check_thread(spin, priority)
    pace = Pace(
        plan.rate, speed, plan.substeps, min(spin, 0.25 / plan.rate), priority=priority,
        cpu=-1 if cpu is None else cpu,
    )  # fmt: skip
    return Live(system, state_of(system, x0, plan.parameters), plan, pace, record, share)


class Live:
    """What `live` gives: enter it to start, leave it to stop.

    `live["input"] = 1.0` and `live["parameter"] = 0.12` take effect at the next tick; `read` gives
    outputs and states of the last one. One that nobody stopped is stopped when the process exits
    or is told to (SIGTERM, SIGHUP); in a process that is forked from its own it can't be used.
    """

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
    ) -> None:
        self.system, self.plan, self._pace = system, plan, pace
        self._loop = self._first = make_loop(system, x0, plan, pace)
        self._parameters = LiveParameters(system, self._loop, plan)
        named = list(zip(system.input_names, system.input_units))
        published = (*system.output_names, *system.state_names, *plan.energy)
        self._region, self._memory, self._region_lock = create(named, published, share)
        self._use_region()
        about = describe(system, x0, plan, self._parameters.values)
        try:
            self._keeper = Keeper(about, record)
        except BaseException:
            self._free_memory()
            raise
        self._connections, self._faults = Connections(self), Faults()
        self._gains: dict[str, float] = {}
        self._joints: dict[str, KnownJoint] | None = None  # of a structure that was taken
        self._modes: dict[tuple[int, tuple[str, ...]], System] = {}
        self._pending: Pending | None = None
        self._swap_lock = threading.Lock()
        self.structures: list[Swapped] = []  # changes of structure, refused ones included
        self._machine = MachineWatch()
        self._draining = threading.Event()
        self._stopping = threading.Lock()
        self.keeping = threading.Lock()
        self._supervisor: threading.Thread | None = None
        self._state = "new"
        WATCH.add(self)

    def _use_region(self) -> None:
        boxes = self._region.mailboxes
        self._loop.use_mailboxes([boxes[name] for name in self._region.inputs], boxes[PUBLISHED])

    # ---- life -----------------------------------------------------------------------------------

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
        if not (np.isfinite(seconds) and seconds >= 0.0):
            raise InputError(f"A live run goes on for a finite time, got seconds={seconds!r}.")
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
                done = loop.advance(min(ticks, int(loop.struct.ring.capacity)))
                self._drain(finish=True)
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
                self._free_memory,
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

    def _end_supervisor(self) -> None:
        self._draining.set()
        if self._supervisor is not None:
            self._supervisor.join()

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
        if self._elsewhere is None:  # a child that leaves has nothing to stop
            self.stop()

    def _check_here(self) -> None:
        if self._elsewhere is not None:
            self._elsewhere.refuse()

    def _check_running(self) -> None:
        self._check_here()
        WATCH.wait()
        if self._state != "running":
            raise InputError(f"The live run is {self._state}; use it within `with live(…)`.")

    def _supervise(self) -> None:
        """Drains the ring. Each drain is a chunk of the recording in the first hour; chunks then
        grow in proportion to its length: so their index in memory grows by its logarithm only."""
        began = last = time.monotonic()
        while not self._draining.wait(_DRAIN):
            now = time.monotonic()
            finish = now - last >= (now - began) / _CHUNKS
            try:
                self._drain(finish)
            except Exception as error:  # the ticks go on, and so must their keeping
                self.note(f"ticks could not be kept: {words(error)}")
            last = now if finish else last

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
            if finish:
                self._keeper.finish_chunk()

    def _keep(self) -> None:
        """Rows first, and again between pieces of the books: those can wait, a full ring can't."""
        more = True
        while more:
            self._keep_rows()
            more = self._parameters.book(BOOKED_AT_ONCE)

    def _keep_rows(self) -> None:
        rows, last = self._loop.drain(), self._parameters.last
        self._keeper.keep(rows, self._parameters.changes)
        self._faults.see(rows, self.system, self._loop)
        for fault in self._faults.take():
            self._keeper.note(fault)
        self._parameters.forget(last)
        if self.structures and len(self.structures[-1].lateness) < 2:
            known = self.structures[-1].lateness
            known += [1e-9 * float(row[6]) for row in rows[: 2 - len(known)]]

    def _adopt(self, pending: Pending) -> None:
        """Follows the loop, which has taken or refused another structure."""
        swap, report = pending.swap, pending.report
        report.tick, report.duration = int(swap.struct.tick), 1e-9 * swap.struct.duration
        self.structures.append(report)
        if swap.state != TAKEN:
            report.state = pending.refusal()
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
        self.system, self.plan, self._pace = pending.system, pending.plan, pending.pace
        self._loop, self._joints = pending.loop, pending.joints
        for name, gain in self._gains.items():
            if name in self.system.output_names:
                self._loop.set_gain(list(self.system.output_names).index(name), gain)
        report.state = "taken"

    # ---- signals --------------------------------------------------------------------------------

    def __setitem__(self, name: str, value: float) -> None:
        """Sets an input or a live parameter from the next tick on."""
        if name in self.system.input_names:
            self.write(name, number_of(name, value))
        elif name in self._parameters.values:
            self._make_room(name)
            now, message = self._region.published()
            start = 3 + len(self.system.output_names)
            state = message.values[start : start + len(self.system.state_names)]
            self._parameters.change(name, number_of(name, value), now["time"], state)
        else:
            settable = [*self.system.input_names, *self._parameters.values]
            raise unknown_name("input or parameter", name, settable)

    def _make_room(self, name: str) -> None:
        """Whoever asks for changes faster than they can be kept does some of the keeping; a change
        is refused rather than that a row were lost."""
        if self._parameters.crowded:
            to_its_end(self._drain)
            if self._keeper.keeps:
                self._parameters.check_room(name)

    def __getitem__(self, name: str) -> float:
        """A parameter or an input as last set, or a signal as last published."""
        if name in self._parameters.values:
            return self._parameters.values[name]
        if name in self.system.input_names:
            box = self._region.mailboxes[name].read()
            place = list(self.system.input_names).index(name)
            return float(box.values[0] if box.number else self.system.input_defaults[place])
        return self.read(name)

    def write(self, name: str, value: float, stamp: int | None = None) -> None:
        """A message for an input, checked, that was made at `stamp` (monotonic ns; now)."""
        self.plan.inputs.get(name, WatchedInput()).check(name, value)
        self._region.write(name, value, stamp)

    def read(self, name: str) -> float:
        """An output (as delivered), a state or an energy of the last tick; or its "tick", "time",
        "flags"."""
        return self._region.read(name)

    def snapshot(self) -> dict[str, float]:
        """All outputs, states and energies of one and the same tick."""
        return self.published()[0]

    def published(self) -> tuple[dict[str, float], Message]:
        """The snapshot, and the message that it came in."""
        return self._region.published()

    @property
    def ticks(self) -> int:
        """Ticks so far."""
        return int(self._loop.statistics.ticks)

    @property
    def faults(self) -> tuple[str, ...]:
        """What keeps the outputs at their safe values at present."""
        return flag_names(int(self.read("flags")) & (LATCHED | STALE))

    def note(self, text: str) -> None:
        """A fault of the run in words, for its report and its recording; any thread."""
        now = self.snapshot()
        self._faults.note(int(now["tick"]), now["time"], text)

    # ---- commands -------------------------------------------------------------------------------

    def emergency_stop(self) -> None:
        """Outputs safe and the model held from the next tick on, until `resume`; any thread."""
        self._region.write(STOP_PORT, 1.0)

    def fail(self, text: str) -> None:
        """A fault that takes guarded outputs to safe from the next tick on, until `resume`."""
        self._loop.fail()
        self.note(text)

    def resume(self) -> None:
        """Clears faults that last: the model goes on from its last good state."""
        self._loop.resume()

    def set_gain(self, output: str, gain: float) -> None:
        """A factor on an output, from the next tick on."""
        names = list(self.system.output_names)
        if output not in names:
            raise unknown_name("output", output, names)
        if not np.isfinite(gain):
            raise InputError(f"The gain of '{output}' must be a number, got {gain!r}.")
        self._gains[output] = float(gain)
        self._loop.set_gain(names.index(output), float(gain))

    def set_substeps(self, substeps: int) -> None:
        """Steps of the model in a tick, from the next tick on."""
        check_substeps(substeps)
        self._loop.set_substeps(int(substeps))

    def choose(self, control: str, alternative: str) -> None:
        """Lets an alternative of a control (or the control itself) act from the next tick on."""
        model = self.system.model
        first = [name for name, each in model.controls.items() if not each.instead_of]
        if control not in first:
            raise unknown_name("control", control, first)
        known = alternatives(model, control)
        if alternative not in known:
            raise unknown_name(f"alternative of '{control}'", alternative, known)
        if len(known) > 1:
            self[choice_name(control)] = float(known.index(alternative))

    # ---- other structures -----------------------------------------------------------------------

    def swap(
        self,
        structure: Model | System | None = None,
        *,
        at: float | None = None,
        rate: float | None = None,
        method: str | Solver | None = None,
        constraints: str | Formulation | None = None,
    ) -> Swapped:
        """Goes on with another structure of the mechanism, or at another rate or by another method.

        It is derived, compiled and tried beside the run, in the calling thread, and taken over at
        the next tick (or the first from the time `at` of the model on). Positions, states, inputs,
        outputs and parameters are carried over by name; a freedom that vanishes freezes where it
        is, as a live parameter of its name; velocities are projected M-orthogonally. What can't be
        is refused, and the run goes on as it was.

        A clocked run without `at` returns when the change has happened; otherwise look at the
        result's `state`. Changes wait for each other.
        """
        self._check_here()
        with self._swap_lock:
            self._check_running()
            pending = self._prepare(structure or self.system, at, rate, method, constraints)
            pending.loop.struct.version = self._parameters.reserve()
            self._pending = pending
            pending.swap.offer()
            if at is None and self.plan.speed is not None:
                while pending.report.state == "waiting" and self._first.struct.thread:
                    to_its_end(self._drain)
                    time.sleep(min(1e-3, 0.5 / self.plan.rate))
                if pending.report.state != "taken":
                    raise SolveError(f"{pending.report.model}: {pending.report.state}.")
            return pending.report

    def _prepare(
        self,
        structure: Model | System,
        at: float | None,
        rate: float | None,
        method: str | Solver | None,
        constraints: str | Formulation | None,
    ) -> Pending:
        to_its_end(self._drain)
        if self._pending is not None:
            raise InputError("Another structure is waiting for its tick; one follows the other.")
        values = self._region.published()[0]
        now = Now(values["time"], values, self._parameters.values)
        changes = rate, method, constraints
        run = (self.system, self.plan, self._pace, self._loop)
        joints = joints_of(self.system.model) if self._joints is None else self._joints
        return prepare(run, joints, structure, now, changes, self._region, at)

    def switch(
        self, activate: Sequence[str] = (), deactivate: Sequence[str] = (), at: float | None = None
    ) -> Swapped:
        """Lets constraints act or rest from a tick on, with the impulse that it takes; the last
        sets of active constraints stay compiled."""
        known = self.system.model.constraint_rows()
        for name in (*activate, *deactivate):
            if name not in known:
                raise unknown_name("constraint", name, known)
        model = switched(switched(self.system.model, activate, True), deactivate, False)
        key = (id(self.system.model.tape), active_constraints(model))
        mode = self._modes.pop(key, None) or compile_model(model)
        self._modes[key] = mode  # last: the latest
        if len(self._modes) > _MODES:
            del self._modes[next(iter(self._modes))]
        return self.swap(mode, at=at)

    # ---- connections ----------------------------------------------------------------------------

    def connect(self, name: str, device: Any, rate: float | None = None) -> Service:
        """Serves a device from a thread outside the tick, `rate` times a second (the run's).

        For an input, `device.read()` gives its value (None: nothing new). For a guarded output,
        `device.write(value)` gets what was delivered, whenever it is new.
        """
        return self._connections.connect(name, device, rate)

    def listen(self, port: int = 0, host: str = "127.0.0.1") -> Receiver:
        """Takes inputs from UDP (see `realtime.udp`); port 0 chooses one, see its `address`."""
        return self._connections.listen(port, host)

    def send(self, host: str, port: int, *outputs: str, rate: float = 100.0) -> Service:
        """Sends outputs or states over UDP, so many times a second."""
        return self._connections.send(host, port, outputs, rate)

    # ---- what happened --------------------------------------------------------------------------

    def report(self) -> Report:
        """How the run goes, or went."""
        loop, statistics = self._loop, self._loop.statistics
        ports = {
            name: {"messages": port.messages, "contended": port.contended}
            for name, port in zip(self._region.inputs, loop.ports)
        }
        self._parameters.book()
        counts = {name: int(getattr(statistics, name)) for name in COUNTS}
        if not self._keeper.keeps:
            counts["lost_rows"] = 0  # a ring that is full of what nobody wants loses nothing
        return Report(
            self.system.name, self.plan.rate, self.plan.speed, int(loop.struct.steps_per_tick),
            counts, histograms_of(loop), worst_of(loop), *scheduling_of(self._first),
            memory_of(loop.arena.size, (*loop.lock_errors, self._region_lock)),
            page_faults_of(self._first), self._keeper.status, ports,
            self._parameters.booked, self._parameters.told(), energies_of(loop, self.plan.energy),
            [each.as_dict() for each in self.structures],
            [each.as_dict() for each in self._faults.latest],
            blame_of(self._first, self._machine),
        )  # fmt: skip

    def recorded(self) -> Run:
        """What was kept so far, as a run; with `record=True`."""
        to_its_end(self._drain)
        return self._keeper.as_run()
