"""The omni wheel: what implicit contact tracking costs beside explicit, and how fast platforms run.

Kosenko 2015 found the explicit tracker 1.5 times as fast (a whole Modelica model; both trackers for
each roller)."""

from dataclasses import replace

import numpy as np

import touchback as tb
from benchmarks.core import as_routine
from benchmarks.report import Section, microseconds
from benchmarks.timing import Floats, interleaved
from touchback.gallery import omni_platforms, omni_wheel
from touchback.gallery.omni_wheel import WheelShape

KOSENKO = 1.5
TURNS = 25
SHAPES = {
    "ψ = 0": WheelShape(0.05, 6, 0.04),
    "ψ = 0.3": WheelShape(0.05, 6, 0.04, 0.3),
    "ψ = 0.3, pointed": WheelShape.pointed(0.05, 6, 0.3),
}
RATES = {"wheel.vx": 0.3, "wheel.vy": 0.2, "wheel.wy": 12.0, "wheel.wz": 1.5}
STEP, DURATION = 1e-3, 10.0  # of the bench, friction giving way below 0.2 m/s
SLICE = 0.1  # s of a run that is timed: short, so that some are not disturbed
LIVE_STEP = 2.5e-5  # of platforms: friction of their rollers decays at 77 000 /s


def run() -> Section:
    """Trackers on the test bench, then platforms."""
    columns = ["wheel, tracker", "flops", "equations", "step", "×", "off [m]"]
    section = Section(
        "Omni wheel with friction, 10 s at 1 ms: µs for the equations and for a step of RK4",
        columns,
    )
    for label, shape in SHAPES.items():
        _trackers(section, label, shape)
    for label, make in (
        ("three wheels", omni_platforms.make_three_wheels),
        ("Mecanum", omni_platforms.make_mecanum),
    ):
        _platform(section, label, make())
    section.remark("×: of a whole step, over that with the explicit tracker (Kosenko 2015: 1.5).")
    section.remark("section: his § 5.1 (a formula); implicit: his system (5), by Newton's method.")
    section.remark(
        "off: largest difference of the wheel's way from that with the explicit tracker."
    )
    return section


def _trackers(section: Section, label: str, shape: WheelShape) -> None:
    systems = {
        tracker: omni_wheel.make(shape, tracker, slip_speed=0.2).compile()
        for tracker in ("explicit", "section", "implicit")
    }
    starts = {tracker: system.assemble(rates=RATES) for tracker, system in systems.items()}
    ways: dict[str, Floats] = {}
    for tracker, system in systems.items():
        run = _run(system, starts[tracker], DURATION, STEP)
        ways[tracker] = np.stack([run["centre.x"], run["centre.y"]])
    steps = dict.fromkeys(systems, np.inf)
    for _ in range(TURNS):
        for tracker, system in systems.items():
            run = _run(system, starts[tracker], SLICE, STEP)
            steps[tracker] = min(steps[tracker], _seconds_a_step(run))
    for tracker, system in systems.items():
        at, terms = starts[tracker], system.function("terms")
        x = np.concatenate([at.q, at.v, at.z])[None, :]
        u = np.zeros((1, max(terms.compiled.sizes[1], 1)))
        block = terms.block_for(np.array(list(system.parameters.values())))
        routine = {"terms": replace(as_routine(terms.compiled), parameters=block)}
        alone = interleaved(routine, x, u, terms.compiled.out_size, TURNS)["terms"].best
        ratio = steps[tracker] / steps["explicit"]
        off = float(np.abs(ways[tracker] - ways["explicit"]).max())
        flops = system.counts("terms").flops
        shown = f"{ratio:.2f}" if tracker != "explicit" else ""
        section.rows.append(
            [f"{label}, {tracker}", str(flops), microseconds(alone), microseconds(steps[tracker]),
             shown, f"{off:.0e}" if shown else ""]
        )  # fmt: skip
        section.records.append(
            {"wheel": label, "tracker": tracker, "flops": flops, "equations": alone,
             "step": steps[tracker], "ratio": ratio, "kosenko": KOSENKO, "off": off}
        )  # fmt: skip


def _platform(section: Section, label: str, model: tb.Model) -> None:
    system = model.compile()
    start = system.assemble()
    best = min(_seconds_a_step(_run(system, start, 0.01, LIVE_STEP)) for _ in range(TURNS))
    flops = system.counts("rate").flops
    section.rows.append([f"platform, {label}", str(flops), "", microseconds(best), "", ""])
    section.records.append({"platform": label, "flops": flops, "step": best, "live": LIVE_STEP})
    share = best / LIVE_STEP
    section.remark(f"platform, {label}: {100 * share:.0f} % of a core in real time, h = 25 µs.")


def _run(system: tb.System, start: tb.State, duration: float, step: float) -> tb.Run:
    return tb.simulate(
        system, start, duration, method="rk4", step=step, output_step=duration / 10, progress=False
    )


def _seconds_a_step(run: tb.Run) -> float:
    statistics = run.metadata["statistics"]
    return float(statistics["seconds"] / statistics["steps"])
