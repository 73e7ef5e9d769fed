"""One step of Moreau and Jean's θ-method with contacts at the level of velocities.

Source: M. Jean, The non-smooth contact dynamics method (1999); V. Acary and B. Brogliato, Numerical
methods for nonsmooth dynamical systems (2008), ch. 10. The smooth part is linearly implicit, with
the true Jacobian J = ∂ẋ/∂x:

    (I − h θ J) Δx = h ẋ + [0, M⁻¹ Wᵀ p, 0],

which *is* the θ-method where forces are linear, and of second order for θ = ½ elsewhere. A contact
takes part where gap + h/2·rate ≤ 0 at the start of the step; its velocity after the step, u⁺, and
impulse p obey 0 ≤ p_n ⊥ u_n⁺ + e u_n⁻ ≥ 0 and Coulomb's law.

Where W and M change, u⁺ is taken at the configuration that the smooth part alone would reach, and
impulses act half-way to it: a ball that spins rolls without slipping at the *end* of a step.
"""

from dataclasses import dataclass

import numpy as np

from touchback.contact import ContactProblem, solve_contacts
from touchback.simulate.protocol import Floats
from touchback.simulate.time_stepping.equations import ContactEquations, Instant


@dataclass(frozen=True)
class Step:
    """The change of the state, the impulses of all rows (zero in open contacts), and the energy
    that each takes [J]: normal rows by impact, tangents by friction."""

    change: Floats
    impulses: Floats
    losses: Floats


def moreau_jean(
    equations: ContactEquations,
    at: Instant,
    x: Floats,
    u: Floats,
    h: float,
    theta: float,
    last: Floats,
) -> Step:
    """The step of length h from the state x, with u = [t, inputs…]; `last` are the impulses of the
    step before, near which those of this one are looked for."""
    nq, nv, _ = equations.system.sizes
    v = slice(nq, nq + nv)
    A = np.eye(len(x)) - h * theta * at.rate_jacobian
    free = np.linalg.solve(A, h * at.rate).astype(np.float64, copy=False)
    impulses = np.zeros(equations.rows)
    now = equations.rows_at(x, u)
    starts = equations.starts
    active = np.flatnonzero(at.gap + 0.5 * h * now.velocity[starts] <= 0.0)
    if not len(active):
        return Step(free, impulses, np.zeros(equations.rows))
    ends = [*starts[1:], equations.rows]
    rows = [row for i in active for row in range(starts[i], ends[i])]
    normal = [rows.index(starts[i]) for i in active]
    then = equations.rows_at(x + free, u)
    W = then.W[rows]
    right = np.zeros((len(x), len(rows)))
    right[v] = np.linalg.solve(0.5 * (now.M + then.M), 0.5 * (now.W[rows] + W).T)
    B = np.linalg.solve(A, right)
    before, c = now.velocity[rows], then.velocity[rows]
    wanted = c.copy()
    wanted[normal] += at.restitution[active] * before[normal]
    G = W @ B[v]
    problem = ContactProblem(G, wanted, tuple(normal), at.friction[active])
    p = solve_contacts(problem, last[rows])
    impulses[rows] = p
    losses = np.zeros(equations.rows)
    losses[rows] = -0.5 * p * (before + G @ p + c)  # p·(u⁻ + u⁺)/2, exact where M and W stay
    return Step(free + B @ p, impulses, losses)
