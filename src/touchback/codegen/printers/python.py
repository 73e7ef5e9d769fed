"""Python with NumPy: a file that runs without Touchback, on one point or on many at once."""

import keyword

from touchback.codegen.printers.dialect import Dialect, Speller, comment_lines, statements
from touchback.symbolic import ARRAYS, CONST, DIV, Program, ops

PYTHON = Dialect(
    templates={
        ops.ADD: "{a} + {b}",
        ops.SUB: "{a} - {b}",
        ops.MUL: "{a} * {b}",
        ops.DIV: "{a} / {b}",
        ops.FMA: "{a} * {b} + {c}",
        ops.FNMA: "{c} - {a} * {b}",
        ops.FMS: "{a} * {b} - {c}",
        ops.NEG: "-{a}",
        ops.SQRT: "np.sqrt({a})",
        ops.ABS: "np.abs({a})",
        ops.FLOOR: "np.floor({a})",
        ops.MIN: "np.where({a} < {b}, {a}, {b})",
        ops.MAX: "np.where({a} > {b}, {a}, {b})",
        ops.LT: "np.where({a} < {b}, 1.0, 0.0)",
        ops.LE: "np.where({a} <= {b}, 1.0, 0.0)",
        ops.EQ: "np.where({a} == {b}, 1.0, 0.0)",
        ops.SELECT: "np.where({a} != 0.0, {b}, {c})",
        ops.SIN: "np.sin({a})",
        ops.COS: "np.cos({a})",
        ops.ASIN: "np.arcsin({a})",
        ops.ACOS: "np.arccos({a})",
        ops.EXP: "np.exp({a})",
        ops.LOG: "np.log({a})",
        ops.SINH: "np.sinh({a})",
        ops.COSH: "np.cosh({a})",
        ops.TANH: "np.tanh({a})",
        ops.ATAN2: "np.arctan2({a}, {b})",
        ops.POW: "np.power({a}, {b})",
        ops.LOOKUP1: "_lookup1(_TABLE{table}_X, _TABLE{table}, {want}, {a})",
        ops.LOOKUP2: "_lookup2(_TABLE{table}_X, _TABLE{table}_Y, _TABLE{table}, {want}, {a}, {b})",
    },
    element="{array}[{index}]",
    first_index=0,
    infinity="np.inf",
    nan="np.nan",
    reserved=frozenset([*keyword.kwlist, "np"]),
)

_CELL = '''\
def _cell(points, value):
    """Index of the cell that holds the value; the end cells reach beyond."""
    return np.clip(np.searchsorted(points, value, side="right") - 1, 0, len(points) - 2)


def _outside(points, value):
    return ~((points[0] <= value) & (value < points[-1]))


def _fraction(points, i, value):
    """Where the value stands in cell i, from 0 to 1."""
    return (np.clip(value, points[0], points[-1]) - points[i]) / (points[i + 1] - points[i])
'''

_LOOKUP1 = '''\
def _lookup1(xs, values, want, x):
    """Linear interpolation: the value (want 0) or the slope (want 1)."""
    i = _cell(xs, x)
    v0, v1 = values[i], values[i + 1]
    if want == 1:
        found = np.where(_outside(xs, x), 0.0, (v1 - v0) / (xs[i + 1] - xs[i]))
    else:
        found = v0 + (v1 - v0) * _fraction(xs, i, x)
    return np.where(np.isnan(x), np.nan, found)
'''

