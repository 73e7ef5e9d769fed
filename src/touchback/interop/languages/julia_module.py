"""A model as a Julia module that needs its standard library only."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from touchback import Model
from touchback.codegen import Dialect, Speller, statements
from touchback.interop.generated_folder import checked_step
from touchback.interop.languages.model_programs import HEAD, ModelPrograms, model_programs
from touchback.safe_files import check_output, write_atomically
from touchback.symbolic import Program, ops

_JULIA = Dialect(
    templates={
        ops.ADD: "{a} + {b}",
        ops.SUB: "{a} - {b}",
        ops.MUL: "{a} * {b}",
        ops.DIV: "{a} / {b}",
        ops.FMA: "fma({a}, {b}, {c})",
        ops.FNMA: "fma(-{a}, {b}, {c})",
        ops.FMS: "fma({a}, {b}, -{c})",
        ops.NEG: "-{a}",
        ops.SQRT: "sqrt({a})",
        ops.ABS: "abs({a})",
        ops.FLOOR: "floor({a})",
        ops.MIN: "ifelse({a} < {b}, {a}, {b})",
        ops.MAX: "ifelse({a} > {b}, {a}, {b})",
        ops.LT: "ifelse({a} < {b}, 1.0, 0.0)",
        ops.LE: "ifelse({a} <= {b}, 1.0, 0.0)",
        ops.EQ: "ifelse({a} == {b}, 1.0, 0.0)",
        ops.SELECT: "ifelse({a} != 0.0, {b}, {c})",
        ops.SIN: "sin({a})",
        ops.COS: "cos({a})",
        ops.ASIN: "asin({a})",
        ops.ACOS: "acos({a})",
        ops.EXP: "exp({a})",
        ops.LOG: "log({a})",
        ops.SINH: "sinh({a})",
        ops.COSH: "cosh({a})",
        ops.TANH: "tanh({a})",
        ops.ATAN2: "atan({a}, {b})",
        ops.POW: "{a} ^ {b}",
        ops.LOOKUP1: "lookup1(table{table}_x, table{table}, {want}, {a})",
        ops.LOOKUP2: "lookup2(table{table}_x, table{table}_y, table{table}, {want}, {a}, {b})",
    },
    element="{array}[{index}]",
    first_index=1,
    infinity="Inf",
    nan="NaN",
    reserved=frozenset(),
)
_LOOKUPS = """
# Index of the cell that holds a value; the end cells reach beyond.
cell(points, value) = clamp(searchsortedlast(points, value), 1, length(points) - 1)
outside(points, value) = !(points[1] <= value < points[end])
fraction(points, i, value) =
    (clamp(value, points[1], points[end]) - points[i]) / (points[i + 1] - points[i])

"Linear interpolation: the value (want 0) or the slope (want 1)."
function lookup1(xs, values, want, x)
    isnan(x) && return x
    i = cell(xs, x)
    want == 0 && return values[i] + (values[i + 1] - values[i]) * fraction(xs, i, x)
    outside(xs, x) ? 0.0 : (values[i + 1] - values[i]) / (xs[i + 1] - xs[i])
end

"Bilinear interpolation: the value (want 0) or its derivative by x (1), y (2) or both (3)."
function lookup2(xs, ys, values, want, x, y)
    (isnan(x) || isnan(y)) && return x + y
    i, j = cell(xs, x), cell(ys, y)
    (want >= 2 && outside(ys, y) || isodd(want) && outside(xs, x)) && return 0.0
    rise = values[i:i + 1, j + 1] - values[i:i + 1, j]
    along = want >= 2 ? rise / (ys[j + 1] - ys[j]) :
        values[i:i + 1, j] + rise * fraction(ys, j, y)
    isodd(want) ? (along[2] - along[1]) / (xs[i + 1] - xs[i]) :
        along[1] + (along[2] - along[1]) * fraction(xs, i, x)
end
"""
_SOLVING = """
"Accelerations of the velocities, and the forces that keep the constraints."
function accelerations(t, x, inputs = INPUTS, p = P)
    M, f, _, _, _, _, gamma, J, W = terms(t, x, inputs, p)
    K = [M -transpose(W); J zeros(NC, NC)]
    {solve}
end

