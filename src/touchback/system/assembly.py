"""Assembly: a consistent state from a guess."""

from collections.abc import Callable, Sequence

import numpy as np

from touchback.errors import SolveError
from touchback.system.constrained import ConstraintLayout

_TOLERANCE = 1e-13
_ROUNDED = 1e-11  # an error that may be left where rounding ends the iteration
_RANK = 1e-9  # singular values this much below the largest count as zero
_NOTICED = 1e-3  # of the largest error: constraints above it are named

Positions = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # q → (h, J)
Move = Callable[[np.ndarray, np.ndarray], np.ndarray]  # (q, δ) → q moved by the increment
Held = Callable[[np.ndarray], np.ndarray]  # q → rows that an increment must not have a part along


class OpenLoop(SolveError):
    """Constraints that can't be met from a guess: `told` is who and by how much, `gap` how far."""

    def __init__(self, told: str, mend: str, gap: float) -> None:
        super().__init__(f"{told}. {mend}")
        self.told, self.gap = told, gap


def assemble_positions(
    q: np.ndarray,
    kept: Sequence[int],
    n: int,
    layout: ConstraintLayout,
    positions: Positions,
    move: Move,
    iterations: int = 60,
    held: Held | None = None,
) -> np.ndarray:
    """Newton's method of least change; the freedoms in `kept` stay as they are."""
    holonomic = layout.holonomic
    fixed = np.eye(n)[np.array(kept, dtype=int)]
    h, J = positions(q)
    _refuse_nan(h, J, layout)
    start = h
    for _ in range(iterations):
        error = float(np.linalg.norm(h[holonomic]))
        if np.abs(h[holonomic]).max(initial=0.0) <= _TOLERANCE:
            return q
        rows = fixed if held is None else np.vstack([fixed, held(q)])
        Z = null_space(rows)
        step = -Z @ np.linalg.lstsq(J[holonomic] @ Z, h[holonomic], rcond=_RANK)[0]
        q_next, h_next, J_next = _damped(q, step, error, holonomic, positions, move)
        if np.linalg.norm(h_next[holonomic]) >= error and error <= _ROUNDED:
            return q
        q, h, J = q_next, h_next, J_next
    raise _open(np.where(holonomic, h, 0.0), start, layout)


def null_space(rows: np.ndarray) -> np.ndarray:
    """An orthonormal basis, in columns, of what is square to the rows: coordinates themselves
    where the rows are coordinates."""
    n = rows.shape[1]
    if np.all(np.count_nonzero(rows, axis=1) == 1):
        return np.eye(n)[:, ~rows.any(axis=0)]
    _, singular, Vt = np.linalg.svd(rows)
    rank = int(np.sum(singular > _RANK * singular.max(initial=0.0)))
    return np.asarray(Vt[rank:].T)


def _refuse_nan(h: np.ndarray, J: np.ndarray, layout: ConstraintLayout) -> None:
    for label, value, slopes in zip(layout.labels, h, J, strict=True):
        if not np.isfinite(value):
            raise SolveError(
                f"{label}: its error is {value} at the guess; check its expression at that time "
                "and those positions."
            )
        if not np.isfinite(slopes).all():
            raise SolveError(
                f"{label}: its slopes are not finite at the guess; begin elsewhere (a disc that "
                "lies flat can't roll)."
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
    whole = min(1.0, 0.5 / max(np.abs(step).max(initial=0.0), 1e-300))
    scale = whole
    for _ in range(12):
        moved = move(q, scale * step)
        h, J = positions(moved)
        if np.linalg.norm(h[holonomic]) < error and np.isfinite(J).all():
            return moved, h, J
        scale *= 0.5
    moved = move(q, whole * step)
    h, J = positions(moved)
    return (moved, h, J) if np.isfinite(J).all() else (q, *positions(q))


def _open(h: np.ndarray, start: np.ndarray, layout: ConstraintLayout) -> OpenLoop:
    """What stays open: at the nearest positions the errors themselves tell who is involved."""
    errors = {label: _gap(h, layout, label) for label in dict.fromkeys(layout.labels)}
    largest = max(gap for gap, _ in errors.values())
    involved = [label for label, (gap, _) in errors.items() if gap > _NOTICED * largest]
    gap = float(np.linalg.norm(h))
    if len(involved) == 1:
        label = involved[0]
        first = _gap(start, layout, label)[0]
        told = f"{label}: {errors[label][1]} at best, {first:.2g} at the guess"
        return OpenLoop(told, "Give a guess nearer to closure, or check the lengths.", gap)
    told = "; ".join(f"{label}: {errors[label][1]}" for label in involved[:6])
    mend = "Remove or mend one of them, or give a guess from which all can be met."
    return OpenLoop(f"Constraints contradict each other. At best, {told}", mend, gap)


def _gap(h: np.ndarray, layout: ConstraintLayout, label: str) -> tuple[float, str]:
    """How far a constraint is from being met, as a number and in words."""
    rows = [i for i, own in enumerate(layout.labels) if own == label]
    metres = [i for i in rows if layout.units[i] == "m"]
    if len(metres) > 1 and np.abs(h[metres]).max() >= _NOTICED * np.abs(h[rows]).max():
        gap = float(np.linalg.norm(h[metres]))
        return gap, f"its two points are {gap:.2g} m apart"
    worst = max(rows, key=lambda i: abs(h[i]))
    gap = float(np.linalg.norm(h[rows]))
    unit = layout.units[worst].replace("-", "rad")
    return gap, f"its error is {gap:.2g} {unit}".rstrip()


def assemble_velocities(
    v: np.ndarray, kept: Sequence[int], J: np.ndarray, b: np.ndarray, layout: ConstraintLayout
) -> np.ndarray:
    """The velocities nearest to v with J v = b; the freedoms in `kept` stay as they are."""
    for label, demanded in zip(layout.labels, b, strict=True):
        if not np.isfinite(demanded):
            raise SolveError(
                f"{label}: the velocity that it demands is {demanded}; check its expression at "
                "that time."
            )
    free = np.setdiff1d(np.arange(len(v)), np.array(kept, dtype=int))
    change = np.zeros_like(v)
    change[free] = np.linalg.lstsq(J[:, free], b - J @ v, rcond=_RANK)[0]
    moved = v + change
    error = np.abs(J @ moved - b)
    if error.max(initial=0.0) > 1e-9 * max(1.0, np.abs(moved).max(initial=0.0)):
        rows = np.flatnonzero(error > _NOTICED * error.max())
        involved = list(dict.fromkeys(layout.labels[i] for i in rows))
        worst = float(error.max())
        if kept:
            raise SolveError(
                f"{involved[0]}: the given rates contradict it by {worst:.2g}; give fewer rates, "
                "or consistent ones."
            )
        raise SolveError(
            f"{', '.join(involved)}: no velocities meet them, by {worst:.2g}; their rates "
            "contradict each other. Remove or mend one of them."
        )
    return moved
