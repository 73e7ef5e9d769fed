"""What a run with constraints has to say about itself: where it left them, where they are singular,
where their friction has no answer.

A run that ends isn't always one to trust: formulations that drift may lose most of the energy at a
fold, and nothing but the size of h shows it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from touchback.system.undetermined import open_text

KEPT = 1e-10  # m or rad: what counts as keeping the constraints
LEFT = 1e-6  # m or rad: beyond it a run warns
OPEN = 1e-3  # m or rad: an initial state beyond it was hardly meant


def remarks(
    formulation: str,
    statistics: Mapping[str, float],
    rubbing: Iterable[str] = (),
    shared: Iterable[str] = (),
    undetermined: Sequence[str] = (),
) -> list[str]:
    """Sentences on a run, from the counts of its formulation, the constraints with friction, those
    of them whose forces others could carry, and all rows that share forces; none when all went
    well."""
    found = []
    largest = statistics["largest_h"]
    if not largest <= KEPT:
        found.append(
            f"{formulation!r} left the constraints by up to {largest:.1e} m (or rad): motion and "
            f"energy are off accordingly, at folds by much; take shorter steps"
            f"{_others(formulation)}."
        )
    if singular := int(statistics["singular"]):
        found.append(
            f"{_times(singular)} the mechanism was at, or almost at, a singular position, where "
            "mechanics doesn't determine the way on: look at the energy there, or change the step."
        )
    if gave_up := int(statistics["not_converged"]):
        found.append(
            f"{_times(gave_up)} the position constraints could not be solved, and the integrator's "
            f"values were kept; take shorter steps{_others(formulation)}."
        )
    if paradoxes := int(statistics["paradoxes"]):
        names = ", ".join(f"'{name}'" for name in dict.fromkeys(rubbing))
        found.append(
            f"{_times(paradoxes)} the friction of {names} was so strong that mechanics has no "
            "answer, or several (Painlevé's paradox), and where it had none it was left out; take "
            "less friction, or describe a rigid contact."
        )
    found += [
        f"The force of constraint '{name}' rubs, but redundant constraints could carry it as well: "
        "how much friction there is depends on their order; leave one of them away."
        for name in dict.fromkeys(shared)
    ]
    if undetermined:
        found.append(f"The force of {open_text(undetermined, undetermined)}")
    return found


def warn_when_astray(name: str, about: Mapping[str, Any]) -> None:
    """A RuntimeWarning at the caller of `simulate` where a run, by what it says `about` itself, is
    not to be trusted."""
    counts = about["statistics"]
    if "largest_h" not in counts:  # no formulation of constraints
        return
    astray = counts["not_converged"] or counts["paradoxes"]
    if astray or not counts["largest_h"] <= LEFT:
        warnings.warn(f"{name}: {' '.join(about['remarks'])}", RuntimeWarning, stacklevel=4)


def warn_when_open(name: str, gap: float) -> None:
    """A RuntimeWarning at the caller of `simulate` where its initial state breaks constraints."""
    if gap > OPEN:
        warnings.warn(
            f"{name}: the initial state breaks the constraints by up to {gap:.2g} m (or rad); "
            "formulations that hold positions move it onto them, the others carry the gap along. "
            "Start from system.assemble(…).",
            RuntimeWarning,
            stacklevel=4,
        )


def _others(formulation: str) -> str:
    better = [f"'{each}'" for each in ("partitioning", "projection") if each != formulation]
    return f", or constraints={' or '.join(better)}"


def _times(count: int) -> str:
    return "Once" if count == 1 else f"{count} times"
