"""`touchback machine`: can this computer keep a promise?"""

from typing import Annotated

from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from touchback.cli.console import err, out
from touchback.cli.options import number
from touchback.cli.options import seconds as span
from touchback.realtime.latency import duration, lower_edges
from touchback.realtime.latency_benchmark import Finding, Punctuality, findings, measure

_WIDTH = 80
_MARKS = {True: ("fine", "green"), False: ("mend", "red"), None: ("unknown", "yellow")}


def machine(
    seconds: Annotated[float, span("How long to measure, all rates together.")] = 60.0,
    cpu: Annotated[int | None, number("The processor to measure on.", 0)] = None,
) -> None:
    """Tell whether this computer can run mechanisms at 1, 4 and 10 kHz, and what would help."""
    with Progress(console=err, transient=True, disable=not err.is_terminal) as shown:
        task = shown.add_task("empty ticks at 1, 4 and 10 kHz", total=seconds)
        kept, meanwhile = measure(seconds, cpu, lambda done: shown.update(task, completed=done))
    found = [*findings(), *meanwhile]
    out.print(_found(found), width=_WIDTH)
    out.print("\nWhere a rate isn't kept, these may help:")
    for each in found:
        if not each.good:
            out.print(f"- {each.what}: {each.mend}", width=_WIDTH)
    out.print()
    out.print(_histogram(kept), width=_WIDTH)
    out.print(_verdicts(kept), width=_WIDTH)


def _found(found: list[Finding]) -> Table:
    table = Table("", "found", "", box=None, pad_edge=False)
    for each in found:
        table.add_row(each.what, each.value, Text(*_MARKS[each.good]))
    return table


def _verdicts(kept: list[Punctuality]) -> Table:
    table = Table("empty ticks", "p50", "p99", "p99.9", "max", "late", "kept?", box=None,
                  pad_edge=False)  # fmt: skip
    for each in kept:
        late = f"{each.late} of {each.lateness.total}"
        times = map(duration, each.lateness.summary().values())
        table.add_row(f"{each.rate / 1000:g} kHz", *times, late, Text(each.verdict, "bold"))
    return table


def _histogram(kept: list[Punctuality]) -> Table:
    """How late the ticks of each rate were, a line an octave."""
    octaves = [each.lateness.counts.reshape(-1, 16).sum(axis=1) for each in kept]
    used = [i for i, row in enumerate(zip(*octaves)) if any(row)]
    edges = lower_edges(len(kept[0].lateness.counts) + 1)[::16] * 1e-9
    table = Table(title="late by", box=None, pad_edge=False, title_justify="left")
    table.add_column("from", justify="right")
    table.add_column("to", justify="right")
    for each in kept:
        table.add_column(f"{each.rate / 1000:g} kHz", justify="right")
    for i in range(used[0], used[-1] + 1) if used else ():
        counts = [str(row[i]) for row in octaves]
        table.add_row(duration(edges[i]), duration(edges[i + 1]), *counts)
    return table
