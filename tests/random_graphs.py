"""Random programs made fast, random inputs with special values, and comparison bit for bit."""

from collections.abc import Sequence

import numpy as np

from touchback import native
from touchback.symbolic import ops
from touchback.symbolic.lookup_table import Lookup, Table, Want
from touchback.symbolic.program import Program
from touchback.symbolic.tape import Alike

LINE = Table(x=(0.0, 1.0, 2.5), values=(1.0, -2.0, 0.5))
GRID = Table(x=(0.0, 1.0, 2.0), y=(0.0, 3.0), values=(1.0, 2.0, 3.0, 4.0, 5.0, -6.0))
LOOKUPS = [
    Lookup(LINE, Want.VALUE),
    Lookup(LINE, Want.DX),
    Lookup(GRID, Want.VALUE),
    Lookup(GRID, Want.DXY),
]

SUMS = (ops.ADD, ops.SUB, ops.MUL, ops.FMA, ops.FNMA, ops.FMS)
PLAIN = (*SUMS, *SUMS, *range(ops.ADD, ops.SIN))
CHOOSING = (ops.LT, ops.LE, ops.EQ, *[ops.SELECT] * 6, ops.MIN, ops.MAX, ops.ADD, ops.FMA)
TURNING = (*PLAIN, ops.SIN, ops.COS)
EVERYTHING = (*PLAIN, *range(ops.SIN, len(ops.OPS)))
SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324, -1e-310, 1e300, 2.5, 2.0**30, -3e9]
)


class Builder:
    """A program written node by node, without the tape's simplifications."""

    def __init__(self) -> None:
        self.program = Program([0, 0], [0, 0], [0, 0], [0, 0], {0: 0.0, 1: 1.0}, {}, [], LOOKUPS)

    def node(self, op: int, a: int = 0, b: int = 0, c: int = 0) -> int:
        program = self.program
        for column, value in ((program.op, op), (program.a, a), (program.b, b), (program.c, c)):
            column.append(value)
        return len(program.op) - 1

    def input(self, array: str, index: int) -> int:
        node = self.node(ops.INPUT)
        self.program.inputs[node] = (array, index)
        return node

    def constant(self, value: float) -> int:
        node = self.node(ops.CONST)
        self.program.values[node] = value
        return node

    def outputs(self, *nodes: int) -> Program:
        self.program.outputs = list(nodes)
        return self.program


