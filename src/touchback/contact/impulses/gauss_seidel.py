"""Impulses of any contacts by projected Gauss–Seidel in C (native/contact/gauss_seidel.c): one
contact after the other, until all agree.

Normal impulse projected onto p_n ≥ 0 (or what Poisson's restitution gives back at least), friction
onto the disc |p_t| ≤ μ p_n (Jourdan, Alart and Jean 1998; Moreau's sweeping of contacts). Where
sweeps are slow or go round in circles, Newton's method on the same laws comes between them."""

import numpy as np

from touchback.contact.impulses.coulomb import ContactProblem, Floats
from touchback.errors import SolveError
from touchback.native.contact.moreau_jean import ImpulseProblem

_FIRST_SWEEPS = 1000  # before Newton's method is tried; then twice as many, and so on
_ROUNDING = 1e3  # times the tolerance: what contacts that nearly repeat each other may go on with


def gauss_seidel(
    problem: ContactProblem,
    guess: Floats | None = None,
    tolerance: float = 1e-13,
    sweep_limit: int = 100_000,
) -> Floats:
    """p whose last sweep changed no velocity by more than `tolerance` times the largest of c, or
    after `sweep_limit` of them a thousand times that: contacts that nearly repeat each other go on
    to exchange what is rounding.

    A `guess`, as the impulses of the step before, saves sweeps."""
    own, count = np.diag(problem.G), len(problem.normals)
    groups = [
        (group.rows, group.contact, group.coefficient)
        for group in sorted(problem.friction, key=lambda group: group.contact)
        if sum(own[row] for row in group.rows) > 0.0
    ]
    memory = ImpulseProblem(len(problem.c), count, len(groups))
    memory.fill(problem.G, problem.c, problem.normals, groups)
    p = np.zeros(len(problem.c)) if guess is None else np.array(guess, dtype=np.float64)
    least = np.zeros(count) if problem.least is None else np.array(problem.least, dtype=np.float64)
    target = tolerance * float(np.abs(problem.c).max())
    taken, most = 0, _FIRST_SWEEPS
    while taken < sweep_limit:
        if memory.sweep(p, least, target, min(most, sweep_limit - taken)) >= 0:
            return p
        taken, most = taken + most, 2 * most
        if taken < sweep_limit and not least.any():
            memory.improve(p)
    before = p.copy()
    memory.sweep(p, least, 0.0, 1)
    change = float((np.abs(p - before) * own).max())
    if change <= _ROUNDING * target:
        return p
    raise SolveError(
        f"Contact impulses: {sweep_limit} sweeps over {count} contacts still change velocities by "
        f"{change:.2g} (wanted {target:.2g}); contacts that repeat each other with friction may "
        "have no solution: take some away, or lower the friction."
    )
