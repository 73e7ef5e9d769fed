"""Transitions between modes as generated code for their derivatives: when they happen, what is
reset, and the impulses.

Velocities v⁺ and impulses Λ solve r = [M (v⁺ − v) − Wᵀ Λ, J v⁺ − b + e (J v − b)] = 0, with e = 0
where nothing rebounds (Newton's law; native/modes/transition.c).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from touchback.dynamics import configuration_rate, constraint_rows, mass_matrix_entries
from touchback.symbolic import gradient, jacobian
from touchback.system.compiled_function import Function
from touchback.system.derivation import Derivation
from touchback.system.variational_equations import equations_matrix

if TYPE_CHECKING:
    from touchback.native import ImpactData
    from touchback.system.dynamics_kinds.base import DynamicsKind
    from touchback.system.mode_equations import Exit


@dataclass(frozen=True)
class SaltationFunctions:
    """Of x and [t, inputs…], by the variables [x, t, inputs, parameters]:

    `guards` gives the indicators of a mode's exits, `guard` that of this one and its derivatives,
    `reset` states, then restitutions, with derivatives by rows. Of the state reset and
    [t, inputs…, v⁺, Λ, e…], `struck` gives r, K = ∂r/∂[v⁺, Λ], its derivatives by [variables, e],
    then the constraints' h with theirs, and N of dq = N δ."""

    guards: Function
    guard: Function
    reset: Function
    struck: Function


def saltation_functions(
    dynamics: DynamicsKind, mode: int, number: int, resting: bool, parameters: Sequence[str]
) -> SaltationFunctions:
    """Those of an exit of a mode, into the mode that follows or into that of rest."""
    names = tuple(parameters)
    known = ("jump", mode, number, resting, names)
    return dynamics.derive_once(known, lambda: _derive(dynamics, mode, number, resting, names))


def _derive(
    dynamics: DynamicsKind, mode: int, number: int, resting: bool, names: tuple[str, ...]
) -> SaltationFunctions:
    modes = dynamics.modes
    own = modes.every[mode]
    exit = own.exits[number]
    d = dynamics.derive(own.acting.model)
    variables = _variables(d, names)
    values = [d.instant.value(each.transition.when) for each in own.exits]
    after = [*d.q, *d.v, *d.z]
    for place, value in zip(exit.data.reset_places, exit.transition.reset.values(), strict=True):
        after[place] = d.instant.value(value)
    held = exit.data.rest_number if resting else exit.data.target_number
    after[exit.data.mode_place] = d.tape.const(held)
    rebounds = [] if resting else _rebounds(d, exit)
    found = [*after, *rebounds]
    wanted = {
        "guards": values,
        "guard": [values[number], *gradient(d.tape, values[number], variables)],
        "reset": [*found, *(x for row in jacobian(d.tape, found, variables) for x in row)],
    }
    made = d.functions(wanted)
    impact = exit.data.rest_impact if resting else exit.data.impact
    struck = _struck(dynamics, impact, len(rebounds), names)
    return SaltationFunctions(made["guards"], made["guard"], made["reset"], struck)


def _variables(d: Derivation, names: Sequence[str]) -> list[int]:
    known = dict(zip(d.layout.parameters, d.parameters, strict=True))
    return [*d.q, *d.v, *d.z, d.time, *d.u, *(known[name] for name in names)]


def _rebounds(d: Derivation, exit: Exit) -> list[int]:
    given = exit.transition
    return [d.instant.value(given.restitution.get(name, 0.0)) for name in given.impact]


def _struck(
    dynamics: DynamicsKind, impact: ImpactData, rebounds: int, names: Sequence[str]
) -> Function:
    acting = dynamics.modes.constraint_sets[impact.constraint_set]
    n, m = len(dynamics.layout.v), len(acting.rows.names)
    sizes = {"after": n, "impulse": m, "rebound": rebounds}
    extra = [f"{word} {i}" for word, size in sizes.items() for i in range(size)]
    d = dynamics.derive(acting.model, extra)
    k, rows, M = d.tape, constraint_rows(d.instant), mass_matrix_entries(d.instant)
    after, impulses, e = d.extra[:n], d.extra[n : n + m], d.extra[n + m :]

    def total(terms: Sequence[tuple[int, int]]) -> int:
        found = 0
        for x, y in terms:
            found = k.add(found, k.mul(x, y))
        return found

    r = []
    for i in range(n):
        jumps = [(M.get((i, j), 0), k.sub(after[j], d.v[j])) for j in range(n)]
        pushes = [((row.through or row.J).get(i, 0), -x) for row, x in zip(rows, impulses)]
        r.append(total([*jumps, *pushes]))
    for row, contact in zip(rows, impact.contacts, strict=True):
        speeds = [total([(x, v[j]) for j, x in row.J.items()]) for v in (after, d.v)]
        left, came = (k.sub(speed, row.b) for speed in speeds)
        turned = k.mul(e[contact], came) if e and contact >= 0 else 0
        r.append(k.add(left, turned))
    h = [0 if row.h is None else row.h for row in rows]
    variables = [*_variables(d, names), *e]
    slopes = [x for row in jacobian(k, [*r, *h], variables) for x in row]
    N = [x for row in jacobian(k, configuration_rate(d.instant), d.v) for x in row]
    out = [*r, *equations_matrix(d, rows), *h, *slopes, *N]
    return d.functions({"struck": out})["struck"]
