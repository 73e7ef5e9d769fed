"""C99: a self-contained file that computes the same bits as `symbolic.evaluate`.

C text of the helpers that a printed program may need: the same operations as in `symbolic`.
"""

import re
import textwrap

from touchback.codegen.printers.dialect import Dialect, Speller, comment_lines
from touchback.codegen.printers.program_chunks import Chunk, cut
from touchback.symbolic import (
    ARRAYS,
    COS_COEFFICIENTS,
    LIMIT,
    MAGIC,
    PI_HALF,
    SIN_COEFFICIENTS,
    TWO_OVER_PI,
    Program,
    Table,
    ops,
)


def sine_cosine() -> str:
    """Sine and cosine, operation by operation as `symbolic.sincos`."""
    reduction = "\n".join(f"    r = fma(-k, {part!r}, r);" for part in PI_HALF)
    horner = "\n".join(
        f"    ps = fma(ps, z, {SIN_COEFFICIENTS[degree]!r});\n"
        f"    pc = fma(pc, z, {COS_COEFFICIENTS[degree]!r});"
        for degree in range(4, -1, -1)
    )
    return f"""\
/* Sine and cosine: three steps of reduction, then polynomials; beyond 2^30 the library's. */
static inline void sine_cosine(double x, double *s, double *c)
{{
    if (!(fabs(x) <= {LIMIT!r})) {{
        *s = sin(x);
        *c = cos(x);
        return;
    }}
    const double k = fma(x, {TWO_OVER_PI!r}, {MAGIC!r}) - {MAGIC!r};
    double r = x;
{reduction}
    const double z = r * r;
    double ps = {SIN_COEFFICIENTS[5]!r};
    double pc = {COS_COEFFICIENTS[5]!r};
{horner}
    const double sine = fma(r * z, ps, r);
    const double cosine = fma(z * z, pc, fma(-0.5, z, 1.0));
    const int quadrant = (int)k & 3;
    const double first = quadrant & 1 ? cosine : sine;
    const double second = quadrant & 1 ? sine : cosine;
    *s = quadrant & 2 ? -first : first;
    *c = (quadrant + 1) & 2 ? -second : second;
}}
"""


KEEP_SIGNS = """\
/* The negative of a fused result. gcc would turn -fma(a, b, c) into fma(-a, b, -c), and so -0 into
 * +0; it leaves the subtraction alone once told that rounding might not be to nearest. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("rounding-math")
#endif
#define NEGATIVE(a) (-0.0 - (a))
"""


CELL = """\
/* Index of the cell [points[i], points[i + 1]) that holds the value; the end cells reach beyond. */
static int cell(const double *points, int n, double value)
{
    int low = 0, high = n - 1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (value < points[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

static int outside(const double *points, int n, double value)
{
    return !(points[0] <= value && value < points[n - 1]);
}

/* Where the value stands in cell i, from 0 to 1. */
static double fraction(const double *points, int n, int i, double value)
{
    if (value < points[0])
        value = points[0];
    if (points[n - 1] < value)
        value = points[n - 1];
    return (value - points[i]) / (points[i + 1] - points[i]);
}
"""


LOOKUP1 = """\
/* Linear interpolation: the value (want 0) or the slope (want 1). */
static double lookup1(const double *xs, int nx, const double *values, int want, double x)
{
    if (x != x)
        return x;
    const int i = cell(xs, nx, x);
    const double v0 = values[i], v1 = values[i + 1];
    if (want == 1)
        return outside(xs, nx, x) ? 0.0 : (v1 - v0) / (xs[i + 1] - xs[i]);
    return v0 + (v1 - v0) * fraction(xs, nx, i, x);
}
"""


LOOKUP2 = """\
/* Bilinear interpolation: the value (want 0) or its derivative by x (1), y (2) or both (3). */
static double lookup2(const double *xs, int nx, const double *ys, int ny, const double *values,
                      int want, double x, double y)
{
    if (x != x || y != y)
        return x + y;
    const int i = cell(xs, nx, x), j = cell(ys, ny, y);
    const double *v0 = values + i * ny + j, *v1 = v0 + ny;
    double low, high;
    if (want >= 2) {
        if (outside(ys, ny, y))
            return 0.0;
        low = (v0[1] - v0[0]) / (ys[j + 1] - ys[j]);
        high = (v1[1] - v1[0]) / (ys[j + 1] - ys[j]);
    } else {
        const double t = fraction(ys, ny, j, y);
        low = v0[0] + (v0[1] - v0[0]) * t;
        high = v1[0] + (v1[1] - v1[0]) * t;
    }
    if (want % 2 == 1)
        return outside(xs, nx, x) ? 0.0 : (high - low) / (xs[i + 1] - xs[i]);
    return low + (high - low) * fraction(xs, nx, i, x);
}
"""


