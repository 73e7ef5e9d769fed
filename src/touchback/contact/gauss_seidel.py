"""Impulses of any contacts by projected Gauss–Seidel: one contact after the other, until all agree.

Normal impulse projected onto p_n ≥ 0, friction onto the disc |p_t| ≤ μ p_n (Jourdan, Alart and Jean
1998; Moreau's sweeping of contacts)."""

import numpy as np

from touchback.contact.coulomb import ContactProblem, Floats, project
from touchback.errors import SolveError


def gauss_seidel(
    problem: ContactProblem, tolerance: float = 1e-13, sweep_limit: int = 100_000
) -> Floats:
    """p whose last sweep changed no velocity by more than `tolerance` times the largest of c."""
    G, c = problem.G, problem.c
    p = np.zeros(len(c))
    target = tolerance * float(np.abs(c).max())
    for _ in range(sweep_limit):
        change = 0.0
        for (n, tangents), mu in zip(problem.blocks, problem.friction):
            new = max(0.0, p[n] - (G[n] @ p + c[n]) / G[n, n])
            change = max(change, abs(new - p[n]) * G[n, n])
            p[n] = new
            t = list(tangents)
            scale = float(np.trace(G[np.ix_(t, t)])) if t and mu > 0.0 else 0.0
            if scale > 0.0:
                moved = project(p[t] - (G[t] @ p + c[t]) / scale, mu * p[n])
                change = max(change, float(np.abs(moved - p[t]).max()) * scale)
                p[t] = moved
        if change <= target:
            return p
    raise SolveError(
        f"Contact impulses: {sweep_limit} sweeps over {len(problem.starts)} contacts still change "
        f"velocities by {change:.2g} (wanted {target:.2g}); contacts that repeat each other with "
        "friction may have no solution: take some away, or lower the friction."
    )
