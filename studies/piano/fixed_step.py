"""What fixed steps cost and how near they are to the true motion: can the action run live?"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from studies.piano.gestures import Laboratory
from touchback.instruments.piano.stroke_analysis import strike_times
from touchback.recording import Run
from touchback.simulate import simulate

TICK = 250e-6  # 4 kHz
SPEEDS = (0.15, 0.5, 2.0)  # of the finger [m/s]
REPEATS = 8  # of which the quickest counts: a busy machine only ever adds


@dataclass(frozen=True)
class Step:
    """A method with a step [s]: its cost [s] of a tick of 250 µs, and its largest errors in the
    time of the strike [s] and in the hammer's speed (relative)."""

    method: str
    step: float
    cost: float
    strike: float
    speed: float


def finger_stroke(speed: float, lag: float = 0.018) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """A finger that takes up a speed [m/s], stops below the key bed and stays."""
    t = np.linspace(0.0, 0.4, 801)
    depth = speed * (t - lag * (1.0 - np.exp(-t / lag)))
    moving = depth < 12e-3
    depth = np.minimum(depth, 12e-3)
    velocity = np.where(moving, speed * (1.0 - np.exp(-t / lag)), 0.0)
    return {"finger depth": (t, depth), "finger speed": (t, velocity)}


def compare(methods: tuple[tuple[str, float], ...]) -> list[Step]:
    """Methods and steps against a fine adaptive run."""
    laboratory = Laboratory()

    def run(speed: float, **options: Any) -> Run:
        return simulate(
            laboratory.system, laboratory.rest, 0.4, inputs=finger_stroke(speed), progress=False,
            **options,
        )  # fmt: skip

    true = {
        speed: _strike(run(speed, rtol=1e-9, atol=1e-12, output_step=25e-6)) for speed in SPEEDS
    }
    found = []
    for method, step in methods:
        costs, late, off = [], [], []
        for speed in SPEEDS:
            for _ in range(REPEATS):
                made = run(speed, method=method, step=step)
                costs.append(made.metadata["statistics"]["seconds"] / (0.4 / TICK))
            time, hammer = _strike(made)
            late.append(abs(time - true[speed][0]))
            off.append(abs(hammer / true[speed][1] - 1.0))
        found.append(Step(method, step, min(costs), max(late), max(off)))
    return found


def _strike(run: Run) -> tuple[float, float]:
    time = strike_times(run)[0]
    return time, float(np.interp(time, run.time, run["hammer velocity.z"]))