CHUNK_LENGTH = 300  # statements to a function: gcc and clang stay linear in the length of the file


_WORDS = """auto break case char const continue default do double else enum extern float for goto
if inline int long main register restrict return short signed sizeof static struct switch typedef
union unsigned void volatile while"""


_FUNCTIONS = """acos asin atan2 cos cosh exp fabs floor fma log pow sin sinh sqrt tanh
cell fraction lookup1 lookup2 outside sine_cosine NEGATIVE"""


C99 = Dialect(
    templates={
        ops.ADD: "{a} + {b}",
        ops.SUB: "{a} - {b}",
        ops.MUL: "{a} * {b}",
        ops.DIV: "{a} / {b}",
        ops.FMA: "fma({a}, {b}, {c})",
        ops.SQRT: "sqrt({a})",
        ops.ABS: "fabs({a})",
        ops.FLOOR: "floor({a})",
        ops.MIN: "{a} < {b} ? {a} : {b}",
        ops.MAX: "{a} > {b} ? {a} : {b}",
        ops.LT: "{a} < {b} ? 1.0 : 0.0",
        ops.LE: "{a} <= {b} ? 1.0 : 0.0",
        ops.EQ: "{a} == {b} ? 1.0 : 0.0",
        ops.SELECT: "{a} != 0.0 ? {b} : {c}",
        ops.ASIN: "asin({a})",
        ops.ACOS: "acos({a})",
        ops.EXP: "exp({a})",
        ops.LOG: "log({a})",
        ops.SINH: "sinh({a})",
        ops.COSH: "cosh({a})",
        ops.TANH: "tanh({a})",
        ops.ATAN2: "atan2({a}, {b})",
        ops.POW: "pow({a}, {b})",
        ops.LOOKUP1: "lookup1(table{table}_x, {nx}, table{table}_values, {want}, {a})",
        ops.LOOKUP2: "lookup2(table{table}_x, {nx}, table{table}_y, {ny}, table{table}_values, "
        "{want}, {a}, {b})",
    },
    element="{array}[{index}]",
    first_index=0,
    infinity="INFINITY",
    nan="NAN",
    reserved=frozenset(f"{_WORDS} {_FUNCTIONS}".split()),
)


class CSpeller(Speller):
    """C, with negations that gcc can't merge into a fused operation (see KEEP_SIGNS)."""

    real = "double"  # what the numbers are

    def __init__(self, program: Program, dialect: Dialect = C99) -> None:
        super().__init__(program, dialect)
        fused = (ops.FMA, ops.FNMA, ops.FMS)
        self._mergeable = {node for node, op in enumerate(program.op) if op in fused}

    def result(self, index: int) -> str:
        """Where an output goes."""
        return f"out[{index}]"

    def negative(self, node: int) -> str:
        text = self.operand(node)
        return f"NEGATIVE({text})" if node in self._mergeable else f"-{text}"

    def expression(self, node: int) -> str:
        program = self.program
        op, a, b, c = program.op[node], program.a[node], program.b[node], program.c[node]
        if op == ops.NEG:
            return self.negative(a)
        if op == ops.FMS:
            return f"fma({self.operand(a)}, {self.operand(b)}, {self.negative(c)})"
        if op == ops.FNMA:
            if a in self._mergeable:  # then the sign is better put on the other factor
                a, b = b, a
            return f"fma({self.negative(a)}, {self.operand(b)}, {self.operand(c)})"
        return super().expression(node)


