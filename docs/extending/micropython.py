"""A printer for MicroPython: plain lists and the `math` module, for boards without NumPy."""

from touchback.codegen import Dialect, Speller, statements
from touchback.errors import CompileError
from touchback.symbolic import Program, ops

_MICROPYTHON = Dialect(
    templates={
        ops.ADD: "{a} + {b}",
        ops.SUB: "{a} - {b}",
        ops.MUL: "{a} * {b}",
        ops.DIV: "{a} / {b}",
        ops.FMA: "{a} * {b} + {c}",
        ops.FNMA: "{c} - {a} * {b}",
        ops.FMS: "{a} * {b} - {c}",
        ops.NEG: "-{a}",
        ops.SQRT: "math.sqrt({a})",
        ops.ABS: "abs({a})",
        ops.FLOOR: "math.floor({a})",
        ops.MIN: "{a} if {a} < {b} else {b}",
        ops.MAX: "{a} if {a} > {b} else {b}",
        ops.LT: "1.0 if {a} < {b} else 0.0",
        ops.LE: "1.0 if {a} <= {b} else 0.0",
        ops.EQ: "1.0 if {a} == {b} else 0.0",
        ops.SELECT: "{b} if {a} != 0.0 else {c}",
        ops.SIN: "math.sin({a})",
        ops.COS: "math.cos({a})",
        ops.ASIN: "math.asin({a})",
        ops.ACOS: "math.acos({a})",
        ops.EXP: "math.exp({a})",
        ops.LOG: "math.log({a})",
        ops.ATAN2: "math.atan2({a}, {b})",
        ops.POW: "math.pow({a}, {b})",
    },
    element="{array}[{index}]",
    first_index=0,
    infinity="float('inf')",
    nan="float('nan')",
    reserved=frozenset(["math"]),
)


def print_micropython(program: Program, name: str) -> str:
    """A file with `def name(x, u, p)` that returns a list."""
    _MICROPYTHON.check_name(name)
    if program.lookups:
        raise CompileError(f"{name}: tables can't be printed for MicroPython yet.")
    speller = Speller(program, _MICROPYTHON)
    lines = ["import math", "", "", f"def {name}(x, u=(), p=()):"]
    for nodes in statements(program):
        lines += [f"    {speller.names[node]} = {speller.expression(node)}" for node in nodes]
    results = ", ".join(speller.output(i) for i in range(len(program.outputs)))
    return "\n".join([*lines, f"    return [{results}]", ""])
