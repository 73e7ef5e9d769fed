"""Whether a run asks more of joints than an imported file rates them for."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from touchback.native import evaluate_rows
from touchback.recording import Run
from touchback.simulate.protocol import Floats
from touchback.system import System

_ROUNDING = 1e-9  # of a rating


def add_rating_remarks(
    system: System, run: Run, efforts: Mapping[str, Floats] | None = None
) -> None:
    """Tell in `run.metadata["remarks"]` of efforts and velocities that exceed the ratings of their
    joints at recorded instants. Without `efforts` they are those of motors: joint efforts of the
    model and drives."""
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
        run.metadata["remarks"] = [*run.metadata.get("remarks", ()), *found]


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
