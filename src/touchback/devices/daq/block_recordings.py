"""Blocks that were kept: as a run, which every format of recordings takes, and played again."""

from __future__ import annotations

import math
import os
import select
import struct
import threading
import time
from collections.abc import Mapping
from typing import Self

import numpy as np

from touchback import Run
from touchback.devices.daq.block_layout import BlockLayout, check_layout
from touchback.errors import InputError
from touchback.native.daq.daq_stream import ENDED, STARTED, TIME
from touchback.native.live.mailbox import clock_now
from touchback.numbers import number_within

_PIPE_FULL = 1e-3  # s until the next try
_LAST_WORD = 2.0  # s that the thread has to end


def run_of_blocks(layout: BlockLayout, blocks: Mapping[str, np.ndarray]) -> Run:
    """Blocks as `Daq.blocks` gives them, over the board's time since its first, by their numbers or
    by their stamps: save it as .csv, .mcap, .npz or .parquet. Several numbers a block are signals
    "name.0", "name.1", …"""
    signals = {name: np.asarray(blocks[name], dtype=float) for name in ("began", "arrival")}
    for channel in layout.channels:
        rows = np.asarray(blocks[channel.name], dtype=float).reshape(-1, channel.samples)
        for i, column in enumerate(rows.T):
            signals[_signal(channel.name, i, channel.samples)] = column
    times = layout.period * np.asarray(blocks["number"], dtype=float)
    if layout.stamped:
        times = signals["began"] - signals["began"][:1]
    return Run(times, signals, {"began": "s", "arrival": "s"}, {"period": layout.period})


def blocks_of_run(layout: BlockLayout, run: Run) -> np.ndarray:
    """The blocks that such a run holds, as a structured array. Any run will do that has the
    channels' signals at instants a block's period apart."""
    steps = np.diff(run.time)
    if len(steps) and not np.allclose(steps, layout.period, rtol=1e-6, atol=0.0):
        worst = int(np.argmax(np.abs(steps - layout.period)))
        raise InputError(
            f"The run's instants are {steps[worst]:g} s apart after {run.time[worst]:g} s, but "
            f"blocks {layout.period:g} s; blocks are missing, or the layout is another one."
        )
    blocks = np.zeros(len(run.time), dtype=layout.dtype)
    for channel in layout.channels:
        names = [_signal(channel.name, i, channel.samples) for i in range(channel.samples)]
        numbers = np.stack([run[name] for name in names], axis=1)
        kind = np.dtype(channel.type)
        if kind.kind in "iu":
            info = np.iinfo(kind)
            bad = ~((numbers >= info.min) & (numbers <= info.max) & (numbers == np.floor(numbers)))
            if bad.any():
                raise InputError(
                    f"Channel '{channel.name}' is {channel.type}, but the run has "
                    f"{float(numbers[bad][0])} there; a layout of float takes it, or round it."
                )
        blocks[channel.name] = numbers if channel.samples > 1 else numbers[:, 0]
    return blocks


def _signal(channel: str, place: int, samples: int) -> str:
    return channel if samples == 1 else f"{channel}.{place}"


class PlayedBoard:
    """Blocks of a file as a board that gives them again, each when it is due, `speed` times as fast
    as they were taken; for `Daq` it is a board like any other. It is a thread of this process."""

    simulated = True

    def __init__(self, layout: BlockLayout, blocks: np.ndarray, speed: float = 1.0) -> None:
        check_layout("PlayedBoard", layout)
        speed = number_within(
            "A board is played at a positive speed, 1e-6 to 1e6", speed, 1e-6, 1e6
        )
        if not isinstance(blocks, np.ndarray) or blocks.dtype != layout.dtype:
            told = getattr(blocks, "dtype", type(blocks).__name__)
            raise InputError(
                f"PlayedBoard: the blocks are of another layout: {told}; give an array of "
                f"{layout.dtype}, as blocks_of_run does."
            )
        self.layout, self._bytes = layout, blocks.tobytes()
        self._period = layout.period / speed
        (self.data, out), (self.records, told), (asked, self.questions) = (
            os.pipe(), os.pipe(), os.pipe()
        )  # fmt: skip
        self._theirs = out, told, asked
        for file in self._theirs:
            os.set_blocking(file, False)
        self._thread = threading.Thread(target=self._play, name="touchback board", daemon=True)
        self._thread.start()

    def _play(self) -> None:
        out, told, _ = self._theirs
        start, size, sent = clock_now(), self.layout.size, 0
        ready = max(channel.ready for channel in self.layout.channels)
        try:
            os.write(told, struct.pack("<4q", STARTED, start, round(1e9 * self._period), 0))
            while sent < len(self._bytes):
                due = math.floor((1e-9 * (clock_now() - start) - ready) / self._period) + 1
                wanted = self._bytes[sent : max(0, due) * size]
                try:
                    sent += os.write(out, wanted) if wanted else 0
                except BlockingIOError:
                    time.sleep(_PIPE_FULL)
                if not self._listen(start, ready + sent // size * self._period):
                    return
            os.write(told, struct.pack("<4q", ENDED, sent // size, 0, 0))
        except BrokenPipeError:
            pass  # nobody reads
        finally:
            for file in self._theirs:
                os.close(file)

    def _listen(self, start: int, due: float) -> bool:
        """Answers questions until the next block is due; false when nobody is there any more."""
        _, told, asked = self._theirs
        pause = due - 1e-9 * (clock_now() - start)
        if select.select([asked], [], [], max(0.0, pause))[0]:
            came, questions = clock_now(), os.read(asked, 4096)
            for (number,) in struct.iter_unpack("<q", questions):
                os.write(told, struct.pack("<4q", TIME, number, came, clock_now()))
            return bool(questions)
        return True

    def news(self) -> list[str]:
        """Nothing in words: it tells its driver by records."""
        return []

    def close(self) -> None:
        """Plays no more."""
        for file in (self.data, self.records, self.questions):
            if file >= 0:
                os.close(file)
        self.data = self.records = self.questions = -1
        self._thread.join(_LAST_WORD)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
