"""From a trajectory to a run: states, inputs and outputs by name at every recorded instant."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from touchback.native import Problem, evaluate_rows, slices, stop_asked
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
    """The run with the inputs and outputs that belong to each recorded state, up to where Ctrl-C
    ended that."""
    rows = enforced.constrained.functions.names if enforced else []
    outputs = zip(system.output_names, system.output_units) if system.outputs else ()
    named = [
        *(("state", *each) for each in zip(system.state_names, system.state_units)),
        *(("input", *each) for each in zip(system.input_names, system.input_units)),
        *(("multiplier", name, "") for name in rows),
        *(("output", *each) for each in outputs),
    ]
    table = np.empty((len(trajectory.times), len(named)), order="F")
    done = 0
    for part in slices(len(table)):
        times, states = trajectory.times[part], trajectory.states[part]
        table[part] = _rows(system, problem, times, states, enforced, len(rows))
        done = part.stop
        if stop_asked():
            break
    columns = [(kind, (name, unit, v)) for (kind, name, unit), v in zip(named, table[:done].T)]
    about = {**metadata, "statistics": trajectory.statistics}
    return named_run(trajectory.times[:done], columns, about)


def _rows(
    system: CompiledSystem,
    problem: Problem,
    times: Floats,
    states: Floats,
    enforced: Enforced | None,
    multipliers: int,
) -> Floats:
    """States, inputs, multipliers and outputs at instants, a row each."""
    rows = problem.input_rows(times, states)
    parts = [states, rows[:, 1:]]
    if enforced is not None:
        solutions = enforced.solutions(times, states)
        parts.append(solutions[:, solutions.shape[1] - multipliers :])
        rows = np.hstack([rows, solutions])
    if system.outputs is not None:
        outputs = system.outputs
        parts.append(
            evaluate_rows(
                outputs.address, states, rows, problem.p, len(system.output_names),
                outputs.work_size, outputs.context_address,
            )
        )  # fmt: skip
    return np.hstack(parts)


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