"dx/dt."
function rate(t, x, inputs = INPUTS, p = P)
    _, _, q_rate, z_rate = terms(t, x, inputs, p)
    [q_rate; accelerations(t, x, inputs, p)[1]; z_rate]
end

"What sensors show, in the order of OUTPUTS."
sensors(t, x, inputs = INPUTS, p = P) =
    outputs(t, x, inputs, accelerations(t, x, inputs, p)..., p)

"The state that keeps the constraints, by Newton's method on the least change of positions, and
then of velocities."
function settle(t, x, inputs = INPUTS, p = P, iterations = 4)
    NC == 0 && return x
    q, v, z = x[1:NQ], x[NQ + 1:NQ + NV], x[NQ + NV + 1:end]
    for _ in 1:(isempty(HOLONOMIC) ? 0 : iterations)
        found = terms(t, [q; v; z], inputs, p)
        change = pinv(found[8][HOLONOMIC, :]) * found[5][HOLONOMIC]
        change = change / max(1.0, 2.0 * maximum(abs, change)) # half a radian or metre
        q = q - terms(t, [q; change; z], inputs, p)[3]
    end
    _, _, _, _, _, b, _, J = terms(t, [q; v; z], inputs, p)
    [q; v - pinv(J) * (J * v - b); z]
end

"The state after one step of h seconds."
function step(t, x, inputs = INPUTS, p = P, h = STEP)
    k1 = rate(t, x, inputs, p)
    k2 = rate(t + h / 2, x + h / 2 * k1, inputs, p)
    k3 = rate(t + h / 2, x + h / 2 * k2, inputs, p)
    k4 = rate(t + h, x + h * k3, inputs, p)
    settle(t + h, x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), inputs, p)
end

"Where a run begins, before it is settled: x if it is given, START, or with other numbers than the
model's own DESCRIBED, from which START was assembled."
function first_state(x, inputs, p)
    x === nothing || return float.(x)
    p === P && inputs === INPUTS && return START
    DESCRIBED === nothing &&
        error("Where contacts begin was found with the model's own numbers: give x.")
    DESCRIBED
end

"States, a column for each of so many steps, from x moved onto the constraints, or from the initial
state with these inputs and p; an error where constraints can't be met."
function run(steps, x = nothing, inputs = INPUTS, p = P, h = STEP)
    x = settle(0.0, first_state(x, inputs, p), inputs, p, 60)
    states = [closed(0.0, x, inputs, p)]
    for k in 0:steps - 1
        push!(states, closed((k + 1) * h, step(k * h, states[end], inputs, p, h), inputs, p))
    end
    reduce(hcat, states)
end

"The state itself, if it keeps the constraints to a micrometre."
function closed(t, x, inputs, p)
    gap = maximum(abs, terms(t, x, inputs, p)[5][HOLONOMIC]; init = 0.0)
    gap < 1e-6 || error("At $t s the constraints can't be met: $gap m (or rad) stay open.")
    x
end

