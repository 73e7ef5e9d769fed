"""What was recorded, read for a fit: times, where each run began, inputs, and measured signals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from touchback.errors import InputError
from touchback.numbers import is_real
from touchback.recording import Run, unknown_name
from touchback.recording.measured.channel_units import in_unit
from touchback.simulate.initial_state import read_state
from touchback.simulate.inputs import Inputs, read_inputs
from touchback.simulate.protocol import InputData, Where
from touchback.system import System
from touchback.system.array_arguments import by_name

_LEAST = 3  # instants of a run


@dataclass(frozen=True)
class Recorded:
    """A run: its measured signals (times, signals), NaN where nothing was measured, the state it
    began in, parameters that it was made with, and inputs of which nothing is known."""

    time: np.ndarray
    measured: np.ndarray
    x0: np.ndarray
    given: Inputs
    parameters: dict[str, float]
    unfed: tuple[str, ...]


def read_runs(
    system: System,
    runs: Run | Sequence[Run],
    signals: Sequence[str],
    x0: Where | Sequence[Where],
    inputs: InputData | None,
    at: Mapping[str, float] | None,
) -> list[Recorded]:
    """Refused where a signal isn't there, or none of its samples is a number."""
    several = [runs] if isinstance(runs, Run) else list(runs) if isinstance(runs, Iterable) else []
    starts = _starts(x0, len(several))
    if not several or not all(isinstance(run, Run) for run in several):
        raise InputError("tb.identify: one run, or a list of runs, is expected.")
    if len(starts) != len(several):
        raise InputError(
            f"x0: {len(several)} runs need one state for all or as many as runs, got {len(starts)}."
        )
    fixed = by_name("at", at)
    for name in fixed:
        if name not in system.layout.parameters:
            raise unknown_name("parameter", name, system.layout.parameters)
    read = [
        _read(system, run, signals, start, inputs, fixed, f"Run {i + 1}")
        for i, (run, start) in enumerate(zip(several, starts, strict=True))
    ]
    seen = np.sum([np.isfinite(each.measured).sum(axis=0) for each in read], axis=0)
    for name, count in zip(signals, seen, strict=True):
        if not count:
            raise InputError(f"Signal '{name}': none of its samples is a number; leave it out.")
    return read


def unfed_inputs(runs: Sequence[Recorded]) -> list[str]:
    """A sentence for each input that some run neither recorded nor was given."""
    names = dict.fromkeys(name for run in runs for name in run.unfed)
    return [
        f"input '{name}' is neither in the record nor in `inputs`: the model's own value was taken"
        for name in names
    ]


def _starts(given: Any, runs: int) -> list[Where]:
    """One for each run: a list of states, or one state for all."""
    apart = isinstance(given, list | tuple) and not all(map(is_real, given))
    return list(given) if apart else [given] * runs


def _read(
    system: System,
    run: Run,
    signals: Sequence[str],
    x0: Where,
    inputs: InputData | None,
    at: Mapping[str, float],
    label: str,
) -> Recorded:
    time = run.time
    if len(time) < _LEAST or not np.isfinite(time).all() or not (np.diff(time) > 0.0).all():
        raise InputError(
            f"{label}: at least {_LEAST} instants are needed, finite, each later than the one "
            "before."
        )
    for name in signals:
        if name not in run.signals:
            raise InputError(f"{label}: {unknown_name('signal', name, run.signals)}")
    units = signal_units(system)
    measured = np.stack([_in_its_unit(run, name, units[name], label) for name in signals], axis=1)
    for name, column in zip(signals, measured.T, strict=True):
        if np.isinf(column).any():
            first = time[np.argmax(np.isinf(column))]
            raise InputError(
                f"{label}: signal '{name}' is infinite at {first:g} s; make samples that weren't "
                "measured NaN."
            )
    known = {**run.parameters, **at}
    known = {name: value for name, value in known.items() if name in system.layout.parameters}
    state = system.assemble() if x0 is None else x0
    begin, given = read_state(system, state), _inputs(system, run, inputs, label)
    unfed = tuple(name for name in system.input_names if name not in given.texts)
    return Recorded(time, measured, begin, given, known, unfed)


def _inputs(system: System, run: Run, inputs: InputData | None, label: str) -> Inputs:
    """Those that are given, then those that were recorded, then the model's own."""
    given = dict(by_name("inputs", inputs, "values"))
    for name, unit in zip(system.input_names, system.input_units, strict=True):
        if name in run.signals and name not in given:
            if not np.isfinite(run[name]).all():
                raise InputError(
                    f"{label}: the recorded input '{name}' has samples that are no numbers; give "
                    "it by inputs={…}, with these left out."
                )
            given[name] = (run.time, _in_its_unit(run, name, unit, label))
    return read_inputs(system, given, run.duration)


def signal_units(system: System) -> dict[str, str]:
    """Those of states and sensors."""
    states = zip(system.state_names, system.state_units, strict=True)
    return dict([*states, *zip(system.output_names, system.output_units, strict=True)])


def _in_its_unit(run: Run, name: str, unit: str, label: str) -> np.ndarray:
    """A recorded signal in the unit of the model, where the record has one."""
    return in_unit(f"{label}: '{name}'", run[name], run.units.get(name, ""), unit)
