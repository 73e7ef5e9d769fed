"""A sound card for tests: ALSA's own file plugin, in a pipe that is read at a card's pace."""

import fcntl
import importlib.util
import os
import threading
import time
from pathlib import Path

import numpy as np

RATE, CHANNELS = 44100, 2
_FRAME = 4 * CHANNELS  # bytes, of floats
_SET_PIPE_SIZE = 1031  # F_SETPIPE_SZ


def why_not() -> str | None:
    """Why sound can't be streamed here, or None."""
    if importlib.util.find_spec("sounddevice") is None:
        return "sounddevice isn't installed (extra `sound`)"
    try:
        import sounddevice  # noqa: F401
    except OSError as error:
        return f"PortAudio isn't installed: {error}"
    return None


class SoundCard:
    """A context manager; a process with its `environment` has this one output. `samples` are those
    of the first channel that it took so far."""

    def __init__(self, folder: Path) -> None:
        self._pipe, configuration = folder / "card", folder / "asound.conf"
        os.mkfifo(self._pipe)
        configuration.write_text(
            f'pcm.!default {{ type file slave.pcm "quiet" file "{self._pipe}" format "raw" }}\n'
            "pcm.quiet { type null }\n"
        )
        self.environment = os.environ | {"ALSA_CONFIG_PATH": str(configuration)}
        self._taken, self._done = bytearray(), threading.Event()
        self._thread = threading.Thread(target=self._take)

    def __enter__(self) -> "SoundCard":
        self._end = os.open(self._pipe, os.O_RDWR)  # the other end never finds it closed
        fcntl.fcntl(self._end, _SET_PIPE_SIZE, 4096)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._done.set()
        os.write(self._end, bytes(_FRAME))
        self._thread.join()
        os.close(self._end)

    @property
    def samples(self) -> np.ndarray:
        whole = len(self._taken) // _FRAME * _FRAME
        return np.frombuffer(bytes(self._taken[:whole]), np.float32)[::CHANNELS]

    def _take(self) -> None:
        begun = 0.0
        while not self._done.is_set():
            data = os.read(self._end, 128 * _FRAME)
            begun = begun or time.monotonic()
            self._taken += data
            time.sleep(max(begun + len(self._taken) / _FRAME / RATE - time.monotonic(), 0.0))
