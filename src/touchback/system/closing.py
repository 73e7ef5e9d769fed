"""States that constraints allow: closed loops, and velocities that keep them closed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from touchback.errors import SolveError
from touchback.native.constrained.assembly import NO_NUMBER, OPEN, Assembly
from touchback.system.assembly import (
    OpenLoop,
    open_loop,
    refuse_demands,
    refuse_nan,
    refuse_rates,
)
from touchback.system.freedoms import freedoms_of
from touchback.system.layout import fill

if TYPE_CHECKING:
    from touchback.system.arrays import Arrays
    from touchback.system.motions.acting import At

_ASIDE = (0.0, 0.05, -0.3, 1.0, -2.0)  # how far guesses are turned aside when they lead nowhere


class Closing:
    """Finds states of a system at a time with inputs and extra states, by Newton's method in C.
    Rows that `track` are kept by the `idle` velocity coordinates alone, which go where they are to
    be and move nothing else."""

    def __init__(
        self,
        assembly: Assembly,
        system: Arrays,
        at: At,
        tracks: Sequence[bool] = (),
        idle: Sequence[int] = (),
    ) -> None:
        self._assembly, self._system, self._at = assembly, system, at
        self._rows, self._n = system.acting.rows, len(system.layout.v)
        self.tracks, self.idle = np.array(tracks, dtype=bool), list(idle)
        inputs = fill("u", at.u, system.layout.inputs, system.input_defaults)
        values = system.layout.varied(system.parameter_values(), at.parameters or {})
        self._given = np.append(at.t, inputs), system.motion.block(system.key, values)
        self._z = fill("z", at.z, system.layout.z, system.motion.start.z)

    # ---- positions ------------------------------------------------------------------------------

    def closed(self, q: np.ndarray, kept: list[int]) -> np.ndarray:
        """Positions that meet the constraints; the coordinates in `kept` stay. A guess where every
        step would be sideways, as bars in one line, is left by small and then larger turns."""
        tried: list[OpenLoop] = []
        for aside in _ASIDE:
            try:
                return self.closed_from(self._turned(q, kept, aside), kept)
            except OpenLoop as error:
                tried.append(error)
        best = min(tried, key=lambda error: error.gap)
        if kept:
            self._refuse_kept(q, kept, best)
        raise best

    def closed_from(self, q: np.ndarray, kept: list[int]) -> np.ndarray:
        """The same from this guess alone; first without what tracks, then that."""
        idle = self.idle
        if not idle or any(self._increments(q)[k, idle].any() for k in kept):
            return self.newton(q, kept=kept)  # one that is to stay lets the others move
        q = self.newton(q, idle, kept, ~self.tracks)
        return self.newton(q, [j for j in range(self._n) if j not in idle])

    def newton(
        self,
        q: np.ndarray,
        still: Sequence[int] = (),
        kept: Sequence[int] = (),
        rows: np.ndarray | bool = True,
    ) -> np.ndarray:
        """Positions that meet some `rows`, with velocity coordinates that are `still`."""
        met = self._rows.holonomic & rows
        found = self._assembly.closed(self._state(q), self._given, met, still, kept)
        if found.status == NO_NUMBER:
            refuse_nan(*self.positions(q), self._rows)
        if found.status == OPEN:
            raise open_loop(found.error, found.first, self._rows)
        return found.x[: q.size]

    def _state(self, q: np.ndarray) -> np.ndarray:
        return np.concatenate([q, np.zeros(self._n), self._z])

    def _turned(self, q: np.ndarray, kept: list[int], angle: float) -> np.ndarray:
        """The guess with all that isn't kept turned or slid by some of an angle or length."""
        if not angle:
            return q
        return self._assembly.turned(self._state(q), self._given, angle, kept).x[: q.size]

    def _refuse_kept(self, q: np.ndarray, kept: list[int], error: OpenLoop) -> None:
        try:
            closed = self.closed_from(q, [])
        except SolveError:
            return
        layout = self._system.layout
        names = ", ".join(f"'{layout.q[i]}'" for i in kept)
        left = freedoms_of(self.positions(closed)[1], self._rows, layout.v).freedoms
        raise SolveError(
            f"{error.told}, with {names} kept. It closes when nothing is kept, with {left} "
            f"{'freedom' if left == 1 else 'freedoms'} left: keep fewer coordinates, or others."
        ) from error

    def positions(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """h and J."""
        return self._system.motion.positions(self._system, self._at._replace(q=q))

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Positions moved by an increment in velocity coordinates."""
        system = self._system
        here = self._at._replace(q=q, v=step, u=None, t=0.0, z=None)
        return q + system.evaluated(system.acting.functions["configuration rate"], here)

    def _increments(self, q: np.ndarray) -> np.ndarray:
        """N of dq = N δ, nq × nv."""
        return np.stack([self.moved(q, e) - q for e in np.eye(self._n)], axis=1)

    # ---- velocities -----------------------------------------------------------------------------

    def met(self, x: np.ndarray, kept: list[int]) -> np.ndarray:
        """Velocities of x = [q, v, z] that meet the constraints; those in `kept` stay."""
        idle = self.idle
        if not idle or set(kept) & set(idle):
            return self._met(x, kept)
        x = self._met(x, [*kept, *idle], ~self.tracks)
        return self._met(x, [j for j in range(self._n) if j not in idle])

    def _met(
        self, x: np.ndarray, kept: Sequence[int], rows: np.ndarray | bool = True
    ) -> np.ndarray:
        found = self._assembly.met(x, self._given, rows, kept)
        if found.status == NO_NUMBER:
            refuse_demands(found.demanded, self._rows)
        nq = len(self._system.layout.q)
        refuse_rates(found.error, found.x[nq : nq + self._n], kept, self._rows)
        return found.x

    def struck(self, x: np.ndarray) -> np.ndarray:
        """x with its velocities after impulses of all constraints."""
        return self._assembly.struck(x, self._given).x
