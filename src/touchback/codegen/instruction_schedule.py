"""The order of a program's operations: sines and cosines gathered into batches, and the rest in an
order that keeps a pipelined processor busy.

All angles that are known at the same time are handed to one loop over `sincos`. Only what an angle
needs is moved ahead of its batch; everything else stays close to where the derivation put it,
because that order keeps live ranges short.

The derivation writes long chains of dependent operations one after the other. A processor looks
past those that wait, but not far: what can start comes first, the longest chain before the others.
"""

from dataclasses import dataclass

import numpy as np

from touchback.codegen.calling_convention import CALLED
from touchback.codegen.machine_operations import LANE, MACHINE_ARITY, SPREAD, with_masks
from touchback.native import reorder
from touchback.symbolic import ADD, CONST, COS, DIV, INPUT, MUL, SIN, SQRT, SUB, Program

NEVER = 1 << 60  # the next use of a value that is not used again


IN_MEMORY = (CONST, INPUT, SIN, COS, LANE)  # what the straight-line code finds there


_ARITY = np.array(MACHINE_ARITY)


_IS_LEAF = np.isin(np.arange(len(_ARITY)), IN_MEMORY)


_TURNS = np.isin(np.arange(len(_ARITY)), (SIN, COS))


@dataclass
class Batch:
    """Angles whose sines and cosines are computed together, before the operation at `position`."""

    position: int
    angles: list[int]


@dataclass
class Schedule:
    """Nodes in the order of computation and, for each operand, the position of the value's next use
    after it.
    """

    op: list[int]  # per node: the program's operations, some of them as masks
    order: list[int]
    batches: list[Batch]
    next_a: list[int]
    next_b: list[int]
    next_c: list[int]
    first_use: list[int]  # per node
    live: list[bool]  # per node: some output depends on it
    turning: list[int]  # sines and cosines


def schedule(program: Program, window: int = 1) -> Schedule:
    """Batches, order and next uses of a program. Nodes that no output depends on are left out.

    Operations may overtake others within a window, to keep a pipeline busy; 1 leaves them in place.
    """
    op = np.array(program.op)
    operands = np.stack([np.array(column) for column in (program.a, program.b, program.c)], axis=1)
    present = _ARITY[op][:, None] > np.arange(3)
    live = _live(program, op, operands, present)
    computed = np.flatnonzero(live & ~_IS_LEAF[op]).tolist()
    turning = np.flatnonzero(live & _TURNS[op]).tolist()
    order, batches = _ordered(program, computed, turning)
    if window > 1:
        stops = [batch.position for batch in batches]
        order = pipelined(op, operands, present, order, stops, window)
    next_use, first_use = _next_uses(len(op), operands[order], present[order])
    a, b, c = (column.tolist() for column in next_use.T)
    outputs = np.abs(np.array(program.outputs, dtype=int))
    machine_op = with_masks(op, operands, present & live[:, None], outputs)
    return Schedule(machine_op, order, batches, a, b, c, first_use.tolist(), live.tolist(), turning)


def _live(
    program: Program, op: np.ndarray, operands: np.ndarray, present: np.ndarray
) -> np.ndarray:
    """Which nodes the outputs depend on. Programs made by `lower` hold no others: that is checked
    at little cost.
    """
    read = np.zeros(len(op), bool)
    read[operands[present]] = True
    read[np.abs(np.array(program.outputs, dtype=int))] = True
    if read[_ARITY[op] > 0].all():
        return read
    live = bytearray(len(op))
    for output in program.outputs:
        live[abs(output)] = 1
    a, b, c = program.a, program.b, program.c
    for i in range(len(op) - 1, -1, -1):
        if live[i]:
            arity = MACHINE_ARITY[program.op[i]]
            if arity:
                live[a[i]] = 1
            if arity > 1:
                live[b[i]] = 1
            if arity > 2:
                live[c[i]] = 1
    return np.frombuffer(live, np.uint8).astype(bool)


def _operands(program: Program, node: int) -> tuple[int, ...]:
    count = MACHINE_ARITY[program.op[node]]
    return (program.a[node], program.b[node], program.c[node])[:count]


