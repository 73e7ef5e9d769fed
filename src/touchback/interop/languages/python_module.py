"""A model as a Python module that needs NumPy only; the text of such modules for jax and casadi,
too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from touchback import Model
from touchback.codegen import PYTHON, Dialect, Speller, expression, helpers, statements, table_texts
from touchback.interop.generated_folder import checked_step
from touchback.interop.languages.model_programs import HEAD, ModelPrograms, model_programs
from touchback.safe_files import check_output, write_atomically
from touchback.symbolic import Program

_RUNNING = '''
def run(duration, x=None, inputs=INPUTS, p=P, h=STEP):
    """Times, and a state at each, from x moved onto the constraints, or from the initial state with
    these inputs and p; a ValueError where constraints can't be met. `inputs` are
    numbers, or a function of time that gives them."""
    times = h * np.arange(round(duration / h) + 1)
    held = inputs if callable(inputs) else lambda t: inputs
    x = settle(0.0, first(x, inputs, p), held(0.0), p, 60)
    states = [closed(0.0, x, held(0.0), p)]
    for t in times[:-1]:
        states.append(closed(t + h, step(t, states[-1], held(t), p, h), held(t), p))
    return times, np.array(states)


def closed(t, x, inputs, p):
    """The state itself, if it keeps the constraints to a micrometre."""
    gap = np.abs(terms(t, x, inputs, p)[4][HOLONOMIC]).max(initial=0.0)
    if not gap < 1e-6:
        raise ValueError(f"At {t:g} s the constraints can't be met: {gap:g} m (or rad) stay open.")
    return x


if __name__ == "__main__":
    print("time", *STATES, sep=",")
    for t, x in zip(*run(1.0)):
        print(t, *x, sep=",")
'''


def write(model: Model, where: Path, *, step: float = 1e-3) -> list[Path]:
    """Writes a module; `step` is that of its loop [s]."""
    check_output(where, (".py",), "python")
    step = checked_step("python", step)
    text = module(model_programs("python", model), "NumPy", ["import numpy as np"], step, _RUNNING)
    write_atomically(where, text)
    return [where]


Join = Callable[[Sequence[str]], list[str]]  # of what a program gives, the lines that return it


_DOC = '''"""{head}: needs {needs} only; nothing of Touchback.

M a = f + W' l,  J a + gamma = 0,  J v = b,  h(q, t) = 0, of states x = [q, v, z]. `rate` solves
these, `settle` moves a state onto its constraints, `step` is one step of Runge and Kutta's fourth
order with `settle` after it. Numbers of `PARAMETERS` become p by `block`."""
'''


_SOLVING = '''
def accelerations(t, x, inputs=INPUTS, p=P):
    """Accelerations of the velocities, and the forces that keep the constraints."""
    M, f, _, _, _, _, gamma, J, W = terms(t, x, inputs, p)
    K = np.block([[M, -W.T], [J, np.zeros((NC, NC))]])
    {solve}


def rate(t, x, inputs=INPUTS, p=P):
    """dx/dt."""
    _, _, q_rate, z_rate, *_ = terms(t, x, inputs, p)
    return np.concatenate([q_rate, accelerations(t, x, inputs, p)[0], z_rate])


def sensors(t, x, inputs=INPUTS, p=P):
    """What sensors show, in the order of OUTPUTS."""
    return outputs(t, x, inputs, *accelerations(t, x, inputs, p), p)


def settle(t, x, inputs=INPUTS, p=P, iterations=4):
    """The state that keeps the constraints, by Newton's method on the least change of positions,
    and then of velocities."""
    if NC == 0:
        return x
    for _ in range(iterations if len(HOLONOMIC) else 0):
        h, J = (terms(t, x, inputs, p)[i] for i in (4, 7))
        change = np.linalg.pinv(J[HOLONOMIC]) @ h[HOLONOMIC]
        change = change / np.maximum(1.0, 2.0 * np.abs(change).max())  # half a radian or metre
        turned = np.concatenate([x[:NQ], change, x[NQ + NV:]])
        x = np.concatenate([x[:NQ] - terms(t, turned, inputs, p)[2], x[NQ:]])
    b, J = (terms(t, x, inputs, p)[i] for i in (5, 7))
    v = x[NQ:NQ + NV]
    return np.concatenate([x[:NQ], v - np.linalg.pinv(J) @ (J @ v - b), x[NQ + NV:]])


def first(x, inputs, p):
    """Where a run begins, before it is settled: x if it is given, START, or with other numbers than
    the model's own DESCRIBED, from which START was assembled."""
    if x is not None:
        return np.asarray(x, dtype=float)
    if p is P and inputs is INPUTS:
        return START
    if DESCRIBED is None:
        raise ValueError("Where contacts begin was found with the model's own numbers: give x.")
    return DESCRIBED


def step(t, x, inputs=INPUTS, p=P, h=STEP):
    """The state after one step of h seconds."""
    k1 = rate(t, x, inputs, p)
    k2 = rate(t + h / 2, x + h / 2 * k1, inputs, p)
    k3 = rate(t + h / 2, x + h / 2 * k2, inputs, p)
    k4 = rate(t + h, x + h * k3, inputs, p)
    return settle(t + h, x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), inputs, p)
