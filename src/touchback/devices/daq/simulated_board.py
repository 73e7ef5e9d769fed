"""A simulated board as a process of its own: Gallo's script, and what can go wrong with it."""

from __future__ import annotations

import json
import math
import os
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Self

import numpy as np

import touchback as tb
from touchback import Ramp, Sine, SmoothStep
from touchback.devices.daq.block_layout import GALLO, BlockLayout, check_layout
from touchback.devices.daq.daq_driver import BoardDevice, Daq
from touchback.devices.daq.signal_conditioning import Conditioning
from touchback.devices.daq.simulated_board_process import SET_CLOCK
from touchback.devices.sensors import Encoder
from touchback.errors import DeviceError, InputError
from touchback.model import list_items
from touchback.numbers import (
    MOST_COUNTED,
    as_float,
    by_name,
    number_within,
    positive_number,
    whole_within,
)

#: What a simulated board samples: a prescribed motion, in counts or steps of a converter.
SampledSignal = Sine | Ramp | SmoothStep
_PROCESS = Path(__file__).with_name("simulated_board_process.py")
_FAR = 2e9  # s: what 64 bits of ns hold
_STRONGEST = 1e30  # of a signal's numbers: as float32 holds, and more than any counter
_LAST_WORD = 2.0  # seconds that the process has to end by itself


@dataclass(frozen=True)
class Script:
    """What a simulated board does, for `duration` seconds of its clock.

    `signals` are the channels' numbers over time (counts, steps of a converter); a channel without
    one holds the number of its block, so that what is torn, lost or in another order can be seen.
    `counters` go round after so many bits; `gates`: a channel counts what passed in so many seconds
    before, which is the speed counted on the board.

    `buffer` blocks wait for the pipe, then the board stops: an overflow. Blocks leave up to
    `jitter` seconds late, and not at all during `stalls` (begin, length) [s]; they are sampled on
    time all the same. The board's clock goes `drift` too fast and is `offset` seconds ahead."""

    layout: BlockLayout = GALLO
    duration: float = 50.0
    signals: Mapping[str, SampledSignal] = field(default_factory=dict)
    counters: Mapping[str, int] = field(default_factory=dict)
    gates: Mapping[str, float] = field(default_factory=dict)
    buffer: int = 50_000
    jitter: float = 0.0
    stalls: Sequence[tuple[float, float]] = ()
    drift: float = 0.0
    offset: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        check_layout("Script", self.layout)
        for word in ("signals", "counters", "gates"):
            for name in by_name(f"Script: its {word}", getattr(self, word)):
                self.layout.place(name)
        for name, signal in self.signals.items():
            _check_signal(name, signal)
        times = (self.duration, self.jitter, self.drift, self.offset, *_times(self.stalls))
        finite = all(math.isfinite(as_float(time)) for time in times)
        if not (finite and min(self.duration, self.jitter) >= 0.0 and abs(self.drift) < 1.0):
            raise InputError(
                f"A board lasts {self.duration} s, its jitter is {self.jitter} s, its drift "
                f"{self.drift}, its offset {self.offset} s, its stalls {list(self.stalls)}; give "
                "finite numbers, duration and jitter from 0 on, a drift within ±1."
            )
        number_within("A board lasts 0 to 1e9 s", self.duration, 0.0, 1e9)
        whole_within("A board's seed must be a whole number from 0 on", self.seed, 0, MOST_COUNTED)
        whole_within(
            "A board's buffer must have room for 1 block at least", self.buffer, 1, MOST_COUNTED
        )
        number_within(
            f"A board's clock must be within ±{_FAR:g} s of ours", self.offset, -_FAR, _FAR
        )
        for name, bits in self.counters.items():
            size = 8 * np.dtype(self.layout.channels[self.layout.place(name)].type).itemsize
            whole_within(f"Counter '{name}' must have 1 to {size} bits", bits, 1, size)
        for name, gate in self.gates.items():
            positive_number(f"The gate of '{name}' [s]", gate)

    @property
    def blocks(self) -> int:
        """How many blocks there are in all."""
        return round(self.duration / self.layout.period)

    def as_json(self, files: tuple[int, int, int]) -> str:
        """For the process."""
        channels = []
        for c in self.layout.channels:
            signal = self.signals.get(c.name)
            channels.append({
                "type": c.type, "samples": c.samples, "skew": c.skew, "ready": c.ready,
                "kind": type(signal).__name__ if signal else "number",
                "numbers": list(map(float, astuple(signal))) if signal else [],
                "bits": int(self.counters.get(c.name, 0)),
                "gate": float(self.gates.get(c.name, 0.0)),
            })  # fmt: skip
        return json.dumps({
            "period": self.layout.period, "channels": channels, "blocks": self.blocks,
            "buffer": int(self.buffer), "jitter": float(self.jitter),
            "stalls": [[float(begin), float(length)] for begin, length in self.stalls],
            "offset": float(self.offset), "drift": float(self.drift), "seed": int(self.seed),
            "files": files,
        })  # fmt: skip