def _ordered(
    program: Program, computed: list[int], turning: list[int]
) -> tuple[list[int], list[Batch]]:
    if not turning:
        return computed, []
    angles = list(dict.fromkeys(program.a[i] for i in turning))
    groups = _angles_by_level(program, turning) if _nested(program, angles) else [angles]
    order: list[int] = []
    batches: list[Batch] = []
    done = bytearray(len(program.op))
    for angles in groups:
        for node in _needed(program, angles, done):
            order.append(node)
        batches.append(Batch(len(order), angles))
    order += [node for node in computed if not done[node]]
    return order, batches


def _nested(program: Program, angles: list[int]) -> bool:
    """Whether some angle depends on a sine or cosine."""
    seen: set[int] = set()
    waiting = list(angles)
    while waiting:
        node = waiting.pop()
        if program.op[node] in (SIN, COS):
            return True
        if node not in seen and MACHINE_ARITY[program.op[node]]:
            seen.add(node)
            waiting.extend(_operands(program, node))
    return False


def _angles_by_level(program: Program, turning: list[int]) -> list[list[int]]:
    """Angles grouped by how many sines lie on the longest way to them."""
    level = [0] * len(program.op)
    groups: dict[int, dict[int, None]] = {}
    turns = set(turning)
    rows = zip(program.op, program.a, program.b, program.c, strict=True)
    for i, (op, a, b, c) in enumerate(rows):
        arity = MACHINE_ARITY[op]
        if op in (SIN, COS):
            if i in turns:
                groups.setdefault(level[a], {})[a] = None
            level[i] = level[a] + 1
        elif arity == 1:
            level[i] = level[a]
        elif arity == 2:
            level[i] = max(level[a], level[b])
        elif arity:
            level[i] = max(level[a], level[b], level[c])
    return [list(groups[key]) for key in sorted(groups)]


def _needed(program: Program, angles: list[int], done: bytearray) -> list[int]:
    """What must be computed before these angles and has not been yet, in program order; marked as
    done.
    """
    found: list[int] = []
    waiting = list(angles)
    while waiting:
        node = waiting.pop()
        if program.op[node] == LANE:
            node = program.a[node]
        if not done[node] and program.op[node] not in IN_MEMORY:
            done[node] = 1
            found.append(node)
            waiting.extend(_operands(program, node))
    return sorted(found)


def _next_uses(
    nodes: int, operands: np.ndarray, present: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Next use after each operand (same shape as `operands`) and the first use of each node; NEVER
    where none.
    """
    occurrence = np.flatnonzero(present)
    value = operands.ravel()[occurrence]
    by_value = np.argsort(value, kind="stable")
    value, occurrence = value[by_value], occurrence[by_value]
    position = occurrence // 3
    following = np.full(len(value), NEVER)
    same = value[1:] == value[:-1]
    following[:-1][same] = position[1:][same]
    next_use = np.full(operands.size, NEVER)
    next_use[occurrence] = following
    first_use = np.full(nodes, NEVER)
    first_use[value[::-1]] = position[::-1]
    return next_use.reshape(operands.shape), first_use


# Cycles on cores from Neoverse N1 to Zen and Golden Cove differ little; 4 for what is not named.
_LATENCY = np.full(len(MACHINE_ARITY), 4)


_LATENCY[[ADD, SUB]] = 2


_LATENCY[[MUL, SPREAD]] = 3


_LATENCY[DIV] = 12


_LATENCY[SQRT] = 14


_IS_CALL = np.isin(np.arange(len(MACHINE_ARITY)), list(CALLED))


def pipelined(
    op: np.ndarray,
    operands: np.ndarray,
    present: np.ndarray,
    order: list[int],
    stops: list[int],
    window: int,
) -> list[int]:
    """The nodes of `order` so that few wait for others; none moves across a call or one of the
    `stops`, positions in `order`.
    """
    nodes = np.array(order, dtype=int)
    position = np.full(len(op), -1)
    position[nodes] = np.arange(len(nodes))
    read = np.where(present[nodes], operands[nodes], 0)
    read = np.where(op[read] == LANE, operands[read, 0], read)  # there as soon as its vector is
    rows = np.where(present[nodes], position[read], -1)
    rows[rows[:, 1] == rows[:, 0], 1] = -1
    rows[(rows[:, 2] == rows[:, 0]) | (rows[:, 2] == rows[:, 1]), 2] = -1
    calls = np.flatnonzero(_IS_CALL[op[nodes]]).tolist()
    fences = np.array(sorted({*stops, *calls, *(call + 1 for call in calls)}), dtype=int)
    found: list[int] = nodes[reorder(rows, _LATENCY[op[nodes]], window, fences)].tolist()
    return found
