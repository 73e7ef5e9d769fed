"""Batches: many chains at once by semi-implicit Euler, in lanes and on threads, beside MuJoCo's."""

import os
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.engines.build import Unavailable
from benchmarks.mechanisms import Mechanism, make
from benchmarks.report import Section, microseconds
from touchback.codegen import native_lanes
from touchback.fleet import Batch
from touchback.fleet import lanes as in_lanes

SIZES = (7, 30)
TURNS = 7
STEP = 1e-4
STEPS = 50
WORK = 60_000  # joints and steps that a turn has, so that each takes some tens of milliseconds


def run() -> Section:
    """µs a step of one instance: the least of interleaved turns."""
    section = Section(
        "Batches: µs a step of one instance (semi-implicit Euler)",
        ["joints", "one lane", f"{native_lanes()} lanes", "×", "all cores", "×", "MuJoCo", "×"],
    )
    cores = len(os.sched_getaffinity(0))
    for size in SIZES:
        mechanism = make("chain", size)
        batch = mechanism.model().compile().batch(max(64, WORK // (size * STEPS) // 8 * 8))
        best = _least(batch, mechanism, cores)
        lanes, threads, peer = (best["one"] / best["lanes"], best["lanes"] / best["cores"],
                                best["MuJoCo"] / best["lanes"])  # fmt: skip
        section.rows.append(
            [str(size), microseconds(best["one"]), microseconds(best["lanes"]), f"{lanes:.2f}",
             microseconds(best["cores"]), f"{threads:.2f}", microseconds(best["MuJoCo"]),
             f"{peer:.1f}"]
        )  # fmt: skip
        section.records.append({"joints": size, "cores": cores, **best})
    section.remark(
        f"{cores} cores. MuJoCo: `mujoco.rollout` on one thread, its Euler without constraints and "
        "contacts; the × are gains by lanes, by threads, and of our lanes over MuJoCo, a core each."
    )
    return section


def _least(batch: Batch, mechanism: Mechanism, cores: int) -> dict[str, float]:
    x0 = np.random.default_rng(5).normal(size=(batch.count, 2 * mechanism.size))
    best = dict.fromkeys(("one", "lanes", "cores", "MuJoCo"), float("inf"))
    peer = _mujoco(mechanism, x0)
    ends: dict[str, Any] = {}
    for _ in range(TURNS):
        for name, lanes, threads in (("one", 1, 1), ("lanes", 0, 1), ("cores", 0, cores)):
            seconds, ends[name] = _ours(batch, x0, lanes or native_lanes(), threads)
            best[name] = min(best[name], seconds)
        if peer is not None:
            began = perf_counter()
            ends["MuJoCo"] = peer()
            best["MuJoCo"] = min(best["MuJoCo"], perf_counter() - began)
    if not (np.array_equal(ends["one"], ends["lanes"]) and np.array_equal(*_pair(ends))):
        raise ArithmeticError("Lanes and threads change results.")
    if peer is not None and not np.allclose(ends["MuJoCo"], ends["one"], rtol=1e-6, atol=1e-6):
        raise ArithmeticError("MuJoCo's chains end elsewhere.")
    return {name: seconds / STEPS / batch.count for name, seconds in best.items()}


def _pair(ends: dict[str, Any]) -> tuple[Any, Any]:
    return ends["one"], ends["cores"]


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
