"""Operations of equal branches of a mechanism, as of a robot's legs, side by side in vectors.

A program knows which of its inputs play the same part in equal branches (`Program.alike`). What
depends on inputs of one branch only is of that branch's lane, and operations of different lanes
that make the same thing of the same parts are of one class. Each lane of a pack does the very
operation of the program, so that no bit can change.

What packs read is a vector already, one number for all lanes, constants, or numbers brought
together; of vectors that single operations read, lanes are read where the vector was stored.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from itertools import pairwise

from touchback.codegen.calling_convention import CALLED
from touchback.codegen.machine_operations import JOIN, LANE, MACHINE_ARITY, PAIR, SPREAD, WIDER_JOIN
from touchback.symbolic import (
    ADD,
    COMMUTES,
    CONST,
    EQ,
    FMA,
    FMS,
    FNMA,
    INPUT,
    MUL,
    SUB,
    Program,
    ops,
)

# Operations of programs that are looked at: smaller ones wait for results anyway, and of larger
# ones compilation would take noticeably longer.
FEWEST, MOST = 400, 60_000


# Operations one by one for one of the packed program, from which packing pays, by lanes. Measured
# gains were 0.65 to 1 of counted ones with four and eight lanes, 0.84 to 1.16 with two.
GAIN = {2: 1.1, 4: 1.25, 8: 1.25}


_CALL = 50  # instructions that a call of the C library takes, roughly


_INSTRUCTIONS = [
    0 if op in (CONST, INPUT, LANE) else _CALL if op in CALLED else 1
    for op in range(len(MACHINE_ARITY))
]


_PRODUCTS = (FMA, FNMA, FMS)


@dataclass
class PackedProgram(Program):
    """Some nodes are vectors of `width` doubles. LANE reads lane c of vector a; the constants of
    vectors have a number for each lane."""

    width: int = 1
    wide: list[bool] = field(default_factory=list)
    columns: dict[int, tuple[float, ...]] = field(default_factory=dict)


def pack_program(program: Program, widths: tuple[int, ...]) -> PackedProgram | None:
    """The program with isomorphic branches side by side, None where that doesn't pay."""
    if not program.alike or not FEWEST <= len(program.op) <= MOST:
        return None
    branches = 1 + max(part.branch for part in program.alike.values())
    width = next((w for w in widths[1:] if w >= branches), widths[-1])
    found, alone, gain = find_packs(program, width), count_instructions(program), GAIN[width]
    at_best = alone - sum(width - 1 - pack.count(ABSENT) for pack in found.packs)
    if alone < gain * at_best:
        return None
    made = _Packing(program, found, width).packed_program()
    return made if alone >= gain * count_instructions(made) else None


def count_instructions(program: Program) -> int:
    """Instructions, roughly: operations, stores of results, and of vectors that are read lane by
    lane; lanes that are results are copied from there."""
    stored = {a for op, a in zip(program.op, program.a, strict=True) if op == LANE}
    copied = sum(program.op[abs(output)] == LANE for output in program.outputs)
    operations = sum(_INSTRUCTIONS[op] for op in program.op)
    return operations + len(stored) + copied + len(program.outputs)


