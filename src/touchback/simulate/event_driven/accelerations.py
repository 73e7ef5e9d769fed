"""Which contacts stay closed, and what sticks or slips there: complementarity of accelerations.

0 ≤ λ_n ⊥ u̇_n ≥ 0 in closed contacts; friction that slips has |λ_t| = μ λ_n against the slip; where
it doesn't yet, |λ_t| ≤ μ λ_n, against the acceleration u̇_t where that isn't zero (Lötstedt 1981;
Pfeiffer and Glocker 1996, ch. 5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from touchback.contact import ContactProblem, Friction
from touchback.contact.impulses.enumeration import (
    BACKWARD,
    FORWARD,
    MOST_COMBINATIONS,
    OPEN,
    SIGN,
    STICK,
    combinations,
    fitting,
    groups_of,
)
from touchback.contact.impulses.gauss_seidel import gauss_seidel
from touchback.simulate.event_driven.at_contacts import AtContacts
from touchback.simulate.protocol import Floats

_SLACKS = (0.0, 1e-12, 1e-9)
_HELD = 1.0 - 1e-9  # part of the friction limit from which on it slips


@dataclass(frozen=True)
class Outcome:
    """Closed contacts, and of their groups of friction the way along which each begins or goes on
    to slip (two components); groups that aren't there stick. `solutions` counts the answers that
    were found: more than one is Painlevé's indeterminacy, none his inconsistency."""

    closed: frozenset[int]
    ways: dict[int, Floats]
    solutions: int = 1


def decide(felt: AtContacts, contacts: Sequence[int], slipping: Mapping[int, Floats]) -> Outcome:
    """The outcome for contacts that touch, some of whose groups are `slipping` along given ways."""
    if not contacts:
        return Outcome(frozenset(), {})
    problem, groups = felt.problem(felt.free, contacts), felt.groups(contacts)
    if problem.planar and combinations(problem) <= MOST_COMBINATIONS:
        return _enumerated(problem, contacts, groups, slipping)
    return _swept(problem, contacts, groups, slipping)


def jammed(felt: AtContacts, contacts: Sequence[int], slipping: Mapping[int, Floats]) -> list[int]:
    """Slipping contacts for which a force pushes the bodies together instead of apart,
    G_nn − μ G_nt·way ≤ 0: there Painlevé's paradox may strike."""
    G = felt.problem(felt.free, contacts).G
    found = []
    for g, way in slipping.items():
        rows, contact = felt.layout.groups[g]
        n = felt.layout.normals[contact]
        along = G[n, list(rows)] @ way[: len(rows)]
        if contact in contacts and G[n, n] - felt.coefficients[g] * along <= 0.0:
            found.append(contact)
    return found


def _enumerated(
    problem: ContactProblem,
    contacts: Sequence[int],
    groups: Sequence[int],
    slipping: Mapping[int, Floats],
) -> Outcome:
    moving = {
        groups.index(g): FORWARD if way[0] > 0.0 else BACKWARD
        for g, way in slipping.items()
        if g in groups
    }
    for slack in _SLACKS:
        found = list(fitting(problem, slack, moving))
        if found:
            states, _ = found[0]
            ways: dict[int, Floats] = {}
            for i, state in enumerate(states):
                for local, way in zip(groups_of(problem, i), state):
                    if state != (OPEN,) and way != STICK:
                        ways[groups[local]] = np.array([SIGN[way], 0.0])
            closed = {contacts[i] for i, state in enumerate(states) if state != (OPEN,)}
            return Outcome(frozenset(closed), ways, _distinct(problem, [p for _, p in found]))
    return Outcome(frozenset(), {}, 0)


def _distinct(problem: ContactProblem, solutions: Sequence[Floats]) -> int:
    """How many of the solutions move the bodies differently."""
    different: list[Floats] = []
    for p in solutions:
        a = problem.G @ p
        scale = 1e-7 * (np.abs(problem.c).max() + np.abs(a).max())
        if all(np.abs(a - known).max() > scale for known in different):
            different.append(a)
    return len(different)


def _swept(
    problem: ContactProblem,
    contacts: Sequence[int],
    groups: Sequence[int],
    slipping: Mapping[int, Floats],
) -> Outcome:
    """For contacts with two tangents: forces of slipping friction go with their normal's column."""
    G, rest = problem.G.copy(), []
    for g, group in zip(groups, problem.friction, strict=True):
        if g in slipping:
            n, rows = problem.normals[group.contact], list(group.rows)
            G[:, n] -= group.coefficient * problem.G[:, rows] @ slipping[g][: len(rows)]
        else:
            rest.append(replace(group, coefficient=group.hold or group.coefficient))
    p = gauss_seidel(ContactProblem(G, problem.c, problem.normals, tuple(rest)))
    small = 1e-10 * max(float(np.abs(p).max()), 1e-300)
    closed = {i for i, n in zip(contacts, problem.normals, strict=True) if p[n] > small}
    ways = {g: way for g, way in slipping.items() if g in groups}
    for g, group in zip(groups, problem.friction, strict=True):
        if g not in slipping and contacts[group.contact] in closed:
            ways.update(_begins(g, group, problem, p))
    return Outcome(frozenset(closed), ways)


def _begins(g: int, group: Friction, problem: ContactProblem, p: Floats) -> dict[int, Floats]:
    """The way along which a group begins to slip, where it does."""
    force = p[list(group.rows)]
    size = float(np.linalg.norm(force))
    if size <= _HELD * (group.hold or group.coefficient) * p[problem.normals[group.contact]]:
        return {}
    way = np.zeros(2)
    way[: len(force)] = -force / size
    return {g: way}
