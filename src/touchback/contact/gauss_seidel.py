"""Impulses of any contacts by projected Gauss–Seidel: one contact after the other, until all agree.

Normal impulse projected onto p_n ≥ 0, friction onto the disc |p_t| ≤ μ p_n (Jourdan, Alart and Jean
1998; Moreau's sweeping of contacts)."""

import numpy as np

from touchback.contact.coulomb import ContactProblem, Floats, project
from touchback.errors import SolveError


def gauss_seidel(
    problem: ContactProblem,
    guess: Floats | None = None,
    tolerance: float = 1e-13,
    sweep_limit: int = 100_000,
) -> Floats:
    """p whose last sweep changed no velocity by more than `tolerance` times the largest of c.

    A `guess`, as the impulses of the step before, saves sweeps."""
    G, c = problem.G, problem.c
    p = np.zeros(len(c)) if guess is None else guess.copy()
    target = tolerance * float(np.abs(c).max())
    blocks = []
    for (n, tangents), mu in zip(problem.blocks, problem.friction):
        t = slice(tangents.start, tangents.stop)
        scale = float(np.trace(G[t, t])) if mu > 0.0 else 0.0
        blocks.append((n, float(G[n, n]), G[n], t, scale, G[t], float(mu)))
    for _ in range(sweep_limit):
        change = 0.0
        for n, own, row, t, scale, rows, mu in blocks:
            new = max(0.0, p[n] - (row @ p + c[n]) / own)
            change = max(change, abs(new - p[n]) * own)
            p[n] = new
            if scale > 0.0:
                moved = project(p[t] - (rows @ p + c[t]) / scale, mu * new)
                change = max(change, float(np.abs(moved - p[t]).max()) * scale)
                p[t] = moved
            else:
                p[t] = 0.0
        if change <= target:
            return p
    raise SolveError(
        f"Contact impulses: {sweep_limit} sweeps over {len(problem.starts)} contacts still change "
        f"velocities by {change:.2g} (wanted {target:.2g}); contacts that repeat each other with "
        "friction may have no solution: take some away, or lower the friction."
    )
