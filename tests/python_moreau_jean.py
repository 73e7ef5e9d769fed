"""A second opinion on Moreau–Jean time stepping: the step of moreau_jean.h in plain NumPy, with
contact problems solved by enumeration or Gauss–Seidel in Python."""

from dataclasses import dataclass

import numpy as np

import python_gauss_seidel
from touchback.contact import ContactProblem, Friction
from touchback.contact.contact_impulses import (
    MOST_COMBINATIONS,
    combinations,
    enumerate_states,
)
from touchback.numbers import Floats
from touchback.system.contact_equations import ContactEquations


@dataclass(frozen=True)
class Step:
    """The change of the state, the impulses of all rows (zero in open contacts), the energy that
    each takes [J], and the work that surfaces which move by themselves do through them."""

    change: Floats
    impulses: Floats
    losses: Floats
    moved: Floats


def moreau_jean(
    equations: ContactEquations, x: Floats, u: Floats, h: float, theta: float, last: Floats
) -> Step:
    """The step of length h from the state x, with u = [t, inputs…]; `last` are the impulses of the
    step before, near which those of this one are looked for."""
    nq, nv, _ = equations.system.sizes
    layout, v = equations.layout, slice(nq, nq + nv)
    rate, slopes, gap, coefficients, restitution = equations.at("smooth", x, u)
    A = np.eye(len(x)) - h * theta * slopes
    free = np.linalg.solve(A, h * rate).astype(np.float64, copy=False)
    M, speed, W, own, _ = equations.at("kinematics", x, u)
    normals = list(layout.normals)
    active = set(np.flatnonzero(gap + 0.5 * h * speed[normals] <= 0.0))
    impulses = np.zeros(layout.rows)
    if not active and not layout.bilateral:
        return Step(free, impulses, np.zeros(layout.rows), np.zeros(layout.rows))
    M1, speed1, W1, own1, _ = equations.at("kinematics", x + free, u)
    E, E1 = np.vstack([own, W[len(own) :]]), np.vstack([own1, W1[len(own) :]])
    right = np.zeros((len(x), layout.rows))
    right[v] = np.linalg.solve(0.5 * (M + M1), 0.5 * (E + E1).T)
    B = np.linalg.solve(A, right)
    G, c = W1 @ B[v], speed1.copy()
    c[normals] += restitution * speed[normals]
    p = _impulses(equations, G, c, active, coefficients, last)
    after = speed1 + G @ p
    losses = -0.5 * p * (speed + after)  # p·(u⁻ + u⁺)/2, exact where M and W stay
    ends = x[v], (x + free + B @ p)[v]
    moved = 0.5 * p * (W @ ends[0] - speed + W1 @ ends[1] - after)
    return Step(free + B @ p, p, losses, moved)


def _impulses(
    equations: ContactEquations,
    G: Floats,
    c: Floats,
    active: set[int],
    coefficients: Floats,
    last: Floats,
) -> Floats:
    """Impulses of the active contacts with those of the constraints eliminated."""
    layout, p = equations.layout, np.zeros(len(c))
    own = np.arange(layout.bilateral)
    eliminated = np.linalg.lstsq(G[np.ix_(own, own)], np.column_stack([G[own], c[own]]), rcond=None)
    X, x0 = eliminated[0][:, :-1], eliminated[0][:, -1]
    if active:
        problem = ContactProblem(
            (G - G[:, own] @ X), c - G[:, own] @ x0,
            tuple(layout.normals[i] for i in sorted(active)),
            tuple(
                Friction(rows, sorted(active).index(i), float(mu))
                for (rows, i), mu in zip(layout.groups, coefficients, strict=True)
                if i in active and rows
            ),
        )  # fmt: skip
        taking = [*problem.normals, *(row for group in problem.friction for row in group.rows)]
        guess = np.zeros(len(c))
        guess[taking] = last[taking]
        few = problem.planar and combinations(problem) <= MOST_COMBINATIONS
        exact = enumerate_states(problem) if few else None
        p = python_gauss_seidel.gauss_seidel(problem, guess) if exact is None else exact
    p[own] = -(x0 + X @ p)
    return p