'''


def module(
    given: ModelPrograms, needs: str, imports: Sequence[str], step: float, running: str
) -> str:
    """The text of a module; `running` is its loop over steps."""
    solve = "solved = np.linalg.solve(K, np.concatenate([f, -gamma]))\n"
    solve += "    return solved[:NV], solved[NV:]"
    if given.redundant:  # the least of the forces that keep the constraints, as runs here take
        solve = "a = np.linalg.lstsq(K, np.concatenate([f, -gamma]), rcond=None)[0][:NV]\n"
        solve += "    return a, np.linalg.pinv(W.T, 1e-9) @ (M @ a - f)"
    sections = [
        _DOC.format(head=HEAD, needs=needs) + "\n" + "\n".join(imports),
        *helpers(given.parameters, given.terms, given.outputs),
        names_text(given, step),
        program_text(given.parameters, PYTHON, _BLOCK, _joined),
        "P = block()  # of the parameters' values above",
        program_text(given.terms, PYTHON, _TERMS, _cut(given)),
        program_text(given.outputs, PYTHON, _OUTPUTS, _joined),
        _SOLVING.format(solve=solve),
        running,
    ]
    return joined_text(sections)


def joined_text(sections: Sequence[str]) -> str:
    """Sections with two empty lines between."""
    return "\n\n\n".join(section.strip("\n") for section in sections) + "\n"


_BLOCK = (
    "def block(parameters=None):",
    '    """The numbers p of values in the order of PARAMETERS."""',
    "    x = list(PARAMETERS.values()) if parameters is None else parameters",
)


_TERMS = (
    "def terms(t, x, inputs=INPUTS, p=P):",
    '    """M, f, dq/dt, dz/dt, h, b, gamma, J and W at a state."""',
    "    u = [t, *inputs]",
)


_OUTPUTS = (
    "def outputs(t, x, inputs, a, forces, p=P):",
    '    """What sensors show, of accelerations and of the forces that keep the constraints."""',
    "    u = [t, *inputs, *a, *forces]",
)


def names_text(given: ModelPrograms, step: float) -> str:
    """Names and numbers of the model, as Python's."""
    layout, system = given.system.layout, given.system
    start = ", ".join(repr(float(x)) for x in given.start)
    described = "None"
    if given.described is not None:
        described = f"np.array({[float(x) for x in given.described]!r})"
    kept = [i for i, has in enumerate(given.holonomic) if has]
    inputs = ", ".join(repr(float(x)) for x in layout.input_defaults)
    nq, nv, nz = system.sizes
    lines = [
        f"NAME = {system.name!r}",
        f"STATES = {tuple(system.state_names)!r}",
        f"INPUT_NAMES = {tuple(layout.inputs)!r}",
        f"INPUTS = ({inputs}{',' if layout.inputs else ''})  # unless others are given",
        f"PARAMETERS = { {name: float(x) for name, x in system.parameters.items()}!r}",
        f"OUTPUTS = {tuple(layout.outputs)!r}",
        f"CONSTRAINTS = {given.rows!r}",
        f"HOLONOMIC = np.array({kept!r}, dtype=int)  # others are on velocities only",
        f"NQ, NV, NZ, NC = {nq}, {nv}, {nz}, {len(given.rows)}",
        f"STEP = {step!r}  # [s]",
        f"START = np.array([{start}])",
        f"DESCRIBED = {described}  # by the model: START is assembled from it",
    ]
    return "\n".join(lines)


def program_text(program: Program, dialect: Dialect, head: Sequence[str], joined: Join) -> str:
    """A function that computes a program."""
    speller = Speller(program, dialect)
    tables = "".join(table_texts(speller)).splitlines()
    lines = [
        f"{speller.names[node]} = {expression(program, node, speller)}"
        for nodes in statements(program)
        for node in nodes
    ]
    found = [speller.output(i) for i in range(len(program.outputs))]
    return "\n".join([*head, *(f"    {line}" for line in [*tables, *lines, *joined(found)])])


def _joined(found: Sequence[str]) -> list[str]:
    return [f"return np.array([{', '.join(found)}])"]


def _cut(given: ModelPrograms) -> Join:
    def cut(found: Sequence[str]) -> list[str]:
        lines = []
        for part in given.parts:
            row = ", ".join(found[part.start : part.stop])
            shape = f".reshape({', '.join(map(str, part.shape))})" if len(part.shape) > 1 else ""
            if part.name == "W" and _same(given, found):
                lines.append("W = J")
            else:
                lines.append(f"{part.name} = np.array([{row}]){shape}")
        return [*lines, f"return {', '.join(part.name for part in given.parts)}"]

    return cut


def _same(given: ModelPrograms, found: Sequence[str]) -> bool:
    J, W = (next(x for x in given.parts if x.name == name) for name in "JW")
    return found[J.start : J.stop] == found[W.start : W.stop]
