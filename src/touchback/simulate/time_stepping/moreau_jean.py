"""One step of Moreau and Jean's θ-method with contacts at the level of velocities.

Source: M. Jean, The non-smooth contact dynamics method (1999); V. Acary and B. Brogliato, Numerical
methods for nonsmooth dynamical systems (2008), ch. 10. The smooth part is linearly implicit, with
the true Jacobian J = ∂ẋ/∂x:

    (I − h θ J) Δx = h ẋ + [0, M⁻¹ Wᵀ p, 0],

which *is* the θ-method where forces are linear, and of second order for θ = ½ elsewhere. A contact
takes part where gap + h/2·rate ≤ 0 at the start of the step; its velocity after the step, u⁺, and
impulse p obey 0 ≤ p_n ⊥ u_n⁺ + e u_n⁻ ≥ 0 and Coulomb's law.
"""

from dataclasses import dataclass

import numpy as np

from touchback.contact import ContactProblem, solve_contacts
from touchback.simulate.protocol import Floats
from touchback.simulate.time_stepping.equations import Instant


@dataclass(frozen=True)
class Step:
    """The change of the state, the impulses of all rows (zero in open contacts), and the relative
    velocities before and after."""

    change: Floats
    impulses: Floats
    before: Floats
    after: Floats


def moreau_jean(
    at: Instant, x: Floats, sizes: tuple[int, int, int], starts: list[int], h: float, theta: float
) -> Step:
    """The step of length h from the state x."""
    nq, nv, _ = sizes
    v = slice(nq, nq + nv)
    A = np.eye(len(x)) - h * theta * at.rate_jacobian
    impulses = np.zeros(len(at.velocity))
    drift = at.velocity - at.W @ x[v]  # of gaps that move by themselves
    active = np.flatnonzero(at.gap + 0.5 * h * at.velocity[starts] <= 0.0)
    if not len(active):
        smooth = np.linalg.solve(A, h * at.rate).astype(np.float64, copy=False)
        return Step(smooth, impulses, at.velocity, at.W @ (x[v] + smooth[v]) + drift)
    ends = [*starts[1:], len(at.velocity)]
    rows = [row for i in active for row in range(starts[i], ends[i])]
    W = at.W[rows]
    right = np.zeros((len(x), 1 + len(rows)))
    right[:, 0] = h * at.rate
    right[v, 1:] = np.linalg.solve(at.M, W.T)
    solved = np.linalg.solve(A, right)
    free, B = solved[:, 0], solved[:, 1:]
    c = W @ (x[v] + free[v]) + drift[rows]
    first = tuple(rows.index(starts[i]) for i in active)
    c[list(first)] += at.restitution[active] * at.velocity[[starts[i] for i in active]]
    impulses[rows] = solve_contacts(ContactProblem(W @ B[v], c, first, at.friction[active]))
    change = free + B @ impulses[rows]
    return Step(change, impulses, at.velocity, at.W @ (x[v] + change[v]) + drift)
