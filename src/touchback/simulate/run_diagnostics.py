"""What a run with constraints has to say about itself: where it left them, where they are singular,
where their friction has no answer.

A run that ends isn't always one to trust: formulations that drift may lose most of the energy at a
fold, and nothing but the size of h shows it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from touchback.native import evaluate_rows
from touchback.numbers import Floats
from touchback.recording import Run
from touchback.system import System, undetermined_forces_text

KEPT = 1e-10  # m or rad: what counts as keeping the constraints
LEFT = 1e-6  # m or rad: beyond it a run warns
OPEN = 1e-3  # m or rad: an initial state beyond it was hardly meant


def constraint_diagnostics(
    formulation: str,
    statistics: Mapping[str, float],
    friction_rows: Iterable[str] = (),
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
        names = ", ".join(f"'{name}'" for name in dict.fromkeys(friction_rows))
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
        found.append(undetermined_forces_text(undetermined))
    return found


def warn_when_astray(name: str, about: Mapping[str, Any]) -> None:
    """A RuntimeWarning at the caller of `simulate` where a run, by what it says `about` itself, is
    not to be trusted."""
    counts = about["statistics"]
    if "largest_h" not in counts:  # no formulation of constraints
        return
    astray = counts["not_converged"] or counts["paradoxes"]
    if astray or not counts["largest_h"] <= LEFT:
        warnings.warn(f"{name}: {' '.join(about['diagnostics'])}", RuntimeWarning, stacklevel=4)


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


_ROUNDING = 1e-9  # of a rating


def add_rating_diagnostics(
    system: System, run: Run, efforts: Mapping[str, Floats] | None = None
) -> None:
    """Tell in `run.metadata["diagnostics"]` of efforts and velocities that exceed the ratings of
    their joints at recorded instants. Without `efforts` they are those of motors: joint efforts of
    the model and drives."""
    if system.names:
        return  # copies of a model have names of their own
    if not system.model.imported.get("ratings"):
        return
    found = []
    layout, model = system.layout, system.model
    known = _motor_efforts(system, run) if efforts is None else efforts
    for joint, rated in model.imported["ratings"].items():
        if joint not in layout.v:
            continue
        unit = layout.v_units[layout.v.index(joint)]
        speeds = run[layout.state_names[len(layout.q) + layout.v.index(joint)]]
        for word, values, of in (
            ("effort", known.get(joint), "N m" if unit == "rad/s" else "N"),
            ("velocity", speeds, unit),
        ):
            most = rated.get(word, 0.0)  # files write 0 where nobody knows
            if values is None or not values.size or most <= 0.0:
                continue
            at = int(np.argmax(np.abs(values)))
            if abs(values[at]) > most * (1.0 + _ROUNDING):
                found.append(
                    f"Joint '{joint}' is rated for {word} {most:g} {of}, and has {values[at]:.4g} "
                    f"{of} at t = {run.time[at]:.6g} s."
                )
    if found:
        run.metadata["diagnostics"] = [*run.metadata.get("diagnostics", ()), *found]


def _motor_efforts(system: System, run: Run) -> dict[str, Floats]:
    """Efforts of motors by coordinate. (Laws of a model with modes may differ from mode to mode:
    only its drives are known.)"""
    layout, model = system.layout, system.model
    found: dict[str, Floats] = {}
    if not system.modes:
        motors = system.function("motor efforts")
        states = np.column_stack([run[name] for name in layout.state_names])
        inputs = [run[_label(run, name, "input")] for name in layout.inputs]
        parameters = {**system.parameters, **run.metadata["parameters"]}
        efforts = evaluate_rows(
            motors.compiled.address, states, np.column_stack([run.time, *inputs]),
            motors.block_for(np.array(list(parameters.values()))), len(layout.v),
            motors.compiled.work_size, motors.compiled.context_address,
        )  # fmt: skip
        found = dict(zip(layout.v, efforts.T, strict=True))
    others = {*layout.state_names, *layout.inputs}
    for name, drive in model.drives.items():
        row = _label(run, name, "multiplier")
        if row in run.names and row not in others and drive.joint in layout.v:
            found[drive.joint] = found.get(drive.joint, 0.0) + run[row]
    return found


def _label(run: Run, name: str, kind: str) -> str:
    """What a signal is called: after its kind where another one has its name."""
    return f"{name} ({kind})" if f"{name} ({kind})" in run.names else name
