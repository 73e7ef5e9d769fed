"""Strings whose samples are computed in C while they are played (strings.h)."""

import ctypes
from collections.abc import Sequence

import numpy as np

from touchback.native.live.locked_arena import Arena, struct_bytes
from touchback.native.shared_library import LIB, Floats, address_of

_GROUP = LIB.constant("TB_MODES_AT_ONCE")
_STRIKE, _DAMPER = LIB.constant("TB_SOUND_STRIKE"), LIB.constant("TB_SOUND_DAMPER")
_HEAD, _BEGUN = LIB.constant("TB_SOUND_HEAD"), LIB.constant("TB_SOUND_BEGUN")
_WAITING, _TOLD = 256, 1024  # rows that may wait to be obeyed, and to be looked at
_ARRAYS = ("pulsation", "decay", "cosine", "sine", "turn", "wind")
COUNTS = ("blocks", "underflows", "unseen", "longest")


class SoundingStrings:
    """Strings by their modes' pulsations [rad/s] and decays [1/s]. One thread may ask for strikes
    and dampers, another, or PortAudio's, lets samples be computed; neither waits for the other."""

    def __init__(
        self, modes: Sequence[tuple[Floats, Floats]], rate: float, gain: float, channels: int
    ) -> None:
        self._counts = [-(-len(pulsation) // _GROUP) * _GROUP for pulsation, _ in modes]
        width = _HEAD + 2 * max(self._counts)
        sizes = [
            struct_bytes("tb_strings"), struct_bytes("tb_string", len(modes)),
            8 * width * _WAITING, 8 * _BEGUN * _TOLD,
            *(8 * count for count in self._counts for _ in _ARRAYS),
        ]  # fmt: skip
        self.arena = Arena(Arena.need(*sizes))
        self.struct = self.arena.struct("tb_strings")
        strings = self.arena.structs("tb_string", len(modes))
        for ring, columns, rows in (
            (self.struct.asked, width, _WAITING), (self.struct.begun, _BEGUN, _TOLD),
        ):  # fmt: skip
            ring.rows, ring.width = address_of(self.arena.floats(columns * rows)), columns
            ring.capacity = rows
        self.struct.strings, self.struct.string_count = ctypes.addressof(strings), len(modes)
        self.struct.rate, self.struct.gain, self.struct.channels = rate, gain, channels
        for string, count, (pulsation, decay) in zip(strings, self._counts, modes):
            arrays = {name: self.arena.floats(count) for name in _ARRAYS}
            arrays["pulsation"][: len(pulsation)] = pulsation
            arrays["decay"][: len(decay)] = decay
            for name, array in arrays.items():
                setattr(string, name, address_of(array))
            string.count = count
            LIB.tb_string_damp(ctypes.addressof(string), 0.0, rate)
        self.address = ctypes.addressof(self.struct)

    def strike(
        self, string: int, cosine: Floats, sine: Floats, number: int = 0, frame: int = 0
    ) -> bool:
        """Lets the damper go and adds amplitudes [N] to a string's modes, at a frame or at once.
        False when too much waits."""
        padded = np.zeros((2, self._counts[string]))
        padded[0, : len(cosine)], padded[1, : len(sine)] = cosine, sine
        rows = address_of(padded), address_of(padded[1])
        return bool(
            LIB.tb_strings_ask(self.address, _STRIKE, string, frame, number, 0.0, *rows) == 0
        )

    def damp(self, string: int, damper: float, frame: int = 0) -> bool:
        """Adds so much [1/s] to the decay of every mode of a string, and nothing with 0."""
        return bool(
            LIB.tb_strings_ask(self.address, _DAMPER, string, frame, 0.0, damper, None, None) == 0
        )

    def render(self, frames: int) -> Floats:
        """The next samples [N]."""
        samples = np.empty(frames)
        LIB.tb_strings_render(self.address, address_of(samples), frames)
        return samples

    def begun(self) -> Floats:
        """Strikes that have begun to sound since the last call, as rows: their number, when their
        block was begun (monotonic ns), how long after that they leave the output [s], the frame."""
        rows = np.empty((_TOLD, _BEGUN))
        ring = ctypes.addressof(self.struct.begun)
        return rows[: LIB.tb_ring_drain(ring, address_of(rows), _TOLD)]

    def counts(self) -> dict[str, int]:
        """Blocks computed, underflows of the output, strikes nobody was told of, and how long the
        longest block took [ns]."""
        return {name: int(getattr(self.struct, name)) for name in COUNTS}
