"""From a trajectory to a run: states, inputs and outputs by name at every recorded instant."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from touchback.native import Problem, evaluate_rows
from touchback.recording import Run
from touchback.simulate.constrained import Enforced
from touchback.simulate.plan import Trajectory
from touchback.simulate.protocol import CompiledSystem, Floats

Column = tuple[str, str, Floats]  # name, unit, values


def make_run(
    system: CompiledSystem,
    problem: Problem,
    trajectory: Trajectory,
    metadata: Mapping[str, Any],
    enforced: Enforced | None = None,
) -> Run:
    """The run with the inputs and outputs that belong to each recorded state."""
    times, states = trajectory.times, trajectory.states
    rows = problem.input_rows(times, states)
    columns: list[tuple[str, Column]] = [
        ("state", column) for column in zip(system.state_names, system.state_units, states.T)
    ]
    columns += [
        ("input", column) for column in zip(system.input_names, system.input_units, rows.T[1:])
    ]
    if enforced is not None:
        solutions = enforced.solutions(times, states)
        names = enforced.constrained.functions.names
        forces = solutions[:, solutions.shape[1] - len(names) :]
        columns += [("multiplier", (name, "", values)) for name, values in zip(names, forces.T)]
        rows = np.hstack([rows, solutions])
    if system.outputs is not None:
        values = evaluate_rows(
            system.outputs.address, states, rows, problem.p, len(system.output_names),
            system.outputs.work_size, system.outputs.context_address,
        )  # fmt: skip
        columns += [
            ("output", column) for column in zip(system.output_names, system.output_units, values.T)
        ]
    return named_run(times, columns, {**metadata, "statistics": trajectory.statistics})


def named_run(
    times: Floats, columns: Iterable[tuple[str, Column]], metadata: Mapping[str, Any]
) -> Run:
    """The run of columns, each with its kind."""
    named = dict(_distinct(columns))
    return Run(
        times,
        {name: values for name, (_, values) in named.items()},
        {name: unit for name, (unit, _) in named.items()},
        metadata,
    )


def _distinct(columns: Iterable[tuple[str, Column]]) -> Iterable[tuple[str, tuple[str, Floats]]]:
    """Names made unique by their kind where an input or output is called like a state."""
    taken: set[str] = set()
    for kind, (name, unit, values) in columns:
        label = name if name not in taken else f"{name} ({kind})"
        taken.add(label)
        yield label, (unit, values)
