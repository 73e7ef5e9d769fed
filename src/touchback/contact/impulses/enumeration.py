"""Exact impulses of few planar contacts: try each combination of open, stick and slip.

Each combination is one linear system; the one whose solution keeps all inequalities is the answer.
4ⁿ combinations of n contacts: exact and quick for the few that a planar mechanism has.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from touchback.contact.impulses.coulomb import ContactProblem, Floats

MOST_COMBINATIONS = 4**5
OPEN, STICK, FORWARD, BACKWARD = range(4)
SIGN = {FORWARD: 1.0, BACKWARD: -1.0}
_SLACKS = (0.0, 1e-12)  # of the largest speed or impulse: exact, then with rounding forgiven
_REDUNDANT, _UNSOLVED = 1e-12, 1e-9
State = tuple[int, ...]  # of a contact: (OPEN,), or how each of its groups of friction behaves


def enumerate_states(problem: ContactProblem) -> Floats | None:
    """The impulses of the first combination that fits; None where none does."""
    for slack in _SLACKS:
        for _, p in fitting(problem, slack):
            return p
    return None


def fitting(
    problem: ContactProblem, slack: float, moving: Mapping[int, int] | None = None
) -> Iterator[tuple[tuple[State, ...], Floats]]:
    """Every combination that keeps all inequalities, with its impulses.

    `moving` maps groups of friction to the way, FORWARD or BACKWARD, in which they slip anyway:
    with accelerations for u, what slips goes on slipping whatever these are."""
    for states in product(*_choices(problem, moving or {})):
        p = impulses_of(problem, states)
        if p is not None and _fits(problem, states, p, slack, moving or {}):
            yield states, p


def combinations(problem: ContactProblem) -> int:
    """How many combinations there are."""
    count = 1
    for states in _choices(problem, {}):
        count *= len(states)
    return count


def groups_of(problem: ContactProblem, contact: int) -> list[int]:
    """The groups of friction of a contact that can hold anything."""
    return [
        i
        for i, group in enumerate(problem.friction)
        if group.contact == contact and group.coefficient > 0.0 and group.rows
    ]


def _choices(problem: ContactProblem, moving: Mapping[int, int]) -> list[list[State]]:
    found = []
    for contact in range(len(problem.normals)):
        ways = [
            (moving[i],) if i in moving else (STICK, FORWARD, BACKWARD)
            for i in groups_of(problem, contact)
        ]
        found.append([(OPEN,), *(state or (STICK,) for state in product(*ways))])
    return found


def impulses_of(problem: ContactProblem, states: Sequence[State]) -> Floats | None:
    """p with u_n = 0 in closed contacts, u_t = 0 in sticking rows, p_t = ∓μ p_n in slipping
    ones: the shortest where rows repeat each other; None where there is none."""
    size = len(problem.c)
    rows: list[int] = []  # velocities that vanish; as many unknown impulses belong to them
    columns: list[Floats] = []
    for contact, state in enumerate(states):
        if state == (OPEN,):
            continue
        n = problem.normals[contact]
        rows.append(n)
        normal = np.zeros(size)
        normal[n] = 1.0
        columns.append(normal)
        for i, way in zip(groups_of(problem, contact), state):
            (t,) = problem.friction[i].rows
            if way in SIGN:
                normal[t] = -problem.friction[i].coefficient * SIGN[way]
            else:
                rows.append(t)
                columns.append(np.eye(size)[t])
    if not rows:
        return np.zeros(size)
    spread = np.array(columns).T
    A, b = (problem.G @ spread)[rows], -problem.c[rows]
    found = np.linalg.lstsq(A, b, rcond=_REDUNDANT)[0]
    if np.abs(A @ found - b).max() > _UNSOLVED * (np.abs(b).max() + np.abs(A * found).max()):
        return None
    return spread @ found


def _fits(
    problem: ContactProblem,
    states: Sequence[State],
    p: Floats,
    slack: float,
    moving: Mapping[int, int],
) -> bool:
    """Whether the inequalities hold."""
    u = problem.G @ p + problem.c
    slow = slack * float(np.abs(problem.c).max())
    small = slack * float(np.abs(p).max())
    for contact, state in enumerate(states):
        n = problem.normals[contact]
        if state == (OPEN,):
            if u[n] < -slow:
                return False
            continue
        if p[n] < -small:
            return False
        for i, way in zip(groups_of(problem, contact), state):
            group = problem.friction[i]
            (t,) = group.rows
            if way in SIGN:
                if i not in moving and SIGN[way] * u[t] < -slow:
                    return False
            elif abs(p[t]) > (group.hold or group.coefficient) * p[n] + small:
                return False
    return True
