"""What the trials gave, as tables in Markdown."""

import math

from studies.driving.trials import Session, same_angle
from studies.piano.report import table


def trail(caster: float) -> float:
    """The small car's mechanical trail at a caster [mm]."""
    return 1e3 * (0.010 + 0.185 * math.tan(caster))


def obstacle(session: Session) -> str:
    """Each trial, in the order in which it was driven."""
    rows = []
    for trial in session.trials():
        torque, angle = trial.first_peak()
        rows.append((
            trial.turn, f"{math.degrees(trial.caster):.1f}", f"{trail(trial.caster):.0f}",
            f"{trial.manoeuvre.place[0]:.0f}", f"{torque:.2f}", f"{angle:.3f}",
            f"{trial.figures['gap'].value:.2f}", trial.report.counts['late'],
        ))  # fmt: skip
    headings = (
        "turn", "caster [°]", "trail [mm]", "obstacle at [m]", "first peak [N m]",
        "wheel then [rad]", "gap [m]", "late ticks",
    )  # fmt: skip
    return table(headings, rows)


def angle(session: Session) -> str:
    """Peaks at the same angle, beside the closed form."""
    rows = [
        (
            f"{math.degrees(peak.caster):.1f}", f"{trail(peak.caster):.0f}", f"{peak.angle:.3f}",
            f"{peak.torque:.2f}", f"{peak.trails:.2f}", f"{peak.gyroscopic:.2f}",
            f"{100.0 * (peak.torque / (peak.trails + peak.gyroscopic) - 1.0):+.1f} %",
        )
        for peak in same_angle(session.trials()[0])
    ]  # fmt: skip
    headings = (
        "caster [°]", "trail [mm]", "wheel [rad]", "torque [N m]", "by its trails [N m]",
        "by roll [N m]", "difference",
    )  # fmt: skip
    return table(headings, rows)
