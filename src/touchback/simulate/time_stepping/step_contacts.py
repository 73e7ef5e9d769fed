"""The one call that runs a system with rigid contacts by time stepping."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from touchback.contact import ContactKind
from touchback.errors import InputError
from touchback.native import Chunks, Listening, Problem, Status
from touchback.native.contact.moreau_jean import MoreauJean, Steps
from touchback.recording import Run
from touchback.simulate.failure import RunFailed, interrupted
from touchback.simulate.inputs import Inputs, read_inputs
from touchback.simulate.plan import refuse_rows
from touchback.simulate.protocol import Floats, StateData
from touchback.simulate.rigid import described_contacts, is_real, overlaps, positive
from touchback.simulate.simulate import initial_state
from touchback.simulate.time_stepping.books import StepBooks
from touchback.system import System
from touchback.system.contact_equations import STEPPED, ContactEquations


def step_contacts(
    system: System,
    contacts: Mapping[str, ContactKind] | None = None,
    x0: StateData | ArrayLike | None = None,
    duration: float = 1.0,
    *,
    step: float = 1e-4,
    theta: float = 0.5,
    inputs: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Run:
    """The run of a system with rigid contacts by Moreau–Jean time stepping, every step recorded:
    those that its model describes, and those given by name.

    Besides the states it holds, of each contact by name, "… gap", and "… impulse" [N s] and
    "… friction impulse" (" 1", " 2" with two tangents) of the step that ends at each instant; the
    stored "energy", the cumulated "work" of forces, "friction loss" and "impact loss" [J]; and
    energy books, `run.books`. `inputs` and `parameters` are those of `simulate`; inputs count at
    t + θ·step. `run.metadata["remarks"]` says where contacts overlap at the start, and where
    impulses were found only roughly.
    """
    positive("step_contacts", step=step, duration=duration)
    count = round(duration / step)
    if count < 1:
        raise InputError(
            f"step_contacts: step {step} s is longer than the duration {duration} s; give one that "
            "fits."
        )
    if not is_real(theta) or not 0.0 <= theta <= 1.0:
        raise InputError(f"step_contacts: theta lies between 0 and 1, got {theta!r}.")
    known = described_contacts("step_contacts", system, contacts)
    equations = ContactEquations(system, known, parameters, STEPPED)
    width = len(system.state_names) + 3 * equations.layout.rows + len(system.input_names)
    refuse_rows(f"step_contacts: duration {duration:g} s", duration, step, width)
    given = read_inputs(system.input_names, system.input_defaults, inputs, duration)
    x = initial_state(system, x0, 0.0, given, parameters)
    about = {
        "model": system.name, "method": "moreau-jean", "duration": duration, "step": step,
        "theta": theta, "contacts": list(known), "inputs": given.texts,
        "parameters": dict(parameters or {}), "initial_state": x.tolist(),
    }  # fmt: skip
    stepper = _stepper(equations, given, x, step, theta)
    began = time.perf_counter()
    with Listening() as listening:
        status, steps = _advance(stepper, count)
    about["statistics"] = {
        "steps": len(steps.states), "seconds": time.perf_counter() - began, **stepper.statistics
    }  # fmt: skip
    run = _recorded(equations, x, steps, step, parameters, about)
    run.metadata["remarks"] = _remarks(run, equations, stepper.statistics["rough"])
    if abs(count * step - duration) > 1e-9 * duration:
        run.metadata["remarks"].append(
            f"The run ends at {count * step:.9g} s: steps of {step:g} s don't divide "
            f"{duration:g} s."
        )
    if listening.asked or isinstance(stepper.problem.raised, KeyboardInterrupt):
        raise interrupted(system.name, run) from stepper.problem.raised
    if stepper.problem.raised is not None:
        raise RunFailed(
            f"{system.name}: an input function raised {stepper.problem.raised!r} after "
            f"t = {run.time[-1]:.6g} s; mend the function. The run up to there is kept in `.run`.",
            run,
        ) from stepper.problem.raised
    if status == Status.NOT_FINITE:
        raise RunFailed(
            f"{system.name}: the state is no longer finite after t = {run.time[-1]:.6g} s; "
            "take a shorter step. The run up to there is kept in `.run`.",
            run,
        )
    if unsettled := stepper.statistics["unsettled"]:
        raise RunFailed(
            f"{system.name}: the impulses of {unsettled} steps did not settle; contacts that "
            "repeat each other with friction may have no solution: take some away, or lower the "
            "friction. "
            "The run is kept in `.run`.",
            run,
        )
    return run


def _advance(stepper: MoreauJean, count: int) -> tuple[Status, Steps]:
    """So many steps, or fewer, in chunks."""
    parts, chunks, status = [stepper.advance(0)[1]], Chunks(), Status.REACHED
    while count and status == Status.REACHED:
        status, steps = stepper.advance(min(count, chunks.next()))
        parts.append(steps)
        count -= len(steps.states)
    names = [field.name for field in fields(Steps)]
    return status, Steps(*(np.vstack([getattr(part, name) for part in parts]) for name in names))


def _remarks(run: Run, equations: ContactEquations, rough: int) -> list[str]:
    gaps = [run[f"{name} gap"][0] for name in equations.contacts]
    remarks = overlaps(equations.contacts, gaps, "it stays so deep until it is left.")
    if rough:
        remarks.append(
            f"In {rough} of {len(run.time) - 1} steps speeds at contacts keep their laws only to "
            "1e-5 of the largest: contacts that nearly repeat each other leave no more."
        )
    return remarks


def _stepper(
    equations: ContactEquations, given: Inputs, x: Floats, step: float, theta: float
) -> MoreauJean:
    functions = equations.stepped()
    problem = Problem(
        functions.smooth, functions.sizes, given.u, equations.block, equations.configuration_rate,
        given.refresher(),
    )  # fmt: skip
    return MoreauJean(functions, problem, x, 0.0, step, theta)


def _recorded(
    equations: ContactEquations,
    start: Floats,
    steps: Steps,
    step: float,
    parameters: Mapping[str, Any] | None,
    about: dict[str, Any],
) -> Run:
    """The run with every step, and its energy books."""
    system, layout = equations.system, equations.layout
    states = np.vstack([start, steps.states])
    signals = dict(zip(system.state_names, states.T))
    units = dict(zip(system.state_names, system.state_units))
    impulses = np.vstack([np.zeros(layout.rows), steps.impulses]).T
    for row, name in enumerate(system.constraint_names):
        signals[f"{name} impulse"], units[f"{name} impulse"] = impulses[row], ""
    times: Floats = np.arange(len(states), dtype=np.float64) * step
    gaps = equations.gaps(states, np.vstack([steps.inputs, steps.inputs[-1:]]), times)
    for i, name in enumerate(equations.contacts):
        signals[f"{name} gap"] = gaps[i]
        signals[f"{name} impulse"], units[f"{name} impulse"] = impulses[layout.normals[i]], "N s"
        for row, label, unit in layout.friction_labels(i):
            signals[f"{name} {label} impulse"] = impulses[row]
            units[f"{name} {label} impulse"] = unit
    books = StepBooks(equations, start, steps, step, parameters)
    energies = books.signals()
    signals.update(energies)
    units.update(dict.fromkeys(energies, "J"))
    return Run(times, signals, units, {**about, "books": books.books().as_data()})
