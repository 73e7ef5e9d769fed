"""`touchback bench`: how fast derivation, compilation and evaluation are on this machine."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from touchback import gallery
from touchback.cli.console import out, working
from touchback.cli.source_tree import source_tree
from touchback.errors import InputError
from touchback.native import time_calls
from touchback.system import System

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
        system = gallery.make(name, **options).compile()
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


def seconds_per_call(system: System, name: str, calls: int = 2000) -> float:
    """The median time of a call from C, at the initial state."""
    function = system.function(name)
    compiled = function.compiled
    start, parameters = system.initial_state().x, np.array(list(system.parameters.values()))
    x, u = np.append(start, 0.0), np.zeros(max(compiled.sizes[1], 1))
    timing = time_calls(
        compiled.address, x, u, function.block_for(parameters), compiled.out_size,
        compiled.work_size, compiled.context_address, calls=calls,
    )  # fmt: skip
    return timing.median
