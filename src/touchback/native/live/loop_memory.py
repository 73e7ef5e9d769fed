"""The memory of a clocked loop (tb_live): one arena, filled once."""

import ctypes
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from touchback.native.integrate.fixed_step import FixedStep
from touchback.native.integrate.newton import Newton
from touchback.native.integrate.problem import Problem, Solved
from touchback.native.library import Floats, address_of, as_floats
from touchback.native.live.layout import (
    MEMORY_HEAD,
    MESSAGE_HEAD,
    PLACE_HEAD,
    ROW_HEAD,
    SWAP_HEAD,
)
from touchback.native.live.mailbox import Mailbox, mailbox_bytes
from touchback.native.live.memory import Arena, LockedArrays, struct_bytes
from touchback.native.live.wanted import EnergyPort, Guard, Measured, Pace, Watch
from touchback.native.live.witness import set_clock
from touchback.native.record import Record

_SWAPS = 1024  # parameter changes that may wait for their booking
_PLACES = 256  # states that were taken, likewise
_NOTED = 1000  # ticks from one note of what is remembered beside the state to the next
_QUEUED, _QUEUE = 256, 1 << 17  # blocks of a ramp that wait for their ticks, and numbers of them


class Formulation(Protocol):
    """What enforces constraints, with the arrays that its rate works on."""

    @property
    def solved(self) -> Solved: ...
    @property
    def kept(self) -> list[object]: ...


def queued_blocks(block: int) -> int:
    """How many blocks of a size may wait for their ticks."""
    return int(np.clip(_QUEUE // max(block, 1), 8, _QUEUED))


class RunMemory:
    """What stays the same when a run changes its structure: statistics, commands, the witness."""

    def __init__(self, pace: Pace) -> None:
        kinds = ("tb_live_statistics", "tb_commands", "tb_witness")
        self.arena = Arena(Arena.need(*map(struct_bytes, kinds)))
        self.statistics, self.commands, self.witness = map(self.arena.struct, kinds)
        if pace.speed is not None:
            set_clock(self.witness, pace)


class LoopMemory:
    """Everything that the ticks of a problem work on. The inputs have a mailbox each, and there is
    one more: that of the emergency stop."""

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
    ) -> None:
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
        self.remembered = problem.remembered
        self._memories = MEMORY_HEAD + self.remembered, 2 + ring_rows // _NOTED
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
            self.struct.witness = ctypes.addressof(self.memory.witness)
        self.record.kept += [problem, measured, constrained, *solved]
        self._set_problem(problem, method, x0)
        self.struct.max_speed = max_speed
        self._set_blocks(block, len(parts[0]), len(parts[1]), newton)
        self._set_pace()
        self._set_ports(watches)
        self._set_guards(guards)
        self._set_energies(energies)
        self._set_outputs(measured, solved if constrained else None)
        self._set_rings(ring_rows)
        elsewhere = constrained.kept if constrained else []
        self._locked = LockedArrays([*problem.record.kept, *self.record.kept, *elsewhere])
        self.lock_errors = (self.arena.lock_error, self._locked.error)

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
        self.record.kept.append(start)
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
        self.struct.memory_size, self.struct.note_every = self.remembered, _NOTED
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
