"""The one call that runs a system with rigid contacts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from touchback.contact import ContactKind
from touchback.errors import InputError
from touchback.recording import Run
from touchback.simulate.failure import RunFailed
from touchback.simulate.inputs import read_inputs
from touchback.simulate.protocol import Floats, StateData
from touchback.simulate.simulate import initial_state
from touchback.simulate.time_stepping.books import StepBooks
from touchback.simulate.time_stepping.equations import ContactEquations
from touchback.simulate.time_stepping.moreau_jean import moreau_jean
from touchback.system import System


def step_contacts(
    system: System,
    contacts: Mapping[str, ContactKind],
    x0: StateData | ArrayLike | None = None,
    duration: float = 1.0,
    *,
    step: float = 1e-4,
    theta: float = 0.5,
    inputs: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Run:
    """The run of a system with rigid contacts by Moreau–Jean time stepping, every step recorded.

    Besides the states it holds, of each contact by name, "… gap", and "… impulse" [N s] and
    "… friction impulse" (" 1", " 2" with two tangents) of the step that ends at each instant; the
    stored "energy", the cumulated "work" of forces, "friction loss" and "impact loss" [J]; and
    energy books, `run.books`. `inputs` and `parameters` are those of `simulate`; inputs count at
    t + θ·step.
    """
    if not (math.isfinite(step) and step > 0.0 and math.isfinite(duration) and duration > 0.0):
        raise InputError(f"step_contacts: step {step} and duration {duration} must be positive.")
    if not 0.0 <= theta <= 1.0:
        raise InputError(f"step_contacts: theta lies between 0 and 1, got {theta}.")
    equations = ContactEquations(system, contacts, parameters)
    given = read_inputs(system.input_names, system.input_defaults, inputs, duration)
    x = initial_state(system, x0)
    about = {
        "model": system.name, "method": "moreau-jean", "duration": duration, "step": step,
        "theta": theta, "contacts": list(contacts), "inputs": given.texts,
        "parameters": dict(parameters or {}), "initial_state": x.tolist(),
    }  # fmt: skip
    recorder = _Recorder(system, equations, parameters)
    u, count = given.u, round(duration / step)
    for k in range(count + 1):
        u[0] = (k + theta) * step
        given.refresh(u[0], x, u)
        at = equations.at(x, u)
        if k == 0:
            recorder.books.open(x, u)
        recorder.note_state(k * step, x, at.gap)
        if k == count:
            break
        taken = moreau_jean(equations, at, x, u, step, theta, recorder.impulses[-1])
        before, x = x, x + taken.change
        if not np.isfinite(x).all():
            raise RunFailed(
                f"{system.name}: the state is no longer finite after t = {k * step:.6g} s; "
                "take a shorter step. The run up to there is kept in `.run`.",
                recorder.run(about),
            )
        recorder.books.add(before, taken.change, u, step, taken.losses)
        recorder.impulses.append(taken.impulses)
    return recorder.run(about)


class _Recorder:
    """Rows of a run as they come, and the energy books."""

    def __init__(
        self, system: System, equations: ContactEquations, parameters: Mapping[str, Any] | None
    ) -> None:
        self.system, self.equations = system, equations
        self.books = StepBooks(
            system, list(equations.contacts), equations.starts, equations.rows, parameters
        )
        self.times: list[float] = []
        self.states: list[Floats] = []
        self.gaps: list[Floats] = []
        self.impulses: list[Floats] = [np.zeros(equations.rows)]
        self.totals: list[tuple[float, float, float, float]] = []

    def note_state(self, t: float, x: Floats, gap: Floats) -> None:
        self.times.append(t)
        self.states.append(x)
        self.gaps.append(gap)
        self.totals.append(self.books.totals())

    def run(self, metadata: dict[str, Any]) -> Run:
        n = len(self.times)
        time = np.array(self.times)
        states = np.array(self.states).T
        signals = dict(zip(self.system.state_names, states))
        units = dict(zip(self.system.state_names, self.system.state_units))
        gaps, impulses = np.array(self.gaps).T, np.array(self.impulses[:n]).T
        ends = [*self.equations.starts[1:], len(impulses)]
        for i, name in enumerate(self.equations.contacts):
            start = self.equations.starts[i]
            signals[f"{name} gap"] = gaps[i]
            for row in range(start, ends[i]):
                number = f" {row - start}" if ends[i] - start > 2 else ""
                label = "impulse" if row == start else f"friction impulse{number}"
                signals[f"{name} {label}"] = impulses[row]
                units[f"{name} {label}"] = "N s"
        books = dict(
            zip(("energy", "work", "impact loss", "friction loss"), np.array(self.totals).T)
        )
        signals.update(books)
        units.update(dict.fromkeys(books, "J"))
        metadata = {**metadata, "books": self.books.close().as_data()}
        return Run(time, signals, units, metadata)