def random_graph(
    rng: np.random.Generator,
    operations: int,
    mix: Sequence[int] = EVERYTHING,
    inputs: int = 6,
    outputs: int = 5,
    window: int | None = None,
) -> Program:
    """A random program; operands come mostly from the last `window` nodes, if given."""
    build = Builder()
    for k in range(inputs):
        build.input("xup"[k % 3], k // 3)
    for _ in range(3):
        build.constant(float(rng.choice((rng.normal(), -0.0, 0.5, np.inf, np.nan, 5e-324, -1.5))))
    first = len(build.program.op)
    chosen = rng.choice(mix, operations).tolist()
    draws = rng.random((operations, 4)).tolist()
    for k, (op, (far, *picks)) in enumerate(zip(chosen, draws, strict=True)):
        count = first + k
        low = 0 if window is None or far < 0.05 else max(0, count - window)
        a, b, c = (low + int(pick * (count - low)) for pick in picks)
        if op == ops.LOOKUP1:
            build.node(op, a, 0, int(picks[2] * 2))
        elif op == ops.LOOKUP2:
            build.node(op, a, b, 2 + int(picks[2] * 2))
        else:
            build.node(op, *((a, b, c)[: ops.ARITY[op]]))
    last = len(build.program.op) - 1
    nodes = rng.integers(0, last + 1, outputs) * rng.choice((1, -1), outputs)
    return build.outputs(*nodes.tolist(), last, -last, last)


def random_branches(
    rng: np.random.Generator, branches: int, operations: int, mix: Sequence[int], differing: float
) -> Program:
    """A random trunk with branches of the same operations on inputs, trunk and constants of their
    own, twice over with sums of all branches in between; some operations of a branch differ."""
    build = Builder()
    trunk = [build.input("x", k) for k in range(3)] + [build.constant(rng.normal())]
    own: list[list[int]] = [[] for _ in range(branches)]
    for part in range(4):
        for branch in range(branches):
            own[branch].append(build.input("xu"[part % 2], 3 + part * branches + branch))
            if part != 2:  # an input that nothing tells the part of
                build.program.alike[own[branch][-1]] = Alike(0, part, branch)
    for _ in range(2):
        for _ in range(operations // 10):
            trunk.append(_random_node(rng, build, mix, trunk))
        recipes = [(int(seed), rng.permutation(branches)) for seed in rng.integers(1 << 30, size=4)]
        for seed, order in recipes:
            for branch in order:
                recipe = np.random.default_rng(seed)
                for _ in range(operations // 4):
                    number = rng.choice(SPECIAL) if rng.random() < 0.1 else rng.normal()
                    known = [*own[branch], *trunk, build.constant(float(number))]
                    other = rng if rng.random() < differing else recipe
                    own[branch].append(_random_node(other, build, mix, known))
        for k in rng.integers(0, len(own[0]), 4):
            total = trunk[0]
            for each in own:
                total = build.node(ops.ADD, total, each[k])
            trunk.append(total)
    outputs = [each[k] for k in (-1, -2, -3) for each in own]
    return build.outputs(*outputs, -trunk[-1], *(-each[-4] for each in own))


def _random_node(
    rng: np.random.Generator, build: Builder, mix: Sequence[int], known: Sequence[int]
) -> int:
    op = int(rng.choice(mix))
    a, b, c = (known[k] for k in rng.integers(0, len(known), 3))
    if op in (ops.LOOKUP1, ops.LOOKUP2):
        return build.node(op, a, b if op == ops.LOOKUP2 else 0, 2 * (op == ops.LOOKUP2))
    return build.node(op, *((a, b, c)[: ops.ARITY[op]]))


def operations_on_constants(rng: np.random.Generator, count: int) -> Program:
    """Every operation with a constant in every place, so many in all; constants are outputs too."""
    build = Builder()
    x = [build.input("x", k) for k in range(9)]
    lookup = {ops.LOOKUP1: 1, ops.LOOKUP2: 3}
    outputs = []
    for k in range(count):
        turn, which = divmod(k, len(EVERYTHING))
        constant, op = build.constant(rng.normal()), EVERYTHING[which]
        operands = np.roll([constant, x[k % 9], x[k % 7]], turn).tolist()[: ops.ARITY[op]]
        if op in lookup:
            operands = [*operands, 0][:2] + [lookup[op]]
        outputs += [build.node(op, *operands), constant * (-1) ** k]
    return build.outputs(*outputs)


def random_inputs(
    rng: np.random.Generator, program: Program, lanes: int = 1, special: float = 0.15
) -> list[np.ndarray]:
    """Arrays x, u, p of shape (size, lanes); some numbers are special."""
    arrays = []
    for array in ("x", "u", "p"):
        shape = (program.size(array) + 1, lanes)
        usual = rng.normal(size=shape)
        arrays.append(np.where(rng.random(shape) < special, rng.choice(SPECIAL, shape), usual))
    return arrays


def interpreted(program: Program, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Plain evaluation of every lane, shape (outputs, lanes)."""
    plain = native.Interpreter(program)
    lanes = arrays[0].shape[1]
    return np.stack([plain.run(*(array[:, lane] for array in arrays)) for lane in range(lanes)], 1)


def bits(values: np.ndarray) -> np.ndarray:
    """The 64 bits of each value, the same for all NaN."""
    return np.where(np.isnan(values), np.nan, values).view(np.uint64)


def assert_same_bits(got: np.ndarray, expected: np.ndarray, program: Program, about: str) -> None:
    """All outputs agree to the last bit; says which don't."""
    wrong = np.flatnonzero((bits(got) != bits(expected)).any(axis=-1))
    said = [
        f"out[{k}] = {'-' if program.outputs[k] < 0 else ''}"
        f"{ops.NAME[program.op[abs(program.outputs[k])]]}: {got[k]} instead of {expected[k]}"
        for k in wrong[:5]
    ]
    assert not said, f"{about}: " + "; ".join(said)
