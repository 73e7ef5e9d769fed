"""A second opinion on impulses of contacts: projected Gauss–Seidel in plain NumPy.

Normal impulse projected onto p_n ≥ 0 (or what Poisson's restitution gives back at least), friction
onto the disc |p_t| ≤ μ p_n (Jourdan, Alart and Jean 1998; Moreau's sweeping of contacts)."""

import numpy as np

from touchback.contact.contact_impulses import ContactProblem, Floats


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
    least = np.zeros(len(problem.normals)) if problem.least is None else problem.least
    target = tolerance * float(np.abs(c).max())
    groups = [
        (i, list(group.rows), _scale(G, group.rows), group.coefficient)
        for i in range(len(problem.normals))
        for group in problem.friction
        if group.contact == i
    ]
    for _ in range(sweep_limit):
        change = 0.0
        for n, floor in zip(problem.normals, least):
            new = max(floor, p[n] - (G[n] @ p + c[n]) / G[n, n])
            change = max(change, abs(new - p[n]) * G[n, n])
            p[n] = new
        for contact, t, scale, coefficient in groups:
            if scale > 0.0:
                limit = coefficient * p[problem.normals[contact]]
                moved = project(p[t] - (G[t] @ p + c[t]) / scale, limit)
                change = max(change, float(np.abs(moved - p[t]).max()) * scale)
                p[t] = moved
        if change <= target:
            return p
    raise AssertionError(f"{sweep_limit} sweeps still change velocities by {change:.2g}.")


def project(p: Floats, limit: float) -> Floats:
    """The nearest point of the disc of radius `limit`."""
    length = float(np.sqrt(p @ p))
    return p if length <= limit else p * (max(limit, 0.0) / length)


def _scale(G: Floats, rows: tuple[int, ...]) -> float:
    """A step that no row of a group takes too far."""
    return float(np.trace(G[np.ix_(rows, rows)])) if rows else 0.0
