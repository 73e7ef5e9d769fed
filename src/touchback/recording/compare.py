"""How far two runs are apart, signal by signal."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from touchback.errors import InputError
from touchback.names import unknown_name
from touchback.recording.run import Run
from touchback.recording.run_data import Floats
from touchback.unit_spellings import in_unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Difference:
    """b − a of one signal: the largest size, the time of it, and the root of the mean square."""

    name: str
    unit: str
    values: Floats
    max: float
    time_of_max: float
    rms: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """Differences of the signals that both runs have, over the time that both cover."""

    time: Floats
    differences: dict[str, Difference]
    only_in_a: list[str]
    only_in_b: list[str]
    interpolated: bool

    def __getitem__(self, name: str) -> Difference:
        try:
            return self.differences[name]
        except KeyError:
            raise unknown_name("common signal", name, self.differences) from None

    @property
    def max(self) -> float:
        """The largest difference of all signals (their units mixed: a quick check for zero)."""
        return float(np.max([row.max for row in self.differences.values()], initial=0.0))

    def plot(self, *names: str, path: str | os.PathLike[str] | None = None) -> Figure:
        """The differences over time, all of them when none is named."""
        from touchback.recording.plot_runs import plot_differences

        rows = [self[name] for name in names or tuple(self.differences)]
        return plot_differences(self.time, [(row.name, row.unit, row.values) for row in rows], path)

    def __str__(self) -> str:
        width = max([len(name) for name in self.differences] + [len("signal")])
        lines = [f"{'signal':<{width}}  {'max |b − a|':>12}  {'rms':>12}  {'at [s]':>10}  unit"]
        lines += [
            f"{row.name:<{width}}  {row.max:>12.4g}  {row.rms:>12.4g}  {row.time_of_max:>10.4g}"
            f"  {row.unit}".rstrip()
            for row in self.differences.values()
        ]
        if self.interpolated:
            lines.append("(the time grids differ: b is interpolated linearly to a's instants)")
        for label, names in (("a", self.only_in_a), ("b", self.only_in_b)):
            if names:
                lines.append(f"only in {label}: " + ", ".join(names))
        return "\n".join(lines)


def compare(a: Run, b: Run) -> Comparison:
    """The differences b − a at a's instants in the common time range, in a's units.

    Where the instants differ, b is interpolated linearly between its own.
    """
    if not len(a) or not len(b):
        raise InputError("An empty run can't be compared: record at least one instant.")
    start, end = max(a.time[0], b.time[0]), min(a.time[-1], b.time[-1])
    in_a, in_b = ((run.time >= start) & (run.time <= end) for run in (a, b))
    time = a.time[in_a]
    if not len(time):
        raise InputError(
            f"The runs share no time: a covers {a.time[0]:g} to {a.time[-1]:g} s, "
            f"b covers {b.time[0]:g} to {b.time[-1]:g} s."
        )
    interpolated = not np.array_equal(time, b.time[in_b])
    differences = {}
    for name in a.names:
        if name in b:
            other = np.interp(time, b.time, b[name]) if interpolated else b[name][in_b]
            other = in_unit(f"'{name}' of b", other, b.units[name], a.units[name])
            differences[name] = _difference(name, a.units[name], time, other - a[name][in_a])
    return Comparison(
        time,
        differences,
        [name for name in a.names if name not in b],
        [name for name in b.names if name not in a],
        interpolated,
    )


def _difference(name: str, unit: str, time: Floats, values: Floats) -> Difference:
    sizes = np.abs(values)
    worst = int(np.argmax(sizes))  # a NaN counts as the largest: it must not hide
    rms = float(np.sqrt(np.mean(values**2)))
    return Difference(name, unit, values, float(sizes[worst]), float(time[worst]), rms)
