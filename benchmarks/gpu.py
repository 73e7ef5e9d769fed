"""A graphics card: functions and steps of many chains, beside MuJoCo Warp, and one chain alone."""

from time import perf_counter
from typing import Any

import numpy as np

import touchback as tb
from benchmarks.batches import MODES, ball
from benchmarks.mechanisms import Mechanism, make
from benchmarks.report import Section
from touchback.batch.gpu.gpu_executor import GpuDevice, find_device

SIZES = {7: 1 << 25, 30: 1 << 23}  # joints, and instances
PEER_WORLDS = {7: 262_144, 30: 65_536}
STEP, STEPS, TURNS = 1e-4, 100, 5
IN_A_ROW = 8  # calls before the card is waited for
ALONE = (10, 30, 60, 100, 250)  # bodies of Wang's chain

IN_MODES = {"ball": (200_000, (0.2, 2.0)), "piano-modes": (20_000, (0.1, 0.6))}  # count, spread
MODE_STEPS, MODE_SHARE = 1000, 20  # of the instances the processor runs one in so many


def run() -> Section:
    """G evaluations and steps a second, the best of some turns, in both precisions."""
    section = Section(
        "Graphics card: chains, 10⁹ a second",
        ["joints", "precision", "forward dynamics", "Euler steps", "MuJoCo Warp's", "×"],
    )
    card = find_device()
    if isinstance(card, str):
        section.remark(f"Not measured: {card}.")
        return section
    for size, count in SIZES.items():
        mechanism = make("chain", size)
        peer = _warp(mechanism, PEER_WORLDS[size])
        for precision in ("double", "single"):
            rates = _rates(card, mechanism, count, precision)
            other = peer if precision == "single" else None
            beside = [f"{other / 1e9:.4f}", f"{rates[1] / other:.0f}"] if other else ["–", "–"]
            section.rows.append(
                [str(size), precision, *(f"{rate / 1e9:.2f}" for rate in rates), *beside]
            )
            section.records.append(
                {"joints": size, "precision": precision, "instances": count, "card": card.name,
                 "evaluations/s": rates[0], "steps/s": rates[1], "MuJoCo Warp steps/s": other}
            )  # fmt: skip
    section.remark(
        f"{card.name}. States lie on the card; results are compared with the processor's. MuJoCo "
        "Warp in single precision, replayed as a graph, no constraints and contacts."
    )
    return section


def alone() -> Section:
    """One chain: µs a step by the processor and by one thread of the card."""
    section = Section(
        "One chain (Wang's): µs a step, semi-implicit Euler",
        ["bodies", "processor", "card", "card with transfers each step"],
    )
    card = find_device()
    if isinstance(card, str):
        section.remark(f"Not measured: {card}.")
        return section
    for size in ALONE:
        batch = make("chain", size).model().compile().batch(1)
        x0 = np.random.default_rng(5).normal(size=(1, 2 * size))
        given = {"method": "euler", "step": STEP, "record": (), "progress": False}

        def timed(x: Any, steps: int, on: str, batch: Any = batch, given: Any = given) -> float:
            best = float("inf")
            for _ in range(3):
                began = perf_counter()
                batch.run(x, steps * STEP, on=on, output_step=steps * STEP, **given)
                best = min(best, perf_counter() - began)
            return best / steps * 1e6

        times = timed(x0, 2000, "cpu"), timed(x0, 500, "gpu"), timed(x0, 1, "gpu")
        section.rows.append([str(size), *(f"{each:.1f}" for each in times)])
        section.records.append({"bodies": size, "µs": times, "card": card.name})
    section.remark(
        "One instance is one thread, which computes a recursion from joint to joint: there is no "
        "crossover where the processor's column is the smallest throughout."
    )
    return section


def in_modes() -> Section:
    """Mechanisms with modes, each instance in one of its own: steps a second on the card and on all
    cores of the processor."""
    section = Section(
        "Modes on a graphics card: 10⁶ steps a second (rk4)",
        ["mechanism", "instances", "card", "processor", "×", "threads", "same bits, %", "apart"],
    )
    card = find_device()
    if isinstance(card, str):
        section.remark(f"Not measured: {card}.")
        return section
    for name, (count, spread) in IN_MODES.items():
        system = (ball() if name == "ball" else tb.gallery.make(name)).compile()
        draw = np.random.default_rng(5)
        x = np.tile(system.assemble().x, (count, 1))
        values = draw.uniform(*spread, count)
        given: dict[str, Any] = {"method": "rk4", "step": MODES[name], "record": ()}
        if name == "ball":
            x[:, 0] = values
        else:
            given["parameters"] = {"touch speed": values}
        if system.layout.memories:
            given["rate"] = 1.0 / MODES[name]
        record = _in_modes(system, x, given)
        section.rows.append(
            [name, str(count), *(f"{record[on] / 1e6:.2f}" for on in ("gpu", "cpu")),
             f"{record['gpu'] / record['cpu']:.1f}", str(record["threads"]),
             f"{100 * record['same bits']:.0f}", f"{record['apart']:.1e}"]
        )  # fmt: skip
        section.records.append({"mechanism": name, "instances": count, "card": card.name, **record})
    section.remark(
        f"{card.name}. Balls fall from {IN_MODES['ball'][1]} m; keys go down at "
        f"{IN_MODES['piano-modes'][1]} m/s. Some instances are compared with the processor's: how "
        "many have its bits, and how far half of them are apart at most."
    )
    return section


