"""Batches: many chains at once by semi-implicit Euler, in lanes and on threads, beside MuJoCo's; of
mechanisms with constraints, modes and rigid contacts beside runs of their own."""

import os
from collections import defaultdict
from time import perf_counter, process_time
from typing import Any

import numpy as np

import touchback as tb
from benchmarks.engines.build import Unavailable
from benchmarks.mechanisms import Mechanism, make
from benchmarks.report import Section, microseconds
from tests.piles import pile
from touchback.batch import Batch, simd as in_lanes
from touchback.codegen import native_lanes, native_widths

SIZES = (7, 30)
TURNS = 7
STEP = 1e-4
STEPS = 500
WORK = 3_600_000  # joints and steps of a turn, so that eight lanes take some 50 ms
PEER_SHARE = 16  # of our instances MuJoCo runs one in so many
MODES = {"ball": 1e-3, "piano-modes": 2e-4}  # mechanisms, of the gallery but the first: step [s]
TIED = {"crank-rocker": 1e-3, "stewart-platform": 1e-3, "piano": 1e-4}  # of the gallery: step [s]
PILES = ((1, 1), (3, 3))  # balls a side, and layers
PILE_STEP, PILE_STEPS = 1e-3, 100  # s
TIED_STEPS, TIED_COUNT, TIED_ALONE = 1000, 100, 5  # of a run; instances, and runs of their own


