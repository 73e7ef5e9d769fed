"""Samples as a WAV file."""

import wave
from pathlib import Path

import numpy as np

from touchback.errors import InputError
from touchback.regular_file import check_output, written_whole

FULL_SCALE = 32767
HEADROOM = 0.9


def write_wav(path: str | Path, samples: np.ndarray, rate: int = 44100) -> None:
    """Write one channel of 16 bits, the loudest sample at nine tenths of full scale."""
    check_output(path, (".wav",), "Sound")
    if not np.all(np.isfinite(samples)):
        bad = int(np.flatnonzero(~np.isfinite(samples))[0])
        raise InputError(f"Sample {bad} is {samples[bad]}; sound is made of finite numbers.")
    loudest = float(np.max(np.abs(samples), initial=0.0))
    scale = HEADROOM * FULL_SCALE / loudest if loudest > 0.0 else 0.0
    with written_whole(path) as beside, wave.open(str(beside), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.round(samples * scale).astype("<i2").tobytes())
