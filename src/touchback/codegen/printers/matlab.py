"""MATLAB and Octave: a function file out = name(x, u, p), in syntax that both understand."""

from touchback.codegen.printers.dialect import Dialect, Speller, comment_lines, statements
from touchback.symbolic import ARRAYS, Program, Table, ops

_WORDS = """break case catch classdef continue do else elseif end endfor endfunction endif endwhile
for function global if otherwise parfor persistent return spmd switch try until
unwind_protect while"""
_FUNCTIONS = """abs acos asin atan2 cos cosh double exp floor isreal log max min numel sin sinh sqrt
sum tanh zeros cell_of fraction lookup1 lookup2 outside pick real_or_nan"""

_MATLAB = Dialect(
    templates={
        ops.ADD: "{a} + {b}",
        ops.SUB: "{a} - {b}",
        ops.MUL: "{a} * {b}",
        ops.DIV: "{a} / {b}",
        ops.FMA: "{a} * {b} + {c}",
        ops.FNMA: "{c} - {a} * {b}",
        ops.FMS: "{a} * {b} - {c}",
        ops.NEG: "-{a}",
        ops.SQRT: "real_or_nan(sqrt({a}))",
        ops.ABS: "abs({a})",
        ops.FLOOR: "floor({a})",
        ops.MIN: "pick({a} < {b}, {a}, {b})",
        ops.MAX: "pick({a} > {b}, {a}, {b})",
        ops.LT: "double({a} < {b})",
        ops.LE: "double({a} <= {b})",
        ops.EQ: "double({a} == {b})",
        ops.SELECT: "pick({a} ~= 0, {b}, {c})",
        ops.SIN: "sin({a})",
        ops.COS: "cos({a})",
        ops.ASIN: "real_or_nan(asin({a}))",
        ops.ACOS: "real_or_nan(acos({a}))",
        ops.EXP: "exp({a})",
        ops.LOG: "real_or_nan(log({a}))",
        ops.SINH: "sinh({a})",
        ops.COSH: "cosh({a})",
        ops.TANH: "tanh({a})",
        ops.ATAN2: "atan2({a}, {b})",
        ops.POW: "real_or_nan({a} ^ {b})",
        ops.LOOKUP1: "lookup1(table{table}_x, table{table}_values, {want}, {a})",
        ops.LOOKUP2: "lookup2(table{table}_x, table{table}_y, table{table}_values, {want}, "
        "{a}, {b})",
    },
    element="{array}({index})",
    first_index=1,
    infinity="Inf",
    nan="NaN",
    reserved=frozenset(f"{_WORDS} {_FUNCTIONS}".split()),
)

_PICK = """\
function r = pick(condition, yes, no)
% yes where the condition holds, else no.
if condition
  r = yes;
else
  r = no;
end
end
"""

_REAL_OR_NAN = """\
function r = real_or_nan(r)
% NaN where the real function is not defined.
if ~isreal(r)
  r = NaN;
end
end
"""

_CELL = """\
function i = cell_of(points, value)
% Index of the cell that holds the value; the end cells reach beyond.
i = min(max(sum(points <= value), 1), numel(points) - 1);
end

function r = outside(points, value)
r = ~(points(1) <= value && value < points(end));
end

function r = fraction(points, i, value)
% Where the value stands in cell i, from 0 to 1.
r = (min(max(value, points(1)), points(end)) - points(i)) / (points(i + 1) - points(i));
end
"""

_LOOKUP1 = """\
function r = lookup1(xs, values, want, x)
% Linear interpolation: the value (want 0) or the slope (want 1).
i = cell_of(xs, x);
if x ~= x
  r = x;
elseif want == 1 && outside(xs, x)
  r = 0;
elseif want == 1
  r = (values(i + 1) - values(i)) / (xs(i + 1) - xs(i));
else
  r = values(i) + (values(i + 1) - values(i)) * fraction(xs, i, x);
end
end
"""

_LOOKUP2 = """\
function r = lookup2(xs, ys, values, want, x, y)
% Bilinear interpolation: the value (want 0) or its derivative by x (1), y (2) or both (3).
i = cell_of(xs, x);
j = cell_of(ys, y);
by_x = want == 1 || want == 3;
by_y = want >= 2;
if x ~= x || y ~= y
  r = x + y;
elseif (by_y && outside(ys, y)) || (by_x && outside(xs, x))
  r = 0;
else
  rise = values(i:i + 1, j + 1) - values(i:i + 1, j);
  if by_y
    along = rise / (ys(j + 1) - ys(j));
  else
    along = values(i:i + 1, j) + rise * fraction(ys, j, y);
  end
  if by_x
    r = (along(2) - along(1)) / (xs(i + 1) - xs(i));
  else
    r = along(1) + (along(2) - along(1)) * fraction(xs, i, x);
  end
end
end
"""


def print_matlab(program: Program, name: str, comments: str = "") -> str:
    """The text of the file `name.m`; `comments` heads it.

    One point at a time: x, u, p are vectors. There is no fused multiply-add, so results agree with
    compiled code to rounding.
    """
    _MATLAB.check_name(name)
    speller = Speller(program, _MATLAB)
    sizes = ", ".join(f"{array} ({program.size(array)})" for array in ARRAYS)
    lines = [
        f"function out = {name}(x, u, p)",
        *(f"% {line}".rstrip() for line in comment_lines(comments)),
        f"% out ({len(program.outputs)}) from {sizes}. Printed by Touchback.",
        "% A fused multiply-add is rounded twice here: agrees with compiled code to rounding.",
        *(line for table, number in speller.tables.items() for line in _table(number, table)),
        *(
            f"{speller.names[node]} = {speller.expression(node)};"
            for nodes in statements(program)
            for node in nodes
        ),
        f"out = zeros({len(program.outputs)}, 1);",
        *(f"out({i + 1}) = {speller.output(i)};" for i in range(len(program.outputs))),
        "end",
    ]
    return "\n".join(["\n".join(lines) + "\n", *_helpers(program)])


def _table(number: int, table: Table) -> list[str]:
    def vector(points: tuple[float, ...]) -> str:
        return f"[{_MATLAB.numbers(points)}]"

    values = table.values
    if not table.y:
        grid = vector(values)
    else:
        width = len(table.y)
        rows = (values[start : start + width] for start in range(0, len(values), width))
        grid = "[" + "; ".join(vector(row) for row in rows) + "]"
    lines = [f"table{number}_x = {vector(table.x)};"]
    if table.y:
        lines.append(f"table{number}_y = {vector(table.y)};")
    return [*lines, f"table{number}_values = {grid};"]


def _helpers(program: Program) -> list[str]:
    wanted = (
        (_PICK, {ops.MIN, ops.MAX, ops.SELECT}),
        (_REAL_OR_NAN, {ops.SQRT, ops.ASIN, ops.ACOS, ops.LOG, ops.POW}),
        (_CELL, {ops.LOOKUP1, ops.LOOKUP2}),
        (_LOOKUP1, {ops.LOOKUP1}),
        (_LOOKUP2, {ops.LOOKUP2}),
    )
    used = set(program.op)
    return [text for text, users in wanted if used & users]
