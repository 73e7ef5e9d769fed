"""What a session of forced choice came to, in words and as a figure that anybody can draw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from touchback.haptics.trials.fit import Fit
from touchback.haptics.trials.forced_choice import Design, ForcedChoice
from touchback.haptics.trials.methods import Staircase

_BESIDE = 1.5  # how far beyond the levels the function is drawn
_POINTS = 300


@dataclass(frozen=True)
class Curve:
    """The psychometric function of a fit over levels, both as lists; shares from 0 to 1."""

    levels: np.ndarray
    right: np.ndarray

    @classmethod
    def of(cls, fit: Fit) -> Curve:
        """From somewhat below the least level to somewhat above the greatest."""
        ends = fit.counts.levels.min() / _BESIDE, fit.counts.levels.max() * _BESIDE
        levels = np.geomspace(*ends, _POINTS)
        return cls(levels, fit.best.right(levels))


def told(session: ForcedChoice, fit: Fit) -> list[str]:
    """How many answers were right, the threshold with its interval, and where tracks turned."""
    design = session.design
    right = sum(one.right for one in session.answers)
    unit = f" {design.unit}" if design.unit else ""
    lines = [f"{right} of {len(session.answers)} answers were right.", _threshold(design, fit)]
    if isinstance(design.method, Staircase):
        turns = design.method.middle([(one.track, one.right) for one in session.answers])
        lines.append(
            f"tracks turned round at {turns:.3g}{unit} in the mean, where "
            f"{100 * design.method.settles:.1f} % are right"
        )
    return lines


def _threshold(design: Design, fit: Fit) -> str:
    unit = f" {design.unit}" if design.unit else ""
    varied = f"threshold of '{design.varied}' over {design.base:g}{unit}"
    right = f"{50.0 * (1.0 + design.guess):.0f} % would be right without lapses"
    sure = f"{100 * fit.confidence:g} % confidence"
    if fit.beyond < 0:
        return (
            f"{varied}, where {right}: below {fit.high:.3g}{unit} ({sure}); ask for smaller levels"
        )
    if fit.beyond > 0:
        return f"{varied}, where {right}: above {fit.low:.3g}{unit} ({sure}); ask for larger levels"
    of_base = f"; {100 * fit.threshold / design.base:.1f} % of the base" if design.base else ""
    return (
        f"{varied}: {fit.threshold:.3g}{unit} ({sure}: {fit.low:.3g} to {fit.high:.3g}), where "
        f"{right}{of_base}"
    )
