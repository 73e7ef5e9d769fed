"""Operations of one instance that go side by side: those of equal limbs, found on the program.

A program knows which of its inputs play the same part in equal limbs (`Program.alike`). What
depends on inputs of one limb only is of that limb's lane, and operations of different lanes that
make the same thing of the same parts are of one class. Each lane of a pack does the very operation
of the program, so that no bit can change.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from touchback.codegen.abi import CALLED
from touchback.symbolic import ops
from touchback.symbolic.ops import ADD, EQ, FMA, FMS, FNMA, INPUT, MUL, SUB
from touchback.symbolic.program import Program

ABSENT = -1  # in a pack: a lane that has no such node, and may hold anything
Pack = tuple[int, ...]  # a node for each lane
Limb = tuple[int, int]  # its group, and its number there

_OF_NO_LIMB = 0  # the class of constants, and of whatever else doesn't depend on limbs
_KIND = {SUB: ADD, FNMA: FMA, FMS: FMA}  # sums are told apart by signs, which numbers may bring in
_SWAPPING = {ADD, MUL, EQ, FMA}  # whose first two operands may be swapped


@dataclass
class Packs:
    """Packs of a program for registers of so many lanes."""

    operands: list[tuple[int, ...]]  # of each node
    classes: list[int]  # of each node; 0 if it depends on no limb
    packs: list[Pack] = field(default_factory=list)
    of: dict[int, int] = field(default_factory=dict)  # node → index of its pack
    together: dict[int, Pack] = field(default_factory=dict)  # node of a limb → its class in lanes


def find_packs(program: Program, width: int) -> Packs:
    """What can go side by side; of limbs beyond the width the further ones have packs of their
    own."""
    rows = zip(program.op, program.a, program.b, program.c, strict=True)
    operands = [(a, b, c)[: ops.ARITY[op]] for op, a, b, c in rows]
    limbs = sorted({(part.group, part.limb) for part in program.alike.values()})
    lane = _lanes(program, operands, limbs)
    classes, members = _classes(program, operands, lane, limbs)
    found = Packs(operands, classes)
    for by_lane in members:
        chunks: dict[int, dict[int, int]] = {}
        for number, node in by_lane.items():
            chunks.setdefault(number // width, {})[number % width] = node
        for some in chunks.values():
            _add_pack(program, found, some, width)
    return found


def _add_pack(program: Program, found: Packs, some: dict[int, int], width: int) -> None:
    whole = tuple([some.get(k, ABSENT) for k in range(width)])
    kinds = [program.op[node] for node in some.values()]
    op = max(kinds, key=kinds.count)
    for node in some.values():
        found.together[node] = whole
    if kinds.count(op) < 2 or op == INPUT or op in CALLED:
        return
    pack = tuple([x if x != ABSENT and program.op[x] == op else ABSENT for x in whole])
    for node in pack:
        if node != ABSENT:
            found.of[node] = len(found.packs)
    found.packs.append(pack)


def _lanes(program: Program, operands: list[tuple[int, ...]], limbs: list[Limb]) -> list[int]:
    """The lane of each node, as a bit of that limb: none if it depends on no limb, several if it
    isn't one limb's.

    Inputs that one limb alone reads are that limb's, too."""
    bit = {limb: 1 << k for k, limb in enumerate(limbs)}
    given = [0] * len(operands)
    for node, part in program.alike.items():
        given[node] = bit[part.group, part.limb]
    lane = _spread(operands, given)
    reader = _readers(operands, lane)
    own = [node for node in program.inputs if not lane[node] and reader[node].bit_count() == 1]
    for node in own:
        given[node] = reader[node]
    return _spread(operands, given) if own else lane


def _spread(operands: list[tuple[int, ...]], given: list[int]) -> list[int]:
    """What is computed from one limb's is that limb's; so is what depends on several limbs, but
    meets those of one limb only from there on (its accelerations, which depend on the trunk's)."""
    limbs = given[:]
    for i, read in enumerate(operands):
        if read:
            found = 0
            for operand in read:
                found |= limbs[operand]
            limbs[i] = found
    met = [0] * len(operands)
    for i in range(len(operands) - 1, 1, -1):
        if limbs[i] & limbs[i] - 1:  # several
            for operand in operands[i]:
                if not limbs[operand] & limbs[operand] - 1:
                    met[i] |= limbs[operand]
            for operand in operands[i]:
                met[operand] |= met[i]
    return [
        meeting if limb & limb - 1 and meeting and not meeting & meeting - 1 else limb
        for meeting, limb in zip(met, limbs, strict=True)
    ]


def _readers(operands: list[tuple[int, ...]], lane: list[int]) -> list[int]:
    """Which lanes use a node, by way of others that depend on no limb."""
    reader = [0] * len(operands)
    for i in range(len(operands) - 1, 1, -1):
        for operand in operands[i]:
            reader[operand] |= lane[i] or reader[i]
    return reader


def _classes(
    program: Program, operands: list[tuple[int, ...]], lane: list[int], limbs: list[Limb]
) -> tuple[list[int], list[dict[int, int]]]:
    """The class of each node, and those with several nodes of different lanes.

    What a limb does several times with different numbers of no limb is told apart by its order."""
    known: dict[object, int] = {}
    times: dict[tuple[int, int], int] = {}
    members: dict[int, dict[int, int]] = {}
    of = [_OF_NO_LIMB] * len(operands)
    for i, own in enumerate(lane):
        if not own:
            continue
        if own & own - 1:  # of several limbs
            of[i] = known.setdefault(i, len(known) + 1)
            continue
        group, number = limbs[own.bit_length() - 1]
        key = _shape(program, i, [of[operand] for operand in operands[i]])
        shape = known.setdefault(("shape", group, *key), len(known) + 1)
        count = times[shape, own] = times.get((shape, own), -1) + 1
        of[i] = known.setdefault((shape, count), len(known) + 1)
        members.setdefault(of[i], {})[number] = i
    return of, [each for each in members.values() if len(each) > 1]


def _shape(program: Program, i: int, found: list[int]) -> tuple[int, ...]:
    """What a node makes of the classes of its operands, whatever the signs and order of sums."""
    op = program.op[i]
    kind = _KIND.get(op, op)
    if kind in _SWAPPING and found[0] > found[1]:
        found[0], found[1] = found[1], found[0]
    elif op == INPUT:
        found = [program.alike[i].part] if i in program.alike else []
    elif op in (ops.LOOKUP1, ops.LOOKUP2):
        found.append(program.c[i])
    return kind, *found
