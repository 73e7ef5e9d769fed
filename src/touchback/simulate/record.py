"""From a trajectory to a run: signals by name at every recorded instant."""

from collections.abc import Iterable, Mapping

import numpy as np

from touchback.native import slices, stop_asked
from touchback.recording import Run
from touchback.simulate.course import Course, Label
from touchback.simulate.span import Trajectory


def recorded(course: Course, trajectory: Trajectory, about: Mapping[str, object]) -> Run:
    """The run with all signals that belong to each recorded state, up to where Ctrl-C ended
    that."""
    labels, times, states = course.labels(), trajectory.times, trajectory.states
    table = np.empty((len(times), len(labels)), order="F")
    done = 0
    for part in slices(len(table)):
        table[part] = course.rows(part, times[part], states[part])
        done = part.stop
        if stop_asked():
            break
    names = list(_distinct(labels))
    return Run(
        times[:done],
        dict(zip(names, table[:done].T, strict=True)),
        {name: unit for name, (_, _, unit) in zip(names, labels, strict=True)},
        {**about, "remarks": [], **course.about(trajectory), "statistics": trajectory.statistics},
    )


def _distinct(labels: Iterable[Label]) -> Iterable[str]:
    """Names made unique by their kind where an input or output is called like a state."""
    taken: set[str] = set()
    for kind, name, _ in labels:
        label = name if name not in taken else f"{name} ({kind})"
        taken.add(label)
        yield label