_LOOKUP2 = '''\
def _lookup2(xs, ys, values, want, x, y):
    """Bilinear interpolation: the value (want 0) or its derivative by x (1), y (2) or both (3)."""
    i, j = _cell(xs, x), _cell(ys, y)
    v00, v01, v10, v11 = values[i, j], values[i, j + 1], values[i + 1, j], values[i + 1, j + 1]
    if want >= 2:
        dy = ys[j + 1] - ys[j]
        low, high = (np.where(_outside(ys, y), 0.0, rise / dy) for rise in (v01 - v00, v11 - v10))
    else:
        t = _fraction(ys, j, y)
        low, high = v00 + (v01 - v00) * t, v10 + (v11 - v10) * t
    if want % 2 == 1:
        found = np.where(_outside(xs, x), 0.0, (high - low) / (xs[i + 1] - xs[i]))
    else:
        found = low + (high - low) * _fraction(xs, i, x)
    return np.where(np.isnan(x) | np.isnan(y), np.nan, found)
'''


def print_python(program: Program, name: str, comments: str = "") -> str:
    """A Python file with `def name(x, u, p)`; `comments` heads it.

    The first axis of x, u, p and of the result counts their elements; further axes, broadcast
    together, hold many points. NumPy has no fused multiply-add: a*b + c is rounded twice, so
    results agree with compiled code to rounding, not to the bit.
    """
    PYTHON.check_name(name)
    speller = Speller(program, PYTHON)
    header = [
        '"""Printed by Touchback. Needs NumPy only. A fused multiply-add is rounded twice here,',
        'so results agree with compiled code to rounding, not to the bit."""',
        *(f"# {line}".rstrip() for line in comment_lines(comments)),
        "",
        "import numpy as np",
    ]
    parts = ["\n".join(header) + "\n", *table_texts(speller), *helpers(program)]
    parts.append(_function(program, name, speller))
    return "\n\n".join(parts)


def _function(program: Program, name: str, speller: Speller) -> str:
    sizes = ", ".join(f"{array} ({program.size(array)}, ...)" for array in ARRAYS)
    converted = ", ".join(f"np.asarray({array}, dtype=float)" for array in ARRAYS)
    shapes = ", ".join(f"{array}.shape[1:]" for array in ARRAYS)
    lines = [
        f"def {name}(x, u=(), p=()):",
        f'    """Array of shape ({len(program.outputs)}, ...) from {sizes}."""',
        f"    x, u, p = {converted}",
        f"    out = np.empty(({len(program.outputs)}, *np.broadcast_shapes({shapes})))",
        '    with np.errstate(all="ignore"):',
        *(
            f"        {speller.names[node]} = {expression(program, node, speller)}"
            for nodes in statements(program)
            for node in nodes
        ),
        *(f"        out[{i}] = {speller.output(i)}" for i in range(len(program.outputs))),
        "    return out",
    ]
    return "\n".join(lines) + "\n"


def expression(program: Program, node: int, speller: Speller) -> str:
    """What a node computes."""
    a, b = program.a[node], program.b[node]
    if program.op[node] == DIV and program.op[a] == program.op[b] == CONST:
        # Python raises where two plain numbers divide to infinity or NaN.
        return f"np.divide({speller.operand(a)}, {speller.operand(b)})"
    return speller.expression(node)


def table_texts(speller: Speller) -> list[str]:
    """The numbers of the tables that a program reads."""

    def array(points: tuple[float, ...]) -> str:
        return f"np.array([{PYTHON.numbers(points)}])"

    found = []
    for table, number in speller.tables.items():
        shape = f".reshape({len(table.x)}, {len(table.y)})" if table.y else ""
        lines = [f"_TABLE{number}_X = {array(table.x)}"]
        if table.y:
            lines.append(f"_TABLE{number}_Y = {array(table.y)}")
        lines.append(f"_TABLE{number} = {array(table.values)}{shape}")
        found.append("\n".join(lines) + "\n")
    return found


def helpers(*programs: Program) -> list[str]:
    """What looks into tables, where some programs do."""
    used = {op for program in programs for op in program.op}
    found = [_CELL] if used & {ops.LOOKUP1, ops.LOOKUP2} else []
    found += [_LOOKUP1] if ops.LOOKUP1 in used else []
    found += [_LOOKUP2] if ops.LOOKUP2 in used else []
    return found
