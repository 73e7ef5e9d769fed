"""Strings that sound on an output of this machine while they are played, through PortAudio."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from types import ModuleType

import numpy as np

from touchback.errors import DeviceError
from touchback.instruments.sound.note_rendering import Note
from touchback.instruments.sound.vibrating_strings import DAMPER_DECAY, piano_string
from touchback.native import LIB
from touchback.native.sound.string_synthesis import SoundingStrings

LOUD = 1.0 / 45.0  # of full scale a newton, as on the page; beyond it is rounded off
BLOCK = 128  # frames: a strike waits for the next block
CHANNELS = 2  # at most, all alike
OTHERWISE = "sound goes to a file with --wav FILE.wav, and to a browser on the page"


@dataclass(frozen=True)
class Output:
    """An output of this machine: its number, its name and the host API it belongs to."""

    number: int
    name: str
    host: str
    channels: int
    rate: float
    usual: bool


def outputs() -> list[Output]:
    """The outputs that PortAudio finds."""
    sounddevice = _portaudio()
    hosts = sounddevice.query_hostapis()
    usual = {host["default_output_device"] for host in hosts}
    return [
        Output(
            number, each["name"], hosts[each["hostapi"]]["name"],
            min(each["max_output_channels"], CHANNELS), each["default_samplerate"], number in usual,
        )
        for number, each in enumerate(sounddevice.query_devices())
        if each["max_output_channels"] > 0
    ]  # fmt: skip


def output_called(name: str) -> Output:
    """An output by its number or a part of its name; "default" is the usual one."""
    found = outputs()
    if not found:
        hosts = ", ".join(host["name"] for host in _portaudio().query_hostapis())
        raise DeviceError(
            f"There is no sound output here: PortAudio looked through {hosts or 'no host API'}. "
            f"Connect a sound card (`aplay -l` lists those of ALSA); else {OTHERWISE}."
        )
    if name == "default":
        return next((each for each in found if each.usual), found[0])
    fitting = [each for each in found if name == str(each.number) or name == each.name] or [
        each for each in found if name.lower() in each.name.lower()
    ]
    if len(fitting) != 1:
        known = "; ".join(f"{each.number} {each.name}" for each in fitting or found)
        many = f"{len(fitting)} sound outputs are" if fitting else "No sound output is"
        raise DeviceError(f"{many} called {name!r}; there are: {known}.")
    return fitting[0]


@dataclass(frozen=True)
class LatencyBreakdown:
    """From a strike to its first sample [s]: the tick that saw it, until that was noticed, until
    the string was struck and handed over, until a block was begun, until that leaves the output."""

    tick: float
    noticed: float
    struck: float
    block: float
    output: float

    @property
    def total(self) -> float:
        return self.tick + self.noticed + self.struck + self.block + self.output


PARTS = ("tick", "noticed", "struck", "block", "output", "total")


@dataclass(frozen=True)
class SoundReport:
    """What a stream has done: blocks, underflows (the output had nothing to play), strikes that
    found no place, the longest block [s], the latency that PortAudio says [s], and the ways from
    strike to sample."""

    output: str
    rate: float
    latency: float
    blocks: int
    underflows: int
    lost: int
    longest: float
    ways: tuple[LatencyBreakdown, ...]
    alive: bool  # until the end; else the output gave up

    def __str__(self) -> str:
        lines = [
            f"Sound on {self.output}: {self.rate:g} samples a second, {self.blocks} blocks, "
            f"underflows {self.underflows}, strikes lost {self.lost}, longest block "
            f"{1e3 * self.longest:.2f} ms, latency {1e3 * self.latency:.1f} ms (PortAudio says)"
        ]
        if not self.alive:
            lines.append("  the output gave up before the end: is it still connected?")
        if self.ways:
            table = np.array([[getattr(way, part) for part in PARTS] for way in self.ways])
            middle, worst = 1e3 * np.median(table, axis=0), 1e3 * np.max(table, axis=0)
            lines.append(f"  strike to sample, {len(self.ways)} notes [ms, median and worst]: ")
            lines[-1] += ", ".join(
                f"{part} {a:.1f} ({b:.1f})" for part, a, b in zip(PARTS, middle, worst)
            )
        return "\n".join(lines)


class SoundStream:
    """Strings of some MIDI notes on an output, silent until they are struck. One thread strikes and
    damps; samples are computed in C by PortAudio's thread, without Python. `tick` [s] is that of
    the run whose strikes it gets. It is a context manager."""

    def __init__(self, notes: Sequence[int], output: str = "default", tick: float = 0.0) -> None:
        self.output, self._tick = output_called(output), tick
        self._index = {note: i for i, note in enumerate(notes)}
        strings = [piano_string(note) for note in notes]
        modes = [(string.pulsation, string.decay) for string in strings]
        rate, channels = self.output.rate, self.output.channels
        self._strings = SoundingStrings(modes, rate, LOUD, channels)
        self._asked: dict[int, tuple[int, int, int]] = {}
        self._ways: list[LatencyBreakdown] = []
        self._number = self._lost = 0
        self._latency, self._alive = 0.0, True
        import cffi  # comes with sounddevice

        ffi, sounddevice = cffi.FFI(), _portaudio()
        try:  # the class for callbacks in C
            self._stream = sounddevice._StreamBase(
                "output", samplerate=rate, blocksize=BLOCK, device=self.output.number,
                channels=channels, dtype="float32", latency="low",
                callback=ffi.cast("void *", LIB.address("tb_strings_callback")),
                userdata=ffi.cast("void *", self._strings.address),
            )  # fmt: skip
        except sounddevice.PortAudioError as error:
            raise DeviceError(
                f"The sound output {self.output.name!r} can't be opened at {rate:g} samples a "
                f"second ({error}). Is it in use? `--audio list` shows all; else {OTHERWISE}."
            ) from error

    def __enter__(self) -> SoundStream:
        self._stream.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._alive, self._latency = bool(self._stream.active), float(self._stream.latency)
        self._stream.stop()
        self._stream.close()

    def strike(self, note: Note, published: int = 0, noticed: int = 0) -> None:
        """Lets a note sound with the next block. The stamps (monotonic ns) are its tick's, from
        which the way to its first sample is told."""
        cosine, sine = note.vibration().bridge_amplitudes()
        self._number += 1
        now = time.monotonic_ns()
        if published:
            self._asked[self._number] = published, noticed, now
        if not self._strings.strike(self._index[note.note], cosine, sine, self._number):
            self._lost += 1
        self._look()

    def damp(self, note: int, share: float = 1.0) -> None:
        """Lets the damper lie on a note's string with a share of its weight; 0 lifts it."""
        if not self._strings.damp(self._index[note], DAMPER_DECAY * share):
            self._lost += 1

    def report(self) -> SoundReport:
        """What has been heard so far; the latency is known once it has ended."""
        self._look()
        counts = self._strings.counts()
        return SoundReport(
            f"{self.output.name} ({self.output.host})", self.output.rate,
            self._latency, counts["blocks"], counts["underflows"], self._lost,
            1e-9 * counts["longest"], tuple(self._ways), self._alive,
        )  # fmt: skip

    def _look(self) -> None:
        for number, begun, ahead, _ in self._strings.begun():
            stamps = self._asked.pop(int(number), None)
            if stamps is not None:
                published, noticed, asked = stamps
                self._ways.append(
                    LatencyBreakdown(
                        self._tick, 1e-9 * (noticed - published), 1e-9 * (asked - noticed),
                        1e-9 * (int(begun) - asked), float(ahead),
                    )
                )  # fmt: skip


