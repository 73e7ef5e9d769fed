"""The rate of a mechanism as generated code for derivatives of steps
(native/gradients/gradient_rate.h).

Accelerations and multipliers s = [a, λ] solve r = [M a + c − τ − Wᵀλ, J a + γ + pull] = 0, where
the pull is that of Baumgarte's stabilisation, 2 α (J v − b) + β² h, or α (J v − b) of rows on
velocities only. r is differentiated by the tape at fixed s, forward and in reverse; the rate itself
never is, so that a solution costs one elimination and no derivative of one: of the seven-joint arm
r has 1.9 thousand operations in reverse, where the tape of the rate has 4.2.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from touchback.dynamics import Row, configuration_rate, constraint_rows, mass_matrix_entries
from touchback.symbolic import jvp, replay, vjp
from touchback.system.compiled_function import FunctionSet
from touchback.system.derivation import Derivation, solved_arguments
from touchback.system.function_definitions import rate_equations
from touchback.system.implicit_equations import motion_equations

if TYPE_CHECKING:
    from touchback.native import Baumgarte
    from touchback.system.active_equations import Key
    from touchback.system.dynamics_kinds.base import DynamicsKind


def variational_functions(
    dynamics: DynamicsKind, key: Key, parameters: Sequence[str], pull: Baumgarte
) -> FunctionSet:
    """`equations`, `tangent`, `adjoint`, `turn tangent` and `turn adjoint`, of
    [t, inputs…, s, variation, weights]; the variation is of [x, t, inputs, parameters], and the
    weights are those of [r, dq/dt, dz/dt]."""
    names = tuple(parameters)
    known = ("flow", key, names, pull.alpha, pull.beta)
    return dynamics.derive_once(known, lambda: _derive(dynamics, key, names, pull))


def _derive(dynamics: DynamicsKind, key: Key, names: Sequence[str], pull: Baumgarte) -> FunctionSet:
    layout = dynamics.layout
    d = dynamics.derive(dynamics.model(key), solved_arguments(layout, dynamics.rows(key).names))
    k = d.tape
    rows = constraint_rows(d.instant)
    found = motion_equations(d, rows)
    r = [*found["effort"], *_pulled(d, rows, found, pull)]
    solution = [*d.accelerations, *d.multipliers(rows)]
    K = equations_matrix(d, rows)
    still: dict[Hashable, int] = {**k.symbols, **dict.fromkeys(solution, 0)}
    turning = configuration_rate(d.instant)
    given = [*turning, *found["state"]]
    known = dict(zip(layout.parameters, d.parameters, strict=True))
    variables = [*d.q, *d.v, *d.z, d.time, *d.u, *(known[name] for name in names)]
    seeds = {node: d.argument(f"variation {i}") for i, node in enumerate(variables)}
    weights = [d.argument(f"weight {i}") for i in range(len(r) + len(given))]
    of_turning = weights[len(r) : len(r) + len(turning)]
    return d.functions(
        {
            "equations": [*replay(k, r, k, still), *K, *given],
            "tangent": jvp(k, [*r, *given], seeds),
            "adjoint": vjp(k, [*r, *given], weights, variables),
            "turn tangent": jvp(k, turning, seeds),
            "turn adjoint": vjp(k, turning, of_turning, variables),
        }
    )


def equations_matrix(d: Derivation, rows: Sequence[Row]) -> list[int]:
    """K = [[M, −Wᵀ], [J, 0]], by rows."""
    M, n = mass_matrix_entries(d.instant), len(d.v)
    above = [
        [M.get((i, j), 0) for j in range(n)] + [-(row.through or row.J).get(i, 0) for row in rows]
        for i in range(n)
    ]
    below = [[row.J.get(j, 0) for j in range(n)] + [0] * len(rows) for row in rows]
    return [x for line in [*above, *below] for x in line]


def _pulled(
    d: Derivation, rows: Sequence[Row], found: dict[str, list[int]], pull: Baumgarte
) -> list[int]:
    k = d.tape
    alpha, stiff = k.const(pull.alpha), k.const(pull.beta**2)
    blocks = (found["acceleration"], found["rate"], found["position"])
    pulled = []
    for row, a, v, h in zip(rows, *blocks, strict=True):
        held = k.mul(alpha, v)
        if row.h is not None:
            held = k.add(k.add(held, held), k.mul(stiff, h))
        pulled.append(k.add(a, held))
    return pulled


# The motion of a tree together with its variations, as functions of one longer state.
#
# The state is [x, s₁, s₂, …], x = [q, v, z], and the variation s of x with a parameter p or with
# where it began follows from the rate differentiated by the tape:
#
#     ṡ = (∂f/∂x) s + ∂f/∂p,   dy/dp = (∂y/∂x) s + ∂y/∂p,   y: what the sensors show.
#
# Any Runge–Kutta step of the longer state gives the derivative of that step of x itself, exactly:
# differentiating a step and taking a step of what was differentiated are the same.


def extended_state_functions(
    dynamics: DynamicsKind, parameters: Sequence[str], starts: int
) -> FunctionSet:
    """`rate` of the longer state and `outputs`: what the sensors show, then their derivatives, one
    direction after the other. Directions are the parameters, then so many that differ only in
    where they start."""
    what = ("variations", tuple(parameters), starts)
    return dynamics.derive_once(what, lambda: _derive_extended(dynamics, parameters, starts))


def _derive_extended(dynamics: DynamicsKind, parameters: Sequence[str], starts: int) -> FunctionSet:
    d = dynamics.derive(dynamics.whole)
    rate, _, outputs = rate_equations(d, dynamics.plan.algorithm)
    x, values = [*d.q, *d.v, *d.z], dict(zip(d.layout.parameters, d.parameters, strict=True))
    directions: list[dict[int, int]] = [{values[name]: 1} for name in parameters]
    directions += [{} for _ in range(starts)]
    beyond: list[int] = []
    rates, shown = list(rate), list(outputs)
    for j, seeds in enumerate(directions):
        own = [d.tape.symbol(f"variation {j}:{i}") for i in range(len(x))]
        beyond += own
        along = jvp(d.tape, [*rate, *outputs], {**seeds, **dict(zip(x, own, strict=True))})
        rates += along[: len(rate)]
        shown += along[len(rate) :]
    return d.functions({"rate": rates, "outputs": shown}, beyond=beyond)