def _in_modes(system: tb.System, x: Any, given: dict[str, Any]) -> dict[str, float]:
    """Steps a second by the card and by the processor, which does a part of the instances."""
    ends: dict[str, Any] = {}
    found: dict[str, float] = {"steps": MODE_STEPS}
    own = given.pop("parameters", {})
    duration = MODE_STEPS * given["step"]
    for on, share in (("gpu", 1), ("cpu", MODE_SHARE)):
        some = len(x) // share
        parameters = {name: values[:some] for name, values in own.items()}
        batch, best = system.batch(some), float("inf")
        for _ in range(2):  # the first one compiles
            began = perf_counter()
            ran = batch.run(
                x[:some], duration, output_step=duration, parameters=parameters, on=on,
                progress=False, **given,
            )  # fmt: skip
            best = min(best, perf_counter() - began)
        ends[on], found[on] = ran.x, some * MODE_STEPS / best
    found["threads"] = ran.threads
    apart = np.abs(ends["gpu"][: len(ends["cpu"])] - ends["cpu"]).max(axis=1)
    found["same bits"], found["apart"] = float(np.mean(apart == 0)), float(np.median(apart))
    if found["apart"] > 1e-9:  # a bounce makes more of the last bit of the card's library
        raise ArithmeticError("The card's instances end elsewhere.")
    return found


def _rates(
    card: GpuDevice, mechanism: Mechanism, count: int, precision: str
) -> tuple[float, float]:
    """Evaluations of forward dynamics with efforts, and Euler steps, a second."""
    cupy, size = card.cupy, mechanism.size
    system = mechanism.model().compile()
    batch, draw = system.batch(count), np.random.default_rng(5)
    kind = np.float32 if precision == "single" else np.float64
    x = cupy.asfortranarray(cupy.asarray(draw.normal(size=(count, 2 * size)), dtype=kind))
    tau = cupy.asfortranarray(cupy.asarray(draw.normal(size=(count, size)), dtype=kind))
    found: Any = None

    def evaluated() -> None:
        for _ in range(IN_A_ROW):
            batch.evaluate("forward dynamics", x, further=tau, on="gpu", precision=precision)

    def stepped() -> Any:
        return batch.run(
            x, STEPS * STEP, method="euler", step=STEP, output_step=STEPS * STEP, record=(),
            progress=False, on="gpu", precision=precision,
        ).x  # fmt: skip

    rates = []
    for act, work in ((evaluated, count * IN_A_ROW), (stepped, count * STEPS)):
        best = float("inf")
        for _ in range(TURNS + 1):  # the first one compiles
            cupy.cuda.get_current_stream().synchronize()
            began = perf_counter()
            found = act()
            cupy.cuda.get_current_stream().synchronize()
            best = min(best, perf_counter() - began)
        rates.append(work / best)
    some = slice(0, 64)
    wanted = system.batch(64).run(
        cupy.asnumpy(x[some]).astype(float), STEPS * STEP, method="euler", step=STEP, record=(),
        progress=False,
    ).x  # fmt: skip
    if not np.allclose(
        cupy.asnumpy(found[some]), wanted, atol=1e-9 if kind is np.float64 else 1e-3
    ):
        raise ArithmeticError("The card's chains end elsewhere.")
    return rates[0], rates[1]


def _warp(mechanism: Mechanism, worlds: int) -> float | None:
    """Steps a second of MuJoCo Warp, where it is."""
    try:
        import mujoco
        import mujoco_warp
        import warp
    except ImportError:
        return None
    from benchmarks.engines.mujoco import free_model

    model = free_model(mechanism, STEP)
    data = mujoco.MjData(model)
    there = mujoco_warp.put_model(model)
    state = mujoco_warp.put_data(model, data, nworld=worlds)
    mujoco_warp.step(there, state)  # compiles
    with warp.ScopedCapture() as capture:
        mujoco_warp.step(there, state)
    best = float("inf")
    for _ in range(TURNS):
        warp.synchronize()
        began = perf_counter()
        for _ in range(20):
            warp.capture_launch(capture.graph)
        warp.synchronize()
        best = min(best, perf_counter() - began)
    return worlds * 20 / best
