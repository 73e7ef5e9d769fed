"""A model as a Python module of casadi: its functions as `casadi.Function`s."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from touchback import Model
from touchback.codegen import Dialect
from touchback.errors import InputError
from touchback.interop.generated_folder import checked_step
from touchback.interop.languages.model_programs import HEAD, ModelPrograms, model_programs
from touchback.interop.languages.python_module import Join, joined_text, names_text, program_text
from touchback.safe_files import check_output, write_atomically
from touchback.symbolic import ops

_CASADI = Dialect(
    templates={
        ops.ADD: "{a} + {b}",
        ops.SUB: "{a} - {b}",
        ops.MUL: "{a} * {b}",
        ops.DIV: "{a} / {b}",
        ops.FMA: "{a} * {b} + {c}",
        ops.FNMA: "{c} - {a} * {b}",
        ops.FMS: "{a} * {b} - {c}",
        ops.NEG: "-{a}",
        ops.SQRT: "ca.sqrt({a})",
        ops.ABS: "ca.fabs({a})",
        ops.FLOOR: "ca.floor({a})",
        ops.MIN: "ca.fmin({a}, {b})",
        ops.MAX: "ca.fmax({a}, {b})",
        ops.LT: "{a} < {b}",
        ops.LE: "{a} <= {b}",
        ops.EQ: "{a} == {b}",
        ops.SELECT: "ca.if_else({a} != 0.0, {b}, {c})",
        ops.SIN: "ca.sin({a})",
        ops.COS: "ca.cos({a})",
        ops.ASIN: "ca.asin({a})",
        ops.ACOS: "ca.acos({a})",
        ops.EXP: "ca.exp({a})",
        ops.LOG: "ca.log({a})",
        ops.SINH: "ca.sinh({a})",
        ops.COSH: "ca.cosh({a})",
        ops.TANH: "ca.tanh({a})",
        ops.ATAN2: "ca.atan2({a}, {b})",
        ops.POW: "ca.power({a}, {b})",
    },
    element="{array}[{index}]",
    first_index=0,
    infinity="ca.inf",
    nan="ca.nan",
    reserved=frozenset(),
)
_DOC = f'''"""{HEAD}: needs casadi (and NumPy, as casadi does); nothing of Touchback.

M a = f + W' l,  J a + gamma = 0,  J v = b,  h(q, t) = 0, of states x = [q, v, z]. `rate`, `sensors`
and `step` are `casadi.Function`s of (t, x, inputs, p), p the numbers in the order of PARAMETERS;
`settle` moves a state onto its constraints, `residual` is how far these stay open, `step` is one of
Runge and Kutta's fourth order."""

import casadi as ca
import numpy as np
'''
_BLOCK = (
    "def block(x):",
    '    """The numbers that parameters become."""',
)
_TERMS = (
    "def terms(t, x, inputs, p):",
    '    """M, f, dq/dt, dz/dt, h, b, gamma, J and W at a state."""',
    "    u, p = ca.vertcat(t, inputs), block(p)",
)
_OUTPUTS = (
    "def outputs(t, x, inputs, a, forces, p):",
    '    """What sensors show."""',
    "    u, p = ca.vertcat(t, inputs, a, forces), block(p)",
)
_SOLVING = '''

def accelerations(t, x, inputs, p):
    """Accelerations of the velocities, and the forces that keep the constraints."""
    M, f, _, _, _, _, gamma, J, W = terms(t, x, inputs, p)
    K = ca.vertcat(ca.horzcat(M, -W.T), ca.horzcat(J, ca.SX.zeros(NC, NC)))
    solved = ca.solve(K, ca.vertcat(f, -gamma))
    return solved[:NV], solved[NV:]


def moved(t, x, inputs, p):
    """dx/dt."""
    _, _, q_rate, z_rate, *_ = terms(t, x, inputs, p)
    return ca.vertcat(q_rate, accelerations(t, x, inputs, p)[0], z_rate)


def settled(t, x, inputs, p, iterations=2):
    """The state that keeps the constraints, by the least change of positions and velocities."""
    for _ in range(iterations if HOLONOMIC.size else 0):
        h, J = (terms(t, x, inputs, p)[i] for i in (4, 7))
        h, J = h[HOLONOMIC.tolist()], J[HOLONOMIC.tolist(), :]
        change = J.T @ ca.solve(J @ J.T, h)
        change = change / ca.fmax(1.0, 2.0 * ca.mmax(ca.fabs(change)))  # half a radian or metre
        change = ca.vertcat(x[:NQ], change, x[NQ + NV:])
        x = ca.vertcat(x[:NQ] - terms(t, change, inputs, p)[2], x[NQ:])
    if NC:
        b, J = (terms(t, x, inputs, p)[i] for i in (5, 7))
        v = x[NQ:NQ + NV]
        v = v - J.T @ ca.solve(J @ J.T, J @ v - b)
        x = ca.vertcat(x[:NQ], v, x[NQ + NV:])
    return x


