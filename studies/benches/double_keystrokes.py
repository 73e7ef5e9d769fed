"""Docquier's double keystrokes, slow and fast, with a load cell in the pilot's place (2021,
§5.1.3, Figs 14 to 17).

An external actuator moves the key front: at 0.3 and 1.5 s down and at 0.9 and 2.1 s up (slow), at
0.1 and 0.5 s down (fast; of the releases the text says only that the hammer is raised by its lever
around [0.25; 0.35] and [0.7; 0.8] s, so that they are set to 0.3 and 0.7 s). The text tells no more
of the motions than that: each way is a smooth reach of a chosen time.
"""

from dataclasses import dataclass

import numpy as np

from touchback.devices.sensors import LoadCell
from touchback.instruments.piano.action_specification import Specification
from touchback.instruments.piano.finger_motions import SQUEEZE, minimum_jerk
from touchback.instruments.piano.piano_action import grand_piano_action
from touchback.instruments.piano.stroke_analysis import crossings
from touchback.recording import Run
from touchback.simulate import simulate

SAMPLED = 20e-6  # s: 50 kHz
RANGE, SENSITIVITY = 50.0, 0.765e-3  # N, V/V at full load
EXCITATION = 10.0  # V over the bridge (chosen: the paper gives none)
NOISE = 0.3e-3  # N, standard deviation (chosen: "a resolution below the milliNewton")
ACTUATOR = {"finger stiffness": 2e4, "finger damping": 40.0}  # N/m, N s/m (chosen: stiff)
SETTLE = 0.3  # s before the recording
HELD = 0.1  # s before a release over which the held force is taken


@dataclass(frozen=True)
class Keystroke:
    """Down at a time [s] within `falls`, up at another within `rises`."""

    down: float
    up: float
    falls: float
    rises: float


SLOW = (Keystroke(0.3, 0.9, 0.15, 0.15), Keystroke(1.5, 2.1, 0.15, 0.15))
FAST = (Keystroke(0.1, 0.3, 0.06, 0.06), Keystroke(0.5, 0.7, 0.06, 0.06))
BOTH = {"slow": SLOW, "fast": FAST}


@dataclass(frozen=True)
class Felt:
    """What the load cell told of one keystroke [N]: the most while the key went down, held before
    the release, the most after it; how often the hammer struck, and how far it was raised after
    the release [rad]."""

    peak: float
    held: float
    release: float
    strikes: int
    raised: float


@dataclass(frozen=True)
class Recorded:
    """A run, what the load cell told [N], and what it told of each keystroke."""

    run: Run
    load: np.ndarray
    keystrokes: list[Felt]


def load_cell() -> LoadCell:
    """The bridge: 0.765 mV for each volt of excitation at 50 N."""
    return LoadCell(SENSITIVITY * EXCITATION / RANGE)


def measured(force: np.ndarray, seed: int = 1) -> np.ndarray:
    """A force [N] as the cell and its calibration tell it, within its range."""
    cell = load_cell()
    noise = np.random.default_rng(seed).normal(0.0, NOISE, len(force))
    return np.asarray(cell.quantity(cell.reading(np.clip(force, 0.0, RANGE) + noise)))


def asked(keystrokes: tuple[Keystroke, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times [s], depth [m] and speed [m/s] that the actuator is to have."""
    times = np.arange(-SETTLE, keystrokes[-1].up + 0.5, 1e-3)
    far = Specification().regulation.dip + SQUEEZE
    depth, speed = np.zeros_like(times), np.zeros_like(times)
    for stroke in keystrokes:
        for begin, lasts, way in (
            (stroke.down, stroke.falls, far), (stroke.up, stroke.rises, -far),
        ):  # fmt: skip
            gone, rate = minimum_jerk((times - begin) / lasts)
            depth, speed = depth + way * gone, speed + way * rate / lasts
    return times, depth, speed


def double_keystroke(keystrokes: tuple[Keystroke, ...] = SLOW) -> Recorded:
    """Two keystrokes of the full-contact action, with what the load cell tells."""
    times, depth, speed = asked(keystrokes)
    run = simulate(
        grand_piano_action("finger").compile(), duration=times[-1] + SETTLE, start=-SETTLE,
        rtol=1e-6, atol=1e-9, output_step=SAMPLED, parameters=ACTUATOR, progress=False,
        inputs={"finger depth": (times, depth), "finger speed": (times, speed)},
    )  # fmt: skip
    load = measured(run["capstan force"])
    return Recorded(run, load, [felt(run, load, each) for each in keystrokes])


def pushed(time: np.ndarray, force: np.ndarray, stroke: Keystroke) -> tuple[float, float]:
    """The most of a force [N] while the key went down, and what was held before the release."""
    going = (time > stroke.down) & (time < stroke.up - HELD)
    held = (time > stroke.up - HELD) & (time < stroke.up)
    return float(force[going].max()), float(force[held].mean())


def felt(run: Run, load: np.ndarray, stroke: Keystroke) -> Felt:
    """What the load cell told of one keystroke."""
    t, hammer = run.time, run["hammer"]
    after = (t > stroke.up) & (t < stroke.up + stroke.rises + 0.15)
    struck = [x for x in crossings(t, run["string gap"]) if stroke.down < x < stroke.up + 0.2]
    before = hammer[np.searchsorted(t, stroke.up) - 1]
    return Felt(
        *pushed(t, load, stroke), float(load[after].max()), len(struck),
        float(hammer[after].max() - before),
    )  # fmt: skip
