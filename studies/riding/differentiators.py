"""The speed of a steering wheel from its encoder's counts (Gallo 2012, 4.2.2, Fig. 4.7–4.14).

Counts make a staircase of the angle; what differences make of it is compared with the true speed of
a manoeuvre that is known in closed form."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import touchback as tb
from touchback import gallery
from touchback.devices.sensors import Encoder
from touchback.estimate import BackwardDifference, Filter, SmoothDifferentiator, run
from touchback.numbers import Scalar

ENCODER = Encoder(500)  # 0.18° a count
STEP = 5e-3  # s, of his simulator
BLOCK = 1e-3  # s, of the board
LENGTHS = range(2, 11)
_SETTLED = 20  # samples until every filter has seen nothing but the manoeuvre


@dataclass(frozen=True)
class FourPointBackward:
    """The one-sided difference of fourth order on the same past values as N = 4 (Fig. 4.12): exact
    for polynomials of degree 4, and loud."""

    period: float

    def at_rest(self, sample: float) -> tuple[float, ...]:
        return (sample,) * 4

    def step(self, memory: Sequence[Scalar], sample: Scalar) -> tuple[Sequence[Scalar], Scalar]:
        window = (sample, *memory)
        weights = (25 / 12, -4.0, 3.0, -4 / 3, 1 / 4)
        estimate = sum(c * y for c, y in zip(weights, window, strict=True)) * (1.0 / self.period)
        return window[:-1], estimate


def steering(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angle, speed and acceleration [rad, rad/s, rad/s²] of a wheel turned 90° to and fro with a
    slower sway of 40°: turns of up to 148 °/s, slow ones and halts."""
    parts = ((math.radians(90.0), 0.23, 0.0), (math.radians(40.0), 0.07, 1.0))
    angle, speed, acceleration = (np.zeros_like(t) for _ in range(3))
    for amplitude, frequency, phase in parts:
        w = 2.0 * math.pi * frequency
        angle += amplitude * np.sin(w * t + phase)
        speed += amplitude * w * np.cos(w * t + phase)
        acceleration -= amplitude * w * w * np.sin(w * t + phase)
    return angle, speed, acceleration


@dataclass(frozen=True)
class Estimate:
    """Errors of a speed [rad/s, rms]: against the true speed of the same instant, which counts the
    delay, and of `delay` seconds ago, which is noise alone."""

    name: str
    delay: float
    error: float
    noise: float


def filters(period: float) -> dict[str, tuple[Filter, float]]:
    """Each with its delay [s]."""
    found: dict[str, tuple[Filter, float]] = {
        "four points backward": (FourPointBackward(period), 0.0),
        "backward": (BackwardDifference(period), period / 2.0),
    }
    for length in LENGTHS:
        smooth = SmoothDifferentiator(period, length)
        found[f"smooth, N = {length}"] = smooth, smooth.delay
    return found


def stepped(period: float, seconds: float = 50.0) -> tuple[np.ndarray, np.ndarray]:
    """Times, and the angle as the encoder has it."""
    t = period * np.arange(round(seconds / period))
    counts = np.floor(steering(t)[0] / ENCODER.resolution)
    return t, (counts + 0.5) * ENCODER.resolution


def compare(period: float, seconds: float = 50.0) -> list[Estimate]:
    """All of them on one manoeuvre, sampled every `period` seconds."""
    t, angle = stepped(period, seconds)
    found = []
    for name, (filter, delay) in filters(period).items():
        speed = run(filter, angle)[_SETTLED:]
        late, then = steering(t[_SETTLED:])[1], steering(t[_SETTLED:] - delay)[1]
        found.append(Estimate(name, delay, _rms(speed - late), _rms(speed - then)))
    return found


def accelerations(period: float = STEP, seconds: float = 50.0) -> dict[str, float]:
    """The same of accelerations: a filter after itself, as he does it [rad/s², rms]."""
    t, angle = stepped(period, seconds)
    true = steering(t)[2]
    return {
        name: _rms((run(filter, run(filter, angle)) - true)[_SETTLED:])
        for name, (filter, _) in filters(period).items()
    }


@dataclass(frozen=True)
class Cost:
    """What a filter costs the car's integrator: Newton iterations a step, and how far the torque of
    the steering wheel jumps from step to step [N m, rms]."""

    iterations: float
    jumps: float


def newton_iterations(names: Sequence[str], seconds: float = 10.0) -> dict[str, Cost]:
    """His index-3 augmented Lagrangian at 5 ms, on the car of 18 bodies at 10 m/s whose steering
    wheel has the encoder's angle, and speed and acceleration by these filters."""
    system, (t, angle) = gallery.make("buggy").compile(), stepped(STEP, seconds)
    found = {}
    for name in names:
        filter, _ = filters(STEP)[name]
        speed = run(filter, angle)
        given = {"angle": angle, "rate": speed, "acceleration": run(filter, speed)}
        inputs = {f"steering {word}": (t, values) for word, values in given.items()}
        start = system.assemble({"steering wheel": angle[0]}, inputs={"steering angle": angle[0]})
        done = tb.simulate(
            system, start, float(t[-1]), constraints="augmented-lagrangian", step=STEP,
            inputs={"throttle": 65.0, **inputs}, progress=False,
        )  # fmt: skip
        statistics = done.metadata["statistics"]
        jumps = np.diff(done["steering torque"])[_SETTLED:]
        found[name] = Cost(statistics["iterations"] / statistics["steps"], _rms(jumps))
    return found


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values**2)))
