"""Random graphs of every operation, and random points with special values, to test back ends."""

import math
from random import Random

from touchback.symbolic import Program, Table, Tape, Want, lower

ARRAYS = {"x": 4, "u": 2, "p": 3}

LINE = Table(x=(-1.5, -0.25, 0.0, 2.0), values=(3.0, -1.0, 0.5, 4.25))
GRID = Table(
    x=(-1.0, 0.5, 2.0), y=(-2.0, 0.0, 0.1, 3.0), values=tuple(math.cos(7.0 * i) for i in range(12))
)

_UNARY = (
    "neg", "sin", "cos", "asin", "acos", "sqrt", "exp", "log", "sinh", "cosh", "tanh", "abs",
    "floor", "sign", "atan",
)  # fmt: skip
_BINARY = (
    "add",
    "sub",
    "mul",
    "div",
    "atan2",
    "pow",
    "minimum",
    "maximum",
    "less",
    "less_equal",
    "equal",
)
_SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-310, -1e300, 1e8, 3e9, math.inf, -math.inf, math.nan)


def random_tape(
    random: Random, operations: int
) -> tuple[Tape, dict[tuple[str, int], int], list[int]]:
    """(tape, symbols by place, signed nodes in order): half of them sums and products."""
    tape = Tape()
    symbols = {
        (array, index): tape.symbol(f"{array}{index}")
        for array, size in ARRAYS.items()
        for index in range(size)
    }
    nodes = [*symbols.values(), tape.const(random.uniform(-3.0, 3.0)), 0, 1]
    for _ in range(operations):
        a, b, c = (random.choice(nodes[-25:]) * random.choice((1, 1, -1)) for _ in range(3))
        draw = random.random()
        if draw < 0.3:
            node = tape.add(tape.mul(a, b), c)
        elif draw < 0.35:
            product = tape.mul(a, b)  # older than what is taken off it: fuses as a·b − c
            node = tape.sub(product, tape.cos(tape.add(a, c)))
        elif draw < 0.5:
            node = tape.add(a, b)
        elif draw < 0.7:
            node = getattr(tape, random.choice(_UNARY))(a)
        elif draw < 0.88:
            node = getattr(tape, random.choice(_BINARY))(a, b)
        elif draw < 0.93:
            node = tape.select(tape.less(a, b), b, c)
        elif draw < 0.97:
            node = tape.lookup(LINE, a, want=random.choice((Want.VALUE, Want.DX)))
        else:
            node = tape.lookup(GRID, a, b, want=random.choice(tuple(Want)))
        nodes.append(node)
    return tape, symbols, nodes


def random_program(seed: int, operations: int, fuse: bool = True, outputs: int = 8) -> Program:
    """A program whose outputs are the last nodes made and a constant."""
    tape, symbols, nodes = random_tape(Random(seed), operations)
    places = {node: place for place, node in symbols.items()}
    return lower(tape, [*nodes[-outputs:], tape.const(-0.75)], places, fuse=fuse)


def random_point(random: Random) -> dict[str, list[float]]:
    """Input arrays: moderate numbers, now and then a special one."""
    return {
        array: [
            random.choice(_SPECIAL) if random.random() < 0.15 else random.gauss(0.0, 2.0)
            for _ in range(size)
        ]
        for array, size in ARRAYS.items()
    }
