"""`python -m studies displays`: the limits of each display on two devices, as a table."""

from pathlib import Path
from typing import Annotated

import typer

from touchback.cli.console import out, working


def displays(
    tables: Annotated[Path | None, typer.Option(help="Write the table into this file.")] = None,
) -> None:
    """Which display for which device: what each bears at 1 kHz, on a motorised key and on a heavy
    geared slide, under the simulated finger.

    Stability is that of the sampled loop (eigenvalues, by SciPy); *gives the finger nothing* was
    found by pressing models of the displays.
    """
    from studies.displays.limits import DEVICES, all_limits
    from studies.wall.real_tables import Grid, write

    found: dict[tuple[str, str], dict[str, str]] = {}
    with working("measuring displays") as status:
        for limit in all_limits():
            row = found.setdefault((limit.display, limit.what), {})
            row[limit.device] = _number(limit.value)
            status.update(f"measured: {limit.display}, {limit.what}, {limit.device}")
    rows = tuple((*key, *(row[name] for name in DEVICES)) for key, row in _by_display(found))
    grid = Grid("displays", ("display", "at 1 kHz", *DEVICES), rows)
    grid.show()
    if tables is not None:
        write([grid], tables)
        out.print(f"the table: {tables}")


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 100.0 else f"{value:.3g}"


def _by_display(
    found: dict[tuple[str, str], dict[str, str]],
) -> list[tuple[tuple[str, str], dict[str, str]]]:
    """Rows of one display together, in the order in which they were measured."""
    return sorted(found.items(), key=lambda each: each[0][0])