def _check_signal(name: str, signal: object) -> None:
    """The board's process could only end over one that it can't sample."""
    if not isinstance(signal, SampledSignal):
        raise InputError(
            f"Channel '{name}': a board samples a Sine, a Ramp or a SmoothStep, got {signal!r}."
        )
    for number in astuple(signal):
        said = f"Channel '{name}': numbers of {signal!r} must be within ±{_STRONGEST:g}"
        number_within(said, number, -_STRONGEST, _STRONGEST)


def _times(stalls: object) -> list[object]:
    """Of all stalls, which are pairs."""
    pairs = list_items(stalls)
    found = [] if pairs is None else [list_items(pair) for pair in pairs]
    if pairs is None or any(pair is None or len(pair) != 2 for pair in found):
        raise InputError(f"A board's stalls are pairs (begin, length) [s], got {stalls!r}.")
    return [time for pair in found if pair is not None for time in pair]


class SimulatedBoard:
    """A board's process and our ends of its pipes: `data` (blocks), `records` (what it says) and
    `questions` (what it is asked). It samples from the start on, whether anybody reads or not.

    `pipe`: bytes that the pipe of blocks takes, which the kernel rounds up to pages."""

    simulated = True

    def __init__(self, script: Script, pipe: int = 1 << 16) -> None:
        self.layout, self.script = script.layout, script
        (self.data, data), (self.records, records), (asked, self.questions) = (
            os.pipe(), os.pipe(), os.pipe()
        )  # fmt: skip
        theirs = data, records, asked
        try:
            _resize(data, pipe)
            self.process = subprocess.Popen(
                [sys.executable, "-S", "-E", str(_PROCESS), script.as_json(theirs)], pass_fds=theirs
            )
        except BaseException:
            self._close()
            raise
        finally:
            for file in theirs:
                os.close(file)

    def news(self) -> list[str]:
        """Nothing in words: it tells its driver by records."""
        return []

    def set_clock(self, by: float) -> None:
        """Sets the board's clock ahead by so many seconds, which its sampling doesn't heed."""
        by = number_within(f"A board's clock is set by at most ±{_FAR:g} s", by, -_FAR, _FAR)
        try:
            os.write(self.questions, struct.pack("<q", -(SET_CLOCK + round(1e9 * by))))
        except OSError:
            raise DeviceError("The board has ended; its clock can't be set.") from None

    def kill(self) -> None:
        """As if its plug were pulled."""
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        """Ends the process."""
        self._close()
        try:
            self.process.wait(_LAST_WORD)
        except subprocess.TimeoutExpired:
            self.kill()

    def _close(self) -> None:
        for file in (self.data, self.records, self.questions):
            if file >= 0:
                os.close(file)
        self.data = self.records = self.questions = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _resize(file: int, size: int) -> None:
    import fcntl  # not on every platform

    try:
        fcntl.fcntl(file, fcntl.F_SETPIPE_SZ, size)
    except OSError as error:
        raise DeviceError(
            f"A pipe of {size} bytes can't be had: {error.strerror}; see "
            "/proc/sys/fs/pipe-max-size."
        ) from None


SIMULATED = "simulated"


ENCODER = Encoder(500)  # of the steering wheel: 2000 counts a turn


_LENGTH = 20  # blocks of 1 ms: as late as his N = 4 at 5 ms


#: An hour of swaying to and fro by 45°, with a quarter of the throttle.
SWAYING = Script(
    duration=3600.0,
    signals={
        "brake": Ramp(0.0),
        "throttle": SmoothStep(0.0, 105.0, 0.2, 1.5),
        "steering": Sine(250.0, 0.2),
    },
)


def driver_conditioning(length: int = _LENGTH) -> Conditioning:
    """What a car takes of Gallo's blocks: "throttle" and "brake" as counts, "steering angle" [rad]
    predicted to now, and "steering rate" and "steering acceleration" by the smooth differentiator
    of so many blocks, once and after itself, as he does it (2012, 4.2.2)."""
    c = Conditioning(GALLO)
    d = tb.estimate.SmoothDifferentiator(GALLO.period, length)
    angle = ENCODER.quantity(c["steering"])
    rate = c.filtered(d, angle)
    c.give("steering angle", c.now(angle, rate, of="steering"), of="steering")
    c.give("steering rate", rate, of="steering", delay=d.delay)
    c.give("steering acceleration", c.filtered(d, rate), of="steering", delay=2.0 * d.delay)
    return c


class SimulatedDriver(BoardDevice):
    """A device that serves the inputs of a car, by the names of `driver_conditioning`, from a
    simulated board. The board starts with the first of them."""

    def __init__(self, script: Script = SWAYING) -> None:
        super().__init__()
        self.script = script

    def start(self, closing: ExitStack) -> Daq:
        board = closing.enter_context(SimulatedBoard(self.script))
        return closing.enter_context(Daq(board, driver_conditioning()))


def open_board(place: str) -> SimulatedDriver:
    """The device "board:simulated"."""
    if place != SIMULATED:
        raise InputError(
            f"A board is 'board:{SIMULATED}', got 'board:{place}'; 'file:…' plays a file, others "
            "are made by a program: see `touchback.devices.daq`."
        )
    return SimulatedDriver()
