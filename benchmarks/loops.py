"""Closed loops beside MuJoCo, Exudyn and Pinocchio: time a step, gaps in loops, energy."""

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.engines.build import Unavailable
from benchmarks.engines.loop_engine import LoopEngine, Quality
from benchmarks.engines.loops_exudyn import Exudyn
from benchmarks.engines.loops_mujoco import MuJoCo
from benchmarks.engines.loops_pinocchio import Pinocchio
from benchmarks.engines.loops_touchback import Ours
from benchmarks.planar_loops import PlanarLoops, andrews, crank_rocker, four_bars, slider_crank
from benchmarks.report import ROOT, Section, Target, microseconds

Make = Callable[..., LoopEngine]

OURS: tuple[Make, ...] = (
    Ours,
    partial(Ours, formulation="projection"),
    partial(Ours, formulation="projection", method="euler"),
)
PEERS: tuple[Make, ...] = (
    partial(MuJoCo, integrator="RK4"),
    partial(MuJoCo, integrator="implicitfast"),
    Exudyn,
    Pinocchio,
)
TURNS, TURN = 5, 0.1  # how often each engine gets its turn, and its seconds
LOOKS = 1000  # how often a run is looked at for gaps and energy
PATIENCE = 20.0  # seconds that a run for gaps and energy may take
SIZES = (1, 4, 10, 40, 100, 400)
# Four-bars beside peers; Pinocchio's dense solver runs out of memory with 400.
BESIDE_PEERS: dict[int, tuple[Make, ...]] = {1: PEERS, 40: PEERS, 400: PEERS[:-1]}
LINEAR = 1.15  # exponent of cost against N that still counts as linear


def run() -> Section:
    """Every mechanism in every engine."""
    section = Section(
        "Closed loops",
        ["mechanism, step; engine", "µs a step", "median", "×", "|h| m", "energy"],
    )
    for make in (crank_rocker, slider_crank):
        for step in (1e-3, 1e-4):
            _compare(section, make(), step, 10.0)
    _crank_rocker_targets(section)
    for step in (1e-5, 1e-6):
        _compare(section, andrews(), step, 0.03)
    costs = {count: _four_bars(section, count) for count in SIZES}
    _linear(section, costs)
    _worst_tick(section)
    section.remark(
        "Best and median of interleaved turns. × is the engine's best over ours with partitioning. "
        "|h|: the largest gap between points that a loop ties. Energy: its largest change as a "
        "part of the largest kinetic energy. Both over 10 s (0.03 s for Andrews; less where that "
        f"would take more than {PATIENCE:.0f} s, marked *)."
    )
    section.remark(
        "Four-bars of equal bars are linear in relative angles and singular twice a turn: their "
        "|h| says nothing about a formulation. The branch taken is that of parallelograms."
    )
    return section


def _engines(
    section: Section, mechanism: PlanarLoops, step: float, makes: tuple[Make, ...]
) -> list[LoopEngine]:
    system = mechanism.model().compile()
    state = mechanism.start(system)
    engines = []
    for make in makes:
        try:
            engines.append(make(mechanism, system, state, step))
        except Unavailable as reason:
            label = getattr(make, "func", make).__name__
            section.remark(f"{label}, {mechanism.name}: {reason}.")
    return engines


def _compare(section: Section, mechanism: PlanarLoops, step: float, duration: float) -> None:
    engines = _engines(section, mechanism, step, OURS + PEERS)
    _rows(section, mechanism, step, duration, engines)


def _rows(
    section: Section,
    mechanism: PlanarLoops,
    step: float,
    duration: float,
    engines: list[LoopEngine],
) -> dict[str, float]:
    """A row for each engine; the best times a step."""
    timings = _interleaved(section, mechanism, engines)
    own = timings[engines[0].name]
    section.rows.append([f"{mechanism.name}, {step:g} s", *[""] * 5])
    for engine in engines:
        if engine.name in timings:
            _row(section, mechanism, step, duration, engine, timings[engine.name], own)
    return {name: min(seconds) for name, seconds in timings.items()}


def _interleaved(
    section: Section, mechanism: PlanarLoops, engines: list[LoopEngine]
) -> dict[str, list[float]]:
    """Seconds a step in each turn, of the engines that get through all of them."""
    steps = {engine.name: 3 for engine in engines}
    seconds: dict[str, list[float]] = {engine.name: [] for engine in engines}
    for turn in range(TURNS + 1):  # the first tells how many steps a turn holds
        for engine in [engine for engine in engines if engine.name in seconds]:
            try:
                found = engine.seconds(steps[engine.name])
            except Unavailable as reason:
                section.remark(f"{engine.name}, {mechanism.name}: {reason}.")
                del seconds[engine.name]
                continue
            if turn:
                seconds[engine.name].append(found)
            else:
                steps[engine.name] = max(3, int(TURN / max(found, 1e-7)))
    return seconds


