"""The mechanism as its contacts feel it, at one state: what their forces and impulses do."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from touchback.contact import ContactProblem, Friction
from touchback.simulate.protocol import Floats
from touchback.system.contact_equations import ContactEquations
from touchback.system.contact_rows import ContactLayout

STILL = 1e-9  # m/s, rad/s


@dataclass(frozen=True)
class AtContacts:
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
    def at(cls, equations: ContactEquations, x: Floats, u: Floats) -> AtContacts:
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
        X, x0 = self._own(c)
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
        X, x0 = self._own(c)
        every = p.copy()
        every[: self.layout.bilateral] = -(x0 + X @ p)
        return self._spread @ every, every

    def _own(self, c: Floats) -> tuple[Floats, Floats]:
        """Impulses of the own rows are −(x0 + X p), so that c + G p vanishes there."""
        m, G = self.layout.bilateral, self._G
        X, x0 = np.zeros((m, len(c))), np.zeros(m)
        if m:
            right = np.column_stack([G[:m, m:], c[:m]])
            found = np.linalg.lstsq(G[:m, :m], right, rcond=1e-12)[0]
            X[:, m:], x0 = found[:, :-1], found[:, -1].astype(np.float64)
        return X, x0
