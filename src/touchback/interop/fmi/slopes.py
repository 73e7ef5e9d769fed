"""What an FMU's directional derivatives and event indicators are computed from.

Accelerations and multipliers s = [a, λ] solve r = [M a + c − τ − Wᵀλ, J a + γ] = 0. Along a
variation of what is known, of [x, t, inputs, parameters],

    positions that depend on others follow by    J δ = −dh,
    velocities by                                J δv = −d(J v − b),
    and the solution by                          K ds = −dr,  K = [[M, −Wᵀ], [J, 0]].

dh, d(J v − b), dr and what sensors show are differentiated by the tape, at fixed s."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from touchback.dynamics.constraints import constraint_rows
from touchback.dynamics.forward import configuration_rate
from touchback.symbolic import ops
from touchback.symbolic.differentiate import jvp
from touchback.symbolic.replay import replay
from touchback.symbolic.tape import Tape
from touchback.system import System
from touchback.system.derivation import Derivation, solved_arguments
from touchback.system.equations import motion_equations
from touchback.system.flow import equations_matrix
from touchback.system.function_set import FunctionSet

_COMPARISONS = (ops.LT, ops.LE, ops.MIN, ops.MAX)


def slope_functions(system: System) -> FunctionSet:
    """`solution`: [r at s = 0, K]; `position slopes`, `velocity slopes`, `slopes` (of r, dq/dt and
    dz/dt) and `output slopes`; `turn`: dq/dt; and `indicators`. Of [t, inputs…, s, variation,
    variation of s]."""
    motion, layout = system.motion, system.layout
    d = motion.derive(motion.model(system.key), solved_arguments(layout, system.constraint_names))
    k, rows = d.tape, constraint_rows(d.instant)
    found = motion_equations(d, rows)
    solution = [*d.accelerations, *d.multipliers(rows)]
    r = [*found["effort"], *found["acceleration"]]
    given = [*configuration_rate(d.instant), *found["state"]]
    K = equations_matrix(d, rows)
    d.solved(rows)
    shown = d.outputs()
    still: dict[Hashable, int] = {**k.symbols, **dict.fromkeys(solution, 0)}
    known = [*d.q, *d.v, *d.z, d.time, *d.u, *d.parameters]
    seeds = {node: d.argument(f"variation {i}") for i, node in enumerate(known)}
    following = {node: d.argument(f"of solution {i}") for i, node in enumerate(solution)}
    return d.functions(
        {
            "solution": [*replay(k, r, k, still), *K],
            "position slopes": jvp(k, found["position"], seeds),
            "velocity slopes": jvp(k, found["rate"], seeds),
            "slopes": jvp(k, [*r, *given], seeds),
            "output slopes": jvp(k, shown, seeds | following),
            "turn": configuration_rate(d.instant),
            "indicators": switching_functions(d, [*r, *given]),
        }
    )


def switching_functions(d: Derivation, outputs: Sequence[int]) -> list[int]:
    """What changes sign where a law takes its other side: the difference of what it compares,
    wherever that moves with the state, the time or the inputs alone."""
    k, live = d.tape, d.tape.live(outputs)
    found: dict[int, None] = {}
    for node in range(2, len(live)):
        if live[node] and k.op[node] in _COMPARISONS:
            found[abs(k.sub(k.a[node], k.b[node]))] = None
        elif live[node] and k.op[node] == ops.ABS:
            found[k.a[node]] = None
    moving = _reached(k, [*d.q, *d.v, *d.z, d.time, *d.u])
    solved = _reached(k, d.extra)
    return [node for node in found if node in moving and node not in solved]


def _reached(tape: Tape, leaves: Iterable[int]) -> set[int]:
    """The nodes that depend on some."""
    found = set(leaves)
    for node in range(2, len(tape.op)):
        if node not in found and any(operand in found for operand in tape.operands(node)):
            found.add(node)
    return found
