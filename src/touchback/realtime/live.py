"""Live runs: a compiled system against a clock, with ports, faults and changes at a tick."""

from __future__ import annotations

import math
import os
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError, SolveError
from touchback.model import Model, active_constraints, alternatives, choice_name, switch_constraints
from touchback.names import unknown_name
from touchback.native import AT_REST, LATCHED, OF_THE_STATE, STALE, Formulation, Listening, Pace
from touchback.native.live.live_loop import add_emergency, remove_emergency
from touchback.native.live.mailbox import Message
from touchback.native.live.structure_swap import TAKEN, WAITING
from touchback.numbers import MOST, MOST_COUNTED, by_name, number_within, whole_within
from touchback.realtime.device_io import (
    PATIENCE,
    Connections,
    Device,
    DeviceService,
    Service,
    ServingDevice,
)
from touchback.realtime.fault_log import Faults, words
from touchback.realtime.latency_attribution import MachineWatch, attribute_latency
from touchback.realtime.live_parameters import BOOKED_AT_ONCE, LiveParameters, read_seconds
from touchback.realtime.live_report import (
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
from touchback.realtime.live_spec import (
    LiveSpec,
    live_solver,
    make_loop,
    pace_of_run,
    read_speed,
    read_substeps,
    settled_near,
)
from touchback.realtime.model_swap import (
    Pending,
    RunSnapshot,
    SwapReport,
    prepare,
    refuse_open_loops,
)
from touchback.realtime.pause_control import PLACES, StateChange, Transport
from touchback.realtime.port_guards import (
    STOP_PORT,
    EnergyObserver,
    GuardedOutput,
    WatchedInput,
    number_of,
)
from touchback.realtime.shared_memory import PUBLISHED, create
from touchback.realtime.shutdown import SHUTDOWN, OwnedByParent, run_uninterrupted
from touchback.realtime.structure_mapping import KnownJoint, joints_of
from touchback.realtime.tick_recorder import (
    ActiveRecording,
    RecordingStart,
    TickRecorder,
    begin_at,
    describe,
    first_row,
    noted,
    recording_start,
)
from touchback.realtime.tick_taps import Callback, Tap, Taps
from touchback.realtime.udp_signals import Receiver
from touchback.recording import Run, StartData
from touchback.safe_files import check_output
from touchback.simulate import Solver, formulation_for, read_state
from touchback.system import State, System, compile_model

if TYPE_CHECKING:
    import touchback as tb
    from touchback.realtime.control.control_port import Port
    from touchback.realtime.control.permissions import Exposed

_DRAIN = 0.1  # seconds between drains of the ring, and of a chunk of a recording
_TAPPED = 1.0 / 60  # seconds between drains while somebody taps
_CHUNKS = 36_000  # a chunk of a recording is not shorter than this part of it, see _supervise
_MOST_STEPS = 1_000_000  # single ticks that may be asked for at once
_FIRST_ROW = 0.5  # seconds that a recording waits for the first tick of a structure
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
    max_slip: float = 1.0,
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
    `max_slip` [s] bounds overload: a clocked run that is more than ten periods late leaves periods
    out; those that add up to more, with a tenth of the time that passes forgiven, are a fault that
    takes guarded outputs to safe until `resume` (`math.inf`: never).

    `priority` is that of SCHED_FIFO (0: don't ask), `cpu` the processor for the thread, `spin` how
    many seconds before a tick sleeping becomes spinning. What wasn't permitted is in the report.
    """
    if not sys.platform.startswith("linux"):
        raise InputError(
            f"Live runs need Linux's clock and scheduler; on {sys.platform} use "
            "`touchback.simulate`."
        )
    constraints = formulation_for(method, constraints)
    solver = live_solver(system, method, constraints, substeps)
    spec = replace(
        LiveSpec.read(system, solver, rate, speed, constraints, parameters),
        inputs=by_name("inputs", inputs, "ports"), outputs=by_name("outputs", outputs, "ports"),
        energy=by_name("energy", energy, "observers"), max_speed=max_speed, max_slip=max_slip,
    )  # fmt: skip
    spec.check()
    pace = pace_of_run(spec, spin, priority, cpu)
    return Live(system, spec.run.from_state(x0).x0, spec, pace, record, share)


class Live:
    """What `live` gives: enter it to start, leave it to stop.

    `live["input"] = 1.0` and `live["parameter"] = 0.12` take effect at the next tick; `read` gives
    outputs and states of the last one. One that nobody stopped is stopped when the process exits
    or is told to (SIGTERM, SIGHUP); in a process that is forked from its own it can't be used.
    """

    _state = "stopped"  # nothing to stop before everything is there
    _owned_by_parent: OwnedByParent | None = None

    def __init__(
        self,
        system: System,
        x0: np.ndarray,
        spec: LiveSpec,
        pace: Pace,
        record: bool | str | os.PathLike[str],
        share: str | None,
        start: StartData | None = None,
    ) -> None:
        self.system, self.spec, self._pace = system, spec, pace
        self._start = dict(zip(system.state_names, map(float, x0)))  # what `reset` goes back to
        self._loop = self._first = make_loop(spec, x0, pace)
        if start is not None:
            begin_at(self._loop, x0, start)
        self._parameters = LiveParameters(system, self._loop, spec)
        named = list(zip(system.input_names, system.input_units))
        published = (*system.output_names, *system.state_names, *spec.energy)
        self._ports, self._memory, self._ports_lock_error = create(named, published, share)
        self._use_ports()
        about = describe(system, x0, spec, self._parameters.values, start=start)
        try:
            self._recorder = TickRecorder(about, record)
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
        self._transport = Transport(self)
        self.structures: list[SwapReport] = []  # changes of structure, refused ones included
        self.places: deque[StateChange] = deque(maxlen=PLACES)  # states that were put, likewise
        self._draining = threading.Event()
        self.recording_lock = threading.Lock()
        self._connections, self._machine = Connections(self), MachineWatch()
        self._stopping = threading.Lock()
        self._supervisor: threading.Thread | None = None
        self._state = "new"
        self.emergency_number = add_emergency(self._loop.commands)
        """Which run it is to the fronts of servers (native/front), who stop it without Python."""
        SHUTDOWN.add(self)

    # ---- lifecycle ------------------------------------------------------------------------------

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
        self._recorder.start_row = first_row(self._loop)  # here: ticks write what it reads
        if self.spec.speed is not None:
            self._supervisor = threading.Thread(target=self._supervise, daemon=True)
            self._supervisor.start()
            self._loop.start()

    def run(self, seconds: float) -> None:
        """Lets so many seconds of the model's time pass; a clocked run goes on afterwards."""
        self._check_running()
        most = MOST_COUNTED / self.spec.rate
        sentence = f"seconds: a live run goes on for a finite time, 0 to {most:.3g} s"
        seconds = number_within(sentence, seconds, 0.0, most)
        if self.state == "paused":
            raise InputError("The live run is paused: `go` on, or make single ticks by `step`.")
        ticks = round(seconds * self.spec.rate)
        self._recorder.refuse_excess(ticks)
        if self.spec.speed is not None:
            goal = self.ticks + ticks
            while self.ticks < goal and self._first.struct.thread:
                time.sleep(min(0.01, max(1e-4, (goal - self.ticks) / self.spec.rate / 2)))
            return
        while ticks > 0:
            loop = self._loop
            with Listening() as listening:
                ahead = self._parameters.ticks_prepared or ticks  # of a ramp only what is prepared
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
            run_uninterrupted(self._stop)
        finally:
            SHUTDOWN.forget_signals()  # here: they are the main thread's

    def _stop(self) -> None:
        with self._stopping, ExitStack() as steps:  # each is taken, whatever the one before did
            if self._state == "stopped":
                return
            was, self._state = self._state, "stopped"
            for step in (
                lambda: SHUTDOWN.remove(self),
                lambda: remove_emergency(self.emergency_number),
                self._free_memory,
                self._taps.close,
                self._recorder.close,
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

    def _wind_down(self) -> None:
        if any(each.ramp > 0.0 for each in self.spec.outputs.values()):
            self._first.wind_down()
            ring = int(self._loop.struct.ring.capacity)
            while self.spec.speed is None and self._loop.advance(ring):
                self._drain()

    def __del__(self) -> None:
        """A run without a clock that nobody holds any more; one with a clock is never let go."""
        if self._owned_by_parent is None and self._state != "stopped":
            self._stop()  # here: the collector may have come within the start of a thread

    def abandon_to(self, owner: int) -> None:
        """Lets go of everything, in a child process of the owner: nothing of the run is touched."""
        self._recorder.abandon()
        self._connections.abandon()
        self._owned_by_parent = OwnedByParent(owner)
        for name in ("_loop", "_first", "_ports", "_parameters", "_recorder", "_connections"):
            setattr(self, name, self._owned_by_parent)
        self._taps = Taps()
        self._memory, self._pending, self.recording_lock = None, None, threading.Lock()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._owned_by_parent is not None:
            return  # a child that leaves has nothing to stop
        try:
            self.stop()
        except KeyboardInterrupt:  # which may have come before anything was stopped
            if self._state != "stopped":
                self.stop()
            raise

    def _check_here(self) -> None:
        if self._owned_by_parent is not None:
            self._owned_by_parent.refuse()

    def _check_running(self) -> None:
        self._check_here()
        SHUTDOWN.wait()
        if self._state != "running":
            raise InputError(f"The live run is {self._state}; use it within `with live(…)`.")

    def _use_ports(self) -> None:
        boxes = self._ports.mailboxes
        inputs = [boxes[name] for name in self._ports.inputs]
        self._loop.use_mailboxes(inputs, boxes[PUBLISHED], self._ports.mirror)

    def _free_memory(self) -> None:
        """What was read last stays readable, here and in children."""
        if self._memory is not None:
            self._ports = self._ports.moved()
            self._use_ports()
            self._memory.close()
            self._memory.unlink()
            self._memory = None
        for memory in (self._ports, self._first.arena, self._loop.arena, self._loop.memory.arena):
            memory.keep_in_children()

    # ---- signals --------------------------------------------------------------------------------

    def __setitem__(self, name: str, value: float) -> None:
        """Sets an input or a live parameter from the next tick on."""
        if name in self.system.input_names:
            self.system.layout.check_input(name, number_of(name, value))
            self.write(name, value)
        elif name in self._parameters.values:
            self.change({name: value})
        else:
            settable = [*self.system.input_names, *self._parameters.values]
            raise unknown_name("input or parameter", name, settable)

    def ramp(self, name: str, value: float, seconds: float) -> None:
        """Brings a live parameter to a value within so many seconds of the model's time, by a small
        step at each tick (above 1 kHz at every second, …), each recorded, replayed and booked as a
        change of its own. A closed loop follows; where it can't, the parameter stays as far as it
        came, and a fault in the report says so. Another value for the same parameter ends a ramp,
        other parameters don't."""
        if name in self.system.input_names:
            raise InputError(
                f"'{name}' is an input, which follows whoever writes it; ramps are of parameters."
            )
        self.change({name: value}, seconds)

    def change(self, values: Mapping[str, float], seconds: float = 0.0) -> None:
        """Sets live parameters, all of them at one tick, or along a ramp."""
        known = self._parameters.values
        for name in by_name("change", values):
            if name not in known:
                raise unknown_name("parameter", name, known)
        if not values:
            return
        self._make_room(next(iter(values)))
        now, message = self._ports.published()
        start = 3 + len(self.system.output_names)
        state = message.values[start : start + len(self.system.state_names)]
        wanted = {name: number_of(name, value) for name, value in values.items()}
        seconds = read_seconds(next(iter(values)), seconds)
        self._parameters.change(wanted, now["time"], state, seconds)

    def _make_room(self, name: str) -> None:
        """Whoever asks for changes faster than they can be kept does some of the keeping; a change
        is refused rather than that a row were lost."""
        if self._parameters.is_full:
            run_uninterrupted(self._drain)
            if self._recorder.keeps:
                self._parameters.check_room(name)

    def __getitem__(self, name: str) -> float:
        """A parameter or an input as last set, or a signal as last published."""
        if name in self._parameters.values:
            return self._parameters.values[name]
        system = self.system
        if name in system.input_names:
            self._ports.refresh()  # the structure may be newer than the system known
            if name not in self._ports.inputs:
                raise unknown_name("input", name, self._ports.inputs)
            box = self._ports.mailbox(name).read()
            place = list(system.input_names).index(name)
            return float(box.values[0] if box.number else system.input_defaults[place])
        return self.read(name)

    def taken(self) -> tuple[np.ndarray, np.ndarray]:
        """Inputs and parameters that ticks use at present, in the order of the system's names."""
        loop = self._loop
        return loop.u[1 : len(loop.ports)].copy(), loop.parameters

    def write(self, name: str, value: float, stamp: int | None = None) -> None:
        """A message for an input, checked, that was made at `stamp` (monotonic ns; now)."""
        self._ports.write(name, self._checked(name, value), stamp)

    def feed(self, name: str, value: float) -> None:
        """A message of a device for its input, which nobody takes while the structure has none."""
        self._ports.mailbox(name).write(self._checked(name, value))

    def _checked(self, name: str, value: float) -> float:
        value = number_of(name, value)
        self.spec.inputs.get(name, WatchedInput()).check(name, value)
        return value

    def read(self, name: str) -> float:
        """An output (as delivered), a state or an energy of the last tick; or its "tick", "time",
        "flags"."""
        return self._ports.read(name)

    def snapshot(self) -> dict[str, float]:
        """All outputs, states and energies of one and the same tick."""
        return self.published()[0]

    def published(self) -> tuple[dict[str, float], Message]:
        """The snapshot, and the message that it came in."""
        return self._ports.published()

    def latest(self) -> tuple[Sequence[str], Message]:
        """The names of what a tick publishes, and the last message: for who looks every tick."""
        return self._ports.latest()

    @property
    def start_state(self) -> np.ndarray:
        """The state that the run starts from, in the order of the system's names; what a later
        structure has beside begins as its model says."""
        first = zip(self.system.state_names, self.system.initial_state().x)
        return np.array([self._start.get(name, float(value)) for name, value in first])

    @property
    def ticks(self) -> int:
        """Ticks so far."""
        return int(self._loop.statistics.ticks)

    @property
    def faults(self) -> tuple[str, ...]:
        """What keeps the outputs at their safe values at present."""
        return flag_names(int(self.read("flags")) & (LATCHED | STALE))

    @property
    def latest_fault(self) -> str:
        """The last of the run's faults in words; empty without one."""
        known = self._faults.latest
        return known[-1].text if known else ""

    # ---- commands -------------------------------------------------------------------------------

    def emergency_stop(self) -> None:
        """Outputs safe and the model held from the next tick on, until `resume`; any thread."""
        self._loop.halt()

    @property
    def stops(self) -> int:
        """How many emergency stops were asked for; the last may wait for its tick."""
        theirs = int(self._ports.mailboxes[STOP_PORT].read().number)
        return int(self._loop.commands.halts) + theirs

    @property
    def stop_waits(self) -> bool:
        """Whether an emergency stop waits for its tick, so that `faults` don't tell of it yet."""
        commands = self._loop.commands
        return bool(commands.halts != commands.halts_taken)

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
        gain = number_within(f"The gain of '{output}' must be a number", gain, -MOST, MOST)
        self._gains[output] = gain
        self._loop.set_gain(names.index(output), gain)

    def watch(self, name: str, max_age: float, safe: float | Literal["hold"] = 0.0) -> None:
        """Watches an input from the next tick on: after `max_age` seconds without a message guarded
        outputs go to their safe values, and the model goes on with `safe`, as where the run was
        begun with such a `WatchedInput`."""
        names = list(self.system.input_names)
        if name not in names:
            raise unknown_name("input", name, names)
        watched = replace(self.spec.inputs.get(name, WatchedInput()), max_age=max_age, safe=safe)
        self._watched = {**self._watched, name: watched}  # another thread may look at the old one
        self._loop.watch(names.index(name), watched.watch(self.spec.rate))

    def set_substeps(self, substeps: int) -> None:
        """Steps of the model in a tick, from the next tick on."""
        self._loop.set_substeps(read_substeps(substeps))

    def choose(self, control: str, alternative: str) -> None:
        """Lets an alternative of a control (or the control itself) act from the next tick on."""
        found = choices(self.system)
        if control not in found:
            raise unknown_name("control", control, list(found))
        known = found[control]
        if alternative not in known:
            raise unknown_name(f"alternative of '{control}'", alternative, known)
        if len(known) > 1:
            self[choice_name(control)] = float(known.index(alternative))

    # ---- transport ------------------------------------------------------------------------------

    def pause(self) -> None:
        """The model rests from the next tick on and guarded outputs go to their safe values, until
        `go`. Its time stands still, which makes no tick late. Parameters, structures and states
        that are asked for meanwhile are taken, and single ticks made by `step`."""
        self._check_clocked("pause")
        self._transport.pause()
        self._wait(self._is_at_rest)

    def go(self) -> None:
        """Goes on after `pause`; guarded outputs come back along their soft starts."""
        self._check_clocked("go")
        self._transport.go()

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Lets the model rest within a `with` block, so that what is measured there still holds at
        the tick that changes it; then it goes on, or stays paused where somebody paused it before
        or meanwhile. A `go` meanwhile acts at the end of the block."""
        self._check_clocked("resting")
        with self._transport.resting():
            self._wait(self._is_at_rest)
            yield

    def _apply_rest(self, resting: bool) -> None:
        """Lets the present loop rest or go on, for the transport; a run may end within a rest."""
        if self._state == "running":
            self._loop.pause(resting)

    def _is_at_rest(self) -> bool:
        return bool(int(self.read("flags")) & AT_REST)

    def step(self, ticks: int = 1, wait: bool = True) -> None:
        """So many ticks of a paused run, as fast as it goes, with outputs that stay safe; returns
        when they have happened, unless it is not to `wait`."""
        self._check_clocked("step")
        ticks = whole_within(f"A paused run makes 1 to {_MOST_STEPS} ticks", ticks, 1, _MOST_STEPS)
        if self.state != "paused":
            raise InputError("Single ticks are made while the live run is paused: `pause` it.")
        self._recorder.refuse_excess(ticks)
        statistics = self._loop.statistics
        goal = statistics.singles + ticks
        self._loop.single(ticks)
        if wait:
            self._wait(lambda: statistics.singles >= goal or self.state != "paused")

    def set_speed(self, speed: float) -> None:
        """How fast the model's time goes from the next tick on: 1.0 is real time, 0.1 a tenth."""
        self._check_clocked("set_speed")
        speed = read_speed(speed)
        with self.recording_lock:
            self.spec.speed, self._pace = speed, replace(self._pace, speed=speed)
            self._loop.set_speed(speed)
            self._recorder.keep_speed(self.ticks, speed)

    def set_state(self, state: State | ArrayLike) -> None:
        """Goes on from another state at the next tick: a jump, which the recording tells, so that a
        replay makes it too. The model's time, inputs and parameters stay as they are. Constraints
        are met first, as near as can be; a state from which they can't is refused.

        A clocked run returns when it has happened.
        """
        self._check_here()
        with self._place_lock:
            self._check_running()
            loop, refused = self._loop, self._loop.statistics.places_refused
            loop.place(self._consistent(read_state(self.system, state)))
            if self.spec.speed is None:
                return
            self._wait(lambda: not loop.placing or self._loop is not loop)
            if loop.placing or loop.statistics.places_refused != refused:
                why = "has another structure now" if loop.placing else "could not close its loops"
                raise SolveError(f"{self.system.name}: the state wasn't taken; the run {why}.")

    def reset(self) -> None:
        """Back to the state that the run started from, as `set_state` does; what another structure
        has beside begins as its model says. Time goes on, parameters and inputs stay.

        A model that is held because its state became no number, ran away or left its constraints
        goes on from there. What else holds it, or its outputs, lasts until `resume`: an emergency
        stop, an output beyond its limits, a device that failed.
        """
        self._check_here()
        self.set_state(self.start_state)
        if int(self.read("flags")) & OF_THE_STATE:
            self._loop.resume(OF_THE_STATE)  # an emergency stop that comes meanwhile lasts

    def _consistent(self, x: np.ndarray) -> np.ndarray:
        """A state that the constraints allow near one that may not be; refused without one."""
        for name, value in zip(self.system.state_names, x):
            if not np.isfinite(value):
                raise InputError(f"{self.system.name}: the state has {name!r} = {value}.")
        self.system.mode_of(x)  # refused when its modes have no such number
        spec = self.spec.with_parameters(self._parameters.values)
        return settled_near(spec, self.read("time"), x)

    def _check_clocked(self, what: str) -> None:
        self._check_running()
        if self.spec.speed is None:
            raise InputError(
                f"{what}: a run as fast as possible (speed=None) has ticks only within `run`; give "
                "it a speed to pause, step and slow down."
            )

    def _wait(self, done: Callable[[], bool]) -> None:
        """Until the ticks have done something, or none will follow."""
        while not done() and self._first.struct.thread:
            run_uninterrupted(self._drain)
            time.sleep(min(1e-3, 0.5 / self.spec.rate))

    # ---- model swap -----------------------------------------------------------------------------

    def swap(
        self,
        structure: Model | System | None = None,
        *,
        at: float | None = None,
        rate: float | None = None,
        method: str | Solver | None = None,
        constraints: str | Formulation | None = None,
        begin: Mapping[str, str] | None = None,
    ) -> SwapReport:
        """Goes on with another structure of the mechanism, or at another rate or by another method.

        It is derived, compiled and tried beside the run, in the calling thread, and taken over at
        the next tick (or the first from the time `at` of the model on). Positions, states, modes,
        inputs, outputs and parameters are carried over by name; a freedom that vanishes freezes
        where it is, as a live parameter of its name; velocities are projected M-orthogonally. What
        can't be is refused, and the run goes on as it was. `begin` names new extra states that
        begin with what a state of the run is at that tick, as {"motor angle": "crank"}.

        A clocked run without `at` returns when the change has happened; otherwise look at the
        result's `state`. Changes wait for each other.
        """
        self._check_here()
        with self._swap_lock:
            self._check_running()
            pending = self._prepare(structure or self.system, at, rate, method, constraints, begin)
            pending.loop.struct.version = self._parameters.reserve()
            self._pending = pending
            pending.swap.offer()
            if at is None and self.spec.speed is not None:
                while pending.report.state == "waiting" and self._first.struct.thread:
                    run_uninterrupted(self._drain)
                    time.sleep(min(1e-3, 0.5 / self.spec.rate))
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
        begin: Mapping[str, str] | None,
    ) -> Pending:
        run_uninterrupted(self._drain)
        if self._pending is not None:
            raise InputError("Another structure is waiting for its tick; one follows the other.")
        values = self._ports.published()[0]
        now = RunSnapshot(values["time"], values, self._parameters.values)
        changes = rate, method, constraints
        run = (self.system, self.spec, self._pace, self._loop)
        joints = joints_of(self.system.model) if self._joints is None else self._joints
        return prepare(run, joints, structure, now, changes, self._ports, at, begin or {})

    def switch(
        self, activate: Sequence[str] = (), deactivate: Sequence[str] = (), at: float | None = None
    ) -> SwapReport:
        """Lets constraints act or rest from a tick on, with the impulse that it takes; the last
        sets of active constraints stay compiled. A loop whose ends are apart now is refused: it
        would close by a jump (with `at` they have until then to meet)."""
        self.system.dynamics.refuse("switch")
        known = self.system.model.constraint_rows()
        for name in (*activate, *deactivate):
            if name not in known:
                raise unknown_name("constraint", name, known)
        model = switch_constraints(
            switch_constraints(self.system.model, activate, True), deactivate, False
        )
        if at is None:
            self._refuse_open_loops(model)
        key = (id(self.system.model.tape), active_constraints(model))
        mode = self._modes.pop(key, None) or compile_model(model)
        self._modes[key] = mode  # last: the latest
        if len(self._modes) > _MODES:
            del self._modes[next(iter(self._modes))]
        return self.swap(mode, at=at)

    def _refuse_open_loops(self, model: Model) -> None:
        system, values = self.system, self._ports.published()[0]
        x = np.array([values[name] for name in system.state_names], dtype=float)
        nq, nv = len(system.layout.q), len(system.layout.v)
        parameters = {name: self._parameters.values[name] for name in system.parameters}
        refuse_open_loops(system, model, x[:nq], values["time"], x[nq + nv :], parameters)

    def _adopt(self, pending: Pending) -> None:
        """Follows the loop, which has taken or refused another structure."""
        swap, report = pending.swap, pending.report
        report.tick, report.duration = int(swap.struct.tick), 1e-9 * swap.struct.duration
        self.structures.append(report)
        if swap.state != TAKEN:
            report.state = pending.refusal()
            self.note(f"structure '{report.model}' {report.state}; the run goes on as it was")
            self._connections.follow()
            return
        self._record_ticks()  # ticks of the old structure since
        before = dict(zip(self.system.parameters, map(float, self._loop.parameters)))
        old = self._loop.struct.run
        now = old.t0 + old.steps * old.h
        report.energy_before = self.system.stored_energy(self._loop.x, before, now)
        started = self._parameters.follow(pending)
        report.energy_after = pending.system.stored_energy(swap.after, started.values, now)
        report.moved = float(swap.struct.moved)
        report.frozen = {name: started.values[name] for name in pending.frozen}
        about = describe(
            pending.system, pending.guess, pending.spec, pending.spec.parameters, pending.carried
        )
        self._recorder.restructure(about, started)
        pending.spec.speed = self.spec.speed  # which may have changed meanwhile
        self.system, self.spec = pending.system, pending.spec
        self._pace = replace(pending.pace, speed=self.spec.speed)
        self._loop, self._joints = pending.loop, pending.joints
        for name, gain in dict(self._gains).items():  # to which another thread may add
            if name in self.system.output_names:
                self._loop.set_gain(list(self.system.output_names).index(name), gain)
        for name, watched in dict(self._watched).items():
            if name in self.system.input_names:
                self._loop.watch(
                    list(self.system.input_names).index(name), watched.watch(self.spec.rate)
                )
        report.state = "taken"
        self._connections.follow()

    # ---- recording ------------------------------------------------------------------------------

    def record(self, path: str | os.PathLike[str], limit: float = math.inf) -> ActiveRecording:
        """Records into an MCAP file from the next tick on, until `end_record`, the end of the run,
        or until the file has `limit` bytes, which is looked at when a chunk ends, and noted by the
        run; besides what `record=` keeps. The motion doesn't depend on it, and `tb.replay` gives
        the same bits as of a whole recording."""
        self._check_running()
        check_output(path, (".mcap",), "record")
        sentence = "record: the limit of a file must be a positive number of bytes"
        limit = number_within(sentence, limit, 1.0)
        self._await_first_row()
        with self.recording_lock:
            row = self._recorder.last_row
            if row is None:
                row = self._recorder.start_row
            if row is None:
                row = first_row(self._loop)
            recording = ActiveRecording(
                path,
                self._recording_start(row),
                self._recording_start,
                lambda: self._loop.note(),
                limit,
            )
            self._recorder.active.append(recording)
        return recording

    def _recording_start(self, row: np.ndarray, noted: StartData | None = None) -> RecordingStart:
        """What a recording that begins after the tick of a row says of itself; with what the run
        has `noted` of that tick."""
        return recording_start(row, self.system, self.spec, self._parameters, self._loop, noted)

    def end_record(self, recording: ActiveRecording) -> None:
        """Finishes what `record` began."""
        run_uninterrupted(self._drain)
        with self.recording_lock:
            if recording not in self._recorder.active:
                raise InputError(f"{recording.path} isn't being recorded any more.")
            self._recorder.active.remove(recording)
            recording.close()

    def _await_first_row(self) -> None:
        """Until a structure's first tick; not for long: a run that is paused has none."""
        until = time.monotonic() + _FIRST_ROW
        while self._recorder.last_row is None and time.monotonic() < until:
            run_uninterrupted(self._drain)
            if self.spec.speed is None:
                break
            time.sleep(1e-3)

    @property
    def recording_failure(self) -> OSError | None:
        """What ended the recording before the run, as a full disk does; None when nothing did."""
        return self._recorder.failure

    def recorded(self) -> Run:
        """What was kept so far, as a run; with `record=True`."""
        run_uninterrupted(self._drain)
        return self._recorder.as_run()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of what a row of a tick has, also before there is one."""
        return tuple(self._recorder.columns)

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
        ramping = self._parameters.ticks_prepared is not None  # steps are prepared then, too
        return _TAPPED if ramping or self._taps.open else _DRAIN

    def _drain(self, finish: bool = False) -> None:
        """Keeps what ticks left, and follows a change of structure; `finish` also makes it a chunk
        of the recording: rarely, for each stays in the index."""
        with self.recording_lock:
            self._record_ticks()
            pending = self._pending
            if pending is not None and pending.swap.state != WAITING:
                self._pending = None
                self._adopt(pending)
                self._record_ticks()
            self._parameters.fill()
            for text in self._parameters.complaints():
                self.note(text)
            if self._ports.newly_lost():
                self._loop.fail()
                self.note("another process cut the run's shared memory short")
            if finish:
                self._recorder.finish_chunk()
            for text in self._recorder.complaints():
                self.note(text)

    def _record_ticks(self) -> None:
        """Rows first, and again between pieces of the energy balance: those can wait, a full ring
        can't."""
        more = True
        while more:
            self._record_rows()
            more = self._parameters.book(BOOKED_AT_ONCE)

    def _record_rows(self) -> None:
        rows, last = self._loop.drain(), self._parameters.last
        self._record_state_changes()  # those of these rows at least
        for row in self._loop.drain_memories():
            self._recorder.keep_memory(noted(row))
        self._recorder.keep(rows, self._parameters.changes)
        self._faults.see(rows, self.system, self._loop)
        self._taps.offer(rows, self._recorder.columns)
        for fault in self._faults.take():
            self._recorder.note(fault)
        self._parameters.forget(last)
        if self.structures and len(self.structures[-1].lateness) < 2:
            known = self.structures[-1].lateness
            known += [1e-9 * float(row[6]) for row in rows[: 2 - len(known)]]

    def _record_state_changes(self) -> None:
        for row in self._loop.drain_places():
            place = StateChange.of(row, self.system, self._parameters.values_at(int(row[0])))
            self._recorder.keep_place(place)
            self.places.append(place)

    # ---- connections ----------------------------------------------------------------------------

    def connect(
        self,
        name: str,
        device: Device | ServingDevice,
        rate: float | None = None,
        patience: float = PATIENCE,
    ) -> Service | DeviceService:
        """Serves a device from a thread outside the tick, `rate` times a second (the run's).

        For an input, `device.read()` gives its value (None: nothing new). For a guarded output,
        `device.write(value)` gets what was delivered, whenever it is new; one that doesn't return
        within `patience` seconds is a fault that takes guarded outputs to safe. A `SerialDevice`
        serves its ports by a thread of its own in C, at the device's rate and by its own deadlines.
        """
        return self._connections.connect(name, device, rate, patience)

    def listen(self, port: int = 0, host: str = "127.0.0.1") -> Receiver:
        """Takes inputs from UDP (see `realtime.udp`); port 0 chooses one, see its `address`."""
        return self._connections.listen(port, host)

    def send(self, host: str, port: int, *outputs: str, rate: float = 100.0) -> Service:
        """Sends outputs or states over UDP, so many times a second."""
        return self._connections.send(host, port, outputs, rate)

    def tap(self, callback: Callback, rate: float | None = None) -> Tap:
        """Calls `callback(rows, columns)` with the rows of all ticks from now on, some sixty times
        a second (or at least `rate` times) in a thread of its own, until its `close()`: a column
        each for tick, time, flags, …, inputs, states, outputs and energies, as recordings have
        them. Another structure has other columns. One that raises is dropped with a note; one that
        is slow loses old rows (`lost`)."""
        self._check_here()
        run = weakref.ref(self)  # who lets go of a run ends it, also while somebody taps

        def note(text: str) -> None:
            if (noted := run()) is not None:
                noted.note(text)

        def drain() -> None:
            if (drained := run()) is not None and drained.state != "stopped":
                run_uninterrupted(drained._drain)

        return self._taps.add(callback, note, drain, rate)

    def open_control(
        self, address: str, *, exposed: Exposed | None = None, token: str | None = None
    ) -> Port:
        """Lets other processes ask, through a `CommandServer` that holds them to what is `exposed`
        (everything), until the run ends: at a name ("rig": a socket that only this user can open),
        a path, or host:port (0 chooses one), which asks for a `token`: one of its own that its
        `address` tells, or that you give, as you must where other machines reach it. They use
        `touchback.control(address)`, or lines of JSON: see the page on control."""
        from touchback.realtime.control.command_server import CommandServer
        from touchback.realtime.control.control_port import Address, Port

        self._check_running()
        port = Port(CommandServer(self, exposed), Address.of(address), token)
        self._connections.add(port)
        return port

    def view(
        self, *, exposed: Exposed | None = None, host: str = "127.0.0.1", port: int = 0
    ) -> tb.workbench.Workbench:
        """Shows it on a page in the browser: see `workbench.open`. A notebook shows the page, a
        script prints its address; the result's `close()` ends the page alone."""
        import touchback as tb

        return tb.workbench.open(self, exposed=exposed, host=host, port=port).show()

    # ---- report ---------------------------------------------------------------------------------

    def report(self) -> Report:
        """How the run goes, or went."""
        loop, statistics = self._loop, self._loop.statistics
        ports = {
            name: {"messages": port.messages, "contended": port.contended}
            for name, port in zip(self._ports.inputs, loop.ports)
        }
        self._parameters.book()
        counts = {name: int(getattr(statistics, name)) for name in COUNTS}
        if not self._recorder.keeps:
            counts["lost_rows"] = 0  # a ring that is full of what nobody wants loses nothing
        return Report(
            self.system.name, self.spec.rate, self.spec.speed, int(loop.struct.steps_per_tick),
            counts, histograms_of(loop), worst_of(loop), *scheduling_of(self._first),
            memory_of(loop.arena.size, (*loop.lock_errors, self._ports_lock_error)),
            page_faults_of(self._first), self._recorder.status, ports,
            self._parameters.booked, self._parameters.report(), energies_of(loop, self.spec.energy),
            [each.as_dict() for each in self.structures],
            [each.as_dict() for each in self._faults.latest],
            attribute_latency(self._first, self._machine),
            [each.as_dict() for each in list(self.places) if not each.refused],
        )  # fmt: skip

    def note(self, text: str) -> None:
        """A fault of the run in words, for its report and its recording; any thread."""
        now = self._ports.published()[0]
        self._faults.note(int(now["tick"]), now["time"], text)


def choices(system: System) -> dict[str, list[str]]:
    """Controls that aren't instead of another, each with its alternatives and itself first; one of
    a copy is "copy/control"."""
    model = system.replica.model if system.names else system.model
    first = [name for name, each in model.controls.items() if not each.instead_of]
    return {
        f"{copy}/{name}" if copy else name: alternatives(model.controls, name)
        for copy in system.names or ("",)
        for name in first
    }
