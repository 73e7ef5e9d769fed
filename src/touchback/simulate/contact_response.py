"""What contacts do at one state: impacts by Newton's or Poisson's restitution, and what stays
closed, stick or slip, by complementarity of accelerations.

0 ≤ λ_n ⊥ u̇_n ≥ 0 in closed contacts; friction that slips has |λ_t| = μ λ_n against the slip; where
it doesn't yet, |λ_t| ≤ μ λ_n, against the acceleration u̇_t where that isn't zero (Lötstedt 1981;
Pfeiffer and Glocker 1996, ch. 5).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from touchback.contact import (
    BACKWARD,
    FORWARD,
    MOST_COMBINATIONS,
    OPEN,
    SIGN,
    STICK,
    ContactProblem,
    Friction,
    combinations,
    feasible_combinations,
    gauss_seidel,
    groups_of,
    solve_contacts,
)
from touchback.errors import SolveError
from touchback.numbers import Floats
from touchback.system import ContactEquations, ContactLayout

STILL = 1e-9  # m/s, rad/s


@dataclass(frozen=True)
class ContactDynamics:
    """M, f, rows and gaps at a state: M a = f + Eᵀ λ, u̇ = W a + bias. Forces of the mechanism's own
    constraints follow from those of the contacts and are eliminated."""

    layout: ContactLayout
    M: Floats
    f: Floats
    u: Floats
    W: Floats
    E: Floats
    bias: Floats
    gap: Floats
    coefficients: Floats
    restitution: Floats
    holds: Floats

    @classmethod
    def at(cls, equations: ContactEquations, x: Floats, u: Floats) -> ContactDynamics:
        """At a state, with u = [t, inputs…]."""
        M, f, _, speed, W, E, bias, _, gap, mu, e, hold = equations.at("forces", x, u)
        return cls(equations.layout, M, f, speed, W, E, bias, gap, mu, e, hold)

    @cached_property
    def _spread(self) -> Floats:
        """M⁻¹ Eᵀ."""
        found: Floats = np.linalg.solve(self.M, self.E.T).astype(np.float64, copy=False)
        return found

    @cached_property
    def _G(self) -> Floats:
        return self.W @ self._spread

    @cached_property
    def free(self) -> Floats:
        """Accelerations of all rows with no force in any."""
        return self.W @ np.linalg.solve(self.M, self.f) + self.bias

    def problem(self, c: Floats, contacts: Sequence[int]) -> ContactProblem:
        """The problem of some contacts for velocities or accelerations c of all rows. Its friction
        groups are those with a coefficient, in the order of `groups`."""
        X, x0 = self._bilateral_impulses(c)
        own = slice(0, self.layout.bilateral)
        return ContactProblem(
            self._G - self._G[:, own] @ X,
            c - self._G[:, own] @ x0,
            tuple(self.layout.normals[i] for i in contacts),
            tuple(self._friction(g, contacts) for g in self.groups(contacts)),
        )

    def _friction(self, g: int, contacts: Sequence[int]) -> Friction:
        rows, contact = self.layout.groups[g]
        mu, hold = float(self.coefficients[g]), float(self.holds[g])
        return Friction(rows, list(contacts).index(contact), mu, hold)

    def groups(self, contacts: Sequence[int]) -> list[int]:
        """The groups of friction of some contacts that can hold anything."""
        return [
            g
            for g, (rows, contact) in enumerate(self.layout.groups)
            if contact in contacts and rows and self.coefficients[g] > 0.0
        ]

    def speed(self, contact: int) -> float:
        """At which a contact opens [m/s]."""
        return float(self.u[self.layout.normals[contact]])

    def slipping(self, contacts: Sequence[int], stopped: Collection[int]) -> dict[int, Floats]:
        """The groups of friction of some contacts that slip, without those that have `stopped`, and
        the way of each (two components)."""
        found = {}
        for g in self.groups(contacts):
            rows = list(self.layout.groups[g][0])
            speed = float(np.linalg.norm(self.u[rows]))
            if speed > STILL and g not in stopped:
                found[g] = np.zeros(2)
                found[g][: len(rows)] = self.u[rows] / speed
        return found

    def changed(self, c: Floats, p: Floats) -> tuple[Floats, Floats]:
        """What impulses p of the contact rows do to the velocities v, and all impulses."""
        X, x0 = self._bilateral_impulses(c)
        every = p.copy()
        every[: self.layout.bilateral] = -(x0 + X @ p)
        return self._spread @ every, every

    def _bilateral_impulses(self, c: Floats) -> tuple[Floats, Floats]:
        """Impulses of the own rows are −(x0 + X p), so that c + G p vanishes there."""
        m, G = self.layout.bilateral, self._G
        X, x0 = np.zeros((m, len(c))), np.zeros(m)
        if m:
            right = np.column_stack([G[:m, m:], c[:m]])
            found = np.linalg.lstsq(G[:m, :m], right, rcond=1e-12)[0]
            X[:, m:], x0 = found[:, :-1], found[:, -1].astype(np.float64)
        return X, x0


LAWS = ("newton", "poisson", "sequential")
_EXACT = 1e-11  # m/s, rad/s: sweeps that change less are done, however slow all is by then


@dataclass(frozen=True)
class Jump:
    """The change of v, the impulses of all rows, and their velocities after it."""

    change: Floats
    impulses: Floats
    u: Floats


def impact(
    dynamics: ContactDynamics, contacts: Sequence[int], restitution: Floats, law: str
) -> Jump:
    """The impact of contacts that touch, with their coefficients of restitution.

    Newton: a contact that was approached with the speed −u⁻ leaves with e times that. Poisson: it
    gives back e times the impulse that stopped the approach, in a second part (Pfeiffer and
    Glocker 1996, ch. 8), with friction in both. "sequential" is Newton's, of contacts that are hit
    one after the other (`Bounces`)."""
    problem = dynamics.problem(dynamics.u, contacts)
    normals = list(problem.normals)
    e = restitution[list(contacts)]
    if law != "poisson":
        c = problem.c.copy()
        c[normals] += e * np.minimum(dynamics.u[normals], 0.0)
        return _jump(dynamics, problem, _impulses(replace(problem, c=c)))
    stopped = _impulses(problem)
    after = problem.c + problem.G @ stopped
    returned = replace(problem, c=after, least=e * stopped[normals])
    guess = np.zeros(len(stopped))
    guess[normals] = e * stopped[normals]
    back = gauss_seidel(returned, guess, _tolerance(returned)) if np.any(guess) else guess
    return _jump(dynamics, problem, stopped + back)


def _impulses(problem: ContactProblem) -> Floats:
    return solve_contacts(problem, tolerance=_tolerance(problem))


def _tolerance(problem: ContactProblem) -> float:
    """As a part of the largest velocity, which may itself be rounding: what compression leaves."""
    return max(1e-13, _EXACT / max(float(np.abs(problem.c).max()), 1e-300))


def painleve_impulse(
    dynamics: ContactDynamics, contacts: Sequence[int], stuck: Sequence[int]
) -> Jump:
    """The impulse without collision that ends sliding where no finite force can (Painlevé): a
    solution of the impact in which a jammed contact is closed."""
    problem = dynamics.problem(dynamics.u, contacts)
    for _, p in feasible_combinations(problem, 1e-9):
        if any(p[dynamics.layout.normals[i]] > 0.0 for i in stuck):
            return _jump(dynamics, problem, p)
    raise SolveError(
        "no impulse ends the sliding of the jammed contact; lower its friction, or use "
        "method='moreau-jean'"
    )


def halting_jump(dynamics: ContactDynamics, contacts: Sequence[int], rows: Sequence[int]) -> Jump:
    """The least change, weighted by the mass, after which rows of the contacts don't move: it can
    only take energy."""
    problem = dynamics.problem(dynamics.u, contacts)
    p = np.zeros(len(problem.c))
    G, c = problem.G[np.ix_(rows, rows)], problem.c[list(rows)]
    p[list(rows)] = -np.linalg.lstsq(G, c, rcond=1e-11)[0]
    return _jump(dynamics, problem, p)


def _jump(dynamics: ContactDynamics, problem: ContactProblem, p: Floats) -> Jump:
    change, every = dynamics.changed(dynamics.u, p)
    return Jump(change, every, problem.c + problem.G @ p)


_ROUNDING = 1e-9  # of what rows do; m/s, rad/s beside it
_WITHOUT_FRICTION = (
    "impacts that are no faster than what a step changes speeds by can; take a shorter step"
)
_HINTS = {
    "newton": "Newton's restitution with friction can (Kane); take impacts='poisson'",
    "sequential": "Newton's restitution with friction can (Kane); lower restitution or friction",
    "poisson": "lower restitution or friction",
    "moreau-jean": "Newton's restitution with friction can (Kane); take method='event-driven' "
    "with impacts='poisson'",
}


@dataclass
class Gains:
    """What impacts by a law gave, by the contacts that were hit: instants [s] and energies [J]."""

    law: str
    _found: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    _smooth: set[str] = field(default_factory=set)  # of these, where no friction acted

    def look_at(self, t: float, dynamics: ContactDynamics, jump: Jump, hit: list[str]) -> None:
        """Keeps an impact after which there is more energy than before, as seen by its walls."""
        rows = slice(dynamics.layout.bilateral, None)
        p, u = jump.impulses[rows], (dynamics.u + jump.u)[rows]
        gain = 0.5 * float(p @ u)
        if gain > np.abs(p) @ (_ROUNDING * np.abs(u) + _ROUNDING):
            self.add(t, gain, hit)

    def add(self, t: float, gain: float, hit: list[str], smooth: bool = False) -> None:
        """Keeps what an impact of contacts gave [J]."""
        names = ", ".join(f"'{name}'" for name in hit)
        if smooth and names not in self._found:
            self._smooth.add(names)
        elif not smooth:
            self._smooth.discard(names)
        self._found.setdefault(names, []).append((t, gain))

    def diagnostics(self) -> list[str]:
        """One for each contact, or contacts hit together: the first instant and what it gave."""
        return [self._gain_text(names, found) for names, found in self._found.items()]

    def _gain_text(self, names: str, found: list[tuple[float, float]]) -> str:
        (t, gain), more = found[0], len(found) - 1
        total = sum(each for _, each in found)
        also = f" ({more} more until t = {found[-1][0]:.6g} s: {total:.3g} J in all)" * bool(more)
        return (
            f"At t = {t:.6g} s the impact of {names} raised the energy by {gain:.3g} J{also}: "
            f"{_WITHOUT_FRICTION if names in self._smooth else _HINTS[self.law]}."
        )


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


def decide_contact_states(
    dynamics: ContactDynamics, contacts: Sequence[int], slipping: Mapping[int, Floats]
) -> Outcome:
    """The outcome for contacts that touch, some of whose groups are `slipping` along given ways."""
    if not contacts:
        return Outcome(frozenset(), {})
    problem, groups = dynamics.problem(dynamics.free, contacts), dynamics.groups(contacts)
    if problem.planar and combinations(problem) <= MOST_COMBINATIONS:
        return _solve_by_enumeration(problem, contacts, groups, slipping)
    return _solve_by_sweeps(problem, contacts, groups, slipping)


def jammed_contacts(
    dynamics: ContactDynamics, contacts: Sequence[int], slipping: Mapping[int, Floats]
) -> list[int]:
    """Slipping contacts for which a force pushes the bodies together instead of apart,
    G_nn − μ G_nt·way ≤ 0: there Painlevé's paradox may strike."""
    G = dynamics.problem(dynamics.free, contacts).G
    found = []
    for g, way in slipping.items():
        rows, contact = dynamics.layout.groups[g]
        n = dynamics.layout.normals[contact]
        along = G[n, list(rows)] @ way[: len(rows)]
        if contact in contacts and G[n, n] - dynamics.coefficients[g] * along <= 0.0:
            found.append(contact)
    return found


