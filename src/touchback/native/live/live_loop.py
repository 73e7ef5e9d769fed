"""The clocked loop's Python face (live.h): calls that start, feed and stop it."""

import ctypes
import os
import weakref
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError, SolveError
from touchback.native.c_struct import Record
from touchback.native.integrate.fixed_step_integrators import FixedStep
from touchback.native.integrate.newton_iteration import Newton
from touchback.native.integrate.problem_struct import Problem, Solved
from touchback.native.live.locked_arena import Arena, LockedArrays, struct_bytes
from touchback.native.live.mailbox import Mailbox, mailbox_bytes
from touchback.native.live.tick_layout import (
    LATCHED,
    MEMORY_HEAD,
    MESSAGE_HEAD,
    PLACE_HEAD,
    ROW_HEAD,
    SWAP_HEAD,
    EnergyPort,
    Guard,
    Measured,
    Pace,
    Watch,
)
from touchback.native.live.wakeup_latency import set_clock
from touchback.native.shared_library import LIB, Floats, address_of, as_floats

_SWAPS = 1024  # parameter changes that may wait for their booking


_PLACES = 256  # states that were taken, likewise


_NOTED = 1000  # ticks from one note of what is remembered beside the state to the next


_QUEUED, _QUEUE = 256, 1 << 17  # blocks of a ramp that wait for their ticks, and numbers of them


class Formulation(Protocol):
    """What enforces constraints, with the arrays that its rate works on."""

    @property
    def solved(self) -> Solved: ...
    @property
    def owned(self) -> list[object]: ...


