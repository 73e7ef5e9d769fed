"""The table that docs/quality.md includes: one mechanism in relative and in natural coordinates.

`python tests/natural_table.py` measures and writes it.
"""

from pathlib import Path

import touchback as tb
from natural_mechanisms import MECHANISMS
from touchback.system.natural_coordinates import NaturalCoordinates

TABLE = Path(__file__).parents[1] / "docs" / "natural_tables.inc"
SHOWN = ("four_bar", "slider_crank", "spatial_slider_crank", "bennett")
STEP = 1e-3  # [s]
WAYS = {
    "partitioning": "partitioning rk4",
    "projection": "projection rk4",
    "penalty": "penalty rk4",
    "augmented-lagrangian": "augmented-lagrangian",
}


def table() -> str:
    """Cost and accuracy by mechanism, formulation and coordinates; one second at steps of 1 ms."""
    lines = [
        "| mechanism | formulation | relative: µs a step | error | energy "
        "| natural: µs a step | error | energy |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in SHOWN:
        system, start = MECHANISMS[name]()
        found = tb.quality(
            system, start, 1.0, steps=(STEP,), tolerances=(), formulations=tuple(WAYS),
            natural=True, progress=False,
        )  # fmt: skip
        natural = NaturalCoordinates(system, start.x)
        sizes = (
            f"{system.name}: {system.sizes[1]} coordinates and {len(system.constraint_names)} "
            f"constraints; {natural.size} and {len(natural.mechanism.rows)}"
        )
        for place, label in enumerate(WAYS.values()):
            cells = [cell for way in (label, f"natural {label}") for cell in _cells(found, way)]
            head = f"{sizes if place == 0 else ''} | {list(WAYS)[place]}"
            lines.append(f"| {head} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cells(found: tb.Quality, label: str) -> list[str]:
    (row,) = found.of(label)
    if row.status != "fine" or row.load is None:
        return [row.status, "", ""]
    return [f"{1e6 * STEP * row.load:.2g}", f"{row.error:.0e}", f"{row.energy:.0e}"]


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
