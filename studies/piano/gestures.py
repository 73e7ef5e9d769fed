"""Random gestures of a finger, to find out whether the action survives them all.

Each lasts a second: some moves of the finger at speeds of up to 2 m/s, down, up, half-way, off the
key and back, with a finger of random stiffness; then the finger leaves the key. Fixed steps of
1/16 ms, four to a tick of 4 kHz, inside C.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from touchback.errors import TouchbackError
from touchback.instruments.piano.piano_action import CONTACTS, grand_piano_action
from touchback.instruments.piano.stroke_analysis import strike_times
from touchback.recording import Run
from touchback.simulate import simulate
from touchback.system import System

STEP, OUTPUT = 62.5e-6, 500e-6
PLAYED, DURATION = 0.6, 1.1  # the finger has left after PLAYED [s]
DEEPEST = 4e-3  # deeper than this no felt is: one surface went through the other [m]
Samples = tuple[list[float], list[float]]


@dataclass(frozen=True)
class Outcome:
    """What became of one gesture: `trouble` is empty where all is well."""

    seed: int
    strikes: int
    fastest: float  # of the hammer [m/s]
    trouble: tuple[str, ...]


class Laboratory:
    """An action at rest that gestures are tried on."""

    method, step = "euler", STEP

    def __init__(self) -> None:
        self.system = self._action()
        rest = simulate(self.system, duration=0.5, progress=False, **self._settling())
        self.rest = np.array([rest[name][-1] for name in self.system.state_names])
        count = len(self.system.coordinates)
        self.rest[count : 2 * count] = 0.0  # velocities
        self.overlap = float(rest["jack overlap"][-1])
        self.blow = float(rest["string gap"][-1])

    def _action(self) -> System:
        return grand_piano_action("finger").compile()

    def _settling(self) -> dict[str, Any]:
        """How it is brought to rest."""
        return {"rtol": 1e-6, "atol": 1e-9}

    def run(self, seed: int, step: float | None = None) -> Run:
        """The run of one gesture."""
        inputs, parameters = gesture(seed)
        return simulate(
            self.system, self.rest, DURATION, method=self.method, step=step or self.step,
            output_step=OUTPUT, inputs=inputs, parameters=parameters, progress=False,
        )  # fmt: skip

    def outcome(self, seed: int) -> Outcome:
        """What became of one gesture; a run that fails is trouble, too."""
        try:
            run = self.run(seed)
        except TouchbackError as error:
            return Outcome(seed, 0, 0.0, (str(error),))
        speed = float(run["hammer velocity.z"].max())
        return Outcome(seed, self._strikes(run), speed, tuple(self._troubles(run)))

    def outcomes(self, count: int, first: int = 0) -> Iterator[Outcome]:
        """Those of gestures with consecutive seeds."""
        return map(self.outcome, range(first, first + count))

    def _strikes(self, run: Run) -> int:
        return len(strike_times(run))

    def _troubles(self, run: Run) -> Iterator[str]:
        for name in CONTACTS:
            deepest = -float(run[f"{name} gap"].min())
            if not deepest < DEEPEST:
                yield f"{name}: {1e3 * deepest:.1f} mm deep"
        if abs(run["jack overlap"][-1] - self.overlap) > 0.5e-3:
            yield f"jack stuck: overlap {1e3 * run['jack overlap'][-1]:.2f} mm"
        if abs(run["string gap"][-1] - self.blow) > 1e-3:
            yield f"hammer not back at rest: {1e3 * run['string gap'][-1]:.1f} mm below the string"


def gesture(seed: int) -> tuple[dict[str, Samples], dict[str, float]]:
    """Depths and speeds of a finger, as samples, and its stiffness and damping."""
    random = np.random.default_rng(seed)
    times, depths = [0.0], [-3e-3]
    while times[-1] < PLAYED:
        times.append(times[-1] + float(np.exp(random.uniform(np.log(0.008), np.log(0.2)))))
        depths.append(float(random.uniform(-3e-3, 14e-3)))
    times, depths = [*times, times[-1] + 0.03, 2.0], [*depths, -5e-3, -5e-3]
    speeds = np.diff(depths) / np.diff(times)
    edges, values = [0.0], [0.0]
    for begin, end, speed in zip(times[:-1], times[1:], speeds, strict=True):
        edges += [begin + 1e-6, end]
        values += [float(speed)] * 2
    stiffness = float(np.exp(random.uniform(np.log(300.0), np.log(5000.0))))
    damping = float(random.uniform(1.0, 15.0))
    inputs = {"finger depth": (times, depths), "finger speed": (edges, values)}
    return inputs, {"finger stiffness": stiffness, "finger damping": damping}


def try_gestures(count: int, first: int = 0) -> Iterator[Outcome]:
    """The outcomes of gestures with consecutive seeds."""
    return Laboratory().outcomes(count, first)
