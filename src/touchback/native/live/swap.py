"""The Python face of live/swap.h: what another structure takes over from the one that runs."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from touchback.errors import InputError
from touchback.native.integrate.problem import CallableStruct, FunctionData
from touchback.native.library import LIB, Floats, address_of, aligned_zeros
from touchback.native.live.live import LiveLoop
from touchback.native.live.memory import LockedArrays
from touchback.native.live.structs import MoveStruct, StagedStruct, SwapStruct

WAITING, TAKEN, NOT_FINITE, OPEN = range(4)
STATE, PARAMETERS = range(2)  # arrays of a structure, which numbers come from and go to

LIB.tb_live_offer_swap.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
LIB.tb_live_take_swap.restype = ctypes.c_void_p
LIB.tb_live_take_swap.argtypes = LIB.tb_live_swap_state.argtypes = [ctypes.c_void_p]
LIB.tb_live_swap_state.restype = ctypes.c_long


@dataclass(frozen=True)
class Staged:
    """A function by its stage over parameters (None: it reads none), the size of the block that
    this gives, and its stage over states (None: only the block is wanted)."""

    first: FunctionData | None
    block_size: int
    second: FunctionData | None = None


@dataclass(frozen=True)
class Carried:
    """What is carried over: numbers (source, place there, place in the new state or parameters),
    and for each new input, output, guard and energy where it was (−1: nowhere). The inputs' places
    end with that of the emergency stop."""

    to_state: Sequence[tuple[int, int, int]]
    to_parameters: Sequence[tuple[int, int, int]]
    inputs: Sequence[int]
    outputs: Sequence[int]
    guards: Sequence[int]
    energies: Sequence[int]

    def check(self, old: LiveLoop, new: LiveLoop) -> None:
        """Refuses places that the structures don't have: C takes them as they are."""
        sources = {STATE: old.sizes[1], PARAMETERS: old.parameter_count}
        for name, room in (("to_state", new.sizes[1]), ("to_parameters", new.parameter_count)):
            for source, place, target in getattr(self, name):
                if source not in sources:
                    raise _misplaced(name, "the kind of source", source, 0, PARAMETERS)
                _check_place(name, place, 0, sources[source])
                _check_place(name, target, 0, room)
        for name, before, after in (
            ("inputs", old.sizes[0], new.sizes[0] + 1),
            ("outputs", old.sizes[2], new.sizes[2]),
            ("guards", len(old.guards), len(new.guards)),
            ("energies", len(old.energies), len(new.energies)),
        ):
            places = list(getattr(self, name))
            if len(places) != after:
                raise _misplaced(name, "the number of places", len(places), after, after)
            if name == "inputs" and places.pop() != before:
                raise InputError(
                    f"What is carried over, inputs: the last isn't the stop's {before}."
                )
            for place in places:
                _check_place(name, place, -1, before)


def _check_place(name: str, place: int, lowest: int, count: int) -> None:
    if not lowest <= place < count:
        raise _misplaced(name, "a place", place, lowest, count - 1)


def _misplaced(name: str, what: str, number: int, low: int, high: int) -> InputError:
    allowed = f"{low} to {high}" if low < high else f"{low}" if low == high else "none"
    return InputError(f"What is carried over, {name}: {what} is {number}; allowed: {allowed}.")


class Swap:
    """A change of structure on offer; one at a time."""

    def __init__(
        self,
        old: LiveLoop,
        new: LiveLoop,
        carried: Carried,
        blocks: Sequence[tuple[Staged, int]],
        velocities: Staged,
        transfer: Staged,
        bodies: int,
        directory: tuple[int, int],
        not_before: float = -np.inf,
    ) -> None:
        """`blocks` gives the stages of the new structure's block with their places in it;
        `directory` the address of the ports' directory word and what it becomes."""
        carried.check(old, new)
        self.old, self.new = old, new
        self._arrays: list[NDArray[np.generic]] = []
        self._kept_alive: list[object] = [blocks, velocities, transfer]
        inputs, n, _ = new.sizes
        freedoms = new.struct.problem.nv
        self.after = self._floats(n)
        struct = self.struct = SwapStruct(old.address, new.address, not_before)
        both = ((STATE, carried.to_state), (PARAMETERS, carried.to_parameters))
        moves = [
            MoveStruct(source, place, target, to)
            for target, given in both
            for source, place, to in given
        ]
        self._moves_array = (MoveStruct * len(moves))(*moves)
        struct.move_count, struct.moves = len(moves), ctypes.addressof(self._moves_array)
        staged = [self._staged(each, new.first_block[start:]) for each, start in blocks]
        self._blocks_array = (StagedStruct * len(staged))(*staged)
        struct.block_count, struct.blocks = len(staged), ctypes.addressof(self._blocks_array)
        struct.velocities, struct.transfer = self._staged(velocities), self._staged(transfer)
        struct.transfer_u = address_of(self._floats(1 + inputs + 6 * bodies))
        struct.transferred = address_of(self._floats(freedoms + freedoms**2))
        for name in ("inputs", "outputs", "guards", "energies"):
            setattr(struct, name, address_of(self._places(getattr(carried, name))))
        struct.after = address_of(self.after)
        struct.directory, struct.next_directory = directory
        self._locked = LockedArrays(self._arrays)

    def _floats(self, count: int) -> Floats:
        array = aligned_zeros(max(count, 1))
        self._arrays.append(array)
        return array

    def _places(self, places: Sequence[int]) -> NDArray[np.int64]:
        array = np.array([*places, -1], dtype=np.int64)  # never empty
        self._arrays.append(array)
        return array

    def _callable(self, function: FunctionData | None) -> CallableStruct:
        if function is None:
            return CallableStruct()
        self._kept_alive.append(function)
        work = address_of(self._floats(function.work_size))
        return CallableStruct(function.address, work, function.context_address)

    def _staged(self, given: Staged, block: Floats | None = None) -> StagedStruct:
        out = self._floats(given.block_size) if block is None else block
        return StagedStruct(
            self._callable(given.first), address_of(out), self._callable(given.second)
        )

    def offer(self) -> None:
        """To be taken at the next tick from `not_before` on."""
        LIB.tb_live_offer_swap(self.old.address, ctypes.addressof(self.struct))

    def take(self) -> bool:
        """Takes it over at once, for a replay; returns whether it was taken."""
        self.offer()
        return int(LIB.tb_live_take_swap(self.old.address)) == self.new.address

    @property
    def state(self) -> int:
        """WAITING, TAKEN, or why it was refused."""
        return int(LIB.tb_live_swap_state(ctypes.addressof(self.struct)))
