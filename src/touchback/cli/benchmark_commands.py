"""`touchback bench`, `machine` and `validate`: how fast and how punctual this computer is, and
published cases against our figures."""

import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

import touchback as tb
import touchback.errors
from touchback.cli.console import err, out, working
from touchback.cli.option_types import number, seconds as span
from touchback.errors import InputError
from touchback.realtime import duration, lower_edges
from touchback.realtime.latency_benchmark import Finding, Punctuality, findings, measure

_CASES: tuple[tuple[str, dict[str, int]], ...] = (
    ("seven-joint-arm", {}),
    ("hanging-chain", {"links": 30}),
    ("hanging-chain", {"links": 100}),
)


_FUNCTIONS = ("inverse dynamics", "forward dynamics")


def bench(
    sections: Annotated[
        list[str] | None,
        typer.Argument(help="Only these, with their peers: piano, loops, omni, chains, …"),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="The long version, with all peers.")] = False,
) -> None:
    """Measure speed: against other engines in a source tree, else our own figures alone.

    The figures of a source tree are also written to `results/` in the current folder.
    """
    root = source_tree("benchmarks")
    if root is not None and (root / "benchmarks" / "__main__.py").is_file():
        whole = full or sections
        command = [sys.executable, "-m", "benchmarks", *([] if whole else ["--quick"])]
        command += [*(sections or []), "--out", str(Path.cwd() / "results")]
        raise typer.Exit(min(subprocess.run(command, cwd=root, check=False).returncode, 2))
    if sections:
        raise InputError(f"bench {' '.join(sections)}: sections are measured in a source tree.")
    out.print("No benchmarks/ folder around this installation: our own figures alone.\n")
    table = Table("mechanism", "function", "flops", box=None, pad_edge=False)
    table.add_column("derive and emit [ms]", justify="right")
    table.add_column("a call [µs]", justify="right")
    for name, options in _CASES:
        with working(f"measuring {name}"):
            for row in _measure(name, options):
                table.add_row(*row)
    out.print(table)


def _measure(name: str, options: dict[str, int]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for function in _FUNCTIONS:
        system = tb.gallery.make(name, **options).compile()
        began = time.perf_counter()
        system.function(function).compiled  # noqa: B018  derives and emits
        spent = time.perf_counter() - began
        label = " ".join([name, *(f"({key} {value})" for key, value in options.items())])
        rows.append(
            (
                label,
                function,
                str(system.counts(function).flops),
                f"{1e3 * spent:.1f}",
                f"{1e6 * seconds_per_call(system, function):.3f}",
            )
        )
    return rows


def seconds_per_call(system: tb.System, name: str) -> float:
    """The median time of a call from C, at the initial state."""
    start, parameters = system.initial_state().x, np.array(list(system.parameters.values()))
    return system.function(name).seconds_per_call(start, parameters)


def source_tree(folder: str) -> Path | None:
    """The root of the source tree that holds this package and such a folder; None elsewhere."""
    root = Path(touchback.errors.__file__).resolve().parents[2]
    return root if (root / "pyproject.toml").is_file() and (root / folder).is_dir() else None


_WIDTH = 80


_MARKS = {True: ("fine", "green"), False: ("mend", "red"), None: ("unknown", "yellow")}


def machine(
    seconds: Annotated[float, span("How long to measure, all rates together.")] = 60.0,
    cpu: Annotated[int | None, number("The processor to measure on.", 0)] = None,
) -> None:
    """Show whether this computer can run mechanisms at 1, 4 and 10 kHz, and what would help."""
    with Progress(console=err, transient=True, disable=not err.is_terminal) as shown:
        task = shown.add_task("empty ticks at 1, 4 and 10 kHz", total=seconds)
        kept, meanwhile = measure(seconds, cpu, lambda done: shown.update(task, completed=done))
    found = [*findings(), *meanwhile]
    out.print(_findings_table(found), width=_WIDTH)
    out.print("\nWhere a rate isn't kept, these may help:")
    for each in found:
        if not each.good:
            out.print(f"- {each.what}: {each.mend}", width=_WIDTH)
    out.print()
    out.print(_histogram(kept), width=_WIDTH)
    out.print(_verdicts(kept), width=_WIDTH)


def _findings_table(found: list[Finding]) -> Table:
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


def validate() -> None:
    """Run the published validation cases (they live in the source tree)."""
    root = source_tree("validation")
    if root is None:
        err.print(
            "The validation cases are part of the source tree, not of the installed package: "
            "clone the repository and run `touchback validate` there."
        )
        raise typer.Exit(1)
    if find_spec("pytest") is None:
        mend = "`pip install -e '.[dev]'` in the source tree"
        err.print(f"The validation cases need pytest: {mend}.")
        raise typer.Exit(1)
    command = [sys.executable, "-m", "validation"]
    raise typer.Exit(min(subprocess.run(command, cwd=root, check=False).returncode, 1))