def _row(
    section: Section,
    mechanism: PlanarLoops,
    step: float,
    duration: float,
    engine: LoopEngine,
    seconds: list[float],
    own: list[float],
) -> None:
    best, ratio = min(seconds), min(seconds) / min(own)
    wanted = round(duration / step)
    steps = int(min(wanted, PATIENCE / best))
    every = max(1, steps // LOOKS)
    try:
        found = engine.quality(steps // every * every, every)
    except Unavailable as reason:  # as peers may at the singular positions of four-bars
        section.remark(f"{engine.name}, {mechanism.name}: {reason}.")
        found = Quality(math.nan, math.nan)
    short = "" if steps == wanted else " *"
    section.rows.append(
        [f"  {engine.name}", microseconds(best),
         microseconds(float(np.median(seconds))), f"{ratio:.1f}",
         f"{found.gap:.0e}{short}", f"{found.energy:.0e}{short}"]
    )  # fmt: skip
    section.records.append(
        {"mechanism": mechanism.name, "step": step, "engine": engine.name, "best": best,
         "median": float(np.median(seconds)), "ratio": ratio, "gap": found.gap,
         "energy": found.energy, "steps": steps, "note": engine.note}
    )  # fmt: skip
    if engine.note:
        section.remark(f"{engine.name}: {engine.note}.")


def _crank_rocker_targets(section: Section) -> None:
    known = {
        record["engine"]: record
        for record in section.records
        if record["mechanism"] == "crank-rocker" and record["step"] == 1e-3
    }
    peer = known.get("MuJoCo RK4")
    for formulation in ("partitioning", "projection"):
        own = known[f"Touchback {formulation}"]
        what = f"crank-rocker, 10 s at 1 ms, {formulation}"
        gap = own["gap"]
        section.targets.append(Target(f"{what}, |h|", "1e-12 m", f"{gap:.0e} m", gap <= 1e-12))
        if peer is not None:
            ratio = peer["best"] / own["best"]
            section.targets.append(
                Target(f"{what}, against MuJoCo RK4", "10× faster", f"{ratio:.1f}×", ratio >= 10)
            )


def _four_bars(section: Section, count: int) -> float:
    """Seconds a step of ours."""
    mechanism, step = four_bars(count), 1e-3
    makes = OURS + BESIDE_PEERS[count] if count in BESIDE_PEERS else OURS[:1]
    if count == 400:
        section.remark("Pinocchio, 400 four-bars: its dense constraint solver runs out of memory.")
    best = _rows(section, mechanism, step, 10.0, _engines(section, mechanism, step, makes))
    if count == 40:
        # Like with like: four evaluations a step, or one.
        for own, peer in (
            ("Touchback partitioning", "MuJoCo RK4"),
            ("Touchback projection, euler", "MuJoCo implicitfast"),
        ):
            if peer in best:
                ratio = best[peer] / best[own]
                section.targets.append(
                    Target(f"40 four-bars, {own} against {peer}", "5× faster", f"{ratio:.1f}×",
                           ratio >= 5.0)
                )  # fmt: skip
    return best["Touchback partitioning"]


def _linear(section: Section, costs: dict[int, float]) -> None:
    sizes = np.array(list(costs))
    seconds = np.array(list(costs.values()))
    large = sizes >= 10
    exponent = float(np.polyfit(np.log(sizes[large]), np.log(seconds[large]), 1)[0])
    section.targets.append(
        Target("cost of N four-bars, N = 10 to 400", "linear in N", f"N^{exponent:.2f}",
               exponent <= LINEAR)
    )  # fmt: skip
    shown = ", ".join(f"{n}: {1e6 * s / n:.2f}" for n, s in costs.items())
    section.remark(f"µs a step and four-bar, by N: {shown}.")
    try:
        section.remark(f"Cost against N: {_plot(sizes, seconds).relative_to(ROOT)}.")
    except ImportError:
        section.remark("No plot of cost against N: matplotlib is not installed.")


def _plot(sizes: Any, seconds: Any) -> Path:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3.5), layout="constrained")
    axes = figure.subplots()
    axes.loglog(sizes, 1e6 * seconds, "o-", label="Touchback, partitioning, RK4")
    axes.loglog(sizes, 1e6 * seconds[-1] / sizes[-1] * sizes, ":", label="linear")
    axes.set(xlabel="N four-bars", ylabel="µs a step")
    axes.legend()
    file = ROOT / "results" / "loops-cost.png"
    file.parent.mkdir(exist_ok=True)
    figure.savefig(file, dpi=120)
    return file


def _worst_tick(section: Section) -> None:
    """Wang's objection to partitioning: what a tick costs in which the independent set changes."""
    for mechanism in (crank_rocker(), four_bars(1), four_bars(40)):
        system = mechanism.model().compile()
        ticks = Ours(mechanism, system, mechanism.start(system), 1e-3).ticks(2000, 5)
        seconds, chosen = ticks.seconds[1:], ticks.chosen[1:]  # the first choice is the start's
        usual = float(np.median(seconds[~chosen]))
        changed = float(seconds[chosen].max(initial=0.0))
        section.remark(
            f"{mechanism.name}, 2000 ticks of 1 ms one by one, each the least of 5 equal runs: "
            f"usual {microseconds(usual)} µs; the {chosen.sum()} in which the independent set "
            f"changes: {microseconds(changed)} µs at most."
        )
        section.records.append(
            {"mechanism": mechanism.name, "usual tick": usual, "worst changing tick": changed,
             "changes": int(chosen.sum())}
        )  # fmt: skip
