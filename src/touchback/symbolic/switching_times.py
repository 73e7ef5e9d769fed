"""Where a program switches in time: comparisons, kinks and cells of tables whose operands depend on
time and known inputs alone, so that their instants can be found before a run.

Each becomes a *code*, an output of a smaller program, which is constant between two switches: 1 or
0 for a comparison, the whole number of a floor, for a table the argument, whose cell counts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from touchback.symbolic import ops
from touchback.symbolic.lookup_table import Table
from touchback.symbolic.program import Program

_ROUNDING = 4.0 * np.finfo(float).eps
_MOVING, _UNKNOWN = 1, 2  # what a node depends on


@dataclass(frozen=True)
class Switches:
    """A program whose outputs are the codes; where `breaks` has an array the code is the number of
    its cell between these, else the output itself. `times` are switches by the clock itself."""

    program: Program
    breaks: tuple[np.ndarray | None, ...]
    times: np.ndarray

    @property
    def reads_parameters(self) -> bool:
        """Whether instants may move with parameters."""
        return any(array == "p" for array, _ in self.program.inputs.values())

    def codes(self, outputs: np.ndarray) -> np.ndarray:
        """Of outputs, a row for each time."""
        found = outputs.copy()
        for i, at in enumerate(self.breaks):
            if at is not None:
                found[:, i] = np.searchsorted(at, outputs[:, i], side="right")
        return found

    def equals(self, other: Switches) -> bool:
        """Whether the other has the same codes and times."""
        return (
            self.program == other.program
            and np.array_equal(self.times, other.times)
            and len(self.breaks) == len(other.breaks)
            and all(
                a is b or (a is not None and b is not None and np.array_equal(a, b))
                for a, b in zip(self.breaks, other.breaks, strict=True)
            )
        )


def kinks(x: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Which points of a broken line, level beyond its ends, are kinks: those that lie off the
    straight line between their neighbours by more than rounding. `values` has a row for each."""
    rows = values.reshape(len(x), -1)
    left = np.vstack([rows[:1], rows[:-1]])
    right = np.vstack([rows[1:], rows[-1:]])
    before, after = np.diff(x, prepend=x[0] - 1.0), np.diff(x, append=x[-1] + 1.0)
    part = (before / (before + after))[:, None]
    size = np.maximum(np.maximum(np.abs(left), np.abs(right)), np.abs(rows))
    return (np.abs(rows - (left + part * (right - left))) > _ROUNDING * size).any(axis=1)


def switches_in(
    program: Program, moving: Collection[int], known: Collection[int]
) -> Switches | None:
    """Those of a program of x, u and p: `moving` are the places in u of time and of inputs that are
    known beforehand, `known` those of these and of constants. None where there are none."""
    places = program.inputs
    if not any(array == "u" and index in moving for array, index in places.values()):
        return None
    kind = [0] * len(program.op)
    for node, (array, index) in places.items():
        if array == "u" and index in moving:
            kind[node] = _MOVING
        elif array == "x" or (array == "u" and index not in known):
            kind[node] = _UNKNOWN
    builder = _Builder(program)
    arity = ops.ARITY
    for node, op in enumerate(program.op):
        operands = (program.a[node], program.b[node], program.c[node])[: arity[op]]
        for operand in operands:
            kind[node] |= kind[operand]
        if op in (ops.LOOKUP1, ops.LOOKUP2):
            table = program.lookups[program.c[node]].table
            for operand, at in zip(operands, _breaks(table), strict=True):
                if kind[operand] == _MOVING:
                    builder.cell(operand, at)
        elif kind[node] == _MOVING and op in _CODED:
            builder.code(op, operands, node)
    return builder.result()


def parameters_in_time(program: Program, moving: Collection[int]) -> list[int]:
    """The places in p of what numbers that depend on time and known inputs are computed from."""
    count, arity = len(program.op), ops.ARITY
    operands = [
        (program.a[i], program.b[i], program.c[i])[: arity[program.op[i]]] for i in range(count)
    ]
    needed = bytearray(count)
    for node in range(count):
        array, index = program.inputs.get(node, ("", 0))
        timely = array == "u" and index in moving
        needed[node] = timely or any(needed[operand] for operand in operands[node])
    for node in reversed(range(count)):
        if needed[node]:
            for operand in operands[node]:
                needed[operand] = 1
    return sorted(
        {i for node, (array, i) in program.inputs.items() if array == "p" and needed[node]}
    )


_CODED = (ops.LT, ops.LE, ops.MIN, ops.MAX, ops.ABS, ops.FLOOR)


def _breaks(table: Table) -> tuple[np.ndarray, ...]:
    """The kinks of a table, along x and, in two variables, along y."""
    x, values = np.array(table.x), np.array(table.values)
    if not table.y:
        return (x[kinks(x, values)],)
    y, grid = np.array(table.y), values.reshape(len(x), -1)
    return x[kinks(x, grid)], y[kinks(y, grid.T)]


