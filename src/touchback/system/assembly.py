"""Assembly: a consistent state from a guess, and what the constraints leave free."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from touchback.errors import SolveError
from touchback.system.constrained import ConstraintLayout

_TOLERANCE = 1e-13
_RANK = 1e-9  # singular values this much below the largest count as zero

Positions = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # q → (h, J)
Move = Callable[[np.ndarray, np.ndarray], np.ndarray]  # (q, δ) → q moved by the increment


@dataclass(frozen=True)
class Freedoms:
    """What constraints leave of a mechanism at a configuration."""

    freedoms: int
    rank: int
    independent: tuple[str, ...]
    redundant: tuple[str, ...]  # rows that add nothing to the others
    conditioning: float  # smallest kept over largest singular value of J

    def __str__(self) -> str:
        lines = [f"{self.freedoms} freedoms: {', '.join(self.independent) or 'none'}"]
        if self.redundant:
            lines.append(f"redundant constraints: {', '.join(self.redundant)}")
        return "\n".join(lines)


def assemble_positions(
    q: np.ndarray,
    kept: Sequence[int],
    n: int,
    layout: ConstraintLayout,
    positions: Positions,
    move: Move,
    iterations: int = 60,
) -> np.ndarray:
    """Newton's method of least change; the freedoms in `kept` stay as they are."""
    free = np.setdiff1d(np.arange(n), np.array(kept, dtype=int))
    holonomic = layout.holonomic
    h, J = positions(q)
    start = np.abs(h[holonomic]).max(initial=0.0)
    for _ in range(iterations):
        error = np.abs(h[holonomic]).max(initial=0.0)
        if error <= _TOLERANCE:
            return q
        step = np.zeros(n)
        step[free] = -np.linalg.lstsq(J[holonomic][:, free], h[holonomic], rcond=_RANK)[0]
        q_next, h_next, J_next = _damped(q, step, error, holonomic, positions, move)
        if np.abs(h_next[holonomic]).max() >= error and error <= 1e-11:
            return q
        q, h, J = q_next, h_next, J_next
    worst = int(np.argmax(np.abs(np.where(holonomic, h, 0.0))))
    raise SolveError(
        f"Constraint '{layout.names[worst]}' can't be met: its error is {abs(h[worst]):.3g} "
        f"{layout.units[worst]} after {iterations} steps (worst at the start: {start:.3g}). Give a "
        "guess nearer to closure, keep fewer coordinates, or check the lengths."
    )


def _damped(
    q: np.ndarray,
    step: np.ndarray,
    error: float,
    holonomic: np.ndarray,
    positions: Positions,
    move: Move,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A Newton step, at most half a radian or metre, halved until the error falls."""
    scale = min(1.0, 0.5 / max(np.abs(step).max(), 1e-300))
    for _ in range(12):
        moved = move(q, scale * step)
        h, J = positions(moved)
        if np.abs(h[holonomic]).max() < error:
            return moved, h, J
        scale *= 0.5
    moved = move(q, min(1.0, 0.5 / max(np.abs(step).max(), 1e-300)) * step)
    return (moved, *positions(moved))


def assemble_velocities(
    v: np.ndarray, kept: Sequence[int], J: np.ndarray, b: np.ndarray, layout: ConstraintLayout
) -> np.ndarray:
    """The velocities nearest to v with J v = b; the freedoms in `kept` stay as they are."""
    free = np.setdiff1d(np.arange(len(v)), np.array(kept, dtype=int))
    change = np.zeros_like(v)
    change[free] = np.linalg.lstsq(J[:, free], b - J @ v, rcond=_RANK)[0]
    moved = v + change
    error = np.abs(J @ moved - b)
    if error.max(initial=0.0) > 1e-9 * max(1.0, np.abs(moved).max(initial=0.0)):
        worst = int(np.argmax(error))
        raise SolveError(
            f"Constraint '{layout.names[worst]}': the given rates contradict it by "
            f"{error[worst]:.3g}; give fewer rates, or consistent ones."
        )
    return moved


def freedoms_of(J: np.ndarray, layout: ConstraintLayout, velocities: Sequence[str]) -> Freedoms:
    """Rank, independent coordinates and redundant rows of a constraint Jacobian, by pivoting."""
    n = len(velocities)
    singular = np.linalg.svd(J, compute_uv=False) if J.size else np.zeros(0)
    rank = int(np.sum(singular > _RANK * singular.max(initial=0.0))) if singular.size else 0
    dependent = set(_pivots(J, rank))
    needed = set(_pivots(J.T, rank, in_order=True))
    return Freedoms(
        n - rank,
        rank,
        tuple(name for i, name in enumerate(velocities) if i not in dependent),
        tuple(name for i, name in enumerate(layout.names) if i not in needed),
        float(singular[rank - 1] / singular[0]) if rank else 1.0,
    )


def _pivots(A: np.ndarray, rank: int, in_order: bool = False) -> list[int]:
    """Columns that span A: the largest left at each step, or the first that add to those before."""
    rest = A.astype(float).copy()
    chosen: list[int] = []
    largest = np.abs(A).max(initial=0.0)
    candidates = range(A.shape[1]) if in_order else [-1] * rank
    for candidate in candidates:
        if len(chosen) == rank:
            break
        norms = np.linalg.norm(rest, axis=0)
        column = int(np.argmax(norms)) if candidate < 0 else candidate
        if norms[column] <= _RANK * max(largest, 1e-300) * 10:
            continue
        chosen.append(column)
        direction = rest[:, column] / norms[column]
        rest = rest - np.outer(direction, direction @ rest)
    return chosen
