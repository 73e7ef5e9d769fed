"""The clocked loop's Python face (live.h): calls that start, feed and stop it."""

import ctypes
import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError, SolveError
from touchback.native.library import LIB, Floats, address_of, as_floats
from touchback.native.live.layout import LATCHED
from touchback.native.live.loop_memory import LoopMemory
from touchback.native.live.mailbox import Mailbox
from touchback.native.live.wanted import Watch


class LiveLoop(LoopMemory):
    """A problem, stepped tick by tick: in the calling thread (`advance`) or in one of its own
    (`start`)."""

    begun: Floats | None = None  # what the first tick goes on with, as `remember` gave it

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

    def remember(self) -> Floats:
        """What the next tick hangs on beside the state, between ticks."""
        memory = np.empty(self.remembered)
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
