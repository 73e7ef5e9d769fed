"""Exact impulses of few planar contacts: try each combination of open, stick and slip.

Each combination is one linear system; the one whose solution keeps all inequalities is the answer.
4ⁿ combinations of n contacts: exact and quick for the few that a planar mechanism has.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from touchback.contact.coulomb import ContactProblem, Floats

MOST_CONTACTS = 4
OPEN, STICK, FORWARD, BACKWARD = range(4)
_SIGN = {FORWARD: 1.0, BACKWARD: -1.0}
_SLACKS = (0.0, 1e-12)  # of the largest speed or impulse: exact, then with rounding forgiven


def enumerate_states(problem: ContactProblem) -> Floats | None:
    """The impulses of the first combination that fits; None where none does (redundant contacts
    make systems singular)."""
    choices = [
        (OPEN, STICK, FORWARD, BACKWARD) if tangents and mu > 0.0 else (OPEN, STICK)
        for (_, tangents), mu in zip(problem.blocks, problem.friction)
    ]
    for slack in _SLACKS:
        for states in product(*choices):
            p = _impulses(problem, states)
            if p is not None and _fits(problem, states, p, slack):
                return p
    return None


def _impulses(problem: ContactProblem, states: Sequence[int]) -> Floats | None:
    """p with u_n = 0 in closed contacts, u_t = 0 in sticking ones, p_t = ∓μ p_n in slipping
    ones."""
    p = np.zeros(len(problem.c))
    rows: list[int] = []  # velocities that vanish; as many unknown impulses belong to them
    columns: list[Floats] = []
    for (n, tangents), mu, state in zip(problem.blocks, problem.friction, states):
        if state == OPEN:
            continue
        rows.append(n)
        normal = np.zeros(len(p))
        normal[n] = 1.0
        columns.append(normal)
        if state in _SIGN:
            normal[tangents[0]] = -mu * _SIGN[state]
        elif tangents and mu > 0.0:
            rows.append(tangents[0])
            tangent = np.zeros(len(p))
            tangent[tangents[0]] = 1.0
            columns.append(tangent)
    if not rows:
        return p
    spread = np.array(columns).T
    try:
        return spread @ np.linalg.solve((problem.G @ spread)[rows], -problem.c[rows])
    except np.linalg.LinAlgError:
        return None


def _fits(problem: ContactProblem, states: Sequence[int], p: Floats, slack: float) -> bool:
    """Whether the inequalities hold."""
    u = problem.G @ p + problem.c
    slow = slack * float(np.abs(problem.c).max())
    small = slack * float(np.abs(p).max())
    for (n, tangents), mu, state in zip(problem.blocks, problem.friction, states):
        if state == OPEN:
            if u[n] < -slow:
                return False
            continue
        if p[n] < -small:
            return False
        if state in _SIGN:
            if _SIGN[state] * u[tangents[0]] < -slow:
                return False
        elif tangents and mu > 0.0 and abs(p[tangents[0]]) > mu * p[n] + small:
            return False
    return True
