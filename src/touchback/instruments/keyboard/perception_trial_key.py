"""A live key on which experiments are felt: simulated under a finger, or on a wire under yours.
Every force of a trial goes into a recording of its own."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np

import touchback as tb
from touchback import Live, Model, Run, Signal, live
from touchback.errors import DeviceError, InputError
from touchback.instruments.keyboard.key_device import FRONT, REPORTED
from touchback.instruments.keyboard.key_mechanisms import VOICES, WALL_VOICES
from touchback.instruments.keyboard.key_strokes import Stroke
from touchback.instruments.keyboard.keyboard_model import MIDDLE_C, touchback_key
from touchback.instruments.keyboard.keyboard_player import KEYBOARD_METHOD, SETTLING_TIME, steps_at
from touchback.instruments.keyboard.wired_keys import (
    ANGLE,
    FOLLOW,
    MAX_AGE,
    TORQUE,
    WiredKey,
    guard_motor,
    wired_key,
)
from touchback.names import suggestion

DEPTH, FORCE = "key depth", "felt force"
_POSITIONS = 10.0  # s that a device has to find its zero
_ALIKE = 0.6  # of names, as `suggestion` has it
_AFTER = 0.25  # s between touches, in which the key comes to rest


@dataclass(frozen=True)
class FeltInterval:
    """One interval of a trial: when it was [s of the recording], depth [m] and force [N]."""

    span: tuple[float, float]
    time: np.ndarray
    depth: np.ndarray
    force: np.ndarray


def felt_key(voice: str, rate: float = 1000.0) -> Model:
    """A key on a wire that tells besides how deep it is and how it pushes up: sensors "key depth"
    [m] and "felt force" [N]."""
    m = wired_key(voice, rate)
    m.sensor(DEPTH, Signal(m.signal(ANGLE) * FRONT, "m"))
    m.sensor(FORCE, Signal(m.signal(TORQUE) * (-1.0 / FRONT), "N"))
    m.report(TORQUE, *REPORTED, DEPTH, FORCE)
    return m


def varied_key(
    voice: str, rate: float = 1000.0, *, wired: bool = False, by_hand: bool = False
) -> Model:
    """The key that a trial is felt on, whose live parameters can be varied."""
    return felt_key(voice, rate) if wired else touchback_key(voice, rate=rate, by_hand=by_hand)


class TrialKey:
    """A key of a voice, of which one live parameter is varied. Without a `line` it is simulated,
    as fast as it goes, and a finger of some `effort` presses it; `by_hand` the input "finger wish"
    does, against the clock (`speed` times as fast). On a line (a path) it waits `seconds` in each
    interval for your finger. A context manager."""

    def __init__(
        self,
        voice: str,
        varied: str,
        line: str | None = None,
        effort: float = 0.3,
        seconds: float = 3.0,
        rate: float = 1000.0,
        by_hand: bool = False,
        speed: float = 1.0,
    ) -> None:
        self.wired = line is not None
        model = varied_key(voice, rate, wired=self.wired, by_hand=by_hand)
        known = model.all_parameters()
        self.varied = _named(varied, voice, known)
        self.parameter = known[self.varied]
        self._stroke = Stroke.of(0.0, MIDDLE_C, effort)
        self._seconds = seconds
        self._device: tb.devices.SerialDevice | None = (
            None if line is None else tb.devices.SerialDevice(line)
        )
        system, steps = model.compile(), steps_at(rate)
        if self._device is None:
            self.live: Live = live(
                system, rate=rate, substeps=steps, method=KEYBOARD_METHOD, record=False,
                speed=speed if by_hand else None,
            )  # fmt: skip
        else:
            self.live = live(
                system, rate=rate, substeps=steps, method=KEYBOARD_METHOD, record=False,
                inputs={ANGLE: tb.devices.WatchedInput(max_age=MAX_AGE)},
                outputs={TORQUE: guard_motor(WiredKey(self._device).limit)},
            )  # fmt: skip

    def __enter__(self) -> TrialKey:
        self.live.start()
        if self._device is not None:
            self.live.connect(ANGLE, self._device)
            self.live.connect(TORQUE, self._device)
            try:
                self._follow()
            except DeviceError:
                self.__exit__()
                raise
        self.live.run(SETTLING_TIME)
        return self

    def _follow(self) -> None:
        """Lets the voice come to where the key is, as soon as that is known."""
        end = time.monotonic() + _POSITIONS
        while not self.live.report().ports[ANGLE]["messages"]:
            if time.monotonic() > end:
                raise DeviceError(
                    f"No position of the key came within {_POSITIONS:g} s: is it homed? "
                    "`touchback device watch` shows what it says."
                )
            self.live.run(0.005)
        self.live[FOLLOW] = 1.0

    def __exit__(self, *error: object) -> None:
        self.live.stop()
        if self._device is not None:
            self._device.close()

    def check(self, value: float) -> None:
        """Refuses a value that the parameter can't have."""
        low, high = self.parameter.min, self.parameter.max
        if not (low is None or value >= low) or not (high is None or value <= high):
            raise InputError(
                f"'{self.varied}' would be {value:g}; its range is {low} to {high}. Choose another "
                "base or smaller levels."
            )

    def feel(self, values: Sequence[float], path: Path) -> list[FeltInterval]:
        """The intervals of a trial, one value each, recorded into a file that is whole when this
        returns."""
        self.begin(values, path)
        spans = [self._interval(value) for value in values]
        self.end()
        run = tb.open(path)
        return [self._felt(run, span) for span in spans]

    def begin(self, values: Sequence[float], path: Path) -> None:
        """Records from now on; refuses, before, values that are none of the parameter."""
        for value in values:
            self.check(value)
        self._take, self._let_go = self.live.record(path), self._ticks_let_go
        self._stops = self.live.stops

    def give(self, value: float) -> float:
        """Lets the parameter have a value; gives when it can be felt [s of the recording]."""
        self.live.change({self.varied: value})
        self.live.run(2.0 / self.live.spec.rate)
        return float(self.live.read("time"))

    def end(self) -> None:
        """Ends the recording, which is whole when this returns. Refuses a trial in which the motor
        let go, or was stopped: what was recorded was not felt; and one whose forces a full disk
        didn't take."""
        self.live.end_record(self._take)
        if self._take.failure is not None:
            raise InputError(
                f"The forces of this trial weren't all kept: {self._take.early_end}. It doesn't "
                "count; feel it again."
            )
        if lost := self._ticks_let_go - self._let_go:
            raise InputError(
                f"The motor let go for {1e3 * lost / self.live.spec.rate:.0f} ms of this trial: "
                f"positions stayed away for more than {1e3 * MAX_AGE:.0f} ms. It doesn't count; "
                "repair the line or close other programs, and feel it again."
            )
        if self.live.faults:
            raise InputError(
                f"The key doesn't go: {self.live.faults[-1]}. The trial doesn't count; let it go "
                "on, and feel it again."
            )
        if self.live.stops != self._stops:
            raise InputError("The key was stopped in this trial: it doesn't count, feel it again.")

    @property
    def silent(self) -> bool:
        """Whether positions stay away at present: the key's depth is an old one."""
        return "stale input" in self.live.faults

    def overlook(self, but: int = 0) -> None:
        """Ticks that let go so far don't count, but for the last ones: nothing was felt before."""
        self._let_go = self._ticks_let_go - but

    @property
    def _ticks_let_go(self) -> int:
        return self.live.report().counts["stale"]

    def _interval(self, value: float) -> tuple[float, float]:
        began = self.give(value)
        if self.wired:
            self.live.run(self._seconds)
            return began, float(self.live.read("time"))
        inputs = dict(self._stroke.inputs)
        inputs["finger start"] = began
        for name, each in inputs.items():
            self.live[name] = each
        self.live.run(self._stroke.press + self._stroke.stay + self._stroke.leave + _AFTER)
        return began, float(self.live.read("time"))

    def _felt(self, run: Run, span: tuple[float, float]) -> FeltInterval:
        within = (run.time >= span[0]) & (run.time <= span[1])
        (depth, to_depth), (force, to_force) = self.signals
        return FeltInterval(
            span, run.time[within], to_depth * run[depth][within], to_force * run[force][within]
        )

    @property
    def signals(self) -> tuple[tuple[str, float], tuple[str, float]]:
        """What tells how deep the key is and how it pushes, and by how much it makes m and N."""
        return (
            ((DEPTH, 1.0), (FORCE, 1.0)) if self.wired else (("key", FRONT), ("finger force", 1.0))
        )


def _named(name: str, voice: str, known: Collection[str]) -> str:
    """A parameter by its whole name, or as `touchback show` tells that of a voice's own part:
    "hammer mass" is "action/hammer mass"."""
    inside = [each for each in known if each.endswith(f"/{name}")]
    if name in known:
        return name
    if len(inside) == 1:
        return inside[0]
    raise InputError(
        f"The voice '{voice}' has no '{name}'; {_elsewhere(name, voice) or suggestion(name, known)}"
    )


def _elsewhere(name: str, voice: str) -> str:
    """Which other voice has a name, or one that is nearer than this voice's."""
    nearest, found = _ALIKE, ""
    for each in dict.fromkeys((voice, *VOICES, *WALL_VOICES)):
        for known in touchback_key(each).all_parameters():
            near = SequenceMatcher(None, name, known.rpartition("/")[2]).ratio()
            if near > nearest:
                nearest, found = near, "" if each == voice else f"'{each}' has '{known}'."
    return found
