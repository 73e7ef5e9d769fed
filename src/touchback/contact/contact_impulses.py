"""Impulses of rigid contacts with Coulomb friction: the problem, and who solves it.

With u = G p + c the relative velocities after the impulses p, each contact wants
0 ≤ p_n ⊥ u_n ≥ 0 (Signorini). Friction comes in groups of one or two rows that share a limit: slip
with |p_t| ≤ μ p_n, and p_t = −μ p_n u_t/|u_t| where u_t ≠ 0 (Coulomb); rolling likewise, with
moments p_r, turning speeds u_r and an arm ρ [m] instead of μ. Restitution is part of c: c_n holds
e u_n⁻ besides the free velocity (Moreau 1988; Jean 1999). The same form serves accelerations, where
G p + c are relative accelerations and p forces.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from touchback.errors import SolveError
from touchback.native import ImpulseProblem

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
    if problem.planar and problem.least is None and combinations(problem) <= MOST_COMBINATIONS:
        found = enumerate_states(problem)
        if found is not None:
            return found
    return gauss_seidel(problem, guess, tolerance)


MOST_COMBINATIONS = 4**5
OPEN, STICK, FORWARD, BACKWARD = range(4)
SIGN = {FORWARD: 1.0, BACKWARD: -1.0}
_SLACKS = (0.0, 1e-12)  # of the largest speed or impulse: exact, then with rounding forgiven
_REDUNDANT, _UNSOLVED = 1e-12, 1e-9
State = tuple[int, ...]  # of a contact: (OPEN,), or how each of its groups of friction behaves


# Exact impulses of few planar contacts: each combination of open, stick and slip is one linear
# system; the one whose solution keeps all inequalities is the answer. 4ⁿ combinations of n
# contacts: exact and quick for the few that a planar mechanism has.
def enumerate_states(problem: ContactProblem) -> Floats | None:
    """The impulses of the first combination that fits; None where none does."""
    for slack in _SLACKS:
        for _, p in feasible_combinations(problem, slack):
            return p
    return None


def feasible_combinations(
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


_FIRST_SWEEPS = 1000  # before Newton's method is tried; then twice as many, and so on
_ROUNDING = 1e3  # times the tolerance: what contacts that nearly repeat each other may go on with


# Impulses of any contacts by projected Gauss–Seidel in C (native/contact/gauss_seidel.c): one
# contact after the other, until all agree. Normal impulse projected onto p_n ≥ 0 (or what Poisson's
# restitution gives back at least), friction onto the disc |p_t| ≤ μ p_n (Jourdan, Alart and Jean
# 1998; Moreau's sweeping of contacts). Where sweeps are slow or go round in circles, Newton's
# method on the same laws comes between them.
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


def critical_friction(G: Floats, direction: float) -> float:
    """The friction coefficient from which on a contact that slides along `direction` (±1) is
    inconsistent or has several solutions; infinite where there is none.

    With G = W M⁻¹ Wᵀ (2 × 2: normal, tangent) and p_t = −μ s p_n the normal acceleration is
    (G_nn − μ s G_nt) p_n + …, whose factor vanishes at μ = G_nn/(s G_nt) (Génot and Brogliato
    1999)."""
    coupling = math.copysign(1.0, direction) * float(G[0, 1])
    return float(G[0, 0]) / coupling if coupling > 0.0 else math.inf
