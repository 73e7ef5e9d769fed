"""What the trials gave, as tables in Markdown."""

import math

from studies.driving.feeling import BASE, discrimination, spread, swerve
from studies.driving.trials import Session, same_angle
from studies.piano.report import table
from touchback.vehicle.simulator import CASTERS, FEELING_ARMS, Arms


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


def feeling() -> str:
    """Paths without power assist, of tensed arms that know no torque, and of arms at ease."""
    rows, apart = [], []
    for name, arms in (("tensed", Arms()), ("at ease", FEELING_ARMS)):
        swerves = [swerve(arms, caster) for caster in CASTERS]
        for each in swerves:
            told = each.figures
            rows.append((
                name, f"{math.degrees(each.caster):.1f}", f"{told['first peak']:.2f}",
                f"{told['angle then']:.3f}", f"{told['gap']:.2f}", f"{told['aside']:.2f}",
            ))  # fmt: skip
        apart.append(f"{name}: {spread(swerves):.2f} m")
    headings = (
        "arms", "caster [°]", "first peak [N m]", "wheel then [rad]", "gap [m]", "aside [m]",
    )  # fmt: skip
    return table(headings, rows) + f"\nPaths apart by at most: {', '.join(apart)}.\n"


def threshold(seed: int) -> str:
    """The smallest difference of caster that a simulated subject notices."""
    found = discrimination(FEELING_ARMS, seed)
    asked = len(found.answers)
    right = sum(each.right for each in found.answers)
    degrees = [f"{math.degrees(x):.2f}" for x in (
        BASE, found.expected, found.found, found.low, found.high
    )]  # fmt: skip
    headings = (
        "base [°]", "due [°]", "threshold [°]", "from [°]", "to [°]", "noise [N m]", "right",
    )  # fmt: skip
    return table(headings, [(*degrees, f"{found.noise:.2f}", f"{right} of {asked}")])
