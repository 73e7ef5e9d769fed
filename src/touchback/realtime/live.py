"""Live runs: a compiled system against a clock, with ports, faults and changes at a tick."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.native import Formulation
from touchback.realtime.blame import blame_of
from touchback.realtime.build import state_of
from touchback.realtime.devices import PATIENCE, Device, Service
from touchback.realtime.ending import to_its_end
from touchback.realtime.energy import EnergyObserver
from touchback.realtime.plan import LivePlan, live_solver, paced
from touchback.realtime.ports import GuardedOutput, WatchedInput
from touchback.realtime.report import (
    COUNTS,
    Report,
    energies_of,
    histograms_of,
    memory_of,
    page_faults_of,
    scheduling_of,
    worst_of,
)
from touchback.realtime.served import Serving, ServingDevice
from touchback.realtime.taps import Callback, Tap
from touchback.realtime.transport import Transport
from touchback.realtime.udp import Receiver
from touchback.recording import Run
from touchback.simulate.solver_choice import formulation_for
from touchback.simulate.solvers import Solver
from touchback.system import State, System
from touchback.system.reading import by_name

if TYPE_CHECKING:
    from touchback.realtime.control import Exposed, Port
    from touchback.workbench import Workbench


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
    plan = LivePlan(
        rate, speed, live_solver(system, method, constraints, substeps), constraints,
        by_name("inputs", inputs, "ports"), by_name("outputs", outputs, "ports"),
        by_name("parameters", parameters), by_name("energy", energy, "observers"),
        max_speed,
        max_slip,
    )  # fmt: skip
    plan.check(system)
    pace = paced(plan, spin, priority, cpu)
    return Live(system, state_of(system, x0, plan.parameters), plan, pace, record, share)


class Live(Transport):
    """What `live` gives: enter it to start, leave it to stop.

    `live["input"] = 1.0` and `live["parameter"] = 0.12` take effect at the next tick; `read` gives
    outputs and states of the last one. One that nobody stopped is stopped when the process exits
    or is told to (SIGTERM, SIGHUP); in a process that is forked from its own it can't be used.
    """

    def connect(
        self,
        name: str,
        device: Device | ServingDevice,
        rate: float | None = None,
        patience: float = PATIENCE,
    ) -> Service | Serving:
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
                to_its_end(drained._drain)

        return self._taps.add(callback, note, drain, rate)

    def open_control(
        self, address: str, *, exposed: Exposed | None = None, token: str | None = None
    ) -> Port:
        """Lets other processes ask, through a `Desk` that holds them to what is `exposed`
        (everything), until the run ends: at a name ("rig": a socket that only this user can open),
        a path, or host:port (0 chooses one), which asks for a `token`: one of its own that its
        `address` tells, or that you give, as you must where other machines reach it. They use
        `touchback.control(address)`, or lines of JSON: see the page on control."""
        from touchback.realtime.control.address import Address
        from touchback.realtime.control.desk import Desk
        from touchback.realtime.control.port import Port

        self._check_running()
        port = Port(Desk(self, exposed), Address.of(address), token)
        self._connections.add(port)
        return port

    def view(
        self, *, exposed: Exposed | None = None, host: str = "127.0.0.1", port: int = 0
    ) -> Workbench:
        """Shows it on a page in the browser: see `workbench.open`. A notebook shows the page, a
        script prints its address; the result's `close()` ends the page alone."""
        from touchback.workbench import open as open_page

        return open_page(self, exposed=exposed, host=host, port=port).show()

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
            [each.as_dict() for each in list(self.places) if not each.refused],
        )  # fmt: skip

    @property
    def recording_failure(self) -> OSError | None:
        """What ended the recording before the run, as a full disk does; None when nothing did."""
        return self._keeper.failure

    def recorded(self) -> Run:
        """What was kept so far, as a run; with `record=True`."""
        to_its_end(self._drain)
        return self._keeper.as_run()
