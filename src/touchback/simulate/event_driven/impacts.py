"""Impacts: velocities that jump, by Newton's or Poisson's restitution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from touchback.contact import ContactProblem, solve_contacts
from touchback.contact.impulses.enumeration import fitting
from touchback.contact.impulses.gauss_seidel import gauss_seidel
from touchback.errors import SolveError
from touchback.simulate.event_driven.at_contacts import AtContacts
from touchback.simulate.protocol import Floats

LAWS = ("newton", "poisson", "sequential")
_EXACT = 1e-11  # m/s, rad/s: sweeps that change less are done, however slow all is by then


@dataclass(frozen=True)
class Jump:
    """The change of v, the impulses of all rows, and their velocities after it."""

    change: Floats
    impulses: Floats
    u: Floats


def impact(felt: AtContacts, contacts: Sequence[int], restitution: Floats, law: str) -> Jump:
    """The impact of contacts that touch, with their coefficients of restitution.

    Newton: a contact that was approached with the speed −u⁻ leaves with e times that. Poisson: it
    gives back e times the impulse that stopped the approach, in a second part (Pfeiffer and
    Glocker 1996, ch. 8), with friction in both. "sequential" is Newton's, of contacts that are hit
    one after the other (`Bounces`)."""
    problem = felt.problem(felt.u, contacts)
    normals = list(problem.normals)
    e = restitution[list(contacts)]
    if law != "poisson":
        c = problem.c.copy()
        c[normals] += e * np.minimum(felt.u[normals], 0.0)
        return _jump(felt, problem, _impulses(replace(problem, c=c)))
    stopped = _impulses(problem)
    after = problem.c + problem.G @ stopped
    returned = replace(problem, c=after, least=e * stopped[normals])
    guess = np.zeros(len(stopped))
    guess[normals] = e * stopped[normals]
    back = gauss_seidel(returned, guess, _tolerance(returned)) if np.any(guess) else guess
    return _jump(felt, problem, stopped + back)


def _impulses(problem: ContactProblem) -> Floats:
    return solve_contacts(problem, tolerance=_tolerance(problem))


def _tolerance(problem: ContactProblem) -> float:
    """As a part of the largest velocity, which may itself be rounding: what compression leaves."""
    return max(1e-13, _EXACT / max(float(np.abs(problem.c).max()), 1e-300))


def jam(felt: AtContacts, contacts: Sequence[int], stuck: Sequence[int]) -> Jump:
    """The impulse without collision that ends sliding where no finite force can (Painlevé): a
    solution of the impact in which a jammed contact is closed."""
    problem = felt.problem(felt.u, contacts)
    for _, p in fitting(problem, 1e-9):
        if any(p[felt.layout.normals[i]] > 0.0 for i in stuck):
            return _jump(felt, problem, p)
    raise SolveError(
        "no impulse ends the sliding of the jammed contact; lower its friction, or use "
        "method='moreau-jean'"
    )


def halt(felt: AtContacts, contacts: Sequence[int], rows: Sequence[int]) -> Jump:
    """The least change, weighted by the mass, after which rows of the contacts don't move: it can
    only take energy."""
    problem = felt.problem(felt.u, contacts)
    p = np.zeros(len(problem.c))
    G, c = problem.G[np.ix_(rows, rows)], problem.c[list(rows)]
    p[list(rows)] = -np.linalg.lstsq(G, c, rcond=1e-11)[0]
    return _jump(felt, problem, p)


def _jump(felt: AtContacts, problem: ContactProblem, p: Floats) -> Jump:
    change, every = felt.changed(felt.u, p)
    return Jump(change, every, problem.c + problem.G @ p)
