"""A live run at a glance, for a terminal."""

from rich.console import Group
from rich.table import Table
from rich.text import Text

from touchback.realtime.histogram import duration
from touchback.realtime.live import Live


def live_table(live: Live, signals: int = 12) -> Group:
    """Punctuality, faults, and the first of the signals, as they are now."""
    report, now = live.report(), live.snapshot()
    counts = report.counts
    head = Text(
        f"{live.system.name}  t = {now['time']:.2f} s  {live.plan.rate:g} Hz  "
        f"ticks {counts['ticks']}  late {counts['late']}  overruns {counts['overruns']}  "
        f"slipped {counts['slipped']}"
    )
    punctuality = Table("", "p50", "p99", "p99.9", "max", box=None, pad_edge=False)
    for name, histogram in report.histograms.items():
        punctuality.add_row(name.replace("_", " "), *map(duration, histogram.summary().values()))
    values = Table("signal", "unit", "now", box=None, pad_edge=False)
    system = live.system
    named = [
        *zip(system.output_names, system.output_units),
        *zip(system.state_names, system.state_units),
    ]
    shown = [*named[:signals], *((name, "J") for name in live.plan.energy)]
    for name, unit in shown:
        if name in now:  # the run may be taking another structure just now
            values.add_row(Text(name), Text(unit), f"{now[name]: .6g}")
    faults = ", ".join(live.faults)
    state = Text(f"faults: {faults}", style="red") if faults else Text("no faults", style="green")
    return Group(head, punctuality, values, state)
