"""A way out of a mode: the state after it at an instant, and its derivatives."""

from __future__ import annotations

import numpy as np

from touchback.analysis.gradients.given import Floats
from touchback.analysis.gradients.parts import Passed
from touchback.analysis.gradients.smooth import Plan
from touchback.errors import SolveError
from touchback.system.jumps import JumpFunctions, jump_functions
from touchback.system.modes import Exit, Impact

_MET = 1e-9  # |h| of constraints that count as met [m or rad]


class Jump:
    """One way out of a mode, for given values of the parameters."""

    def __init__(self, plan: Plan, mode: int, number: int, values: Floats) -> None:
        self._plan, self._mode, self._number, self._values = plan, mode, number, values
        modes = plan.system.motion.modes
        self.exit: Exit = modes.every[mode].exits[number]
        self._impacts: tuple[Impact, Impact | None] = (
            modes.impacts[mode, number], modes.rest_impacts.get((mode, number)),
        )  # fmt: skip
        self._refuse()

    def _refuse(self) -> None:
        name, modes = self.exit.name, self._plan.system.motion.modes
        targets = [self.exit.target, *([] if self.exit.rest is None else [self.exit.rest])]
        if any(any(modes.every[target].tracks) for target in targets):
            raise self._plan.refusal(f"transition '{name}' leads to coordinates that track")
        given = self.exit.transition
        if given.law == "poisson" and len(given.impact) > 1:
            raise self._plan.refusal(f"transition '{name}' strikes several by Poisson's law")

    def functions(self, resting: bool = False) -> JumpFunctions:
        """Its generated code."""
        plan = self._plan
        return jump_functions(
            plan.system.motion, self._mode, self._number, resting, plan.parameters
        )

    def at(self, x: Floats, u: Floats) -> Passed:
        """From a state, with u = [t, inputs…]."""
        found, fastest = self._through(x, u, False)
        if self.exit.rest is not None and fastest < self.exit.transition.rest_speed:
            found, _ = self._through(x, u, True)
        return found

    def _through(self, x: Floats, u: Floats, resting: bool) -> tuple[Passed, float]:
        made, impact = self.functions(resting), self._impacts[resting]
        if impact is None:
            raise AssertionError("a mode to rest in has its impact")
        out = made.reset.at(x, u, made.reset.block_for(self._values))
        variables = len(x) + len(u) + len(self._plan.parameters)
        count = len(out) // (1 + variables)
        values, slopes = out[:count], out[count:].reshape(count, variables)
        blow = _Blow(self._plan, made, impact, values[: len(x)], u, values[len(x) :], self._values)
        blow.check(self.exit.name)
        guard = made.guard.at(x, u, made.guard.block_for(self._values))[1:]
        return Passed(self.exit.name, guard, blow.state, blow.slopes(slopes)), blow.fastest


class _Blow:
    """Impulses on a state after its resets."""

    def __init__(
        self, plan: Plan, made: JumpFunctions, impact: Impact, x: Floats, u: Floats, e: Floats,
        values: Floats,
    ) -> None:  # fmt: skip
        self._sizes, self._x, self._contacts = plan.system.sizes, x, impact.contacts
        nq, n, _ = self._sizes
        m, block = len(impact.contacts), made.struck.block_for(values)
        self._variables = len(x) + len(u) + len(plan.parameters)
        cuts = np.cumsum([n + m, (n + m) ** 2, m, (n + 2 * m) * (self._variables + len(e))])

        def at(solved: Floats, e: Floats) -> list[Floats]:
            return np.split(made.struck.at(x, np.concatenate([u, solved, e]), block), cuts)

        r, K, *_ = at(np.zeros(n + m), e)
        self._K = K.reshape(n + m, n + m)
        self._solved = self._solve(self._K, -r)
        _, _, self._h, slopes, N = at(self._solved, e)
        speeds = at(self._solved, np.zeros_like(e))[0][n:]  # J v⁺ − b
        self.fastest = float(np.abs(speeds[impact.contacts >= 0]).max(initial=0.0))
        self._slopes, self._N = slopes.reshape(n + 2 * m, -1), N.reshape(nq, n)

    def _solve(self, K: Floats, right: Floats) -> Floats:
        try:
            return np.linalg.solve(K, right)
        except np.linalg.LinAlgError:
            raise SolveError("impulses have no one solution: constraints are redundant") from None

    @property
    def _kept(self) -> list[int]:
        """Rows of constraints on positions that hold afterwards."""
        n, m = self._sizes[1], len(self._h)
        moved = [bool(row.any()) for row in self._slopes[n + m :]]
        return [i for i in range(m) if self._contacts[i] < 0 and (moved[i] or self._h[i])]

    def check(self, name: str) -> None:
        """Positions aren't moved here."""
        off = np.abs(self._h[self._kept]).max(initial=0.0)
        if off > _MET:
            raise SolveError(
                f"Transition '{name}': the constraints of the mode that follows are {off:.3g} off; "
                "derivatives are those of transitions that happen where they are met."
            )

    @property
    def state(self) -> Floats:
        """Velocities after the impulses."""
        nq, n, _ = self._sizes
        return np.concatenate([self._x[:nq], self._solved[:n], self._x[nq + n :]])

    def slopes(self, reset: Floats) -> Floats:
        """By the variables before, from those of [state, restitutions] after the resets."""
        (nq, n, _), nx, m = self._sizes, len(self._x), len(self._h)
        by_state, by_e = reset[:nx].copy(), reset[nx:]
        rest = np.eye(self._variables)[nx:]
        kept = self._kept
        if kept:  # M δ = Wᵀ μ, J δ = −dh: positions stay on what holds
            rows = [*range(n), *(n + i for i in kept)]
            dh = self._slopes[n + m :][kept] @ np.vstack([by_state, rest, by_e])
            right = np.vstack([np.zeros((n, self._variables)), -dh])
            step = self._solve(self._K[np.ix_(rows, rows)], right)[:n]
            by_state[:nq] += self._N @ step
        dr = self._slopes[: n + m] @ np.vstack([by_state, rest, by_e])
        by_state[nq : nq + n] = -self._solve(self._K, dr)[:n]
        return by_state
