"""What each formulation promises on the suite, and its table for docs/constraints.md.

`python tests/formulation_promises.py` writes the table.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from closed_suite import CASES, FORMULATIONS

TABLE = Path(__file__).parent.parent / "docs" / "formulations_tables.inc"
KEPT = 1e-10  # m: what counts as keeping the constraints


@dataclass(frozen=True)
class Promise:
    """The largest errors of motion, constraints [m] and energy (a part of the largest kinetic
    energy) in 1 s at steps of 1 ms."""

    error: float
    closure: float
    energy: float
    note: str = ""


@dataclass(frozen=True)
class Refusal:
    """The formulation refuses the mechanism, with these words."""

    words: str
    note: str


@dataclass(frozen=True)
class Unsafe:
    """The run may go astray; then it stops with a message, or its statistics show it."""

    note: str


USUAL = {
    "partitioning": Promise(1e-6, 1e-12, 1e-6),
    "multipliers": Promise(1e-6, 1e-8, 1e-6),
    "baumgarte": Promise(1e-6, 1e-8, 1e-6),
    "penalty": Promise(1e-6, 1e-8, 1e-6),
    "projection": Promise(1e-6, 1e-12, 1e-6),
    "linear-implicit": Promise(0.15, 1e-8, 0.1),
    "augmented-lagrangian": Promise(1e-3, 1e-12, 1e-3),
}

_SERVO = Refusal(
    "can't take servo-constraints",
    "Its steps take Jᵀ for the direction of all constraint forces; the effort of a servo-"
    "constraint acts elsewhere. The run is refused with a message.",
)
_UNSAFE = {
    "multipliers": Unsafe(
        "Nothing brings it back to constraints that it has left near a singular position. The run "
        "stops with a message, or `largest_h` of its statistics shows it."
    ),
    "baumgarte": Unsafe(
        "Near a singular position its feedback is as undetermined as the multipliers. The run "
        "stops with a message, or `largest_h` shows it."
    ),
}
_NEAR = {
    "partitioning": Promise(1e-6, 1e-12, 1e-4, "energy to 1e-4"),
    "projection": Promise(1e-6, 1e-12, 1e-4, "energy to 1e-4"),
    "augmented-lagrangian": Promise(1e-3, 1e-12, 2e-3),
}

SPECIAL: dict[tuple[str, str], Promise | Refusal | Unsafe] = {
    ("servo", "penalty"): _SERVO,
    ("servo", "linear-implicit"): _SERVO,
    ("servo", "augmented-lagrangian"): _SERVO,
}
for _case in ("change point, parallelogram", "change point, four-bar", "dead centre"):
    SPECIAL |= {(_case, formulation): kept for formulation, kept in (_UNSAFE | _NEAR).items()}
SPECIAL["change point, four-bar", "penalty"] = Unsafe(
    "It goes through, but where its feedback is as undetermined as the multipliers it may lose "
    "energy and leave the constraints, which `largest_h` shows."
)


def promise(case: str, formulation: str) -> Promise | Refusal | Unsafe:
    """What a formulation promises on a mechanism of the suite."""
    return SPECIAL.get((case, formulation), USUAL[formulation])


def table() -> str:
    """The promises as a table: which formulation passes where, and why not."""
    notes: list[str] = []
    lines = [
        "| mechanism | " + " | ".join(FORMULATIONS) + " |",
        "|---|" + "---|" * len(FORMULATIONS),
    ]
    for case in CASES:
        cells = [_cell(promise(case, formulation), notes) for formulation in FORMULATIONS]
        lines.append(f"| {case} | " + " | ".join(cells) + " |")
    lines += ["", *(f"{i + 1}. {note}" for i, note in enumerate(notes))]
    return "\n".join(lines) + "\n"


def _cell(given: Promise | Refusal | Unsafe, notes: list[str]) -> str:
    if isinstance(given, Promise):
        words = [given.note] if given.note else []
        if given.closure > KEPT:
            words.append(f"\\|h\\| to 1e{round(np.log10(given.closure))} m")
        return ", ".join(["passes", *words])
    if given.note not in notes:
        notes.append(given.note)
    word = "refused" if isinstance(given, Refusal) else "unsafe"
    return f"{word} ({notes.index(given.note) + 1})"


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
