"""What is said where no consistent state is found."""

from collections.abc import Sequence

import numpy as np

from touchback.errors import SolveError
from touchback.system.constrained import ConstraintLayout

_NOTICED = 1e-3  # of the largest error: constraints above it are named


class OpenLoop(SolveError):
    """Constraints that can't be met from a guess: `told` is who and by how much, `gap` how far."""

    def __init__(self, told: str, mend: str, gap: float) -> None:
        super().__init__(f"{told}. {mend}")
        self.told, self.gap = told, gap


def refuse_nan(h: np.ndarray, J: np.ndarray, layout: ConstraintLayout) -> None:
    """Refuse errors and slopes that are no numbers."""
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


def open_loop(h: np.ndarray, start: np.ndarray, layout: ConstraintLayout) -> OpenLoop:
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


def refuse_rates(
    error: np.ndarray, v: np.ndarray, kept: Sequence[int], layout: ConstraintLayout
) -> None:
    """Refuse velocities that leave rows open by an error; some were kept."""
    error = np.abs(error)
    if not error.max(initial=0.0) > 1e-9 * max(1.0, np.abs(v).max(initial=0.0)):
        return
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


def refuse_demands(b: np.ndarray, layout: ConstraintLayout) -> None:
    """Refuse velocities to be met that are no numbers."""
    for label, demanded in zip(layout.labels, b, strict=True):
        if not np.isfinite(demanded):
            raise SolveError(
                f"{label}: the velocity that it demands is {demanded}; check its expression at "
                "that time."
            )
