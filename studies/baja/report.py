"""What both engines say, as a table in Markdown."""

from studies.baja.comparison import Comparison
from studies.baja.ride import RATE, TORQUE, WHERE
from studies.piano.report import table


def report(found: Comparison) -> str:
    """Driving torques of both front wheels, and the tick of the event."""
    ride, rows = found.ride, []
    for wheel in found.ours:
        size, apart = found.rms(wheel)
        largest, when = found.largest(wheel)
        rows.append((
            wheel, f"{size:.2f}", f"{apart:.4f}", f"{100.0 * apart / size:.2f} %",
            f"{largest:.3f} at {when:.3f} s",
        ))  # fmt: skip
    headings = ("driving torque", "rms [N m]", "difference, rms [N m]", "", "largest [N m]")
    event = (
        f"{TORQUE:g} N m on '{WHERE}' from tick {ride.tick} on ({ride.added:.3f} s, "
        f"{RATE:g} ticks a second), in both; late ticks: {ride.report.counts['late']}."
    )
    return f"{event}\n\n{table(headings, rows)}"