def _check_survives() -> None:
    """Lets another process ask PortAudio first: with a configuration that ALSA can't use (none, for
    one) it ends whoever asks by an abort, which nobody can catch."""
    if "sounddevice" in sys.modules or find_spec("sounddevice") is None:
        return
    asked = subprocess.run(
        [sys.executable, "-c", "import sounddevice"], capture_output=True, text=True
    )
    if asked.returncode < 0:
        said = asked.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        ended, where = signal.Signals(-asked.returncode).name, os.environ.get("ALSA_CONFIG_PATH")
        raise DeviceError(
            f"PortAudio can't look for sound outputs: it ended by {ended} "
            f"({said[0].strip()}). See to ALSA's configuration"
            + (f", ALSA_CONFIG_PATH={where}" if where is not None else "")
            + f"; else {OTHERWISE}."
        )


def _portaudio() -> ModuleType:
    _check_survives()
    try:
        import sounddevice
    except ImportError as error:
        raise DeviceError(
            "Sound while playing needs the package sounddevice: `pip install touchback[sound]`. "
            f"Without it {OTHERWISE}."
        ) from error
    except OSError as error:
        raise DeviceError(
            f"Sound while playing needs the library PortAudio ({error}): install libportaudio2 "
            f"(Debian, Ubuntu) or portaudio. Without it {OTHERWISE}."
        ) from error
    module: ModuleType = sounddevice
    return module