def queued_blocks(block: int) -> int:
    """How many blocks of a size may wait for their ticks."""
    return int(np.clip(_QUEUE // max(block, 1), 8, _QUEUED))


class RunMemory:
    """What stays the same when a run changes its structure: statistics, commands, monitor of
    wakeups."""

    def __init__(self, pace: Pace) -> None:
        kinds = ("tb_live_statistics", "tb_commands", "tb_wakeup_monitor")
        self.arena = Arena(Arena.need(*map(struct_bytes, kinds)))
        self.statistics, self.commands, self.wakeup_monitor = map(self.arena.struct, kinds)
        if pace.speed is not None:
            set_clock(self.wakeup_monitor, pace)


class LiveLoop:
    """A problem, stepped tick by tick: in the calling thread (`advance`) or in one of its own
    (`start`), with everything that its ticks work on in one arena (tb_live). The inputs have a
    mailbox each, and there is one more: that of the emergency stop."""

    begun: Floats | None = None  # what the first tick goes on with, as `save_warm_start` gave it

    def __init__(
        self,
        problem: Problem,
        method: str,
        x0: ArrayLike,
        pace: Pace,
        watches: Sequence[Watch],
        measured: Measured | None = None,
        constrained: Formulation | None = None,
        guards: Sequence[Guard] = (),
        energies: Sequence[EnergyPort] = (),
        ring_rows: int = 4096,
        newton: Newton | None = None,
        parameters: ArrayLike = (),
        memory: RunMemory | None = None,
        max_speed: float = np.inf,
        rate_jumps: Sequence[tuple[float, float]] = (),
    ) -> None:
        """`rate_jumps`: times at which prescribed rates jump, each with that up to which nothing of
        what comes after is read (fixed_step.h)."""
        solved = self._solved(constrained)
        inputs, n, outputs = (
            len(problem.u) - 1,
            problem.state_size,
            measured.count if measured else 0,
        )
        self.newton = newton
        self.pace, self.sizes = pace, (inputs, n, outputs)
        self.row_width = ROW_HEAD + sum(self.sizes) + len(energies)
        self._message_size = MESSAGE_HEAD + outputs + n + len(energies)
        self._extra = len(solved[0]) + len(solved[1])
        self.warm_start_size = problem.warm_start_size
        self._memories = MEMORY_HEAD + self.warm_start_size, 2 + ring_rows // _NOTED
        parts = [problem.p, newton.p if newton else np.empty(0), as_floats(parameters)]
        block = np.concatenate(parts)
        self.memory = memory or RunMemory(pace)
        self.statistics, self.commands = self.memory.statistics, self.memory.commands
        self.arena = Arena(self._needed(len(block), len(guards), energies, ring_rows))
        self.record = Record(self.arena.struct("tb_live"))
        self.struct, self.address = self.record.struct, self.record.address
        self.struct.statistics = ctypes.addressof(self.statistics)
        self.struct.commands = ctypes.addressof(self.commands)
        if pace.speed is not None:
            self.struct.wakeup_monitor = ctypes.addressof(self.memory.wakeup_monitor)
        self.record.owned += [problem, measured, constrained, *solved]
        self._set_problem(problem, method, x0)
        pairs = np.array(rate_jumps, dtype=np.float64).reshape(-1, 2).T.copy()
        jumps = Record(self.struct.run.jumps, count=pairs.shape[1])
        for name, row in zip(("at", "before"), pairs, strict=True):
            jumps.point(name, row)
        self.record.owned += jumps.owned
        self.struct.max_speed = max_speed
        self._set_blocks(block, len(parts[0]), len(parts[1]), newton)
        self._set_pace()
        self._set_ports(watches)
        self._set_guards(guards)
        self._set_energies(energies)
        self._set_outputs(measured, solved if constrained else None)
        self._set_rings(ring_rows)
        elsewhere = constrained.owned if constrained else []
        self._locked = LockedArrays([*problem.record.owned, *self.record.owned, *elsewhere])
        self.lock_errors = (self.arena.lock_error, self._locked.error)

    def use_mailboxes(self, inputs: Sequence[Mailbox], published: Mailbox, mirror: int = 0) -> None:
        """Mailboxes elsewhere, such as in shared memory, instead of the arena's own; so many bytes
        from what is published (0: none) other processes see it."""
        for port, box in zip(self.ports, inputs, strict=True):
            port.mailbox = box.address
        self.struct.published, self.struct.mirror = published.address, mirror

    # ---- running --------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Measures and publishes what there is before the first tick, which goes on with `begun`
        where that is given: measuring is a step on the way, too."""
        LIB.tb_live_prepare(self.address)
        if self.begun is not None and not LIB.tb_live_restore_warm_start(
            self.address, address_of(self.begun)
        ):
            raise InputError(
                "What a recording says that the mechanism remembered is no order of its "
                "constraints and coordinates: the recording is damaged, or of another mechanism."
            )

    def save_warm_start(self) -> Floats:
        """What the next tick hangs on beside the state, between ticks."""
        memory = np.empty(self.warm_start_size)
        LIB.tb_live_save_warm_start(self.address, address_of(memory))
        return memory

    def close(self) -> None:
        """Publishes safe outputs, for no tick will follow."""
        LIB.tb_live_close(self.address)

    def start(self) -> None:
        """Ticks in a thread of their own until `stop`."""
        error = LIB.tb_live_start(self.address)
        if error:
            raise SolveError(f"The live thread can't be started: {os.strerror(error)}.")

    def stop(self) -> None:
        """Ends and joins the thread; further calls do nothing."""
        LIB.tb_live_stop(self.address)
        LIB.tb_live_join(self.address)

    def wind_down(self) -> None:
        """Ticks go on, with the model held, until outputs have followed their ramps to safe; then
        the thread is joined, or `advance` makes no further ticks."""
        LIB.tb_live_wind_down(self.address)
        LIB.tb_live_join(self.address)

    def advance(self, ticks: int) -> int:
        """So many ticks in the calling thread; returns how many were made before a stop."""
        return int(LIB.tb_live_advance(self.address, ticks))

    def repeat(self, inputs: Floats, substeps: int, flags: int) -> None:
        """A recorded tick again."""
        LIB.tb_live_repeat(self.address, address_of(inputs), substeps, flags)

    def resume(self, faults: int = LATCHED) -> None:
        """Clears latched faults at the next tick, unless there are others than these then."""
        LIB.tb_live_resume(self.address, faults)

    def note(self) -> None:
        """Notes before the next tick what it hangs on, so that a recording can begin with it."""
        LIB.tb_live_note(self.address)

    def halt(self) -> None:
        """An emergency stop at the next tick; any thread."""
        LIB.tb_live_halt(self.address)

    def fail(self) -> None:
        """Outputs go to safe at the next tick, for what serves a port failed; any thread."""
        LIB.tb_live_fail(self.address)

    # ---- changes at a tick ----------------------------------------------------------------------

    def offer(self, block: ArrayLike, version: int) -> None:
        """Parameters to be taken over at the next tick; one caller at a time."""
        numbers = self._checked(block)
        LIB.tb_live_offer(self.address, address_of(numbers), version)

    def offer_more(self, block: ArrayLike, version: int, stride: int) -> bool:
        """Parameters to be taken so many ticks after those offered before; False without room."""
        numbers = self._checked(block)
        return bool(LIB.tb_live_offer_more(self.address, address_of(numbers), version, stride))

    def withdraw(self) -> int:
        """Takes back what no tick has taken over yet; returns how many blocks."""
        return int(LIB.tb_live_withdraw(self.address))

    @property
    def room(self) -> int:
        """How many blocks may still be offered."""
        return int(self.struct.queue_capacity - self.struct.queue_count)

    def _checked(self, block: ArrayLike) -> Floats:
        numbers = as_floats(block)
        if numbers.shape != (self.struct.block_size,):
            raise InputError(
                f"The parameter block has {self.struct.block_size} numbers, got {numbers.shape}."
            )
        return numbers

    def place(self, state: Floats) -> None:
        """A state to be taken at the next tick; one caller at a time."""
        LIB.tb_live_place(self.address, address_of(np.ascontiguousarray(state)))

    @property
    def placing(self) -> bool:
        """Whether a state waits for its tick."""
        return bool(self.struct.placing)

    def pause(self, paused: bool) -> None:
        """The model rests from the next tick on, outputs safe; or goes on."""
        LIB.tb_live_pause(self.address, paused)

    def single(self, ticks: int) -> None:
        """So many steps though it is paused."""
        LIB.tb_live_single(self.address, ticks)

    def set_speed(self, speed: float) -> None:
        """How fast the model's time goes, of real time, from the next tick on."""
        LIB.tb_live_set_speed(self.address, speed)

    def set_substeps(self, substeps: int) -> None:
        """Steps of the model in a tick, from the next tick on."""
        LIB.tb_live_ask_substeps(self.address, substeps)

    def set_gain(self, output: int, value: float) -> None:
        """The factor of an output, from the next tick on."""
        LIB.tb_live_set_gain(address_of(self.gains), output, value)

    def watch(self, place: int, watch: Watch) -> None:
        """Watches an input, from the next tick on."""
        port = ctypes.addressof(self.ports[place])
        LIB.tb_live_watch(port, watch.quiet_limit, watch.safe)

    @property
    def parameter_count(self) -> int:
        """How many parameters end the block."""
        return int(self.struct.block_size - self.struct.parameter_start)

    @property
    def parameters(self) -> Floats:
        """The parameters in use, in the order of the system's: a copy, from any thread."""
        values = np.empty(self.parameter_count)
        LIB.tb_live_parameters(self.address, address_of(values))
        return values

    # ---- what was noted -------------------------------------------------------------------------

    def drain(self) -> Floats:
        """Rows of ticks since the last call; one caller at a time."""
        return self._drain(self.struct.ring)

    @property
    def filled(self) -> float:
        """How much of the ring of ticks waits for `drain`, 0 to 1."""
        ring = self.struct.ring
        return float(ring.written - ring.read) / ring.capacity

    def drain_swaps(self) -> Floats:
        """Rows of parameter changes since the last call; one caller at a time."""
        return self._drain(self.struct.swaps)

    def drain_places(self) -> Floats:
        """Rows of states that were taken or refused since the last call; one caller at a time."""
        return self._drain(self.struct.places)

    def drain_memories(self) -> Floats:
        """Rows of what was remembered after ticks, since the last call; one caller at a time."""
        return self._drain(self.struct.memories)

    @staticmethod
    def _drain(ring: ctypes.Structure) -> Floats:
        rows = np.empty((ring.written - ring.read, ring.width))  # there may be more by now
        count = LIB.tb_ring_drain(ctypes.addressof(ring), address_of(rows), len(rows))
        return rows[:count]

    # ---- the arena -------------------------------------------------------------------------------

    def _needed(
        self, block: int, guards: int, energies: Sequence[EnergyPort], ring_rows: int
    ) -> int:
        """Bytes of everything that is carved from the arena."""
        inputs, n, outputs = self.sizes
        ports, message = inputs + 1, self._message_size
        doubles = [
            ring_rows * self.row_width, _SWAPS * (SWAP_HEAD + 2 * n),
            _PLACES * (PLACE_HEAD + 3 * n), int(np.prod(self._memories)), n, ports, message, 5 * n,
            block, block, block, queued_blocks(block) * block, queued_blocks(block),
            n, n, n, outputs, outputs, outputs, outputs,
            ports + self._extra, self._extra,
        ]  # fmt: skip
        return Arena.need(
            struct_bytes("tb_live"),
            struct_bytes("tb_input_port", ports),
            struct_bytes("tb_guard", guards),
            struct_bytes("tb_energy", len(energies)),
            *[8 * len(port.forces) for port in energies for _ in range(4)],
            *[mailbox_bytes(1)] * ports,
            mailbox_bytes(message),
            *[8 * count for count in doubles],
        )

    def _floats(self, name: str, count: int) -> Floats:
        """Zeros of the arena, at a pointer of the struct."""
        array = self.arena.floats(count)
        setattr(self.struct, name, address_of(array))
        return array

    def _set_problem(self, problem: Problem, method: str, x0: ArrayLike) -> None:
        """The problem and its integrator, with state, inputs and parameters in the arena."""
        live, arena, n = self.struct, self.arena, problem.state_size
        start = FixedStep(problem, method, x0, 0.0, 1.0 / self.pace.rate / self.pace.substeps)
        self.record.owned.append(start)
        live.problem, live.run = problem.record.struct, start.record.struct
        self.x, scratch, self.u = arena.floats(n), arena.floats(5 * n), arena.floats(len(problem.u))
        self.x[:], self.u[:] = start.x, problem.u
        live.problem.u = address_of(self.u)
        live.run.x, live.run.scratch = address_of(self.x), address_of(scratch)
        self._floats("rate", n)
        self._floats("good", n)
        self._floats("place", n)

    def _set_blocks(
        self, block: Floats, rate_size: int, newton_size: int, newton: Newton | None
    ) -> None:
        """The parameter block in use, the second one and their mix: the rate's, then the
        Jacobian's, then the parameters themselves."""
        live = self.struct
        blocks = [self.arena.floats(len(block)) for _ in range(3)]
        blocks[0][:] = block
        live.blocks[:] = [address_of(each) for each in blocks]
        live.block_size, live.problem.p = len(block), address_of(blocks[0])
        live.queue_capacity = queued_blocks(len(block))
        self._floats("queue", live.queue_capacity * len(block))
        self._floats("queue_versions", live.queue_capacity)
        live.parameter_start = rate_size + newton_size
        self.first_block = blocks[0]
        if newton is not None and newton_size:
            live.newton_start = rate_size
            newton.record.struct.p = address_of(blocks[0][rate_size:])

    def _set_pace(self) -> None:
        live, pace = self.struct, self.pace
        live.tick_length = 1.0 / pace.rate
        live.period = 0.0 if pace.speed is None else 1e9 / (pace.rate * pace.speed)
        live.speed = int(np.float64(pace.speed or 0.0).view(np.uint64))
        if not self.commands.speed:  # another structure goes at the run's
            self.commands.speed = live.speed
        live.spin = int(1e9 * pace.spin)
        live.late_limit = int(live.period / 10)
        live.catch_up = pace.catch_up
        live.steps_per_tick = pace.substeps
        if not self.commands.substeps:  # another structure takes what the run has
            self.commands.substeps = pace.substeps
        live.priority, live.cpu = pace.priority, pace.cpu
        self.commands.slip_limit = 1e9 * pace.max_slip

    def _set_outputs(self, measured: Measured | None, solved: Solved | None) -> None:
        live, outputs = self.struct, self.sizes[2]
        live.output_count = outputs
        self.record.call("outputs", measured.function if measured else None)
        if solved:
            live.acceleration_count, live.multiplier_count = map(len, solved)
            live.accelerations, live.multipliers = map(address_of, solved)
        self._floats("kept", self._extra)
        self._floats("output_u", self.sizes[0] + 1 + self._extra)
        for name in ("measured", "trial", "delivered"):
            self._floats(name, outputs)
        self.gains = self._floats("gains", outputs)
        self.gains[:] = 1.0
        self._floats("message", self._message_size)

    def _set_rings(self, ring_rows: int) -> None:
        n = self.sizes[1]
        self.struct.memory_size, self.struct.note_every = self.warm_start_size, _NOTED
        for name, width, rows in (
            ("ring", self.row_width, ring_rows),
            ("swaps", SWAP_HEAD + 2 * n, _SWAPS),
            ("places", PLACE_HEAD + 3 * n, _PLACES),
            ("memories", *self._memories),
        ):
            ring = Record(getattr(self.struct, name), width=width, capacity=rows)
            ring.point("rows", self.arena.floats(rows * width))

    @staticmethod
    def _solved(constrained: Formulation | None) -> Solved:
        """Where a formulation leaves accelerations and multipliers."""
        if constrained is None:
            return Solved(np.empty(0), np.empty(0))
        return constrained.solved

    def _set_ports(self, watches: Sequence[Watch]) -> None:
        ports, message = self.sizes[0] + 1, self._message_size
        self.ports = self.arena.structs("tb_input_port", ports)
        for i, watch in zip(range(ports), (*watches, Watch()), strict=True):
            box = Mailbox(self.arena.carve(mailbox_bytes(1)), 1)
            self.ports[i].mailbox = box.address
            self.ports[i].place = (i + 1) % ports  # 0 is that of the stop
            self.ports[i].quiet_limit, self.ports[i].safe = watch.quiet_limit, watch.safe
        published = Mailbox(self.arena.carve(mailbox_bytes(message)), message)
        self.struct.input_count, self.struct.inputs = ports, ctypes.addressof(self.ports)
        self.struct.published = published.address

    def _set_guards(self, guards: Sequence[Guard]) -> None:
        self.guards = self.arena.structs("tb_guard", len(guards))
        for struct, guard in zip(self.guards, guards, strict=True):
            for name in ("output", "low", "high", "slew", "fall", "rise"):
                setattr(struct, name, getattr(guard, name))
            struct.safe = guard.safe or 0.0
            struct.safe_kind = guard.safe is None
            struct.at_limit = guard.trips
        self.struct.guard_count, self.struct.guards = len(guards), ctypes.addressof(self.guards)

    def _set_energies(self, energies: Sequence[EnergyPort]) -> None:
        self.energies = self.arena.structs("tb_energy", len(energies))
        for struct, port in zip(self.energies, energies, strict=True):
            count = struct.count = len(port.forces)
            for name, places in (("forces", port.forces), ("motions", port.motions)):
                array = self.arena.floats(count).view(np.int64)
                array[:] = places
                setattr(struct, name, address_of(array))
            for name in ("before", "velocity"):
                setattr(struct, name, address_of(self.arena.floats(count)))
            for name in ("limit", "by_position", "damping", "trip"):
                setattr(struct, name, getattr(port, name))
        live = self.struct
        live.energy_count, live.energies = len(energies), ctypes.addressof(self.energies)


def add_emergency(commands: ctypes.Structure) -> int:
    """The number of a run with these commands, until `remove_emergency`; 0: there are too many
    runs, and only Python stops this one."""
    return int(LIB.tb_emergency_add(ctypes.addressof(commands)))


def remove_emergency(number: int) -> None:
    """Before its commands are gone."""
    LIB.tb_emergency_remove(number)


class StopCounter:
    """Counts emergency stops by a number of its own, so that one that comes while nothing runs is
    known to whatever begins next, though Python hasn't read it yet. From any thread."""

    def __init__(self) -> None:
        self._commands = LIB.struct("tb_commands")(paused=1)
        self.number = add_emergency(self._commands)
        weakref.finalize(self, _end_counter, self.number, self._commands)

    @property
    def count(self) -> int:
        """Of stops so far."""
        return int(self._commands.halts)

    def stop(self) -> None:
        """One more."""
        if not LIB.tb_emergency_stop(self.number):  # without a number nobody else counts
            self._commands.halts += 1

    def answer_alone(self) -> None:
        """From now on stops are answered though nothing runs: paused at time 0."""
        self._commands.tick = 1


def _end_counter(number: int, commands: ctypes.Structure) -> None:
    """Keeps its commands until nobody can reach them."""
    remove_emergency(number)
