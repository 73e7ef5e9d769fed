"""Functions of closed mechanisms for tests of formulations: a model, closures, and further rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from touchback.codegen import compile_program
from touchback.dynamics.constraint_row import Row
from touchback.dynamics.forward_dynamics import (
    configuration_rate,
    mass_matrix_entries,
    solve_efforts,
)
from touchback.dynamics.loop_closures import closure_rows
from touchback.model.closures import Closure
from touchback.model.model import Model
from touchback.native import ConstrainedFunctions, Interpreter
from touchback.symbolic.differentiate import jacobian
from touchback.symbolic.parameter_stages import split_many
from touchback.system.derivation import Derivation
from touchback.system.signal_layout import layout_of

Write = Callable[[Derivation], list[Row]]


@dataclass
class Mechanism:
    """Functions, their parameter block, and the energy of a state."""

    functions: ConstrainedFunctions
    p: np.ndarray
    coordinates: tuple[str, ...]
    energy: Callable[[np.ndarray], float]
    residuals: Callable[[float, np.ndarray], tuple[np.ndarray, np.ndarray]]  # h and J v − b


def mechanism(
    model: Model,
    closures: dict[str, Closure] | None = None,
    rows: Write | None = None,
    stiff: bool = False,
) -> Mechanism:
    """Everything derived and compiled; `rows` writes constraints that aren't closures."""
    layout = layout_of(model)
    d = Derivation(model, layout)
    instant, tape = d.instant, d.tape
    written = [
        row for name, each in (closures or {}).items() for row in closure_rows(instant, name, each)
    ]
    written += rows(d) if rows else []
    n = len(layout.v)
    f = [tape.sub(e, c) for e, c in zip(instant.efforts(), solve_efforts(instant, None))]
    lower = {(i, j): x for (i, j), x in mass_matrix_entries(instant).items() if i >= j and x}
    J = [(i, j, x) for i, row in enumerate(written) for j, x in row.J.items()]
    servo = any(row.through for row in written)
    W = [(i, j, x) for i, row in enumerate(written) for j, x in (row.through or row.J).items()]
    W = W if servo else []
    h = [row.h if row.h is not None else 0 for row in written]
    b = [row.b for row in written]
    z = [instant.value(state.rate) for state in model.states.values()]
    rate = configuration_rate(instant)
    wanted = {
        "terms": [
            *h, *b, *(row.gamma for row in written), *(x for *_, x in J), *(x for *_, x in W),
            *lower.values(), *f, *z,
        ],
        "positions": [*h, *(x for *_, x in J)],
        "b": b,
        "rate": rate,
        "energy": [tape.add(instant.energy("kinetic"), instant.energy("potential"))],
    }  # fmt: skip
    if stiff:
        wanted["stiffness"] = _stiffness(d, f, rate)
    first, seconds = split_many(tape, wanted, d.parameters, d.places())
    compiled = {name: compile_program(program, name) for name, program in seconds.items()}
    parameters = np.array([given.default for given in model.parameters.values()])
    p = Interpreter(first).run(parameters) if first.outputs else np.zeros(1)
    functions = ConstrainedFunctions(
        (len(layout.q), n, len(layout.z)),
        [row.name for row in written],
        compiled["terms"],
        compiled["positions"],
        compiled["b"] if any(b) else None,
        compiled["rate"] if list(rate) != d.v else None,
        [i for i, *_ in J],
        [j for _, j, _ in J],
        [i for i, _ in lower],
        [j for _, j in lower],
        [row.h is not None for row in written],
        [i for i, *_ in W] if servo else None,
        [j for _, j, _ in W] if servo else None,
        compiled["stiffness"] if stiff else None,
    )

    def residuals(t: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        out = compiled["terms"].call(x, np.array([t]), p)
        m, v = len(written), x[len(layout.q) :]
        speed = -out[m : 2 * m]
        for k, (i, j, _) in enumerate(J):
            speed[i] += out[3 * m + k] * v[j]
        return out[:m], speed

    return Mechanism(
        functions,
        p,
        layout.q,
        lambda x: float(compiled["energy"].call(x, np.zeros(1), p)[0]),
        residuals,
    )


def _stiffness(d: Derivation, f: Sequence[int], rate: Sequence[int]) -> list[int]:
    """∂f/∂δq = ∂f/∂q ∂q̇/∂v, then ∂f/∂v, row by row."""
    tape, n = d.tape, len(d.v)
    by_q, by_v = jacobian(tape, list(f), d.q), jacobian(tape, list(f), d.v)
    spread = jacobian(tape, list(rate), d.v)
    found = []
    for i in range(n):
        for j in range(n):
            entry = 0
            for k in range(len(d.q)):
                entry = tape.add(entry, tape.mul(by_q[i][k], spread[k][j]))
            found.append(entry)
    return found + [by_v[i][j] for i in range(n) for j in range(n)]
