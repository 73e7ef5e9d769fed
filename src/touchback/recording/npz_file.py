"""Runs as NumPy archives: a row of arrays and the description; never any pickled object."""

import zipfile
from pathlib import Path

import numpy as np

from touchback.errors import InputError
from touchback.recording.about import describe, understand
from touchback.recording.run import Run


def save(run: Run, path: Path) -> None:
    about = np.frombuffer(describe(run).encode(), dtype=np.uint8)
    table = np.array([run[name] for name in run.names]).reshape(len(run.names), len(run))
    with path.open("wb") as file:
        np.savez(file, about=about, time=run.time, signals=table)


def load(path: Path) -> Run:
    try:
        with np.load(path, allow_pickle=False) as archive:
            text = archive["about"].tobytes().decode()
            time, table = archive["time"], archive["signals"]
    except (ValueError, KeyError, OSError, zipfile.BadZipFile) as error:
        raise InputError(f"{path.name} is not a run saved by Touchback ({error}).") from None
    about = understand(text, path.name)
    return Run(time, dict(zip(about["names"], table)), about["units"], about["metadata"])