def run() -> Section:
    """µs a step of one instance, of processor time: the least of interleaved turns."""
    several = native_widths()[1:]
    columns = ["joints", "one lane"]
    for lanes in several:
        columns += [f"{lanes} lanes", "×"]
    columns += ["threads, ×", "on free cores, ×", "MuJoCo", "×"]
    section = Section("Batches: µs a step of one instance (semi-implicit Euler)", columns)
    cores = len(os.sched_getaffinity(0))
    for size in SIZES:
        mechanism = make("chain", size)
        batch = mechanism.model().compile().batch(WORK // (size * STEPS) // 64 * 64)
        best = _least(batch, mechanism, cores)
        one, most = best["1 lanes"], best[f"{native_lanes()} lanes"]
        row = [str(size), microseconds(one)]
        for lanes in several:
            row += [microseconds(best[f"{lanes} lanes"]), f"{one / best[f'{lanes} lanes']:.2f}"]
        row += _by_threads(best, cores, most)
        peer = best.get("MuJoCo")  # where it is installed
        row += [microseconds(peer), f"{peer / most:.1f}"] if peer else ["–", "–"]
        section.rows.append(row)
        section.records.append({"joints": size, "cores": cores, **best})
    section.remark(
        f"Processor time. Threads, one on each of {cores} cores: what the clock gained, and what "
        "it gains where nobody else uses them, as the threads' processor time has it. MuJoCo: "
        "`mujoco.rollout` on one thread, its Euler without constraints and contacts."
    )
    return section


def _by_threads(best: dict[str, float], cores: int, one: float) -> list[str]:
    """What the clock gained by a thread on each core, and what it gains on free ones."""
    if cores == 1:
        return ["–", "–"]
    clock = best["clock, 1"] / best["clock, all"]
    return [f"{clock:.2f}", f"{cores * one / best['all cores']:.2f}"]


def _least(batch: Batch, mechanism: Mechanism, cores: int) -> dict[str, float]:
    x0 = np.random.default_rng(5).normal(size=(batch.count, 2 * mechanism.size))
    best: dict[str, float] = defaultdict(lambda: float("inf"))
    share = batch.count // PEER_SHARE
    peer = _mujoco(mechanism, x0[:share])
    ends: dict[str, Any] = {}
    ways = [(f"{lanes} lanes", lanes, 1) for lanes in native_widths()]
    for _ in range(TURNS):
        for name, lanes, threads in (*ways, ("all cores", native_lanes(), cores)):
            began = process_time()
            seconds, ends[name] = _ours(batch, x0, lanes, threads)
            best[name] = min(best[name], process_time() - began)
            if lanes == native_lanes():
                clock = "clock, 1" if threads == 1 else "clock, all"
                best[clock] = min(best[clock], seconds)
        if peer is not None:
            began = process_time()
            ends["MuJoCo"] = peer()
            best["MuJoCo"] = min(best["MuJoCo"], (process_time() - began) * PEER_SHARE)
    alone = ends["1 lanes"]
    if not all(np.array_equal(alone, ends[name]) for name in ends if name != "MuJoCo"):
        raise ArithmeticError("Lanes and threads change results.")
    if peer is not None and not np.allclose(ends["MuJoCo"], alone[:share], rtol=1e-4, atol=1e-4):
        raise ArithmeticError("MuJoCo's chains end elsewhere.")
    return {name: seconds / STEPS / batch.count for name, seconds in best.items()}


def _ours(batch: Batch, x0: Any, lanes: int, threads: int) -> tuple[float, Any]:
    """With code for so many lanes."""
    usual, in_lanes.native_lanes = in_lanes.native_lanes, lambda: lanes
    try:
        began = perf_counter()
        ran = batch.run(
            x0, STEPS * STEP, method="euler", step=STEP, output_step=STEPS * STEP, threads=threads,
            progress=False, record=(),
        )  # fmt: skip
        return perf_counter() - began, ran.x
    finally:
        in_lanes.native_lanes = usual


def _mujoco(mechanism: Mechanism, x0: Any) -> Any:
    try:
        import mujoco
        from mujoco import rollout

        from benchmarks.engines.mujoco import free_model
    except (ImportError, Unavailable):
        return None
    model = free_model(mechanism, STEP)
    data = mujoco.MjData(model)
    size = mechanism.size
    start = np.hstack([np.zeros((len(x0), 1)), x0])

    def ends() -> Any:
        states, _ = rollout.rollout(model, data, start, nstep=STEPS)
        return states[:, -1, 1 : 1 + 2 * size]

    return ends


def in_modes() -> Section:
    """ms an instance with modes: the least of interleaved turns."""
    section = _beside_runs("Batches with modes", ["modes", "transitions"])
    for name, step in MODES.items():
        system = (ball() if name == "ball" else tb.gallery.make(name)).compile()
        best, counts = _against_runs(system, TIED_STEPS * step, _by_rk4(system, step))
        modes = len(system.dynamics.modes.every)
        _add(section, name, [str(modes), str(int(counts["transitions"]))], best)
    return section


def in_constraints() -> Section:
    """ms an instance with constraints: the least of interleaved turns."""
    section = _beside_runs("Batches with constraints", ["freedoms", "rows"])
    for name, step in TIED.items():
        system = tb.gallery.make(name).compile()
        best, _ = _against_runs(system, TIED_STEPS * step, _by_rk4(system, step))
        rows = len(system.constraint_names)
        _add(section, name, [str(system.sizes[1] - rows), str(rows)], best)
    return section


def in_contacts() -> Section:
    """ms an instance of balls in a box: the least of interleaved turns."""
    title = "Batches with rigid contacts"
    section = _beside_runs(title, ["contacts"], f"{PILE_STEPS} steps (moreau-jean)")
    for side, layers in PILES:
        system, contacts = pile(side, layers)
        given = {"method": "moreau-jean", "step": PILE_STEP, "contacts": contacts}
        best, _ = _against_runs(system, PILE_STEPS * PILE_STEP, given)
        _add(section, f"balls, {side * side * layers}", [str(len(contacts))], best, PILE_STEPS)
    return section


def _beside_runs(
    title: str, columns: list[str], steps: str = f"{TIED_STEPS} steps (rk4)"
) -> Section:
    columns = ["mechanism", *columns, "tb.simulate, ms", "batch, ms", "×"]
    section = Section(f"{title}: {steps}", [*columns, "two threads, ×", "on free cores, ×"])
    section.remark(
        "Processor time, with what sets a run or a batch up. Two threads: what the clock gained, "
        "and what it gains where nobody else uses the cores, as their processor time has it."
    )
    return section


def _add(
    section: Section, name: str, about: list[str], best: dict[str, float], steps: int = TIED_STEPS
) -> None:
    alone, one = best["alone"], best["one thread"]
    row = [name, *about, f"{1e3 * alone:.2f}", f"{1e3 * one:.3f}", f"{alone / one:.1f}"]
    row += [f"{best['clock, 1'] / best['clock, 2']:.2f}", f"{2 * one / best['two threads']:.2f}"]
    section.rows.append(row)
    section.records.append({"mechanism": name, "steps": steps, **best})


def ball() -> tb.Model:
    """It falls from 1 m and bounces until it lies on the floor."""
    m = tb.Model("ball", gravity=(0, 0, -9.81))
    m.joint("height", tb.Prismatic("z"), m.ground, m.body("ball", mass=1.0), position=1.0)
    height = m.coordinate("height")
    m.constrain("floor", height, unit="m")
    m.mode("flight")
    m.mode("rest", active=["floor"])
    m.transition(
        "bounce", "flight", "flight", when=height, impact=["floor"], restitution=0.3, rest="rest"
    )
    return m


def _by_rk4(system: tb.System, step: float) -> dict[str, Any]:
    """Options; the ends alone are recorded."""
    given: dict[str, Any] = {"method": "rk4", "step": step, "output_step": TIED_STEPS * step}
    return {**given, "rate": 1.0 / step} if system.layout.memories else given


def _against_runs(
    system: tb.System, duration: float, given: dict[str, Any]
) -> tuple[dict[str, float], dict[str, float]]:
    """Seconds an instance, by ways to run it, and the counts of a run of its own."""
    x, batch = system.assemble().x, system.batch(TIED_COUNT)
    best: dict[str, float] = defaultdict(lambda: float("inf"))
    for _ in range(TURNS):
        began = process_time()
        for _ in range(TIED_ALONE):
            own = tb.simulate(system, x, duration, progress=False, **given)
        best["alone"] = min(best["alone"], (process_time() - began) / TIED_ALONE)
        for threads, way in ((1, "one thread"), (2, "two threads")):
            began, clock = process_time(), perf_counter()
            ran = batch.run(x, duration, threads=threads, progress=False, **given)
            seconds = {way: process_time() - began, f"clock, {threads}": perf_counter() - clock}
            for name, each in seconds.items():
                best[name] = min(best[name], each / TIED_COUNT)
            if not all(
                np.array_equal(ran.last(each), [own[each][-1]] * TIED_COUNT)
                for each in ran.state_names
            ):
                raise ArithmeticError("Instances end elsewhere than runs of their own.")
    return best, own.metadata["statistics"]