def print_c(program: Program, name: str, comments: str = "") -> str:
    """A C99 file with `void name(x, u, p, out, work, ctx)`, Touchback's ABI; `comments` heads it.

    The arrays must not overlap `out`; `work` and `ctx` are not used.
    """
    C99.check_name(name)
    speller = CSpeller(program)
    chunks, slots = cut(program, CHUNK_LENGTH)
    functions = []
    if len(chunks) == 1:
        body = body_lines(chunks[0], speller)
    else:
        functions = [_part(chunk, number, speller) for number, chunk in enumerate(chunks, 1)]
        body = [f"double w[{max(slots, 1)}];"]
        body += [f"part{number}(x, u, p, out, w);" for number in range(1, len(chunks) + 1)]
    extra = "double *work, const void *ctx"
    functions.append(_function(f"void {name}", extra, ("work", "ctx"), body))
    signs = [KEEP_SIGNS] if any("NEGATIVE(" in function for function in functions) else []
    header = _header(program, name, comments)
    tables = [table_text(number, table) for table, number in speller.tables.items()]
    parts = [header, "#include <math.h>\n", *signs, *helper_texts(program), *tables, *functions]
    return "\n".join(parts)


def _header(program: Program, name: str, comments: str) -> str:
    sizes = ", ".join(f"{array}[{program.size(array)}]" for array in ARRAYS)
    lines = [
        *comment_lines(comments),
        f"{name}: out[{len(program.outputs)}] from {sizes}. Printed by Touchback.",
        "Compile with -ffp-contract=off: every fused multiply-add is an fma() below.",
    ]
    return "/* " + "\n * ".join(lines) + "\n */"


def helper_texts(program: Program) -> list[str]:
    used = set(program.op)
    found = []
    if used & {ops.SIN, ops.COS}:
        found.append(sine_cosine())
    if used & {ops.LOOKUP1, ops.LOOKUP2}:
        found.append(CELL)
    if ops.LOOKUP1 in used:
        found.append(LOOKUP1)
    if ops.LOOKUP2 in used:
        found.append(LOOKUP2)
    return found


def table_text(number: int, table: Table) -> str:
    arrays = {"x": table.x, "y": table.y, "values": table.values}
    return "".join(
        f"static const double table{number}_{label}[{len(points)}] = {{\n{_wrapped(points)}\n}};\n"
        for label, points in arrays.items()
        if points
    )


def _wrapped(points: tuple[float, ...]) -> str:
    indent = " " * 4
    return textwrap.fill(
        C99.numbers(points),
        100,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )


def _part(chunk: Chunk, number: int, speller: CSpeller) -> str:
    return _function(f"static void part{number}", "double *w", ("w",), body_lines(chunk, speller))


def _function(start: str, extra: str, extra_names: tuple[str, ...], lines: list[str]) -> str:
    """A function with the arguments x, u, p, out and `extra`; those that it leaves alone say so."""
    text = "".join(f"    {line}\n" for line in lines)
    unused = [
        name for name in (*ARRAYS, "out", *extra_names) if not re.search(rf"\b{name}\b", text)
    ]
    ignored = f"    {' '.join(f'(void){name};' for name in unused)}\n" if unused else ""
    indent = " " * (len(start) + 1)
    arguments = f"const double *x, const double *u, const double *p, double *out,\n{indent}{extra}"
    return f"{start}({arguments})\n{{\n{ignored}{text}}}\n"


def body_lines(chunk: Chunk, speller: CSpeller) -> list[str]:
    """Loads, statements, stores, outputs: nothing is written before everything is read."""
    names = speller.names
    return [
        *(f"const {speller.real} {names[node]} = w[{slot}];" for node, slot in chunk.loads.items()),
        *(statement_line(nodes, speller) for nodes in chunk.statements),
        *(f"w[{slot}] = {names[node]};" for node, slot in chunk.stores.items()),
        *(f"{speller.result(index)} = {speller.output(index)};" for index in chunk.outputs),
    ]


def statement_line(nodes: tuple[int, ...], speller: CSpeller) -> str:
    """What computes a value, or a sine and cosine together."""
    node = nodes[0]
    if speller.program.op[node] in (ops.SIN, ops.COS):
        number = speller.names[node][1:]
        angle = speller.operand(speller.program.a[node])
        return f"{speller.real} S{number}, C{number}; sine_cosine({angle}, &S{number}, &C{number});"
    return f"const {speller.real} {speller.names[node]} = {speller.expression(node)};"
