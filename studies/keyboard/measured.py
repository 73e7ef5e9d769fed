"""The grand action as a table: measured as Gillespie proposed to (1996, section 2.4.2, system
identification), by moving it and recording motion and force; and what of it a table can't keep."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from math import log, pi
from pathlib import Path

import numpy as np

import touchback.instruments.keyboard.key_mechanisms as kept
from studies.keyboard.felt_force import GRIP, MACHINE, SETTLING, STEP, held_key
from touchback.haptics.displays import MeasuredImpedance, identify_impedance
from touchback.instruments.keyboard import touchback_key
from touchback.instruments.keyboard.key_device import FRONT
from touchback.instruments.keyboard.key_mechanisms import light_action, voice_called
from touchback.instruments.piano.finger_motions import MinimumJerkTouch, minimum_jerk
from touchback.instruments.piano.piano_action import grand_piano_action
from touchback.instruments.piano.stroke_analysis import play
from touchback.model import Model
from touchback.model.value_or_expression import Value
from touchback.simulate import simulate
from touchback.symbolic.math_functions import cos, exp, maximum, minimum

SHALLOW, DEEP = 0.1e-3, 9.3e-3  # m, between which the key is moved: not into its bed
SLOWEST, FASTEST, BESIDE = 0.15, 3.5, 2.3  # Hz: a sweep, and a steady motion beside it
SECONDS = 40.0
POSITIONS = np.linspace(0.2e-3, 9.2e-3, 31)
VELOCITIES = np.array([-0.05, -0.015, 0.015, 0.05])  # none nearer to 0: friction, as
# steep as a damper, would chatter on a sampled key
SLOW, QUICK = 0.010, 9.2e-3  # m/s of slow presses, m of quick ones
BOTTOM, SETTLED = 9.9e-3, 0.6  # m, s


def moved(m: Model) -> Value:
    """Two sines at a time, one ever faster: each place is passed at many speeds, and at one speed
    with different accelerations."""
    t, growth = maximum(m.time, 0.0), log(FASTEST / SLOWEST) / SECONDS
    swept = cos(2.0 * pi * SLOWEST / growth * (exp(growth * t) - 1.0))
    both = 0.7 * swept + 0.3 * cos(2.0 * pi * BESIDE * t)
    begun = 0.5 - 0.5 * cos(pi * minimum(t / 0.3, 1.0))
    return begun * (0.5 * (SHALLOW + DEEP) - 0.5 * (DEEP - SHALLOW) * both)


def record() -> dict[str, np.ndarray]:
    """The moved action, a thousand samples a second: depth, speed, acceleration and force at the
    key front, without the part of the key's mass that the device brings."""
    system = grand_piano_action("motion", moved, light_action()).compile()
    run = play(system, SECONDS, output_step=1e-3)
    after = run.time > 0.4
    depth = run["key depth"]
    speed = np.gradient(depth, run.time)
    taken = {
        "position": depth, "velocity": speed, "acceleration": np.gradient(speed, run.time),
        "force": run["touch effort"] / FRONT,
    }  # fmt: skip
    return {name: values[after] for name, values in taken.items()}


def measure() -> MeasuredImpedance:
    """The tables that explain the record best."""
    return identify_impedance(**record(), positions=POSITIONS, velocities=VELOCITIES)


def keep(found: MeasuredImpedance) -> Path:
    """Writes the tables where the voice "measured" reads them."""
    path = Path(kept.__file__).with_name(kept.FILE)
    rounded = {
        name: [round(x, 5) for x in value] if isinstance(value, tuple) else value
        for name, value in asdict(found).items()
    }
    path.write_text(json.dumps(rounded, indent=1) + "\n")
    return path


# ---- how it differs ------------------------------------------------------------------------------


Side = tuple[np.ndarray, np.ndarray]  # depth [m], rising, and force [N] at the key front


def off(one: Side, other: Side, low: float, high: float) -> float:
    """How far two curves are apart between two depths, root mean square [N]."""
    depths = np.linspace(low, high, 201)
    return float(np.sqrt(np.mean((np.interp(depths, *one) - np.interp(depths, *other)) ** 2)))


def slowly(voice: str, depths: Sequence[float], speed: float = SLOW) -> list[Side]:
    """A motorised key at 1 kHz, held by a machine that goes from depth to depth [m], from 0 on, at
    a speed [m/s]; a curve for each way."""
    stops = np.array([0.0, 0.0, *depths])
    corners = np.cumsum([0.0, SETTLING, *(np.abs(np.diff(stops[1:])) / speed)])
    inner = np.repeat(corners[1:-1], 2)
    inner[1::2] = np.nextafter(inner[1::2], np.inf)
    rates = np.repeat(np.sign(np.diff(stops)) * speed, 2)[1:-1]
    run = simulate(
        held_key(1000.0, voice_called(voice)), duration=float(corners[-1]), rate=1000.0, step=STEP,
        method="rk4", output_step=1e-3, progress=False, parameters={GRIP: 1.0},
        inputs={"finger intention": (corners, stops), "finger intention rate": (inner, rates)},
    )  # fmt: skip
    legs = [(run.time > a) & (run.time <= b) for a, b in pairwise(corners[1:])]
    return [_rising(FRONT * run["key"][leg], run["finger force"][leg]) for leg in legs]


def quickly(voice: str, seconds: float) -> Side:
    """The way down to 9.2 mm with the least jerk, on a motorised key at 1 kHz under a machine, or
    of the "action" alone."""
    if voice == "action":
        run = play(
            grand_piano_action("motion", MinimumJerkTouch(QUICK, seconds)).compile(), seconds
        )
        down = run.time > 0.0
        return _rising(run["key depth"][down], run["touch effort"][down] / FRONT)
    time = np.arange(0.0, SETTLING + seconds + 1e-9, 1e-3)
    far, fast = minimum_jerk((time - SETTLING) / seconds)
    run = simulate(
        held_key(1000.0, voice_called(voice)), duration=float(time[-1]), rate=1000.0, step=STEP,
        method="rk4", output_step=1e-3, progress=False, parameters={GRIP: 1.0},
        inputs={
            "finger intention": (time, QUICK * far),
            "finger intention rate": (time, QUICK / seconds * fast),
        },
    )  # fmt: skip
    down = run.time > SETTLING
    return _rising(FRONT * run["key"][down], run["finger force"][down])


def _rising(depth: np.ndarray, force: np.ndarray) -> Side:
    order = np.argsort(depth)
    return depth[order], force[order]


def repeated(voice: str, depth: float) -> tuple[float, float]:
    """How loudly [m/s] a first stroke sounds, and a second one from where the key was released to
    [m]; 0 for not at all. Each way takes a machine a tenth of a second."""
    system = touchback_key(voice, operator=MACHINE, by_hand=True).compile()
    corners = SETTLED + 0.1 * np.arange(6)
    way = np.array([0.0, BOTTOM, BOTTOM, depth, BOTTOM, BOTTOM])
    run = simulate(
        system, duration=float(corners[-1]), rate=1000.0, step=1.0 / 16_000.0, method="euler",
        output_step=1e-3, progress=False, inputs={"finger wish": (corners, way)},
        parameters={GRIP: 1.0},
    )  # fmt: skip
    new = np.flatnonzero(np.diff(run["notes"]) > 0.5) + 1
    notes = [(float(run["note time"][i]), float(run["loudness"][i])) for i in new]
    first, second = (
        next((loud for when, loud in notes if begin < when < begin + 0.2), 0.0)
        for begin in (corners[0], corners[3])
    )
    return first, second