end # module
"""


def write(model: Model, where: Path, *, step: float = 1e-3) -> list[Path]:
    """Writes a module; `step` is that of its loop [s]."""
    check_output(where, (".jl",), "julia")
    step = checked_step("julia", step)
    write_atomically(where, _module(model_programs("julia", model), step))
    return [where]


def _module(given: ModelPrograms, step: float) -> str:
    solve = "solved = K \\ [f; -gamma]\n    solved[1:NV], solved[NV + 1:end]"
    if given.redundant:  # the least of the forces that keep the constraints, as runs here take
        solve = "a = (pinv(K) * [f; -gamma])[1:NV]\n"
        solve += "    a, pinv(collect(transpose(W)), rtol = 1e-9) * (M * a - f)"
    programs = (given.parameters, given.terms, given.outputs)
    looks = {ops.LOOKUP1, ops.LOOKUP2} & {op for program in programs for op in program.op}
    parts = [
        f"# {HEAD}: needs Julia's standard library only.\n#",
        "# M a = f + W' l,  J a + gamma = 0,  J v = b,  h(q, t) = 0, of states x = [q; v; z].",
        "module Mechanism\n\nusing LinearAlgebra\n",
        *_names(given, step),
        _LOOKUPS if looks else "",
        _function(given.parameters, "block(x = collect(last.(PARAMETERS)))", _BLOCK, (), _joined),
        "const P = block() # of the parameters' values above\n",
        _function(given.terms, "terms(t, x, inputs = INPUTS, p = P)", _TERMS, _U, _cut(given)),
        _function(
            given.outputs, "outputs(t, x, inputs, a, forces, p = P)", _OUTPUTS, _U_SOLVED, _joined
        ),
    ]
    return "\n".join(parts) + _SOLVING.replace("{solve}", solve)


_BLOCK = "The numbers p of values in the order of PARAMETERS."
_TERMS = "M, f, dq/dt, dz/dt, h, b, gamma, J and W at a state."
_OUTPUTS = "What sensors show, of accelerations and of the forces that keep the constraints."
_U, _U_SOLVED = ("u = [t; inputs]",), ("u = [t; inputs; a; forces]",)


def _names(given: ModelPrograms, step: float) -> list[str]:
    layout, system = given.system.layout, given.system
    nq, nv, nz = system.sizes
    held = [i + 1 for i, kept in enumerate(given.holonomic) if kept]
    described = "nothing"
    if given.described is not None:
        described = f"Float64[{_numbers(given.described)}]"
    pairs = (f"{_text(name)} => {float(x)!r}" for name, x in system.parameters.items())
    return [
        f"const NAME = {_text(system.name)}",
        f"const STATES = String[{', '.join(map(_text, system.state_names))}]",
        f"const INPUT_NAMES = String[{', '.join(map(_text, layout.inputs))}]",
        f"const INPUTS = Float64[{_numbers(layout.input_defaults)}] # unless others are given",
        f"const PARAMETERS = Pair{{String, Float64}}[{', '.join(pairs)}]",
        f"const OUTPUTS = String[{', '.join(map(_text, layout.outputs))}]",
        f"const CONSTRAINTS = String[{', '.join(map(_text, given.rows))}]",
        f"const HOLONOMIC = Int[{', '.join(map(str, held))}] # others are on velocities only",
        f"const NQ, NV, NZ, NC = {nq}, {nv}, {nz}, {len(given.rows)}",
        f"const STEP = {step!r} # [s]",
        f"const START = Float64[{_numbers(given.start)}]",
        f"const DESCRIBED = {described} # by the model: START is assembled from it",
    ]


def _text(name: str) -> str:
    return json.dumps(name, ensure_ascii=False).replace("$", "\\$")


def _numbers(values: Iterable[float]) -> str:
    return ", ".join(repr(float(x)) for x in values)


def _function(
    program: Program,
    signature: str,
    words: str,
    head: Sequence[str],
    joined: Callable[[Sequence[str]], list[str]],
) -> str:
    speller = Speller(program, _JULIA)
    lines = list(head)
    for table, number in speller.tables.items():
        lines.append(f"table{number}_x = [{_JULIA.numbers(table.x)}]")
        values = f"[{_JULIA.numbers(table.values)}]"
        if table.y:
            lines.append(f"table{number}_y = [{_JULIA.numbers(table.y)}]")
            values = f"permutedims(reshape({values}, {len(table.y)}, {len(table.x)}))"
        lines.append(f"table{number} = {values}")
    lines += [
        f"{speller.names[node]} = {speller.expression(node)}"
        for nodes in statements(program)
        for node in nodes
    ]
    lines += joined([speller.output(i) for i in range(len(program.outputs))])
    return "\n".join([f'"{words}"', f"function {signature}", *(f"    {x}" for x in lines), "end\n"])


def _joined(found: Sequence[str]) -> list[str]:
    return [f"[{', '.join(found)}]" if found else "Float64[]"]


def _cut(given: ModelPrograms) -> Callable[[Sequence[str]], list[str]]:
    def cut(found: Sequence[str]) -> list[str]:
        lines = []
        for part in given.parts:
            row = ", ".join(found[part.start : part.stop])
            made = f"[{row}]" if row else f"zeros({', '.join(map(str, part.shape))})"
            if row and len(part.shape) > 1:
                made = f"permutedims(reshape({made}, {part.shape[1]}, {part.shape[0]}))"
            lines.append(f"{part.name} = {made}")
        return [*lines, f"{', '.join(part.name for part in given.parts)}"]

    return cut
