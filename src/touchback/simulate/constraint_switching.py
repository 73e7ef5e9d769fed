"""Constraints switched while a run goes on: each set of active constraints is a mode of its own.

A run with switches is a row of runs. Between two of them the state is made consistent with the new
mode: positions with the least change, velocities by the impulses of the new constraints,
v⁺ = v + M⁻¹ Jᵀ Λ with J v⁺ = b, so that what is lost is the kinetic energy of the impact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.native import Problem
from touchback.numbers import MOST, Floats, Input, InputData, keep, number_within, shown
from touchback.recording import EnergyBalance, Run
from touchback.simulate.drive_jumps import RateJump, jump_diagnostics
from touchback.simulate.event_monitor import Event
from touchback.simulate.input_signals import read_inputs
from touchback.simulate.run_failure import RunFailed, RunInterrupted
from touchback.simulate.run_spec import RunSpec
from touchback.simulate.time_span import Span
from touchback.system import System

_ROUNDING = 4.0 * np.finfo(float).eps  # of times
_ON_GRID = 1e-6  # of a step: instants closer than this are the same
_LARGEST = ("largest_h", "worst_choice", "iterations_most", "iterations_last", "step")


@dataclass(frozen=True)
class Switch:
    """Constraints to `activate` and `deactivate` at a time [s], or when an event happens first."""

    at: float | Event
    activate: Sequence[str] = ()
    deactivate: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.at, Event):
            sentence = "Switch: at is a time [s], or a tb.Event(…)"
            keep(self, at=number_within(sentence, self.at, -MOST, MOST))
        for word, names in (("activate", self.activate), ("deactivate", self.deactivate)):
            if isinstance(names, str):
                raise InputError(
                    f"Switch: {word} takes several names; give [{names!r}], not {names!r}."
                )


def read_events(given: object) -> Sequence[Event | Switch]:
    """Several events and switches, as a run takes them."""
    if isinstance(given, Event | Switch):
        raise InputError(f"events: several are expected; give [{type(given).__name__}(…)].")
    each = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    known = [one for one in each if isinstance(one, Event | Switch)]
    if len(known) < len(each):
        raise InputError(
            f"events: a sequence of tb.Event(…) and tb.Switch(…) is expected, got {shown(given)}."
        )
    return known


def simulate_switched(
    simulate: Callable[..., Run],
    spec: RunSpec,
    happenings: Sequence[Event | Switch],
    inputs: InputData | None,
    about: Mapping[str, object],
    jumps: Sequence[RateJump],
    later_jumps: Callable[[RunSpec], Sequence[RateJump]],
    grid: Iterable[float],
) -> Run:
    """The runs between switches, and between `jumps` of drives, as one, which tells `about` what
    was asked; the system keeps its constraints and parameters. `simulate` runs what is asked of a
    part; `later_jumps` are those of a rest, in which other drives may act. After a jump steps and
    rows return to multiples of the times of a `grid` [s]."""
    if not spec.system.constrained:
        raise InputError(f"{spec.system.name}: it has no constraints to switch.")
    system, span = spec.system.independent_copy(), spec.span
    switches = [each for each in happenings if isinstance(each, Switch)]
    events = [each for each in happenings if isinstance(each, Event)]
    timely = _timed(inputs, span.end)
    given = read_inputs(system, timely, span.end)
    timed = [(at, switch) for switch in switches if not isinstance(at := switch.at, Event)]
    waiting = _waiting(timed, span, jumps, grid)
    impulses: Problem | None = None  # what applies them, while the same constraints act
    whole = None if switches else span
    on_event = {at.name: (at, switch) for switch in switches if isinstance(at := switch.at, Event)}
    runs: list[Run] = []
    going_on: set[int] = set()  # runs whose first rows are the last ones of those before
    done: list[dict[str, Any]] = []
    passed: list[tuple[RateJump, float]] = []  # with the energy that the impulse gave [J]
    t, x, (nq, nv, _) = span.start, spec.x0, system.sizes
    rounding = _ROUNDING * max(abs(span.start), abs(span.end))
    for name, number in spec.parameters.items():
        system[name] = number
    last = _last_before(span, jumps)
    while t < last:
        until = min(waiting[0][0] if waiting else np.inf, last)
        if until > t:
            watched = [
                *events,
                *(replace(event, terminal=True) for event, _ in on_event.values()),
            ]
            try:
                part = replace(
                    spec,
                    system=system,
                    span=Span(t, until - t, whole),
                    inputs=given,
                    events=watched,
                    x0=x,
                )
                runs.append(simulate(part))
            except (RunFailed, RunInterrupted) as error:
                error.run = _joined([*runs, error.run], going_on, done, about, passed)
                raise
            t, x = float(runs[-1].time[-1]), _last_state(system, runs[-1])
        if runs and t < until - rounding:
            switch: Switch | RateJump | None = on_event.pop(runs[-1].events[-1].name, (None,) * 2)[
                1
            ]
            if switch is None:  # an event of the user's that ends the run
                break
        elif waiting and waiting[0][0] <= t + rounding:
            switch = waiting.pop(0)[1]
        else:
            break
        if switch is None:
            going_on.add(len(runs))
        elif isinstance(switch, RateJump):
            t, before = switch.time, x
            impulses = impulses or system.problem(spec.constraints, spec.parameters, given).problem
            x = impulses.project(t, x)
            given_energy = system.stored_energy(x, spec.parameters, t)
            given_energy -= system.stored_energy(before, spec.parameters, t)
            if (x[nq : nq + nv] != before[nq : nq + nv]).any():  # else no mode that acts has it
                passed.append((switch, given_energy))
        else:
            impulses = None
            system.deactivate(*switch.deactivate)
            system.activate(*switch.activate)
            x, lost = system.consistent(x, t, given.at(t, x)[1:])
            done.append({"time": t, "activate": list(switch.activate),
                         "deactivate": list(switch.deactivate), "energy lost": lost})  # fmt: skip
            timed = [(at, each) for at, each in waiting if isinstance(each, Switch)]
            if t < span.end:
                rest = replace(spec, system=system, span=Span(t, span.end - t), inputs=given, x0=x)
                jumps = later_jumps(rest)
                waiting, last = _waiting(timed, span, jumps, grid), _last_before(span, jumps)
    if last < span.end and t == last:
        runs[-1].time[-1] = span.end
    return _joined(runs, going_on, done, about, passed)


def _waiting(
    switches: Iterable[tuple[float, Switch]],
    span: Span,
    jumps: Sequence[RateJump],
    grid: Iterable[float],
) -> list[tuple[float, Switch | RateJump | None]]:
    """What happens at which times, in their order; None: a part ends on the grid."""
    found: list[tuple[float, Switch | RateJump | None]] = [
        *switches,
        *((each.before, each) for each in jumps if each.time < span.end),
        *((at, None) for at in _returns(span, jumps, grid)),
    ]
    return sorted(found, key=lambda pair: pair[0])


def _last_before(span: Span, jumps: Sequence[RateJump]) -> float:
    """The end of a span, or the last instant before what jumps there."""
    return min((each.before for each in jumps if each.time >= span.end), default=span.end)


def _returns(span: Span, jumps: Sequence[RateJump], grid: Iterable[float]) -> list[float]:
    """The first instants of a grid after jumps that lie beside it."""
    found = set()
    for each in jumps:
        for step in grid:
            steps = (each.time - span.start) / step
            if abs(steps - round(steps)) > _ON_GRID:
                found.add(span.start + float(np.ceil(steps)) * step)
    return [at for at in found if at < span.end]


def _timed(inputs: InputData | None, end: float) -> dict[str, Input]:
    """Samples spread over the whole run with their times, so that every part of it agrees."""
    found = dict(inputs or {})
    for name, given in found.items():
        if not callable(given) and np.ndim(cast(ArrayLike, given)) == 1:
            values = np.asarray(given)
            found[name] = np.linspace(0.0, end, len(values)), values
    return found


def _last_state(system: System, run: Run) -> Floats:
    return np.array([run[name][-1] for name in system.state_names])


def _joined(
    runs: list[Run],
    going_on: Set[int],
    switches: list[dict[str, Any]],
    settings: Mapping[str, object],
    jumps: Sequence[tuple[RateJump, float]],
) -> Run:
    """One run; rows that rest have no multiplier, which is zero."""
    names = list(dict.fromkeys(name for run in runs for name in run.names))
    kept = [slice(i in going_on, None) for i in range(len(runs))]

    def rows(name: str) -> Floats:
        each = (run.signals.get(name, np.zeros(len(run.time))) for run in runs)
        return np.concatenate([own[part] for own, part in zip(each, kept, strict=True)])

    signals = {name: rows(name) for name in names}
    units = {name: unit for run in runs for name, unit in run.units.items()}
    about = {**runs[0].metadata, **settings, "statistics": _statistics(runs)}
    if switches or not jumps:
        about["switches"] = switches
    said = [
        *(x for run in runs for x in run.metadata["diagnostics"]),
        *jump_diagnostics([each for each, _ in jumps]),
    ]
    about["diagnostics"] = list(dict.fromkeys(said))
    about |= _inputs_of(runs)
    about["duration"] = float(runs[-1].time[-1] - runs[0].time[0])
    about["events"] = [record.as_data() for run in runs for record in run.events]
    if "transitions" in about:
        about["transitions"] = [each.as_data() for run in runs for each in run.transitions]
    if "energy_balance" in about:
        parts = [run.energy_balance for run in runs]
        parts += [_impact(_label(each), each["energy lost"]) for each in switches]
        parts += [
            EnergyBalance(work={"jumps of drives": given}, stored={"kinetic": given})
            for _, given in jumps
        ]
        about["energy_balance"] = EnergyBalance.joined(parts).as_data()
    times = np.concatenate([run.time[part] for run, part in zip(runs, kept, strict=True)])
    joined = Run(times, signals, units, about)
    joined.model = runs[0].model
    return joined


def _statistics(runs: list[Run]) -> dict[str, float]:
    """Of all runs together: the largest of what is a largest, the sum of what counts."""
    found = [run.metadata["statistics"] for run in runs]
    return {
        name: (max if name in _LARGEST else sum)(each.get(name, 0) for each in found)
        for name in dict.fromkeys(name for each in found for name in each)
    }


def _inputs_of(runs: list[Run]) -> dict[str, object]:
    """How many knots there were, and impulses of inputs, of all runs together."""
    found: dict[str, object] = {}
    if knots := sum(run.metadata.get("knots", 0) for run in runs):
        found["knots"] = knots
    each = [run.metadata["input_impulses"] for run in runs if "input_impulses" in run.metadata]
    if each:
        found["input_impulses"] = {
            name: {word: sum(one[name][word] for one in each) for word in first}
            for name, first in each[0].items()
        }
    return found


def _label(switch: dict[str, Any]) -> str:
    names = [*(f"+{x}" for x in switch["activate"]), *(f"-{x}" for x in switch["deactivate"])]
    return f"switch {' '.join(names)}"


def _impact(name: str, lost: float) -> EnergyBalance:
    return EnergyBalance(stored={"kinetic": -lost}, impacts={name: lost})
