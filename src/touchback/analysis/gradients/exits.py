"""The ways out of modes: whether a step passes one, and where in it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np

from touchback.analysis.gradients.given import Floats
from touchback.analysis.gradients.jump import Jump
from touchback.analysis.gradients.smooth import Plan
from touchback.errors import SolveError

_FLOOR = 1e-12  # an indicator nearer to zero rests there
_PARTS = 16  # of a step in which an indicator that begins at zero is looked for


class Exits:
    """Those of all modes, for given values of the parameters."""

    def __init__(self, plan: Plan, values: Floats) -> None:
        self._plan, self._values = plan, values
        self._known: dict[int, list[Jump]] = {}

    def of(self, mode: int) -> list[Jump]:
        """Those of a mode; refused where they depend on forces."""
        if mode not in self._known:
            own = self._plan.system.motion.modes.every[mode]
            if own.uses_forces:
                raise self._plan.refusal(f"mode '{own.name}' is left by forces")
            found = [Jump(self._plan, mode, k, self._values) for k in range(len(own.exits))]
            self._known[mode] = found
        return self._known[mode]

    def begin(self, mode: int, x: Floats, u: Floats) -> None:
        """Refuses a mode that would end as it begins."""
        values = self._values_of(mode, x[None], u[None])[0]
        for jump, value in zip(self.of(mode), values, strict=True):
            if _beyond(jump, value):
                raise self._plan.refusal(
                    f"transition '{jump.exit.name}' follows at once, at t = {u[0]:.6g} s"
                )

    def first_crossed(self, mode: int, rows: Floats, u: Floats) -> int:
        """How many steps from row to row there are before one that passes an exit."""
        if not self.of(mode):
            return len(rows) - 1
        values = self._values_of(mode, rows, u[: len(rows)])
        passes = [
            any(_crosses(*each) for each in zip(self.of(mode), first, last, strict=True))
            for first, last in pairwise(values)
        ]
        return passes.index(True) if True in passes else len(passes)

    def located(
        self, mode: int, moved: Callable[[float], Floats], u: Floats, h: float
    ) -> tuple[Jump, float] | None:
        """The exit that a step of length h passes first, and how far from its start; `moved` gives
        the state after a part of it, u = [t, inputs…] holds where it begins."""
        jumps = self.of(mode)

        def values(s: float) -> Floats:
            at = u.copy()
            at[0] += s
            return self._values_of(mode, moved(s)[None], at[None])[0]

        def value(i: int, s: float) -> float:
            return float(values(s)[i])

        first, last = values(0.0), values(h)
        found = [
            (self._root(jump, partial(value, i), h), jump)
            for i, jump in enumerate(jumps)
            if _crosses(jump, first[i], last[i])
        ]
        if not found:
            return None
        s, jump = min(found, key=lambda pair: pair[0])
        return jump, s

    def _root(self, jump: Jump, value: Callable[[float], float], h: float) -> float:
        from scipy.optimize import brentq

        begin = 0.0
        if abs(value(0.0)) <= _FLOOR:  # it leaves zero and comes back, or goes on beyond
            side = jump.exit.transition.direction
            parts = (k / _PARTS * h for k in range(1, _PARTS))
            begin = next((s for s in parts if side * value(s) < -_FLOOR), -1.0)
            if begin < 0.0:
                return 0.0
        return float(brentq(value, begin, h, xtol=1e-18, rtol=4 * np.finfo(float).eps))

    def _values_of(self, mode: int, rows: Floats, u: Floats) -> Floats:
        jumps = self.of(mode)
        found = np.empty((len(rows), len(jumps)))
        if jumps:
            guards = jumps[0].functions().guards
            parts = [(np.ascontiguousarray(rows), 0), (np.ascontiguousarray(u), rows.shape[1])]
            block = guards.block_for(self._values)
            guards.rows((rows.shape[1], u.shape[1]), parts, block, found)
        if not np.isfinite(found).all():
            raise SolveError(f"{self._plan.system.name}: an indicator of a mode is no number.")
        return found


def _beyond(jump: Jump, value: float) -> bool:
    direction = jump.exit.transition.direction
    return bool(direction * value > _FLOOR)


def _crosses(jump: Jump, first: float, last: float) -> bool:
    direction = jump.exit.transition.direction
    if direction == 0:
        return bool(first * last < 0.0 and min(abs(first), abs(last)) > _FLOOR)
    return bool(direction * first <= _FLOOR and direction * last > _FLOOR)
