"""Impulses of rigid contacts with Coulomb friction: the problem, and who solves it.

With u = G p + c the relative velocities after the impulses p, each contact wants
0 ≤ p_n ⊥ u_n ≥ 0 (Signorini). Friction comes in groups of one or two rows that share a limit: slip
with |p_t| ≤ μ p_n, and p_t = −μ p_n u_t/|u_t| where u_t ≠ 0 (Coulomb); rolling likewise, with
moments p_r, turning speeds u_r and an arm ρ [m] instead of μ. Restitution is part of c: c_n holds
e u_n⁻ besides the free velocity (Moreau 1988; Jean 1999). The same form serves accelerations, where
G p + c are relative accelerations and p forces.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Friction:
    """Rows that resist together: which, of which contact, and the coefficient of its normal; while
    they stick they `hold` with a coefficient that may be larger (none: the same)."""

    rows: tuple[int, ...]
    contact: int
    coefficient: float
    hold: float | None = None


@dataclass(frozen=True)
class ContactProblem:
    """G (rows × rows), c (rows), the normal row of each contact, the groups of friction rows, and
    the `least` normal impulse of each contact (none: zero), which Poisson's restitution asks for.
    Rows that belong to nothing have no impulse."""

    G: Floats
    c: Floats
    normals: tuple[int, ...]
    friction: tuple[Friction, ...] = ()
    least: Floats | None = None

    @property
    def planar(self) -> bool:
        """Whether no group of friction has two rows."""
        return all(len(group.rows) < 2 or group.coefficient == 0.0 for group in self.friction)


def solve_contacts(
    problem: ContactProblem, guess: Floats | None = None, tolerance: float = 1e-13
) -> Floats:
    """The impulses p: by enumeration for few planar contacts, else by projected Gauss–Seidel from
    a `guess` to a `tolerance`, as a part of the largest of c."""
    from touchback.contact.impulses.enumeration import (
        MOST_COMBINATIONS,
        combinations,
        enumerate_states,
    )
    from touchback.contact.impulses.gauss_seidel import gauss_seidel

    if problem.planar and problem.least is None and combinations(problem) <= MOST_COMBINATIONS:
        found = enumerate_states(problem)
        if found is not None:
            return found
    return gauss_seidel(problem, guess, tolerance)
