"""What energy a motorised key gives its player: a passive one gives none that it was not given."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from touchback.instruments.keyboard.key_device import FRONT, KeyDevice
from touchback.instruments.keyboard.key_mechanisms import Voice
from touchback.instruments.keyboard.key_strokes import Stroke, input_samples
from touchback.instruments.keyboard.keyboard_model import MIDDLE_C, touchback_key
from touchback.instruments.keyboard.keyboard_player import KEYBOARD_METHOD, STEPS, STEPS_WITH_MODES
from touchback.recording import Run
from touchback.simulate import simulate

START = 0.6  # s: virtual parts are at rest
SAMPLE = 2.5e-4  # s
HELD = (Stroke.of(START, MIDDLE_C, 0.5, stay=1.0),)
TRILL = tuple(Stroke.of(START + i / 6, MIDDLE_C, 0.6, stay=0.02) for i in range(12))
AFTER = 0.6  # s that are watched after the last stroke


@dataclass(frozen=True)
class Passed:
    """Energies [J] since the first stroke. `given` is what the motor did to the key, over `time`
    [s]: Σ of torque held from tick to tick times the turn, so nothing is lost to sampling; `finger`
    is the net work of the finger on the key."""

    run: Run
    time: np.ndarray
    given: np.ndarray
    finger: float

    @property
    def most(self) -> float:
        """The most that the display had given, net, at any time. Above zero it is not passive."""
        return float(self.given.max())

    @property
    def end(self) -> float:
        """What the display gave, net: below zero, it took."""
        return float(self.given[-1])

    @property
    def kept(self) -> float:
        """What bearings, rotor, the stops of the lever and its motion kept."""
        return self.finger + self.end

    @property
    def notes(self) -> int:
        """How many were heard."""
        return int(self.run["notes"][-1])

    def between(self, begin: float, end: float) -> float:
        """What the display gave between two times [s] of the run."""
        low, high = np.interp([begin, end], self.time, self.given)
        return float(high - low)


def played(
    voice: str | Voice, rate: float, strokes: Sequence[Stroke], device: KeyDevice | None = None
) -> Passed:
    """What passes at one key of a voice under a finger that plays strokes."""
    own = device or KeyDevice()
    return passed(run_of(voice, rate, strokes, own), strokes, own)


def run_of(
    voice: str | Voice, rate: float, strokes: Sequence[Stroke], device: KeyDevice, **options: Any
) -> Run:
    """The run with the player's steps, unless told otherwise, sampled four times a millisecond."""
    last = strokes[-1]
    modes = voice == "piano-modes"
    steps = (
        {"method": "rk4", "step": 1.0 / STEPS_WITH_MODES}
        if modes
        else {"method": KEYBOARD_METHOD, "step": 1.0 / STEPS}
    )
    return simulate(
        touchback_key(voice, rate=rate, device=device).compile(), rate=rate,
        duration=last.time + last.press + last.stay + last.leave + AFTER,
        output_step=SAMPLE, progress=False, **{**steps, **options},
        inputs={name.split("/", 1)[1]: value for name, value in input_samples(strokes).items()},
    )  # fmt: skip


def passed(run: Run, strokes: Sequence[Stroke], device: KeyDevice) -> Passed:
    """The energies of a run from its first stroke on."""
    # A sample shows the command that was held up to its time, and the angle at it.
    torque = run["command"] * device.motor.torque_constant * device.motor.gearing
    given = np.concatenate([[0.0], np.cumsum(torque[1:] * np.diff(run["key"]))])
    power = run["finger force"] * run["key rate"] * FRONT
    since = run.time >= strokes[0].time
    finger = float(np.trapezoid(power[since], run.time[since]))
    return Passed(run, run.time[since], given[since] - given[since][0], finger)