class _Builder:
    """Gathers codes, then leaves of the program what they need."""

    def __init__(self, program: Program) -> None:
        self._from = program
        self._outputs: list[tuple[int, Sequence[int]]] = []  # an operation on nodes; 0: the node
        self._breaks: list[np.ndarray | None] = []
        self._known: set[tuple[int, ...]] = set()
        self._times: list[np.ndarray] = [np.empty(0)]

    def code(self, op: int, operands: Sequence[int], node: int) -> None:
        a, b = (*operands, 0)[:2]
        asked = {ops.MIN: (a, b), ops.MAX: (b, a), ops.ABS: (a, 0)}.get(op)
        self._add(0 if asked is None else ops.LT, (node,) if asked is None else asked, None)

    def cell(self, operand: int, at: np.ndarray) -> None:
        if self._from.inputs.get(operand) == ("u", 0):
            self._times.append(at)
        elif len(at):
            self._add(0, (operand,), at)

    def _add(self, op: int, nodes: Sequence[int], at: np.ndarray | None) -> None:
        if at is not None or (op, *nodes) not in self._known:
            self._known.add((op, *nodes))
            self._outputs.append((op, nodes))
            self._breaks.append(at)

    def result(self) -> Switches | None:
        """The program of the codes."""
        times = np.unique(np.concatenate(self._times))
        if not self._outputs and not len(times):
            return None
        made, new = _part(self._from, [node for _, nodes in self._outputs for node in nodes])
        for op, nodes in self._outputs:
            if op:
                a, b = (new[node] for node in nodes)
                made.outputs.append(len(made.op))
                _append(made, op, a, b, 0)
            else:
                made.outputs.append(new[nodes[0]])
        return Switches(made, tuple(self._breaks), times)


@dataclass(frozen=True)
class PositionCells:
    """Numbers that a program computes from positions alone, and where what depends on each has
    kinks or jumps: at `breaks`, and at `levels`, outputs of a program of parameters that are
    counted by number."""

    numbers: Program
    breaks: tuple[np.ndarray, ...]
    levels: Program
    level_of: tuple[int, ...]  # of each output of `levels` its number


def cells_in(program: Program, positions: int) -> PositionCells | None:
    """Those of a program of x, u and p, whose state begins with so many positions; only numbers
    with two breaks or more. None where there are none."""
    kind = [0] * len(program.op)
    for node, (array, index) in program.inputs.items():
        if array != "p":
            kind[node] = _MOVING if array == "x" and index < positions else _UNKNOWN
    constant: dict[int, list[np.ndarray]] = {}
    level: dict[int, set[int]] = {}
    for node, op in enumerate(program.op):
        operands = (program.a[node], program.b[node], program.c[node])[: ops.ARITY[op]]
        for operand in operands:
            kind[node] |= kind[operand]
        if op in (ops.LOOKUP1, ops.LOOKUP2):
            table = program.lookups[program.c[node]].table
            for operand, at in zip(operands, _breaks(table), strict=True):
                if kind[operand] == _MOVING:
                    number, sign = _inner(program, kind, operand)
                    constant.setdefault(number, []).append(sign * at)
        elif op in (ops.LT, ops.LE, ops.MIN, ops.MAX) and kind[node] == _MOVING:
            a, b = operands
            if kind[a] and kind[b]:
                continue
            number, sign = _inner(program, kind, a if kind[a] else b)
            level.setdefault(number, set()).add(sign * (b if kind[a] else a))
    nodes, breaks = [], []
    for node in sorted({*constant, *level}):
        at = np.unique(np.concatenate([np.empty(0), *constant.get(node, [])]))
        if len(at) + len(level.get(node, ())) > 1:
            nodes.append(node)
            breaks.append(at)
    if not nodes:
        return None
    wanted = [(i, fixed) for i, node in enumerate(nodes) for fixed in sorted(level.get(node, ()))]
    numbers, new = _part(program, nodes)
    numbers.outputs += [new[node] for node in nodes]
    levels, new = _part(program, [abs(fixed) for _, fixed in wanted])
    levels.outputs += [new[abs(fixed)] * (1 if fixed >= 0 else -1) for _, fixed in wanted]
    return PositionCells(numbers, tuple(breaks), levels, tuple(i for i, _ in wanted))


def _inner(program: Program, kind: Sequence[int], node: int) -> tuple[int, int]:
    """The number that is kept between limits, and with which sign."""
    sign = 1
    while program.op[node] in (ops.MIN, ops.MAX, ops.NEG):
        a, b = program.a[node], program.b[node]
        if program.op[node] == ops.NEG:
            node, sign = a, -sign
        elif kind[a] and kind[b]:
            break
        else:
            node = a if kind[a] else b
    return node, sign


def _part(old: Program, outputs: Sequence[int]) -> tuple[Program, dict[int, int]]:
    """What of a program some nodes need, without outputs, and where nodes are in it."""
    used = bytearray(len(old.op))
    for node in outputs:
        used[node] = 1
    for i in range(len(old.op) - 1, 1, -1):
        if used[i]:
            for operand in (old.a[i], old.b[i], old.c[i])[: ops.ARITY[old.op[i]]]:
                used[operand] = 1
    new = {0: 0, 1: 1}
    made = Program([0, 0], [0, 0], [0, 0], [0, 0], {0: 0.0, 1: 1.0}, {}, [], old.lookups)
    for i in range(2, len(old.op)):
        if used[i]:
            new[i] = len(made.op)
            _copy(old, made, i, new)
    return made, new


def _copy(old: Program, made: Program, i: int, new: dict[int, int]) -> None:
    op = old.op[i]
    if op == ops.CONST:
        made.values[new[i]] = old.values[i]
    elif op == ops.INPUT:
        made.inputs[new[i]] = old.inputs[i]
    given = [new[x] for x in (old.a[i], old.b[i], old.c[i])[: ops.ARITY[op]]]
    a, b, c = (*given, 0, 0, 0)[:3]
    _append(made, op, a, b, old.c[i] if op in (ops.LOOKUP1, ops.LOOKUP2) else c)


def _append(program: Program, op: int, a: int, b: int, c: int) -> None:
    for row, item in zip((program.op, program.a, program.b, program.c), (op, a, b, c), strict=True):
        row.append(item)
