"""A mechanism and FMUs of others, side by side: they exchange at equal communication steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack

import numpy as np
from numpy.typing import ArrayLike

from touchback import Run, System
from touchback.errors import InputError
from touchback.interop.fmi.fmu_instance import Fmu, Instance
from touchback.names import unknown
from touchback.native import FixedStep as Stepper, Status
from touchback.numbers import Floats, InputData, by_name, positive_number, shown
from touchback.simulate import (
    Capability,
    Failure,
    FixedStep,
    Label,
    Numbers,
    Span,
    StateData,
    formulation_for,
    initial_state,
    not_finite,
    raise_failure,
    read_inputs,
    refuse_model,
    refuse_rows,
    signal_labels,
    solver_for,
    use_ticks,
    whole_multiple,
)
from touchback.system import IntegrationProblem

Wires = Mapping[str, str]


def couple(
    system: System,
    units: Mapping[str, Fmu],
    wires: Wires,
    x0: StateData | ArrayLike | None = None,
    duration: float = 1.0,
    *,
    every: float = 1e-3,
    step: float | None = None,
    method: str = "rk4",
    inputs: InputData | None = None,
    parameters: Numbers | None = None,
    start: float = 0.0,
) -> Run:
    """The run of a mechanism together with FMUs: loads, drives or controllers of others.

    `units` names them. A wire leads to each input from what it is given:
    `{"motor torque": "engine/torque", "engine/speed": "crank rate"}`, where "engine/torque" is the
    variable "torque" of the unit "engine", and other names are the system's: inputs to the left,
    states, sensors and inputs to the right. Both sides exchange `every` so many seconds and go on
    by themselves in between, the mechanism in steps of `step` (default: one) by a fixed-step
    `method`, with what they were given held: so errors are of the order of `every`.

    Why a unit refuses is in the error, and what units logged otherwise, such as warnings, in
    `run.metadata["diagnostics"]`: the newest few of each.

    It runs offline only: a live run would have to wait for code that promises no time."""
    refuse_model("tb.couple", system)
    units, wires = by_name("units", units, "FMUs"), by_name("wires", wires, "signals")
    span, board = Span(start, duration), _Board(system, units, wires)
    every = positive_number("every", every)
    step = step or every
    solver = solver_for(
        system, method, formulation_for(method, None), Capability(0), {"step": step}
    )
    count, between = whole_multiple(duration, every), whole_multiple(every, step)
    if not isinstance(solver, FixedStep) or count is None or between is None:
        raise InputError(
            f"tb.couple: the duration {duration:g} s is to be a multiple of every={every:g} s, "
            f"that one of the step, {step:g} s, and the method, '{method}', one of fixed steps."
        )
    refuse_rows(duration, every, len(system.state_names) + len(board.recorded))
    given, changed = read_inputs(system, inputs, span.end), by_name("parameters", parameters)
    posed = system.problem(formulation_for(method, None), changed, given, method=solver.word)
    use_ticks(system, posed, solver)
    board.own = signal_labels(system, posed)
    x = initial_state(system, x0, start, given, changed)
    run = Stepper(posed.problem, solver.word, x, start, step)
    with ExitStack() as running:
        board.begin(running, start)
        table, failure = _exchanged(board, posed, run, (start, every, count, between))
    about = {
        "model": system.name, "duration": duration, "method": solver.word, "step": step,
        "every": every, "units": {name: unit.path.name for name, unit in units.items()},
        "wires": wires, "parameters": changed, "diagnostics": board.diagnostics(),
        "statistics": {"steps": run.steps, **posed.statistics},
    }  # fmt: skip
    names = board.names
    signals = dict(zip(names, table[:, 1:].T, strict=True))
    found = Run(table[:, 0], signals, names, about)
    found.model = system.model
    raise_failure(system.name, solver.word, span, found, posed.problem, failure)
    return found


def _exchanged(
    board: _Board, posed: IntegrationProblem, run: Stepper, plan: tuple[float, float, int, int]
) -> tuple[Floats, Failure | None]:
    """A row at each communication point, [t, states, inputs, multipliers, sensors, units], up to
    the end or to a failure."""
    start, every, count, between = plan
    rows = []
    for k in range(count + 1):
        t = start + k * every
        board.give(posed.problem.u)
        own = posed.rows(np.array([t]), run.x[None, :], board.sensors)[0]
        rows.append(np.concatenate([[t], run.x, own, board.shown()]))
        if k == count:
            break
        board.take(np.append(run.x, own), t, every)
        status, _ = run.advance(between, between)
        if status != Status.REACHED:
            mend = "take shorter steps, and check what the FMUs give"
            states = [name for kind, name, _ in board.own if kind == "state"]
            bad = not_finite(posed.problem, states, run.t, run.x, run.bad, mend)
            return np.array(rows), bad
    return np.array(rows), None


class _Board:
    """Where the wires of a mechanism and of units end."""

    def __init__(self, system: System, units: Mapping[str, Fmu], wires: Wires) -> None:
        for label, unit in units.items():
            if not isinstance(unit, Fmu):
                raise InputError(f"Unit '{label}': a tb.Fmu is expected, got {shown(unit)}.")
        self._units, self._wires = units, wires
        self.sensors = len(system.output_names)
        self.own: list[Label] = []  # the mechanism's signals, in the order of a row
        inputs = list(system.input_names)
        self._places = {name: 1 + i for i, name in enumerate(inputs)}
        for target, source in self._wires.items():
            self._check(target, self._places, "input")
            self._check(source, [*system.state_names, *inputs, *system.output_names], "signal")
        self.recorded = [
            (f"{label}/{name}", unit.signals[name].unit)
            for label, unit in self._units.items()
            for name in unit.outputs
        ]
        self._running: dict[str, Instance] = {}
        self._values: dict[str, float] = {}

    def _check(self, name: str, own: Iterable[str], kind: str) -> None:
        unit, variable = self._split(name)
        if unit is None:
            if name not in own:
                raise InputError(str(unknown(kind, name, [*own, *self._units], where="wires")))
        elif kind == "input" and self._units[unit].signal(variable).causality != "input":
            raise InputError(f"Wire to '{name}': that is no input of {self._units[unit]!r}.")
        else:
            self._units[unit].signal(variable)

    def _split(self, name: str) -> tuple[str | None, str]:
        """The unit and its variable; None and the name for one of the system's own."""
        for unit in self._units:
            if name.startswith(f"{unit}/"):
                return unit, name[len(unit) + 1 :]
        return None, name

    def begin(self, running: ExitStack, t: float) -> None:
        """Makes the instances."""
        for label, unit in self._units.items():
            self._running[label] = running.enter_context(unit.running(label, t))
        self._look()

    def _look(self) -> None:
        """What the units show now."""
        for label, unit in self._units.items():
            wanted = dict.fromkeys(unit.outputs)
            for source in self._wires.values():
                owner, variable = self._split(source)
                if owner == label:
                    wanted[variable] = None
            found = self._running[label].get(list(wanted))
            self._values |= {f"{label}/{name}": x for name, x in zip(wanted, found, strict=True)}

    @property
    def names(self) -> dict[str, str]:
        """Of everything in a row after the time, with its unit; what is called like something else
        gets its kind."""
        found: dict[str, str] = {}
        for kind, name, unit in [*self.own, *(("unit", *each) for each in self.recorded)]:
            found[f"{name} ({kind})" if name in found else name] = unit
        return found

    def diagnostics(self) -> list[str]:
        """What the units logged, such as warnings."""
        return [
            f"FMU '{label}' logged: {text}"
            for label, it in self._running.items()
            for text in it.logged
        ]

    def give(self, u: Floats) -> None:
        """To the mechanism's inputs."""
        for target, source in self._wires.items():
            if target in self._places and source in self._values:
                u[self._places[target]] = self._values[source]

    def shown(self) -> Sequence[float]:
        """What is recorded of the units."""
        return [self._values[name] for name, _ in self.recorded]

    def take(self, row: Floats, t: float, h: float) -> None:
        """Gives the units what the mechanism and other units show, and lets them go on."""
        given: dict[str, dict[str, float]] = {label: {} for label in self._units}
        places = {name: i for i, (_, name, _) in reversed(list(enumerate(self.own)))}
        for target, source in self._wires.items():
            owner, variable = self._split(target)
            if owner is not None:
                known = self._values.get(source)
                given[owner][variable] = float(row[places[source]]) if known is None else known
        for label, values in given.items():
            self._running[label].set(values)
            self._running[label].step(t, h)
        self._look()