class _Packing:
    """The new nodes, first in the order in which they are asked for."""

    def __init__(self, program: Program, found: Packs, width: int) -> None:
        self.old, self.found, self.width = program, found, width
        self.rows: list[list[int]] = []  # op, a, b, c
        self.rank: list[int] = []  # the place in the old program
        self.wide: list[bool] = []
        self.columns: dict[int, tuple[float, ...]] = {}
        self.singles: dict[int, int] = {}  # old node → new one
        self.vectors: dict[tuple[object, ...], int] = {}
        self.waiting: list[tuple[int, Pack]] = []  # new nodes whose operands aren't there yet
        self.simple: dict[Pack, bool] = {}
        # What two operands have in common: their class, or that they are constants, or one node.
        self.kind = [
            known or (-1 if op == CONST else -1 - node)
            for node, (known, op) in enumerate(zip(found.classes, program.op, strict=True))
        ]

    def packed_program(self) -> PackedProgram:
        self.scalar_node(0)
        self.scalar_node(1)
        outputs = [self.scalar_node(abs(output)) for output in self.old.outputs]
        while self.waiting:
            self._fill_operands(*self.waiting.pop())
        order = self._order_nodes()
        new = [0] * len(order)
        for place, node in enumerate(order):
            new[node] = place
        signed = zip(outputs, self.old.outputs, strict=True)
        columns = zip(*(self._renumber(self.rows[node], new) for node in order), strict=True)
        op, a, b, c = (list(column) for column in columns)
        return PackedProgram(
            op, a, b, c,
            {new[self.singles[i]]: x for i, x in self.old.values.items() if i in self.singles},
            {new[self.singles[i]]: x for i, x in self.old.inputs.items() if i in self.singles},
            [new[x] if old >= 0 else -new[x] for x, old in signed],
            self.old.lookups, {}, self.width, [self.wide[node] for node in order],
            {new[node]: column for node, column in self.columns.items()},
        )  # fmt: skip

    def _renumber(self, row: list[int], new: list[int]) -> list[int]:
        count = MACHINE_ARITY[row[0]]  # what comes after is a lookup, or a lane
        return [row[0], *(new[x] for x in row[1 : 1 + count]), *row[1 + count :]]

    def _order_nodes(self) -> list[int]:
        """Operands first, otherwise as in the old program.

        No two packs wait for each other: all nodes of a class read the same classes, which came
        before it, and the very same nodes of several branches."""
        order: list[int] = []
        done = bytearray(len(self.rows))
        for root in sorted(range(len(self.rows)), key=self.rank.__getitem__):
            stack = [root]
            while stack:
                node = stack[-1]
                op, *columns = self.rows[node]
                missing = [x for x in columns[: MACHINE_ARITY[op]] if not done[x]]
                if missing and not done[node]:
                    stack.extend(sorted(missing, key=self.rank.__getitem__, reverse=True))
                    continue
                stack.pop()
                if not done[node]:
                    done[node] = 1
                    order.append(node)
        return order

    # ---- nodes ----------------------------------------------------------------------------------

    def _add_node(self, op: int, rank: int, wide: bool, *operands: int) -> int:
        self.rows.append([op, *operands, *(0,) * (3 - len(operands))])
        self.rank.append(rank)
        self.wide.append(wide)
        return len(self.rows) - 1

    def scalar_node(self, node: int) -> int:
        """The new node of an old one, alone."""
        if node not in self.singles:
            pack = self.found.of.get(node)
            op = self.old.op[node]
            if pack is not None:
                lanes = self.found.packs[pack]
                vector = self.pack(lanes)
                made = self._add_node(LANE, node, False, vector, 0, lanes.index(node))
            else:
                made = self._add_node(op, node, False, 0, 0, self.old.c[node])
                if op not in (CONST, INPUT):
                    self.waiting.append((made, (node,)))
            self.singles[node] = made
        return self.singles[node]

    def pack(self, lanes: Pack) -> int:
        """The new node of a pack."""
        if lanes not in self.vectors:
            some = [node for node in lanes if node != ABSENT]
            self.vectors[lanes] = self._add_node(self.old.op[some[0]], min(some), True)
            self.waiting.append((self.vectors[lanes], lanes))
        return self.vectors[lanes]

    def _fill_operands(self, made: int, lanes: Pack) -> None:
        if not self.wide[made]:
            found = [self.scalar_node(x) for x in self.found.operands[lanes[0]]]
        else:
            found = [self.vector(each) for each in self._columns_of(lanes)]
        self.rows[made][1 : 1 + len(found)] = found

    def _columns_of(self, lanes: Pack) -> list[Pack]:
        """The operands of a pack: where two of them may be swapped, so that they agree with those
        of the first lane."""
        rows = [self.found.operands[node] if node != ABSENT else None for node in lanes]
        first = next(row for row in rows if row is not None)
        if COMMUTES[op := self.old.op[max(lanes)]] or op in _PRODUCTS:
            kind = self.kind
            x, y = kind[first[0]], kind[first[1]]
            for lane, row in enumerate(rows):
                if row is not None and (kind[row[0]], kind[row[1]]) != (x, y):
                    straight = (kind[row[0]] == x) + (kind[row[1]] == y)
                    if (kind[row[0]] == y) + (kind[row[1]] == x) > straight:
                        rows[lane] = (row[1], row[0], *row[2:])
        absent = (ABSENT,) * len(first)
        return list(zip(*[absent if row is None else row for row in rows], strict=True))

    # ---- vectors --------------------------------------------------------------------------------

    def vector(self, lanes: Pack) -> int:
        """A vector of old nodes, one for each lane."""
        first = max(lanes)
        known = self.found.of.get(first)
        if known is not None and _is_part_of_pack(self.found.packs[known], lanes):
            return self.pack(self.found.packs[known])
        some = [node for node in lanes if node != ABSENT]
        if all([self.old.op[node] == CONST for node in some]):
            return self._constant_vector(lanes, first)
        if some.count(first) == len(some):
            return self._vector_of_scalars(("all", first), SPREAD, first)
        if self._is_simple(lanes):
            return self.pack(lanes)
        whole = self.found.together.get(first, lanes)
        return self._gather_vector(whole if _is_part_of_pack(whole, lanes) else lanes)

    def _constant_vector(self, lanes: Pack, first: int) -> int:
        numbers = tuple(self.old.values[x if x != ABSENT else first] for x in lanes)
        key = ("numbers", struct.pack(f"{len(numbers)}d", *numbers))  # bits: 0.0 equals −0.0
        if key not in self.vectors:
            self.vectors[key] = self._add_node(CONST, 2, True)
            self.columns[self.vectors[key]] = numbers
        return self.vectors[key]

    def _is_simple(self, lanes: Pack) -> bool:
        """Whether different nodes that depend on no branch come from one operation each on
        constants and common numbers: then they are computed where they are read."""
        if lanes in self.simple:
            return self.simple[lanes]
        some = [node for node in lanes if node != ABSENT]
        op = self.old.op[some[0]]
        simple = op != INPUT and op not in CALLED and all(
            self.old.op[node] == op and not self.found.classes[node] for node in some
        )  # fmt: skip
        if simple and op != CONST:
            simple = all(self._is_common(each) for each in self._columns_of(lanes))
        self.simple[lanes] = simple
        return simple

    def _is_common(self, lanes: Pack) -> bool:
        some = {node for node in lanes if node != ABSENT}
        return len(some) == 1 or self._is_simple(lanes)

    def _gather_vector(self, lanes: Pack) -> int:
        """Numbers that are brought together by twos; lanes that have none repeat others."""
        some = [node for node in lanes if node != ABSENT]
        full = [node if node != ABSENT else some[k % len(some)] for k, node in enumerate(lanes)]
        if len(some) * 2 <= self.width:  # the same halves
            half = [*some, *some][: 1 << (len(some) - 1).bit_length()]
            if _is_part_of_pack(tuple(half * (self.width // len(half))), lanes):
                full = half * (self.width // len(half))
        row = [
            self._vector_of_scalars(("two", x, y), PAIR, x, y)
            for x, y in zip(full[::2], full[1::2])
        ]
        for join in (JOIN, WIDER_JOIN):
            if len(row) > 1:
                row = [self._join_vectors(join, x, y) for x, y in list(pairwise(row))[::2]]
        return row[0]

    def _vector_of_scalars(self, key: tuple[object, ...], op: int, *nodes: int) -> int:
        """A vector made of single numbers."""
        if key not in self.vectors:
            found = [self.scalar_node(node) for node in nodes]
            self.vectors[key] = self._add_node(op, max(nodes), True, *found)
        return self.vectors[key]

    def _join_vectors(self, op: int, x: int, y: int) -> int:
        key = ("join", op, x, y)
        if key not in self.vectors:
            rank = max(self.rank[x], self.rank[y])
            self.vectors[key] = self._add_node(op, rank, True, x, y)
        return self.vectors[key]


def _is_part_of_pack(whole: Pack, lanes: Pack) -> bool:
    """Whether lanes are those of a pack, but for absent ones."""
    return lanes == whole or all(x in (ABSENT, y) for x, y in zip(lanes, whole, strict=True))


ABSENT = -1  # in a pack: a lane that has no such node, and may hold anything


Pack = tuple[int, ...]  # a node for each lane


Branch = tuple[int, int]  # its group, and its number there


_OF_NO_BRANCH = 0  # the class of constants, and of whatever else doesn't depend on branches


_KIND = {SUB: ADD, FNMA: FMA, FMS: FMA}  # sums are told apart by signs, which numbers may bring in


_SWAPPING = {ADD, MUL, EQ, FMA}  # whose first two operands may be swapped


@dataclass
class Packs:
    """Packs of a program for registers of so many lanes."""

    operands: list[tuple[int, ...]]  # of each node
    classes: list[int]  # of each node; 0 if it depends on no branch
    packs: list[Pack] = field(default_factory=list)
    of: dict[int, int] = field(default_factory=dict)  # node → index of its pack
    together: dict[int, Pack] = field(default_factory=dict)  # node of a branch → its class in lanes


def find_packs(program: Program, width: int) -> Packs:
    """What can go side by side; of branches beyond the width the further ones have packs of their
    own."""
    rows = zip(program.op, program.a, program.b, program.c, strict=True)
    operands = [(a, b, c)[: ops.ARITY[op]] for op, a, b, c in rows]
    branches = sorted({(part.group, part.branch) for part in program.alike.values()})
    lane = _lane_bits(program, operands, branches)
    classes, members = _equivalence_classes(program, operands, lane, branches)
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


def _lane_bits(
    program: Program, operands: list[tuple[int, ...]], branches: list[Branch]
) -> list[int]:
    """The lane of each node, as a bit of that branch: none if it depends on no branch, several
    if it isn't one branch's.

    Inputs that one branch alone reads are that branch's, too."""
    bit = {branch: 1 << k for k, branch in enumerate(branches)}
    given = [0] * len(operands)
    for node, part in program.alike.items():
        given[node] = bit[part.group, part.branch]
    lane = _spread_lanes(operands, given)
    reader = _reading_lanes(operands, lane)
    own = [node for node in program.inputs if not lane[node] and reader[node].bit_count() == 1]
    for node in own:
        given[node] = reader[node]
    return _spread_lanes(operands, given) if own else lane


def _spread_lanes(operands: list[tuple[int, ...]], given: list[int]) -> list[int]:
    """What is computed from one branch's is that branch's; so is what depends on several
    branches, but meets those of one branch only from there on (its accelerations, which depend on
    the trunk's)."""
    branches = given[:]
    for i, read in enumerate(operands):
        if read:
            found = 0
            for operand in read:
                found |= branches[operand]
            branches[i] = found
    met = [0] * len(operands)
    for i in range(len(operands) - 1, 1, -1):
        if branches[i] & branches[i] - 1:  # several
            for operand in operands[i]:
                if not branches[operand] & branches[operand] - 1:
                    met[i] |= branches[operand]
            for operand in operands[i]:
                met[operand] |= met[i]
    return [
        meeting if branch & branch - 1 and meeting and not meeting & meeting - 1 else branch
        for meeting, branch in zip(met, branches, strict=True)
    ]


def _reading_lanes(operands: list[tuple[int, ...]], lane: list[int]) -> list[int]:
    """Which lanes use a node, by way of others that depend on no branch."""
    reader = [0] * len(operands)
    for i in range(len(operands) - 1, 1, -1):
        for operand in operands[i]:
            reader[operand] |= lane[i] or reader[i]
    return reader


def _equivalence_classes(
    program: Program, operands: list[tuple[int, ...]], lane: list[int], branches: list[Branch]
) -> tuple[list[int], list[dict[int, int]]]:
    """The class of each node, and those with several nodes of different lanes.

    What a branch does several times with different numbers of no branch is told apart by its
    order."""
    known: dict[object, int] = {}
    times: dict[tuple[int, int], int] = {}
    members: dict[int, dict[int, int]] = {}
    of = [_OF_NO_BRANCH] * len(operands)
    for i, own in enumerate(lane):
        if not own:
            continue
        if own & own - 1:  # of several branches
            of[i] = known.setdefault(i, len(known) + 1)
            continue
        group, number = branches[own.bit_length() - 1]
        key = _operation_shape(program, i, [of[operand] for operand in operands[i]])
        shape = known.setdefault(("shape", group, *key), len(known) + 1)
        count = times[shape, own] = times.get((shape, own), -1) + 1
        of[i] = known.setdefault((shape, count), len(known) + 1)
        members.setdefault(of[i], {})[number] = i
    return of, [each for each in members.values() if len(each) > 1]


def _operation_shape(program: Program, i: int, found: list[int]) -> tuple[int, ...]:
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
