"""A simulator that rides along, whole: the buggy of the gallery, driven by a simulated board in a
process of its own, with the workbench's view open and somebody who looks on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

import touchback as tb
from benchmarks.page_clients import looking
from touchback import gallery, workbench
from touchback.devices.daq import SimulatedDriver
from touchback.gallery.instrumented_buggy import SERVED
from touchback.native.constrained.formulation_kinds import Formulation
from touchback.recording import Run


@dataclass(frozen=True)
class Way:
    """How the car is integrated, and how often."""

    name: str
    constraints: str | Formulation
    rate: float


#: Gallo's step and both of his formulations, and 1 kHz.
WAYS = (
    Way("augmented Lagrangian, index 3", "augmented-lagrangian", 200.0),
    Way("augmented Lagrangian, index 1", tb.Penalty(), 200.0),
    Way("augmented Lagrangian, index 1", tb.Penalty(), 1000.0),
    Way("partitioning", "partitioning", 1000.0),
)


@dataclass(frozen=True)
class Ride:
    """What was measured, times in s: `load` is the part of real time that steps take; `unsolved`
    the ticks whose loops stayed open; `loops` is the largest |h| of the suspension's loops [m], and
    `behind` how far the steering wheel is from its encoder's angle [rad, rms], both evaluated
    afterwards at each tick's state and inputs; `age` of the inputs that ticks used, with the
    filters' delays."""

    way: Way
    ticks: int
    late: int
    overruns: int
    step: float
    worst_step: float
    load: float
    unsolved: int
    loops: float
    behind: float
    age: float
    run: Run


@cache
def _buggy() -> tb.System:
    return gallery.make("buggy").compile()


def ride(way: Way, seconds: float) -> Ride:
    """So many seconds against the clock."""
    system = _buggy()
    live = tb.live(system, rate=way.rate, constraints=way.constraints, record=True)
    with SimulatedDriver() as driver, live, workbench.open(live) as bench:
        for name in SERVED:
            live.connect(name, driver)
        with looking(bench.url):
            live.run(seconds)
        report = live.report()
    run = live.recorded()
    steps, age = (report.histograms[name].summary() for name in ("step_time", "input_age"))
    q, v, u = (
        np.column_stack([run[name] for name in names])
        for names in (system.coordinates, system.velocities, system.input_names)
    )
    terms = system.terms(q[1:], v[1:], u[1:], run.time[1:])
    driven = np.array([name.startswith("hands") for name in terms.names])
    behind = terms.h[:, driven]
    counts = report.counts
    return Ride(
        way, counts["ticks"], counts["late"], counts["overruns"], steps["p50"] or 0.0,
        steps["max"] or 0.0, (steps["p50"] or 0.0) * way.rate, counts["open_loops"],
        float(np.abs(terms.h[:, ~driven]).max()), float(np.sqrt(np.mean(behind**2))),
        age["p50"] or 0.0, run,
    )  # fmt: skip
