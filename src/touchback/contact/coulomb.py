"""Impulses of rigid contacts with Coulomb friction: the problem, and who solves it.

With u = G p + c the relative velocities after the impulses p, each contact wants
0 ≤ p_n ⊥ u_n ≥ 0 (Signorini), |p_t| ≤ μ p_n, and p_t = −μ p_n u_t/|u_t| where u_t ≠ 0 (Coulomb).
Restitution is part of c: c_n holds e u_n⁻ besides the free velocity (Moreau 1988; Jean 1999).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ContactProblem:
    """G (rows × rows), c (rows), the first row of each contact (its normal; its tangents follow),
    and the friction coefficients."""

    G: Floats
    c: Floats
    starts: tuple[int, ...]
    friction: Floats

    @cached_property
    def blocks(self) -> list[tuple[int, range]]:
        """(normal row, tangent rows) of each contact."""
        ends = (*self.starts[1:], len(self.c))
        return [(n, range(n + 1, end)) for n, end in zip(self.starts, ends)]

    @property
    def planar(self) -> bool:
        """Whether no contact has two tangents with friction."""
        pairs = zip(self.blocks, self.friction)
        return all(len(tangents) < 2 or mu == 0.0 for (_, tangents), mu in pairs)


def project(p: Floats, limit: float) -> Floats:
    """The nearest point of the disc of radius `limit`."""
    length = float(np.sqrt(p @ p))
    return p if length <= limit else p * (max(limit, 0.0) / length)


def solve_contacts(problem: ContactProblem, guess: Floats | None = None) -> Floats:
    """The impulses p: by enumeration for few planar contacts, else by projected Gauss–Seidel from
    a `guess`."""
    from touchback.contact.enumeration import MOST_CONTACTS, enumerate_states
    from touchback.contact.gauss_seidel import gauss_seidel

    if problem.planar and len(problem.starts) <= MOST_CONTACTS:
        found = enumerate_states(problem)
        if found is not None:
            return found
    return gauss_seidel(problem, guess)
