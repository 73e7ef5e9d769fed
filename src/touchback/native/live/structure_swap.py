"""The Python face of live/swap.h: what another structure takes over from the one that runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError
from touchback.native.c_struct import FunctionData, Record
from touchback.native.live.live_loop import LiveLoop
from touchback.native.live.locked_arena import LockedArrays
from touchback.native.shared_library import LIB, Floats, aligned_zeros

WAITING, TAKEN, NOT_FINITE, OPEN, NO_MODE = (
    LIB.constant(f"TB_SWAP_{name}")
    for name in ("WAITING", "TAKEN", "NOT_FINITE", "OPEN", "NO_MODE")
)
# Arrays of a structure, which numbers come from and go to.
STATE, PARAMETERS = LIB.constant("TB_STATE"), LIB.constant("TB_PARAMETERS")


@dataclass(frozen=True)
class StagedFunction:
    """A function by its stage over parameters (None: it reads none), the size of the block that
    this gives, and its stage over states (None: only the block is wanted)."""

    first: FunctionData | None
    block_size: int
    second: FunctionData | None = None


@dataclass(frozen=True)
class ModeRenumbering:
    """A group of modes that both structures have: its place in the new state, the names of its
    modes in the old one, and the number that each has in the new one (−1: it has none)."""

    place: int
    modes: tuple[str, ...]
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class CarriedState:
    """What is carried over: numbers (source, place there, place in the new state or parameters),
    and for each new input, output, guard and energy where it was (−1: nowhere). The inputs' places
    end with that of the emergency stop."""

    to_state: Sequence[tuple[int, int, int]]
    to_parameters: Sequence[tuple[int, int, int]]
    inputs: Sequence[int]
    outputs: Sequence[int]
    guards: Sequence[int]
    energies: Sequence[int]
    modes: Sequence[ModeRenumbering] = ()

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
        carried: CarriedState,
        blocks: Sequence[tuple[StagedFunction, int]],
        velocities: StagedFunction,
        transfer: StagedFunction,
        bodies: int,
        directory: tuple[int, int],
        not_before: float = -np.inf,
    ) -> None:
        """`blocks` gives the stages of the new structure's block with their places in it;
        `directory` the address of the ports' directory word and what it becomes."""
        carried.check(old, new)
        self.old, self.new, self._modes = old, new, carried.modes
        self.record = record = Record("tb_swap", to=new.address, not_before=not_before)
        self.struct = struct = record.struct
        setattr(struct, "from", old.address)
        inputs, n, _ = new.sizes
        freedoms = new.struct.problem.nv
        self.after = record.floats("after", n)
        record.records("moves", "move_count", "tb_move", _moves(carried))
        record.records(
            "renumbered", "renumbered_count", "tb_renumbered", [*map(_renumbered, carried.modes)]
        )
        staged = [(Record("tb_staged"), each, new.first_block[start:]) for each, start in blocks]
        for made, each, block in staged:
            _fill(made, each, block)
        record.records("blocks", "block_count", "tb_staged", [made for made, _, _ in staged])
        for part, each in ((struct.velocities, velocities), (struct.transfer, transfer)):
            made = Record(part)
            _fill(made, each, aligned_zeros(each.block_size))
            record.owned += made.owned
        record.floats("transfer_u", 1 + inputs + 6 * bodies)
        record.floats("transferred", freedoms + freedoms**2)
        for name in ("inputs", "outputs", "guards", "energies"):
            places = [*getattr(carried, name), -1]  # never empty
            record.point(name, np.array(places, dtype=np.int64))
        struct.directory, struct.next_directory = directory
        self._locked = LockedArrays(record.owned)

    def offer(self) -> None:
        """To be taken at the next tick from `not_before` on."""
        LIB.tb_live_offer_swap(self.old.address, self.record.address)

    def take(self) -> bool:
        """Takes it over at once, for a replay; returns whether it was taken."""
        self.offer()
        return int(LIB.tb_live_take_swap(self.old.address)) == self.new.address

    @property
    def lost_mode(self) -> str:
        """After a refusal: the mode that the new structure doesn't have."""
        number = int(self.struct.lost_mode)
        return "no mode" if number < 0 else self._modes[self.struct.lost_group].modes[number]

    @property
    def state(self) -> int:
        """WAITING, TAKEN, or why it was refused."""
        return int(LIB.tb_live_swap_state(self.record.address))


def _renumbered(group: ModeRenumbering) -> Record:
    made = Record("tb_renumbered", place=group.place, count=len(group.numbers))
    made.point("numbers", np.array(group.numbers, dtype=np.int64))
    return made


def _moves(carried: CarriedState) -> list[Record]:
    given = ((STATE, carried.to_state), (PARAMETERS, carried.to_parameters))
    return [
        Record("tb_move", **{"source": source, "from": place, "target": target, "to": to})
        for target, moves in given
        for source, place, to in moves
    ]


def _fill(staged: Record, given: StagedFunction, block: Floats) -> None:
    staged.call("first", given.first)
    staged.point("block", block)
    staged.call("second", given.second)