def _solve_by_enumeration(
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
        found = list(feasible_combinations(problem, slack, moving))
        if found:
            states, _ = found[0]
            ways: dict[int, Floats] = {}
            for i, state in enumerate(states):
                for local, way in zip(groups_of(problem, i), state):
                    if state != (OPEN,) and way != STICK:
                        ways[groups[local]] = np.array([SIGN[way], 0.0])
            closed = {contacts[i] for i, state in enumerate(states) if state != (OPEN,)}
            return Outcome(frozenset(closed), ways, _count_distinct(problem, [p for _, p in found]))
    return Outcome(frozenset(), {}, 0)


def _count_distinct(problem: ContactProblem, solutions: Sequence[Floats]) -> int:
    """How many of the solutions move the bodies differently."""
    different: list[Floats] = []
    for p in solutions:
        a = problem.G @ p
        scale = 1e-7 * (np.abs(problem.c).max() + np.abs(a).max())
        if all(np.abs(a - known).max() > scale for known in different):
            different.append(a)
    return len(different)


def _solve_by_sweeps(
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
            ways.update(_slip_onset(g, group, problem, p))
    return Outcome(frozenset(closed), ways)


def _slip_onset(g: int, group: Friction, problem: ContactProblem, p: Floats) -> dict[int, Floats]:
    """The way along which a group begins to slip, where it does."""
    force = p[list(group.rows)]
    size = float(np.linalg.norm(force))
    if size <= _HELD * (group.hold or group.coefficient) * p[problem.normals[group.contact]]:
        return {}
    way = np.zeros(2)
    way[: len(force)] = -force / size
    return {g: way}
