"""States that constraints allow: closed loops, and velocities that keep them closed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from touchback.errors import SolveError
from touchback.system.assembly import (
    Held,
    OpenLoop,
    assemble_positions,
    assemble_velocities,
    null_space,
)
from touchback.system.constrained import ConstraintLayout, Terms
from touchback.system.freedoms import freedoms_of

if TYPE_CHECKING:
    from touchback.system.arrays import Arrays
    from touchback.system.motions.motion import At

_ASIDE = (0.0, 0.05, -0.3, 1.0, -2.0)  # how far guesses are turned aside when they lead nowhere


class Closing:
    """Finds states of a system at a time with inputs. Rows that `track` are kept by the `idle`
    velocity coordinates alone, which go where they are to be and move nothing else."""

    def __init__(
        self, system: Arrays, at: At, tracks: Sequence[bool] = (), idle: Sequence[int] = ()
    ) -> None:
        self._system, self._at, self._rows = system, at, system.acting.rows
        self._n = len(system.layout.v)
        self._tracks, self._idle = np.array(tracks, dtype=bool), list(idle)

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
        held = (lambda at: self._increments(at)[kept]) if kept else None
        idle, rows = self._idle, self._rows
        if not idle or any(self._increments(q)[k, idle].any() for k in kept):
            return self._newton(q, [], rows, held)  # one that is to stay lets the others move
        q = self._newton(q, idle, replace(rows, holonomic=rows.holonomic & ~self._tracks), held)
        return self._newton(q, [j for j in range(self._n) if j not in idle], rows)

    def _newton(
        self,
        q: np.ndarray,
        still: list[int],
        rows: ConstraintLayout,
        held: Held | None = None,
    ) -> np.ndarray:
        return assemble_positions(q, still, self._n, rows, self.positions, self.moved, held=held)

    def _turned(self, q: np.ndarray, kept: list[int], angle: float) -> np.ndarray:
        """The guess with all that isn't kept turned or slid by some of an angle or length."""
        if not angle:
            return q
        n = self._n
        Z = null_space(self._increments(q)[kept]) if kept else np.eye(n)
        return self.moved(q, Z @ Z.T @ (angle * np.cos(np.arange(1.0, n + 1.0))))

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
        return q + self._rate(q, step)

    def _increments(self, q: np.ndarray) -> np.ndarray:
        """N of dq = N δ, nq × nv."""
        if self._system.plan.plain_coordinates:
            return np.eye(self._n)
        return np.stack([self._rate(q, e) for e in np.eye(self._n)], axis=1)

    def _rate(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        system = self._system
        here = self._at._replace(q=q, v=v, u=None, t=0.0, z=None)
        return system.evaluated(system.acting.functions["configuration rate"], here)

    # ---- velocities -----------------------------------------------------------------------------

    def met(self, v: np.ndarray, kept: list[int], terms: Terms) -> np.ndarray:
        """Velocities that meet the constraints; those in `kept` stay."""
        idle, tracks, rows = self._idle, self._tracks, self._rows
        if not idle or set(kept) & set(idle):
            return assemble_velocities(v, kept, terms.J, terms.b, rows)
        J, b = np.where(tracks[:, None], 0.0, terms.J), np.where(tracks, 0.0, terms.b)
        v = assemble_velocities(v, [*kept, *idle], J, b, rows)
        still = [j for j in range(len(v)) if j not in idle]
        return assemble_velocities(v, still, terms.J, terms.b, rows)