_T, _X = ca.SX.sym("t"), ca.SX.sym("x", NQ + NV + NZ)
_U, _P, _H = ca.SX.sym("inputs", len(INPUTS)), ca.SX.sym("p", len(PARAMETERS)), ca.SX.sym("h")
_GIVEN, _WORDS = [_T, _X, _U, _P], ["t", "x", "inputs", "p"]
rate = ca.Function("rate", _GIVEN, [moved(*_GIVEN)], _WORDS, ["rate"])
settle = ca.Function("settle", _GIVEN, [settled(*_GIVEN)], _WORDS, ["settled"])
residual = ca.Function(
    "residual", _GIVEN, [terms(*_GIVEN)[4][HOLONOMIC.tolist()]], _WORDS, ["residual"]
)
sensors = ca.Function(
    "sensors", _GIVEN, [outputs(_T, _X, _U, *accelerations(*_GIVEN), _P)], _WORDS, ["outputs"]
)
_K1 = rate(_T, _X, _U, _P)
_K2 = rate(_T + _H / 2, _X + _H / 2 * _K1, _U, _P)
_K3 = rate(_T + _H / 2, _X + _H / 2 * _K2, _U, _P)
_K4 = rate(_T + _H, _X + _H * _K3, _U, _P)
step = ca.Function(
    "step", [*_GIVEN, _H],
    [settle(_T + _H, _X + _H / 6 * (_K1 + 2 * _K2 + 2 * _K3 + _K4), _U, _P)],
    [*_WORDS, "h"], ["after"],
)


P = tuple(PARAMETERS.values())


def run(steps, x=None, inputs=INPUTS, p=P, h=STEP):
    """States, a column for each of so many steps, from x moved onto the constraints, or from the
    initial state with these inputs and p; a ValueError where constraints can't be met."""
    if x is None and DESCRIBED is None and not (p is P and inputs is INPUTS):
        raise ValueError("Where contacts begin was found with the model's own numbers: give x.")
    if x is None:
        x = START if p is P and inputs is INPUTS else DESCRIBED
    x, inputs, p = ca.DM(x), ca.DM(inputs), ca.DM(p)
    for _ in range(30):  # positions first, then velocities once
        x = ca.vertcat(settle(0.0, x, inputs, p)[:NQ], x[NQ:])
    x = settle(0.0, x, inputs, p)
    states = [closed(0.0, x, inputs, p)]
    for k in range(steps):
        states.append(closed((k + 1) * h, step(k * h, states[-1], inputs, p, h), inputs, p))
    return ca.horzcat(*states)


def closed(t, x, inputs, p):
    """The state itself, if it keeps the constraints to a micrometre."""
    gap = np.abs(residual(t, x, inputs, p).full()).max(initial=0.0)
    if not gap < 1e-6:
        raise ValueError(f"At {t:g} s the constraints can't be met: {gap:g} m (or rad) stay open.")
    return x
'''


def write(model: Model, where: Path, *, step: float = 1e-3) -> list[Path]:
    """Writes a module; `step` is that of its loop [s]."""
    check_output(where, (".py",), "casadi")
    step = checked_step("casadi", step)
    write_atomically(where, _module(model_programs("casadi", model), step))
    return [where]


def _module(given: ModelPrograms, step: float) -> str:
    name = given.system.name
    programs = (given.parameters, given.terms, given.outputs)
    if {ops.LOOKUP1, ops.LOOKUP2} & {op for program in programs for op in program.op}:
        raise InputError(
            f"{name}: casadi's text can't have tables; describe what they hold by functions."
        )
    if given.redundant:
        raise InputError(
            f"{name}: its constraints say something twice ({', '.join(given.rows)}), and casadi's "
            "text solves by elimination; take closures with fewer equations, or --to python."
        )
    sections = [
        _DOC,
        names_text(given, step),
        program_text(given.parameters, _CASADI, _BLOCK, _joined),
        program_text(given.terms, _CASADI, _TERMS, _cut(given)),
        program_text(given.outputs, _CASADI, _OUTPUTS, _joined),
        _SOLVING,
    ]
    return joined_text(sections)


def _joined(found: Sequence[str]) -> list[str]:
    return [f"return ca.vertcat({', '.join(found)})" if found else "return ca.SX.zeros(0)"]


def _cut(given: ModelPrograms) -> Join:
    def cut(found: Sequence[str]) -> list[str]:
        lines = []
        for part in given.parts:
            rows, *columns = part.shape
            row = ", ".join(found[part.start : part.stop])
            made = f"ca.vertcat({row})" if row else f"ca.SX.zeros({rows})"
            if columns:
                made = (
                    f"ca.reshape({made}, {columns[0]}, {rows}).T"
                    if row
                    else (f"ca.SX.zeros({rows}, {columns[0]})")
                )
            lines.append(f"{part.name} = {made}")
        return [*lines, f"return {', '.join(part.name for part in given.parts)}"]

    return cut
